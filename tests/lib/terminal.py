# SPDX-License-Identifier: GPL-2.0
"""Commands on a terminal of 80 columns and 24 lines."""

import fcntl
import os
import pty
import struct
import subprocess
import termios
import threading

# Variables that set pagers, colours and widths.
SETTINGS = ('KTRACE_PAGER', 'PAGER', 'LESS', 'LV', 'COLUMNS', 'NO_COLOR')
ENV = {key: value for key, value in os.environ.items() if key not in SETTINGS}


# The mark on the terminal behind all output of the command.
END = b'\0the end\0'


def wait_and_mark(process, terminal):
    process.wait()
    os.write(terminal, END)


def on_terminal(*words, messages=False, columns=80, **env):
    """The text on the terminal; with the messages, or without.  There is no pager unless
    the environment names one."""
    master, slave = pty.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack('HHHH', 24, columns, 0, 0))
    environment = {**ENV, 'TERM': 'xterm', 'KTRACE_PAGER': 'cat', **env}
    with subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=slave,
                          stderr=slave if messages else subprocess.DEVNULL, env=environment,
                          start_new_session=True) as process:
        # The terminal stays open until all is read: now and then a read fails once nobody has it
        # open any more, although the kernel has text left.
        marker = threading.Thread(target=wait_and_mark, args=(process, slave))
        marker.start()
        shown = b''
        while not shown.endswith(END):
            shown += os.read(master, 65536)
        marker.join()
    os.close(slave)
    os.close(master)
    return shown[:-len(END)].decode(errors='replace').replace('\r\n', '\n')
