# SPDX-License-Identifier: GPL-2.0
"""Builds a module of another author: as the user nobody, in its own namespaces (bubblewrap).  The
root is a folder made for the build, with a copy of the module's folder.  Files that the build
writes elsewhere in that root are files that it would have written to this machine."""

import glob
import hashlib
import os
import re
import resource
import shlex
import shutil
import stat
import subprocess
import tempfile

NOBODY = 65534
LIMIT = 900
LARGEST = 1 << 31
# Folders of built modules, in the cache.
MOST_KEPT = 100
PATH = '/lab:/usr/local/bin:/usr/bin:/usr/sbin:/bin:/sbin'
# Products of a build in its folder, which may be for another kernel.
LEFT = re.compile(r'\.(o|ko|mod|mod\.c|cmd|symvers|order)$|^\.git$|^\.tmp_versions$|^\.ktrace-lab-')
# Messages of programs that cannot create a file outside. In a build they have no other reason.
REFUSED = re.compile(r"Read-only file system|Permission denied|Operation not permitted|"
                     r"cannot (touch|create|remove|open|move|make)\b|Directory nonexistent")
# The folder in which template probes are built, and the file beside modules with the messages of
# `ktrace template`, behind a line with its exit status.
TEMPLATES = '.ktrace-lab-templates'
ENVIRONMENT = {'PATH': PATH, 'HOME': '/tmp', 'LANG': 'C.UTF-8'}
# The variables with which users set the kernel's tree in Makefiles of modules.
TREE_VARIABLES = ('KDIR', 'KERNELDIR', 'KERNEL_DIR', 'KERNELPATH', 'KERNEL_SRC')
SCRATCH = ('/tmp', '/var/tmp')
NO_FILES = ('/dev', '/proc', '/usr')


class BuildError(Exception):
    """A module cannot be built; lines has details."""

    def __init__(self, message, lines=(), hostile=False):
        super().__init__(message)
        self.lines, self.hostile = list(lines), hostile


def source_files(folder, without=()):
    """(path below the folder, stat) of the files, folders and links to copy; some are left out."""
    for base, folders, files in os.walk(folder):
        def is_source(name, base=base):
            return not LEFT.search(name) and os.path.join(base, name) not in without
        folders[:] = sorted(filter(is_source, folders))
        for name in sorted(folders + list(filter(is_source, files))):
            path = os.path.join(base, name)
            st = os.lstat(path)
            if stat.S_ISREG(st.st_mode) or stat.S_ISDIR(st.st_mode) or stat.S_ISLNK(st.st_mode):
                yield os.path.relpath(path, folder), st


def key_of(folder, kernel, see, without, own, given):
    """Everything that the built module depends on.  A kernel that is built again has other symbols.
    """
    symbols = os.path.join(kernel.root, kernel.tree.lstrip('/'), 'Module.symvers')
    changed = os.stat(symbols).st_mtime_ns if os.path.exists(symbols) else 0
    key = hashlib.sha256(f'{kernel.release} {changed} {given}\n'.encode())
    for path in [__file__] + ([own[1]] if own else []):
        with open(path, 'rb') as f:
            key.update(f.read())
    for each in [folder] + see:
        key.update(each.encode() + b'\0')
        for name, st in source_files(each, without):
            path = os.path.join(each, name)
            key.update(f'{name}\0{st.st_mode}\0'.encode(errors='surrogateescape'))
            if stat.S_ISLNK(st.st_mode):
                key.update(os.readlink(path).encode(errors='surrogateescape'))
            elif stat.S_ISREG(st.st_mode):
                with open(path, 'rb') as f:
                    key.update(hashlib.sha256(f.read()).digest())
    return key.hexdigest()[:32]


def copy_folder(folder, to, without):
    os.makedirs(to, exist_ok=True)
    for name, st in source_files(folder, without):
        path, target = os.path.join(folder, name), os.path.join(to, name)
        if stat.S_ISDIR(st.st_mode):
            os.makedirs(target, exist_ok=True)
        else:
            shutil.copy2(path, target, follow_symlinks=False)


