# SPDX-License-Identifier: GPL-2.0
"""How often each task made each system call."""
import os
import sys

sys.path.append(os.environ['PERF_EXEC_PATH'] +
                '/scripts/python/Perf-Trace-Util/lib/Perf/Trace')

from collections import Counter, defaultdict

from Report import TaskFilter, by_count, one_line, print_columns, print_table
from Util import syscall_name

tasks = TaskFilter()
counts = defaultdict(Counter)       # (comm, pid): {id: count}


def raw_syscalls__sys_enter(event_name, context, common_cpu, common_secs, common_nsecs,
                            common_pid, common_comm, common_callchain, id, args):
    if tasks.accepts(common_comm, common_pid):
        counts[common_comm, common_pid][id] += 1


def trace_end():
    widths = [40, 10]
    print_table(tasks.title('syscall events by pid'), ['comm [pid]/syscalls', 'count'], widths,
                [])
    for comm, pid in sorted(counts):
        print()
        print('%s [%d]' % (one_line(comm), pid))
        print_columns(widths, [['  ' + syscall_name(id), count]
                               for id, count in by_count(counts[comm, pid])])
