# SPDX-License-Identifier: GPL-2.0
"""Compares two sides of a lab: differences in fields, formats, counts, orders, values, latencies,
findings and costs.  The workload ran several times on each side.  A difference that chance may
explain is not a change."""

import collections
import glob
import math
import os
import re
import statistics
import sys

from report import BROKEN, FINDINGS, FINE, Row, clean, plural

# The probability limit that all runs of one side differ from all of the other by chance.
CHANCE = 0.05
DEARER = 0.05
TELLS = 20
# The error of a cost is the distance of its median run from its fastest one. By chance, fastest
# runs differ by less than this multiple of it.
ERRORS = 3
# The largest part of all reported changes of values, latencies and functions that may be chance.
LEVEL = 0.01
# A field with at most this number of values is compared by their frequencies, others by means.
FEW_VALUES = 16
# All runs of a side are from one boot, which alone may decide these.
BY_BOOT = re.compile(r'(^|_)(pid|tid|tgid|cpu|node|dev|ino|inode|jiffies|time|timestamp)($|_)')


def changes(name, found, unclear=(), of=''):
    """A row of changes. Undecided quantities are listed, and are no findings."""
    return Row(name, FINDINGS if found else FINE, number=len(found), lines=list(found) + list(unclear),
               of=of)


# ---- formats ---------------------------------------------------------------------

def formats(side):
    """event: its print fmt"""
    found = {}
    for path in glob.glob(os.path.join(glob.escape(side.path('formats')), '*/*/format')):
        with open(path, errors='replace') as f:
            text = f.read()
        name = ':'.join(path.split('/')[-3:-1])
        found[name] = re.search(r'^print fmt: (.*)', text, re.M | re.S)
        found[name] = found[name][1].strip() if found[name] else ''
    return found


def format_changes(base, patched):
    old, new = formats(base), formats(patched)
    return [f'{name}: the print fmt was {old[name]}, and is {new[name]}'
            for name in sorted(old.keys() & new.keys()) if old[name] != new[name]]


# ---- recordings -------------------------------------------------------------------

class Recording:
    """The events of one run of the workload: their numbers, which one followed which in a task and
    after how long, and the values of their fields."""

    def __init__(self, rows, values=None):
        """@rows: (task, event, time) in the order of time; @values: (event, field) to values."""
        self.counts, self.followers, last = collections.Counter(), {}, {}
        self.gaps = collections.defaultdict(list)
        self.values, self.lost = values or {}, 0
        for task, event, time in rows:
            self.counts[event] += 1
            if task in last:
                before, then = last[task]
                self.followers.setdefault(before, set()).add(event)
                self.gaps[before, event].append(time - then)
            last[task] = event, time


def import_ktrace(tool):
    """The package that belongs to the tool."""
    own = os.path.realpath(os.path.join(os.path.dirname(os.path.realpath(tool)), '../python'))
    if os.path.isdir(own) and own not in sys.path:
        sys.path.insert(0, own)
    import ktrace
    return ktrace


def read_recording(ktrace, path):
    with ktrace.open(path) as recording:
        rows, values = [], {}
        for event, batch in recording.read().items():
            if event not in recording.events or not len(batch):
                continue
            rows += zip(batch['_time'].tolist(), batch['_tid'].tolist(), [event] * len(batch))
            for field in recording.events[event]:
                if field in batch and not batch[field].is_address and \
                        re.match('text|u?int', batch[field].type):
                    values[event, field] = batch[field].tolist()
        rows.sort(key=lambda row: row[0])
        found = Recording([(task, event, time) for time, task, event in rows], values)
        found.lost = recording.summary()['lost']
    return found


def recordings(side, ktrace):
    return [read_recording(ktrace, path) for path in
            sorted(glob.glob(os.path.join(glob.escape(side.folder), 'lab*.data')))]


# ---- counts and orders --------------------------------------------------------------

def span(numbers):
    low, high = min(numbers), max(numbers)
    return str(low) if low == high else f'{low} to {high}'


def count_changes(old, new):
    """(changes, undecided) of the numbers of records in each run."""
    found, unclear = [], []
    events = sorted({e for r in old + new for e in r.counts})
    chance = 2 / math.comb(len(old) + len(new), len(old)) * len(events)
    for event in events:
        a, b = [r.counts[event] for r in old], [r.counts[event] for r in new]
        apart = max(a) < min(b) or max(b) < min(a)
        exact = len(set(a)) == len(set(b)) == 1 and min(len(a), len(b)) > 1
        if apart and (exact or chance <= CHANCE):
            found.append(f'{event}: {span(a)} records in each run, then {span(b)}')
        elif set(a) != set(b):
            unclear.append(f"{event}: {span(a)} records in each run, then {span(b)}: can't tell; "
                           f'a change by more than {max(max(a) - min(a), max(b) - min(b))} would show')
    return found, unclear


