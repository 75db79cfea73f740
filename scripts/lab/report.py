# SPDX-License-Identifier: GPL-2.0
"""Writes the results of a lab: tables for people, KTAP, JUnit and SARIF.  `ktrace check --results`
formats the findings of check, so that they look the same there and here."""

import collections
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import textwrap
import xml.etree.ElementTree as ET

FINE, FINDINGS, UNKNOWN, BROKEN = 'fine', 'findings', 'unknown', 'broken'
LINES_SHOWN = 10


class ReportError(Exception):
    """Findings cannot be formatted."""


class Row:
    """The result of one check of one kernel."""

    def __init__(self, check, verdict, detail='', lines=(), events=None, costs=None, number=None,
                 of='', counts=True):
        self.check, self.verdict, self.detail = check, verdict, detail
        self.lines, self.events, self.costs = list(lines), events, costs or []
        self.number = counted(events) if events is not None else number
        self.of = of or (plural(len(events), 'event') if events is not None else '')
        self.counts = counts            # False: the verdict changes no status

    def findings(self):
        """(event, finding) of each finding of check that counts."""
        return [(e, f) for e in self.events or [] for f in e['findings']
                if f.get('level') != 'remark']


def plural(number, word):
    return f'{number} {word}' + ('' if number == 1 else 's')


def clean(text):
    """A text from a guest, without control sequences."""
    return re.sub(r'[^\t\x20-\x7e\xa0-\U0010ffff]', '?', str(text))


def key(event, finding):
    """The identity of a finding: its message is left out, because it may have measured values."""
    return tuple(str(v) for v in (event.get('system'), event.get('name'), finding.get('rule'),
                                  finding.get('field')))


def counted(events):
    return sum(f.get('level') != 'remark' for e in events for f in e['findings'])


def status(tries):
    verdicts = {row.verdict for each in tries for row in each.rows if row.counts}
    return 2 if BROKEN in verdicts or UNKNOWN in verdicts else 1 if FINDINGS in verdicts else 0


def rules(row):
    """"hole 2, event-name": the most frequent first."""
    found = collections.Counter(f.get('rule') for _, f in row.findings())
    return ', '.join(clean(r) + (f' {n}' if n > 1 else '') for r, n in
                     sorted(found.items(), key=lambda item: (-item[1], item[0])))


def said(row):
    """The lines below the table with the reasons of failed rows."""
    lines = [row.detail] if row.detail else []
    lines += [f"{e['system']}:{e['name']}: {f['level']}: {f['message']} [{f['rule']}]"
              for e, f in row.findings()]
    return [clean(line) for line in lines + row.lines]


def cost_lines(row):
    for cost in row.costs:
        if 'unknown' in cost:
            yield f"{cost['event']}: {cost['way']}: {cost['unknown']}"
            continue
        words = [f"{cost['event']}: {cost['way']}:"]
        for what in ('recorded', 'rejected'):
            ns, noise = cost[what]['ns'], cost[what]['noise']
            words.append(f'{what} unknown ±{noise:.0f}' if ns is None else
                         f'{what} {ns:.0f} ±{noise:.0f}')
        yield ' '.join(words) + f" instructions, {cost['bytes']:.1f} bytes"


def wrapped(line):
    """A line below a table, wrapped to the terminal."""
    if not sys.stdout.isatty():
        return '    ' + line
    return '\n'.join(textwrap.wrap(line, max(80, shutil.get_terminal_size().columns), initial_indent=' ' * 4,
                                   subsequent_indent=' ' * 8, break_long_words=False,
                                   break_on_hyphens=False)) or '    ' + line


def table(each):
    print(each.title)
    cells = [('check', 'verdict', 'findings', 'of', 'rules')]
    cells += [(row.check, row.verdict, '' if row.number is None else str(row.number), row.of,
               rules(row)) for row in each.rows]
    widths = [max(len(row[n]) for row in cells) for n in range(4)]
    for row in cells:
        print('  ' + '  '.join(cell.rjust(width) if n == 2 else cell.ljust(width)
                               for n, (cell, width) in
                               enumerate(zip(row, widths + [0]))).rstrip())
    for row in each.rows:
        lines = said(row)
        if lines:
            print(f'\n  {row.check}:')
        for line in lines[:LINES_SHOWN]:
            print(wrapped(line))
        if len(lines) > LINES_SHOWN:
            print(f'    ... and {len(lines) - LINES_SHOWN} more')
        for line in cost_lines(row):
            print(wrapped(clean(line)))


def print_ktap(tries):
    print(f'KTAP version 1\n1..{len(tries)}')
    for number, each in enumerate(tries, 1):
        print(f'    KTAP version 1\n    # Subtest: {each.name}\n    1..{len(each.rows)}')
        good = True
        for n, row in enumerate(each.rows, 1):
            ok = row.verdict == FINE or not row.counts
            good &= ok
            for line in said(row):
                print('    # ' + line)
            skipped = ' # SKIP' if row.verdict == UNKNOWN else ''
            print(f'    {"" if ok else "not "}ok {n} - {row.check}{skipped}')
        print(f'{"" if good else "not "}ok {number} - {each.name}')


