# SPDX-License-Identifier: GPL-2.0
"""The Python scripts of Debian's linux-perf, unmodified, by perf and by ktrace over
the same recordings, and a table of how far each of the two gets."""

import os
import re
import subprocess
import tempfile

from scripts import DIR, KTRACE, TOP, path, run, write, ENV
from tap import diag, ok, skip
from whole_frames import build_whole_frames

SCRIPTS = '/usr/lib/perf-core/scripts/python'

LOAD = ['/usr/bin/python3', '-c', '''
import socket, subprocess, threading
lock = threading.Lock()
def work():
    for i in range(50):
        with lock: sum(range(500))
threads = [threading.Thread(target=work) for i in range(3)]
[t.start() for t in threads]; [t.join() for t in threads]
a = socket.socket(socket.AF_INET, socket.SOCK_DGRAM); a.bind(("127.0.0.1", 0))
b = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
for i in range(5): b.sendto(b"x" * 100, a.getsockname()); a.recv(200)
nobody = a.getsockname(); a.close(); b.sendto(b"x", nobody)
subprocess.run(["ls", "/nonexistent"], capture_output=True)
''']
COMPACT = ['sh', '-c', 'echo 1 >/proc/sys/vm/compact_memory']

NET = ['net:net_dev_xmit', 'net:net_dev_queue', 'net:netif_receive_skb', 'net:netif_rx',
       'skb:consume_skb', 'skb:kfree_skb', 'skb:skb_copy_datagram_iovec', 'napi:napi_poll',
       'irq:irq_handler_entry', 'irq:irq_handler_exit', 'irq:softirq_entry', 'irq:softirq_exit',
       'irq:softirq_raise']

RECORDINGS = {
    'syscalls': ['raw_syscalls:sys_enter', 'raw_syscalls:sys_exit'],
    'futex': ['syscalls:sys_enter_futex', 'syscalls:sys_exit_futex'],
    'softirq': ['irq:softirq_entry'],
    'memory': ['irq:softirq_entry', 'kmem:kmalloc'],
    'net': NET,
    'drops': ['skb:kfree_skb'],
    'sched': ['sched:sched_switch', 'sched:sched_wakeup', 'sched:sched_wakeup_new',
              'sched:sched_migrate_task'],
    'compaction': ['compaction:mm_compaction_begin', 'compaction:mm_compaction_end',
                   'compaction:mm_compaction_migratepages',
                   'compaction:mm_compaction_isolate_migratepages',
                   'compaction:mm_compaction_isolate_freepages'],
    'clock': None,
}

# Script, recording, arguments, and a text in its output if perf cannot run it.
TABLE = [
    ('syscall-counts', 'syscalls', [], None),
    ('syscall-counts-by-pid', 'syscalls', [], None),
    ('failed-syscalls-by-pid', 'syscalls', [], None),
    ('sctop', 'syscalls', ['1'], None),
    ('futex-contention', 'futex', [], None),
    ('check-perf-trace', 'softirq', [], None),
    ('check-perf-trace', 'memory', [], r'bytes_req=\d+, bytes_alloc=\d+, gfp_flags=\w+'),
    ('net_dropmonitor', 'drops', [], r'LOCATION +OFFSET +COUNT'),
    ('netdev-times', 'net', ['tx'], r'dev +len +Qdisc +netdevice'),
    ('sched-migration', 'sched', [], r'time slices: [1-9]'),
    ('compaction-times', 'compaction', [], None),
    ('compaction-times', 'compaction', ['--', '-u', '-p'], None),
    ('stackcollapse', 'clock', [], None),
    ('flamegraph', 'clock', ['--', '-f', 'json', '-o', '-'], None),
    ('event_analyzing_sample', 'clock', [], None),
    ('mem-phys-addr', 'clock', [], None),
    ('powerpc-hcalls', 'syscalls', [], None),
    ('intel-pt-events', 'clock', [], None),
    ('arm-cs-trace-disasm', 'clock', [], None),
]

# This replaces the window, and prints the window's data.
GUI = '''
import wx
class RootFrame:
    def __init__(self, tracer, title, parent=None, id=-1):
        tracer.set_root_win(self)
        print('time slices: %d' % len(tracer.data))
'''
WX = '''
class App:
    def __init__(self, *a): pass
    def MainLoop(self): pass
'''


