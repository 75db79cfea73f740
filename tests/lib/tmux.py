# SPDX-License-Identifier: GPL-2.0
"""Commands of ktrace in a real terminal, which tmux is."""
import os
import subprocess
import time

from tool import DIR, KTRACE

# Seconds until a check fails that shows the screen: as long as the runner waits for a stage that
# does nothing.  The awaited text comes much sooner, on any machine.
PATIENCE = 600


class Terminal:
    """A command in a pane of a server of tmux that nobody else uses.  A shell around it notes
    the settings of the terminal before and after, and the status."""
    number = 0

    def __init__(self, *words, columns=80, lines=24, env=''):
        Terminal.number += 1
        self.socket = 'ktrace-%d-%d' % (os.getpid(), Terminal.number)
        self.base = os.path.join(DIR, 'terminal-%d' % Terminal.number)
        script = (f'cd {DIR}; export COLUMNS= LINES=; {env}\nstty -g >{self.base}.before\n'
                  f'{KTRACE} {" ".join(words)}\n'
                  f'echo $? >{self.base}.status; stty -g >{self.base}.after\n'
                  f'echo it has ended; exec sleep 1000\n')
        with open(self.base + '.sh', 'w') as f:
            f.write(script)
        self.tmux('-f', '/dev/null', 'new-session', '-d', '-x', str(columns), '-y', str(lines),
                  f'exec bash -m {self.base}.sh')

    def tmux(self, *words):
        r = subprocess.run(['tmux', '-u', '-L', self.socket, *words], capture_output=True,
                           text=True, env={**os.environ, 'LC_ALL': 'C.UTF-8'})
        return r.stdout

    def lines(self):
        return self.tmux('capture-pane', '-p').split('\n')[:-1]

    def until(self, holds):
        """Wait until the lines are as wanted; returns them as they are in the end."""
        for _ in range(PATIENCE * 20):
            lines = self.lines()
            if holds(lines) and self.is_whole():
                # tmux takes all that was on its way before it answers for the second time.
                self.lines()
                lines = self.lines()
                if holds(lines):
                    break
            time.sleep(0.05)
        return lines

    def is_whole(self):
        """Whether nothing more is drawn until a key comes."""
        return True

    def until_text(self, text):
        return self.until(lambda lines: any(text in line for line in lines))

    def press(self, *keys):
        self.tmux('send-keys', *keys)

    def type(self, text):
        # A semicolon at the end would end a command of tmux.
        self.tmux('send-keys', '-l', text[:-1] + '\\;' if text.endswith(';') else text)

    def resize(self, columns, lines):
        self.tmux('resize-window', '-x', str(columns), '-y', str(lines))

    def pid(self):
        shell = self.tmux('display-message', '-p', '#{pane_pid}').strip()
        return int(subprocess.run(['pgrep', '-P', shell, '-x', 'ktrace'], capture_output=True,
                                  text=True, check=True).stdout.split()[0])

    def end(self):
        self.tmux('kill-server')

    def ended(self):
        """(status, whether the settings are as before, whether the shell's screen is seen)."""
        seen = any('it has ended' in line for line in self.until_text('it has ended'))
        with open(self.base + '.before') as before, open(self.base + '.after') as after, \
                open(self.base + '.status') as status:
            return int(status.read()), before.read() == after.read(), seen
