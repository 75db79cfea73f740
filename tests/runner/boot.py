# SPDX-License-Identifier: GPL-2.0
"""Boots of guests that run stages (scripts/guest and tests/guest/run-stages)."""

import collections
import os
import re
import shlex
import shutil
import time

from . import process
from .screen import begin, end_of, is_running, read_text, report, say
from .stage import OUT, TIMED_OUT

CONSOLE_LINES = 45      # of the kernel's messages when it complains
BOOT_LIMIT = 3000       # CPU seconds that all stages of one boot may take together
BOOT_CPU = 240          # CPU seconds for the boot itself
# Wall seconds after which scripts/guest ends a machine, if this runner does not: see Watch.
FOREVER = 86400
# How many times as long as in others a stage takes in these kernels.
SLOWER = {'debug': 4, 'kcsan': 4, '7.3': 2}
# The status of tests/guest/run-stages when the kernel has complained before it began.
NOT_FRESH = 75


class Boot:
    """One boot of one kernel that runs stages until they are done or it ends."""

    COMPLAINT = None

    def __init__(self, stages, folder, fresh=False):
        self.stages = stages
        self.fresh = fresh      # whether to end it when the kernel complains before any stage
        self.folder = folder
        self.share = f'{folder}/share'
        self.begun = []
        self.done = []
        self.began_at = {}      # stage: CPU seconds of the machine when it began
        self.ended = set()      # stages that got a request to end
        if Boot.COMPLAINT is None:
            Boot.COMPLAINT = re.compile('|'.join(
                read_text('scripts/lab/complaints.txt').split('\n')[:-1]))
        shutil.rmtree(folder, ignore_errors=True)
        os.makedirs(self.share)

    def is_slow(self):
        return SLOWER.get(self.stages[0].kernel, 1) >= 4

    def command(self):
        first = self.stages[0]
        # The boot that takes longest has priority on the CPUs, if it may.
        first_served = ['nice', '-n', '-10'] if self.is_slow() and os.geteuid() == 0 else []
        return [*first_served, 'scripts/guest', '--kernel', first.kernel, '--log', self.folder,
                '--share', self.share, '--timeout', str(FOREVER), *shlex.split(first.guest), '--',
                'env', f'KTRACE_TEST_ONLY={first.only}',
                f'KTRACE_TEST_FIRST={os.environ.get("KTRACE_TEST_FIRST", "")}',
                *([f'KTRACE_TEST_SHORT={2 if self.is_slow() else 1}'] if first.short_form else []),
                'tests/guest/run-stages', *(['--fresh'] if self.fresh else []),
                *(f'{s.path}:{",".join(s.needs)}:{",".join(s.parts())}' for s in self.stages)]

    def run(self):
        began = time.monotonic()
        name = f'kernel {self.stages[0].kernel}, for {self.stages[0].short}'
        if len(self.stages) > 1:
            name += f' and {len(self.stages) - 1} more'
        log = f'{self.folder}/guest.log'
        begin(name, log, 'boot')
        guest = process.start(self.command(), log)
        watch = process.Watch(guest.pid, log, f'{self.folder}/console.log',
                              *(f'{self.share}/{s.short}.log' for s in self.stages))
        looked = time.monotonic()
        why = ''
        while not process.has_ended(guest) and not why:
            time.sleep(0.2)
            if is_running(name) and self.has_begun(self.stages[0]):
                end_of(name)
                say(f'      kernel {self.stages[0].kernel} booted in '
                    f'{time.monotonic() - began:.1f} s')
            self.collect(watch)
            if time.monotonic() - looked >= 1:
                looked = time.monotonic()
                why = self.trouble(watch)
        status = process.finish(guest, watch)
        self.collect(watch)
        end_of(name)
        self.finish(time.monotonic() - began, status, why)

    def trouble(self, watch):
        """Check the machine. Returns why it has to be ended, or ''. A stage that has used its CPU
        time only gets a request to end, once."""
        if watch.look():
            return f'nothing happened in the guest for {process.STALL_SECONDS:g} s'
        stage = next((s for s in self.begun if s not in self.done), None)
        if not stage:
            return '' if self.begun or watch.cpu < BOOT_CPU * SLOWER.get(
                self.stages[0].kernel, 1) else f'it did not boot within {BOOT_CPU} CPU seconds'
        used = watch.cpu - self.began_at[stage]
        if used > stage.limit and stage not in self.ended:
            self.ended.add(stage)
            with open(f'{self.share}/{stage.short}.end', 'w'):
                pass
        return '' if used < stage.limit + 120 else f'{stage.short} cannot be ended'

    def has_begun(self, stage):
        return os.path.exists(f'{self.share}/{stage.short}.begun')

    def collect(self, watch):
        """Report the stages that have begun since the last call, and judge the ones that ended."""
        for stage in self.stages:
            if stage not in self.begun and self.has_begun(stage):
                watch.look()
                self.began_at[stage] = watch.cpu
                self.begun.append(stage)
                begin(stage.name, f'{self.share}/{stage.short}.log')
            if stage in self.done or not os.path.exists(f'{self.share}/{stage.short}.status'):
                continue
            status, ms = map(int, read_text(f'{self.share}/{stage.short}.status').split())
            watch.look()
            stage.seconds = ms / 1000
            stage.cpu = watch.cpu - self.began_at[stage]
            if stage in self.ended:
                status = TIMED_OUT
            shutil.copyfile(f'{self.share}/{stage.short}.log', stage.log)
            stage.judge(read_text(stage.log), status)
            self.blame(stage)
            self.done.append(stage)
            report(stage)

    def complaints(self):
        """(file name of the stage or None, line, lines from there on) for each complaint of the
        kernel."""
        during, found = None, []
        console = read_text(f'{self.folder}/console.log').splitlines()
        for n, line in enumerate(console):
            if m := re.search(r'ktrace-test: (\S+)$', line):
                during = m.group(1)
            elif self.COMPLAINT.search(line):
                found.append((during, re.sub(r'^\[ *[\d.]+\] ', '', line),
                              console[n:n + CONSOLE_LINES]))
        return found

    def blame(self, stage, words='the kernel complained', during=None):
        """Fails a stage for complaints of the kernel during it, or during the steps that @during
        names."""
        said = [it for it in self.complaints() if it[0] in (during or [stage.short])]
        for _, line, _ in said[:5]:
            stage.fail(f'{words}: {line}')
        if said and not stage.console:
            stage.console = said[0][2]
        return bool(said)

    def finish(self, seconds, status, why):
        """Judges the stage that ended the guest, if one did.
        @why: why the runner ended it, or ''"""
        if status == NOT_FRESH and self.fresh and not self.begun:
            said = self.complaints()
            say(f'note  kernel {self.stages[0].kernel} complained while it booted, before any '
                'module of ours was loaded; it is booted once more:',
                *('        | ' + line for line in (said[0][2] if said else [])))
            return
        said = read_text(f'{self.folder}/guest.log')
        left = [s for s in self.stages if s not in self.done]
        if left:
            why = why or next((line for line in said.splitlines()
                               if re.match(r'(guest|fetch-kernel): ', line)), 'the guest is gone')
            # If no stage has begun, another boot would end in the same manner: all of
            # them fail.
            for stage in left[:1] if self.has_begun(left[0]) else left:
                with open(stage.log, 'w') as f:
                    f.write(read_text(f'{self.share}/{stage.short}.log') + said)
                stage.read_results(read_text(f'{self.share}/{stage.short}.log'))
                stage.fail(why)
                self.blame(stage)
                self.done.append(stage)
                report(stage)
            left[0].seconds = seconds - sum(s.seconds for s in self.done)
            return
        # Complaints between the end of a stage and the begin of the next one.
        late = [stage for stage in self.stages
                if not stage.failed and self.blame(stage, 'the kernel complained after the stage')]
        last = self.stages[-1]
        others = {during for during, _, _ in self.complaints()} - {s.short for s in self.stages}
        if others and self.blame(last, 'the kernel complained outside of stages', others):
            late.append(last)
        if status and not late and not any(s.failed for s in self.stages):
            last.fail(f'scripts/guest ended with status {status}: {said.strip()}')
            late.append(last)
        for stage in dict.fromkeys(late):
            report(stage)


def run_stages(stages):
    """Run stages that share a boot; each boot gets at least one of them done."""
    name = f'{OUT}/guest-{stages[0].kernel}-{stages[0].short}'
    boots = 0
    while stages:
        boots += 1
        boot = Boot(stages, f'{name}-boot-{boots}', fresh=boots == 1)
        boot.run()
        stages = [s for s in stages if s not in boot.done]


def groups_of(guest):
    """Groups of stages that can share a boot; the longest ones come first."""
    boots = collections.OrderedDict()
    for stage in guest:
        own = stage.path if stage.guest else ''
        boots.setdefault((stage.kernel, own), []).append(stage)
    groups = []
    for boot in boots.values():
        part = []
        for stage in boot:
            if part and sum(s.limit for s in [*part, stage]) > BOOT_LIMIT:
                groups.append(part)
                part = []
            part.append(stage)
        groups.append(part)
    return sorted(groups, key=lambda group: -sum(stage.limit for stage in group) *
                  SLOWER.get(group[0].kernel, 1))
