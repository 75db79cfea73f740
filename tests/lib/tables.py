# SPDX-License-Identifier: GPL-2.0
"""Shared by tests of commands whose tables are those of perf: `ktrace kmem`, `lock` ..."""
import csv
import io
import json

import perfdata_writer as pw
from tap import diag, is_, like, ok
from tool import KTRACE, record, run, run_binary


def read_other_pipe(*words):
    """Let a command read a pipe with samples of cycles alone, whose events it does not want."""
    writer = pw.Writer(pipe=True)
    event = writer.event('cycles', type=0, sample_type=pw.SAMPLE_TYPE & ~pw.RAW)
    writer.sample(event, time=100, pid=7)
    r = run_binary(*words, input=writer.bytes())
    return r.returncode, r.stdout.decode(), r.stderr


def output(*words, **more):
    """The output of a program, which must not fail."""
    r = run(*words, **more)
    if r.returncode:
        diag(r.stderr)
        raise RuntimeError('%s ended with %d' % (words, r.returncode))
    return r.stdout


def record_events(file, events, load, *more):
    """Have perf record a command."""
    words = [word for event in events for word in ('-e', event)]
    record('perf', file, ['-m', '2048', *more, *words], load, check=True)


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
        r = run(KTRACE, *words)
        is_((r.returncode, r.stdout), (status, ''), 'the status of ' + ' '.join(words))
        like(r.stderr, says, 'the sentence about ' + ' '.join(words))


def data(*words):
    """The document that a command prints with --json; --csv must have the same columns and
    values."""
    document = json.loads(output(*words, '--json'))
    lines = list(csv.reader(io.StringIO(output(*words, '--csv'))))
    columns = document['columns']
    read = {'unsigned': int, 'signed': int, 'float': float, 'text': str}
    # CSV has no difference between an empty text and none, and has a ' in front of a text that a
    # spreadsheet would take for a formula.
    rows = [[None if value in (None, '') else read[column['type']](
        "'" + value if column['type'] == 'text' and value[0] in '=+-@' else value)
             for column, value in zip(columns, row.values())] for row in document['rows']]
    table = document['table']
    is_(lines[0], [column['name'] for column in columns], f'{table}: CSV has the columns of JSON')
    is_([[None if not value else read[column['type']](value) for column, value in zip(columns, line)]
         for line in lines[1:]], rows, f'{table}: CSV has the values of JSON')
    ok(columns and all(list(row) == lines[0] for row in document['rows']),
       f'{table}: each row of JSON has the columns')
    return document
