# SPDX-License-Identifier: GPL-2.0
"""How long interrupt handlers and softirqs run, and how long a softirq waits from
being raised until it runs."""
import os
import sys

sys.path.append(os.environ['PERF_EXEC_PATH'] +
                '/scripts/python/Perf-Trace-Util/lib/Perf/Trace')

from Core import *
from Report import Latencies, Losses, no_arguments, print_table

no_arguments()

irqs = {}           # (cpu, irq): (name, begin)
raised = {}         # (cpu, vec): when it was first raised
entered = {}        # (cpu, vec): when it began
handlers, softirqs, waits = Latencies(), Latencies(), Latencies()
names = {}          # vec: its name
losses = Losses()


def irq__irq_handler_entry(common_cpu, common_secs, common_nsecs, irq, name):
    irqs[common_cpu, irq] = name, common_secs * 10**9 + common_nsecs


def irq__irq_handler_exit(common_cpu, common_secs, common_nsecs, irq):
    name, since = irqs.pop((common_cpu, irq), (None, 0))
    if name is not None:
        handlers.add('%d %s' % (irq, name), common_secs * 10**9 + common_nsecs - since)


def irq__softirq_raise(common_cpu, common_secs, common_nsecs, vec):
    raised.setdefault((common_cpu, vec), common_secs * 10**9 + common_nsecs)


def irq__softirq_entry(event_name, common_cpu, common_secs, common_nsecs, vec):
    now = common_secs * 10**9 + common_nsecs
    if vec not in names:
        names[vec] = symbol_str(event_name, 'vec', vec) or str(vec)
    since = raised.pop((common_cpu, vec), None)
    if since is not None:
        waits.add(names[vec], now - since)
    entered[common_cpu, vec] = now


def irq__softirq_exit(common_cpu, common_secs, common_nsecs, vec):
    since = entered.pop((common_cpu, vec), None)
    if since is not None:
        softirqs.add(names[vec], common_secs * 10**9 + common_nsecs - since)


def trace_lost(loss):
    losses.add(loss)
    irqs.clear()
    raised.clear()
    entered.clear()


def trace_end():
    for title, what, latencies in (('run time of interrupt handlers:', 'interrupt', handlers),
                                   ('run time of softirqs:', 'softirq', softirqs),
                                   ('time from raising a softirq until it runs:', 'softirq', waits)):
        print_table(title, [what] + Latencies.HEADER, [24] + Latencies.WIDTHS,
                    [[key] + latencies.row(key) for key in latencies.keys()])
        print()
    losses.print()
