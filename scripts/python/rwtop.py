# SPDX-License-Identifier: GPL-2.0
"""Reads and writes of each task, live: a new table every 3 or INTERVAL seconds."""
import os
import sys

sys.path.append(os.environ['PERF_EXEC_PATH'] +
                '/scripts/python/Perf-Trace-Util/lib/Perf/Trace')

from collections import Counter

from Report import every, print_table, rows_that_fit, top_arguments
from Util import clear_term

tasks, interval = top_arguments()
read, written = Counter(), Counter()        # (comm, pid): bytes
calls = Counter()


def show():
    global read, written, calls
    now, read, written, calls = (read, written, calls), Counter(), Counter(), Counter()
    order = sorted(now[2], key=lambda task: (-now[0][task] - now[1][task], task))
    clear_term()
    print_table(tasks.title('reads and writes'),
                ['comm', 'pid', 'calls', 'read bytes', 'written bytes'], [16, 8, 10, 14, 14],
                [[*task, now[2][task], now[0][task], now[1][task]] for task in order[:rows_that_fit()]])
    sys.stdout.flush()


def trace_begin():
    every(interval, show)


def count(moved, comm, pid, ret):
    if tasks.accepts(comm, pid):
        calls[comm, pid] += 1
        moved[comm, pid] += max(ret, 0)


def syscalls__sys_exit_read(event_name, context, common_cpu, common_secs, common_nsecs,
                            common_pid, common_comm, common_callchain, nr, ret):
    count(read, common_comm, common_pid, ret)


def syscalls__sys_exit_write(event_name, context, common_cpu, common_secs, common_nsecs,
                             common_pid, common_comm, common_callchain, nr, ret):
    count(written, common_comm, common_pid, ret)


def trace_end():
    show()
