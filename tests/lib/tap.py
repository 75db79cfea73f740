# SPDX-License-Identifier: GPL-2.0
"""TAP for Python tests.

    import os, sys
    sys.path.insert(0, os.path.join(os.path.dirname(__file__), '..', 'lib'))
    from tap import ok, is_, like, skip, done_testing

    is_(1 + 1, 2, 'addition')
    done_testing()

An exception that nobody catches ends the test without a plan, which the runner
counts as a failure."""

import re
import sys

_count = 0
_failed = 0


def diag(text):
    for line in str(text).splitlines() or ['']:
        print('# ' + line, flush=True)


def ok(holds, name):
    global _count, _failed
    _count += 1
    if not holds:
        _failed += 1
    print(f'{"ok" if holds else "not ok"} {_count} - {name}', flush=True)
    return bool(holds)


def is_(got, want, name):
    if got != want:
        diag(f'got:  {got!r}'[:4000])
        diag(f'want: {want!r}'[:4000])
    return ok(got == want, name)


def like(text, pattern, name):
    """The regular expression is found in the text."""
    found = re.search(pattern, text)
    if not found:
        diag(f'got:  {text!r}')
        diag(f'like: {pattern!r}')
    return ok(found, name)


def raises(exception, function, name):
    try:
        function()
    except exception:
        return ok(True, name)
    diag(f'no {exception.__name__}')
    return ok(False, name)


def skip(reason, name):
    global _count
    _count += 1
    print(f'ok {_count} - {name} # SKIP {reason}', flush=True)


def skip_all(reason):
    print(f'1..0 # SKIP {reason}', flush=True)
    sys.exit(0)


def done_testing():
    print(f'1..{_count}', flush=True)
    sys.exit(1 if _failed else 0)
