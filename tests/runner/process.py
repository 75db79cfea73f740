# SPDX-License-Identifier: GPL-2.0
"""Runs commands, and ends any that takes too much.

Limits are CPU seconds of a command and its descendants, not wall seconds, so that a busy or a
slow machine does not fail a test. A command that does nothing is ended, too. Its log has not grown
for KTRACE_TEST_STALL (600) wall seconds, and it used less than a twentieth of one CPU."""

import contextlib
import os
import signal
import subprocess
import time

# The statuses of commands that were ended: as by timeout(1), and a status of ours.
TIMED_OUT = 124
STALLED = 120
STALL_SECONDS = float(os.environ.get('KTRACE_TEST_STALL') or 600)
IDLE_SHARE = 0.05       # of one CPU, below which a command counts as doing nothing
TICK = os.sysconf('SC_CLK_TCK')

groups = set()          # process groups that are running


def signal_group(pid, number):
    try:
        os.killpg(pid, number)
    except (ProcessLookupError, PermissionError):
        pass


def end_all(number):
    """End each command that runs, and the runner with it. For a handler of a signal."""
    for pid in list(groups):
        signal_group(pid, signal.SIGTERM)
    time.sleep(0.3)
    for pid in list(groups):
        signal_group(pid, signal.SIGKILL)
    os._exit(128 + number)


def _processes():
    """{pid: (parent, session, CPU seconds with those of its dead children, start)} of this
    machine."""
    found = {}
    for name in os.listdir('/proc'):
        if not name.isdigit():
            continue
        try:
            with open(f'/proc/{name}/stat', 'rb') as f:
                words = f.read().rpartition(b') ')[2].split()
        except OSError:
            continue
        found[int(name)] = (int(words[1]), int(words[3]), sum(map(int, words[11:15])) / TICK,
                            words[19])
    return found


def cpu_of(pid, known):
    """CPU seconds that a process, the session that it leads and its descendants have used so far.
    @known: {pid: start} of these processes, which the caller keeps: descendants stay in it
    when their parents end."""
    found = _processes()
    for old in [p for p, start in known.items() if p not in found or found[p][3] != start]:
        del known[old]
    more = {p for p, (_, session, _, _) in found.items() if session == pid or p == pid}
    while more:
        known.update((p, found[p][3]) for p in more)
        more = {p for p, (parent, _, _, _) in found.items() if parent in known and p not in known}
    return sum(found[p][2] for p in known)


class Watch:
    """Sees whether a command goes on, and how much CPU time it has used."""

    def __init__(self, pid, *logs, stall=STALL_SECONDS):
        self.pid = pid
        self.logs = logs
        self.stall = stall
        self.known = {}
        self.cpu = 0.0          # CPU seconds; never falls
        self.mark = (time.monotonic(), 0.0, -1)

    def look(self):
        """Look once. Returns whether the command stands still."""
        self.cpu = max(self.cpu, cpu_of(self.pid, self.known))
        size = sum(os.path.getsize(log) for log in self.logs if os.path.exists(log))
        now = time.monotonic()
        since, cpu, old_size = self.mark
        if size != old_size or self.cpu - cpu > IDLE_SHARE * self.stall:
            self.mark = now, self.cpu, size
            return False
        return now - since > self.stall


def start(argv, log, env=None, cwd=None):
    """Start a command in a session of its own. Its standard output and error go to a file."""
    with open(log, 'wb') as f:
        p = subprocess.Popen(argv, stdin=subprocess.DEVNULL, stdout=f, stderr=subprocess.STDOUT,
                             env=env, cwd=cwd, start_new_session=True)
    groups.add(p.pid)
    return p


def finish(p, watch):
    """End the remaining processes of a command that was started: its process group, and the
    descendants with a session of their own that its watch has seen. Returns the exit status as a
    shell has it."""
    if p.returncode is None:
        signal_group(p.pid, signal.SIGTERM)
        try:
            p.wait(3)
        except subprocess.TimeoutExpired:
            pass
    signal_group(p.pid, signal.SIGKILL)
    watch.look()
    for pid in watch.known:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
    p.wait()
    groups.discard(p.pid)
    return p.returncode if p.returncode >= 0 else 128 - p.returncode


def has_ended(p):
    """Whether a command has ended. Then p.cpu is the CPU seconds that it and those of its
    children that it waited for have used."""
    if p.returncode is not None:
        return True
    pid, status, usage = os.wait4(p.pid, os.WNOHANG)
    if not pid:
        return False
    p.returncode = os.waitstatus_to_exitcode(status)
    p.cpu = usage.ru_utime + usage.ru_stime
    return True


def run(argv, log, limit, env=None, cwd=None, stall=STALL_SECONDS, enough=lambda: False):
    """Run a command. Returns its exit status and the CPU seconds that it used. The status is
    TIMED_OUT or STALLED if it had to be ended; its whole process group is gone afterwards.
    @limit: CPU seconds
    @enough: says whether nobody wants to know more; then it is ended as by a signal"""
    p = start(argv, log, env, cwd)
    watch = Watch(p.pid, log, stall=stall)
    looked = time.monotonic()
    status = None
    while not has_ended(p) and not enough():
        time.sleep(0.02)
        if time.monotonic() - looked < 1:
            continue
        looked = time.monotonic()
        if watch.look():
            status = STALLED
        elif watch.cpu > limit:
            status = TIMED_OUT
        if status is not None:
            break
    ended = finish(p, watch)
    return (ended if status is None else status), max(watch.cpu, getattr(p, 'cpu', 0.0))
