# SPDX-License-Identifier: GPL-2.0
"""Where the kernel dropped network packets, and why."""
import os
import sys

sys.path.append(os.environ['PERF_EXEC_PATH'] +
                '/scripts/python/Perf-Trace-Util/lib/Perf/Trace')

from bisect import bisect_right
from collections import Counter

from Core import *
from Report import by_count, print_table

drops = Counter()       # (location, reason): count


def skb__kfree_skb(event_name, context, common_cpu, common_secs, common_nsecs,
                   common_pid, common_comm, common_callchain, *fields):
    # skbaddr, location, [rx_sk,] protocol[, reason]: by kernel
    location = fields[1]
    reason = symbol_str(event_name, 'reason', fields[-1]) if len(fields) > 3 else ''
    drops[location, reason] += 1


def read_kernel_symbols():
    """(address, name) of this machine's kernel, ascending; none without the right to see them."""
    symbols = []
    with open('/proc/kallsyms') as f:
        for line in f:
            address, kind, name = line.split()[:3]
            if kind in 'tT':
                symbols.append((int(address, 16), name))
    symbols.sort()
    return symbols if symbols and symbols[-1][0] else []


def describe(symbols, address):
    at = bisect_right(symbols, (address, '\uffff')) - 1
    if at < 0:
        return '%#x' % address
    return '%s+%#x' % (symbols[at][1], address - symbols[at][0])


def trace_end():
    symbols = read_kernel_symbols()
    print_table('dropped packets:', ['location', 'reason', 'count'], [48, 20, 8],
                [[describe(symbols, location), reason, count]
                 for (location, reason), count in by_count(drops)])
