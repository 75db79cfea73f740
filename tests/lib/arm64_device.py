# SPDX-License-Identifier: GPL-2.0
"""The device on an emulated arm64, for stages of tests/torture/host: the modules and tests/kselftest,
cross-built, run in a guest of nothing but them and a busybox."""

import os
import re
import shutil
import subprocess

import tool
from arm64 import CROSS, TOP, WORK, run
from kselftest import SOURCES
from tap import diag, ok

MODULES = ['ktrace', 'ktrace_test', 'ktrace_probes', 'ktrace_test_probes']
# The events that tests/kselftest compares and fires; all headers would take minutes to compile.
HEADERS = 'sched irq syscalls task signal timer'

INIT = '''\
#!/bin/busybox sh
/bin/busybox mkdir -p /proc /sys /dev /tmp /bin /sbin
/bin/busybox mount -t devtmpfs dev /dev
exec >/dev/ttyAMA0 2>&1 </dev/null
/bin/busybox --install -s /bin
export PATH=/bin
mount -t proc proc /proc
mount -t sysfs sysfs /sys
mount -t tmpfs tmp /tmp
mount -t tracefs tracefs /sys/kernel/tracing
mount -t debugfs debugfs /sys/kernel/debug
mount -t cgroup2 cgroup2 /sys/fs/cgroup
ln -s /proc/self/fd /dev/fd
export KTRACE_MODULES=/modules
echo "@processor $(grep -m 1 Features /proc/cpuinfo)"
insmod /modules/ktrace.ko unchecked_templates=1 && insmod /modules/ktrace_test.ko
run()
{
	echo "@begin $1 $2"
	KTRACE_PATH=$2 /kselftest/$1
	echo "@end $1 $2"
}
%s
for module in ktrace_test_probes ktrace_probes ktrace_test ktrace; do
	rmmod $module && echo "@gone $module"
done
echo "@dmesg"
dmesg
echo "@over"
poweroff -f
'''


def build(flags=''):
    """(kernel image, the folder of the initial file system, the kernel's folder and release); @flags
    are for the tests."""
    said = run('a kernel for arm64 and its headers',
               ['scripts/fetch-kernel', '--build', '6.1-arm64'])
    release, image, base, kdir = said.splitlines()[-4:]
    env = dict(os.environ, KTRACE_HEADERS=os.environ.get('KTRACE_HEADERS', HEADERS))
    run('the modules build', ['make', '-s', 'modules', f'KDIR={kdir}', 'ARCH=arm64',
                              f'CROSS_COMPILE={CROSS}'], env=env)
    root = os.path.join(WORK, 'device-root')
    run('the tests build', ['make', '-s', '-C', SOURCES, f'CC={CROSS}gcc',
                            f'OUTPUT={root}/kselftest'],
        env=dict(os.environ, CFLAGS='-static ' + flags))
    os.makedirs(os.path.join(root, 'bin'))
    shutil.copy(os.path.join(base, 'bin/busybox'), os.path.join(root, 'bin'))
    add_modules(root, release)
    return image, root, base, release


def add_modules(root, release):
    os.makedirs(os.path.join(root, 'modules'))
    for module in MODULES:
        shutil.copy(os.path.join(TOP, 'build/modules', release, module + '.ko'),
                    os.path.join(root, 'modules'))


def guest(image, root, commands, machine, append):
    """The output of a guest. @machine: options of QEMU for the machine and its processor."""
    with open(os.path.join(root, 'init'), 'w') as f:
        f.write(INIT % '\n'.join(commands))
    os.chmod(os.path.join(root, 'init'), 0o755)
    initrd = os.path.join(WORK, 'initrd')
    with open(initrd, 'wb') as f:
        subprocess.run('find . | cpio -o -H newc --quiet', shell=True, cwd=root, stdout=f,
                       check=True)
    console = os.path.join(WORK, 'console.log')
    argv = ['qemu-system-aarch64', *machine, '-m', '1024', '-nodefaults', '-display', 'none',
            '-monitor', 'none', '-no-reboot', '-serial', 'file:' + console, '-kernel', image,
            '-initrd', initrd, '-append', 'console=ttyAMA0 panic=-1 norandmaps ' + append]
    status = tool.run(*argv, cpu=6000).returncode
    if status:
        diag('the guest did not end' if status == tool.ENDLESS else f'QEMU fails with {status}')
    with open(console, errors='replace') as f:
        return f.read().replace('\r\n', '\n')


def program(said, name, path):
    """The guest's lines for a program of tests/kselftest; None: it did not end."""
    m = re.search(rf'^@begin {name} {path}\n(.*?)^@end {name} {path}$', said, re.M | re.S)
    return m and m.group(1).splitlines(keepends=True)


def check_end(said):
    """The end of the guest's output: the modules are gone and the kernel did not complain."""
    said, _, dmesg = said.partition('@dmesg\n')
    for module in MODULES:
        ok(f'@gone {module}\n' in said, f'rmmod {module}')
    if not ok('@over\n' in dmesg, 'the guest ends as it should'):
        diag('\n'.join((said + dmesg).splitlines()[-30:]))
    with open(os.path.join(TOP, 'scripts/lab/complaints.txt')) as f:
        complaint = re.compile('|'.join(f.read().splitlines()))
    complaints = [line for line in dmesg.splitlines() if complaint.search(line)]
    diag('\n'.join(complaints))
    ok(not complaints, 'the kernel does not complain')
