# SPDX-License-Identifier: GPL-2.0
"""What tests of commands share whose tables are those of perf: `ktrace kmem`, `lock` ..."""
import os
import subprocess

import perfdata_writer as pw
from tap import diag, is_, like, ok

KTRACE = os.environ.get('KTRACE', os.path.join(os.getcwd(), 'build/bin/ktrace'))


def run(*words, **more):
    r = subprocess.run(words, capture_output=True, text=True, errors='replace', check=False,
                       **more)
    return r.returncode, r.stdout, r.stderr


def read_other_pipe(*words):
    """Let a command read a pipe with samples of cycles alone, whose events it does not want."""
    writer = pw.Writer(pipe=True)
    event = writer.event('cycles', type=0, sample_type=pw.SAMPLE_TYPE & ~pw.RAW)
    writer.sample(event, time=100, pid=7)
    r = subprocess.run(words, input=writer.bytes(), capture_output=True, check=False)
    return r.returncode, r.stdout.decode(), r.stderr.decode()


def output(*words, **more):
    status, out, err = run(*words, **more)
    if status:
        diag(err)
        raise RuntimeError('%s ended with %d' % (words, status))
    return out


def record(file, events, load, *more):
    """Have perf record a command."""
    words = [word for event in events for word in ('-e', event)]
    subprocess.run(['perf', 'record', '-q', '-m', '2048', '-o', file, *more, *words, '--', *load],
                   check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def same_lines(theirs, ours, name, least=3):
    """Both texts have the same lines, as many as @least."""
    theirs, ours = theirs.splitlines(), ours.splitlines()
    for pair in [pair for pair in zip(theirs, ours) if pair[0] != pair[1]][:5]:
        diag('perf:   %s\nktrace: %s' % pair)
    if len(theirs) != len(ours):
        diag('perf: %d lines, ktrace: %d' % (len(theirs), len(ours)))
    return ok(theirs == ours and len(ours) >= least, name)


def check_errors(cases):
    """The status and sentence of each wrong command line; nothing is printed on stdout."""
    for words, status, says in cases:
        got, out, err = run(KTRACE, *words)
        is_((got, out), (status, ''), 'the status of ' + ' '.join(words))
        like(err, says, 'the sentence about ' + ' '.join(words))
