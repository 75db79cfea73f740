# SPDX-License-Identifier: GPL-2.0
"""Hardware samples as objects, told apart by the size of their raw data."""
import struct

EVTYPE_GENERIC = 0
EVTYPE_PEBS = 1         # basic PEBS record
EVTYPE_PEBS_LL = 2      # PEBS with load latency
EVTYPE_IBS = 3

_PEBS_SIZE = 144
_PEBS_LL_SIZE = 176


def create_event(name, comm, dso, symbol, raw_buf):
    kind = {_PEBS_SIZE: PebsEvent, _PEBS_LL_SIZE: PebsNHM}.get(len(raw_buf), PerfEvent)
    return kind(name, comm, dso, symbol, raw_buf)


class PerfEvent:
    event_num = 0

    def __init__(self, name, comm, dso, symbol, raw_buf, ev_type=EVTYPE_GENERIC):
        self.name = name
        self.comm = comm
        self.dso = dso
        self.symbol = symbol
        self.raw_buf = raw_buf
        self.ev_type = ev_type
        PerfEvent.event_num += 1

    def show(self):
        print('PMU event: name=%12s, symbol=%24s, comm=%8s, dso=%12s' %
              (self.name, self.symbol, self.comm, self.dso))


class PebsEvent(PerfEvent):
    """The registers of a basic PEBS record."""
    pebs_num = 0

    def __init__(self, name, comm, dso, symbol, raw_buf, ev_type=EVTYPE_PEBS):
        super().__init__(name, comm, dso, symbol, raw_buf, ev_type)
        (self.flags, self.ip, self.ax, self.bx, self.cx, self.dx,
         self.si, self.di, self.bp, self.sp) = struct.unpack_from('10Q', raw_buf)
        PebsEvent.pebs_num += 1


class PebsNHM(PebsEvent):
    """A PEBS record of Nehalem and later, with the address and latency of a load."""
    pebs_nhm_num = 0

    def __init__(self, name, comm, dso, symbol, raw_buf, ev_type=EVTYPE_PEBS_LL):
        super().__init__(name, comm, dso, symbol, raw_buf, ev_type)
        self.status, self.dla, self.dse, self.lat = struct.unpack_from('4Q', raw_buf, _PEBS_SIZE)
        PebsNHM.pebs_nhm_num += 1
