# SPDX-License-Identifier: GPL-2.0
"""Reads the data of a page that report --html wrote, independently of the page's own script; and
makes recordings for pages."""
import base64
import json
import random
import re
from collections import Counter

import perfdata_writer as pw
from perfdata_writer import SAMPLE_TYPE, Writer
from scripts import path

KERNEL = 0xffffffff81000000
USER_MARK, KERNEL_MARK = 2**64 - 512, 2**64 - 128
FUNCTIONS = 40
KINDS = ('user', 'kernel', 'inlined', 'unknown', 'all', 'rest')


def numbers(text):
    value = shift = 0
    for byte in base64.b64decode(text):
        value |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            yield value
            value = shift = 0


class Codes:
    """Exponential Golomb codes, the highest bit of a byte first."""

    def __init__(self, text):
        data = base64.b64decode(text)
        self.bits, self.at = f'{int.from_bytes(data, "big"):0{8 * len(data)}b}' if data else '', 0

    def next(self, order):
        first = self.bits.index('1', self.at)
        end = first + 1 + first - self.at + order
        value, self.at = int(self.bits[first:end], 2), end
        return value - (1 << order)


class Page:
    """functions: (name, binary, kind); parents and node_functions by node; cells: (event, task,
    cpu, stretch, node, samples, period)."""

    def __init__(self, file):
        with open(file, encoding='utf-8') as f:
            self.text = f.read()
        found = re.findall(r'<script type="application/json" id="data">(.*?)</script>', self.text,
                           re.S)
        assert len(found) == 1
        self.json = json.loads(found[0])
        self.strings = self.json['strings']
        words = iter(numbers(self.json['functions']))
        found = [(self.strings[name], self.strings[next(words)], next(words)) for name in words]
        self.functions = [(name, binary, KINDS[word >> 1]) for name, binary, word in found]
        self.own = {name for name, _, word in found if word & 1}
        self.read_nodes()
        self.is_exact = self.json['samples'] != ''
        self.cells = list(self.stretched() if self.is_exact else self.read_cells())

    def read_nodes(self):
        words = iter(numbers(self.json['nodes']))
        self.parents, self.node_functions, path, depth = [0], [next(words)], [0], 0
        for up in words:
            depth += 1 - up
            self.parents.append(path[depth - 1])
            path[depth:] = [len(self.node_functions)]
            self.node_functions.append(next(words))

    def samples(self):
        """(event, task, cpu, time, node, period) of all samples, times in ns since the first one."""
        words, counts = Codes(self.json['samples']), list(numbers(self.json['counts']))
        ranks = sorted(range(len(counts)), key=lambda node: (-counts[node], node))
        for lane in self.json['lanes']:
            event, time, step = self.json['events'][lane['event']], 0, 0
            for _ in range(lane['cells']):
                word = words.next(event['codes'][0])
                step += (word >> 1) ^ -(word & 1)
                time += step
                node = ranks[words.next(event['codes'][1])]
                yield (lane['event'], lane['task'], lane['cpu'], time * self.json['tick'], node,
                       event['each'] or words.next(event['codes'][2]))

    def stretched(self):
        """The samples as cells; one that stands for a time is in all stretches of it."""
        width = self.json['time']['width']
        for event, task, cpu, time, node, period in self.samples():
            stretch, end, samples = time // width, time + period, 1
            if not self.json['events'][event]['timed']:
                yield event, task, cpu, stretch, node, 1, period
                continue
            while samples or time < end:
                until = min(end, (stretch + 1) * width)
                yield event, task, cpu, stretch, node, samples, until - time
                time, stretch, samples = until, stretch + 1, 0

    def read_cells(self):
        words = iter(numbers(self.json['cells']))
        for lane in self.json['lanes']:
            each, left, stretch = self.json['events'][lane['event']]['each'], lane['cells'], 0
            while left:
                stretch += next(words)
                node = 0
                for _ in range(next(words)):
                    word = next(words)
                    node += word >> 1
                    samples = next(words) if word & 1 else 1
                    period = samples * each if each else next(words)
                    repeated = 1 if samples else next(words)
                    for at in range(repeated):
                        yield (lane['event'], lane['task'], lane['cpu'], stretch + at, node,
                               samples, period)
                    stretch += repeated - 1
                    left -= repeated

    def runs(self):
        """(cpu, since, until, comm or None) of all runs, ns since the first sample."""
        words, cpu, last, first = iter(numbers(self.json['runs'])), 0, 0, True
        for more in words:
            if more or first:
                cpu, last, first = cpu + more, 0, False
            since = last + next(words)
            last = since + next(words)
            yield cpu, since, last, self.comm(next(words) - 1)

    def wakes(self):
        """(time, wait, waker, comm) of wakeups, the longest waits first."""
        words = iter(numbers(self.json['wakes']))
        for woken in words:
            yield woken, next(words), next(words) - 1, self.comm(next(words))

    def states(self):
        """By comm, (since, until, ns of each state) of all stays, ns since the first sample."""
        words, found = iter(numbers(self.json['states'])), {}
        for task in words:
            last, stays = 0, found.setdefault(self.comm(task), [])
            for _ in range(next(words)):
                word = next(words)
                since, state = last + (word >> 2), word & 3
                last = since + next(words)
                times = [next(words) for _ in range(3)] if state == 3 else \
                    [last - since if i == state else 0 for i in range(3)]
                stays.append((since, last, *times))
        return found

    def rows(self):
        """(time, event, task, cpu, node, text) of single events, ns since the first sample."""
        words, time = iter(numbers(self.json['rows'])), 0
        for gap in words:
            time += gap
            lane, node, text = self.json['lanes'][next(words)], next(words), next(words)
            yield (time, lane['event'], lane['task'], lane['cpu'], node,
                   self.strings[text - 1] if text else '')

    def comm(self, task):
        return None if task < 0 else self.strings[self.json['tasks'][task]['comm']]

    def chain(self, node):
        """The numbers of the functions of a node, innermost first."""
        while node:
            yield self.node_functions[node]
            node = self.parents[node]

    def sums(self, event):
        """By (name, binary): periods of samples in it and of those with it in their chain, and
        the number of samples in it."""
        own, all_, samples = Counter(), Counter(), Counter()
        for cell in self.cells:
            if cell[0] != event:
                continue
            chain = [self.functions[f][:2] for f in self.chain(cell[4])]
            if chain:
                own[chain[0]] += cell[6]
                samples[chain[0]] += cell[5]
            for name in set(chain):
                all_[name] += cell[6]
        return own, all_, samples


