# SPDX-License-Identifier: GPL-2.0
"""Recordings as texts that a person can read and write, made binary by perfdata_writer:

    event sched:sched_switch
    task 7 reader
    task 8 writer
    1.000001000 0 7 sched_switch prev_state=S next_pid=8

tests/golden/README.rst describes the lines."""
import os
import re
import shlex
import struct

import perfdata_writer as pw
import sched_recording
import tiny_elf

STAT, STAT_ROUND, STAT_CONFIG, THREAD_MAP, CPU_MAP = 76, 77, 75, 73, 74
CPUID, CMDLINE, BRANCHES, STAT_FEATURE = 9, 11, 15, 19
EXEC = 1 << 13                  # a bit of COMM's misc
CONTEXT_KERNEL, CONTEXT_USER = 2 ** 64 - 128, 2 ** 64 - 512
KERNEL = 0xffff << 48           # addresses of the kernel
START = 0xffffffff81000000      # where its text begins
TYPES = {'hardware': 0, 'software': 1, 'tracepoint': 2, 'raw': 4}
SAMPLE = {name: getattr(pw, name.upper()) for name in (
    'ip', 'tid', 'time', 'addr', 'callchain', 'id', 'cpu', 'period', 'raw', 'branch_stack',
    'weight', 'data_src', 'identifier', 'phys_addr', 'cgroup')}
AGGREGATION = {'cpu': 0, 'nothing': 1, 'socket': 2, 'die': 3, 'core': 4, 'thread': 5, 'node': 7}
MODES = {'kernel': 1, 'user': 2}
# The names of perf_event_attr's flags here.
FLAGS = {'disabled': pw.FLAG_DISABLED, 'inherit': pw.FLAG_INHERIT,
         'enable_on_exec': pw.FLAG_ENABLE_ON_EXEC, 'freq': 10}
# When all recordings were made: their headers show it.
MADE = 1767225600


class Mistake(Exception):
    """A line that means nothing."""


def nanoseconds(text):
    seconds, _, fraction = text.partition('.')
    return int(seconds) * 10 ** 9 + int(fraction.ljust(9, '0'))


