# SPDX-License-Identifier: GPL-2.0
"""Recordings of a scheduler whose steps a test chooses, in the event formats of Linux 6.1, written
without a line of ktrace's or perf's code:

    r = SchedRecording({7: 'reader', 8: 'writer'}, cpus=2)
    r.switch(1000, cpu=0, prev=7, state='S', next=0)
    r.waking(2000, cpu=1, by=8, tid=7)
    r.switch(3000, cpu=0, prev=0, state='R', next=7)
    write('sched.data', r)
"""
import lzma
import os
import re

import perfdata_writer as pw
from tool import TOP, write

EVENTS = ('sched:sched_switch', 'sched:sched_waking', 'sched:sched_wakeup',
          'sched:sched_wakeup_new', 'sched:sched_migrate_task')
STATES = {'R': 0, 'S': 1, 'D': 2, 'X': 16, 'Z': 32, 'I': 0x402, 'R+': 0x100}
FIELD = re.compile(r'\tfield:(.*?)(\w+)(?:\[(\d*)\])?;\toffset:(\d+);\tsize:(\d+);')
HARDIRQ, SOFTIRQ = 0x08, 0x10       # of common_flags


class Format:
    """The text of an event's format file, and records of this format."""

    def __init__(self, system, text):
        self.system, self.text = system, text
        self.name = re.match(r'name: (\w+)', text)[1]
        self.id = int(re.search(r'^ID: (\d+)', text, re.M)[1])
        self.fields = [(m[2], m[1], int(m[4]), int(m[5])) for m in FIELD.finditer(text)]

    def raw(self, **values):
        out = bytearray(max(at + size for _, _, at, size in self.fields))
        values['common_type'] = self.id
        for name, kind, at, size in self.fields:
            value = values.pop(name, 0)
            if '__data_loc' in kind:
                text = value.encode() + b'\0'
                out[at:at + 4] = (len(text) << 16 | len(out)).to_bytes(4, 'little')
                out += text
            elif isinstance(value, str):
                out[at:at + size] = value.encode()[:size - 1].ljust(size, b'\0')
            else:
                out[at:at + size] = (value & (1 << 8 * size) - 1).to_bytes(size, 'little')
        assert not values, values
        return bytes(out)


def formats(names):
    """{'system:name': Format} of Linux 6.1."""
    with lzma.open(os.path.join(TOP, 'tests/oracle/formats/6.1.xz'), 'rt') as f:
        text = f.read()
    found = {}
    for name in names:
        system, event = name.split(':')
        head = f'# {system}\nname: {event}\n'
        at = text.index(head) + len(f'# {system}\n')
        end = text.find('\n# ', at)
        found[name] = Format(system, text[at:end + 1 if end >= 0 else len(text)])
    return found


class SchedRecording:
    """comms: {tid: name}, or {tid: (pid, name)} of threads.  Times are in ns.  of_command: the
    recording began with the exec of a command.  twice: all events are recorded twice."""

    def __init__(self, comms=(), events=EVENTS, cpus=2, chains=False, told=True, of_command=False,
                 twice=False):
        self.comms = {tid: value if isinstance(value, tuple) else (tid, value)
                      for tid, value in dict(comms).items()}
        self.comms[0] = 0, 'swapper'
        self.prio = {}                  # by tid; else 120
        self.writer = pw.Writer(features=(pw.TRACING, pw.HOSTNAME, pw.OSRELEASE, pw.ARCH,
                                          pw.NRCPUS, pw.EVENT_DESC))
        self.writer.strings.update({pw.ARCH: 'x86_64', pw.OSRELEASE: '6.1.0'})
        self.writer.feature = lambda bit, feature=self.writer.feature: (
            self.writer.pack('II', cpus, cpus) if bit == pw.NRCPUS else feature(bit))
        self.formats, self.events = formats(events), {}
        for name, form in self.formats.items():
            self.events[name] = self.writer.event(
                name, config=form.id, sample_type=pw.SAMPLE_TYPE | (pw.CALLCHAIN if chains else 0))
            if of_command:
                self.events[name].flags += pw.FLAG_ENABLE_ON_EXEC,
            self.writer.format(form.system, form.text)
        if twice:
            self.writer.twice()
        if told:
            for tid in sorted(self.comms):
                self.writer.comm(self.comms[tid][0], tid, self.comms[tid][1])

    def comm(self, tid):
        return self.comms.get(tid, (tid, f'task-{tid}'))[1]

    def sample(self, event, time, cpu, tid, chain=(), flags=0, **values):
        pid = self.comms.get(tid, (tid, ''))[0]
        raw = self.formats[event].raw(common_pid=tid, common_flags=flags, **values)
        self.writer.sample(self.events[event], time, pid, tid, cpu, chain=chain, raw=raw)

    def switch(self, time, cpu, prev, state, next, chain=()):
        self.sample('sched:sched_switch', time, cpu, prev, chain, prev_comm=self.comm(prev),
                    prev_pid=prev, prev_prio=self.prio.get(prev, 120), prev_state=STATES[state],
                    next_comm=self.comm(next), next_pid=next,
                    next_prio=self.prio.get(next, 120))

    def waking(self, time, cpu, by, tid, target=0, flags=0, chain=(), event='sched_waking'):
        self.sample('sched:' + event, time, cpu, by, chain, flags, comm=self.comm(tid), pid=tid,
                    prio=self.prio.get(tid, 120), target_cpu=target)

    def migrate(self, time, cpu, by, tid, orig, dest):
        self.sample('sched:sched_migrate_task', time, cpu, by, comm=self.comm(tid), pid=tid,
                    prio=120, orig_cpu=orig, dest_cpu=dest)

    def bytes(self):
        return self.writer.bytes()


def once_and_twice(*words, **more):
    """Two new recordings, which the body of the loop must fill alike: once.data, and twice.data,
    in which all events are recorded twice.  Each is written when its turn is over.

        for r in once_and_twice({7: 'reader'}, cpus=1):
            r.switch(1000, cpu=0, prev=7, state='S', next=0)
    """
    for file, twice in ('once.data', False), ('twice.data', True):
        recording = SchedRecording(*words, twice=twice, **more)
        yield recording
        write(file, recording)
