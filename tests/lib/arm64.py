# SPDX-License-Identifier: GPL-2.0
"""ktrace on an emulated arm64, for stages of tests/torture/host: the tool is cross-built with the
archive's libraries for arm64, and runs in a guest of nothing but them and a busybox.

The processor's cycles and instructions are exactly the instructions that it executes."""
import hashlib
import os
import re
import shutil
import subprocess

import tool
from tap import diag, done_testing, ok

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.realpath(__file__))))
WORK = os.environ['KTRACE_TEST_DIR']
CROSS = 'aarch64-linux-gnu-'
BUILD = os.path.join(TOP, 'build/arm64')
PACKAGES = ['linux-perf', 'libelf-dev', 'libdw-dev', 'libtraceevent-dev', 'libzstd-dev',
            'liblzma-dev', 'zlib1g-dev', 'libiberty-dev', 'binutils']
CACHE = os.environ.get('KTRACE_CACHE') or os.path.join(
    os.environ.get('XDG_CACHE_HOME') or os.path.expanduser('~/.cache'), 'ktrace')

INIT = '''\
#!/bin/busybox sh
/bin/busybox mkdir -p /proc /sys /dev /tmp
/bin/busybox mount -t devtmpfs dev /dev
exec >/dev/ttyAMA0 2>&1 </dev/null
/bin/busybox --install -s /bin
export PATH=/bin
mount -t proc proc /proc
mount -t sysfs sysfs /sys
mount -t tmpfs tmp /tmp
mount -t tracefs tracefs /sys/kernel/tracing
run()
{
	echo "@begin $1"
	shift
	"$@"
	echo "@end $?"
}
%s
echo "@over"
poweroff -f
'''


def run(what, argv, **options):
    """Ends the stage when it fails."""
    p = subprocess.run(argv, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                       **{'cwd': TOP, **options})
    if not ok(p.returncode == 0, what):
        diag('\n'.join(p.stdout.splitlines()[-30:]))
        done_testing()
    return p.stdout


def libraries():
    """The folder with the unpacked packages for arm64; fetch-kernel has set up their lists."""
    key = hashlib.sha256(' '.join(PACKAGES).encode()).hexdigest()[:8]
    root = os.path.join(CACHE, f'libraries-arm64-{key}')
    if not os.path.isdir(root):
        new = os.path.join(WORK, 'libraries')
        packages = os.path.join(WORK, 'packages')
        os.makedirs(os.path.join(packages, 'partial'))
        env = {**os.environ, 'APT_CONFIG': os.path.join(CACHE, 'kernels/apt-arm64/apt.conf')}
        run('the lists of packages for arm64', ['apt-get', 'update'], env=env)
        run('the libraries for arm64', ['apt-get', '-y', '-o', f'Dir::Cache::archives={packages}',
            '--download-only', '--no-install-recommends', 'install', *PACKAGES], env=env)
        run('the libraries for arm64 are unpacked', [
            'sh', '-c', f'for p in {packages}/*.deb; do dpkg -x "$p" {new} || exit; done'])
        shutil.move(new, root)
    return root


def link_folder(root):
    """Those of the libraries that the tool is linked with: the compiler has its own libc."""
    folder = os.path.join(WORK, 'link')
    os.makedirs(folder)
    for where in ('lib', 'usr/lib'):
        where = os.path.join(root, where, 'aarch64-linux-gnu')
        for name in os.listdir(where):
            if re.match(r'lib(traceevent|dw|elf|zstd|iberty|z|lzma|bz2)[-.]', name):
                path = os.path.join(where, name)
                # Links with whole paths are for programs that link the library themselves.
                if os.path.exists(path):
                    shutil.copy(path, os.path.join(folder, name))
    return folder


