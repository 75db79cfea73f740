# SPDX-License-Identifier: GPL-2.0
"""How long woken tasks wait for a CPU: per task, and as a histogram.

    ktrace record -a -e sched:sched_waking -e sched:sched_switch -- sleep 5
    ktrace script -s wakeup-latency.py [comm]

A latency runs from the wakeup of a task (sched_waking, or sched_wakeup and
sched_wakeup_new) to the sched_switch that puts it on a CPU.  Tasks that were
preempted and come back are not waiting for a wakeup and do not count.  `comm`
limits the table to tasks of that name; it may be a pattern ('kworker*').
"""
import fnmatch
import os
import sys
from array import array

sys.path.append(os.environ['PERF_EXEC_PATH'] +
                '/scripts/python/Perf-Trace-Util/lib/Perf/Trace')

from Report import Table, columns_that_fit, us

ROWS = 25           # of the table
BAR = 40            # characters of the longest histogram bar

if len(sys.argv) > 2:
    sys.exit('usage: %s [comm]' % sys.argv[0])
pattern = sys.argv[1] if len(sys.argv) > 1 else None

woken = {}          # pid: when it was woken, ns; removed when it runs
preempted = set()   # pids that were switched out while runnable
latencies = {}      # (comm, pid): array of ns
worst = {}          # (comm, pid): (ns, when it ended)

seen_wakeups = 0
seen_switches = 0
unknown_starts = 0
returns = 0
lost_events = 0
lost_wakeups = 0


def wakeup(secs, nsecs, pid):
    global seen_wakeups
    seen_wakeups += 1
    # waking fires before wakeup: the time of the first one counts
    woken.setdefault(pid, secs * 1000000000 + nsecs)


def sched__sched_waking(event_name, context, common_cpu, common_secs, common_nsecs,
                        common_pid, common_comm, common_callchain,
                        comm, pid, prio, *rest):
    wakeup(common_secs, common_nsecs, pid)


def sched__sched_wakeup(event_name, context, common_cpu, common_secs, common_nsecs,
                        common_pid, common_comm, common_callchain,
                        comm, pid, prio, *rest):
    wakeup(common_secs, common_nsecs, pid)


def sched__sched_wakeup_new(event_name, context, common_cpu, common_secs, common_nsecs,
                            common_pid, common_comm, common_callchain,
                            comm, pid, prio, *rest):
    wakeup(common_secs, common_nsecs, pid)


def sched__sched_switch(event_name, context, common_cpu, common_secs, common_nsecs,
                        common_pid, common_comm, common_callchain,
                        prev_comm, prev_pid, prev_prio, prev_state,
                        next_comm, next_pid, next_prio):
    global seen_switches, unknown_starts, returns
    seen_switches += 1

    # A wakeup of prev while it was running caused no wait.
    woken.pop(prev_pid, None)
    if prev_state & 0xff == 0:
        preempted.add(prev_pid)
    else:
        preempted.discard(prev_pid)

    if next_pid == 0:       # the idle task is never woken
        return
    start = woken.pop(next_pid, None)
    if next_pid in preempted:
        preempted.discard(next_pid)
        returns += 1
        return
    if start is None:
        unknown_starts += 1
        return
    if pattern and not fnmatch.fnmatchcase(next_comm, pattern):
        return

    task = (next_comm, next_pid)
    now = common_secs * 1000000000 + common_nsecs
    latency = now - start
    if task not in latencies:
        latencies[task] = array('Q')
        worst[task] = (-1, 0)
    latencies[task].append(latency)
    if latency > worst[task][0]:
        worst[task] = (latency, now)


def trace_lost(loss):
    """Forget the waiting tasks: events were lost, and these tasks may have run meanwhile."""
    global lost_events, lost_wakeups
    lost_events += loss['lost']
    lost_wakeups += len(woken)
    woken.clear()
    preempted.clear()


