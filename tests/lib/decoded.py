# SPDX-License-Identifier: GPL-2.0
"""Binary outputs as text that a person can read, decoded by their formats alone. Each function
takes bytes and yields lines; facts that a format lacks have no line."""
import re

import arrow
import parquet
import protobuf

# Messages by the numbers of their fields: a name, and the type of its value: none for a number;
# 'text', 'words' (an index into the table of texts), 'hex', 'signed', 'packed' numbers, or another
# message.
PPROF = {1: ('sample_type', {1: ('type', 'words'), 2: ('unit', 'words')}),
         2: ('sample', {1: ('location_id', 'packed'), 2: ('value', 'packed'),
                        3: ('label', {1: ('key', 'words'), 2: ('str', 'words'), 3: ('num', 'signed')})}),
         3: ('mapping', {1: ('id',), 2: ('start', 'hex'), 3: ('limit', 'hex'), 4: ('offset', 'hex'),
                         5: ('filename', 'words'), 6: ('build_id', 'words'), 7: ('has_functions',)}),
         4: ('location', {1: ('id',), 2: ('mapping_id',), 3: ('address', 'hex'),
                          4: ('line', {1: ('function_id',), 2: ('line',)})}),
         5: ('function', {1: ('id',), 2: ('name', 'words'), 3: ('system_name', 'words'),
                          4: ('filename', 'words'), 5: ('start_line',)}),
         6: ('string_table', 'text'), 9: ('time_nanos',), 10: ('duration_nanos',),
         11: ('period_type', {1: ('type', 'words'), 2: ('unit', 'words')}), 12: ('period',),
         13: ('comment', 'words')}
FIELD = {1: ('name', 'text'), 3: ('str_value', 'text'), 4: ('int_value', 'signed'), 5: ('uint_value',)}
SWITCH = {1: ('prev_comm', 'text'), 2: ('prev_pid',), 3: ('prev_prio',), 4: ('prev_state',),
          5: ('next_comm', 'text'), 6: ('next_pid',), 7: ('next_prio',)}
INTERNED = {1: ('iid',), 2: ('str', 'text')}
PERFETTO = {1: ('packet', {
    1: ('ftrace_events', {1: ('cpu',), 2: ('event', {
        1: ('timestamp',), 2: ('pid',), 4: ('sched_switch', SWITCH),
        327: ('generic', {1: ('event_name', 'text'), 2: ('field', FIELD)})}), 3: ('lost_events',)}),
    2: ('process_tree', {1: ('process', {1: ('pid',), 2: ('ppid',), 3: ('cmdline', 'text')}),
                         2: ('thread', {1: ('tid',), 2: ('name', 'text'), 3: ('tgid',)})}),
    6: ('clock_snapshot', {1: ('clock', {1: ('clock_id',), 2: ('timestamp',)})}),
    8: ('timestamp',), 10: ('sequence_id',), 13: ('sequence_flags',),
    12: ('interned_data', {
        5: ('function_name', INTERNED), 17: ('mapping_path', INTERNED),
        6: ('frame', {1: ('iid',), 2: ('function_id',), 3: ('mapping_id',), 4: ('rel_pc', 'hex')}),
        7: ('callstack', {1: ('iid',), 2: ('frame_id',)}),
        19: ('mapping', {1: ('iid',), 7: ('path_id',)})}),
    59: ('defaults', {12: ('perf_sample', {1: ('timebase', {1: ('frequency',), 2: ('period',),
                                                            10: ('name', 'text')})})}),
    66: ('perf_sample', {1: ('cpu',), 2: ('pid',), 3: ('tid',), 4: ('callstack_id',), 5: ('cpu_mode',),
                         6: ('timebase_count',), 17: ('kernel_records_lost',)})})}


def message(data, schema, words=()):
    """A field without a name has its number, and the numbers of its bytes."""
    for number, value in protobuf.fields(data):
        name, kind = (*schema.get(number, (f'field {number}',)), None)[:2]
        if isinstance(kind, dict):
            inner = list(message(value, kind, words))
            short = f'{name} {{{", ".join(inner)}}}'
            if len(short) <= 100 and not any(line.endswith('{') for line in inner):
                yield short
            else:
                yield f'{name} {{'
                yield from ('    ' + line for line in inner)
                yield '}'
            continue
        if kind == 'packed':
            value = list(protobuf.packed(value)) if isinstance(value, bytes) else [value]
        elif isinstance(value, bytes):
            value = repr(value.decode()) if kind == 'text' else value.hex(' ')
        elif kind == 'words':
            value = repr(words[value])
        elif kind == 'hex':
            value = f'{value:#x}'
        elif kind == 'signed':
            value = protobuf.signed(value)
        yield f'{name} {value}'


