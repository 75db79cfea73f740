# SPDX-License-Identifier: GPL-2.0
"""Recordings in the formats of other programs."""
import os
import subprocess

from ktrace import _ktrace


def _numbers(numbers):
    if isinstance(numbers, (str, int)):
        return str(numbers)
    return ','.join(str(number) for number in numbers)


def export(output, to, path='perf.data', *, events=None, cpus=None, pids=None, tids=None,
           time=None, options=()):
    """Write a recording to the file, or folder, OUTPUT in the format TO, as ktrace export does.

    events, cpus, pids, tids and time select samples: events is a name or a glob, or several; time
    is START,STOP in seconds or "10%/2". options are further arguments of ktrace-export(1).
    ValueError: the format is unknown, or cannot be written with these arguments; OSError: the
    recording cannot be read or OUTPUT cannot be written. In both cases there is no OUTPUT."""
    output = os.path.abspath(os.fspath(output))
    words = [_ktrace.program(), 'export', '--quiet', '--input', os.fspath(path), '--to', to]
    if events is not None:
        words += ['--event', events if isinstance(events, str) else ','.join(events)]
    for name, numbers in ('cpu', cpus), ('pid', pids), ('tid', tids):
        if numbers is not None:
            words += [f'--{name}', _numbers(numbers)]
    if time is not None:
        words += ['--time', time]
    done = subprocess.run([*words, *options, '--', output], stdin=subprocess.DEVNULL,
                          stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
                          errors='replace', check=False)
    if done.returncode:
        message = done.stderr.strip().removeprefix('ktrace: ') or f'ktrace export ended with {done.returncode}'
        raise (ValueError if done.returncode == 129 else OSError)(message)