def make_recording(name, symbols, comms, samples, seed=1, hot=None):
    """Random chains of functions of the kernel, some recursive, of two events.  Of each ten
    samples, one more is in the function number `hot`."""
    generator = random.Random(seed)
    w = Writer()
    w.strings[pw.ARCH] = 'x86_64'
    kind = SAMPLE_TYPE & ~pw.RAW | pw.CALLCHAIN
    events = [w.event('cpu-clock', type=1, sample_type=kind),
              w.event('page-faults', type=1, config=2, sample_type=kind)]
    w.mmap(-1, KERNEL, 0x1000 * FUNCTIONS, '[kernel.kallsyms]_text', offset=KERNEL, misc=1)
    for i, comm in enumerate(comms):
        w.comm(10 + i, 10 + i, comm, time=100 + i)
        w.mmap(10 + i, 0x400000, 0x1000, f'/opt/{symbols[-1 - i]}', time=200 + i)
    for i in range(samples):
        task = 10 + generator.randrange(len(comms))
        chain = [KERNEL + 0x100 * generator.randrange(FUNCTIONS) + 0x10
                 for _ in range(generator.randrange(1, 8))]
        if hot is not None and i % 10 == 1:
            chain[0] = KERNEL + 0x100 * hot + 0x10
        w.sample(events[i % 5 == 0], time=10**9 + i * 10**6, pid=task, cpu=generator.randrange(2),
                 ip=chain[0], period=1000 if i % 5 else i, misc=1,
                 chain=[KERNEL_MARK, *chain, USER_MARK, 0x400010])
    w.lost(events[0], 7, time=10**9 + 50 * 10**6)
    with open(path(name), 'wb') as f:
        f.write(w.bytes())
    with open(path('kallsyms'), 'wb') as f:
        f.write(f'{KERNEL:x} T _text\n'.encode())
        for i in range(FUNCTIONS):
            f.write(b'%x T %s\n' % (KERNEL + 0x100 * i, symbols[i % len(symbols)].encode() + b'%d' % i
                                    if i >= len(symbols) else symbols[i].encode()))
        f.write(f'{KERNEL + 0x100 * FUNCTIONS:x} T _etext\n'.encode())


