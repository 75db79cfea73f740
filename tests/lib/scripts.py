# SPDX-License-Identifier: GPL-2.0
"""Running Python scripts with ktrace and perf over recordings, for tests."""
import os
import subprocess

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.realpath(__file__))))
DIR = os.environ.get('KTRACE_TEST_DIR', '/tmp')
KTRACE = os.environ.get('KTRACE', os.path.join(TOP, 'build/bin/ktrace'))

# Both tools must find the same modules, which are ours.
ENV = {**os.environ, 'PERF_EXEC_PATH': TOP, 'LC_ALL': 'C.UTF-8', 'PYTHONDONTWRITEBYTECODE': '1'}


def path(name):
    return os.path.join(DIR, name)


def write(name, text):
    with open(path(name), 'w') as f:
        f.write(text)
    return path(name)


def run(*command, **options):
    """A finished process with its output as text."""
    options = {'stdin': subprocess.DEVNULL, 'env': ENV, 'timeout': 60, **options}
    return subprocess.run([*map(str, command)], stdout=options.pop('stdout', subprocess.PIPE),
                          stderr=subprocess.PIPE, text=True, errors='surrogateescape', cwd=DIR,
                          **options)


def ktrace_script(data, script, *args, **options):
    return run(KTRACE, 'script', '-i', data, '-s', script, *args, **options)


def perf_script(data, script, *args, **options):
    return run('perf', 'script', '-i', data, '-s', script, *args, **options)


def record(tool, name, options, command):
    """Record with perf or ktrace. Returns the path of the recording, or None and the reason."""
    result = run(*(['perf'] if tool == 'perf' else [KTRACE]), 'record', '-q', '-o', path(name),
                 *options, '--', *command)
    return (path(name), '') if result.returncode == 0 else (None, result.stderr)
