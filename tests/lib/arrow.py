# SPDX-License-Identifier: GPL-2.0
"""Reads files and streams of Apache Arrow by its format alone: the parts that ktrace export
writes."""
import struct

END = b'\xff\xff\xff\xff\0\0\0\0'
INTS = {(8, 1): 'b', (8, 0): 'B', (16, 1): 'h', (16, 0): 'H', (32, 1): 'i', (32, 0): 'I',
        (64, 1): 'q', (64, 0): 'Q'}


class Table:
    """A table of a flatbuffer: fields by their numbers."""

    def __init__(self, data, at):
        self.data, self.at = data, at
        if at % 4:
            raise ValueError('a table is not aligned')
        start = at - self.number(at, 'i')
        self.slots = [self.number(start + i, 'H') for i in range(4, self.number(start, 'H'), 2)]

    def number(self, at, kind):
        return struct.unpack_from('<' + kind, self.data, at)[0]

    def get(self, field, kind, default=0):
        slot = self.slots[field] if field < len(self.slots) else 0
        if slot and (self.at + slot) % struct.calcsize(kind):
            raise ValueError('a field is not aligned')
        return self.number(self.at + slot, kind) if slot else default

    def target(self, field):
        slot = self.slots[field] if field < len(self.slots) else 0
        return self.at + slot + self.number(self.at + slot, 'I') if slot else None

    def table(self, field):
        target = self.target(field)
        return None if target is None else Table(self.data, target)

    def text(self, field):
        at = self.target(field)
        return self.data[at + 4:at + 4 + self.number(at, 'I')].decode()

    def tables(self, field):
        at = self.target(field)
        places = [at + 4 + 4 * i for i in range(self.number(at, 'I'))]
        return [Table(self.data, p + self.number(p, 'I')) for p in places]

    def structs(self, field, kinds):
        at = self.target(field)
        if at is None or (at + 4) % 8:
            raise ValueError('a vector of structures is not aligned')
        size = struct.calcsize('<' + kinds)
        return [struct.unpack_from('<' + kinds, self.data, at + 4 + size * i)
                for i in range(self.number(at, 'I'))]


def root(data):
    return Table(data, struct.unpack_from('<I', data)[0])


class Columns:
    """The columns of a schema, and values of messages that have it."""

    def __init__(self, schema):
        self.fields = schema.tables(1)
        self.names = [field.text(0) for field in self.fields]
        self.words = {}         # by id of the dictionary

    def types(self):
        return {name: self.type_of(field) for name, field in zip(self.names, self.fields)}

    def type_of(self, field):
        kind, dictionary = field.get(2, 'B'), field.table(4)
        text = {4: 'binary', 5: 'utf8'}.get(kind)
        if kind == 2:
            text = ('int' if field.table(3).get(1, 'B') else 'uint') + str(field.table(3).get(0, 'i'))
        if kind == 10:
            text = f"timestamp[{('s', 'ms', 'us', 'ns')[field.table(3).get(0, 'h')]}, {field.table(3).text(1)}]"
        if kind == 12:
            text = f'list<{self.type_of(field.tables(5)[0])}>'
        return f'dictionary<{text}>' if dictionary else text

    def take_words(self, header, body):
        id_, batch = header.get(0, 'q'), header.table(1)
        values = Reader(batch, body, self.words).texts()
        if header.get(2, 'B'):
            self.words[id_] = self.words[id_] + values
        elif id_ in self.words:
            raise ValueError('a dictionary takes the place of another one')
        else:
            self.words[id_] = values

    def rows(self, header, body):
        reader = Reader(header, body, self.words)
        columns = [reader.column(field) for field in self.fields]
        return [dict(zip(self.names, row)) for row in zip(*columns)]


