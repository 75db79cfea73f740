# SPDX-License-Identifier: GPL-2.0
"""perf's export-to-sqlite.py without Qt: stand-ins for the used functions, by Python's own
sqlite3."""
import os

SCRIPT = '/usr/lib/perf-core/scripts/python/export-to-sqlite.py'

QTSQL = '''
import sqlite3
class QSqlDatabase:
    @staticmethod
    def addDatabase(kind): return QSqlDatabase()
    def setDatabaseName(self, name): self.name = name
    def open(self): self.db = sqlite3.connect(self.name, isolation_level=None)
class QSqlQuery:
    def __init__(self, database): self.db, self.values = database.db, []
    def prepare(self, text): self.text = text
    def addBindValue(self, value): self.values.append(value)
    def exec_(self, text=None):
        self.rows = self.db.execute(text or self.text, self.values)
        self.values = []
        return True
    def next(self): return self.rows.fetchone() is not None
'''


def write_qt(folder):
    """Write the modules into a folder, which PYTHONPATH must name when perf runs the script."""
    os.mkdir(os.path.join(folder, 'PySide2'))
    for name, text in ('__init__.py', ''), ('QtSql.py', QTSQL):
        with open(os.path.join(folder, 'PySide2', name), 'w', encoding='utf-8') as f:
            f.write(text)
