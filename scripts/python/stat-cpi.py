# SPDX-License-Identifier: GPL-2.0
"""How many cycles an instruction took, in each interval of `ktrace stat record -I`."""
import sys
from collections import defaultdict

if len(sys.argv) > 1:
    sys.exit('usage: %s' % sys.argv[0])

counts = defaultdict(lambda: defaultdict(int))      # (cpu, thread): {event: count}, of one interval


def counting(event):
    def count(cpu, thread, time, value, enabled, running):
        counts[cpu, thread][event] += value
    return count


# stat__cycles, stat__cycles_k, stat__instructions_u and so on
for event in 'cycles', 'instructions':
    for modifier in '', '_k', '_u':
        globals()['stat__' + event + modifier] = counting(event)


def stat__interval(time):
    for (cpu, thread), count in counts.items():
        cycles, instructions = count['cycles'], count['instructions']
        print('%15f: cpu %d, thread %d -> cpi %f (%d/%d)' % (
            time / 1e9, cpu, thread, cycles / instructions if instructions else 0, cycles, instructions))
    counts.clear()