class Reader:
    """Reads the buffers of a batch, one after the other."""

    def __init__(self, batch, body, words):
        self.body, self.words = body, words
        self.nodes, self.buffers = iter(batch.structs(1, 'qq')), iter(batch.structs(2, 'qq'))

    def buffer(self):
        offset, size = next(self.buffers)
        if offset % 8 or offset + size > len(self.body):
            raise ValueError('a buffer is not aligned, or not in the body')
        return self.body[offset:offset + size]

    def present(self):
        """The rows that have values."""
        rows, nulls = next(self.nodes)
        bits = self.buffer()
        found = [not nulls or bool(bits[i // 8] >> i % 8 & 1) for i in range(rows)]
        if found.count(False) != nulls:
            raise ValueError('the number of nulls is wrong')
        return found

    def numbers(self, kind, nr):
        data = self.buffer()
        if len(data) != nr * struct.calcsize(kind):
            raise ValueError('a buffer has not the size of its rows')
        return list(struct.unpack(f'<{nr}{kind}', data))

    def pieces(self, nr):
        ends = self.numbers('i', nr + 1)
        return list(zip(ends, ends[1:]))

    def texts(self):
        present = self.present()
        pieces, data = self.pieces(len(present)), self.buffer()
        return [data[a:b].decode() for a, b in pieces]

    def column(self, field):
        present, kind, dictionary = self.present(), field.get(2, 'B'), field.table(4)
        if dictionary:
            words = self.words[dictionary.get(0, 'q')]
            values = [words[i] if has else None
                      for i, has in zip(self.numbers('i', len(present)), present)]
        elif kind in (2, 10):
            form = INTS[field.table(3).get(0, 'i'), field.table(3).get(1, 'B')] if kind == 2 else 'q'
            values = self.numbers(form, len(present))
        elif kind == 12:
            pieces, items = self.pieces(len(present)), self.column(field.tables(5)[0])
            values = [items[a:b] for a, b in pieces]
        else:
            pieces, data = self.pieces(len(present)), self.buffer()
            values = [data[a:b].decode() if kind == 5 else data[a:b].hex() for a, b in pieces]
        return [value if has else None for value, has in zip(values, present)]


def message(data, at):
    """A message's table, its body, and where the next one begins; None: the end."""
    mark, size = struct.unpack_from('<II', data, at)
    if mark != 0xffffffff or size % 8:
        raise ValueError('this is no message')
    if not size:
        return None, b'', at + 8
    head = root(data[at + 8:at + 8 + size])
    end = at + 8 + size + head.get(3, 'q')
    return head, data[at + 8 + size:end], end


def read_stream(data):
    """(types, rows, sizes of the batches)."""
    head, _, at = message(data, 0)
    columns, rows, sizes = Columns(head.table(2)), [], []
    while True:
        head, body, at = message(data, at)
        if not head:
            break
        if head.get(1, 'B') == 2:
            columns.take_words(head.table(2), body)
        else:
            rows += columns.rows(head.table(2), body)
            sizes.append(head.table(2).get(0, 'q'))
    if at != len(data):
        raise ValueError('something follows the end of the stream')
    return columns.types(), rows, sizes


def read_file(data):
    """(types, rows, sizes of the batches), by way of the list at the end."""
    if data[:8] != b'ARROW1\0\0' or data[-6:] != b'ARROW1':
        raise ValueError('this is no file of Arrow')
    size = struct.unpack_from('<I', data, len(data) - 10)[0]
    footer = root(data[-10 - size:-10])
    columns, rows, sizes = Columns(footer.table(1)), [], []
    if columns.types() != Columns(message(data, 8)[0].table(2)).types():
        raise ValueError('there are two schemas')
    if data[-10 - size - 8:-10 - size] != END:
        raise ValueError('the messages have no end')
    for kind in 2, 3:
        for at, head_size, _, body_size in footer.structs(kind, 'qiiq'):
            head, body, end = message(data, at)
            if (len(body), end - at - len(body), at % 8) != (body_size, head_size, 0):
                raise ValueError('the list of messages is wrong')
            if kind == 2:
                columns.take_words(head.table(2), body)
            else:
                rows += columns.rows(head.table(2), body)
                sizes.append(head.table(2).get(0, 'q'))
    return columns.types(), rows, sizes