def build_tool(root):
    said = subprocess.run(['make', '-s', '--eval', 'print-objects: ; @echo $(TOOL_OBJS)',
                           'print-objects'], stdout=subprocess.PIPE, text=True, check=True, cwd=TOP)
    sources = [re.sub(r'^build/obj/(.*)\.o$', r'\1.c', o) for o in said.stdout.split()]
    include = os.path.join(root, 'usr/include')
    link = link_folder(root)
    run('the tool builds for arm64', [
        'make', '-s', '-j2', 'B=build/arm64', f'CC={CROSS}gcc', 'SRCS=' + ' '.join(sources),
        'PLUGINS=', 'CFLAGS=-O1', 'WARNINGS=-w',
        # Without plugins there is no list of symbols that they use.
        'link=$(CC) $(CFLAGS) $(LDFLAGS) -Wl,--as-needed',
        # The libraries are found by compiling for arm64, as pkg-config knows those of this machine.
        'PKG_CONFIG=false', 'LLVM_CONFIG=false', 'PYTHON_CONFIG=false',
        f'CPPFLAGS=-isystem {include} -isystem {include}/aarch64-linux-gnu '
        f'-isystem {include}/traceevent',
        f'LDFLAGS=-L{link} -Wl,-rpath-link,{link}',
        'build/arm64/bin/ktrace'])


def needed(path):
    said = subprocess.run([CROSS + 'readelf', '-d', path], stdout=subprocess.PIPE, text=True,
                          check=True)
    return re.findall(r'NEEDED.*\[(.*)\]', said.stdout)


def guest_folder(base, root, programs):
    """The folder of the guest's initial file system: busybox, ktrace, and programs of the archive,
    as paths below root, with their libraries."""
    guest = os.path.join(WORK, 'root')
    for folder in ('bin', 'lib/aarch64-linux-gnu'):
        os.makedirs(os.path.join(guest, folder))
    shutil.copy(os.path.join(base, 'bin/busybox'), f'{guest}/bin')
    subprocess.run([CROSS + 'strip', '-o', f'{guest}/bin/ktrace', f'{BUILD}/bin/ktrace'], check=True)
    done, todo = set(), [f'{guest}/bin/ktrace']
    for program, name in programs.items():
        todo.append(shutil.copy(os.path.join(root, program), f'{guest}/bin/{name}'))
    while todo:
        for name in needed(todo.pop()):
            for where in ('lib', 'usr/lib'):
                path = os.path.join(root, where, 'aarch64-linux-gnu', name)
                if name not in done and os.path.exists(path):
                    done.add(name)
                    todo.append(shutil.copy(path, f'{guest}/lib/aarch64-linux-gnu'))
    shutil.copy(os.path.join(root, 'lib/aarch64-linux-gnu/ld-linux-aarch64.so.1'), f'{guest}/lib')
    return guest


def boot(image, guest, lines):
    """Boot a guest that runs these lines of a shell, and return its output; `run NAME COMMAND...`
    is one of its functions.  Ends the stage if the guest does not end by itself."""
    with open(f'{guest}/init', 'w') as f:
        f.write(INIT % '\n'.join(lines))
    os.chmod(f'{guest}/init', 0o755)
    initrd = os.path.join(WORK, 'initrd')
    with open(initrd, 'wb') as f:
        subprocess.run('find . | cpio -o -H newc --quiet', shell=True, cwd=guest, stdout=f,
                       check=True)
    console = os.path.join(WORK, 'console.log')
    # With -icount and one processor, each instruction takes one cycle of one ns.
    argv = ['qemu-system-aarch64', '-M', 'virt,dtb-randomness=off', '-cpu', 'cortex-a57', '-smp', '1',
            '-m', '1024', '-icount', 'shift=0,sleep=off', '-rtc', 'base=2024-01-01,clock=vm',
            '-nodefaults', '-display', 'none', '-monitor', 'none', '-no-reboot',
            '-serial', 'file:' + console, '-kernel', image, '-initrd', initrd,
            '-append', 'console=ttyAMA0 panic=-1 quiet nokaslr norandmaps']
    status = tool.run(*argv, cpu=900).returncode
    if status:
        diag('the guest did not end' if status == tool.ENDLESS else f'QEMU fails with {status}')
    with open(console, errors='replace') as f:
        said = f.read().replace('\r\n', '\n')
    if not ok('@over\n' in said, 'the guest ends'):
        diag('\n'.join(said.splitlines()[-30:]))
        done_testing()
    return said


def results(said):
    """({name: output of the command}, {name: its status as text})"""
    texts, status = {}, {}
    for name, text, code in re.findall(r'^@begin (.*)\n(?s:(.*?))^@end (\d+)$', said, re.M):
        texts[name], status[name] = text, code
    return texts, status
