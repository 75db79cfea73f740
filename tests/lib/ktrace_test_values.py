# SPDX-License-Identifier: GPL-2.0
"""The expected records of ktrace_test.ko, byte for byte.

tests/kmod/ktrace_test_values.h and ktrace_test_events.h, written in Python: the oracle for all
readers of the records.

    env = Env()                                     # of the running kernel
    fmt = Format.of('ints')                         # tracefs' format file
    expected_fields('ints', seq, ctx, env)          # {name: value}
    expected_record(fmt, seq, ctx, env)             # (bytes, mask)
    fmt.decode(raw)                                 # {name: value}, by offsets alone
    check_record(fmt, raw, env)                     # [] or the faults, in sentences
"""

import os
import struct
import sys

EVENTS = ['seq', 'ints', 'arrays', 'strings', 'hostile', 'vstrings', 'sock', 'pointers', 'dyn',
          'rel', 'masks', 'holes', 'big', 'huge', 'counted', 'tasky', 'class_a', 'class_b', 'cond',
          'fn', 'odd', 'nest_outer', 'nest_inner']
CONTEXTS = ['task', 'softirq', 'hardirq', 'irq_work', 'nmi']
# Bits of common_flags: TRACE_FLAG_SOFTIRQ, _HARDIRQ, _NMI.
CONTEXT_FLAG_BITS = 0x10 | 0x08 | 0x40
CONTEXT_FLAGS = {'task': 0, 'softirq': 0x10, 'hardirq': 0x08, 'irq_work': 0x08, 'nmi': 0x40}

TEXT = b'The quick brown fox jumps over the lazy dog'
RAW = b'caf\xe9 \xff\xfe ok \xc3\x28 \xe2\x82 end \xf0\x9f\x98 \xa0\xa1\xc0\xaf'
HOSTILE = b'\\ "q" \'a\' %s%n {}<&>; \x1b[31mred\x7f\x01\b\t\r\n=x'
WORDS = [b'', b'a', b'word', b'fifteen letters', 'Größe'.encode(), b'back\\slash', b'"quoted"',
         b'a=b, c']
COLORS = {0: 'red', 1: 'green', 2: 'blue', 3: 'black'}

TRACING = '/sys/kernel/tracing'
DEBUG = '/sys/kernel/debug/ktrace_test'
M64 = (1 << 64) - 1
LONG = struct.calcsize('l')
ENDIAN = '<' if sys.byteorder == 'little' else '>'


def mix(x):
    x = (x + 0x9e3779b97f4a7c15) & M64
    x = ((x ^ x >> 30) * 0xbf58476d1ce4e5b9) & M64
    x = ((x ^ x >> 27) * 0x94d049bb133111eb) & M64
    return x ^ x >> 31


def bits(seq, field, element=0, width=64):
    """The bit pattern, as an unsigned number."""
    top = 1 << (width - 1)
    if seq < 4:
        return [0, 2 * top - 1, top, top - 1][seq]
    return mix((seq + ((field * 256 + element) << 48)) & M64) & (2 * top - 1)


POOL = b''.join(mix(j).to_bytes(8, sys.byteorder) for j in range(2048))


def pool_slice(seq, field, size):
    start = 8 * (((seq + 37 * field) & M64) % 1024)
    return POOL[start:start + size]


def tail(text, seq):
    return text[len(text) - seq % (len(text) + 1):]


def word(seq):
    return WORDS[seq % 8]


def cpumask(seq, env):
    pattern = bits(seq % 16, 2)
    number = sum((pattern >> cpu % 64 & 1) << cpu for cpu in range(env.nr_cpu_ids))
    return longs(number, env.cpumask_size)


def longs(number, size):
    """A bitmap as the kernel keeps it: longs in native byte order."""
    return b''.join((number >> 8 * at & (1 << 8 * LONG) - 1).to_bytes(LONG, sys.byteorder)
                    for at in range(0, size, LONG))


