# SPDX-License-Identifier: GPL-2.0
"""Migrations of tasks between CPUs, as text: how often, from where and to where; and the share of
the time for which each CPU was busy."""
import os
import sys

sys.path.append(os.environ['PERF_EXEC_PATH'] +
                '/scripts/python/Perf-Trace-Util/lib/Perf/Trace')

from collections import Counter
from Report import Losses, TaskFilter, by_count, print_table

ROWS = 30

task = TaskFilter()
moves = Counter()       # (comm, pid): count
matrix = Counter()      # (from, to): count
switches = Counter()    # cpu: count
busy, since = {}, {}     # by cpu: ns, when
first, last = {}, {}    # by cpu: ns
losses = Losses()


def sched__sched_migrate_task(comm, pid, orig_cpu, dest_cpu):
    if not task.accepts(comm, pid):
        return
    moves[comm, pid] += 1
    matrix[orig_cpu, dest_cpu] += 1


def sched__sched_switch(common_cpu, common_secs, common_nsecs, prev_pid, next_pid):
    now = common_secs * 10**9 + common_nsecs
    switches[common_cpu] += 1
    if common_cpu in since and prev_pid:
        busy[common_cpu] = busy.get(common_cpu, 0) + now - since[common_cpu]
    first.setdefault(common_cpu, now)
    since[common_cpu] = last[common_cpu] = now


def trace_lost(loss):
    losses.add(loss)
    since.clear()


def trace_end():
    cpus = sorted({cpu for pair in matrix for cpu in pair} | set(switches))
    print_table(task.title('migrations by task'), ['task', 'pid', 'count'], [16, 8, 8],
                [[comm, pid, count] for (comm, pid), count in by_count(moves)[:ROWS]])
    if len(moves) > ROWS:
        print('... and %d tasks with fewer' % (len(moves) - ROWS))
    print('%d migrations of %d tasks' % (sum(moves.values()), len(moves)))
    print()
    print_table('migrations from (rows) to (columns):', ['CPU'] + cpus, [4] + [8] * len(cpus),
                [[cpu] + [matrix[cpu, to] or '.' for to in cpus] for cpu in cpus])
    print()
    print_table('CPUs:', ['CPU', 'switches', 'busy %'], [4, 10, 8],
                [[cpu, switches[cpu],
                  '%.1f' % (100 * busy.get(cpu, 0) / max(last[cpu] - first[cpu], 1))]
                 for cpu in cpus if cpu in first])
    losses.print()