def percentile(ordered, part):
    """The smallest value that `part` percent of the values do not exceed."""
    return ordered[max(0, -(-len(ordered) * part // 100) - 1)]


HEADER = ['task', 'pid', 'wakeups', 'avg us', 'p50 us', 'p95 us', 'max us', 'max at s']
WIDTHS = [16, 8, 9, 11, 11, 11, 11, 18]
LEAST = [4, 3, 7]       # columns that a narrow terminal drops first


def row_of(comm, pid, values, when):
    ordered = sorted(values)
    return [comm, pid, len(ordered), us(sum(ordered) / len(ordered)), us(percentile(ordered, 50)),
            us(percentile(ordered, 95)), us(ordered[-1]), when]


def print_table():
    tasks = sorted(latencies, key=lambda task: (-worst[task][0], task))
    everything = array('Q')
    for values in latencies.values():
        everything.extend(values)
    rows = [row_of(*task, latencies[task], '%d.%06d' % (worst[task][1] // 1000000000,
                                                        worst[task][1] % 1000000000 // 1000))
            for task in tasks[:ROWS]]
    rows.append(row_of('all %d tasks' % len(tasks), '', everything, ''))
    table = Table(HEADER, WIDTHS, rows, LEAST, gap=1, indent=2)
    rule = '  ' + '-' * (table.width() - 2)

    print(table.line(HEADER))
    print(rule)
    for row in rows[:-1]:
        print(table.line(row))
    if len(tasks) > ROWS:
        print('  ... and %d tasks with a smaller maximum' % (len(tasks) - ROWS))
    print(rule)
    print(table.line(rows[-1]))
    for note in table.notes():
        print('  ' + note)
    return everything


def print_histogram(values):
    buckets = {}
    for value in values:
        bucket = (value // 1000).bit_length()   # 0: below 1 us, n: below 2**n us
        buckets[bucket] = buckets.get(bucket, 0) + 1
    most = max(buckets.values())
    longest = min(BAR, (columns_that_fit() or 200) - 46)

    print()
    print('  %21s  %9s  %7s' % ('latency in us', 'wakeups', 'share'))
    for bucket in range(min(buckets), max(buckets) + 1):
        count = buckets.get(bucket, 0)
        bar = '#' * max(round(count * longest / most), 1 if count else 0)
        print('  %9d .. %8d  %9d  %5.1f %%  |%s' %
              (2 ** (bucket - 1) if bucket else 0, 2 ** bucket, count,
               100 * count / len(values), bar))


def plural(count, one, many):
    return '%d %s' % (count, one if count == 1 else many)


def print_notes():
    notes = []
    if returns:
        notes.append(plural(returns, 'switch', 'switches') +
                     ' to a preempted task: no wakeup, not counted')
    if unknown_starts:
        notes.append(plural(unknown_starts, 'switch', 'switches') +
                     ' to a task whose wakeup is not in the recording: not counted')
    if woken:
        notes.append(plural(len(woken), 'woken task', 'woken tasks') +
                     ' had not run when the recording ended')
    if lost_events:
        notes.append(plural(lost_events, 'event was', 'events were') +
                     ' lost; %s measured across the gaps' %
                     plural(lost_wakeups, 'wakeup is not', 'wakeups are not'))
    if notes:
        print()
    for note in notes:
        print('  ' + note)


def print_why_empty():
    if not seen_wakeups:
        print('  The recording has no wakeups: record sched:sched_waking or sched:sched_wakeup.')
    elif not seen_switches:
        print('  The recording has no switches: record sched:sched_switch.')
    elif pattern:
        print("  No task named '%s' was woken and then ran." % pattern)
    else:
        print('  No task was woken and then ran: record system-wide (-a), or longer.')


def trace_end():
    print('Wakeup latency: from the wakeup of a task until it runs')
    print()
    if latencies:
        print_histogram(print_table())
    else:
        print_why_empty()
    print_notes()
