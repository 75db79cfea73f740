# SPDX-License-Identifier: GPL-2.0
"""Programs that a test runs, and its files.

    from tool import KTRACE, record, run, write

    data, why = record('perf', 'a.data', ['-e', 'cpu-clock'], ['ls', '-R', '/usr'])
    script = write('count.py', 'def trace_end(): print("end")')
    result = run(KTRACE, 'script', '-i', data, '-s', script)
    is_((result.returncode, result.stdout), (0, 'end\\n'), 'a script runs')

Programs run in DIR, so that their arguments can be names of files there.  A program that fails
raises nothing: its status is for the test to judge.  No function here has a limit of wall time:
the runner ends a stage that takes too much of the CPU, or does nothing.  A program that may not
end by itself gets a limit of CPU seconds, which a busy machine does not shorten:

    result = run(KTRACE, 'script', '-i', mutated, cpu=60)
    ok(result.returncode != ENDLESS, 'it ends')

A test waits for an event or a file, without a limit: `until(lambda:
os.path.exists(path('begun')))`."""

import os
import resource
import signal
import subprocess
import tempfile
import time

# The tree; the folder of the test, which is empty when it begins; and the tool.  All are absolute.
# A test in a guest, or one that is run by hand, gets a new folder in /tmp.
TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.realpath(__file__))))
DIR = os.environ.get('KTRACE_TEST_DIR') or tempfile.mkdtemp(prefix='ktrace-test-')
KTRACE = os.path.abspath(os.environ.get('KTRACE') or os.path.join(TOP, 'build/bin/ktrace'))

# The status of a program that took all of its CPU seconds.
ENDLESS = -signal.SIGXCPU


def path(name):
    """The path of a file in DIR; an absolute name is returned unchanged."""
    return os.path.join(DIR, name)


def write(name, data):
    """Write a file in DIR, which may exist; returns its path.  @data is text, bytes, or has a
    method bytes(), as the recordings of perfdata_writer and sched_recording have."""
    if hasattr(data, 'bytes'):
        data = data.bytes()
    elif isinstance(data, str):
        data = data.encode(errors='surrogateescape')
    with open(path(name), 'wb') as f:
        f.write(data)
    return path(name)


def until(condition, pause=0.05):
    """Wait until @condition() is true; returns its value."""
    while not (found := condition()):
        time.sleep(pause)
    return found


def limits(cpu, before=None):
    """A preexec_fn: each process may compute for so many seconds, and then ends by SIGXCPU;
    @before is another preexec_fn."""
    def limit():
        if before:
            before()
        # Who takes no notice of SIGXCPU is killed.
        resource.setrlimit(resource.RLIMIT_CPU, (cpu, cpu + 5))
    return limit


def run(*words, cpu=None, **options):
    """Run a program to its end; returns subprocess.CompletedProcess with both outputs as text,
    in which bytes that are not UTF-8 are surrogates.  Words may be numbers.  Standard input is
    empty.  @options are those of subprocess.run(), and prevail: `stderr=subprocess.STDOUT` for
    one text of both outputs, `check=True` for an exception when the program fails.  With @cpu,
    the status is ENDLESS of a program that has computed for so many seconds."""
    if cpu:
        options['preexec_fn'] = limits(cpu, options.get('preexec_fn'))
    if 'input' not in options:
        options.setdefault('stdin', subprocess.DEVNULL)
    options = {'cwd': DIR, 'stdout': subprocess.PIPE, 'stderr': subprocess.PIPE, 'check': False,
               'text': True, 'errors': 'surrogateescape', **options}
    return subprocess.run([w if isinstance(w, bytes) else str(w) for w in words], **options)


def run_binary(*words, **options):
    """As run(), but standard input and output are bytes, as those of a recording or of a text
    that is compared to the last byte; stderr is text."""
    result = run(*words, **{'text': False, 'errors': None, **options})
    if result.stderr is not None:
        result.stderr = result.stderr.decode(errors='surrogateescape')
    return result


def record(tool, name, options, command, **more):
    """Record a command with 'perf' or 'ktrace' into a file in DIR.  Returns its path and '', or
    None and the recorder's messages if it failed.  @more: options of run(), as `check=True`."""
    result = run('perf' if tool == 'perf' else KTRACE, 'record', '-q', '-o', path(name), *options,
                 '--', *command, **more)
    return (path(name), '') if result.returncode == 0 else (None, result.stderr)
