# SPDX-License-Identifier: GPL-2.0
"""Everything that the runner prints while stages run."""

import contextlib
import os
import re
import shutil
import sys
import threading
import time

HEARTBEAT_SECONDS = float(os.environ.get('KTRACE_TEST_HEARTBEAT') or 30)
ON_TERMINAL = sys.stdout.isatty() and os.environ.get('TERM', 'dumb') != 'dumb'

_print_lock = threading.Lock()
_running = {}           # name of a stage, build or boot: (when it began, its log)


def say(*lines):
    with _print_lock:
        print('\r\x1b[K' if ON_TERMINAL else '', end='')
        print(*lines, sep='\n', flush=True)


def read_text(path):
    """The text of a file; '' if it cannot be read."""
    try:
        with open(path, errors='replace') as f:
            return f.read()
    except OSError:
        return ''


def begin(name, log, word='run'):
    """Say that something begins, and let the heartbeat say that it still runs."""
    say(f'{word:<5} {name}')
    _running[name] = time.monotonic(), log


def end_of(name):
    _running.pop(name, None)


def is_running(name):
    return name in _running


@contextlib.contextmanager
def shown(name, log):
    begin(name, log)
    try:
        yield
    finally:
        end_of(name)


def last_line(path):
    """The last whole line of a log that is being written, cut to the width of a terminal."""
    try:
        with open(path, 'rb') as f:
            f.seek(max(os.path.getsize(path) - 4096, 0))
            lines = f.read().decode(errors='replace').rpartition('\n')[0].splitlines()
    except OSError:
        return ''
    text = next((line.strip() for line in reversed(lines) if line.strip()), '')
    text = ''.join(c if c.isprintable() else '?' for c in text)
    return text if len(text) <= 80 else text[:77] + '...'


def progress(name, began, log):
    """How many checks of a stage there were so far, and how long that took."""
    checks = len(re.findall(r'^(?:not )?ok\b', read_text(log), re.M))
    seconds = int(time.monotonic() - began)
    return f'{name}: ' + (f'{checks} checks, ' if checks else '') + f'{seconds} s'


def heartbeat():
    """Show which stages run: in a line that is written again on a terminal, else in further lines
    about stages that take long. Never returns."""
    told = {}
    while True:
        time.sleep(min(HEARTBEAT_SECONDS, 1))
        if ON_TERMINAL:
            text = ', '.join(progress(name, *what) for name, what in list(_running.items()))
            with _print_lock:
                print(f'\r{text[:shutil.get_terminal_size().columns - 1]}\x1b[K', end='', flush=True)
            continue
        for name, (began, log) in list(_running.items()):
            beats = int((time.monotonic() - began) / HEARTBEAT_SECONDS)
            if beats > told.get((name, began), 0):
                told[name, began] = beats
                line = last_line(log)
                say(f'      {progress(name, began, log)}' + (f': {line}' if line else ''))


# ---- results ---------------------------------------------------------------------

def telling_lines(log):
    """The failures in a log with the lines around them, or else its last lines."""
    chosen = set()
    for n, line in enumerate(log):
        if line.startswith('not ok'):
            first, last = n, n
            while first > 0 and n - first < 10 and log[first - 1].startswith('#'):
                first -= 1
            while last + 1 < len(log) and last - n < 10 and log[last + 1].startswith('#'):
                last += 1
            chosen.update(range(first, last + 1))
    return [log[n] for n in sorted(chosen)][:60] or log[-15:]


def counts(stage):
    return (f'{stage.passed:>5} passed {stage.failed:>4} failed {stage.skipped:>4} skipped '
            f'{stage.seconds:>7.1f} s')


def report(stage):
    """Print how a stage ended, and of a failure the lines that tell why."""
    end_of(stage.name)
    word = 'FAIL' if stage.failed else 'pass' if stage.passed else 'skip'
    lines = [f'{word}  {stage.name:<28} {counts(stage)}']
    if stage.failed:
        lines += ['        ' + what for what in stage.failures[:20]]
        lines += [f'        from {stage.log}:']
        lines += ['        | ' + line for line in telling_lines(read_text(stage.log).splitlines())]
        if stage.console:
            lines += ['        from the console:', *('        | ' + line for line in stage.console)]
    say(*lines)


def summary(stages):
    """Print the table of all stages, the slowest first, skips and failures. Returns the exit
    status: 1 if a check failed, or if none passed."""
    print(f'\n{"stage":<30} {"pass":>6} {"fail":>6} {"skip":>6} {"seconds":>8} {"cpu":>8}')
    for s in sorted(stages, key=lambda s: -s.seconds):
        print(f'{s.name:<30} {s.passed:>6} {s.failed:>6} {s.skipped:>6} {s.seconds:>8.1f} '
              f'{s.cpu:>8.1f}')
    skips = [f'  {s.name}: {what}: {why}' for s in stages for what, why in s.skips]
    if skips:
        print('\nskipped:', *skips, sep='\n')
    flaky = [f'  {s.name}: {what}' for s in stages for what in s.flaky]
    if flaky:
        print('\nflaky (failed, and passed when the stage ran once more by itself):', *flaky, sep='\n')
    failures = [f'  {s.name}: {what}' for s in stages for what in s.failures]
    if failures:
        print('\nfailed:', *failures, sep='\n')
    passed, failed, skipped = (sum(getattr(s, k) for s in stages)
                               for k in ('passed', 'failed', 'skipped'))
    print(f'\n{passed} passed, {failed} failed, {skipped} skipped', flush=True)
    return 1 if failed or not passed else 0
