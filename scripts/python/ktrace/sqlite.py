# SPDX-License-Identifier: GPL-2.0
"""Recordings as tables of Python's sqlite3.

    import ktrace.sqlite

    db = ktrace.sqlite.connect('perf.data')
    db.execute('select event, samples from counts').fetchall()

Documentation/ktrace-sql.1.rst lists the tables."""
import os
import sqlite3

from ktrace import _ktrace


def extension() -> str:
    """The path of the extension, for sqlite3.Connection.load_extension()."""
    return _ktrace.__file__


def load(db: sqlite3.Connection) -> None:
    """Add the SQL function ktrace_open() to an open connection.

    sqlite3.NotSupportedError: this Python cannot load extensions of SQLite."""
    if not hasattr(db, 'enable_load_extension'):
        raise sqlite3.NotSupportedError(
            "the sqlite3 of this Python was built without extensions of SQLite; "
            "use another Python, such as Debian's /usr/bin/python3, or 'ktrace sql'")
    db.enable_load_extension(True)
    try:
        db.load_extension(extension())
    finally:
        db.enable_load_extension(False)


def connect(path: 'str | os.PathLike[str]' = 'perf.data', **options) -> sqlite3.Connection:
    """Connect to a database in memory that has the tables of a recording.

    options are those of sqlite3.connect(). sqlite3.OperationalError: it cannot be read."""
    db = sqlite3.connect(':memory:', **options)
    try:
        load(db)
        db.execute('select ktrace_open(?)', (os.fspath(path),)).fetchall()
    except BaseException:
        db.close()
        raise
    return db
