# SPDX-License-Identifier: GPL-2.0
"""Names for the numbers in events, and the shared code of scripts.

The tables flag_fields and symbolic_fields are filled from the print fmt of an
event before its first handler is called.
"""
from collections import defaultdict


def autodict():
    """A dict whose missing keys become further autodicts."""
    return defaultdict(autodict)


flag_fields = autodict()
symbolic_fields = autodict()


def define_flag_field(event_name, field_name, delim):
    flag_fields[event_name][field_name]['delim'] = delim


def define_flag_value(event_name, field_name, value, field_str):
    flag_fields[event_name][field_name]['values'][value] = field_str


def define_symbolic_field(event_name, field_name):
    symbolic_fields[event_name][field_name]     # makes an entry that has no values yet


def define_symbolic_value(event_name, field_name, value, field_str):
    symbolic_fields[event_name][field_name]['values'][value] = field_str


def _values(table, event_name, field_name):
    """The values of a field. Unlike a lookup, this makes no entries for unknown ones."""
    return table.get(event_name, {}).get(field_name, {}).get('values', {})


def _set_bits(names, value):
    """Names of the bits of value, lowest first; bits without a name are left out."""
    found = []
    for bits in sorted(names):
        if bits and value & bits == bits:
            found.append(names[bits])
            value &= ~bits
    return found


def flag_str(event_name, field_name, value):
    names = _values(flag_fields, event_name, field_name)
    if not value:
        return names.get(0, '')
    delim = flag_fields[event_name][field_name].get('delim') if names else None
    return (' %s ' % delim if delim else '').join(_set_bits(names, value))


def symbol_str(event_name, field_name, value):
    return _values(symbolic_fields, event_name, field_name).get(value, '')


# The names of the bits that common_flags() returns.
trace_flags = {
    0x00: 'NONE',
    0x01: 'IRQS_OFF',
    0x02: 'IRQS_NOSUPPORT',
    0x04: 'NEED_RESCHED',
    0x08: 'HARDIRQ',
    0x10: 'SOFTIRQ',
}


def trace_flag_str(value):
    if not value:
        return trace_flags[0]
    return ' | '.join(_set_bits(trace_flags, value))


def taskState(state):
    return {0: 'R', 1: 'S', 2: 'D', 64: 'DEAD'}.get(state, 'Unknown')


class EventHeaders:
    """The common values of one event, for scripts that keep events."""

    def __init__(self, common_cpu, common_secs, common_nsecs,
                 common_pid, common_comm, common_callchain):
        self.cpu = common_cpu
        self.secs = common_secs
        self.nsecs = common_nsecs
        self.pid = common_pid
        self.comm = common_comm
        self.callchain = common_callchain

    def ts(self):
        """Nanoseconds of the recording's clock."""
        return self.secs * 1000000000 + self.nsecs

    def ts_format(self):
        return '%d.%d' % (self.secs, self.nsecs // 1000)