class Recording:
    """@text: in the form that tests/golden/README.rst describes."""

    def __init__(self, text):
        self.writer = pw.Writer(features=(pw.HOSTNAME, pw.OSRELEASE, pw.ARCH, pw.NRCPUS, pw.EVENT_DESC))
        self.writer.strings.update({pw.ARCH: 'x86_64', pw.OSRELEASE: '6.1.0-golden', pw.HOSTNAME: 'golden'})
        self.cpus = 4
        self.of_bit = self.writer.feature
        self.writer.feature = self.feature
        self.formats, self.events, self.chains = {}, {}, {}
        self.comms, self.pids = {0: 'swapper'}, {0: 0}
        self.symbols, self.programs = {}, {}
        lines = text.splitlines()
        self.find_formats(lines)
        at = 0
        while at < len(lines):
            block = []
            line, number = lines[at], at + 1
            at += 1
            while lines[at:at + 1] and (lines[at].startswith('\t') or not lines[at] and
                                        lines[at + 1:] and lines[at + 1].startswith('\t')):
                block.append(lines[at][1:])
                at += 1
            if not line.strip() or line.startswith('#'):
                continue
            try:
                self.take(shlex.split(line), block)
            except (Mistake, KeyError, ValueError, IndexError, AttributeError, AssertionError,
                    struct.error, TypeError) as e:
                raise Mistake(f'line {number}: {line}: {e!r}') from e

    def feature(self, bit):
        if bit == pw.NRCPUS:
            return self.writer.pack('II', self.cpus, self.cpus)
        if bit in (BRANCHES, STAT_FEATURE):
            return b''
        return self.of_bit(bit)

    def find_formats(self, lines):
        """The events of Linux 6.1 that the text names without a format of its own."""
        wanted = [line.split()[1] for line in lines if re.match(r'event \S+:', line)]
        own = [lines[i + 1].split()[-1] for i, line in enumerate(lines) if line.startswith('format ')]
        self.formats = sched_recording.formats(
            [name for name in wanted if name.split(':')[1] not in own])

    def take(self, words, block):
        if re.fullmatch(r'\d+\.\d+', words[0]):
            self.take_record(nanoseconds(words[0]), int(words[1]), int(words[2]), words[3], words[4:])
        else:
            getattr(self, 'take_' + words[0])(block, *words[1:])

    # -- the beginning

    def take_arch(self, _, name):
        self.writer.strings[pw.ARCH] = name

    def take_release(self, _, name):
        self.writer.strings[pw.OSRELEASE] = name

    def take_cpuid(self, _, name):
        self.writer.features += CPUID,
        self.writer.strings[CPUID] = name

    def take_command(self, _, *words):
        self.writer.features += CMDLINE,
        self.writer.contents[CMDLINE] = self.writer.pack('I', len(words)) + b''.join(
            map(self.writer.string, words))

    def take_cpus(self, _, nr):
        self.cpus = int(nr)

    def take_nodes(self, _, *cpus):
        self.writer.nodes(*cpus)

    def take_format(self, block, system):
        form = sched_recording.Format(system, '\n'.join(block) + '\n')
        self.formats[f'{system}:{form.name}'] = form

    def take_event(self, _, name, *more):
        words = dict(word.partition('=')[::2] for word in more)
        kind = TYPES[words.pop('type', 'tracepoint' if ':' in name else 'software')]
        config, sample = int(words.pop('config', '0'), 0), words.pop('sample', None)
        if kind == TYPES['tracepoint']:
            form = self.formats[name]
            config = form.id
            self.writer.features += () if pw.TRACING in self.writer.features else (pw.TRACING,)
            self.writer.format(form.system, form.text)
        bits = pw.SAMPLE_TYPE & ~(0 if kind == TYPES['tracepoint'] else pw.RAW)
        if sample is not None:
            bits = sum(SAMPLE[part] for part in sample.split(',') if part)
        if 'chains' in words:
            bits |= pw.CALLCHAIN
        if bits & pw.BRANCH_STACK and BRANCHES not in self.writer.features:
            self.writer.features += BRANCHES,
        more = {key: int(words[key], 0) for key in ('period', 'read_format', 'branches') if key in words}
        event = self.writer.event(name, type=kind, config=config, sample_type=bits, **more)
        event.flags += tuple(bit for flag, bit in FLAGS.items() if flag in words)
        unknown = set(words) - set(more) - set(FLAGS) - {'chains'}
        if unknown:
            raise Mistake(f'an event has no {", ".join(unknown)}')
        self.events[name] = self.events[name.split(':')[-1]] = event

    def take_task(self, _, numbers, name):
        pid, _, tid = numbers.partition('/')
        self.name_task(int(pid), int(tid or pid), name)
        if not self.events:
            raise Mistake('an event has to stand above')
        self.writer.comm(int(pid), int(tid or pid), name)

    def name_task(self, pid, tid, name):
        self.comms[tid], self.pids[tid] = name, pid

    def take_symbol(self, _, address, name):
        self.symbols[name] = int(address, 0)

    def take_kernel(self, _, first, size):
        """The kernel's text, which begins at the symbol @first."""
        self.writer.mmap(-1, self.symbols[first], int(size, 0), '[kernel.kallsyms]_text',
                         offset=self.symbols[first], misc=1)

    def take_program(self, block, file):
        functions, at = [], 0
        for line in block:
            line = line.partition(';')[0].strip()
            if line.endswith(':'):
                address, name = line[:-1].split()
                at = int(address, 0)
                functions.append((name, at, b''))
                self.symbols[name] = at
            elif line:
                name, at, data = functions[-1]
                functions[-1] = name, at, data + bytes.fromhex(line)
        self.programs[file] = functions

    def take_map(self, _, tid, file, start=None, size='0x1000', offset='0'):
        tid = int(tid)
        if start is None:
            start = str(self.programs[file][0][1] & -4096)
            offset = str(4096 if self.programs[file][0][1] % 4096 == 0 else 0)
        self.writer.mmap2_inode(self.pids.get(tid, tid), int(start, 0), int(size, 0), file, 0,
                                int(offset, 0))

    def take_chain(self, _, name, *frames):
        self.chains[name.rstrip(':')] = [self.address(frame) for frame in frames]

    # -- perf stat record

    def take_stat(self, _, aggregation, interval='0'):
        self.writer.features += STAT_FEATURE,
        pack = self.writer.pack
        self.writer.record(STAT_CONFIG, pack('Q', 3) + pack('QQ', 0, AGGREGATION[aggregation]) +
                           pack('QQ', 1, int(interval)) + pack('QQ', 2, 1))

    def take_threads(self, _, *threads):
        body = self.writer.pack('Q', len(threads))
        for thread in threads:
            tid, _, name = thread.partition(':')
            body += self.writer.pack('q', int(tid)) + name.encode().ljust(16, b'\0')
        self.writer.record(THREAD_MAP, body)

    def take_cpumap(self, _, *cpus):
        body = self.writer.pack('HH', 0, len(cpus)) + self.writer.pack(
            f'{len(cpus)}H', *(int(cpu) & 0xffff for cpu in cpus))
        self.writer.record(CPU_MAP, body.ljust(len(body) + 7 & ~7, b'\0'))

    def take_count(self, _, event, cpu, thread, value, enabled='1', running=None):
        """The count of @event since the beginning; times in seconds."""
        enabled, running = (nanoseconds(text) for text in (enabled, running or enabled))
        self.writer.record(STAT, self.writer.pack(
            'QIIQQQ', self.events[event].ids[0], int(cpu) & 0xffffffff, int(thread), int(value), enabled,
            running))

    def take_round(self, _, kind, time):
        self.writer.record(STAT_ROUND, self.writer.pack('QQ', ('interval', 'final').index(kind),
                                                        nanoseconds(time)))

    # -- records with a time

    def address(self, text):
        name, _, more = text.partition('+')
        if name in self.symbols:
            return self.symbols[name] + int(more or '0', 0)
        return int(text, 0)

    def take_record(self, time, cpu, tid, what, words):
        pid = self.pids.get(tid, tid)
        if what in ('comm', 'exec'):
            self.name_task(pid, tid, words[0])
            start = len(self.writer.records)
            self.writer.comm(pid, tid, words[0], time, cpu)
            if what == 'exec':
                records = bytearray(self.writer.records)
                struct.pack_into(self.writer.order + 'H', records, start + 4, EXEC)
                self.writer.records = bytes(records)
        elif what == 'fork':
            child = int(words[0])
            self.name_task(child, child, self.comms.get(tid, ''))
            self.writer.fork(child, pid, time, cpu)
        elif what == 'exit':
            self.writer.fork(tid, tid, time, cpu, kind=pw.EXIT)
        elif what == 'lost':
            self.writer.lost(self.events[words[0]], int(words[1]), time, cpu)
        else:
            self.take_sample(time, cpu, tid, self.events[what], words)

    def take_sample(self, time, cpu, tid, event, words):
        of_sample, values, chain = {}, {}, []
        if '<' in words:
            at = words.index('<')
            for frame in words[at + 1:]:
                chain += self.chains.get(frame) or [self.address(frame)]
            words = words[:at]
        for word in words:
            name, _, value = word.partition('=')
            if name.startswith('@'):
                of_sample[name[1:]] = value
            else:
                values[name] = value
        ip = self.address(of_sample.pop('ip')) if 'ip' in of_sample else (chain or [0])[0]
        mode = MODES[of_sample.pop('mode')] if 'mode' in of_sample else 1 if ip >= KERNEL or not ip else 2
        branches = [self.branch(text) for text in of_sample.pop('branches', '').split(',') if text]
        numbers = {name: int(value, 0) for name, value in of_sample.items()}
        numbers.setdefault('period', event.period)
        raw = b''
        if event.name in self.formats:
            form = self.formats[event.name]
            raw = form.raw(**self.fill(form, tid, values))
        elif values:
            raise Mistake(f'{event.name} has no fields')
        if event.sample_type & pw.CALLCHAIN and not chain and ip:
            chain = [ip]
        self.writer.sample(event, time, self.pids.get(tid, tid), tid, cpu, ip, chain=self.marked(chain),
                           raw=raw, misc=mode, branches=branches, **numbers)

    def branch(self, text):
        """FROM>TO[:P|M[CYCLES]]"""
        places, _, flags = text.partition(':')
        bits = {'': 0, 'M': 1, 'P': 2}[flags[:1]] | int(flags[1:] or '0') << 4
        return *map(self.address, places.split('>')), bits

    @staticmethod
    def marked(chain):
        """@chain with the numbers that stand before frames of the kernel and of user space."""
        out, last = [], None
        for address in chain:
            context = CONTEXT_KERNEL if address >= KERNEL else CONTEXT_USER
            if context != last:
                out.append(context)
            out.append(address)
            last = context
        return out

    def fill(self, form, tid, values):
        """Numbers of all fields. Missing ones get their usual values: the task itself, the name of
        the task with a number, a usual priority."""
        out = {}
        kinds = {name: (kind, size) for name, kind, _, size in form.fields}
        for name, text in values.items():
            kind, size = kinds[name]
            if name.endswith('_state') and not re.match(r'-?\d', text):
                out[name] = sched_recording.STATES[text]
            elif '__data_loc' in kind or size > 1 and 'char' in kind and '*' not in kind:
                out[name] = text
            elif ',' in text:
                parts = [self.address(part) for part in text.split(',')]
                out[name] = sum(part % 2 ** 64 << 64 * i for i, part in enumerate(parts))
            else:
                out[name] = self.address(text)
        out.setdefault('common_pid', tid)
        if 'prev_pid' in kinds:
            out.setdefault('prev_pid', tid)
        for name, (kind, _) in kinds.items():
            of = name[:-len('comm')] + 'pid' if name.endswith('comm') else ''
            if of in kinds and name not in out and 'char' in kind:
                number = out.setdefault(of, tid)
                out[name] = self.comms.get(number, f'task-{number}')
                if number == 0:
                    out[name] = 'swapper'
            if name.endswith('prio'):
                out.setdefault(name, 120)
        return out

    # -- files

    def save(self, stem):
        """Writes @stem.data, @stem.kallsyms, programs below @stem.symfs and format files below
        @stem.formats, all of the same time."""
        with open(stem + '.data', 'wb') as f:
            f.write(self.writer.bytes())
        os.utime(stem + '.data', (MADE, MADE))
        for name, form in self.formats.items():
            folder = f'{stem}.formats/{name.replace(":", "/")}'
            os.makedirs(folder, exist_ok=True)
            with open(folder + '/format', 'w', encoding='utf-8') as f:
                f.write(form.text)
        with open(stem + '.kallsyms', 'w', encoding='ascii') as f:
            # Without symbols, it is still the table of a kernel that has shown its addresses.
            for name, address in sorted({'_text': START, **self.symbols}.items(), key=lambda item: item[1]):
                if address >= KERNEL:
                    f.write(f'{address:016x} T {name}\n')
        for file, functions in self.programs.items():
            path = f'{stem}.symfs/{file}'
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, 'wb') as f:
                f.write(tiny_elf.elf(functions))


def save(source, stem):
    """The recording of the text @source as files that begin with @stem."""
    with open(source, encoding='utf-8') as f:
        try:
            recording = Recording(f.read())
        except Mistake as e:
            raise Mistake(f'{source}: {e}') from e
    recording.save(stem)
