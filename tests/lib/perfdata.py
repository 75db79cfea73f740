# SPDX-License-Identifier: GPL-2.0
"""Reads perf.data, without a line of ktrace's or perf's code: tests count and compare with it.

    data = PerfData('perf.data')
    for record in data.records():
        if record.type == SAMPLE:
            sample = data.sample(record)
            print(sample.event.name, sample.time, sample.raw)

Files and pipes; numbers in the byte order of this machine; no compression.
"""

import collections
import struct

MMAP, LOST, COMM, EXIT, FORK, SAMPLE, MMAP2 = 1, 2, 3, 4, 7, 9, 10
HEADER_ATTR, TRACING_DATA, FINISHED_ROUND, EVENT_UPDATE, FEATURE = 64, 66, 68, 78, 80
COMPRESSED = 81

# Bits of perf_event_attr.sample_type, in the order of the fields in a sample.
IP, TID, TIME, ADDR, READ, CALLCHAIN, ID, CPU, PERIOD, STREAM_ID, RAW = (
    1 << n for n in range(11))
IDENTIFIER = 1 << 16

# These stand in a table of our own after that of the features; in old files they are bits
# of the header.
FEATURE_KTRACE, FEATURE_KTRACE_INDEX = 200, 201
OWN_MAGIC = b'KTRACEXT'
CHUNK_SCHEMA, CHUNK_EVENT, CHUNK_LEDGER, CHUNK_CLOCK, CHUNK_FIELDS = 1, 2, 3, 4, 5

Record = collections.namedtuple('Record', 'type misc body offset')
Sample = collections.namedtuple('Sample', 'event id ip pid tid time addr cpu period callchain raw')
Lost = collections.namedtuple('Lost', 'id lost reason first last')
Slot = collections.namedtuple('Slot', 'number offset size type name')
LedgerRow = collections.namedtuple(
    'LedgerRow', 'event cpu proof recorded filtered out_of_scope lost')


class Damaged(Exception):
    """Raised if the file is not in the format."""


class Event:
    def __init__(self, attr, ids):
        self.attr = attr
        self.type, self.size, self.config, self.period, self.sample_type, self.read_format = (
            struct.unpack_from('<IIQQQQ', attr))
        self.sample_id_all = bool(struct.unpack_from('<Q', attr, 40)[0] >> 18 & 1)
        self.ids = ids
        self.name = None
        self.common_fields = 0
        self.common_slots = []


