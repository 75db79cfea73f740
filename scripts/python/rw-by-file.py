# SPDX-License-Identifier: GPL-2.0
"""What a command reads and writes, by task and file descriptor."""
import os
import sys

sys.path.append(os.environ['PERF_EXEC_PATH'] +
                '/scripts/python/Perf-Trace-Util/lib/Perf/Trace')

from collections import Counter

from Report import TaskFilter, print_table

tasks = TaskFilter('<comm>')
if tasks.wanted is None:
    sys.exit('usage: %s <comm>' % sys.argv[0])

reads, read_bytes = Counter(), Counter()        # (pid, fd)
writes, written_bytes = Counter(), Counter()


def syscalls__sys_enter_read(event_name, context, common_cpu, common_secs, common_nsecs,
                             common_pid, common_comm, common_callchain, nr, fd, buf, count):
    if tasks.accepts(common_comm, common_pid):
        reads[common_pid, fd] += 1
        read_bytes[common_pid, fd] += count


def syscalls__sys_enter_write(event_name, context, common_cpu, common_secs, common_nsecs,
                              common_pid, common_comm, common_callchain, nr, fd, buf, count):
    if tasks.accepts(common_comm, common_pid):
        writes[common_pid, fd] += 1
        written_bytes[common_pid, fd] += count


def print_files(title, calls, sizes):
    files = sorted(calls, key=lambda file: (-sizes[file], file))
    print_table(tasks.title(title), ['pid', 'fd', 'calls', 'asked bytes'], [8, 8, 10, 14],
                [[*file, calls[file], sizes[file]] for file in files])


def trace_end():
    print_files('reads by file descriptor', reads, read_bytes)
    print()
    print_files('writes by file descriptor', writes, written_bytes)
    print()
    print('0, 1 and 2 usually are standard input, output and error.  Files have no names')
    print('here: a recording has the address of the path that was opened, not the path.')
