# SPDX-License-Identifier: GPL-2.0
"""What the reports of this folder share: whose events count, and tables."""
import sys
import threading
import time


class TaskFilter:
    """The optional argument COMM or PID of a report."""

    def __init__(self, usage='[comm|pid]'):
        if len(sys.argv) > 2:
            sys.exit('usage: %s %s' % (sys.argv[0], usage))
        self.wanted = sys.argv[1] if len(sys.argv) > 1 else None
        self.pid = int(self.wanted) if self.wanted and self.wanted.isdigit() else None

    def accepts(self, comm, pid):
        return self.wanted is None or pid == self.pid or comm == self.wanted

    def title(self, text):
        return text + (' for %s' % self.wanted if self.wanted else '') + ':'


def print_columns(widths, rows):
    """Rows of words: the first column to the left, the others to the right."""
    form = '%%-%ds' % widths[0] + ''.join('  %%%ds' % width for width in widths[1:])
    for row in rows:
        print((form % tuple(row)).rstrip())


def print_table(title, header, widths, rows):
    print(title)
    print()
    print_columns(widths, [header, ['-' * width for width in widths]])
    print_columns(widths, rows)


def by_count(counts):
    """(key, count) pairs, the largest count first, then by key."""
    return sorted(counts.items(), key=lambda item: (-item[1], item[0]))


def every(seconds, function):
    """Call function again and again while events come in, until the script ends."""
    def repeat():
        while True:
            time.sleep(seconds)
            function()

    threading.Thread(target=repeat, daemon=True).start()


def top_arguments():
    """([comm], [interval]) of the reports whose names end in "top"."""
    words = sys.argv[1:]
    seconds = float(words.pop()) if words and words[-1].replace('.', '', 1).isdigit() else 3
    sys.argv[1:] = words
    return TaskFilter('[comm] [interval]'), seconds
