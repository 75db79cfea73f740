# SPDX-License-Identifier: GPL-2.0
"""The perf whose output is the standard: that of Linux 6.1."""

import functools
import os
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
