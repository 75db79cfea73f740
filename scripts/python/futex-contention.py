# SPDX-License-Identifier: GPL-2.0
"""Who waited for which futex, how often and how long, and who woke whom; with call chains in
the recording (--call-graph dwarf), also in which function, and from where it was called."""
import os
import sys

sys.path.append(os.environ['PERF_EXEC_PATH'] +
                '/scripts/python/Perf-Trace-Util/lib/Perf/Trace')

from collections import Counter

from Report import caller_of, cut, no_arguments, print_table, stack_of, us
from Util import FUTEX_CMD_MASK, nsecs

no_arguments()

LEAST = (5, 2, 3, 7)    # what a narrow terminal lacks first: avg us, futex, waits, woken by
WAITS = (0, 9, 6)       # FUTEX_WAIT, FUTEX_WAIT_BITSET, FUTEX_LOCK_PI
WAKES = (1, 10, 5, 7)   # FUTEX_WAKE, FUTEX_WAKE_BITSET, FUTEX_WAKE_OP, FUTEX_UNLOCK_PI
STACKS = 10             # of so many rows

comms = {}              # tid: comm
waiting = {}            # tid: (address, since)
waits = {}              # (tid, address): [ns]
callers = {}            # (tid, address): the function that waited last
stacks = {}             # (tid, address): Counter of the stacks that waited
last_wake = {}          # address: (tid, ns) of the last call that wakes its waiters
wakers = {}             # (tid, address): Counter of the tids that woke


def syscalls__sys_enter_futex(event_name, context, common_cpu, common_secs, common_nsecs,
                              common_pid, common_comm, common_callchain,
                              nr, uaddr, op, val, utime, uaddr2, val3):
    now = nsecs(common_secs, common_nsecs)
    if op & FUTEX_CMD_MASK in WAKES:
        comms[common_pid] = common_comm
        last_wake[uaddr] = common_pid, now
    if op & FUTEX_CMD_MASK in WAITS:
        comms[common_pid] = common_comm
        waiting[common_pid] = (uaddr, now)
        caller = caller_of(common_callchain)
        if caller:
            callers[common_pid, uaddr] = caller
            stacks.setdefault((common_pid, uaddr), Counter())[stack_of(common_callchain)] += 1


def syscalls__sys_exit_futex(event_name, context, common_cpu, common_secs, common_nsecs,
                             common_pid, common_comm, common_callchain, nr, ret):
    if common_pid in waiting:
        uaddr, since = waiting.pop(common_pid)
        waits.setdefault((common_pid, uaddr), []).append(nsecs(common_secs, common_nsecs) - since)
        waker, when = last_wake.get(uaddr, (0, 0))
        # A wait that fails was ended by nobody.
        if ret == 0 and when >= since:
            wakers.setdefault((common_pid, uaddr), Counter())[waker] += 1


def trace_lost(loss):
    last_wake.clear()
    waiting.clear()     # whoever waits now may have begun a second wait


def most(counter):
    return min(counter, key=lambda item: (-counter[item], item))


def woken_by(key):
    """The task that woke this one most often, and how many others did."""
    if key not in wakers:
        return ''
    tid = most(wakers[key])
    more = len(wakers[key]) - 1
    return '%s/%d%s' % (comms[tid], tid, ' +%d' % more if more else '')


def print_stacks(order):
    print()
    print('where they waited most often:')
    for tid, uaddr in order[:STACKS]:
        if (tid, uaddr) in stacks:
            print()
            print('%s/%d  %x' % (comms[tid], tid, uaddr))
            print('    ' + most(stacks[tid, uaddr]))


def trace_end():
    order = sorted(waits, key=lambda key: (-sum(waits[key]), key))
    rows = [[comms[tid], tid, '%x' % uaddr, len(waits[tid, uaddr]),
             us(sum(waits[tid, uaddr])), us(sum(waits[tid, uaddr]) / len(waits[tid, uaddr])),
             us(max(waits[tid, uaddr])), woken_by((tid, uaddr))] for tid, uaddr in order]
    header = ['comm', 'tid', 'futex', 'waits', 'total us', 'avg us', 'max us', 'woken by']
    widths = [16, 8, 16, 8, 13, 11, 11, 24]
    if callers:
        header, widths = header + ['function'], widths + [24]
        rows = [row + [cut(callers.get(key, ''), 32)] for row, key in zip(rows, order)]
    print_table('futex waits, the longest total first:', header, widths, rows, LEAST)
    if callers:
        print_stacks(order)
    if rows and not callers:
        print()
        print('The functions that waited are known if their call chains were recorded, with')
        print('ktrace script record futex-contention --call-graph dwarf.')
    if waiting:
        print()
        print('%d still waited when the recording ended' % len(waiting))
