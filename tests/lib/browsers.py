# SPDX-License-Identifier: GPL-2.0
"""The browser of report, top and annotate in a real terminal."""
import re
import subprocess

from tmux import Terminal

REVERSE = re.compile(r'\x1b\[(?:\d+;)*7(?:;\d+)*m')
CONTROL = re.compile(r'\x1b\[[\d;]*[A-Za-z]|\x1b\(B|[\x0e\x0f]')


class Browser(Terminal):
    def is_whole(self):
        """Whether it waits, is stopped or has ended: a screen is written in parts."""
        try:
            with open(f'/proc/{self.pid()}/wchan') as f:
                return re.search('poll|signal_stop', f.read())
        except (OSError, subprocess.CalledProcessError):
            return True

    def until_read(self):
        """Wait until a report has read everything."""
        return self.until(lambda lines: rows_of(lines) and lines[0].startswith('Samples'))

    def selected(self):
        """The line with the cursor; in a menu it is the item, below the row."""
        for line in reversed(self.tmux('capture-pane', '-e', '-p').split('\n')):
            if REVERSE.search(line):
                return CONTROL.sub('', line).rstrip()
        return ''

    def at(self):
        """(line with the cursor, number of lines), from the last line."""
        found = re.search(r' (\d+)/(\d+) *$', self.lines()[-1])
        return (int(found[1]), int(found[2])) if found else (0, 0)

    def until_at(self, number):
        """Wait until the cursor is on the line of this number."""
        self.until(lambda lines: re.search(rf' {number}/\d+ *$', lines[-1]))
        return self.at()[0] == number

    def go_to(self, name):
        """Move the cursor from the first row to the first entry that has the name."""
        for i, row in enumerate(rows_of(self.lines())):
            if name in row.split():
                self.press('Home', *['Down'] * i)
                return self.until_text(f' {i + 1}/')
        return None


def rows_of(lines):
    """(share, ..., names) of the entries on a screen, without the sign of their chains."""
    return [' '.join(line[2:].split()) for line in lines if re.match(r'[+ -] +\d+\.\d\d%', line)]
