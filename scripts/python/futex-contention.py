# SPDX-License-Identifier: GPL-2.0
"""Who waited for which futex, how often and how long."""
import os
import sys

sys.path.append(os.environ['PERF_EXEC_PATH'] +
                '/scripts/python/Perf-Trace-Util/lib/Perf/Trace')

from Report import no_arguments, print_table
from Util import FUTEX_CMD_MASK, nsecs

no_arguments()

WAITS = (0, 9, 6)       # FUTEX_WAIT, FUTEX_WAIT_BITSET, FUTEX_LOCK_PI

comms = {}              # tid: comm
waiting = {}            # tid: (address, since)
waits = {}              # (tid, address): [ns]


def syscalls__sys_enter_futex(event_name, context, common_cpu, common_secs, common_nsecs,
                              common_pid, common_comm, common_callchain,
                              nr, uaddr, op, val, utime, uaddr2, val3):
    if op & FUTEX_CMD_MASK in WAITS:
        comms[common_pid] = common_comm
        waiting[common_pid] = (uaddr, nsecs(common_secs, common_nsecs))


def syscalls__sys_exit_futex(event_name, context, common_cpu, common_secs, common_nsecs,
                             common_pid, common_comm, common_callchain, nr, ret):
    if common_pid in waiting:
        uaddr, since = waiting.pop(common_pid)
        waits.setdefault((common_pid, uaddr), []).append(nsecs(common_secs, common_nsecs) - since)


def trace_lost(loss):
    waiting.clear()     # whoever waits now may have begun a second wait


def us(ns):
    return '%.1f' % (ns / 1000)


def trace_end():
    order = sorted(waits, key=lambda key: (-sum(waits[key]), key))
    print_table('futex waits, the longest total first:',
                ['comm', 'tid', 'futex', 'waits', 'total us', 'avg us', 'max us'],
                [16, 8, 16, 8, 13, 11, 11],
                [[comms[tid], tid, '%x' % uaddr, len(waits[tid, uaddr]),
                  us(sum(waits[tid, uaddr])), us(sum(waits[tid, uaddr]) / len(waits[tid, uaddr])),
                  us(max(waits[tid, uaddr]))] for tid, uaddr in order])
    if waiting:
        print()
        print('%d still waited when the recording ended' % len(waiting))
