# SPDX-License-Identifier: GPL-2.0
"""The kinds of memory at the physical addresses of samples."""
import os
import sys

sys.path.append(os.environ['PERF_EXEC_PATH'] +
                '/scripts/python/Perf-Trace-Util/lib/Perf/Trace')

from bisect import bisect_right
from collections import Counter, defaultdict

from Report import no_arguments

KNOWN = 'System RAM', 'Persistent Memory'

no_arguments()


class PhysicalMemory:
    """The ranges of /proc/iomem: first those of memory, at any level, then those of the outermost
    devices."""

    def __init__(self):
        self.memory, self.others = [], []
        with open('/proc/iomem', encoding='utf-8', errors='replace') as file:
            for line in file:
                addresses, name = line.split(' : ', 1)
                start, end = (int(address, 16) for address in addresses.split('-'))
                row = start, end, name.strip()
                if row[2] in KNOWN:
                    self.memory.append(row)
                elif not line.startswith(' '):
                    self.others.append(row)
        self.starts = {id(rows): [row[0] for row in rows] for rows in (self.memory, self.others)}

    def name(self, address):
        for rows in (self.memory, self.others) if address else ():
            at = bisect_right(self.starts[id(rows)], address) - 1
            if at >= 0 and address <= rows[at][1]:
                return rows[at][2]
        return 'N/A'


memory = PhysicalMemory()
counts = defaultdict(Counter)       # event: {kind: samples}


def process_event(sample):
    counts[sample['ev_name']][memory.name(sample['sample']['phys_addr'])] += 1


def trace_end():
    for event, kinds in counts.items():
        total = sum(kinds.values())
        print('Event: %s' % event)
        print('%-40s  %10s  %10s' % ('Memory type', 'count', 'percentage'))
        print('%-40s  %10s  %10s' % ('-' * 40, '-' * 11, '-' * 11))
        for count, kind in sorted(((count, kind) for kind, count in kinds.items()), reverse=True):
            print('%-40s  %10d  %10.1f%%' % (kind, count, 100 * count / total))
