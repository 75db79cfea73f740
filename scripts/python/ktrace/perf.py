# SPDX-License-Identifier: GPL-2.0
"""Events of perf_event, counted and read in this process, and recordings, with the interface of
perf's binding.

    from ktrace import perf

    events = perf.parse_events('page-faults', perf.cpu_map(), perf.thread_map(pid))
    events.open()
    print(sum(events[0].read(cpu, thread).val
              for cpu in events[0].cpus() for thread in events[0].threads()))

    perf.session(perf.data('perf.data'), sample=lambda event: print(event.evsel)).process_events()

Documentation/ktrace-python-module.rst is the manual."""

import os as _os

from ktrace._ktrace import perf as _perf

__all__ = [name for name in vars(_perf) if not name.startswith('_')]
globals().update({name: getattr(_perf, name) for name in __all__})
__all__ += ['branch_stack', 'callchain', 'metrics', 'parse_metrics', 'pmu', 'pmus']

# The types of sample_event.callchain and .brstack: lists of callchain_node, and of branch_entry.
callchain = branch_stack = tuple

_DEVICES = '/sys/bus/event_source/devices'
# Suffixes of further files of an event.
_BESIDE = '.scale', '.unit', '.per-pkg', '.snapshot'


def _text(*path):
    """The first line of a file in sysfs; '': there is no such file."""
    try:
        with open(_os.path.join(*path), encoding='utf-8', errors='replace') as file:
            return file.readline().strip()
    except OSError:
        return ''


class pmu:
    """A source of events, described by the kernel in sysfs; pmus() returns them."""

    def __init__(self, name):
        self._name, self._folder = name, _os.path.join(_DEVICES, name)
        if not _os.path.isdir(self._folder):
            raise FileNotFoundError(f'The kernel has no PMU {name}: perf.pmus() gives those that it has')

    def __repr__(self):
        return f'pmu({self._name})'

    def name(self):
        """Its name, as in 'name/event/'."""
        return self._name

    def _is_core(self):
        return self._name == 'cpu' or _os.path.exists(_os.path.join(self._folder, 'cpus'))

    def _event(self, event):
        full, terms = f'{self._name}/{event}/', _text(self._folder, 'events', event)
        found = {'name': event, 'alias': full} if self._is_core() else {'name': full}
        scale, unit = (_text(self._folder, 'events', event + end) for end in ('.scale', '.unit'))
        if scale or unit:
            found['scale_unit'] = f'{float(scale or 1):G}{unit}'
        return {**found, 'encoding_desc': f'{self._name}/{terms}/',
                'event_type_desc': 'Kernel PMU event', 'str': terms}

    def events(self):
        """A list of dicts of strings, by name: 'name', for parse_events(), 'str', 'encoding_desc',
        'event_type_desc', and 'alias' and 'scale_unit' if it has them."""
        try:
            names = sorted(_os.listdir(_os.path.join(self._folder, 'events')))
        except FileNotFoundError:
            return []
        return [self._event(name) for name in names if not name.endswith(_BESIDE)]


def pmus():
    """Iterate over the kernel's PMUs: first those of the CPUs' cores, then by name."""
    found = [pmu(name) for name in _os.listdir(_DEVICES)]
    return iter(sorted(found, key=lambda one: (not one._is_core(), one.name())))


def metrics():
    """perf's tables of the metrics of processors are not available."""
    raise NotImplementedError("The tables of processors' metrics are perf's: 'ktrace stat -M' computes "
                              'those of a file, which --metric-file names')


def parse_metrics(text, pmu=None, cpus=None, threads=None):
    """As metrics()."""
    metrics()
