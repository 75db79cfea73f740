# SPDX-License-Identifier: GPL-2.0
"""Code that the reports of this folder share: selection of tasks, and tables."""
import os
import re
import shutil
import signal
import sys
import threading
import time
from array import array
from bisect import bisect_right
from collections import defaultdict


class TaskFilter:
    """The optional argument COMM or PID of a report."""

    def __init__(self, usage='[comm|pid]'):
        if len(sys.argv) > 2:
            sys.exit('usage: %s %s' % (sys.argv[0], usage))
        self.wanted = sys.argv[1] if len(sys.argv) > 1 else None
        self.pid = int(self.wanted) if self.wanted and self.wanted.isdigit() else None

    def accepts(self, comm, pid):
        return self.wanted is None or pid == self.pid or comm == self.wanted

    def title(self, text):
        return text + (' for %s' % self.wanted if self.wanted else '') + ':'


def no_arguments():
    if len(sys.argv) > 1:
        sys.exit('usage: %s' % sys.argv[0])


def columns_that_fit():
    """How many columns a line may have on the terminal, 80 at least; None: it is no terminal."""
    return max(80, shutil.get_terminal_size().columns) if sys.stdout.isatty() else None


def one_line(value):
    """The text of a value; a line end in a name is shown as \\n, so that it makes no line."""
    return str(value).replace('\n', '\\n').replace('\r', '\\r')


def cut(text, width):
    """The text, or its beginning and end with '..' between them if it is too wide."""
    if len(text) <= width:
        return text
    begin = (width - 1) // 2
    return text[:begin] + '..' + text[len(text) - (width - 2 - begin):]


class Table:
    """Rows whose first column is aligned to the left, all others to the right.  Elsewhere than on a
    terminal, it is printed as wide as widths say.  On a terminal, columns are made narrower if they
    need not be so wide, then the first one is cut, and then the columns of least (their numbers,
    the most dispensable one first) are left out."""
    NAME = 20       # the first column is cut to this width before other columns are left out

    def __init__(self, header, widths, rows, least=None, gap=2, indent=0):
        self.rows = [[one_line(value) for value in row] for row in rows]
        self.header = [str(title) for title in header]
        self.widths, self.gap, self.indent = list(widths), gap, indent
        self.shown = list(range(len(widths)))
        self.left_out, self.is_cut = [], False
        room = columns_that_fit()
        if room:
            self.fit(room, list(least) if least is not None else self.shown[:0:-1])

    def width(self):
        return self.indent + sum(self.widths[n] for n in self.shown) + \
            self.gap * (len(self.shown) - 1)

    def fit(self, room, least):
        needed = [max([len(row[n]) for row in [self.header] + self.rows])
                  for n in range(len(self.widths))]
        wide = [max(pair) for pair in zip(needed, self.widths)]
        if self.width() + sum(wide) - sum(self.widths) > room:
            self.widths = list(needed)
        while True:
            over = self.width() - room
            if over <= 0:
                return
            self.is_cut = True
            self.widths[0] = max(self.widths[0] - over, min(self.widths[0], self.NAME))
            if self.width() <= room or not least:
                return
            self.left_out.append(least.pop(0))
            self.shown.remove(self.left_out[-1])
            self.widths[0] = needed[0]

    def line(self, row):
        row = [one_line(value) for value in row]
        name = cut(row[0], self.widths[0]) if self.is_cut else row[0]
        return (' ' * self.indent + name.ljust(self.widths[0]) +
                ''.join(' ' * self.gap + row[n].rjust(self.widths[n])
                        for n in self.shown[1:])).rstrip()

    def rule(self):
        return self.line(['-' * width for width in self.widths])

    def print(self):
        for row in self.rows:
            print(self.line(row))

    def notes(self):
        """Sentences about the parts that do not fit on the terminal."""
        if self.is_cut and any(len(row[0]) > self.widths[0] for row in self.rows):
            yield "'..' replaces the middle of a name that is too wide for this terminal."
        if self.left_out:
            names = [self.header[n] for n in sorted(self.left_out)]
            yield 'Not shown on this terminal: %s.' % cut(', '.join(names), 48)


def print_columns(widths, rows):
    """Print the rows of a table without its header."""
    Table([''] * len(widths), widths, rows).print()


def print_table(title, header, widths, rows, least=None):
    table = Table(header, widths, rows, least)
    print(title)
    print()
    print(table.line(header))
    print(table.rule())
    table.print()
    for note in table.notes():
        print(note)


