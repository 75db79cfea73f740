# SPDX-License-Identifier: GPL-2.0
"""The recordings that the benchmarks of profiles read: the program of tests/bench/profile-program,
425 functions, some of them inlined, sampled by perf's cpu-clock event.

  A  20 kHz, -g, 4 processes of 2 CPU seconds each: about 160,000 samples
  M  as A, with 13 CPU seconds each: about a million samples
  D  20 kHz, --call-graph dwarf,8192, 1 CPU second: about 20,000 samples, 150 MB
  P  50 kHz, -g, 4 processes of 13 CPU seconds each: up to 2.6 million samples, fewer on a machine
     that is too busy for this rate; perf needs minutes and gigabytes for its report"""

import os
import subprocess

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.realpath(__file__))))
CFLAGS = ['-O2', '-g', '-fno-omit-frame-pointer', '-fno-optimize-sibling-calls']
RECORDINGS = {
    'A': (['-F', '20000', '-m', '8192', '-g'], ['4', '2']),
    'M': (['-F', '20000', '-m', '8192', '-g'], ['4', '13']),
    'D': (['-F', '20000', '--call-graph', 'dwarf,8192'], ['1', '1']),
    'P': (['-F', '50000', '-m', '8192', '-g'], ['4', '13']),
}


def make(folder, name):
    """The path of a recording in the folder, made unless it is there already."""
    path, program = os.path.join(folder, name), os.path.join(folder, 'profile')
    if not os.path.exists(program):
        source = program + '.c'
        with open(source, 'wb') as f:
            subprocess.run([os.path.join(TOP, 'tests/bench/profile-program')], stdout=f, check=True)
        subprocess.run(['gcc', *CFLAGS, '-o', program, source], check=True)
    if not os.path.exists(path):
        options, words = RECORDINGS[name]
        subprocess.run(['perf', 'record', '-q', '-e', 'cpu-clock', *options, '-o', path, '--',
                        program, *words], check=True, stdin=subprocess.DEVNULL,
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return path
