# SPDX-License-Identifier: GPL-2.0
"""A recording of tracepoints and profiles whose every sample is known, for outputs that hold
samples one by one."""
import random

import perfdata_writer as pw
from perfdata_writer import SAMPLE_TYPE, Writer
from scripts import path, write

KERNEL = 0xffffffff81000000
KERNEL_MARK = 2**64 - 128
FUNCTIONS = 20
KALLSYMS = ''.join(f'{KERNEL + 0x100 * i:x} T function_{i}\n' for i in range(FUNCTIONS))
KALLSYMS = f'{KERNEL:x} T _text\n{KALLSYMS}{KERNEL + 0x100 * FUNCTIONS:x} T _etext\n'

COMMON = '''\
\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;
\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;
\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;
\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;

'''
SWITCH = '''\
name: sched_switch
ID: 310
format:
''' + COMMON + '''\
\tfield:char prev_comm[16];\toffset:8;\tsize:16;\tsigned:0;
\tfield:pid_t prev_pid;\toffset:24;\tsize:4;\tsigned:1;
\tfield:int prev_prio;\toffset:28;\tsize:4;\tsigned:1;
\tfield:long prev_state;\toffset:32;\tsize:8;\tsigned:1;
\tfield:char next_comm[16];\toffset:40;\tsize:16;\tsigned:0;
\tfield:pid_t next_pid;\toffset:56;\tsize:4;\tsigned:1;
\tfield:int next_prio;\toffset:60;\tsize:4;\tsigned:1;

print fmt: "prev_pid=%d ==> next_pid=%d", REC->prev_pid, REC->next_pid
'''
KINDS = '''\
name: kinds
ID: 311
format:
''' + COMMON + '''\
\tfield:s64 below;\toffset:8;\tsize:8;\tsigned:1;
\tfield:u64 above;\toffset:16;\tsize:8;\tsigned:0;
\tfield:s8 tiny;\toffset:24;\tsize:1;\tsigned:1;
\tfield:u8 flag;\toffset:25;\tsize:1;\tsigned:0;
\tfield:u16 port;\toffset:26;\tsize:2;\tsigned:0;
\tfield:u8 bytes[4];\toffset:28;\tsize:4;\tsigned:0;
\tfield:__data_loc char[] text;\toffset:32;\tsize:4;\tsigned:0;

print fmt: "below=%lld text=%s", REC->below, __get_str(text)
'''
# Names and texts that break formats which do not escape them.
COMMS = {0: 'swapper', 7: 'first', 8: 'a "b", </c>', 9: 'd;e\\f'}
TEXTS = ['', 'plain', 'quote " comma , end', 'line\nend', 'ünïcode', '{{[[\\\\']


class Trace:
    """samples: dicts of time, event, cpu, pid, comm, period, chain (names of functions, the
    outermost first) and fields."""

    def __init__(self, name, samples=600, seed=3):
        self.samples = []
        self.random = random.Random(seed)
        self.w = w = Writer()
        w.strings[pw.ARCH] = 'x86_64'
        self.switch = w.event('sched:sched_switch', config=310)
        self.kinds = w.event('test:kinds', config=311)
        self.clock = w.event('cpu-clock', type=1,
                             sample_type=SAMPLE_TYPE & ~pw.RAW | pw.CALLCHAIN)
        w.format('sched', SWITCH)
        w.format('test', KINDS)
        w.mmap(-1, KERNEL, 0x100 * FUNCTIONS, '[kernel.kallsyms]_text', offset=KERNEL, misc=1)
        for pid, comm in COMMS.items():
            if pid:
                w.comm(pid, pid, comm, time=500 + pid)
        self.running, self.lost = [0, 0], 0
        self.losses = []        # (cpu, since, until): between the samples of a CPU before and behind
        for i in range(samples):
            self.add(10**9 + 1001 * i)
        with open(path(name), 'wb') as f:
            f.write(w.bytes())
        write('kallsyms', KALLSYMS)

    def add(self, time):
        cpu = self.random.randrange(2)
        pid = self.running[cpu]
        kind = self.random.randrange(4)
        if kind == 0:
            self.add_switch(time, cpu, pid)
        elif kind == 1:
            self.add_kinds(time, cpu, pid)
        elif kind == 2:
            chain = [self.random.randrange(FUNCTIONS) for _ in range(self.random.randrange(1, 6))]
            ips = [KERNEL + 0x100 * n + 16 for n in chain]
            period = self.random.randrange(1, 10**6)
            self.w.sample(self.clock, time=time, pid=pid, cpu=cpu, ip=ips[0], period=period,
                          chain=[KERNEL_MARK, *ips])
            self.note('cpu-clock', time, cpu, pid, {}, [f'function_{n}' for n in chain[::-1]],
                      period)
        elif not self.random.randrange(20):
            self.lost += 3
            self.w.lost(self.kinds, 3, time=time, cpu=cpu)
            before = [s['time'] for s in self.samples if s['cpu'] == cpu]
            self.losses.append((cpu, before[-1] if before else 0, time))

    def note(self, event, time, cpu, pid, fields, chain=(), period=1):
        self.samples.append({'event': event, 'time': time, 'cpu': cpu, 'pid': pid,
                             'comm': COMMS[pid], 'fields': fields, 'chain': list(chain),
                             'period': period})

    def add_switch(self, time, cpu, pid):
        following = self.random.choice([p for p in COMMS if p != pid and
                                        (not p or p not in self.running)])
        fields = {'prev_comm': COMMS[pid], 'prev_pid': pid, 'prev_prio': 120,
                  'prev_state': self.random.choice([0, 1, 2]), 'next_comm': COMMS[following],
                  'next_pid': following, 'next_prio': 100}
        raw = self.w.pack('HBBi16siiq16sii', 310, 0, 0, pid, *(
            v.encode() if isinstance(v, str) else v for v in fields.values()))
        self.w.sample(self.switch, time=time, pid=pid, cpu=cpu, raw=raw)
        self.note('sched:sched_switch', time, cpu, pid, fields)
        self.running[cpu] = following

    def add_kinds(self, time, cpu, pid):
        text = self.random.choice(TEXTS)
        fields = {'below': -self.random.randrange(2**63), 'above': self.random.randrange(2**64),
                  'tiny': self.random.randrange(-128, 128), 'flag': self.random.randrange(256),
                  'port': self.random.randrange(2**16), 'bytes': self.random.randbytes(4).hex(),
                  'text': text}
        data = text.encode() + b'\0'
        raw = self.w.pack('HBBiqQbBH4sHH', 311, 0, 0, pid, *list(fields.values())[:5],
                          bytes.fromhex(fields['bytes']), 36, len(data)) + data
        self.w.sample(self.kinds, time=time, pid=pid, cpu=cpu, raw=raw)
        self.note('test:kinds', time, cpu, pid, fields)

    def runs(self):
        """(cpu, pid, since, until, lost) of the task that ran between two switches of a CPU; @lost:
        when it was seen last before records were lost, else 0."""
        since = {}
        for s in self.samples:
            if s['event'] == 'sched:sched_switch':
                if s['cpu'] in since and s['pid']:
                    begin, end = since[s['cpu']], s['time']
                    lost = [max(a, begin) for cpu, a, b in self.losses
                            if cpu == s['cpu'] and b > begin and a < end]
                    yield s['cpu'], s['pid'], begin, end, min(lost, default=0)
                since[s['cpu']] = s['time']
