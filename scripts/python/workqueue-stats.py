# SPDX-License-Identifier: GPL-2.0
"""Statistics of work queues: how long work items wait until a worker starts them, and how long they
run, by function."""
import os
import sys

sys.path.append(os.environ['PERF_EXEC_PATH'] +
                '/scripts/python/Perf-Trace-Util/lib/Perf/Trace')

from Report import KernelSymbols, Latencies, Losses, no_arguments, print_table

no_arguments()

queued = {}         # work: when, ns; removed when it runs
running = {}        # (work, worker's pid): (function, when)
waits, runs = Latencies(), Latencies()      # by function
losses = Losses()


def workqueue__workqueue_queue_work(common_secs, common_nsecs, work):
    queued.setdefault(work, common_secs * 10**9 + common_nsecs)


def workqueue__workqueue_execute_start(common_secs, common_nsecs, common_pid, work, function):
    now = common_secs * 10**9 + common_nsecs
    since = queued.pop(work, None)
    if since is not None:
        waits.add(function, now - since)
    running[work, common_pid] = function, now


def workqueue__workqueue_execute_end(common_secs, common_nsecs, common_pid, work):
    function, since = running.pop((work, common_pid), (None, 0))
    if function is not None:
        runs.add(function, common_secs * 10**9 + common_nsecs - since)


def trace_lost(loss):
    losses.add(loss)
    queued.clear()
    running.clear()


def trace_end():
    symbols = KernelSymbols()
    for title, latencies in (('run time of work items:', runs),
                             ('time from queueing until they run:', waits)):
        print_table(title, ['function'] + Latencies.HEADER, [32] + Latencies.WIDTHS,
                    [[symbols.function(function)] + latencies.row(function)
                     for function in latencies.keys()])
        print()
    losses.print()
