# SPDX-License-Identifier: GPL-2.0
"""Makes the parts of binaries that a recording can embed (user/symbol/embedded.h) without a line of
ktrace's code, also ones that ktrace would never write.

    writer.features += (embedded.FEATURE,)
    writer.contents[embedded.FEATURE] = embedded.extension(
        embedded.binary('/opt/x'), embedded.symbols((0x10, 0x20, 'main')))
"""
import struct

FEATURE = 200
EMBEDDED = 6                    # the chunk of the extension
BINARY, SYMBOLS, LINES, CODE, IMAGE, KERNEL, SOURCE = range(1, 8)
FILE = 0                        # kinds of binaries
KALLSYMS, VMLINUX = 1, 2        # where the kernel's symbols were
HAS_LINES, OWN_SYMBOLS = 1, 2
BLOCK = 128 << 10               # the most in one block of zstd
PIECE = 57344


def word(text):
    return text.encode() + b'\0'


def chunk(tag, payload):
    return struct.pack('<II', tag, len(payload)) + payload


def rows(symbols):
    return b''.join(struct.pack('<QQBB', start, end, 1, 0) + word(name) + word('')
                    for start, end, name in symbols)


def binary(name, kind=FILE, inode=0, build_id=b'', flags=HAS_LINES | OWN_SYMBOLS):
    return chunk(BINARY, struct.pack('<IQI', kind, inode, len(build_id)) + build_id.ljust(20, b'\0') +
                 struct.pack('<QQI', 0, 0, flags) + word(name))


def symbols(*items):
    return chunk(SYMBOLS, rows(items))


def lines(*items):
    """Addresses, each with its places: (line, function, file)."""
    return chunk(LINES, b''.join(
        struct.pack('<QI', at, len(places)) + b''.join(
            struct.pack('<IB', line, 3) + word(function) + word(file) for line, function, file in places)
        for at, *places in items))


def kernel(origin, path, ranges, items):
    """ranges: (start, end, offset in the file)."""
    return chunk(KERNEL, struct.pack('<IQQ', origin, 0, 0) + word(path) + struct.pack('<I', len(ranges)) +
                 b''.join(struct.pack('<QQQB', *r, 0) + word('') for r in ranges) + rows(items))


def source(path, *items):
    return chunk(SOURCE, word(path) + b''.join(struct.pack('<I', n) + word(text) for n, text in items))


def frame(data):
    """A frame of zstd that compresses nothing."""
    out = b'\x28\xb5\x2f\xfd\xe0' + struct.pack('<Q', len(data))
    for at in range(0, len(data) or 1, BLOCK):
        block = data[at:at + BLOCK]
        out += struct.pack('<I', len(block) << 3 | (at + BLOCK >= len(data)))[:3] + block
    return out


def large(size, complete):
    """Packed data that unpacks to @size zeros; it lacks its end unless it is complete."""
    out = struct.pack('<4sIQ', b'KEDB', 1, size) + b'\x28\xb5\x2f\xfd\xe0' + struct.pack('<Q', size)
    for at in range(0, size, BLOCK):
        is_last = complete and at + BLOCK >= size
        out += struct.pack('<I', min(BLOCK, size - at) << 3 | 1 << 1 | is_last)[:3] + b'\0'
    return out


def piece(packed):
    return chunk(EMBEDDED, packed) + bytes(-len(packed) % 8)


def extension(*chunks):
    data = b''.join(chunks)
    packed = struct.pack('<4sIQ', b'KEDB', 1, len(data)) + frame(data)
    return b''.join(piece(packed[at:at + PIECE]) for at in range(0, len(packed), PIECE))