def give_to_nobody(root):
    for base, folders, files in os.walk(root):
        for name in ['.'] + folders + files:
            os.lchown(os.path.join(base, name), NOBODY, NOBODY)


def listing(root, folder):
    """Each file that the build should not change, with values that change when it is written."""
    found = {}
    for base, folders, files in os.walk(root):
        here = '/' + os.path.relpath(base, root) if base != root else ''
        folders[:] = [d for d in folders if f'{here}/{d}' != folder and f'{here}/{d}' not in NO_FILES]
        if here in SCRATCH:         # the module's folder may lie there
            folders[:], files = [d for d in folders if folder.startswith(f'{here}/{d}/')], []
        for name in folders + files:
            st = os.lstat(os.path.join(base, name))
            found[f'{here}/{name}'] = (stat.S_IFMT(st.st_mode),
                                       None if stat.S_ISDIR(st.st_mode) else
                                       (st.st_size, st.st_mtime_ns, st.st_ino))
    return found


def takes_templates(folder, without):
    """Whether a source of the folder includes the header that defines template probes."""
    for name, st in source_files(folder, without):
        if name.endswith(('.c', '.h')) and stat.S_ISREG(st.st_mode):
            with open(os.path.join(folder, name), 'rb') as f:
                if re.search(rb'^#include <ktrace/templates\.h>', f.read(), re.M):
                    return True
    return False


def template_folders(own):
    """The folders of ktrace that `ktrace template` reads.  @own: as in template_words()."""
    beside = os.path.dirname(os.path.realpath(own[2]))
    every = (beside, os.path.join(os.path.dirname(beside), 'lib'), own[0], os.path.dirname(own[1]))
    return [d for d in every if os.path.exists(d) and not d.startswith(('/usr/', '/lib/'))]


def make_templates(own, folder, kernel, root, links):
    """Have ktrace create template probes of the module's events, below its folder in @root.
    Returns its exit status and its messages.  @own: as in template_words(); @links: of make_root().
    """
    for each in template_folders(own):
        links = links + ['--ro-bind', each, each]
    command = [os.path.realpath(own[2]), 'template', '--kernel', kernel.bound or kernel.release,
               '-o', os.path.join(folder, TEMPLATES), folder]
    status, said = run_make(sandbox(root, links, kernel.root, folder) + command, ENVIRONMENT)
    return status, [line for line in said.splitlines() if 'insmod' not in line and 'BTF' not in line]


def make_command(folder, kernel, given, own):
    """The command line of make.  If a target was given, the module's own Makefile runs Kbuild.
    @own: the variables of template_words()."""
    words = ['make', f'-j{len(os.sched_getaffinity(0))}', *own, *given]
    return words if has_target(given) else words + ['-C', kernel.tree, 'M=' + folder, 'modules']


def has_target(given):
    return any('=' not in word for word in given)


def template_words(own, root):
    """Arguments for make and for bwrap: where ktrace's header and symbols are, as
    scripts/examples/elevator/Kbuild names them.  @own: (folder with ktrace/templates.h, file of
    symbols, the tool)."""
    words, links = [], []
    for name, path, at in zip(('KTRACE_INCLUDE', 'KBUILD_EXTRA_SYMBOLS'), own, ('include', 'ktrace.symvers')):
        target = '/lab/' + at
        if os.path.isdir(path):
            os.mkdir(root + target)
        else:
            with open(root + target, 'w'):
                pass
        words.append(f'{name}={target}')
        links += ['--ro-bind', path, target]
    return words, links


