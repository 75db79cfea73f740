# SPDX-License-Identifier: GPL-2.0
"""System calls by count, live: a new table every 3 or INTERVAL seconds."""
import os
import sys

sys.path.append(os.environ['PERF_EXEC_PATH'] +
                '/scripts/python/Perf-Trace-Util/lib/Perf/Trace')

from collections import Counter

from Report import by_count, every, print_table, rows_that_fit, top_arguments
from Util import clear_term, syscall_name

tasks, interval = top_arguments()
counts = Counter()


def show():
    global counts
    shown, counts = counts, Counter()
    clear_term()
    print_table(tasks.title('syscall events'), ['event', 'count'], [40, 10],
                [[syscall_name(id), count] for id, count in by_count(shown)[:rows_that_fit()]])
    sys.stdout.flush()


def trace_begin():
    every(interval, show)


def raw_syscalls__sys_enter(event_name, context, common_cpu, common_secs, common_nsecs,
                            common_pid, common_comm, common_callchain, id, args):
    if tasks.accepts(common_comm, common_pid):
        counts[id] += 1


def trace_end():
    show()
