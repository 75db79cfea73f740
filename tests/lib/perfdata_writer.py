# SPDX-License-Identifier: GPL-2.0
"""Writes perf.data byte by byte, without a line of ktrace's or perf's code: any
byte order, either magic, files and pipes, attrs of every size, any features.

    writer = Writer(order='>', pipe=True)
    event = writer.event('test:numbers', type=2, config=301)
    writer.comm(7, 7, 'task', time=5)
    writer.sample(event, time=10, pid=7, raw=...)
    open('foreign.data', 'wb').write(writer.bytes())
"""

import struct

MMAP, LOST, COMM, EXIT, FORK, SAMPLE, MMAP2, NEW_CGROUP = 1, 2, 3, 4, 7, 9, 10, 19
LOST_SAMPLES, SWITCH = 13, 14
AUX, AUXTRACE_INFO, AUXTRACE = 11, 70, 71
HEADER_ATTR, TRACING_DATA, FINISHED_ROUND, EVENT_UPDATE, FEATURE = 64, 66, 68, 78, 80

IP, TID, TIME, ADDR, READ, CALLCHAIN, ID, CPU, PERIOD, STREAM_ID, RAW = (
    1 << n for n in range(11))
BRANCH_STACK, REGS_USER, WEIGHT, DATA_SRC, IDENTIFIER, PHYS_ADDR, CGROUP = \
    1 << 11, 1 << 12, 1 << 14, 1 << 15, 1 << 16, 1 << 19, 1 << 21
BRANCH_USER, BRANCH_CALL_STACK = 1 << 0, 1 << 11       # of branch_sample_type
SAMPLE_TYPE = IDENTIFIER | IP | TID | TIME | CPU | PERIOD | RAW

# Features of the header.
TRACING, BUILD_ID, HOSTNAME, OSRELEASE, ARCH, NRCPUS, CMDLINE, EVENT_DESC, NUMA_TOPOLOGY, SAMPLE_TIME, \
    MEM_TOPOLOGY = 1, 2, 3, 4, 6, 7, 11, 12, 14, 21, 22

# Bits of the attr's flags, counted from its first bit-field.
FLAG_DISABLED, FLAG_INHERIT, FLAG_MMAP, FLAG_COMM, FLAG_FREQ, FLAG_ENABLE_ON_EXEC, FLAG_TASK, \
    FLAG_SAMPLE_ID_ALL = 0, 1, 8, 9, 10, 12, 13, 18

# The sizes that the kernel's struct has had, and one that no kernel has yet.
ATTR_SIZES = 64, 72, 80, 96, 104, 112, 120, 128, 136, 144, 192

HEADER_PAGE = b'''\
\tfield: u64 timestamp;\toffset:0;\tsize:8;\tsigned:0;
\tfield: local_t commit;\toffset:8;\tsize:8;\tsigned:1;
\tfield: int overwrite;\toffset:8;\tsize:1;\tsigned:1;
\tfield: char data;\toffset:16;\tsize:4080;\tsigned:1;
'''
HEADER_EVENT = b'''\
# compressed entry header
\ttype_len    :    5 bits
\ttime_delta  :   27 bits
\tarray       :   32 bits

\tpadding     : type == 29
\ttime_extend : type == 30
\ttime_stamp : type == 31
\tdata max type_len  == 28
'''


class Event:
    again = None        # the same event, if it is in the recording twice

    def __init__(self, name, ids, attr_words):
        self.name = name
        self.ids = ids
        self.__dict__.update(attr_words)