def by_count(counts):
    """(key, count) pairs, the largest count first, then by key."""
    return sorted(counts.items(), key=lambda item: (-item[1], item[0]))


def us(ns):
    return '%.1f' % (ns / 1000)


class Latencies:
    """Times in ns by key, with their number, mean, 95th percentile, maximum and sum."""
    HEADER = ['count', 'mean us', 'p95 us', 'max us', 'total ms']
    WIDTHS = [8, 10, 10, 10, 10]

    def __init__(self):
        self.values = defaultdict(lambda: array('Q'))

    def add(self, key, ns):
        if ns >= 0:
            self.values[key].append(ns)

    def row(self, key):
        values = sorted(self.values[key])
        if not values:
            return ['0', '', '', '', '']
        p95 = values[-(-len(values) * 95 // 100) - 1]
        return [len(values), us(sum(values) / len(values)), us(p95), us(values[-1]),
                '%.3f' % (sum(values) / 1e6)]

    def keys(self):
        """The keys, those with the largest sum first."""
        return sorted(self.values, key=lambda key: (-sum(self.values[key]), key))


class Losses:
    """Counts lost events for a report, as times across such a gap mean nothing."""

    def __init__(self):
        self.lost = 0

    def add(self, loss):
        self.lost += loss['lost']

    def print(self):
        if self.lost:
            print()
            print('%d events were lost; what went on across the gaps is not counted.' % self.lost)


class KernelSymbols:
    """Names of addresses from this machine's /proc/kallsyms. Without the permission to
    read them, addresses stay numbers."""

    def __init__(self):
        self.symbols = []
        with open('/proc/kallsyms') as f:
            for line in f:
                address, kind, name = line.split()[:3]
                if kind in 'tTwW':
                    self.symbols.append((int(address, 16), name))
        self.symbols.sort()
        if not self.symbols or not self.symbols[-1][0]:
            self.symbols = []

    def find(self, address):
        """(name, offset), or (None, 0) if the address is unknown."""
        at = bisect_right(self.symbols, (address, '\uffff')) - 1
        if at < 0:
            return None, 0
        return self.symbols[at][1], address - self.symbols[at][0]

    def describe(self, address):
        name, offset = self.find(address)
        return '%s+%#x' % (name, offset) if name else '%#x' % address

    def function(self, address):
        return self.find(address)[0] or '%#x' % address


def device_name(dev):
    """'vda(254,0)': the name that this machine has for a block device, and its numbers."""
    major, minor = dev >> 20, dev & 0xfffff
    try:
        path = os.readlink('/sys/dev/block/%d:%d' % (major, minor))
    except OSError:
        return '%d,%d' % (major, minor)
    return '%s(%d,%d)' % (os.path.basename(path), major, minor)


# Code that is not a program's own: the rows of user/profile/own_code.def.
# The following part is made by scripts/gen-fields.
LIBRARY_FOLDERS = ('/lib', '/usr/lib', '/nix/store/', '/gnu/store/')
LIBRARY_NAMES = ('libc.so', 'libc-', 'libpthread', 'ld-', 'libstdc++', 'libc++', 'libgcc_s')
LIBRARY_FUNCTIONS = ('std::', '__gnu_cxx::', '__gthread', '__libc_start', 'pthread_', '__pthread',
    '___pthread', '__lll_', 'lll_', 'absl::Mutex', 'absl::base_internal', 'boost::mutex',
    'boost::unique_lock', 'boost::lock_guard', 'boost::condition_variable', 'boost::shared_mutex',
    'boost::recursive_mutex', 'parking_lot', 'lock_api::', '__rust_', '<std::', '<core::', '<alloc::',
    '<parking_lot', '<lock_api::', 'core::array::', 'core::cell::', 'core::fmt::', 'core::hash::',
    'core::iter::', 'core::mem::', 'core::num::', 'core::ops::', 'core::option::', 'core::ptr::',
    'core::result::', 'core::slice::', 'core::str::', 'core::sync::', 'core::time::', 'alloc::alloc::',
    'alloc::boxed::', 'alloc::collections::', 'alloc::fmt::', 'alloc::raw_vec::', 'alloc::rc::',
    'alloc::slice::', 'alloc::str::', 'alloc::string::', 'alloc::sync::', 'alloc::vec::', 'runtime.', 'sync.',
    'syscall.', 'internal/', 'Interpreter', 'StubRoutines', 'call_stub', 'java.', 'jdk.internal.')
LIBRARY_PARTS = (' node:', ':<frozen ', '/lib/python3.')
# That was made by scripts/gen-fields.


def is_library(dso):
    """Whether a binary is the kernel, or a library of the system."""
    name = os.path.basename(dso or '[')
    return name.startswith(('[', *LIBRARY_NAMES)) or ('.so' in name and dso.startswith(LIBRARY_FOLDERS))


def is_wrapper(frame):
    """Whether a frame is in the kernel, in a library of the system, or in a function that programs
    have of such a library, as locks of C++ and Rust are."""
    name = frame.get('sym', {}).get('name', '')
    # The names of templates of C++ begin with the type that they return.
    head = re.match('[^<(]*', name)[0].rstrip()
    start = name[head.rfind(' ') + 1:]
    return is_library(frame.get('dso')) or start.startswith(LIBRARY_FUNCTIONS) or name == '_start' or \
        any(part in name for part in ('@plt', *LIBRARY_PARTS))


def caller_of(chain):
    """The first frame of a call chain that is the program's own, 'function' or 'binary+0x1f3', or
    if there is none, the first one outside of the libraries; None: there is none, either."""
    outside = [frame for frame in chain or ()
               if not os.path.basename(frame.get('dso') or '[').startswith(('[', *LIBRARY_NAMES))]
    for frame in [frame for frame in outside if not is_wrapper(frame)] or outside:
        if 'sym' in frame:
            return frame['sym']['name']
        return '%s+%#x' % (os.path.basename(frame['dso']), frame['ip'])
    return None


def stack_of(chain, frames=6):
    """The functions of a call chain outside of the kernel, innermost first, in one line; '': there
    are none.  Of those through which the program's own first function came there, the last one."""
    names, own = [], None
    for frame in chain or ():
        dso = os.path.basename(frame.get('dso') or '')
        if dso.startswith('[kernel') or frame['ip'] >= 1 << 63:
            continue
        if own is None and not is_wrapper(frame):
            own = len(names)
        names.append(frame['sym']['name'] if 'sym' in frame else
                     '%s+%#x' % (dso, frame['ip']) if dso else '%#x' % frame['ip'])
    names = names[max((own or 0) - 1, 0):]
    return ' < '.join(names[:frames]) + (' < ..' if len(names) > frames else '')


class Descriptors:
    """Paths of the descriptors of tasks.  Recordings since Linux 6.19 have the paths of open calls
    as strings.  A live report also reads /proc.  A report that reads a file does not, as other
    tasks may have the same numbers now."""

    def __init__(self):
        self.live = bool(os.environ.get('KTRACE_LIVE'))
        self.pids = {}          # tid: process, of the threads that opened something
        self.opening = {}       # tid: path
        self.paths = {}         # (pid, descriptor): path

    def begin_open(self, tid, fields, sample):
        """The fields and the sample's dict of sys_enter_open, openat or creat."""
        path = fields.get('__filename_val')
        if isinstance(path, str) and path:
            self.pids[tid] = sample['sample']['pid']
            self.opening[tid] = path

    def end_open(self, tid, ret):
        path = self.opening.pop(tid, None)
        if path and ret >= 0:
            self.paths[self.pids[tid], ret] = path

    def close(self, tid, fd):
        if tid in self.pids:
            self.paths.pop((self.pids[tid], fd), None)
            return
        # Whose descriptor it was is not known, so no other one is certain.
        for key in [key for key in self.paths if key[1] == fd]:
            del self.paths[key]

    def path(self, tid, fd):
        """The path, or ''."""
        if self.live:
            try:
                return os.readlink('/proc/%d/fd/%d' % (tid, fd))
            except OSError:
                pass
        return self.paths.get((self.pids.get(tid), fd), '')


def every(seconds, function):
    """Call function again and again while events come in, until the script ends."""
    def repeat():
        while True:
            time.sleep(seconds)
            try:
                function()
            except BrokenPipeError:
                # Nobody reads the output any more.  Python ignores SIGPIPE, so exit with
                # its status.
                os._exit(128 + signal.SIGPIPE)

    threading.Thread(target=repeat, daemon=True).start()


def rows_that_fit():
    """How many rows of a table with a title fit on the terminal; 40 without a terminal."""
    if not sys.stdout.isatty():
        return 40
    # Leave room for clear_term()'s last line, title, empty line, header, rule and cursor.
    return max(1, shutil.get_terminal_size().lines - 6)


def top_arguments():
    """([comm], [interval]) of the reports whose names end in "top"."""
    words = sys.argv[1:]
    seconds = float(words.pop()) if words and words[-1].replace('.', '', 1).isdigit() else 3
    sys.argv[1:] = words
    return TaskFilter('[comm] [interval]'), seconds
