# SPDX-License-Identifier: GPL-2.0
"""The commands of the documentation, run as a reader would: the lines that begin
with '$ ' in code-block:: console, page by page, each page in a folder of its
own. Blocks of the class `module` need ktrace.ko, those of the class
`needs-PROGRAM` belong to 80-languages. A code-block with a name is a file of
that folder."""

import os
import re
import subprocess
import tempfile
import textwrap

import tap

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.realpath(__file__))))
BLOCK = re.compile(r'^\.\. code-block:: console\n((?:   .*\n|\n)+)', re.M)
NAMED = re.compile(r'^\.\. code-block:: \w+\n   :name: (\S+)\n((?:   .*\n|\n)+)', re.M)


def commands(text, module):
    for block in BLOCK.findall(text):
        if (':class: module' in block) == module and ':class: needs-' not in block:
            yield from re.findall(r'^   \$ (.*)$', block, re.M)


def needing(text):
    """(program, commands) of each block that needs a program."""
    for block in BLOCK.findall(text):
        needed = re.search(r':class: needs-(\S+)', block)
        if needed:
            yield needed[1], re.findall(r'^   \$ (.*)$', block, re.M)


def write_files(text, directory):
    for name, body in NAMED.findall(text):
        with open(os.path.join(directory, name), 'w') as f:
            f.write(textwrap.dedent(body))


def run(command, directory):
    """The exit status and the output of a command."""
    env = dict(os.environ, PATH=os.path.join(TOP, 'build/bin') + ':' + os.environ['PATH'],
               CPATH=os.path.join(TOP, 'kmod/uapi'),
               PYTHONPATH=os.path.join(TOP, 'build/python'))
    # The output must not be a pipe: record would write the recording into it, as perf
    # does.
    with tempfile.TemporaryFile('w+', errors='replace') as out:
        status = subprocess.run(['bash', '-c', command], cwd=directory, env=env,
                                stdin=subprocess.DEVNULL, stdout=out,
                                stderr=subprocess.STDOUT).returncode
        out.seek(0)
        return status, out.read()


def run_pages(module):
    """One check per command; returns how many there were."""
    count = 0
    folder = os.path.join(TOP, 'Documentation')
    for page in ['../README.rst'] + sorted(os.listdir(folder)):
        if not page.endswith('.rst'):
            continue
        with open(os.path.join(folder, page)) as f:
            text = f.read()
        with tempfile.TemporaryDirectory() as directory:
            write_files(text, directory)
            for command in commands(text, module):
                count += 1
                status, output = run(command, directory)
                bad = status or 'Traceback' in output
                if not tap.ok(not bad, '%s: %s' % (page, command)):
                    tap.diag(output[-2000:])
    return count
