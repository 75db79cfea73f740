# SPDX-License-Identifier: GPL-2.0
"""Reads KTAP: the output of KUnit in the kernel's log, between other lines, and that of kselftest.
"""

import re

RESULT = re.compile(r'^( *)(not )?ok (\d+)(?: -)? *(.*?)(?: +# +(SKIP\b)?.*)?$', re.I)
PLAN = re.compile(r'^( *)1\.\.(\d+)')
BAIL_OUT = re.compile(r'^ *Bail out! *(.*)')
# Text before the result of a case; the name of a subtest is not such a text.
SAID = re.compile(r'^ *# (?!Subtest:)(.*)')
SAID_KEPT = 5


class Case:
    """A test without tests of its own."""

    def __init__(self, name, good, skipped, said):
        self.name, self.good, self.skipped, self.said = name, good, skipped, said


class Report:
    """cases: of all suites; faults: why there may be more cases than were reported."""

    def __init__(self, text):
        self.faults, self.said = [], []
        # By indent: the results of open suites, and the planned number.
        self.open, self.planned = {}, {}
        for line in text.splitlines():
            self.take(line)
        self.cases = [case for depth in sorted(self.open) for cases in self.open[depth] for case in cases]
        for depth in sorted(self.planned):
            self.judge_plan(depth, 'all')

    def take(self, line):
        result, plan = RESULT.match(line), PLAN.match(line)
        bail, said = BAIL_OUT.match(line), SAID.match(line)
        if result:
            self.take_result(len(result[1]), not result[2], result[4], bool(result[5]))
        elif plan:
            depth = len(plan[1])
            # The next module has a plan of its own.
            if depth in self.planned:
                self.judge_plan(depth, 'all')
            self.planned[depth] = int(plan[2]) + (0 if depth else len(self.open.get(0, [])))
        elif bail:
            self.faults.append(bail[1])
        elif said:
            self.said.append(said[1])
        elif self.said and line.strip():
            self.said.append(line.strip())

    def take_result(self, depth, good, name, skipped):
        inner = []
        for below in sorted(d for d in {*self.open, *self.planned} if d > depth):
            self.judge_plan(below, name)
            inner += [case for cases in self.open.pop(below, []) for case in cases]
        for case in inner:
            case.name = f'{name}: {case.name}'
        one = Case(name, good, skipped, [] if good else self.said[-SAID_KEPT:])
        # A suite may fail although its cases do not.
        if not inner or (not good and all(case.good for case in inner)):
            inner.append(one)
        self.open.setdefault(depth, []).append(inner)
        self.said = []

    def judge_plan(self, depth, name):
        planned, seen = self.planned.pop(depth, None), len(self.open.get(depth, []))
        if planned is not None and planned != seen:
            self.faults.append(f'{name}: {planned} tests were planned, and {seen} ended')