def record(tool, name):
    events = RECORDINGS[name]
    data = path('%s-%s.data' % (name, os.path.basename(tool[0])))
    options = ['-g', '--switch-events', '-e', 'cpu-clock', '-F', '500'] if events is None else \
        ['-a', '-m', '1024'] + [word for event in events for word in ('-e', event)]
    load = [build_whole_frames('whole')] if events is None else COMPACT if name == 'compaction' else LOAD
    result = run(*tool, 'record', '-q', '-o', data, *options, '--', *load)
    return data if os.path.exists(data) else None, result.stderr


# It fails in its own print() of a switch that it rejects; the run can go on.
KEEP_GOING = ['sched-migration']


def outcome(command, data, script, args, env):
    for left in ('/dev/shm/perf.db',):
        if os.path.exists(left):
            os.remove(left)
    keep = ['--keep-going'] if script in KEEP_GOING and command[0] == KTRACE else []
    result = run(*command, 'script', '-i', data, *keep, '-s',
                 os.path.join(SCRIPTS, script + '.py'), *args, env=env, cpu=400)
    if keep and result.returncode == 1 and 'format string' in result.stderr:
        result.returncode = 0
        return 'runs with --keep-going', result
    if result.returncode == 0:
        return 'runs', result
    last = [line for line in result.stderr.splitlines() if line.strip()] or ['']
    error = next((line for line in last if re.match(r'\w*(Error|Exception)\b', line)), last[-1])
    word = 'aborts' if result.returncode < 0 else 'status %d' % result.returncode
    return '%s: %s' % (word, error[:60]), result


def run_table(tools=(['perf'], [KTRACE]), only=None):
    """One check for each script and recording (of only those rows), and the table."""
    folder = tempfile.mkdtemp(dir=DIR)
    for name, text in ('SchedGui.py', GUI), ('wx.py', WX):
        with open(os.path.join(folder, name), 'w') as f:
            f.write(text)
    env = {**ENV, 'PYTHONPATH': folder, 'PYTHONWARNINGS': 'ignore'}
    recordings, rows = {}, []
    for script, name, args, wanted in TABLE:
        if only and (script, name) not in only:
            continue
        for tool in tools:
            by = os.path.basename(tool[0])
            title = '%s %s over %s by %s' % (script, ' '.join(args), name, by)
            if (name, by) not in recordings:
                recordings[name, by] = record(tool, name)
            data, why = recordings[name, by]
            if not data:
                skip('it cannot be recorded here: ' + (why.strip().splitlines() or [''])[-1], title)
                continue
            perf, its = outcome(['perf'], data, script, args, env)
            ktrace, ours = outcome([KTRACE], data, script, args, env)
            rows.append((script, name + ' by ' + by, perf, ktrace))
            good = ours.returncode == 0
            # perf's names of functions in modules have more text after the NUL that ends
            # them.
            its.stdout = re.sub(r'\0\[\w+\]', '', its.stdout)
            if script == 'flamegraph':
                its.stdout = re.sub(r'\\u0000\[\w+\]', '', its.stdout)
                # perf takes the vmlinux from the headers for the file of a module, and
                # the script then shows the module as the kernel.
                for result in its, ours:
                    result.stdout = result.stdout.replace('"l": "kernel"', '"l": ""')
            if its.returncode == 0 and script != 'sctop':
                good = good and ours.stdout == its.stdout
                if not good:
                    show_difference(ours, its)
            elif wanted:
                good = good and re.search(wanted, ours.stdout)
                if not good:
                    diag((ours.stdout + ours.stderr)[-600:])
            ok(good, title)
    widths = [max(len(row[i]) for row in rows) for i in range(3)]
    for row in [('script', 'recording', 'perf', 'ktrace')] + rows:
        diag('  '.join('%-*s' % (width, word) for width, word in zip(widths + [0], row)))


def show_difference(ours, its):
    diag(ours.stderr[-300:])
    diag(run('diff', '-a', write('ours.txt', ours.stdout), write('perfs.txt', its.stdout)).stdout[:1500])


def run_table_by_module(**options):
    """run_table() in a guest, where ktrace records by the module."""
    subprocess.run(['insmod', os.path.join(TOP, 'build/modules', os.uname().release, 'ktrace.ko')],
                   check=True)
    try:
        run_table(**options)
    finally:
        subprocess.run(['rmmod', 'ktrace'])
