# SPDX-License-Identifier: GPL-2.0
"""Who waited for which futex, how often and how long; with call chains in
the recording (--call-graph dwarf), also in which function."""
import os
import sys

sys.path.append(os.environ['PERF_EXEC_PATH'] +
                '/scripts/python/Perf-Trace-Util/lib/Perf/Trace')

from Report import caller_of, cut, no_arguments, print_table, us
from Util import FUTEX_CMD_MASK, nsecs

no_arguments()

LEAST = (5, 2, 3)       # the columns that a narrow terminal lacks first: avg us, futex, waits
WAITS = (0, 9, 6)       # FUTEX_WAIT, FUTEX_WAIT_BITSET, FUTEX_LOCK_PI

comms = {}              # tid: comm
waiting = {}            # tid: (address, since)
waits = {}              # (tid, address): [ns]
callers = {}            # (tid, address): the function that waited last


def syscalls__sys_enter_futex(event_name, context, common_cpu, common_secs, common_nsecs,
                              common_pid, common_comm, common_callchain,
                              nr, uaddr, op, val, utime, uaddr2, val3):
    if op & FUTEX_CMD_MASK in WAITS:
        comms[common_pid] = common_comm
        waiting[common_pid] = (uaddr, nsecs(common_secs, common_nsecs))
        caller = caller_of(common_callchain)
        if caller:
            callers[common_pid, uaddr] = caller


def syscalls__sys_exit_futex(event_name, context, common_cpu, common_secs, common_nsecs,
                             common_pid, common_comm, common_callchain, nr, ret):
    if common_pid in waiting:
        uaddr, since = waiting.pop(common_pid)
        waits.setdefault((common_pid, uaddr), []).append(nsecs(common_secs, common_nsecs) - since)


def trace_lost(loss):
    waiting.clear()     # whoever waits now may have begun a second wait


def trace_end():
    order = sorted(waits, key=lambda key: (-sum(waits[key]), key))
    rows = [[comms[tid], tid, '%x' % uaddr, len(waits[tid, uaddr]),
             us(sum(waits[tid, uaddr])), us(sum(waits[tid, uaddr]) / len(waits[tid, uaddr])),
             us(max(waits[tid, uaddr]))] for tid, uaddr in order]
    header = ['comm', 'tid', 'futex', 'waits', 'total us', 'avg us', 'max us']
    widths = [16, 8, 16, 8, 13, 11, 11]
    if callers:
        header, widths = header + ['function'], widths + [24]
        rows = [row + [cut(callers.get(key, ''), 32)] for row, key in zip(rows, order)]
    print_table('futex waits, the longest total first:', header, widths, rows, LEAST)
    if rows and not callers:
        print()
        print('The functions that waited are known if their call chains were recorded, with')
        print('ktrace script record futex-contention --call-graph dwarf.')
    if waiting:
        print()
        print('%d still waited when the recording ended' % len(waiting))