class PerfData:
    def __init__(self, path):
        with open(path, 'rb') as f:
            self.bytes = f.read()
        self.events = []
        self.features = {}
        self.ledger = []
        self.clocks = []
        self.formats = {}       # id -> (system, text)
        magic, size = struct.unpack_from('<8sQ', self.bytes)
        if magic != b'PERFILE2':
            raise Damaged('magic ' + repr(magic))
        self.is_pipe = size == 16
        if self.is_pipe:
            self.start, self.end = 16, len(self.bytes)
            self._read_pipe()
        else:
            self._read_file()
        self.by_id = {i: e for e in self.events for i in e.ids}

    # -- headers

    def _read_file(self):
        entry, attrs_at, attrs_size, self.start, size = struct.unpack_from('<5Q', self.bytes, 16)
        self.end = self.start + size
        for at in range(attrs_at, attrs_at + attrs_size, entry):
            ids_at, ids_size = struct.unpack_from('<QQ', self.bytes, at + entry - 16)
            self.events.append(Event(self.bytes[at:at + entry - 16], list(
                struct.unpack_from(f'<{ids_size // 8}Q', self.bytes, ids_at))))
        at = self.end
        bits = struct.unpack_from('<4Q', self.bytes, 72)
        for bit in range(256):
            if bits[bit // 64] >> bit % 64 & 1:
                offset, size = struct.unpack_from('<QQ', self.bytes, at)
                at += 16
                self._take_feature(bit, self.bytes[offset:offset + size])
        self.own_at = at        # our own table, after that of the features
        if self.bytes[at:at + 8] == OWN_MAGIC:
            for i, bit in enumerate((FEATURE_KTRACE, FEATURE_KTRACE_INDEX)):
                offset, size = struct.unpack_from('<QQ', self.bytes, at + 8 + 16 * i)
                if offset:
                    self._take_feature(bit, self.bytes[offset:offset + size])

    def _read_pipe(self):
        for record in self.records():
            if record.type == HEADER_ATTR:
                size = struct.unpack_from('<I', record.body, 4)[0]
                ids = record.body[size:]
                self.events.append(Event(record.body[:size], list(
                    struct.unpack(f'<{len(ids) // 8}Q', ids))))
            elif record.type == FEATURE:
                self._take_feature(struct.unpack_from('<Q', record.body)[0], record.body[8:])
            elif record.type == TRACING_DATA:
                size = struct.unpack_from('<I', record.body)[0]
                self._take_tracing_data(self.bytes[record.offset + 16:record.offset + 16 + size])
            elif record.type == EVENT_UPDATE:
                self._take_update(record.body)

    def _take_update(self, body):
        kind, id_ = struct.unpack_from('<QQ', body)
        if kind != 2:
            return
        name = body[16:].split(b'\0')[0]
        for event in self.events:
            if id_ in event.ids:
                event.name = name.decode()
        self._take_chunks(body[16 + (len(name) + 8 & ~7):])

    def _take_feature(self, bit, data):
        self.features[bit] = data
        if bit == 1:
            self._take_tracing_data(data)
        elif bit == 12:
            self._take_names(data)
        elif bit == FEATURE_KTRACE:
            self._take_chunks(data)

    def _take_names(self, data):
        nr, attr_size = struct.unpack_from('<II', data)
        at = 8
        for event in self.events[:nr]:
            at += attr_size
            nr_ids, size = struct.unpack_from('<II', data, at)
            event.name = data[at + 8:at + 8 + size].split(b'\0')[0].decode()
            at += 8 + size + 8 * nr_ids

    def _take_tracing_data(self, data):
        at = data.index(b'\0', 10) + 1 + 1 + 1 + 4

        def number(form):
            nonlocal at
            value = struct.unpack_from(form, data, at)[0]
            at += struct.calcsize(form)
            return value

        def word():
            nonlocal at
            end = data.index(b'\0', at)
            text = data[at:end].decode()
            at = end + 1
            return text

        def text():
            nonlocal at
            size = number('<Q')
            at += size
            return data[at - size:at].decode()

        def take_formats(system):
            for _ in range(number('<I')):
                form = text()
                self.formats[int(form.split('\nID:')[1].split()[0])] = (system, form)

        for _ in 'header_page', 'header_event':
            word()
            text()
        take_formats('ftrace')
        for _ in range(number('<I')):
            take_formats(word())

    def _take_chunks(self, data):
        at = 0
        while len(data) - at >= 8:
            tag, size = struct.unpack_from('<II', data, at)
            body = data[at + 8:at + 8 + size]
            at += 8 + (size + 7 & ~7)
            if tag == CHUNK_FIELDS:
                index, _, row, _ = struct.unpack_from('<IIII', body)
                self.events[index].common_slots = [
                    Slot(*words[:4], words[4].split(b'\0')[0].decode())
                    for i in range(16, len(body), row)
                    for words in [struct.unpack_from('<IIII24s', body, i)]]
            elif tag == CHUNK_EVENT:
                index, _, fields = struct.unpack_from('<IIQ', body)
                self.events[index].common_fields = fields
            elif tag == CHUNK_LEDGER:
                row = struct.unpack_from('<I', body)[0]
                for i in range(8, len(body), row):
                    words = struct.unpack_from('<IIIIQQQ8Q', body, i)
                    self.ledger.append(LedgerRow(
                        words[0], words[1], words[2], *words[4:7], words[7:]))
            elif tag == CHUNK_CLOCK:
                row = struct.unpack_from('<I', body)[0]
                for i in range(8, len(body), row):
                    self.clocks.append(struct.unpack_from('<5Q', body, i))

    # -- records

    def records(self):
        at = self.start
        while at < self.end:
            if self.end - at < 8:
                raise Damaged(f'half a header at {at}')
            kind, misc, size = struct.unpack_from('<IHH', self.bytes, at)
            if size < 8 or at + size > self.end:
                raise Damaged(f'a record of {size} bytes at {at}')
            yield Record(kind, misc, self.bytes[at + 8:at + size], at)
            if kind == TRACING_DATA:
                at += struct.unpack_from('<I', self.bytes, at + 8)[0]
            at += size

    def event_of(self, body):
        if len(self.events) == 1:
            return self.events[0]
        return self.by_id.get(struct.unpack_from('<Q', body)[0])

    def sample(self, record):
        """The fields of a SAMPLE up to RAW, which are the same in files of ktrace and perf."""
        body = record.body
        event = self.event_of(body)
        have = event.sample_type
        at = 0

        def take(form):
            nonlocal at
            values = struct.unpack_from('<' + form, body, at)
            at += struct.calcsize('<' + form)
            return values if len(values) > 1 else values[0]

        id_ = take('Q') if have & IDENTIFIER else None
        ip = take('Q') if have & IP else None
        pid, tid = take('ii') if have & TID else (None, None)
        time = take('Q') if have & TIME else None
        addr = take('Q') if have & ADDR else None
        id_ = take('Q') if have & ID else id_
        if have & STREAM_ID:
            take('Q')
        cpu = take('II')[0] if have & CPU else None
        period = take('Q') if have & PERIOD else None
        if have & READ:
            self._skip_read(event, take)
        chain = list(struct.unpack(f'<{n}Q', body[at:at + 8 * n])) if (
            have & CALLCHAIN and (n := take('Q')) is not None) else None
        if chain is not None:
            at += 8 * len(chain)
        raw = None
        if have & RAW:
            size = take('I')
            raw = body[at:at + size]
        return Sample(event, id_, ip, pid, tid, time, addr, cpu, period, chain, raw)

    @staticmethod
    def _skip_read(event, take):
        form = event.read_format
        times = (form & 1) + (form >> 1 & 1)
        per_value = 1 + (form >> 2 & 1) + (form >> 4 & 1)
        nr = take('Q') if form & 8 else 1
        for _ in range(times + nr * per_value):
            take('Q')

    @staticmethod
    def lost(record):
        """A LOST record; reason, first and last are None where perf wrote it."""
        id_, lost = struct.unpack_from('<QQ', record.body)
        if len(record.body) >= 72:
            return Lost(id_, lost, *struct.unpack_from('<QQQ', record.body, 16))
        return Lost(id_, lost, None, None, None)

    def count(self):
        """Samples by the name of their event."""
        return collections.Counter(
            self.event_of(r.body).name for r in self.records() if r.type == SAMPLE)
