# SPDX-License-Identifier: GPL-2.0
"""Which system calls failed in each task, how often, and with which error."""
import os
import sys

sys.path.append(os.environ['PERF_EXEC_PATH'] +
                '/scripts/python/Perf-Trace-Util/lib/Perf/Trace')

from collections import Counter, defaultdict

from Report import TaskFilter, by_count, one_line, print_columns, print_table
from Util import strerror, syscall_name

tasks = TaskFilter()
failures = defaultdict(Counter)     # (comm, pid): {(id, ret): count}


def raw_syscalls__sys_exit(event_name, context, common_cpu, common_secs, common_nsecs,
                           common_pid, common_comm, common_callchain, id, ret):
    if ret < 0 and tasks.accepts(common_comm, common_pid):
        failures[common_comm, common_pid][id, ret] += 1


def trace_end():
    widths = [30, 24, 10]
    print_table(tasks.title('failed syscalls by pid'),
                ['comm [pid]/syscalls', 'error', 'count'], widths, [])
    for comm, pid in sorted(failures):
        print()
        print('%s [%d]' % (one_line(comm), pid))
        print_columns(widths, [['  ' + syscall_name(id), strerror(ret), count]
                               for (id, ret), count in by_count(failures[comm, pid])])
