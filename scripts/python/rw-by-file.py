# SPDX-License-Identifier: GPL-2.0
"""Bytes that a command reads and writes, by task and file, or by descriptor if its path is unknown.
"""
import os
import sys

sys.path.append(os.environ['PERF_EXEC_PATH'] +
                '/scripts/python/Perf-Trace-Util/lib/Perf/Trace')

from collections import Counter

from Report import Descriptors, TaskFilter, print_table

tasks = TaskFilter('<comm>')
if tasks.wanted is None:
    sys.exit('usage: %s <comm>' % sys.argv[0])

reads, read_bytes = Counter(), Counter()        # (pid, fd, path)
writes, written_bytes = Counter(), Counter()
files = Descriptors()


def syscalls__sys_enter_read(event_name, context, common_cpu, common_secs, common_nsecs,
                             common_pid, common_comm, common_callchain, nr, fd, buf, count):
    if tasks.accepts(common_comm, common_pid):
        file = common_pid, fd, files.path(common_pid, fd)
        reads[file] += 1
        read_bytes[file] += count


def syscalls__sys_enter_write(event_name, context, common_cpu, common_secs, common_nsecs,
                              common_pid, common_comm, common_callchain, nr, fd, buf, count):
    if tasks.accepts(common_comm, common_pid):
        file = common_pid, fd, files.path(common_pid, fd)
        writes[file] += 1
        written_bytes[file] += count


def syscalls__sys_enter_close(event_name, context, common_cpu, common_secs, common_nsecs,
                              common_pid, common_comm, common_callchain, nr, fd):
    files.close(common_pid, fd)


def trace_unhandled(event_name, context, event_fields_dict, perf_sample_dict):
    # Those of open, openat and creat.
    fields = event_fields_dict
    if 'ret' in fields:
        files.end_open(fields['common_pid'], fields['ret'])
    else:
        files.begin_open(fields['common_pid'], fields, perf_sample_dict)


def print_files(title, calls, sizes):
    order = sorted(calls, key=lambda file: (-sizes[file], file))
    named = any(path for _, _, path in order)
    header, widths = ['pid', 'fd', 'calls', 'asked bytes'], [8, 8, 10, 14]
    rows = [[pid, fd, calls[pid, fd, path], sizes[pid, fd, path]] for pid, fd, path in order]
    if named:
        # The first column is left-aligned.
        header, widths = ['file'] + header, [32] + widths
        rows = [[path] + row for (_, _, path), row in zip(order, rows)]
    print_table(tasks.title(title), header, widths, rows)
    return named or not order


def trace_end():
    named = print_files('reads by file', reads, read_bytes)
    print()
    named &= print_files('writes by file', writes, written_bytes)
    if named:
        return
    print()
    print('0, 1 and 2 usually are standard input, output and error.  Files have names')
    print('while ktrace script rw-by-file runs live, and if the kernel is Linux 6.19 or')
    print('newer, whose recordings have the paths that were opened.')
