# SPDX-License-Identifier: GPL-2.0
"""The golden texts, which tests/golden/README.rst describes."""
import collections
import os
import re
import shlex
import subprocess

import recording_text
from oracle import PATH

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.realpath(__file__))))
GOLDEN = os.path.join(TOP, 'tests/golden')
RECORDINGS = os.path.join(GOLDEN, 'recordings')
# Nothing of the caller's: neither a time zone, nor a terminal, nor a configuration.
ENVIRONMENT = {'PATH': PATH, 'LC_ALL': 'C.UTF-8', 'TZ': 'UTC', 'TERM': 'dumb',
               'HOME': '/nonexistent', 'COLUMNS': '120', 'PERF_CONFIG': '/dev/null'}
STDERR = '-- standard error\n'

# any_order: perf has the same lines in another order.
Row = collections.namedtuple('Row', 'name recording ktrace perf any_order')

# Messages that perf 6.1 prints besides its tables, in lines of their own.
CHATTER = re.compile(r'''(?x)
    (?: \[\ perf\ .*
    |   Warning:
    |   .*[ ]do\ not\ have\ callchains\.(?:\ .*)?
    |   Samples\ .*\ do\ not\ have\ .*
    |   Kernel\ address\ maps\ .*|.*kptr_restrict.*|Check\ /proc.*|As\ no\ suitable.*|can't\ be\ resolved.*
    |   Samples\ in\ kernel\ .*
    |   Cannot\ read\ kernel\ map
    |   \#\ \(Tip:\ .*
    |   Processed\ \d+\ events.*|Check\ IO/CPU\ overload!
    )$''')


def rows():
    """The rows of tests/golden/commands.txt, in their order."""
    found = []
    with open(os.path.join(GOLDEN, 'commands.txt'), encoding='utf-8') as f:
        for number, line in enumerate(f, 1):
            if not line.strip() or line.startswith('#'):
                continue
            fields = [field.strip() for field in re.split(r'\s\|(?:\s|$)', line)]
            if len(fields) != 4:
                raise ValueError(f'commands.txt:{number}: a row has 4 fields')
            name, recording, ktrace, perf = fields
            any_order, perf = perf.startswith('~'), perf.removeprefix('~').strip()
            found.append(Row(name, recording, shlex.split(ktrace), None if perf == '-' else
                             shlex.split(ktrace if perf == '=' else perf), any_order))
    return found


def recordings():
    return sorted(name[:-len('.txt')] for name in os.listdir(RECORDINGS) if name.endswith('.txt'))


def save_recordings(folder):
    for name in recordings():
        recording_text.save(os.path.join(RECORDINGS, name + '.txt'), os.path.join(folder, name))


def words_of(row, words):
    """@words with the recording's files: FILE (else behind -i, at the end; NO-FILE: nowhere),
    KALLSYMS, SYMBOLS and FORMATS."""
    out = []
    for word in words:
        if word == 'SYMBOLS':
            out += ['--kallsyms', f'{row.recording}.kallsyms', '--symfs', f'{row.recording}.symfs']
        elif word == 'NO-FILE':
            pass
        elif word == 'KALLSYMS':
            out += ['--kallsyms', f'{row.recording}.kallsyms']
        else:
            out.append(word.replace('FILE', f'{row.recording}.data').replace(
                'FORMATS', f'{row.recording}.formats'))
    if not any('FILE' in word for word in words):
        out += ['-i', f'{row.recording}.data']
    return out


def run(folder, words):
    return subprocess.run(words, cwd=folder, env=ENVIRONMENT, stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False,
                          text=True, encoding='utf-8', errors='backslashreplace')


def normal(text, of_perf=False):
    """@text without insignificant parts: blanks at ends of lines, empty lines at both ends and
    doubled ones between, and perf's messages."""
    if of_perf:
        text = re.sub(r'\n?Terminated tasks:\n|<no [a-z ]*tasks>\n', '', text)
    lines = [line.rstrip() for line in text.splitlines()]
    if of_perf:
        lines = [line for line in lines if not CHATTER.match(line)]
        while lines[-1:] in ([''], ['#']):
            lines.pop()
    text = re.sub(r'\n{3,}', '\n\n', '\n'.join(lines)).strip('\n')
    return text + '\n'


# perf counts this share otherwise: its skipped events are a share of records of any kind.
DIFFERENT = re.compile(r'[\d.]+(?=% skipped events)')


def by_ktrace(folder, row, ktrace):
    """The output of ktrace. Where perf prints the same table, other messages do not count."""
    result = run(folder, [ktrace, *words_of(row, row.ktrace)])
    # Counts are printed on standard error.
    text = normal(result.stdout or (result.stderr if row.perf else ''))
    if row.perf:
        text = DIFFERENT.sub('...', text)
    if not row.perf and result.stderr.strip():
        text += STDERR + normal(result.stderr)
    if result.returncode:
        text += f'-- status {result.returncode}\n'
        if row.perf:
            text += normal(result.stderr)
    return text


# Some commands of perf know no symbols but those of the running kernel.  In another namespace,
# perf does not find the programs of processes that have the same numbers by chance.
OTHER_KERNEL = """mount --bind "$0" /proc/kallsyms || exit
[ ! -e /proc/modules ] || mount --bind /dev/null /proc/modules || exit
exec perf "$@"
"""


def by_perf(folder, row):
    perf = ['unshare', '-m', 'sh', '-c', OTHER_KERNEL, f'{row.recording}.kallsyms']
    if {'KALLSYMS', 'SYMBOLS'} & set(row.perf):
        perf = ['perf']
    result = run(folder, [*perf, *words_of(row, row.perf)])
    if result.returncode:
        raise ValueError(f'{row.name}: perf {" ".join(row.perf)}: {result.stderr}')
    # perf 6.1 prints some tables on standard error.
    return DIFFERENT.sub('...', normal(result.stdout + result.stderr, of_perf=True))


def texts():
    """The names of all golden texts that there are."""
    return {os.path.relpath(os.path.join(where, name), GOLDEN)[:-len('.txt')]
            for where, _, names in os.walk(GOLDEN) for name in names
            if name.endswith('.txt') and where not in (GOLDEN, RECORDINGS, os.path.join(GOLDEN, 'outputs'))}


def path_of(row):
    return os.path.join(GOLDEN, row.name + '.txt')