SCHED_FIELDS = '''\
	field:unsigned short common_type;	offset:0;	size:2;	signed:0;
	field:unsigned char common_flags;	offset:2;	size:1;	signed:0;
	field:unsigned char common_preempt_count;	offset:3;	size:1;	signed:0;
	field:int common_pid;	offset:4;	size:4;	signed:1;

'''
SCHED_SWITCH = f'''\
name: sched_switch
ID: 401
format:
{SCHED_FIELDS}\
	field:char prev_comm[16];	offset:8;	size:16;	signed:0;
	field:pid_t prev_pid;	offset:24;	size:4;	signed:1;
	field:int prev_prio;	offset:28;	size:4;	signed:1;
	field:long prev_state;	offset:32;	size:8;	signed:1;
	field:char next_comm[16];	offset:40;	size:16;	signed:0;
	field:pid_t next_pid;	offset:56;	size:4;	signed:1;
	field:int next_prio;	offset:60;	size:4;	signed:1;

print fmt: "%d ==> %d", REC->prev_pid, REC->next_pid
'''
SCHED_WAKING = f'''\
name: sched_waking
ID: 402
format:
{SCHED_FIELDS}\
	field:char comm[16];	offset:8;	size:16;	signed:0;
	field:pid_t pid;	offset:24;	size:4;	signed:1;
	field:int prio;	offset:28;	size:4;	signed:1;
	field:int target_cpu;	offset:32;	size:4;	signed:1;

print fmt: "%d", REC->pid
'''


def make_sched_recording(name):
    """Two tasks, 10 and 11, on one CPU; times are in microseconds."""
    w = Writer()
    w.strings[pw.ARCH] = 'x86_64'
    kind = SAMPLE_TYPE | pw.CALLCHAIN
    switch = w.event('sched:sched_switch', config=401, sample_type=kind)
    waking = w.event('sched:sched_waking', config=402, sample_type=kind)
    w.format('sched', SCHED_SWITCH)
    w.format('sched', SCHED_WAKING)
    w.mmap(-1, KERNEL, 0x1000 * FUNCTIONS, '[kernel.kallsyms]_text', offset=KERNEL, misc=1)
    w.comm(10, 10, 'first', time=1)
    w.comm(11, 11, 'second', time=2)

    def add(event, time, pid, function, raw):
        ip = KERNEL + 0x100 * function + 0x10
        w.sample(event, time=10**9 + time * 1000, pid=pid, cpu=0, ip=ip, misc=1, raw=raw,
                 chain=[KERNEL_MARK, ip, KERNEL + 0x10])

    def change(time, prev, state, to, function):
        add(switch, time, prev, function, w.pack('HBBi16siiq16sii', 401, 0, 0, prev, b'', prev, 120,
                                                 state, b'', to, 120))

    def wake(time, waker, pid):
        add(waking, time, waker, 9, w.pack('HBBi16siiii', 402, 0, 0, waker, b'', pid, 120, 0, 0))
    change(0, 10, 1, 11, 1)
    wake(400, 11, 10)
    change(500, 11, 0, 10, 2)
    change(900, 10, 2, 11, 3)
    change(1000, 11, 1, 0, 4)
    wake(1500, 0, 10)
    with open(path(name), 'wb') as f:
        f.write(w.bytes())