def make_root(root, folder, see, without, kernel, later):
    """The folder that becomes / for the build.  @later: folders that are mounted after the module
    was built.  They are created now, because later links of the build may be in the way."""
    for each in later:
        os.makedirs(root + each, exist_ok=True)
    for name in ('etc', 'tmp', 'var/tmp', 'home', 'root', 'usr', 'proc', 'dev'):
        os.makedirs(os.path.join(root, name), exist_ok=True)
    links = []
    for name in ('bin', 'sbin', 'lib', 'lib32', 'lib64', 'libx32'):
        path = os.path.join(kernel.root, name)
        if os.path.islink(path):
            os.symlink(os.readlink(path), os.path.join(root, name))
        elif os.path.isdir(path):
            os.mkdir(os.path.join(root, name))
            links += ['--ro-bind', path, '/' + name]
    with open(os.path.join(root, 'etc/passwd'), 'w') as f:
        f.write('nobody:x:65534:65534:nobody:/tmp:/bin/sh\n')
    # Kbuilds read the running kernel's release, but need that of the kernel they build for.
    os.mkdir(os.path.join(root, 'lab'))
    with open(os.path.join(root, 'lab/uname'), 'w') as f:
        f.write('#!/bin/sh\nif [ "$*" = -r ]; then echo ' + shlex.quote(kernel.release) +
                '; else exec /usr/bin/uname "$@"; fi\n')
    os.chmod(f.name, 0o755)
    alternatives = os.path.join(kernel.root, 'etc/alternatives')
    if os.path.isdir(alternatives):
        shutil.copytree(alternatives, os.path.join(root, 'etc/alternatives'), symlinks=True,
                        ignore_dangling_symlinks=True)
    copy_folder(folder, root + folder, without)
    # Each mount point already exists as a folder, so that the build cannot replace it.
    for each in see + ([kernel.bound] if kernel.bound else []):
        os.makedirs(root + each, exist_ok=True)
        links += ['--ro-bind', each, each]
    return links


def sandbox(root, links, release_root, folder):
    """The arguments in front of the command that runs in it."""
    words = ['bwrap', '--bind', root, '/',
             '--ro-bind', os.path.join(release_root, 'usr'), '/usr', *links,
             '--bind', root + folder, folder, '--proc', '/proc', '--dev', '/dev',
             '--unshare-pid', '--unshare-net', '--unshare-ipc', '--unshare-uts',
             '--die-with-parent', '--new-session', '--chdir', folder]
    if os.geteuid():
        return words + ['--unshare-user', '--uid', str(NOBODY), '--gid', str(NOBODY), '--']
    return words + ['--cap-drop', 'ALL', '--cap-add', 'CAP_SETUID', '--cap-add', 'CAP_SETGID',
                    '--cap-add', 'CAP_SETPCAP', '--', 'setpriv', f'--reuid={NOBODY}',
                    f'--regid={NOBODY}', '--clear-groups', '--inh-caps=-all', '--bounding-set=-all',
                    '--no-new-privs']


def limits():
    resource.setrlimit(resource.RLIMIT_FSIZE, (LARGEST, LARGEST))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def last_lines(text):
    """The lines with the first errors, or else the last ones."""
    lines = text.splitlines()
    return [line for line in lines if re.search(r'\b[Ee]rror\b|\*\*\*', line)][:8] or lines[-8:]


def run_make(command, env):
    try:
        r = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                           stderr=subprocess.STDOUT, text=True, errors='replace', timeout=LIMIT,
                           env=env, preexec_fn=limits)
    except FileNotFoundError:
        raise BuildError('There is no bwrap here, without which nothing of somebody else is built: '
                         'apt-get install bubblewrap')
    except subprocess.TimeoutExpired:
        raise BuildError(f'The build did not end within {LIMIT} s')
    return r.returncode, r.stdout


