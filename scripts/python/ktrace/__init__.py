# SPDX-License-Identifier: GPL-2.0
"""Kernel events in Python: recordings of ktrace and perf, live sessions, columns.

    import ktrace

    with ktrace.open('perf.data') as recording:
        for event in recording:
            print(event._time, event._comm, event)

    switches = ktrace.open().read('sched:sched_switch', ['_time', 'next_pid'])
    numpy.asarray(switches['next_pid'])

Documentation/ktrace-python-module.rst is the manual."""

from ktrace._ktrace import (Batch, Batches, Column, Events, PerfEvent, Recording, __version__,
                            differences, live, open, tasks)
from ktrace.exported import export
from ktrace.notebook import Page
from ktrace.saved import SavedEvent

__all__ = ['Batch', 'Batches', 'Column', 'Events', 'Page', 'PerfEvent', 'Recording', 'SavedEvent',
           'differences', 'export', 'live', 'open', 'tasks']