def check_results(tool, each, names, *words):
    """The document of `ktrace check --results` for files of a kernel."""
    command = [tool, 'check', *(f'--results={each.path(name + ".json")}' for name in names)]
    if os.path.isdir(each.path('formats')):
        command.append('--format-dir=' + each.path('formats'))
    r = subprocess.run(command + list(words), stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                       text=True, stdin=subprocess.DEVNULL)
    if r.returncode not in (0, 1):
        raise ReportError(r.stderr.strip())
    return r.stdout


def junit(tool, tries):
    """A suite for each check of each kernel."""
    root = ET.Element('testsuites')
    for each in tries:
        for row in each.rows:
            name = f'{each.name}/{row.check}'
            if row.events is not None:
                suite = ET.fromstring(check_results(tool, each, [row.check], '--junit'))[0]
                suite.set('name', name)
                root.append(suite)
                continue
            bad = row.counts and row.verdict != FINE
            suite = ET.SubElement(root, 'testsuite', name=name, tests='1',
                                  failures=str(int(bad and row.verdict == FINDINGS)),
                                  errors=str(int(bad and row.verdict != FINDINGS)))
            case = ET.SubElement(suite, 'testcase', classname=each.name, name=row.check)
            lines = said(row)
            if bad:
                kind = 'failure' if row.verdict == FINDINGS else 'error'
                ET.SubElement(case, kind, message=lines[0] if lines else row.verdict).text = \
                    '\n'.join(lines)
            elif lines:
                ET.SubElement(case, 'system-out').text = '\n'.join(lines)
    ET.indent(root)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + ET.tostring(root, encoding='unicode') + '\n'


def source_words(each):
    folder = each.module if each.module and os.path.isdir(each.module) else None
    return ['--source=' + folder] if folder else []


def sarif(args, tries):
    """A run for each kernel, with the findings of check, and the other failures."""
    told = None
    for each in tries:
        names = [row.check for row in each.rows if row.events is not None]
        empty = os.path.join(each.folder, 'none.json')
        if not names:
            with open(empty, 'w') as f:
                f.write('{"events": []}\n')
            names = ['none']
        try:
            one = json.loads(check_results(args.tool, each, names, '--sarif', *source_words(each)))
        except ReportError:
            # No header defines the events: their locations are in formats alone.
            one = json.loads(check_results(args.tool, each, names, '--sarif'))
        if os.path.exists(empty):
            os.unlink(empty)
        one['runs'][0]['automationDetails'] = {'id': f'ktrace lab/{each.name}'}
        for row in each.rows:
            if row.events is None and row.counts and row.verdict != FINE:
                one['runs'][0]['results'].append({
                    'ruleId': 'lab-' + row.check, 'level': 'error',
                    'message': {'text': '\n'.join(said(row)) or row.verdict}})
        if told:
            told['runs'] += one['runs']
        else:
            told = one
    return json.dumps(told, indent=2) + '\n'


def is_recording(path):
    """Whether a regular file is a recording; a pipe is not read."""
    if not os.path.isfile(path):
        return False
    with open(path, 'rb') as f:
        return f.read(8) in (b'PERFILE2', b'2ELIFREP')


def put(path, text):
    """Write a file as a whole.  A path such as /dev/stdout, which is not a file, is not replaced.
    """
    if os.path.exists(path) and not os.path.isfile(path):
        with open(path, 'w') as f:
            f.write(text)
        return
    new = path + '.new'
    with open(new, 'w') as f:
        f.write(text)
    os.rename(new, path)


def write(args, tries, folder, mark):
    put(os.path.join(folder, mark), json.dumps({
        'ktrace-lab': 1, 'status': status(tries), 'kernels': [{
            'name': each.name, 'release': each.kernel.release,
            'checks': [{'check': row.check, 'verdict': row.verdict, 'findings': row.number,
                        'said': said(row), 'costs': row.costs} for row in each.rows],
        } for each in tries]}, indent=1) + '\n')
    if args.junit:
        put(args.junit, junit(args.tool, tries))
    if args.sarif:
        put(args.sarif, sarif(args, tries))


def show(args, tries):
    if args.ktap:
        print_ktap(tries)
        return
    for number, each in enumerate(tries):
        print('\n' * bool(number), end='')
        table(each)
    print(f'\nRecordings, formats and findings are in {args.output}.')
    for each in tries:
        kept = os.path.join(args.output, os.path.basename(each.folder))
        files = [os.path.join(kept, row.check + '.json') for row in each.rows if row.findings()]
        files = [path for path in files if os.path.exists(path)]
        if files:
            words = ['ktrace', 'check', *('--results=' + path for path in files),
                     '--format-dir=' + os.path.join(kept, 'formats'), *source_words(each)]
            print('This command prints the location, reason and repair of each finding:\n  ' +
                  shlex.join(words))
            break
