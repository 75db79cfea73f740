# SPDX-License-Identifier: GPL-2.0
"""A made-up machine whose rings lose records, and the true states of its tasks:

    m = LossyMachine(seed)
    write('lossy.data', m.recording)
    m.truth[tid]        # [(since, until, state), ...] in ns
    m.ran[cpu]          # [(since, until, tid), ...]; 0: idle
    m.lost              # [(cpu, since, until), ...]: from a ring's record before to the one behind

Its CPUs have the given numbers.  LOST records report the losses at their ends, or, if counted is
true, as perf does it: LOST_SAMPLES counts all losses, without a time.
"""
import random

import perfdata_writer as pw
from sched_recording import SchedRecording

CPUS = 3
TASKS = range(1, 9)


class LossyMachine:
    def __init__(self, seed, losses=6, steps=3000, placed=True, counted=False, numbers=range(CPUS)):
        self.chance = random.Random(seed)
        self.time, self.events = 1000, []
        self.running = [0] * CPUS
        self.state = dict.fromkeys(TASKS, 'blocked')
        self.since = dict.fromkeys(TASKS, 1000)
        self.truth = {tid: [] for tid in TASKS}
        self.ran, self.on = [[] for _ in range(CPUS)], [(1000, 0)] * CPUS
        for _ in range(steps):
            self.step()
        for tid in TASKS:
            self.enter(tid, '')
        for cpu in range(CPUS):
            self.run(cpu, 0)
        self.end = self.time
        self.lose(losses, placed, counted, numbers)

    def enter(self, tid, state):
        self.truth[tid].append((self.since[tid], self.time, self.state[tid]))
        self.state[tid], self.since[tid] = state, self.time

    def run(self, cpu, tid):
        since, ran = self.on[cpu]
        self.ran[cpu].append((since, self.time, ran))
        self.on[cpu] = self.time, tid

    def step(self):
        chance = self.chance
        self.time += chance.randrange(1, 1000)
        cpu = chance.randrange(CPUS)
        blocked = [tid for tid in TASKS if self.state[tid] == 'blocked']
        waiting = [tid for tid in TASKS if self.state[tid] == 'runnable']
        if chance.random() < .5 and blocked:
            tid = chance.choice(blocked)
            self.enter(tid, 'runnable')
            self.events.append((self.time, cpu, 'waking', self.running[cpu], tid))
            return
        prev = self.running[cpu]
        next = chance.choice(waiting) if waiting else 0
        if not prev and not next:
            return
        state = chance.choice('RSD') if prev else 'R'
        if prev:
            self.enter(prev, 'runnable' if state == 'R' else 'blocked')
        if next:
            self.enter(next, 'running')
        self.running[cpu] = next
        self.run(cpu, next)
        self.events.append((self.time, cpu, 'switch', prev, state, next))

    def lose(self, losses, placed, counted, numbers):
        """Windows of events of one CPU are not there; the first one of each CPU always is, and with
        @placed the last one."""
        gone, self.lost = {}, []
        for _ in range(losses):
            cpu = self.chance.randrange(CPUS)
            own = [n for n, event in enumerate(self.events) if event[1] == cpu]
            at = self.chance.randrange(1, len(own) - 60)
            for n in own[at:at + self.chance.randrange(1, 50)]:
                gone[n] = cpu
        if not placed:
            own = [n for n, event in enumerate(self.events) if event[1] == 0]
            gone.update((n, 0) for n in own[-40:])
        self.recording = r = SchedRecording({tid: f't{tid}' for tid in TASKS}, cpus=max(numbers) + 1)
        count, last = [0] * CPUS, [0] * CPUS
        for n, (time, cpu, kind, *words) in enumerate(self.events):
            if n in gone:
                count[cpu] += 1
                continue
            if count[cpu]:
                r.writer.lost(r.events['sched:sched_switch'], count[cpu], time, numbers[cpu])
                self.lost.append((cpu, last[cpu], time))
            count[cpu], last[cpu] = 0, time
            if kind == 'switch':
                r.switch(time, numbers[cpu], *words)
            else:
                r.waking(time, numbers[cpu], *words, target=numbers[cpu])
        for cpu in range(CPUS):
            if count[cpu]:
                self.lost.append((cpu, last[cpu], self.end))
            if count[cpu] and not counted:
                # As ktrace record does, which has the time of the last record.
                r.writer.lost(r.events['sched:sched_switch'], count[cpu], last[cpu], numbers[cpu])
        if counted:
            r.writer.record(pw.LOST_SAMPLES, r.writer.pack('Q', len(gone)) + r.writer.sample_id(
                r.events['sched:sched_switch'], 0, 0, 0, 0))

    def was(self, tid, since, until):
        """The states in which a task was between these times."""
        return {state for a, b, state in self.truth[tid] if a < until and b > since}

    def has_lost(self, since, until, cpu=None):
        return any(a < until and b > since and cpu in (None, on) for on, a, b in self.lost)
