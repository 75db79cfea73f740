# SPDX-License-Identifier: GPL-2.0
"""Running Python scripts with ktrace and perf over recordings, for tests."""
import os

import tool
from tool import DIR, KTRACE, TOP, path, record, write      # also for stages that import this

# Both tools must find the same modules, which are ours.
ENV = {**os.environ, 'PERF_EXEC_PATH': TOP, 'LC_ALL': 'C.UTF-8', 'PYTHONDONTWRITEBYTECODE': '1'}


def run(*words, **options):
    """As tool.run(), in the environment ENV."""
    return tool.run(*words, **{'env': ENV, **options})


def ktrace_script(data, script, *args, **options):
    return run(KTRACE, 'script', '-i', data, '-s', script, *args, **options)


def perf_script(data, script, *args, **options):
    return run('perf', 'script', '-i', data, '-s', script, *args, **options)
