# SPDX-License-Identifier: GPL-2.0
"""Times, averages, and names of system calls and errors."""
import errno
import os

try:
    from perf_trace_context import syscall_name
except ImportError:
    # perf has no such function; its recordings are mostly of this machine.
    from syscall_table import RUNS
    _names = {first + n: name for first, names in RUNS.get(os.uname().machine, ())
              for n, name in enumerate(names.split())}

    def syscall_name(id):
        return _names.get(id) or str(id)

FUTEX_WAIT = 0
FUTEX_WAKE = 1
FUTEX_PRIVATE_FLAG = 128
FUTEX_CLOCK_REALTIME = 256
FUTEX_CMD_MASK = ~(FUTEX_PRIVATE_FLAG | FUTEX_CLOCK_REALTIME)

NSECS_PER_SEC = 1000000000


def avg(total, n):
    return total / n


def nsecs(secs, nsecs):
    return secs * NSECS_PER_SEC + nsecs


def nsecs_secs(nsecs):
    return nsecs // NSECS_PER_SEC


def nsecs_nsecs(nsecs):
    return nsecs % NSECS_PER_SEC


def nsecs_str(nsecs):
    return '%5u.%09u' % (nsecs_secs(nsecs), nsecs_nsecs(nsecs))


def add_stats(dict, key, value):
    """Keep (min, max, average, count) of the values of a key.

    The average gives the newest value half of the weight.
    """
    if key not in dict:
        dict[key] = (value, value, value, 1)
        return
    least, most, average, count = dict[key]
    dict[key] = (min(least, value), max(most, value), (average + value) / 2, count + 1)


def clear_term():
    print('\x1b[H\x1b[2J')


def strerror(nr):
    return errno.errorcode.get(abs(nr)) or 'Unknown %d errno' % nr
