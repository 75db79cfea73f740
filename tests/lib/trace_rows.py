#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""Prints the output of perf trace or ktrace trace in a form in which both are equal where perf is
right: for tests.

Usage: trace_rows.py FILE

Intended differences are in Documentation/from-perf.rst: perf cuts the addresses of paths to 32
bits, writes flags of *at() as numbers, and leaves out some return values."""

import re
import sys

AT = {'SYMLINK_NOFOLLOW': 0x100, 'REMOVEDIR': 0x200, 'SYMLINK_FOLLOW': 0x400,
      'NO_AUTOMOUNT': 0x800, 'EMPTY_PATH': 0x1000, 'EXITED': 4, 'INSECURE': 4}


def cut(m):
    return f'{m.group(1)}{int(m.group(2), 16) & 0xffffffff:#x}'


def number(m):
    words = m.group(2).split('|')
    if not all(w in AT for w in words):
        return m.group(0)
    return f'{m.group(1)}{sum(AT[w] for w in words)}'


for line in open(sys.argv[1], errors='replace'):
    line = re.sub(r'(\b\w*(?:name|path\w*): )(0x[0-9a-f]+)', cut, line.rstrip('\n'))
    line = re.sub(r'(\bflags?: )([A-Z_|]+)', number, line)
    # A task that executes another program has its name only afterwards.
    line = re.sub(r'\): [^/]*/(\d+) (execve\(.*\.\.\.)$', r'): ?/\1 \2', line)
    line = re.sub(r'(\) +)= .*', r') = ?', line) if re.search(r'\bgetp?pid\(', line) else line
    line = re.sub(r' = (\d+) \([^()]*\)$', r' = \1', line)
    # perf names the flags of statx() by nothing, and takes those of descriptors the wrong way.
    line = re.sub(r'(statx\(.*flags: )[^,]*(, mask: )[^,]*', r'\1\2', line)
    line = re.sub(r'(cmd: [GS]ETFD).*', r'\1', line)
    # perf prints the bits of O_SYNC again.
    line = line.replace('|SYNC|0x101000', '|SYNC')
    # perf has no words for these.
    line = re.sub(r'(faccessat2?)\(.*\)( *=)', r'\1()\2', line)
    line = re.sub(r'= -1 (\(unknown\)|ERESTART\w*) .*', '= restart', line)
    print(re.sub(r'(\S)  +', r'\1 ', line))
