# SPDX-License-Identifier: GPL-2.0
"""How does the time to read a recording grow when the recording grows in one respect?

    with open('threads.data', 'wb') as f:
        f.write(growth.make('threads', 100000))
"""

import os
import random
import struct

from perfdata_writer import (COMM, EVENT_DESC, FLAG_COMM, FLAG_SAMPLE_ID_ALL, FLAG_TASK, FORK,
                             HOSTNAME, IDENTIFIER, IP, MMAP, PERIOD, SAMPLE, TID, TIME, CALLCHAIN,
                             Writer)

MMAP2 = 10
PAGE = 4096
PLAIN = IDENTIFIER | IP | TID | TIME | PERIOD
CHAINS = PLAIN | CALLCHAIN
STACKS = CHAINS | 1 << 12 | 1 << 13
TYPES = {'addresses': CHAINS, 'stacks': STACKS}
USER = 2                # the CPU mode in a record's misc
BASE = 0x10000000
ID = 100


def record(kind, body, misc=0):
    return struct.pack('<IHH', kind, misc, 8 + len(body)) + body


def sample_id(pid, tid, time):
    return struct.pack('<iiQQ', pid, tid, time, ID)


def padded(text):
    data = text.encode() + b'\0'
    return data.ljust(len(data) + 7 & ~7, b'\0')


def comm(pid, tid, name, time):
    return record(COMM, struct.pack('<ii', pid, tid) + padded(name) + sample_id(pid, tid, time))


def fork(pid, parent, time):
    return record(FORK, struct.pack('<iiiiQ', pid, parent, pid, parent, time) +
                  sample_id(pid, pid, time))


def mmap(pid, start, size, name, time):
    return record(MMAP, struct.pack('<iiQQQ', pid, pid, start, size, 0) + padded(name) +
                  sample_id(pid, pid, time), USER)


def mmap2(pid, start, size, name, inode, time):
    return record(MMAP2, struct.pack('<iiQQQIIQQII', pid, pid, start, size, 0, 8, 1, inode, 0,
                                     5, 2) + padded(name) + sample_id(pid, pid, time), USER)


def sample(pid, tid, ip, time):
    return record(SAMPLE, struct.pack('<QQiiQQ', ID, ip, pid, tid, time, 1), USER)


def threads(n):
    """n tasks, each with a sample."""
    for i in range(1, n + 1):
        yield comm(i, i, 'task', 2 * i)
        yield sample(i, i, BASE, 2 * i + 1)


def strides(n):
    """Tasks whose numbers are far apart."""
    for i in range(1, n + 1):
        tid = i * 4096 % (1 << 30) + i // (1 << 18)
        yield comm(tid, tid, 'task', 2 * i)
        yield sample(tid, tid, BASE, 2 * i + 1)


def comms(n):
    """One task that has another name at each sample."""
    for i in range(1, n + 1):
        yield comm(1, 1, f'name-{i}', 2 * i)
        yield sample(1, 1, BASE, 2 * i + 1)


def maps_at(pages):
    for time, page in enumerate(pages, 1):
        start = BASE + 2 * PAGE * page
        yield mmap(1, start, PAGE, '/nowhere/library', 2 * time)
        yield sample(1, 1, start, 2 * time + 1)


def maps_up(n):
    """One task that maps more and more, upwards."""
    return maps_at(range(n))


def maps_down(n):
    """The same downwards, as Linux maps."""
    return maps_at(range(n - 1, -1, -1))


def maps_mixed(n):
    """The same in random order."""
    pages = list(range(n))
    random.Random(n).shuffle(pages)
    return maps_at(pages)


def forks(n):
    """Tasks with 100 maps, each forked by the one before."""
    for i in range(100):
        yield mmap(1, BASE + 2 * PAGE * i, PAGE, '/nowhere/library', i + 1)
    for i in range(2, n + 2):
        yield fork(i, i - 1, 100 + 3 * i)
        yield mmap(i, BASE + 2 * PAGE * 50, PAGE, '/nowhere/other', 101 + 3 * i)
        yield sample(i, i, BASE, 102 + 3 * i)


def dsos(n):
    """n binaries."""
    for i in range(n):
        start = BASE + 2 * PAGE * i
        yield mmap(1, start, PAGE, f'/nowhere/library-{i}', 2 * i + 1)
        yield sample(1, 1, start, 2 * i + 2)


def inodes(n):
    """n binaries with one name, as if a file is replaced again and again."""
    for i in range(n):
        start = BASE + 2 * PAGE * i
        yield mmap2(1, start, PAGE, '/nowhere/library', 1000 + i, 2 * i + 1)
        yield sample(1, 1, start, 2 * i + 2)


def addresses(n):
    """n call chains, which have their outermost frame in common."""
    for i in range(n):
        yield record(SAMPLE, struct.pack('<QQiiQQ4Q', ID, BASE, 1, 1, i + 1, 1, 3, BASE,
                                         BASE + 16 * i, BASE + PAGE), USER)


def stacks(n):
    """Copied user stacks of one task, each after another binary was mapped."""
    yield mmap(1, BASE, 1 << 20, os.path.realpath('/bin/true'), 1)
    for i in range(n):
        time = 2 * i + 2
        yield mmap(1, BASE + (1 << 24) + 2 * PAGE * i, PAGE, '/nowhere/library', time)
        # The call chain is empty.  Then come ABI 64, SP and IP, and eight words of stack.
        yield record(SAMPLE, struct.pack('<QQiiQQQQQQQ8QQ', ID, BASE + 0x2800, 1, 1, time + 1, 1,
                                         0, 2, 0x7ffe0000, BASE + 0x2800, 64,
                                         *(BASE + 0x2800 + 16 * j for j in range(8)), 64), USER)


def events(n):
    """Samples of one event among n events."""
    for i in range(100):
        yield sample(1, 1, BASE, i + 1)


KINDS = {f.__name__.replace('_', '-'): f for f in (
    threads, strides, comms, maps_up, maps_down, maps_mixed, forks, dsos, inodes, addresses,
    stacks, events)}


def make(kind, n):
    """The bytes of a recording made by this function with n."""
    writer = Writer(features=(HOSTNAME, EVENT_DESC), pipe=kind == 'events')
    flags = (FLAG_COMM, FLAG_TASK, FLAG_SAMPLE_ID_ALL)
    for i in range(n if kind == 'events' else 1):
        writer.event('cpu-clock', type=1, sample_type=TYPES.get(kind, PLAIN), flags=flags,
                     ids=[ID + i])
    if kind == 'stacks':
        make_attr = writer.attr
        # Set sample_regs_user to SP and IP, and sample_stack_user.
        writer.attr = lambda event: (make_attr(event)[:80] + struct.pack('<QI', 1 << 7 | 1 << 8, 64)
                                     ).ljust(writer.attr_size, b'\0')
    if kind != 'events':
        writer.records = b''.join(KINDS[kind](n))
        return writer.bytes()
    # A pipe begins with the records of the attrs.
    attrs = b''.join(record(64, writer.attr(e) + struct.pack('<Q', e.ids[0]))
                     for e in writer.events)
    return writer.magic_bytes() + struct.pack('<Q', 16) + attrs + b''.join(events(n))