def order_changes(old, new):
    """(changes, undecided) for each event that always followed another one in its task."""
    found, unclear = [], []
    for event in sorted({e for r in old for e in r.followers}):
        before = [r.followers.get(event, set()) for r in old]
        always = set.intersection(*before)
        if any(len(followers) != 1 for followers in before) or not always:
            continue
        follower = next(iter(always))
        after = [r.followers.get(event) for r in new]
        broken = [f for f in after if f is not None and f != {follower}]
        others = sorted({e for f in broken for e in f} - {follower})
        text = f'{event}: {follower} always followed in its task, then {", ".join(others)}, too'
        if broken and len(broken) == len(after):
            found.append(text)
        elif broken:
            unclear.append(f"{text}, in {len(broken)} of {len(after)} runs: can't tell")
    return found, unclear


# ---- values and latencies ----------------------------------------------------------

def disjoint(runs):
    """Whether no runs of one side have values in common, so that the values depend on the run."""
    spans = sorted((min(values), max(values)) for values in runs)
    return len(spans) > 1 and all(a[1] < b[0] for a, b in zip(spans, spans[1:]))


def value_quantities(old, new):
    """([(name, a number for each run)] for the values of fields, fields that cannot be compared,
    all fields)"""
    found, by_run = [], []
    fields = sorted(set.intersection(*(set(run.values) for run in old + new)))
    for event, field in fields:
        sides = [[run.values[event, field] for run in side] for side in (old, new)]
        runs = sides[0] + sides[1]
        kinds = set().union(*runs)
        name = f'{event} {field}'
        few = len(kinds) <= FEW_VALUES
        numbers = all(isinstance(kind, int) for kind in kinds)
        if BY_BOOT.search(field) or (numbers and any(map(disjoint, sides))) or \
                not (few or numbers):
            by_run.append(name)
        elif few:
            found += [(f'{name} is {clean(kind)}', [values.count(kind) / len(values) for values in runs])
                      for kind in sorted(kinds, key=str)]
        else:
            found.append((f'{name}, mean', [sum(values) / len(values) for values in runs]))
    return found, by_run, len(fields)


def number(value):
    return f'{value:.6g}'


def percent(value):
    return f'{value * 100:.3g} %'


def judged(ktrace, quantities, before, text, least=0):
    """(changes, undecided) of quantities. The first @before runs are of the base."""
    found, unclear = [], []
    verdicts = ktrace.differences([values for _, values in quantities], before, level=LEVEL)
    for (name, _), d in zip(quantities, verdicts):
        shown = text if not name.rpartition(' is ')[1] else percent
        line = f"{name}: {shown(d['before'])}, then {shown(d['after'])}"
        if d['verdict'] in ('more', 'less') and abs(d['change']) >= least * abs(d['before']):
            found.append(line + (f" ({d['change'] / d['before']:+.1%})" if least else ''))
        elif d['verdict'] == "can't tell" and d['change'] and not math.isnan(d['detectable']):
            unclear.append(f"{line}: can't tell; a change by {shown(d['detectable'])} would show")
    return found, unclear


def value_changes(ktrace, old, new):
    """A row: the values of fields, and how often they occur."""
    quantities, by_run, fields = value_quantities(old, new)
    found, unclear = judged(ktrace, quantities, len(old), number)
    if by_run:
        unclear.append(f"{', '.join(by_run)}: can't tell; the run or the boot decides them")
    return changes('values', found, unclear, of=f"{plural(fields, 'field')}, {len(old)} and {len(new)} runs")


def latency_changes(ktrace, old, new):
    """A row: the median time from an event to the next one of the task."""
    pairs = sorted(set.intersection(*(set(run.gaps) for run in old + new)))
    quantities = [(f'{a} to {b}', [statistics.median(run.gaps[a, b]) for run in old + new])
                  for a, b in pairs]
    found, unclear = judged(ktrace, quantities, len(old), lambda value: number(value) + ' instructions',
                            DEARER)
    return changes('latencies', found, unclear,
                   of=f"{plural(len(pairs), 'pair')}, {len(old)} and {len(new)} runs")


