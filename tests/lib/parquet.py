# SPDX-License-Identifier: GPL-2.0
"""Reads files of Apache Parquet by the format alone: the parts that ktrace export writes. Facts
that the file states twice have to agree."""
import struct
import subprocess

MAGIC = b'PAR1'
INT32, INT64, BYTE_ARRAY = 1, 2, 6
OPTIONAL, REPEATED = 1, 2
PLAIN, RLE, RLE_DICTIONARY = 0, 3, 8
ZSTD = 6
DATA, WORDS = 0, 2              # kinds of pages


class Bytes:
    def __init__(self, data, at=0):
        self.data, self.at = data, at

    def take(self, size):
        if self.at + size > len(self.data):
            raise ValueError('it ends too early')
        self.at += size
        return self.data[self.at - size:self.at]

    def number(self, form='<I'):
        return struct.unpack(form, self.take(struct.calcsize(form)))[0]

    def varint(self):
        value = shift = 0
        while True:
            byte = self.take(1)[0]
            value |= (byte & 0x7f) << shift
            if byte < 0x80:
                return value
            shift += 7

    def signed(self):
        value = self.varint()
        return value >> 1 ^ -(value & 1)

    # Thrift's compact form: structures are dicts by the numbers of the fields.

    def struct(self):
        fields, last = {}, 0
        while True:
            head = self.take(1)[0]
            if not head:
                return fields
            last = last + (head >> 4) if head >> 4 else self.signed()
            if last in fields:
                raise ValueError('a field comes twice')
            fields[last] = head & 15 == 1 if head & 15 in (1, 2) else self.value(head & 15)

    def value(self, kind):
        if kind == 3:
            return self.number('<b')
        if kind in (4, 5, 6):
            return self.signed()
        if kind == 8:
            return self.take(self.varint())
        if kind == 9:
            head = self.take(1)[0]
            nr = head >> 4 if head >> 4 < 15 else self.varint()
            return [self.value(head & 15) for _ in range(nr)]
        if kind == 12:
            return self.struct()
        raise ValueError(f'type {kind} of thrift')

    def packed(self, bits, nr):
        """Runs of equal numbers, and groups of eight packed ones."""
        numbers = []
        while len(numbers) < nr:
            head = self.varint()
            if head & 1:
                word = int.from_bytes(self.take((head >> 1) * bits), 'little')
                numbers += [word >> i * bits & (1 << bits) - 1 for i in range((head >> 1) * 8)]
            else:
                numbers += [int.from_bytes(self.take((bits + 7) // 8), 'little')] * (head >> 1)
        return numbers[:nr]

    def levels(self, largest, nr):
        if not largest:
            return [0] * nr
        part = Bytes(self.take(self.number()))
        return part.packed(largest.bit_length(), nr)


class Column:
    """A leaf of the schema."""

    def __init__(self, element, path, depth, repeated):
        self.type, self.path, self.depth, self.repeated = element[1], path, depth, repeated
        self.name, logical = path[0], element.get(10, {})
        integer, instant = logical.get(10), logical.get(8)
        self.signed = not integer or integer[2]
        self.kind = 'utf8' if 1 in logical else 'binary'
        if instant:
            self.kind = f"timestamp[{({1: 'ms', 2: 'us', 3: 'ns'})[next(iter(instant[2]))]}{', UTC' * instant[1]}]"
        elif self.type != BYTE_ARRAY:
            self.kind = ('int' if integer[2] else 'uint') + str(integer[1])
            if element[6] != {True: 15, False: 11}[integer[2]] + (integer[1] // 8).bit_length() - 1:
                raise ValueError('the two types of an integer differ')
        if repeated:
            self.kind = f'list<{self.kind}>'

    def plain(self, data):
        if self.type == BYTE_ARRAY:
            value = data.take(data.number())
            return value.decode() if 'utf8' in self.kind else value.hex()
        bits = 32 if self.type == INT32 else 64
        value = data.number('<i' if bits == 32 else '<q')
        return value if self.signed else value % (1 << bits)

    def bound(self, data):
        return data if data is None else self.plain(Bytes(
            struct.pack('<I', len(data)) + data if self.type == BYTE_ARRAY else data))


def read_schema(elements):
    columns, left = [], iter(elements)

    def walk(element, path, depth, repeated):
        repetition = element.get(3, 0)
        depth += repetition != 0
        repeated |= repetition == REPEATED
        if 5 not in element:
            columns.append(Column(element, path, depth, repeated))
        for _ in range(element.get(5, 0)):
            child = next(left)
            walk(child, (*path, child[4].decode()), depth, repeated)
    walk(next(left), (), 0, False)
    if next(left, None):
        raise ValueError('the schema has more elements than it says')
    return columns


def unpack(frames):
    """The contents of (compressed, size), by one process."""
    packed = b''.join(frame for frame, _ in frames)
    data = Bytes(subprocess.run(['zstd', '-dcq'], input=packed, stdout=subprocess.PIPE, check=True).stdout
                 if packed else b'')
    pages = [data.take(size) for _, size in frames]
    if data.at != len(data.data):
        raise ValueError('pages have other sizes than they say')
    return pages


def find_pages(data, meta):
    """The heads of a chunk's pages, and the contents of the pages."""
    at = Bytes(data, meta.get(11, meta[9]))
    end, size, found = at.at + meta[7], 0, []
    while at.at < end:
        if found and found[-1][0][1] == WORDS and at.at != meta[9]:
            raise ValueError('the page of data is elsewhere')
        start = at.at
        head = at.struct()
        size += at.at - start + head[2]
        found.append((head, (at.take(head[3]), head[2])))
    if at.at != end or size != meta[6] or meta[4] != ZSTD:
        raise ValueError('the pages have not the sizes of their chunk')
    return found


def assemble(column, repeated, defined, values):
    rows, values = [], iter(values)
    for r, d in zip(repeated, defined):
        value = next(values) if d == column.depth else None
        if not column.repeated:
            rows.append(value)
        elif r:
            rows[-1].append(value)
        else:
            rows.append(None if d == 0 else [] if d < column.depth else [value])
    if next(values, None) is not None:
        raise ValueError('there are more values than levels')
    return rows


def read_chunk(column, heads, pages):
    words, rows = None, []
    for head, page in zip(heads, pages):
        page = Bytes(page)
        if head[1] == WORDS:
            words = [column.plain(page) for _ in range(head[7][1])]
            if page.at != len(page.data) or head[7][2] != PLAIN:
                raise ValueError('the words have another size')
            continue
        nr = head[5][1]
        repeated = page.levels(int(column.repeated), nr)
        defined = page.levels(column.depth, nr)
        there = sum(d == column.depth for d in defined)
        if head[5][2] == RLE_DICTIONARY:
            bits = page.take(1)[0] if there or page.at < len(page.data) else 0
            values = [words[n] for n in page.packed(bits, there)]
        else:
            values = [column.plain(page) for _ in range(there)]
        if page.at != len(page.data):
            raise ValueError('something follows the values of a page')
        rows += assemble(column, repeated, defined, values)
    return rows


def read_file(data):
    """Types of the columns by name, the rows as dicts, and the groups: rows, bytes and the ranges of
    columns as (smallest, largest, nulls)."""
    if data[:4] != MAGIC or data[-4:] != MAGIC:
        raise ValueError('the marks are missing')
    size = struct.unpack('<I', data[-8:-4])[0]
    end = Bytes(data[len(data) - 8 - size:-8])
    meta = end.struct()
    if end.at != size:
        raise ValueError('the end of the file has another size')
    columns = read_schema(meta[2])
    chunks = [(column, chunk[3]) for group in meta[4] for column, chunk in zip(columns, group[1], strict=True)]
    found = [find_pages(data, chunk) for _, chunk in chunks]
    pages = iter(unpack([frame for pages in found for _, frame in pages]))
    values = []
    for (column, chunk), heads in zip(chunks, found):
        if [part.decode() for part in chunk[3]] != list(column.path) or chunk[1] != column.type:
            raise ValueError('a chunk is of another column')
        values.append(read_chunk(column, [head for head, _ in heads], [next(pages) for _ in heads]))
        if sum(head[5][1] for head, _ in heads if head[1] == DATA) != chunk[5]:
            raise ValueError('a chunk has another number of values')
    rows, groups, left = [], [], iter(values)
    for group in meta[4]:
        parts = [next(left) for _ in columns]
        if {len(part) for part in parts} != {group[3]}:
            raise ValueError('a group has another number of rows')
        if group[2] != sum(chunk[3][6] for chunk in group[1]):
            raise ValueError('a group has another size')
        rows += [dict(zip([c.name for c in columns], row)) for row in zip(*parts)]
        groups.append({'rows': group[3], 'bytes': group[2], 'ranges': {
            column.name: (column.bound(chunk[3][12].get(6)), column.bound(chunk[3][12].get(5)), chunk[3][12][3])
            for column, chunk in zip(columns, group[1])}})
    if len(rows) != meta[3]:
        raise ValueError('the file has another number of rows')
    return {c.name: c.kind for c in columns}, rows, groups
