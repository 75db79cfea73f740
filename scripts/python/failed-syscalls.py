# SPDX-License-Identifier: GPL-2.0
"""Which system calls failed, how often, and with which error."""
import os
import sys

sys.path.append(os.environ['PERF_EXEC_PATH'] +
                '/scripts/python/Perf-Trace-Util/lib/Perf/Trace')

from collections import Counter

from Report import TaskFilter, by_count, print_table
from Util import strerror, syscall_name

tasks = TaskFilter()
failures = Counter()                # (id, ret): count


def raw_syscalls__sys_exit(event_name, context, common_cpu, common_secs, common_nsecs,
                           common_pid, common_comm, common_callchain, id, ret):
    if ret < 0 and tasks.accepts(common_comm, common_pid):
        failures[id, ret] += 1


def trace_end():
    print_table(tasks.title('failed syscalls'), ['syscall', 'error', 'count'], [30, 24, 10],
                [[syscall_name(id), strerror(ret), count]
                 for (id, ret), count in by_count(failures)])
