# SPDX-License-Identifier: GPL-2.0
"""Runs the programs of tests/kselftest: their number of tests, and their KTAP as
part of a stage's TAP."""

import os
import re

SOURCES = os.path.join(os.path.dirname(os.path.dirname(os.path.realpath(__file__))), 'kselftest')
# Programs that run twice: with counters, and with template probes.
BY_TEMPLATE = ['security', 'record', 'events', 'filter', 'loss', 'order', 'scope', 'threads',
               'snapshot', 'sampling', 'hotplug', 'recursion', 'storm', 'fuzz', 'faults',
               'lifecycle']


def plan_of(programs):
    """(program, path) in the order to run them; the first with a template needs
    ktrace_probes.ko and ktrace_test_probes.ko."""
    return ([(p, 'counter' if p in BY_TEMPLATE else '') for p in programs if p != 'paths'] +
            [(p, 'template') for p in ['paths'] + BY_TEMPLATE])


def tests_of(program):
    """How many tests its source has: the plan must not be shorter."""
    with open(f'{SOURCES}/{program}.c') as f:
        source = f.read()
    plain = len(re.findall(r'^TEST\w*\(', source, re.M))
    for fixture in set(re.findall(r'^FIXTURE\((\w+)\)', source, re.M)):
        variants = len(re.findall(rf'^FIXTURE_VARIANT_ADD\({fixture},', source, re.M))
        if variants:
            plain += (variants - 1) * len(re.findall(rf'^TEST_F\w*\({fixture},', source, re.M))
    return plain


def retell(program, path, lines, result):
    """What a program says, line by line, as it comes; result(good, what) for each
    test, and for whether there were as many as its source has."""
    title = f'{program}, {path}' if path else program
    seen, plan = 0, None
    for line in lines:
        if m := re.match(r'1\.\.(\d+)', line):
            plan = int(m.group(1))
        elif m := re.match(r'(not ok|ok) \d+ (.*)', line):
            seen += 1
            result(m.group(1) == 'ok', f'{title}: {m.group(2)}')
        elif not re.match(r'TAP version|#  RUN |#\s+OK |# (Starting|PASSED|FAILED|Totals)', line):
            print(line if line.startswith('#') else '# ' + line, end='', flush=True)
    want = tests_of(program)
    result(want > 0 and plan == want and seen == want,
           f'{title}: {want} tests written, {plan} planned, {seen} run')