def judge(folder, status, said, before, after):
    """Raises BuildError, unless the build succeeded and wrote to its folder alone."""
    written = sorted(p for p in after if before.get(p) != after[p]) + \
        sorted(p for p in before if p not in after)
    if written:
        raise BuildError(f'The build of {folder} writes outside of its folder: ' +
                         ', '.join(written[:5]), hostile=True)
    refused = [line for line in said.splitlines() if REFUSED.search(line)]
    if refused:
        raise BuildError(f'The build of {folder} tries to write outside of its folder', refused[:5],
                         hostile=True)
    if status:
        raise BuildError(f'{folder} cannot be built', last_lines(said))


def modules_of(folder):
    """The built modules; no other file of that folder is read."""
    for base, _, files in os.walk(folder):
        for name in files:
            path = os.path.join(base, name)
            if name.endswith('.ko') and stat.S_ISREG(os.lstat(path).st_mode):
                yield path


def keep_modules(built, kept, said):
    """Renaming is the last step: a folder in the cache is complete.  @said: of make_templates(), if
    it exists."""
    os.makedirs(os.path.dirname(kept), exist_ok=True)
    new = tempfile.mkdtemp(prefix='.new-', dir=os.path.dirname(kept))
    try:
        for path in modules_of(built):
            shutil.copyfile(path, os.path.join(new, os.path.basename(path)), follow_symlinks=False)
        if os.path.exists(said):
            shutil.copy(said, os.path.join(new, TEMPLATES))
        os.rename(new, kept)
    except OSError:
        if not os.path.isdir(kept):     # no other lab was quicker
            raise
    finally:
        shutil.rmtree(new, ignore_errors=True)
    old = sorted(glob.glob(os.path.join(glob.escape(os.path.dirname(kept)), '*')),
                 key=os.path.getmtime)
    for each in old[:-MOST_KEPT]:
        shutil.rmtree(each, ignore_errors=True)


def build(folder, kernel, see, cache, without, own=None, given=()):
    """Returns the folder with the modules that were built from a folder, which may be from an
    earlier run with the same sources.  @kernel has .release, .tree to build in, and .root: of the
    Debian release whose compiler it needs.  @without: paths in the folder that are not sources.
    @own: of template_words(), or None if ktrace was not built for this kernel.  @given: variables
    and targets for make."""
    if not any(os.path.exists(os.path.join(folder, name)) for name in ('Kbuild', 'Makefile')):
        raise BuildError(f'{folder} has neither Kbuild nor Makefile: name the folder that '
                         "'make M=FOLDER modules' is run for")
    has_own = own and takes_templates(folder, without)
    # A tool of this release may not run in the root of another one.
    own = own if has_own or kernel.root == '/' else None
    if own:
        see = see + [os.path.join(own[0], 'ktrace')]
    kept = os.path.join(cache, 'lab', key_of(folder, kernel, see, without, own, given))
    if os.path.isdir(kept):
        return kept
    work = tempfile.mkdtemp(prefix='ktrace-lab-')
    root = os.path.join(work, 'root')
    try:
        makes_templates = own and not has_own
        links = make_root(root, folder, see, without, kernel,
                          template_folders(own) if makes_templates else [])
        words, more = template_words(own, root) if has_own else ([], [])
        links += more
        command = make_command(folder, kernel, given, words)
        if os.geteuid() == 0:
            give_to_nobody(root)
        before = listing(root, folder)
        status, said = run_make(sandbox(root, links, kernel.root, folder) + command,
                                {**ENVIRONMENT, **dict.fromkeys(
                                    TREE_VARIABLES if has_target(given) else (), kernel.tree)})
        judge(folder, status, said, before, listing(root, folder))
        if not any(modules_of(root + folder)):
            raise BuildError(f'{folder} is built without a module: obj-m in its Kbuild names none')
        if makes_templates:
            status, said = make_templates(own, folder, kernel, root, links)
            with open(os.path.join(work, TEMPLATES), 'w') as f:
                f.write('\n'.join([str(status), *said]) + '\n')
        keep_modules(root + folder, kept, os.path.join(work, TEMPLATES))
    finally:
        shutil.rmtree(work, ignore_errors=True)
    return kept
