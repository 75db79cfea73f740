# SPDX-License-Identifier: GPL-2.0
"""Compares two sides of a lab: what changed in fields, formats, counts, orders, findings and costs.
Nothing is called a change that chance may have made: the workload ran several times on each side."""

import collections
import glob
import math
import os
import re

from report import BROKEN, FINDINGS, FINE, Row

# A difference of all runs of one side from all of the other is chance in so many cases at most.
CHANCE = 0.05
DEARER = 0.05
TELLS = 20


def changes(name, found, unclear=(), of=''):
    """A row of what changed; what cannot be told is said, and is no finding."""
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


# ---- counts and orders --------------------------------------------------------------

class Recording:
    """The events of one run of the workload: how many, and which one followed which in a task."""

    def __init__(self, text):
        self.counts, self.followers, last = collections.Counter(), {}, {}
        for line in text.splitlines():
            words = line.split()
            if len(words) < 2:
                continue
            task, event = words[0], words[1].rstrip(':')
            self.counts[event] += 1
            if task in last:
                self.followers.setdefault(last[task], set()).add(event)
            last[task] = event


def recordings(side, run, tool):
    found = []
    for path in sorted(glob.glob(os.path.join(glob.escape(side.folder), 'lab*.data'))):
        r = run(tool, 'script', '-i', path, '-F', 'tid,event')
        if r.returncode == 0:
            found.append(Recording(r.stdout))
    return found


def span(numbers):
    low, high = min(numbers), max(numbers)
    return str(low) if low == high else f'{low} to {high}'


def count_changes(old, new):
    """(changes, what cannot be told) of the numbers of records in each run."""
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
    """(changes, what cannot be told): of each event that one other always followed in its task."""
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


# ---- costs -----------------------------------------------------------------------

def costs(side):
    return {(c['event'], c['way'], what): c[what] for row in side.rows for c in row.costs
            if 'unknown' not in c for what in ('recorded', 'rejected')}


def cost_changes(base, patched):
    """(changes, what cannot be told) of what an event costs in instructions."""
    found, unclear = [], []
    old, new = costs(base), costs(patched)
    for key in sorted(old.keys() & new.keys()):
        event, way, what = key
        a, b = old[key], new[key]
        noise = a['noise'] + b['noise']
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

def finding_changes(base, patched, checks):
    """Findings, or lines of a row, that only the patched side has."""
    def of(side):
        return {f"{e['system']}:{e['name']}: {f['message']} [{f['rule']}]"
                for row in side.rows if row.check in checks for e, f in row.findings()} | \
            {line for row in side.rows if row.check in checks and row.events is None
             for line in row.lines}
    return sorted(of(patched) - of(base))


def rows(base, patched, run, tool):
    """The rows of what changed between two sides, which were both tried."""
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
    for name, checks in (('lint', ('lint',)), ('expect', ('expect',)), ('kernel', ('kernel',))):
        if name != 'expect' or any(row.check == name for row in patched.rows):
            found.append(changes(name, finding_changes(base, patched, checks)))
    old, new = recordings(base, run, tool), recordings(patched, run, tool)
    if old and new:
        runs = f'{len(old)} and {len(new)} runs'
        found.append(changes('counts', *count_changes(old, new), of=runs))
        found.append(changes('orders', *order_changes(old, new), of=runs))
    if costs(base) or costs(patched):
        found.append(changes('costs', *cost_changes(base, patched)))
    return found
