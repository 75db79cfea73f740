# SPDX-License-Identifier: GPL-2.0
"""How long each system call takes in each task, and which ones took longest: with call
chains in the recording (-g), also from where, and with the file if its path is known."""
import os
import sys
from array import array
from heapq import heappush, heapreplace
from struct import unpack_from

sys.path.append(os.environ['PERF_EXEC_PATH'] +
                '/scripts/python/Perf-Trace-Util/lib/Perf/Trace')

from Report import Descriptors, Losses, TaskFilter, one_line, print_table, stack_of, us
from Util import nsecs, syscall_name

USAGE = '[-H] [worst=N] [comm|pid]'

histograms, worst_wanted, words = False, 10, []
for word in sys.argv[1:]:
    if word in ('-H', '--hist', 'hist'):
        histograms = True
    elif word.startswith('worst=') and word[6:].isdigit():
        worst_wanted = int(word[6:])
    elif word.startswith('-'):
        sys.exit('usage: %s %s' % (sys.argv[0], USAGE))
    else:
        words.append(word)
sys.argv[1:] = words
tasks = TaskFilter(USAGE)

# The calls whose first argument is a descriptor.
WITH_FILE = frozenset('''
    read write readv writev pread64 pwrite64 preadv pwritev preadv2 pwritev2 close fstat lseek
    ioctl fcntl flock fsync fdatasync ftruncate fallocate fadvise64 readahead sendfile splice tee
    getdents getdents64 fchmod fchown fchdir fstatfs syncfs sync_file_range copy_file_range
    accept accept4 connect bind listen sendto recvfrom sendmsg recvmsg sendmmsg recvmmsg shutdown
    getsockname getpeername setsockopt getsockopt epoll_wait epoll_pwait epoll_ctl
    inotify_add_watch timerfd_settime timerfd_gettime'''.split())

names = {}              # number: name of the call
began = {}              # tid: (number, ns, descriptor or None)
times = {}              # (call, tid): [ns]
comms = {}              # tid: comm
worst = []              # heap of (ns, -order, when, comm, tid, call, path, stack)
files = Descriptors()
losses = Losses()
order = 0


def raw_syscalls__sys_enter(event_name, context, common_cpu, common_secs, common_nsecs,
                            common_pid, common_comm, common_callchain, id, args):
    if not tasks.accepts(common_comm, common_pid):
        return
    name = names.get(id)
    if name is None:
        name = names[id] = syscall_name(id)
    fd = None
    if name in WITH_FILE:
        fd = unpack_from('i', args)[0]
    began[common_pid] = id, nsecs(common_secs, common_nsecs), fd


def raw_syscalls__sys_exit(event_name, context, common_cpu, common_secs, common_nsecs,
                           common_pid, common_comm, common_callchain, id, ret):
    global order
    number, since, fd = began.pop(common_pid, (None, 0, None))
    # The end of an open() without a recorded beginning has no path.
    if number != id:
        files.opening.pop(common_pid, None)
        return
    name = names[id]
    ns = nsecs(common_secs, common_nsecs) - since
    comms[common_pid] = common_comm
    key = name, common_pid
    if key not in times:
        times[key] = array('Q')
    times[key].append(max(ns, 0))
    path = files.path(common_pid, fd) if fd is not None and (
        len(worst) < worst_wanted or worst and ns > worst[0][0]) else ''
    if name == 'close' and not ret:
        files.close(common_pid, fd)
    files.end_open(common_pid, ret)
    if not worst_wanted or len(worst) == worst_wanted and ns <= worst[0][0]:
        return
    order += 1
    # Of calls with equal times, the first ones are kept.
    item = (ns, -order, since, common_comm, common_pid, name,
            path or ('' if fd is None else 'fd %d' % fd), stack_of(common_callchain))
    if len(worst) < worst_wanted:
        heappush(worst, item)
    else:
        heapreplace(worst, item)


def trace_unhandled(event_name, context, event_fields_dict, perf_sample_dict):
    if '__filename_val' in event_fields_dict:
        files.begin_open(event_fields_dict['common_pid'], event_fields_dict, perf_sample_dict)


def trace_lost(loss):
    losses.add(loss)
    began.clear()
    files.opening.clear()


def quantile(ordered, percent):
    return ordered[-(-len(ordered) * percent // 100) - 1]


def print_times():
    rows = []
    for name, tid in sorted(times, key=lambda key: (-sum(times[key]), key)):
        ordered = sorted(times[name, tid])
        rows.append([name, comms[tid], tid, len(ordered), '%.3f' % (sum(ordered) / 1e6),
                     us(sum(ordered) / len(ordered)), us(quantile(ordered, 95)),
                     us(quantile(ordered, 99)), us(ordered[-1])])
    print_table(tasks.title('time in system calls'),
                ['call', 'comm', 'tid', 'count', 'total ms', 'mean us', 'p95 us', 'p99 us', 'max us'],
                [20, 16, 8, 8, 10, 10, 10, 10, 11], rows, (7, 6, 5))


def print_worst():
    print()
    print(tasks.title('the calls that took longest'))
    print()
    for ns, _, when, comm, tid, name, path, stack in sorted(worst, reverse=True):
        print('%14s us  at %d.%06d  %s/%d  %s%s' % (
            us(ns), when // 10**9, when % 10**9 // 1000, one_line(comm), tid, name,
            '  ' + one_line(path) if path else ''))
        if stack:
            print('%17s%s' % ('', stack))


def print_histograms():
    by_call = {}
    for (name, _), values in times.items():
        by_call.setdefault(name, array('Q')).extend(values)
    for name in sorted(by_call, key=lambda name: (-sum(by_call[name]), name)):
        counts = {}
        for ns in by_call[name]:
            counts[ns.bit_length()] = counts.get(ns.bit_length(), 0) + 1
        most = max(counts.values())
        print()
        print('%s, ns:' % name)
        print()
        for bits in range(min(counts), max(counts) + 1):
            count = counts.get(bits, 0)
            bar = '#' * -(-count * 30 // most)
            print(('%12d .. %-12d %8d  %s' % (1 << bits - 1 if bits else 0, (1 << bits) - 1, count,
                                              bar)).rstrip())


def trace_end():
    print_times()
    if worst:
        print_worst()
    if histograms:
        print_histograms()
    losses.print()
    if began:
        print()
        print('%d calls went on when the recording ended; they are not counted.' % len(began))