def of_pprof(data):
    words = [text.decode() for text in protobuf.all_of(data, 6)]
    return message(data, PPROF, words)


def of_perfetto(data):
    return message(data, PERFETTO)


def table(types, rows, groups):
    yield from (f'column {name}: {kind}' for name, kind in types.items())
    for group in groups:
        yield f'batch: {group}'
    for row in rows:
        yield 'row: ' + ', '.join(f'{name}={value!r}' for name, value in row.items() if value is not None)


def of_arrow_file(data):
    types, rows, sizes = arrow.read_file(data)
    return table(types, rows, [f'{size} rows' for size in sizes])


def of_arrow_stream(data):
    types, rows, sizes = arrow.read_stream(data)
    return table(types, rows, [f'{size} rows' for size in sizes])


def of_parquet(data):
    """The number of bytes depends on the version of zstd, the contents do not."""
    types, rows, groups = parquet.read_file(data)
    found = []
    for group in groups:
        found.append(f'{group["rows"]} rows')
        found += [f'{name}: {low!r} to {high!r}, {nulls} empty' for name, (low, high, nulls) in
                  group['ranges'].items() if nulls < group['rows']]
    return table(types, rows, found)


class Ctf:
    """Streams of CTF 1.8 by their metadata, as ktrace export writes them: all is aligned to
    bytes."""

    STRUCT = re.compile(r'([\w.]+) := struct \{([^}]*)\}', re.S)

    def __init__(self, metadata):
        self.kinds = {m[3]: (int(m[1]), m[2] == 'true', 'base = hex' in m[0]) for m in re.finditer(
            r'typealias integer \{ size = (\d+);.*?signed = (\w+);[^}]*\} := (\w+);', metadata)}
        structs = {m[1]: self.members(m[2]) for m in self.STRUCT.finditer(metadata)}
        self.packet = structs['packet.header'] + structs['packet.context']
        self.head = structs['event.header'] + structs['event.context']
        self.events = [(m[1], self.members(m[2])) for m in re.finditer(
            r'event \{\s*name = "(.*?)";.*?fields := struct \{([^}]*)\}', metadata, re.S)]

    @staticmethod
    def members(text):
        return [re.fullmatch(r'(\w+) (\w+)(?:\[(\w+)\])?', part.strip()).groups()
                for part in text.split(';') if part.strip()]

    def take(self, kind):
        if kind == 'string':
            end = self.data.index(b'\0', self.at)
            value, self.at = self.data[self.at:end].decode(), end + 1
            return repr(value)
        bits, signed, is_hex = self.kinds[kind]
        value = int.from_bytes(self.data[self.at:self.at + bits // 8], 'little', signed=signed)
        self.at += bits // 8
        return f'{value:#x}' if is_hex else value

    def struct(self, members):
        values = {}
        for kind, name, size in members:
            if size is None:
                values[name] = self.take(kind)
            else:
                nr = values[size] if size in values else int(size)
                values[name] = '[' + ', '.join(str(self.take(kind)) for _ in range(nr)) + ']'
        return values

    @staticmethod
    def line(values):
        return ', '.join(f'{name}={value}' for name, value in values.items())

    def stream(self, data):
        self.data, self.at = data, 0
        while self.at < len(data):
            start = self.at
            packet = self.struct(self.packet)
            yield 'packet: ' + self.line(packet)
            while self.at < start + packet['content_size'] // 8:
                head = self.struct(self.head)
                name, members = self.events[head.pop('id')]
                yield f'    {name}: ' + self.line({**head, **self.struct(members)})
            if packet['content_size'] % 8 or self.at != start + packet['content_size'] // 8:
                raise ValueError('a packet has another size than it says')
            self.at = start + packet['packet_size'] // 8


def of_ctf_stream(data, metadata):
    return Ctf(metadata).stream(data)


DECODERS = {'.pb': of_pprof, '.pftrace': of_perfetto, '.arrow': of_arrow_file,
            '.arrows': of_arrow_stream, '.parquet': of_parquet}