class Env:
    """The inputs of a record's values, apart from seq."""

    def __init__(self, nr_cpu_ids=None, words=None, landmark=None, pid=0, comm=b''):
        if nr_cpu_ids is None:
            with open('/sys/devices/system/cpu/possible') as f:
                nr_cpu_ids = int(f.read().strip().split(',')[-1].split('-')[-1]) + 1
        if words is None and os.path.exists(DEBUG + '/addresses'):
            with open(DEBUG + '/addresses') as f:
                addresses = {k: int(v, 0) for k, v in map(str.split, f)}
            words, landmark = addresses['words'], addresses['landmark']
        self.nr_cpu_ids = nr_cpu_ids
        self.cpumask_size = -(-nr_cpu_ids // (8 * LONG)) * LONG
        self.words = words or 0
        self.landmark = landmark or 0
        # Of the task that wrote to `fire`; None if not known.
        self.pid = pid
        self.comm = comm


def signed(pattern, width):
    return pattern - (1 << width) if pattern >> (width - 1) else pattern


def period(event, seq):
    return 1 + bits(seq, 1) % 1000 if event == 'counted' else 1


def sockaddr(seq):
    # struct sockaddr_in6: family, port, flowinfo, address, scope.
    port = bits(seq, 1, 0, 16).to_bytes(2, 'big')
    if seq & 1:
        halves = b''.join(bits(seq, 3, i).to_bytes(8, 'big') for i in range(2))
        return struct.pack('=H', 10) + port + bytes(4) + halves + bytes(4)
    return struct.pack('=H', 2) + port + bits(seq, 2, 0, 32).to_bytes(4, 'big') + bytes(8)


def values(event, seq, ctx, env):
    def u(field, width, element=0):
        return bits(seq, field, element, width)

    def s(field, width, element=0):
        return signed(bits(seq, field, element, width), width)

    if event == 'ints':
        w = 8 * LONG
        # Read a char as signed, though the format says unsigned since 6.2.
        return dict(f_u8=u(1, 8), f_s8=s(2, 8), f_u16=u(3, 16), f_s16=s(4, 16), f_u32=u(5, 32),
                    f_s32=s(6, 32), f_u64=u(7, 64), f_s64=s(8, 64), f_bool=u(9, 8) & 1,
                    f_char=s(10, 8), f_ulong=u(11, w), f_long=s(12, w), f_ptr=u(13, w),
                    f_color=u(14, 32) % 5, f_flags=u(15, 32) & 0x800000ff, f_pid=s(16, 32),
                    f_size=u(17, w))
    if event == 'arrays':
        return dict(f_u8=[u(1, 8, i) for i in range(5)], f_u16=[u(2, 16, i) for i in range(3)],
                    f_s32=[s(3, 32, i) for i in range(4)], f_u64=[u(4, 64, i) for i in range(2)],
                    f_name=word(seq).ljust(16, b'\0'))
    if event == 'strings':
        return dict(text=tail(TEXT, seq) + b'\0', empty=b'\0', none=b'(null)\0',
                    raw=tail(RAW, seq) + b'\0',
                    fixed=b'fix\0' + bytes(u(1, 8, i) for i in range(4, 16)),
                    tight=bytes(65 + u(2, 8, i) % 26 for i in range(8)))
    if event == 'hostile':
        return dict(text=tail(HOSTILE, seq) + b'\0')
    if event == 'vstrings':
        return dict(part=TEXT[:seq % (len(TEXT) + 1)] + b'\0',
                    msg=b'seq %d ctx %d\0' % (seq, ctx))
    if event == 'sock':
        return dict(addr=sockaddr(seq), rel_addr=sockaddr(seq))
    if event == 'pointers':
        return dict(name=env.words + 16 * (seq % 8), func=env.landmark, cookie=env.landmark + 1)
    if event == 'dyn':
        return dict(bytes=pool_slice(seq, 1, seq % 17), words=pool_slice(seq, 2, 4 * (seq % 9)),
                    longs=pool_slice(seq, 3, 8 * (seq % 5)))
    if event == 'rel':
        return dict(text=tail(TEXT, seq) + b'\0', halves=pool_slice(seq, 1, 2 * (seq % 7)),
                    none=b'(null)\0')
    if event == 'masks':
        wide = (u(1, 64) | u(1, 64, 1) << 64) & (1 << 100) - 1
        return dict(bits=longs(wide, 16), cpus=cpumask(seq, env),
                    rel_bits=longs(u(3, 64) & (1 << 33) - 1, 8), rel_cpus=cpumask(seq, env))
    if event == 'holes':
        return dict(first=u(1, 8), second=u(2, 64), third=u(3, 16), pair=(u(4, 32), u(5, 64)),
                    last=u(6, 8))
    if event == 'big':
        return dict(bytes=pool_slice(seq, 1, 3000 + seq % 1000))
    if event == 'huge':
        return dict(bytes=pool_slice(seq, 1, 7900 + seq % 200))
    if event == 'counted':
        return dict(n=period(event, seq))
    if event == 'tasky':
        return dict(pid=env.pid, comm=env.comm and env.comm.ljust(16, b'\0'))
    if event in ('class_a', 'class_b', 'odd'):
        return dict(name=word(seq) + b'\0')
    if event in ('nest_outer', 'nest_inner'):
        return dict(check=u(1, 64))
    if event in ('seq', 'cond', 'fn'):
        return {}
    raise KeyError(event)


def expected_fields(event, seq, ctx=0, env=None, cpu=None):
    """{name: value}: numbers as int, arrays of numbers as lists, char arrays and
    everything dynamic as the bytes in the record (strings with their 0), the
    struct of `holes` as (a, b). None where env does not know."""
    fields = dict(seq=seq, ctx=ctx)
    if event == 'seq':
        fields['id'] = cpu
    fields.update(values(event, seq, ctx, env or Env(0, 0, 0, None, None)))
    return fields


class Field:
    def __init__(self, line):
        part = dict(p.strip().split(':', 1) for p in line.strip().split(';') if ':' in p)
        declaration = part['field']
        self.offset, self.size = int(part['offset']), int(part['size'])
        self.signed = part.get('signed') == '1'
        self.loc = next((loc for loc in ('__data_loc', '__rel_loc')
                         if declaration.startswith(loc + ' ')), None)
        self.count = None
        self.type, self.name = declaration.rsplit(None, 1)
        if self.name.endswith(']'):
            self.name, count = self.name[:-1].split('[')
            # In "__rel_loc u16 halves[]" there is no number.
            self.count = int(count) if count else None
        self.width = self.size // (self.count or 1)

    def pack(self, value):
        """(bytes, mask) of a field of fixed size."""
        if value is None:
            return bytes(self.size), bytes(self.size)
        if isinstance(value, tuple):
            pad = bytes(4)
            return (struct.pack(ENDIAN + 'I', value[0]) + pad + struct.pack(ENDIAN + 'Q', value[1]),
                    b'\xff' * 4 + pad + b'\xff' * 8)
        if not isinstance(value, bytes):
            items = value if isinstance(value, list) else [value]
            value = b''.join((v & (1 << 8 * self.width) - 1).to_bytes(self.width, sys.byteorder)
                             for v in items)
        assert len(value) == self.size, self.name
        return value, b'\xff' * self.size

    def unpack(self, raw):
        """The value, decoded by nothing but the format."""
        data = raw[self.offset:self.offset + self.size]
        if self.loc:
            where = int.from_bytes(data, sys.byteorder)
            start = where & 0xffff
            if self.loc == '__rel_loc':
                start += self.offset + 4
            return raw[start:start + (where >> 16)]
        if self.type.startswith('struct '):
            return struct.unpack(ENDIAN + 'I4xQ', data)
        if self.count and self.type == 'char':
            return data
        items = [int.from_bytes(data[i:i + self.width], sys.byteorder, signed=self.signed)
                 for i in range(0, self.size, self.width)]
        return items if self.count else items[0]


class Format:
    """A tracefs format file."""

    def __init__(self, text):
        self.common, self.fields = [], []
        for line in text.splitlines():
            if line.startswith('name:'):
                self.name = line.split()[1]
            elif line.startswith('ID:'):
                self.id = int(line.split()[1])
            elif line.startswith('\tfield:'):
                field = Field(line)
                common = field.name.startswith('common_')
                (self.common if common else self.fields).append(field)
            elif line.startswith('print fmt:'):
                self.print_fmt = line.split(':', 1)[1].strip()
        self.by_name = {f.name: f for f in self.common + self.fields}
        # The compiler aligns the struct like its widest member.
        end = max(f.offset + f.size for f in self.fields)
        align = max(8 if f.type.startswith('struct ') else min(f.width, 8)
                    for f in self.common + self.fields)
        self.end = end
        self.size = -(-end // align) * align

    @classmethod
    def of(cls, event, system='ktrace_test'):
        with open(f'{TRACING}/events/{system}/{event}/format') as f:
            return cls(f.read())

    def decode(self, raw):
        return {f.name: f.unpack(raw) for f in self.common + self.fields}


def expected_record(fmt, seq, ctx, env, cpu=None):
    """(bytes, mask) from the first common byte to the last dynamic one. The mask
    is 0 for bytes without a known value: holes, and common fields other than the type."""
    fields = expected_fields(fmt.name, seq, ctx, env, cpu)
    # Dynamic data begins after the last member, in the padding if there is some.
    dynamic = any(f.loc for f in fmt.fields)
    size = fmt.end if dynamic else fmt.size
    data, mask = bytearray(size), bytearray(size)

    def put(offset, value, known):
        data[offset:offset + len(value)] = value
        mask[offset:offset + len(value)] = known

    kind = fmt.by_name['common_type']
    put(kind.offset, *kind.pack(fmt.id))
    for field in fmt.fields:
        value = fields[field.name]
        if not field.loc:
            put(field.offset, *field.pack(value))
            continue
        start = len(data)
        if field.loc == '__rel_loc':
            start -= field.offset + 4
        where = len(value) << 16 | start
        put(field.offset, where.to_bytes(4, sys.byteorder), b'\xff' * 4)
        data += value
        mask += b'\xff' * len(value)
    return bytes(data), bytes(mask)


def check_record(fmt, raw, env, cpu=None):
    """The faults of a record, in sentences. raw may be longer (alignment)."""
    if len(raw) < fmt.size:
        return [f'{fmt.name}: {len(raw)} bytes, and the fields take {fmt.size}']
    seq = fmt.by_name['seq'].unpack(raw)
    ctx = fmt.by_name['ctx'].unpack(raw)
    where = f'{fmt.name} seq {seq}'
    if ctx >= len(CONTEXTS):
        return [f'{where}: there is no context {ctx}']
    data, mask = expected_record(fmt, seq, ctx, env, cpu)
    if len(raw) < len(data):
        return [f'{where}: {len(raw)} bytes instead of {len(data)}']
    number = int.from_bytes(mask, 'little')
    if (int.from_bytes(raw[:len(data)], 'little') ^ int.from_bytes(data, 'little')) & number:
        for field in fmt.fields:
            got = field.unpack(raw)
            want = expected_fields(fmt.name, seq, ctx, env, cpu)[field.name]
            if want is not None and got != want and not (field.name == 'f_char' and
                                                         got & 255 == want & 255):
                return [f'{where}: {field.name} is {got!r} instead of {want!r}']
        at = next(i for i in range(len(data)) if (raw[i] ^ data[i]) & mask[i])
        return [f'{where}: byte {at} is {raw[at]:#x} instead of {data[at]:#x}']
    wrong = []
    flags = fmt.by_name['common_flags'].unpack(raw) & CONTEXT_FLAG_BITS
    # An NMI may hit a hard or soft interrupt, and a hard one a soft one.
    want = CONTEXT_FLAGS[CONTEXTS[ctx]]
    highest = next((bit for bit in (0x40, 0x08, 0x10) if flags & bit), 0)
    if highest != want:
        wrong.append(f'{where}: common_flags {flags:#x} in context {CONTEXTS[ctx]}')
    return wrong