def make_command_recording(name, switches):
    """Switches away from task 10, on CPU 0, and 11, and the end of 10; times are in microseconds.
    With @switches, records say when 10 begins to run."""
    w = Writer()
    event = w.event('sched:sched_switch', config=401)
    w.format('sched', SCHED_SWITCH)
    w.comm(10, 10, 'first', time=1)
    w.comm(11, 11, 'second', time=2)
    for time, kind in ((0, 1), (100, 'in'), (300, 0), (500, 'in'), (600, 1), (800, 'in')):
        ns = 10**9 + time * 1000
        if kind != 'in':
            w.sample(event, time=ns, pid=10, cpu=0, raw=w.pack(
                'HBBi16siiq16sii', 401, 0, 0, 10, b'first', 10, 120, kind, b'', 0, 120))
        elif switches:
            w.record(pw.SWITCH, w.sample_id(event, 10, 10, ns, 0))
    w.fork(10, 1, time=10**9 + 900000, kind=pw.EXIT)
    w.sample(event, time=10**9 + 1000000, pid=11, cpu=1, raw=w.pack(
        'HBBi16siiq16sii', 401, 0, 0, 11, b'second', 11, 120, 1, b'', 0, 120))
    with open(path(name), 'wb') as f:
        f.write(w.bytes())


def make_busy_recording(name):
    """All CPUs while `./shopd 3` ran: it made a process, and another one has more samples."""
    w = Writer()
    words = ['perf', 'record', '-a', '-g', '--', './shopd', '3']
    w.strings[pw.ARCH] = 'x86_64'
    w.features = (*w.features, pw.CMDLINE)
    w.contents[pw.CMDLINE] = w.pack('I', len(words)) + b''.join(map(w.string, words))
    event = w.event('cpu-clock', type=1, sample_type=SAMPLE_TYPE & ~pw.RAW)
    w.comm(0, 0, 'swapper', time=1)
    w.comm(2, 2, 'kthreadd', time=2)
    w.fork(3, 2, time=3)
    w.comm(3, 3, 'kworker', time=4)
    w.comm(50, 50, 'hog', time=5)
    w.comm(60, 60, 'shopd', time=6)
    w.fork(61, 60, time=7)
    w.comm(61, 61, 'helper', time=8)
    for i, (pid, samples) in enumerate(((0, 50), (3, 7), (50, 40), (61, 20), (60, 10))):
        for k in range(samples):
            w.sample(event, time=10**9 + k * 10**6 + i, pid=pid, cpu=i % 2, ip=KERNEL, period=10**6, misc=1)
    with open(path(name), 'wb') as f:
        f.write(w.bytes())


def make_ordered_recording(name):
    """A sample each ms on one CPU or the other: 1, 2, 3 call each other for 5 ms, then 1, 2, 4; and
    these again after 5 ms without a sample."""
    w = Writer()
    w.strings[pw.ARCH] = 'x86_64'
    event = w.event('cpu-clock', type=1, sample_type=SAMPLE_TYPE & ~pw.RAW | pw.CALLCHAIN)
    w.mmap(-1, KERNEL, 0x1000 * FUNCTIONS, '[kernel.kallsyms]_text', offset=KERNEL, misc=1)
    w.comm(10, 10, 'first', time=1)
    for ms in [*range(10), *range(15, 20)]:
        chain = [KERNEL + 0x100 * function + 0x10 for function in ((3, 2, 1) if ms < 5 else (4, 2, 1))]
        w.sample(event, time=10**9 + ms * 10**6, pid=10, cpu=ms % 2, ip=chain[0], period=10**6, misc=1,
                 chain=[KERNEL_MARK, *chain])
    with open(path(name), 'wb') as f:
        f.write(w.bytes())


def make_large_recording(name, samples):
    """Samples that take many bytes: their times and periods are irregular."""
    generator, time = random.Random(1), 10**9
    w = Writer()
    w.strings[pw.ARCH] = 'x86_64'
    event = w.event('cycles', sample_type=SAMPLE_TYPE & ~pw.RAW)
    w.comm(10, 10, 'first', time=1)
    records = []
    for _ in range(samples):
        time += generator.randrange(1 << 42)
        records.append(w.pack('IHHQQiiQIIQ', pw.SAMPLE, 1, 56, event.ids[0], KERNEL, 10, 10, time, 0, 0,
                              generator.randrange(1 << 42)))
    w.records += b''.join(records)
    with open(path(name), 'wb') as f:
        f.write(w.bytes())
