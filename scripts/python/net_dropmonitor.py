# SPDX-License-Identifier: GPL-2.0
"""Where the kernel dropped network packets, and why."""
import os
import sys

sys.path.append(os.environ['PERF_EXEC_PATH'] +
                '/scripts/python/Perf-Trace-Util/lib/Perf/Trace')

from collections import Counter

from Core import *
from Report import KernelSymbols, by_count, no_arguments, print_table

no_arguments()

drops = Counter()       # (location, reason): count


def skb__kfree_skb(event_name, context, common_cpu, common_secs, common_nsecs,
                   common_pid, common_comm, common_callchain, *fields):
    # The fields are skbaddr, location, [rx_sk,] protocol[, reason], depending on the kernel
    location = fields[1]
    reason = symbol_str(event_name, 'reason', fields[-1]) if len(fields) > 3 else ''
    drops[location, reason] += 1


def trace_end():
    symbols = KernelSymbols()
    print_table('dropped packets:', ['location', 'reason', 'count'], [48, 20, 8],
                [[symbols.describe(location), reason, count]
                 for (location, reason), count in by_count(drops)])
