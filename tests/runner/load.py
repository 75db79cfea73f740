# SPDX-License-Identifier: GPL-2.0
"""A busy machine: programs that keep its CPUs and its disk busy and fork, for --shake."""

import contextlib
import os
import shutil
import signal

from . import process

BUSY = 'while :; do :; done'
FORKS = 'while :; do /bin/true; done'
WRITES = 'while :; do dd if=/dev/zero of="$0" bs=1M count=64 conv=fsync 2>/dev/null; done'


@contextlib.contextmanager
def load(folder):
    """Keep the machine busy: two loops for each CPU, one program that forks and one that writes
    64 MB over and over into this folder, which is gone afterwards."""
    os.makedirs(folder, exist_ok=True)
    scripts = [BUSY] * (2 * os.cpu_count()) + [FORKS, WRITES]
    programs = [process.start(['/bin/sh', '-c', script, f'{folder}/data'], os.devnull)
                for script in scripts]
    try:
        yield
    finally:
        for program in programs:
            process.signal_group(program.pid, signal.SIGKILL)
            program.wait()
            process.groups.discard(program.pid)
        shutil.rmtree(folder, ignore_errors=True)
