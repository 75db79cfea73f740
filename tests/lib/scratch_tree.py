# SPDX-License-Identifier: GPL-2.0
"""A copy of this tree below build/, in which stages run with a product that is built in another
manner. Files that are the same keep their times, so that a build of the copy is incremental."""

import filecmp
import glob
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile

from oracle import PATH, TOP

sys.path.insert(0, os.path.join(TOP, 'tests'))
from runner import process          # noqa: E402
from runner.stage import Stage      # noqa: E402

BAD = re.compile(rb'^(?:not ok\b(?!.*# (?:SKIP|TODO))|Bail out!).*$', re.M)

LATE = 'it did not end'

# In the background of a shell SIGINT is ignored, and below nohup SIGHUP. Programs would inherit that,
# and stages send them these signals.
if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)
if signal.getsignal(signal.SIGHUP) == signal.SIG_IGN:
    signal.signal(signal.SIGHUP, lambda number, frame: None)


def git(folder, *words):
    return subprocess.run(['git', '-C', folder, *words], check=True, stdout=subprocess.PIPE).stdout


def files_of(folder):
    """The files that git has or would take."""
    names = git(folder, 'ls-files', '-z', '--cached', '--others', '--exclude-standard')
    return {name for name in names.decode().split('\0')
            if name and os.path.lexists(os.path.join(folder, name))}


def copy_file(source, target):
    if os.path.islink(source):
        same = os.path.islink(target) and os.readlink(source) == os.readlink(target)
    else:
        same = (os.path.isfile(target) and not os.path.islink(target) and
                filecmp.cmp(source, target, shallow=False) and
                os.stat(source).st_mode == os.stat(target).st_mode)
    if same:
        return
    os.makedirs(os.path.dirname(target), exist_ok=True)
    if os.path.lexists(target):
        os.unlink(target)
    shutil.copy(source, target, follow_symlinks=False)


def refresh(tree):
    """Make the folder a copy of this tree, with all uncommitted changes."""
    if not os.path.isdir(os.path.join(tree, '.git')):
        os.makedirs(os.path.dirname(tree), exist_ok=True)
        subprocess.run(['git', 'clone', '-q', '--shared', '--no-checkout', TOP, tree], check=True)
    head = git(TOP, 'rev-parse', 'HEAD').decode().strip()
    git(tree, 'fetch', '-q', 'origin', head)
    git(tree, 'reset', '-q', head)
    wanted = files_of(TOP)
    for name in files_of(tree) - wanted:
        os.unlink(os.path.join(tree, name))
    for name in wanted:
        copy_file(os.path.join(TOP, name), os.path.join(tree, name))
    # Programs that make builds stand in this folder, too.
    for path in glob.glob(os.path.join(TOP, 'build', 'oracle', '*')):
        link = os.path.join(tree, 'build', 'oracle', os.path.basename(path))
        if re.match(r'perf|lib$', os.path.basename(path)) and not os.path.lexists(link):
            os.makedirs(os.path.dirname(link), exist_ok=True)
            os.symlink(path, link)


def build_environment(flags):
    """The environment of make, also where a stage calls it."""
    env = dict(os.environ, CFLAGS=flags)
    if 'CC' not in env and shutil.which('ccache'):
        env['CC'] = 'ccache gcc'
    return env


def make(tree, env, *goals):
    """The status of make and its output."""
    done = subprocess.run(['make', '-s', f'-j{os.cpu_count()}', *goals], cwd=tree, env=env,
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, errors='replace')
    return done.returncode, done.stdout


def host_stages(tree=TOP):
    """The stages of tests/host in that tree, by their names."""
    folder = os.path.join(tree, 'tests', 'host')
    return {name: Stage.from_file(os.path.join(folder, name))
            for name in sorted(os.listdir(folder))
            if re.match(r'\d\d-[\w-]+$', name) and os.access(os.path.join(folder, name), os.X_OK)}


def failures_in(text, but=()):
    """The names of the checks that failed, without those named."""
    names = [re.sub(r'^not ok \d+ (- )?', '', line.decode(errors='replace'))
             for line in (m.group() for m in BAD.finditer(text))]
    return [name for name in names if name not in but]


class Outcome:
    """How a stage or a program of unit tests ended; the checks in but may fail."""

    def __init__(self, text, status, cpu, but=()):
        self.text, self.status, self.cpu, self.but = text, status, cpu, but

    @property
    def failures(self):
        return failures_in(self.text)

    @property
    def first_failure(self):
        """Of a check, or else why it did not end as it should; None if nothing is wrong."""
        for name in failures_in(self.text, self.but):
            return name
        return self.bad_end

    @property
    def bad_end(self):
        if self.status in (process.TIMED_OUT, process.STALLED):
            return LATE
        if self.status > 128:
            return f'it ended by signal {self.status - 128}'
        plan = re.search(rb'^1\.\.(\d+)', self.text, re.M)
        if not plan:
            return f'there is no plan; it ended with status {self.status}'
        if int(plan.group(1)) != len(re.findall(rb'^(?:not )?ok\b', self.text, re.M)):
            return 'results are missing'
        if self.status and not self.failures:
            return f'its status is {self.status}'
        return None


def run_program(argv, tree, env, limit=3600, stall=process.STALL_SECONDS, until_failure=False, but=()):
    """Run a command that prints TAP. It is ended when it and its children have used so many seconds
    of the CPU, and when it has stood still for as long as @stall says; at the first failure of a check
    that is not in @but, too, if that is asked."""
    with tempfile.NamedTemporaryFile() as log:
        def text():
            with open(log.name, 'rb') as f:
                return f.read()

        def has_failed():
            return until_failure and failures_in(text().rpartition(b'\n')[0], but)
        status, cpu = process.run(argv, log.name, limit, env, tree, stall, has_failed)
        return Outcome(text(), status, cpu, but)


def run_stage(stage, tree, env, **limits):
    """Run a host stage of that tree, as tests/run does, in a new folder of its own."""
    work = os.path.join(tree, 'build', 'test', stage.name)
    shutil.rmtree(work, ignore_errors=True)
    os.makedirs(work)
    env = dict(env, PATH=PATH, LC_ALL='C.UTF-8', KTRACE_TEST_DIR=work, KTRACE_TEST_ONLY='',
               KTRACE_TEST_PARTS='')
    return run_program([stage.path], tree, env, **limits)
