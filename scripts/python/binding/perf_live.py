# SPDX-License-Identifier: GPL-2.0
"""Samples as they happen, for scripts that import the module of this name of perf's scripts."""

import perf

# Of one CPU, before another one gets its turn.
_AT_ONCE = 1000


class LiveSession:
    """Give function(event) each sample of events, which are as those of -e, on all CPUs."""

    def __init__(self, event_string, sample_callback):
        self.event_string, self.sample_callback = event_string, sample_callback
        self.cpus = perf.cpu_map()
        self.evlist = perf.parse_events(event_string, self.cpus)
        self.evlist.config()

    def _read(self, cpu):
        for _ in range(_AT_ONCE):
            event = self.evlist.read_on_cpu(cpu)
            if event is None:
                return
            if event.type == perf.RECORD_SAMPLE:
                self.sample_callback(event)

    def run(self):
        """Return upon ^C."""
        try:
            self.evlist.open()
            self.evlist.mmap()
            self.evlist.enable()
            while True:
                self.evlist.poll(100)
                for cpu in self.cpus:
                    self._read(cpu)
        except KeyboardInterrupt:
            pass
        finally:
            self.evlist.close()
