# SPDX-License-Identifier: GPL-2.0
"""Runs the programs of tests/kselftest: their number of tests, and their KTAP as
part of a stage's TAP."""

import os
import re
import time

from tap import diag, is_chosen, ok, skip

SOURCES = os.path.join(os.path.dirname(os.path.dirname(os.path.realpath(__file__))), 'kselftest')
# Programs that run twice: with counters, and with template probes.
BY_TEMPLATE = ['security', 'record', 'compact', 'counters', 'shared', 'callchain', 'events', 'filter', 'loss', 'ledger', 'order', 'scope', 'threads',
               'snapshot', 'sampling', 'counting', 'hotplug', 'recursion', 'storm', 'fuzz', 'faults',
               'lifecycle']

# These choose paths themselves, and run when there are templates.
ANY_PATH = ['paths', 'sessions', 'machine']

# The longest programs. They repeat code that is the same on both paths except for its attaching.
LONG = ['events', 'shared', 'filter', 'ledger', 'order', 'scope', 'storm', 'fuzz', 'lifecycle']
# Programs that are long where each access to memory is checked.
LONG_IF_SLOW = [*LONG, 'record', 'compact', 'counting', 'loss', 'sampling', 'snapshot']
# Programs that compare records: a check of memory accesses adds nothing there.
NOT_IF_SLOW = ['paths', 'order']


def plan_of(programs, short=0):
    """(program, path) in the order to run them; the first with a template needs
    ktrace_probes.ko and ktrace_test_probes.ko.  @short: the long ones run with templates only; 2:
    in a slow kernel, without those of NOT_IF_SLOW."""
    once = ([], LONG, LONG_IF_SLOW)[short]
    left = NOT_IF_SLOW if short == 2 else []
    return ([(p, 'counter' if p in BY_TEMPLATE else '') for p in programs
             if p not in ANY_PATH and p not in once] +
            [(p, 'template') for p in ANY_PATH + BY_TEMPLATE if p not in left])


def tests_of(program):
    """The names of the tests in its source: the plan must not be shorter."""
    with open(f'{SOURCES}/{program}.c') as f:
        source = f.read()
    names = [f'global.{name}' for name in re.findall(r'^TEST(?:_SIGNAL)?\((\w+)', source, re.M)]
    for fixture, name in re.findall(r'^TEST_F\w*\((\w+),\s*(\w+)', source, re.M):
        variants = re.findall(rf'^FIXTURE_VARIANT_ADD\({fixture},\s*(\w+)', source, re.M)
        names += [f'{fixture}.{v}.{name}' for v in variants] or [f'{fixture}.{name}']
    return names


def title_of(program, path):
    return f'{program}, {path}' if path else program


def is_wanted(program, path):
    """Whether tests/run --only leaves something of this program."""
    title = title_of(program, path)
    return any(is_chosen(f'{title}: {name}') for name in ['', *tests_of(program)])


def retell(program, path, lines):
    """Print the lines of a program as they come: a check for each test, and one for whether there
    were as many as its source has."""
    title = title_of(program, path)
    seen, plan, running, began = 0, None, '', time.monotonic()
    for line in lines:
        if m := re.match(r'1\.\.(\d+)', line):
            plan = int(m.group(1))
        elif m := re.match(r'ok \d+ # SKIP (.*)', line):
            seen += 1
            skip(m.group(1), f'{title}: {running}')
        elif m := re.match(r'(not ok|ok) \d+ (.*)', line):
            seen += 1
            if time.monotonic() - began >= 10:
                diag(f'{running}: {time.monotonic() - began:.0f} s')
            ok(m.group(1) == 'ok', f'{title}: {m.group(2)}')
        elif m := re.match(r'#  RUN\s+(\S+)', line):
            running, began = m.group(1), time.monotonic()
        elif not re.match(r'TAP version|#  RUN |#\s+OK |# (Starting|PASSED|FAILED|Totals)', line):
            print(line if line.startswith('#') else '# ' + line, end='', flush=True)
    want = len(tests_of(program))
    ok(want > 0 and plan == want and seen == want,
       f'{title}: {want} tests written, {plan} planned, {seen} run')
