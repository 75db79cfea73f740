# SPDX-License-Identifier: GPL-2.0
"""Makes recordings of any size quickly, and measures the memory it takes to read them."""

import os
import struct
import subprocess

from perfdata_writer import CPU, IDENTIFIER, RAW, TID, TIME, Writer
from tap import diag

MB = 1 << 20
SAMPLE_BYTES = 1000


def make(path, size, round_bytes, pipe=False, rings=4):
    """Records as of rings that are drained in rounds: in order within each ring and round."""
    w = Writer(pipe=pipe, features=())
    w.event('test:event', type=1, config=0,
            sample_type=IDENTIFIER | TID | TIME | CPU | RAW)
    raw = b'x' * (SAMPLE_BYTES - 8 - 32 - 4)
    with open(path, 'wb') as f:
        head = w.bytes()
        f.write(head)
        total = 0
        per_ring = max(1, round_bytes // SAMPLE_BYTES // rings)
        start = 1000
        per_ring = min(per_ring, size // SAMPLE_BYTES // rings)
        while total < size:
            for ring in range(rings):
                for i in range(per_ring):
                    f.write(struct.pack('<IHHQiiQIII', 9, 1, SAMPLE_BYTES, 100, 1, 1,
                                        start + (i * rings + ring) * 10, ring, 0, len(raw)) + raw)
                total += per_ring * SAMPLE_BYTES
            f.write(struct.pack('<IHH', 68, 0, 8))
            start += per_ring * rings * 10
        if not pipe:
            data_at = struct.unpack_from('<Q', head, 40)[0]
            size = f.tell() - data_at
            f.seek(48)
            f.write(struct.pack('<Q', size))


def peak_mb(command, **more):
    """The peak of resident memory of a shell command, and whether all went well. The child's peak
    begins with that of this process, which must stay below the measured one."""
    child = subprocess.Popen(['sh', '-c', command], stdin=subprocess.DEVNULL,
                             stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, **more)
    errors = child.stderr.read().decode()
    _, status, usage = os.wait4(child.pid, 0)
    child.stderr.close()
    child.returncode = status
    if status or errors:
        diag(f'status {status}: {errors}')
    return usage.ru_maxrss / 1024, not status and not errors
