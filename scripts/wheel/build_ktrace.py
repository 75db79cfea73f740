#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""Builds the wheel of `import ktrace` from a clone, for the Python that runs this. pip calls it
(PEP 517), and it needs no package of Python. `make wheel` runs it without pip.

Usage: scripts/wheel/build_ktrace.py [DIR]

Puts the wheel into DIR (build/wheel)."""
import base64
import hashlib
import os
import re
import subprocess
import sys
import sysconfig
import zipfile

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.realpath(__file__))))
PYTHON = f'python{sys.version_info.major}.{sys.version_info.minor}'


def version():
    with open(os.path.join(TOP, 'Makefile')) as f:
        return re.search(r'^VERSION := (.*)$', f.read(), re.M).group(1)


def metadata():
    with open(os.path.join(TOP, 'README.rst')) as f:
        readme = f.read()
    return (f'Metadata-Version: 2.1\nName: ktrace\nVersion: {version()}\n'
            'Summary: Record and read traces of the Linux kernel\nLicense: GPL-2.0-only\n'
            f'Requires-Python: >=3.9\nDescription-Content-Type: text/x-rst\n\n{readme}')


def tag():
    abi = f'cp{sys.version_info.major}{sys.version_info.minor}'
    return f'{abi}-{abi}-' + re.sub('[-.]', '_', sysconfig.get_platform())


def build():
    """Build the package; returns its folder."""
    if not os.path.exists(os.path.join(TOP, 'Makefile')):
        sys.exit('ktrace: the wheel is built in a clone of ktrace: pip install ./scripts/wheel there.')
    config = os.path.join(sysconfig.get_config_var('BINDIR'), f'{PYTHON}-config')
    if not os.path.exists(config):
        sys.exit(f'ktrace: {config} is missing, which tells how to build for this Python: install its '
                 'headers (Debian: python3-dev).')
    # The tree's own objects serve the system's Python, for which `make` builds.
    folder = 'build'
    if os.path.realpath(config) != os.path.realpath('/usr/bin/python3-config'):
        folder = f'build/{PYTHON}'
    module = f'{folder}/python/ktrace/_ktrace.so'
    # The variables that make sets for its own commands are wrong for this one.
    env = {k: v for k, v in os.environ.items() if k not in ('MAKEFLAGS', 'MFLAGS', 'MAKELEVEL')}
    subprocess.run(['make', '-C', TOP, f'-j{os.cpu_count()}', f'B={folder}', f'PYTHON_CONFIG={config}',
                    module], check=True, stdout=sys.stderr, env=env)
    return os.path.join(TOP, folder, 'python')


def files_of(folder):
    for path, folders, names in os.walk(folder):
        folders[:] = sorted(f for f in folders if f != '__pycache__')
        for name in sorted(names):
            if not name.endswith('.pyc'):
                yield os.path.join(path, name)


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    package = build()
    name = f'ktrace-{version()}-{tag()}.whl'
    info = f'ktrace-{version()}.dist-info'
    record = ''
    with zipfile.ZipFile(os.path.join(wheel_directory, name), 'w', zipfile.ZIP_DEFLATED) as wheel:
        def add(path, data):
            nonlocal record
            entry = zipfile.ZipInfo(path)
            entry.external_attr = (0o755 if path.endswith('.so') else 0o644) << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            wheel.writestr(entry, data)
            digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b'=').decode()
            record += f'{path},sha256={digest},{len(data)}\n'
        for path in files_of(package):
            with open(path, 'rb') as f:
                add(os.path.relpath(path, package), f.read())
        with open(os.path.join(TOP, 'LICENSE'), 'rb') as f:
            add(f'{info}/LICENSE', f.read())
        add(f'{info}/METADATA', metadata().encode())
        add(f'{info}/WHEEL', (f'Wheel-Version: 1.0\nGenerator: ktrace\nRoot-Is-Purelib: false\n'
                              f'Tag: {tag()}\n').encode())
        record += f'{info}/RECORD,,\n'
        wheel.writestr(f'{info}/RECORD', record)
    return name


def build_sdist(sdist_directory, config_settings=None):
    raise RuntimeError('the sources of ktrace are its clone: build the wheel there')


def main(args):
    if args[:1] and args[0].startswith('-'):
        print(__doc__)
        return
    folder = args[0] if args else os.path.join(TOP, 'build/wheel')
    os.makedirs(folder, exist_ok=True)
    print(f'  {os.path.relpath(os.path.join(folder, build_wheel(folder)))}')


if __name__ == '__main__':
    main(sys.argv[1:])
