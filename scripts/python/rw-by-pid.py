# SPDX-License-Identifier: GPL-2.0
"""Reads and writes of each task: calls, requested and transferred bytes, errors."""
import os
import sys

sys.path.append(os.environ['PERF_EXEC_PATH'] +
                '/scripts/python/Perf-Trace-Util/lib/Perf/Trace')

from collections import Counter

from Report import TaskFilter, by_count, print_table
from Util import strerror

tasks = TaskFilter()


class Direction:
    """The read() or the write() calls."""

    def __init__(self):
        self.calls = Counter()      # (comm, pid): how many
        self.asked = Counter()      # bytes
        self.moved = Counter()
        self.errors = Counter()     # (comm, pid, errno): how many

    def enter(self, comm, pid, count):
        if tasks.accepts(comm, pid):
            self.calls[comm, pid] += 1
            self.asked[comm, pid] += count

    def leave(self, comm, pid, ret):
        if not tasks.accepts(comm, pid):
            return
        if ret >= 0:
            self.moved[comm, pid] += ret
        else:
            self.errors[comm, pid, ret] += 1

    def print(self, title, moved):
        print_table(tasks.title(title), ['comm', 'pid', 'calls', 'asked bytes', moved, 'errors'],
                    [16, 8, 10, 14, 14, 8], [self.row(task) for task in self.order()])
        if self.errors:
            print()
            print_table('failed ' + title + ':', ['comm', 'pid', 'error', 'count'],
                        [16, 8, 20, 8],
                        [[comm, pid, strerror(ret), count]
                         for (comm, pid, ret), count in by_count(self.errors)])

    def order(self):
        return sorted(self.calls | self.moved,
                      key=lambda task: (-self.moved[task], -self.calls[task], task))

    def row(self, task):
        failed = sum(count for key, count in self.errors.items() if key[:2] == task)
        return [*task, self.calls[task], self.asked[task], self.moved[task], failed]


reads = Direction()
writes = Direction()


def syscalls__sys_enter_read(event_name, context, common_cpu, common_secs, common_nsecs,
                             common_pid, common_comm, common_callchain, nr, fd, buf, count):
    reads.enter(common_comm, common_pid, count)


def syscalls__sys_exit_read(event_name, context, common_cpu, common_secs, common_nsecs,
                            common_pid, common_comm, common_callchain, nr, ret):
    reads.leave(common_comm, common_pid, ret)


def syscalls__sys_enter_write(event_name, context, common_cpu, common_secs, common_nsecs,
                              common_pid, common_comm, common_callchain, nr, fd, buf, count):
    writes.enter(common_comm, common_pid, count)


def syscalls__sys_exit_write(event_name, context, common_cpu, common_secs, common_nsecs,
                             common_pid, common_comm, common_callchain, nr, ret):
    writes.leave(common_comm, common_pid, ret)


def trace_end():
    reads.print('reads by pid', 'read bytes')
    print()
    writes.print('writes by pid', 'written bytes')