class Writer:
    def __init__(self, order='<', magic=2, pipe=False, attr_size=128, header_size=104,
                 features=(TRACING, HOSTNAME, ARCH, NRCPUS, EVENT_DESC), long_size=8):
        self.order = order
        self.magic = magic
        self.pipe = pipe
        self.attr_size = attr_size
        self.header_size = header_size
        self.features = features
        self.long_size = long_size
        self.events = []
        self.formats = []       # (system, text)
        self.build_ids = []     # (name, 20 bytes) of kernels
        self.strings = {HOSTNAME: 'elsewhere', OSRELEASE: '2.6.39', ARCH: 'ppc64'}
        self.contents = {}      # of other features: bytes
        self.records = b''

    def pack(self, form, *values):
        return struct.pack(self.order + form, *values)

    def event(self, name, type=2, config=0, sample_type=SAMPLE_TYPE, ids=None, read_format=4,
              flags=(FLAG_COMM, FLAG_TASK, FLAG_SAMPLE_ID_ALL), period=1, branches=0,
              user_regs=0):
        event = Event(name, ids or [100 + len(self.events)], {
            'type': type, 'config': config, 'sample_type': sample_type,
            'read_format': read_format, 'flags': flags, 'period': period,
            'branches': branches, 'user_regs': user_regs})
        self.events.append(event)
        return event

    def twice(self):
        """All events are recorded twice from here on, as by perf record -e EVENT -e EVENT."""
        for event in list(self.events):
            words = {name: value for name, value in vars(event).items() if name not in ('name', 'ids')}
            event.again = self.event(event.name, **words)

    def format(self, system, text):
        self.formats.append((system, text.encode(errors='surrogateescape')))

    def attr(self, event):
        flags = 0
        for bit in event.flags:
            # Bit-fields begin at the low end of the word in one byte order, at the high
            # end in the other.
            flags |= 1 << (bit if self.order == '<' else 63 - bit)
        words = self.pack('IIQQQQQ', event.type, self.attr_size, event.config, event.period,
                          event.sample_type, event.read_format, flags)
        words += bytes(24) + self.pack('QQ', event.branches, event.user_regs)
        return words[:self.attr_size].ljust(self.attr_size, b'\0')

    # -- records

    def record(self, kind, body, misc=0):
        self.records += self.pack('IHH', kind, misc, 8 + len(body)) + body

    def sample_id(self, event, pid, tid, time, cpu):
        if FLAG_SAMPLE_ID_ALL not in event.flags:
            return b''
        have = event.sample_type
        out = b''
        out += self.pack('ii', pid, tid) if have & TID else b''
        out += self.pack('Q', time) if have & TIME else b''
        out += self.pack('Q', event.ids[0]) if have & ID else b''
        out += self.pack('II', cpu, 0) if have & CPU else b''
        out += self.pack('Q', event.ids[0]) if have & IDENTIFIER else b''
        return out

    def comm(self, pid, tid, comm, time=0, cpu=0):
        text = comm.encode(errors='surrogateescape') + b'\0'
        self.record(COMM, self.pack('ii', pid, tid) + text.ljust(len(text) + 7 & ~7, b'\0') +
                    self.sample_id(self.events[0], pid, tid, time, cpu))

    def fork(self, pid, ppid, time=0, cpu=0, kind=FORK):
        self.record(kind, self.pack('iiiiQ', pid, ppid, pid, ppid, time) +
                    self.sample_id(self.events[0], pid, pid, time, cpu))

    def mmap(self, pid, start, size, name, time=0, cpu=0, offset=0, misc=0):
        text = name.encode(errors='surrogateescape') + b'\0'
        self.record(MMAP, self.pack('iiQQQ', pid, pid, start, size, offset) +
                    text.ljust(len(text) + 7 & ~7, b'\0') +
                    self.sample_id(self.events[0], pid, pid, time, cpu), misc)

    def mmap2(self, pid, start, size, name, build_id, time=0, offset=0, prot=5, misc=2):
        """With a build id instead of the inode, as perf record --buildid-mmap writes it."""
        text = name.encode(errors='surrogateescape') + b'\0'
        self.record(MMAP2, self.pack('iiQQQ', pid, pid, start, size, offset) +
                    bytes([len(build_id), 0, 0, 0]) + build_id.ljust(20, b'\0') +
                    self.pack('II', prot, 2) + text.ljust(len(text) + 7 & ~7, b'\0') +
                    self.sample_id(self.events[0], pid, pid, time, 0), misc | 1 << 14)

    def mmap2_inode(self, pid, start, size, name, inode, offset=0):
        text = name.encode(errors='surrogateescape') + b'\0'
        self.record(MMAP2, self.pack('iiQQQIIQQII', pid, pid, start, size, offset, 0, 0, inode, 0, 5, 2) +
                    text.ljust(len(text) + 7 & ~7, b'\0') +
                    self.sample_id(self.events[0], pid, pid, 0, 0), 2)

    def lost(self, event, count, time=0, cpu=0, span=None):
        """@span: the times of the first and the last one, which the module writes."""
        self.record(LOST, self.pack('QQ', event.ids[0], count) +
                    (self.pack('QQQ', 1, *span) if span else b'') +
                    self.sample_id(event, 0, 0, time, cpu))

    def new_cgroup(self, event, number, path, time):
        """@event: one that samples CGROUP."""
        path = path.encode(errors='surrogateescape') + b'\0'
        self.record(NEW_CGROUP, self.pack('Q', number) + path.ljust(len(path) + 7 & ~7, b'\0') +
                    self.sample_id(event, 0, 0, time, 0))

    def round(self):
        self.record(FINISHED_ROUND, b'')

    def sample(self, event, time, pid=1, tid=None, cpu=0, ip=0, period=1, chain=(), raw=b'',
               misc=1, branches=(), data_src=0, cgroup=0, addr=0, user_regs=(), phys_addr=0, weight=0):
        have = event.sample_type
        out = b''
        out += self.pack('Q', event.ids[0]) if have & IDENTIFIER else b''
        out += self.pack('Q', ip) if have & IP else b''
        out += self.pack('ii', pid, pid if tid is None else tid) if have & TID else b''
        out += self.pack('Q', time) if have & TIME else b''
        out += self.pack('Q', addr) if have & ADDR else b''
        out += self.pack('Q', event.ids[0]) if have & ID else b''
        out += self.pack('II', cpu, 0) if have & CPU else b''
        out += self.pack('Q', period) if have & PERIOD else b''
        out += self.pack(f'Q{len(chain)}Q', len(chain), *chain) if have & CALLCHAIN else b''
        if have & RAW:
            size = (len(raw) + 4 + 7 & ~7) - 4
            out += self.pack('I', size) + raw.ljust(size, b'\0')
        if have & BRANCH_STACK:
            out += self.pack('Q', len(branches))
            out += b''.join(self.pack('QQQ', *(*entry, 0)[:3]) for entry in branches)
        if have & REGS_USER:
            out += self.pack(f'Q{len(user_regs)}Q', 2, *user_regs)     # of a 64-bit task
        out += self.pack('Q', weight) if have & WEIGHT else b''
        out += self.pack('Q', data_src) if have & DATA_SRC else b''
        out += self.pack('Q', phys_addr) if have & PHYS_ADDR else b''
        out += self.pack('Q', cgroup) if have & CGROUP else b''
        self.record(SAMPLE, out, misc)
        if event.again:
            self.sample(event.again, time, pid, tid, cpu, ip, period, chain, raw, misc, branches, data_src,
                        cgroup, addr, user_regs, phys_addr, weight)

    # -- headers

    def string(self, text):
        data = text.encode(errors='surrogateescape') + b'\0'
        data = data.ljust(len(data) + 63 & ~63, b'\0')
        return self.pack('I', len(data)) + data

    def tracing_data(self):
        out = b'\x17\x08\x44tracing0.6\0' + bytes([self.order == '>', self.long_size])
        out += self.pack('I', 4096)
        out += b'header_page\0' + self.pack('Q', len(HEADER_PAGE)) + HEADER_PAGE
        out += b'header_event\0' + self.pack('Q', len(HEADER_EVENT)) + HEADER_EVENT
        out += self.pack('I', 0)
        systems = sorted({system for system, _ in self.formats})
        out += self.pack('I', len(systems))
        for system in systems:
            texts = [text for of, text in self.formats if of == system]
            out += system.encode() + b'\0' + self.pack('I', len(texts))
            for text in texts:
                out += self.pack('Q', len(text)) + text
        return out + self.pack('IIQ', 0, 0, 0)

    def nodes(self, *cpus, block=1 << 27):
        """NUMA nodes, at most eight, by the lists of their CPUs. Each has eight blocks of memory, one after the other."""
        self.features = (*self.features, NUMA_TOPOLOGY, MEM_TOPOLOGY)
        self.contents[NUMA_TOPOLOGY] = self.pack('I', len(cpus)) + b''.join(
            self.pack('IQQ', node, 1000, 500) + self.string(text) for node, text in enumerate(cpus))
        self.contents[MEM_TOPOLOGY] = self.pack('QQQ', 1, block, len(cpus)) + b''.join(
            self.pack('QQQQ', node, 8 * node + 8, 8 * node + 8, 0xff << 8 * node) for node in range(len(cpus)))

    def event_desc(self):
        out = self.pack('II', len(self.events), self.attr_size)
        for event in self.events:
            out += self.attr(event) + self.pack('I', len(event.ids)) + self.string(event.name)
            out += self.pack(f'{len(event.ids)}Q', *event.ids)
        return out

    def build_id_records(self):
        out = b''
        for name, build_id in self.build_ids:
            name = name.encode(errors='surrogateescape') + b'\0'
            name = name.ljust(len(name) + 63 & ~63, b'\0')
            # PERF_RECORD_MISC_KERNEL, and the bit that says that the size of the id is
            # given.
            out += self.pack('IHHi', 0, 1 | 1 << 15, 36 + len(name), -1)
            out += build_id + bytes([len(build_id), 0, 0, 0]) + name
        return out

    def feature(self, bit):
        if bit == TRACING:
            return self.tracing_data()
        if bit == EVENT_DESC:
            return self.event_desc()
        if bit == BUILD_ID:
            return self.build_id_records()
        if bit == NRCPUS:
            return self.pack('II', 4, 3)
        if bit == SAMPLE_TIME:
            return self.pack('QQ', 1, 1000)
        if bit in self.contents:
            return self.contents[bit]
        return self.string(self.strings[bit])

    def magic_bytes(self):
        if self.magic == 1:
            return b'PERFFILE'
        return self.pack('Q', struct.unpack('<Q', b'PERFILE2')[0])

    def bytes(self):
        return self.pipe_bytes() if self.pipe else self.file_bytes()

    def file_bytes(self):
        ids = b''.join(self.pack(f'{len(e.ids)}Q', *e.ids) for e in self.events)
        attrs = b''
        ids_at = self.header_size
        for event in self.events:
            attrs += self.attr(event) + self.pack('QQ', ids_at, 8 * len(event.ids))
            ids_at += 8 * len(event.ids)
        data_at = self.header_size + len(ids) + len(attrs)
        out = self.magic_bytes() + self.pack(
            'QQQQQQQQ', self.header_size, self.attr_size + 16, ids_at, len(attrs), data_at,
            len(self.records), 0, 0)
        if self.header_size > 72:
            out += self.feature_bits()
        out += ids + attrs + self.records
        contents = [self.feature(bit) for bit in sorted(self.features)]
        at = len(out) + 16 * len(contents)
        for content in contents:
            out += self.pack('QQ', at, len(content))
            at += len(content)
        return out + b''.join(contents)

    def feature_bits(self):
        bits = sum(1 << bit for bit in self.features)
        if self.long_size == 4:
            return self.pack('8I', *(bits >> 32 * i & 0xffffffff for i in range(8)))
        return self.pack('4Q', *(bits >> 64 * i & 0xffffffffffffffff for i in range(4)))

    def pipe_bytes(self):
        records, self.records = self.records, b''
        for event in self.events:
            self.record(HEADER_ATTR, self.attr(event) +
                        self.pack(f'{len(event.ids)}Q', *event.ids))
        for event in self.events:
            if EVENT_DESC in self.features:
                name = event.name.encode(errors='surrogateescape') + b'\0'
                self.record(EVENT_UPDATE, self.pack('QQ', 2, event.ids[0]) +
                            name.ljust(len(name) + 7 & ~7, b'\0'))
        for bit in sorted(self.features):
            if bit not in (TRACING, EVENT_DESC):
                content = self.pack('Q', bit) + self.feature(bit)
                self.record(FEATURE, content.ljust(len(content) + 7 & ~7, b'\0'))
        if TRACING in self.features:
            tracing = self.tracing_data()
            tracing = tracing.ljust(len(tracing) + 7 & ~7, b'\0')
            self.record(TRACING_DATA, self.pack('II', len(tracing), 0))
            self.records += tracing
        head, self.records = self.records, records
        return self.magic_bytes() + self.pack('Q', 16) + head + records
