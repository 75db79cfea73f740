# SPDX-License-Identifier: GPL-2.0
"""The perf whose output is the standard: that of Linux 6.1, and where it is known to be wrong."""

import functools
import os
import re
import shutil
import subprocess

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.realpath(__file__))))
# Debian's commands, even if others come first in the caller's PATH; of perf the version that
# scripts/oracle-perf has.
PATH = f'{TOP}/build/oracle:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin'


@functools.cache
def has_oracle():
    """Whether perf is the one whose output is the standard."""
    if not shutil.which('perf', path=PATH):
        return False
    said = subprocess.run(['perf', '--version'], env=dict(os.environ, PATH=PATH), text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout
    return ' 6.1.' in said


# It takes an entry of a PLT for another one, for _init or for nothing.
PLT = re.compile(rb" (?:[^\s+]*@plt|_init|\[unknown\])(?:\+0x[0-9a-f]+)?(?= |$)"
                 rb"|, \('(?:addr_)?symbol', '[^']*(?:@plt|_init)'\), \('(?:addr_)?symoff', \d+\)"
                 rb"|, \('sym', \{[^}]*'name': '[^']*(?:@plt|_init)'\}\), \('sym_off', \d+\)")
# It names addresses in the vDSO by its own vDSO, not by that of the recorded kernel. It has no
# names for programs in memory, and other processes of the machine may be such programs.
OWN_NAMES = re.compile(rb'(.*\b[0-9a-f]{6,16}) (\S.*) (\((?:\[vdso\]|/memfd:[^)]*\(deleted\))\))$')
FRAME = re.compile(rb'\s+([0-9a-f]{12,16})(?: \[unknown\]| \(\[unknown\]\))*$')


def without_false_frames(lines):
    """Lines of perf script without frames that can be no addresses, and those behind them."""
    found, is_false = [], False
    for line in lines:
        frame = FRAME.match(line)
        # No binary: it is none of the kernel either.
        end = 1 << 64 if line.rstrip().endswith(b'([unknown])') else (1 << 64) - (1 << 48)
        is_false = bool(line.strip()) and (
            is_false or bool(frame) and 1 << 48 <= int(frame[1], 16) < end)
        if not is_false:
            found.append(line)
    return found


def is_named_by_us(mine, line):
    """Whether the lines differ in a name alone that one of the two has no reason to know."""
    if b'@plt' in mine:
        return PLT.sub(b'', mine) == PLT.sub(b'', line)
    names = OWN_NAMES.match(mine.rstrip()), OWN_NAMES.match(line.rstrip())
    if not all(names) or names[0].group(1, 3) != names[1].group(1, 3):
        return False
    unknown = names[0 if names[0][3] == b'([vdso])' else 1]
    return unknown[2] == b'[unknown]'


def as_is_right(perfs, ours):
    """The lines of perf script, corrected where perf is wrong: by ours. Other tests check our names
    of entries of the PLT, the vDSO and programs in memory."""
    perfs = without_false_frames(perfs)
    return [mine if is_named_by_us(mine, line) else line
            for mine, line in zip(ours, perfs)] + perfs[len(ours):]
