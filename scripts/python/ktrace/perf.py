# SPDX-License-Identifier: GPL-2.0
"""Events of perf_event, counted and read in this process, in the words of perf's binding.

    from ktrace import perf

    events = perf.parse_events('page-faults', perf.cpu_map(), perf.thread_map(pid))
    events.open()
    print(sum(events[0].read(cpu, thread).val
              for cpu in events[0].cpus() for thread in events[0].threads()))

Documentation/ktrace-python-module.rst is the manual."""

from ktrace._ktrace import perf as _perf

__all__ = [name for name in vars(_perf) if not name.startswith('_')]
globals().update({name: getattr(_perf, name) for name in __all__})
