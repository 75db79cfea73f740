# SPDX-License-Identifier: GPL-2.0
"""How long tasks stood still while the kernel moved pages to make room for larger ones."""
import os
import re
import sys

sys.path.append(os.environ['PERF_EXEC_PATH'] +
                '/scripts/python/Perf-Trace-Util/lib/Perf/Trace')

from Core import *
from Util import nsecs

USAGE = 'usage: compaction-times [-h] [-u] [-p|-pv] [-t | [-m] [-fs] [-ms]] [pid|pid-range|comm-regex]'
HELP = USAGE + '''

-h	display this help
-u	display microseconds instead of nanoseconds
-p	display by process
-pv	display by process, and each compaction
-t	display times only
-m	display what was migrated
-fs	display what the scanner of free pages saw
-ms	display what the scanner of pages to migrate saw'''

# Option: the title of its numbers, and the names of the two numbers.
KINDS = {'-m': ('migration', 'moved', 'failed'), '-fs': ('free_scanner', 'scanned', 'isolated'),
         '-ms': ('migration_scanner', 'scanned', 'isolated')}


class Arguments:
    def __init__(self, words):
        self.micro = self.by_process = self.each = self.times = False
        self.wanted, self.accepts = [], None
        for word in words:
            if word == '-h':
                print(HELP)
                sys.exit(0)
            elif word == '-u':
                self.micro = True
            elif word in ('-p', '-pv'):
                self.by_process, self.each = True, word == '-pv'
            elif word == '-t':
                self.times = True
            elif word in KINDS:
                self.wanted.append(word)
            elif word.startswith('-') and not re.fullmatch(r'-\d+', word):
                sys.exit('There is no option %s.\n%s' % (word, USAGE))
            elif self.accepts:
                sys.exit(USAGE)
            else:
                self.accepts = self.task(word)
        self.kinds = [kind for kind in KINDS if kind in self.wanted or not (self.wanted or self.times)]

    def task(self, word):
        """Whether a task is wanted, by its number and comm: a function."""
        numbers = re.fullmatch(r'(\d*)(-?)(\d*)', word)
        if word != '-' and numbers:
            low, dash, high = numbers.groups()
            low, high = int(low or 0), int(high or 0) if dash else int(low)
            return lambda pid, comm: pid >= low and (not high or pid <= high)
        try:
            pattern = re.compile(word)
        except re.error as error:
            sys.exit("The pattern '%s' is wrong at character %s: %s.\n%s" % (word, error.pos, error.msg, USAGE))
        # A pattern that matches nothing but '' selects nobody.
        return lambda pid, comm: bool((pattern.search(comm) or ('',))[0])


class Sums:
    """Time, and two numbers of each kind."""

    def __init__(self, start=0):
        self.start, self.ns = start, 0
        self.numbers = {kind: [0, 0] for kind in KINDS}

    def add(self, other):
        self.ns += other.ns
        for kind, (first, second) in other.numbers.items():
            self.count(kind, first, second)

    def count(self, kind, first, second):
        self.numbers[kind][0] += first
        self.numbers[kind][1] += second

    def __str__(self):
        # Half a microsecond is rounded to even.
        text = ['%dus' % (round(self.ns, -3) // 1000) if arguments.micro else '%dns' % self.ns]
        for kind in arguments.kinds:
            title, first, second = KINDS[kind]
            text.append('%s: %s=%d %s=%d' % (title, first, self.numbers[kind][0], second, self.numbers[kind][1]))
        return ' '.join(text)


class Task:
    def __init__(self, pid, comm):
        self.name = '%d[%s]' % (pid, comm)
        self.wanted = not arguments.accepts or arguments.accepts(pid, comm)
        self.sums, self.each, self.pending = Sums(), [], None


arguments = Arguments(sys.argv[1:])
total = Sums()
tasks = {}      # pid: Task


def pending_of(pid):
    """The task's compaction; None: the task is not wanted, or it began before the recording."""
    task = tasks.get(pid)
    if task and not task.wanted:
        return None
    if not task or not task.pending:
        print('missing start compaction event for pid %d' % pid, file=sys.stderr)
        return None
    return task.pending


def count(pid, kind, first, second):
    pending = pending_of(pid)
    if pending:
        pending.count(kind, first, second)


def compaction__mm_compaction_begin(event_name, context, common_cpu, common_secs, common_nsecs,
                                    common_pid, common_comm, *fields):
    task = tasks.setdefault(common_pid, None) or Task(common_pid, common_comm)
    tasks[common_pid] = task
    task.pending = Sums(nsecs(common_secs, common_nsecs))


def compaction__mm_compaction_end(event_name, context, common_cpu, common_secs, common_nsecs,
                                  common_pid, common_comm, *fields):
    pending = pending_of(common_pid)
    if not pending:
        return
    task = tasks[common_pid]
    pending.ns = nsecs(common_secs, common_nsecs) - pending.start
    total.add(pending)
    task.sums.add(pending)
    task.each.append(pending)
    task.pending = None


def compaction__mm_compaction_migratepages(event_name, context, common_cpu, common_secs, common_nsecs,
                                           common_pid, common_comm, common_callchain,
                                           nr_migrated, nr_failed):
    count(common_pid, '-m', nr_migrated, nr_failed)


def compaction__mm_compaction_isolate_freepages(event_name, context, common_cpu, common_secs, common_nsecs,
                                                common_pid, common_comm, common_callchain,
                                                start_pfn, end_pfn, nr_scanned, nr_taken):
    count(common_pid, '-fs', nr_scanned, nr_taken)


def compaction__mm_compaction_isolate_migratepages(event_name, context, common_cpu, common_secs, common_nsecs,
                                                   common_pid, common_comm, common_callchain,
                                                   start_pfn, end_pfn, nr_scanned, nr_taken):
    count(common_pid, '-ms', nr_scanned, nr_taken)


def trace_end():
    print('total: %s' % total)
    for task in tasks.values():
        if not arguments.by_process or not task.wanted:
            continue
        print('%s: %s' % (task.name, task.sums))
        for number, sums in enumerate(task.each if arguments.each else (), 1):
            print('%s.%d: %s' % (task.name, number, sums))
