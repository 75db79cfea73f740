# SPDX-License-Identifier: GPL-2.0
"""How often each system call was made, system-wide or by one command or pid."""
import os
import sys

sys.path.append(os.environ['PERF_EXEC_PATH'] +
                '/scripts/python/Perf-Trace-Util/lib/Perf/Trace')

from collections import Counter

from Report import TaskFilter, by_count, print_table
from Util import syscall_name

tasks = TaskFilter()
counts = Counter()


def raw_syscalls__sys_enter(event_name, context, common_cpu, common_secs, common_nsecs,
                            common_pid, common_comm, common_callchain, id, args):
    if tasks.accepts(common_comm, common_pid):
        counts[id] += 1


def trace_end():
    print_table(tasks.title('syscall events'), ['event', 'count'], [40, 10],
                [[syscall_name(id), count] for id, count in by_count(counts)])
