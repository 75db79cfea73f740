# SPDX-License-Identifier: GPL-2.0
"""TAP for Python tests.

    import testlib
    from tap import ok, is_, like, skip, done_testing

    is_(1 + 1, 2, 'addition')
    done_testing()

An exception that nobody catches ends the test without a plan, which the runner
counts as a failure.

With KTRACE_TEST_ONLY (tests/run --only) only checks count that have this text in their
names, or whose whole names match this pattern. Functions given to parts() do not run if
the runner knows from an earlier run that no such check is in them."""

import fnmatch
import os
import re
import sys

_count = 0
_failed = 0
_subject = ''
_only = os.environ.get('KTRACE_TEST_ONLY', '')
_parts = os.environ.get('KTRACE_TEST_PARTS', '').split()


def about(what=''):
    """The subject of the checks from here on, in front of their names."""
    global _subject
    _subject = what and what + ': '


def parts(*functions):
    """Run functions of a test that do not depend on each other."""
    for function in functions:
        if not _parts or function.__name__ in _parts:
            print('# part', function.__name__, flush=True)
            function()
            about()


def is_chosen(name):
    """Whether this check counts."""
    name = _subject + name
    return fnmatch.fnmatchcase(name, _only) if re.search(r'[*?[]', _only) else _only in name


def diag(text):
    for line in str(text).splitlines() or ['']:
        print('# ' + line, flush=True)


def ok(holds, name):
    global _count, _failed
    if is_chosen(name):
        _count += 1
        _failed += not holds
        print(f'{"ok" if holds else "not ok"} {_count} - {_subject}{name}', flush=True)
    return bool(holds)


def is_(got, want, name):
    if got != want and is_chosen(name):
        diag(f'got:  {got!r}'[:4000])
        diag(f'want: {want!r}'[:4000])
    return ok(got == want, name)


def like(text, pattern, name):
    """The regular expression is found in the text."""
    found = re.search(pattern, text)
    if not found and is_chosen(name):
        diag(f'got:  {text!r}')
        diag(f'like: {pattern!r}')
    return ok(found, name)


def raises(exception, function, name):
    try:
        function()
    except exception:
        return ok(True, name)
    if is_chosen(name):
        diag(f'no {exception.__name__}')
    return ok(False, name)


def skip(reason, name):
    global _count
    if is_chosen(name):
        _count += 1
        print(f'ok {_count} - {_subject}{name} # SKIP {reason}', flush=True)


def skip_all(reason):
    print(f'1..0 # SKIP {reason}', flush=True)
    sys.exit(0)


def done_testing():
    print(f'1..{_count}', flush=True)
    sys.exit(1 if _failed else 0)
