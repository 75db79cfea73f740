# SPDX-License-Identifier: GPL-2.0
"""A test stage: the settings in its header, and the result of its TAP."""

import collections
import fnmatch
import os
import re
import shutil

from oracle import PATH, has_oracle

from .process import STALL_SECONDS, STALLED, TIMED_OUT

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.realpath(__file__))))
OUT = 'build/test'
# The status of tests/guest/run-stages if a module stays loaded.
BUSY_MODULE = 121
# From the smallest to the largest; each contains those before it.
SIZES = ('check', 'test', 'all')
# The lanes of lanes.py that a stage may name.
LANES = ('any', 'alone', 'waits')
# The kernels that guest stages of a size below `all` boot.
TEST_KERNELS = ('6.1', '7.3')

HEADER = re.compile(r'(?:#|//)\s*(limit|size|lane|needs|kernels|also|once|guest):\s*(.*)')
STAGE_FILE = re.compile(r'\d\d-[\w-]+$')
PART = re.compile(r'# part (\S+)$')
PLAN = re.compile(r'1\.\.(\d+)\s*(?:#\s*SKIP\S*\s*(.*))?$', re.I)
RESULT = re.compile(r'(not )?ok\b\s*(\d+)?\s*(?:-\s*)?(.*?)\s*(?:#\s*(SKIP|TODO)\b:?\s*(.*))?$', re.I)


def is_named(name, only):
    """Whether --only chooses this name."""
    return fnmatch.fnmatchcase(name, only) if re.search(r'[*?[]', only) else only in name


class Stage:
    """Counts and failures of one stage, in one kernel if it is a guest stage."""

    def __init__(self, name, path=None, kernel=None, limit=60):
        self.name = name
        self.path = path
        self.kernel = kernel
        self.limit = limit      # CPU seconds of all its processes, or of its guest
        self.size = 'all'       # the smallest size that it belongs to
        self.lane = 'any'       # a lane of lanes.py
        self.needs = []
        self.kernels = None     # None: all of kernels.txt but those for torture
        self.also = []          # further kernels
        self.once = []          # only these kernels when all tests run
        self.short_form = False # whether to leave out long checks that another stage has, too
        self.guest = ''         # options for scripts/guest
        self.passed = 0
        self.failed = 0
        self.skipped = 0
        self.failures = []      # sentences
        self.console = []       # the kernel's log around its first complaint
        self.skips = []         # (name, reason)
        self.flaky = []         # failures of a run that a second one did not have
        self.seconds = 0.0
        self.cpu = 0.0          # CPU seconds; in a guest, those of the whole machine
        self.only = ''          # count only checks with this in their names

    @classmethod
    def from_file(cls, path, kernel=None):
        name = os.path.basename(path)
        stage = cls(f'{name}@{kernel}' if kernel else name, path, kernel)
        with open(path, errors='replace') as f:
            head = f.read(4096)
        for key, value in (m.groups() for m in map(HEADER.match, head.splitlines()) if m):
            if key == 'limit':
                stage.limit = int(value)
            elif key in ('guest', 'size', 'lane'):
                setattr(stage, key, value.strip())
                known = {'size': SIZES, 'lane': LANES}.get(key, (value.strip(),))
                if value.strip() not in known:
                    raise SystemExit(f"tests/run: {path}: there is no {key} '{value.strip()}'; "
                                     f"there are {', '.join(known)}")
            else:
                setattr(stage, key, value.split())
        return stage

    def fresh(self):
        """The same stage, as if it had not run."""
        stage = Stage.from_file(self.path, self.kernel)
        stage.short_form, stage.only = self.short_form, self.only
        return stage

    def belongs_to(self, size):
        """Whether a stage runs in this size."""
        if SIZES.index(self.size) > SIZES.index(size):
            return False
        return size == 'all' or not self.kernel or self.kernel in TEST_KERNELS

    @property
    def log(self):
        return f'{OUT}/{self.name}{"-only" if self.only else ""}.log'

    def earlier_checks(self):
        """(part or None, name) for each check when all of the stage ran last."""
        part, found = None, []
        try:
            with open(f'{OUT}/{self.name}.log', errors='replace') as f:
                for line in f:
                    if m := PART.match(line):
                        part = m.group(1)
                    elif m := RESULT.match(line.rstrip()):
                        found.append((part, m.group(3)))
        except OSError:
            pass
        return found

    def parts(self):
        """The parts that held the wanted checks when all of the stage ran last; none: all."""
        found = [part for part, name in self.earlier_checks() if self.only and is_named(name, self.only)]
        return [] if None in found else list(dict.fromkeys(found))

    @property
    def short(self):
        """The name of its file, which is its name inside a guest."""
        return os.path.basename(self.path)

    def fail(self, what):
        self.failed += 1
        self.failures.append(what)

    def skip(self, what, why):
        self.skipped += 1
        self.skips.append((what, why))

    def missing_need(self):
        for need in self.needs:
            if need == 'root':
                missing = os.geteuid() != 0
            elif '/' in need:
                missing = not os.path.exists(need)
            elif need == 'perf' and not has_oracle():
                return 'perf 6.1 (scripts/oracle-perf)'
            else:
                missing = not shutil.which(need, path=PATH)
            if missing:
                return need
        return None

    def read_results(self, text):
        """Counts results; returns how many came and how many were planned."""
        seen, planned, in_order = 0, None, True
        names = collections.Counter()
        for line in text.splitlines():
            if m := PLAN.match(line):
                if planned is not None:
                    self.fail('there are two plans')
                planned = int(m.group(1))
                if planned == 0 and m.group(2) is not None:
                    self.skip('all of it', m.group(2) or 'no reason given')
            elif line.startswith('Bail out!'):
                self.fail(f'it bailed out: {line[9:].strip()}')
            elif m := RESULT.match(line):
                bad, number, what, directive, why = m.groups()
                seen += 1
                names[what] += 1
                if names[what] == 2 and what:
                    self.fail(f"two checks are called '{what}'")
                if number and int(number) != seen and in_order:
                    in_order = False
                    self.fail(f'result {seen} bears the number {number}')
                if directive and (directive.upper() == 'TODO' or not bad):
                    self.skip(what, why or 'no reason given')
                elif bad:
                    self.fail(what)
                else:
                    self.passed += 1
        return seen, planned

    def judge(self, text, status):
        """Read the TAP of a stage that has ended; fail the stage if something contradicts it."""
        seen, planned = self.read_results(text)
        if status == TIMED_OUT:
            self.fail(f'it did not end within {self.limit} CPU seconds')
            return
        if status == STALLED:
            self.fail(f'it stood still for {STALL_SECONDS:g} s')
            return
        if planned is None:
            self.fail(f'there is no plan; it ended with status {status}')
        elif planned != seen:
            self.fail(f'{planned} results were planned, {seen} came')
        elif seen == 0 and not self.skipped:
            self.fail(f"no check that ran has '{self.only}' in its name" if self.only else
                      'there are no tests in it')
        if status == BUSY_MODULE:
            self.fail('a module is still in use after it')
        elif status and not self.failed:
            self.fail(f'its status is {status} although no test failed')
