# SPDX-License-Identifier: GPL-2.0
"""Writes cores of kernels that died with sessions of ktrace, without a line of ktrace's code: each
structure of kmod/uapi/linux/ktrace_vmcore.h at an offset that a test chooses.

    memory = vmcore_writer.good()
    put(memory, 0x300, ring(BASE + 0x300))      # a ring that is followed by itself
    write('loop.core', core(memory))
"""
import struct

BASE = 0x100000         # the physical address of the memory


def core(memory, offset=0x1000):
    """offset: where the memory begins in the file."""
    whole = -(-len(memory) // 0x1000) * 0x1000
    segment = struct.pack('<IIQQQQQQ', 1, 7, offset, 0xffff888000000000 + BASE, BASE, len(memory), whole, 0x1000)
    head = b'\x7fELF\x02\x01\x01' + bytes(9) + struct.pack('<HHIQQQIHHHHHH', 4, 62, 1, 0, 64, 0, 0, 64, 56, 1, 0, 0, 0)
    return (head + segment).ljust(offset, b'\0') + bytes(memory)


def put(memory, at, data):
    memory[at:at + len(data)] = data


def sized(magic, rest):
    return struct.pack('<II', magic, 8 + len(rest)) + rest


def table(sessions, release=b'6.1.0', reasons=4):
    offsets = struct.pack('<12I', 24 + 32 * reasons, 0, 8, 16, 24, 32, reasons, 0, 8, 16, 24, 0)
    head = b'ktrace sessions\0' + struct.pack('<QII', BASE, 1, 28 + 4 + 4 + 4 + 8 + 64 + len(offsets))
    return head + struct.pack('<IIQ64s', 4096, 1, sessions, release) + offsets


def session(rings, events, following=0):
    return sized(0x7353544b, struct.pack('<Qii16sQQQQ', following, 77, -1, b'recorder', rings, events, 0, 0))


def ring(following=0, size=4096, meta=BASE + 0x1000, tail=BASE + 0x1100, pages=BASE + 0x1200):
    return sized(0x6752544b, struct.pack('<QIIQQQQ', following, 0, 0, size, meta, tail, pages))


def event(following=0, counts=BASE + 0x1300, config=372, number=1000):
    return sized(0x7645544b, struct.pack('<QQIIQQQQII128s', following, number, 0, 0, counts, config, 0x10587, 0, 0, 0,
                                         b'sched:sched_switch'))


def pages(addresses, following=0):
    return struct.pack('<IIQ', 0x734c544b, len(addresses), following) + struct.pack(f'<{len(addresses)}Q', *addresses)


def meta(size, head):
    return struct.pack('<IIQQ5QQ7Q', 128, 0, size, 0, 0, 0, 0, 0, 0, head, *[0] * 7)


def good():
    """A session with a ring, which is empty, and an event."""
    memory = bytearray(0x8000)
    put(memory, 0, table(BASE + 0x200))
    put(memory, 0x200, session(BASE + 0x300, BASE + 0x400))
    put(memory, 0x300, ring())
    put(memory, 0x400, event())
    put(memory, 0x1000, meta(4096, 0))
    put(memory, 0x1100, struct.pack('<Q', 0))
    put(memory, 0x1200, pages([BASE + 0x2000]))
    put(memory, 0x1300, pages([BASE + 0x1400, 0]))
    return memory
