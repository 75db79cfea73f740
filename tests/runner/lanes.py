# SPDX-License-Identifier: GPL-2.0
"""Decides which stage runs when: general lanes, one more than there are CPUs, as a stage waits
now and then, and one for stages that wait most of their time.

A stage whose header says `lane: alone` records all CPUs, or counts values that other processes
would change. No other host stage runs beside it. Guests do, as each has a kernel of its own. One
that says `lane: waits` mostly sleeps, so it takes none of the general lanes."""

import collections
import threading

Job = collections.namedtuple('Job', 'lane call')


class Lanes:
    """@general: how many general lanes there are"""

    def __init__(self, jobs, general):
        self.general = general
        # Stages that run alone come first: the other general lanes have boots meanwhile.
        rank = {'alone': 0, 'boot': 1, 'any': 2, 'waits': 2}
        self.jobs = sorted(jobs, key=lambda job: rank[job.lane])
        self.busy = collections.Counter()       # lane: how many of its jobs run
        self.changed = threading.Condition()
        self.error = None

    def may_run(self, job, waiting):
        """Whether a job may begin now, in the lane for waiting stages or in a general one."""
        if waiting != (job.lane == 'waits'):
            return False
        if job.lane == 'boot':
            # A guest computes all the time: while host stages are left, two lanes are for these.
            others = any(other.lane != 'boot' for other in self.jobs)
            return self.busy['boot'] < max(self.general - (2 if others else 1), 1)
        if job.lane == 'alone':
            return not self.busy['any'] and not self.busy['waits'] and not self.busy['alone']
        return not self.busy['alone']

    def work(self, waiting):
        while True:
            with self.changed:
                while True:
                    job = next((j for j in self.jobs if self.may_run(j, waiting)), None)
                    if job or not any((j.lane == 'waits') == waiting for j in self.jobs):
                        break
                    self.changed.wait()
                if not job:
                    return
                self.jobs.remove(job)
                self.busy[job.lane] += 1
            try:
                job.call()
            except BaseException as error:      # one lane must not hold up the rest
                self.error = error
            finally:
                with self.changed:
                    self.busy[job.lane] -= 1
                    self.changed.notify_all()

    def run(self):
        """Run all jobs; returns when the last one has ended."""
        threads = [threading.Thread(target=self.work, args=(False,)) for _ in range(self.general)]
        threads.append(threading.Thread(target=self.work, args=(True,)))
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        if self.error:
            raise self.error