def profile_changes(base, patched, run, tool):
    """A row: the functions whose instructions in the tasks of the workload changed."""
    sides = [sorted(glob.glob(os.path.join(glob.escape(side.folder), 'profile*.data')))
             for side in (base, patched)]
    if not all(sides):
        return Row('profile', BROKEN, detail='there is no profile of a side')
    r = run(tool, 'diff', '-q', '--absolute', '-t', '\t', *sides[0], '--', *sides[1])
    if r.returncode:
        return Row('profile', BROKEN, detail=r.stderr.strip().replace('ktrace: ', ''))
    found, judged_rows = [], 0
    for line in r.stdout.splitlines():
        words = [word.strip() for word in line.split('\t')]
        if len(words) < 6:
            continue
        _, _, verdict, change, binary, function = words
        judged_rows += bool(verdict)
        if verdict in ('slower', 'faster') and (change == 'new' or
                                                abs(float(change[:-1])) >= DEARER * 100):
            found.append(f'{function} ({binary}): {change} instructions, {verdict}')
    return changes('profile', found, of=f"{plural(judged_rows, 'function')}, {len(sides[0])} and "
                   f'{len(sides[1])} runs')


# ---- costs -----------------------------------------------------------------------

def costs(side):
    return {(c['event'], c['way'], what): c[what] for row in side.rows for c in row.costs
            if 'unknown' not in c for what in ('recorded', 'rejected')}


def cost_changes(base, patched):
    """(changes, undecided) of the cost of an event in instructions."""
    found, unclear = [], []
    old, new = costs(base), costs(patched)
    for key in sorted(old.keys() & new.keys()):
        event, way, what = key
        a, b = old[key], new[key]
        noise = ERRORS * (a['noise'] + b['noise'])
        name = f'{event}, {what} by {way}'
        if a['ns'] is None or b['ns'] is None:
            unclear.append(f"{name}: can't tell; a change by {noise:.0f} instructions would show")
            continue
        difference = b['ns'] - a['ns']
        if abs(difference) > max(noise, DEARER * a['ns'], TELLS):
            found.append(f"{name}: {a['ns']:.0f} instructions, then {b['ns']:.0f} "
                         f"({difference / a['ns']:+.0%})")
    return found, unclear


# ---- all of it ---------------------------------------------------------------------

def finding_changes(base, patched, check):
    """Findings, or lines of a row, that only the patched side has."""
    def of(side):
        return {f"{e['system']}:{e['name']}: {f['message']} [{f['rule']}]"
                for row in side.rows if row.check == check for e, f in row.findings()} | \
            {line for row in side.rows if row.check == check and row.events is None
             for line in row.lines}
    return sorted(of(patched) - of(base))


def run_rows(base, patched, tool):
    """The rows about the recordings of repeated runs."""
    if not base.has_runs:
        return []
    try:
        ktrace = import_ktrace(tool)
    except ImportError as error:
        return [Row('runs', BROKEN, detail=f'recordings are compared by the Python package of ktrace: '
                    f'{error}', lines=['apt-get install python3-ktrace'])]
    old, new = recordings(base, ktrace), recordings(patched, ktrace)
    lost = [name for name, runs in (('base', old), ('patched', new)) if any(r.lost for r in runs)]
    if lost or not (old and new):
        return [Row('runs', BROKEN, detail=f'records of {" and ".join(lost)} were lost' if lost else
                    'there is no recording of a side')]
    runs = f'{len(old)} and {len(new)} runs'
    found = [changes('counts', *count_changes(old, new), of=runs),
             changes('orders', *order_changes(old, new), of=runs), value_changes(ktrace, old, new)]
    # Otherwise time depends on this machine, and on its other work.
    return found + ([latency_changes(ktrace, old, new)] if base.in_instructions else [])


def rows(base, patched, run, tool):
    """The rows of changes between two sides, which were both tried."""
    found = []
    for side, name in ((base, 'base'), (patched, 'patched')):
        for row in side.rows:
            if row.verdict == BROKEN:
                found.append(Row(f'{name} {row.check}', BROKEN, detail=row.detail, lines=row.lines))
    if found:
        return found
    r = run(tool, 'schema', 'diff', base.path('formats'), patched.path('formats'))
    lines = r.stdout.splitlines()
    changed = [line for line in lines if line[:2] in ('+ ', '- ', '! ')]
    if r.returncode not in (0, 1):
        found.append(Row('fields', BROKEN, detail=r.stderr.strip().replace('ktrace: ', '')))
    else:
        found.append(Row('fields', FINDINGS if changed else FINE, number=len(changed),
                         lines=lines[:-1] if changed else []))
    found.append(changes('formats', format_changes(base, patched)))
    for name in ('lint', 'kunit', 'kselftest', 'expect', 'kernel'):
        if name in ('lint', 'kernel') or any(row.check == name for row in patched.rows):
            found.append(changes(name, finding_changes(base, patched, name)))
    found += run_rows(base, patched, tool)
    if costs(base) or costs(patched):
        found.append(changes('costs', *cost_changes(base, patched)))
    if base.in_instructions:
        found.append(profile_changes(base, patched, run, tool))
    return found
