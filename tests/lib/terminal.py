# SPDX-License-Identifier: GPL-2.0
"""Commands on a terminal of 80 columns and 24 lines."""

import fcntl
import os
import pty
import struct
import subprocess
import termios

# What decides about pagers, colours and widths.
SETTINGS = ('KTRACE_PAGER', 'PAGER', 'LESS', 'LV', 'COLUMNS', 'NO_COLOR')
ENV = {key: value for key, value in os.environ.items() if key not in SETTINGS}


def on_terminal(*words, messages=False, columns=80, **env):
    """What the terminal shows; with the messages, or without.  There is no pager unless
    the environment names one."""
    master, slave = pty.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack('HHHH', 24, columns, 0, 0))
    environment = {**ENV, 'TERM': 'xterm', 'KTRACE_PAGER': 'cat', **env}
    with subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=slave,
                          stderr=slave if messages else subprocess.DEVNULL, env=environment,
                          start_new_session=True):
        os.close(slave)
        shown = b''
        while True:
            try:
                data = os.read(master, 65536)
            except OSError:
                break
            if not data:
                break
            shown += data
    os.close(master)
    return shown.decode(errors='replace').replace('\r\n', '\n')
