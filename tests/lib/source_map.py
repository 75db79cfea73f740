# SPDX-License-Identifier: GPL-2.0
"""Which stages execute which source: the file tests/map, and the choice of stages that are worth
their time when some files have changed.

tests/map has a line for each source:

    user/symbol/dso.c  30-unit:85 50-script:61

The first stage executes most lines of it per second, the second one most of the other lines per
second, and so on. A number is the percentage of its lines that the stage executes. `-` instead of
stages says that none does. Further lines are

    stage seconds NAME N            CPU seconds of the stage
    unit SOURCE PROGRAM:PERCENT ... which programs of tests/unit execute it, in the same order

Lines behind the line BY_HAND are not measured. There, a path that ends in a / is a folder, one with
* or ? a pattern; all lines that fit count. A stage without a number tests the whole file; a small
number says that it tests little of the file. A line `PATH - REASON` gives the reason why no stage
executes it."""

import fnmatch
import functools
import glob
import os
import re
import subprocess

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.realpath(__file__))))
MAP = os.path.join(TOP, 'tests', 'map')
BY_HAND = '# ---- by hand'
START_SECONDS = 2       # the cost of starting any stage
EACH_SOURCE = 8         # so many stages a source


class Map:
    def __init__(self):
        self.seconds = {}       # stage: CPU seconds
        self.measured = {}      # source: [(stage, percentage)]
        self.units = {}         # source: [(program, percentage)]
        self.by_hand = []       # (path, [(stage, percentage)])
        self.reasons = {}       # path: why no stage executes it
        self.tail = ''          # the part by hand, as text

    def cost(self, stage):
        """Of a stage, in seconds; one that nobody has measured is taken for a long one."""
        if stage in self.seconds:
            return self.seconds[stage] + START_SECONDS
        bare = stage.partition('@')[0]
        return self.seconds.get(bare, 100) + START_SECONDS

    def stages_by_hand(self, path):
        found = {}
        for pattern, stages in self.by_hand:
            if fits(path, pattern):
                for stage, percentage in stages:
                    found[stage] = max(found.get(stage, 0), percentage)
        return found

    def reason(self, path):
        return next((why for pattern, why in self.reasons.items() if fits(path, pattern)), None)

    def stages(self, path):
        """[(stage, percentage)] for a file, measured ones override those by hand."""
        return list({**self.stages_by_hand(path), **dict(self.measured.get(path, []))}.items())


def fits(path, pattern):
    if pattern.endswith('/'):
        return path.startswith(pattern)
    return fnmatch.fnmatchcase(path, pattern) if re.search(r'[*?[]', pattern) else path == pattern


def with_percentages(words):
    found = []
    for word in words:
        name, _, percentage = word.rpartition(':')
        found.append((name, int(percentage)) if name else (word, 100))
    return found


def rows_of(text, seconds):
    """The words of each line, without comments. The times of stages are put into @seconds
    instead."""
    for line in text.splitlines():
        words = line.split()
        if words[:2] == ['stage', 'seconds']:
            seconds[words[2]] = float(words[3])
        elif words and not line.startswith('#'):
            yield words


@functools.lru_cache(maxsize=4)
def read_map(path=MAP):
    it = Map()
    try:
        with open(path) as f:
            text = f.read()
    except FileNotFoundError:
        return it
    measured, mark, tail = text.partition(BY_HAND)
    it.tail = mark + tail
    for words in rows_of(measured, it.seconds):
        if words[0] == 'unit':
            it.units[words[1]] = with_percentages(words[2:])
        else:
            it.measured[words[0]] = [] if words[1] == '-' else with_percentages(words[1:])
    # The rest of the mark's line is a comment, too.
    for words in rows_of('#' + tail, it.seconds):
        if words[1] == '-':
            it.reasons[words[0]] = ' '.join(words[2:])
        else:
            it.by_hand.append((words[0], with_percentages(words[1:])))
    return it


# ---- the reach of a change -------------------------------------------------------

@functools.lru_cache(maxsize=1)
def sources():
    """The text of each C file of the product and of each stage, by its path."""
    found = {}
    for pattern in ('user/**/*.[ch]', 'kmod/**/*.[ch]', 'tests/host/*', 'tests/guest/*',
                    'tests/lib/*'):
        for path in glob.glob(pattern, root_dir=TOP, recursive=True):
            try:
                with open(os.path.join(TOP, path), errors='replace') as f:
                    found[path] = f.read()
            except OSError:
                pass
    return found


@functools.lru_cache(maxsize=1)
def dependencies():
    """header: sources that include it, directly or not, as the compiler has written it down."""
    found = {}
    for path in glob.glob(os.path.join(TOP, 'build', 'obj', 'user', '**', '*.d'), recursive=True):
        try:
            with open(path) as f:
                words = f.read().partition('\n\n')[0].replace('\\\n', ' ').split()
        except OSError:
            continue
        for header in words[2:]:
            if not header.startswith('/') and not header.endswith(':'):
                found.setdefault(header, set()).add(words[1])
    return found


def includers(path):
    """The sources that use a header. If there is one of its own name, which the header describes,
    only this one."""
    own = re.sub(r'\.\w+$', '.c', path)
    if os.path.exists(os.path.join(TOP, own)):
        return {own}
    known = dependencies().get(path)
    if known:
        return known
    line = re.compile(r'^\s*#\s*include\s+["<](?:[\w./]*/)?' + re.escape(os.path.basename(path)) +
                      '[">]', re.M)
    return {other for other, text in sources().items()
            if other.endswith('.c') and line.search(text)}


def stages_naming(path):
    """Stages whose texts name a file that is no source, or import a module of tests/lib."""
    bare = os.path.basename(path)
    if path.startswith('tests/lib/'):
        word = re.compile(r'\b(?:from|import)\b.*\b' + re.escape(re.sub(r'\.py$', '', bare)) +
                          r'\b|lib/' + re.escape(bare))
    else:
        word = re.compile(r'(?<![\w-])' + re.escape(bare) + r'(?![\w-])')
    found = []
    for other, text in sources().items():
        if re.match(r'tests/(?:host|guest)/\d\d-', other) and word.search(text):
            found += stages_of_test(other)
    return found


def stages_of_test(path):
    """The stage that a file in tests/host or tests/guest is: of a guest stage in the kernels that
    its first lines name, else in the oldest."""
    kind, name = path.split('/')[1:3]
    if not re.match(r'\d\d-[\w-]+$', name):
        return []
    if kind == 'host':
        return [name]
    head = sources().get(path, '')[:2000]
    asked = re.search(r'(?:#|//)\s*kernels:\s*(\S+)', head)
    return [f'{name}@{asked.group(1) if asked else "6.1"}']


def stages_for_file(path, known=None):
    """[(stage, percentage)] for a file of the tree."""
    known = known or read_map()
    found = dict(known.stages(path))
    if re.match(r'tests/(host|guest)/', path):
        found.update((stage, 100) for stage in stages_of_test(path))
    elif re.match(r'(user|kmod)/.*\.(h|def)$', path):
        users = includers(path)
        for source in users:
            for stage, percentage in known.stages(source):
                found[stage] = max(found.get(stage, 0), percentage / len(users))
    elif not found and not path.endswith('.c'):
        found.update((stage, 50) for stage in stages_naming(path))
    return list(found.items())


def stages_for(changed_files, seconds=60):
    """(chosen, left): the stages that test most of the changed files within so many seconds
    together, the most worthwhile first, and the remaining ones that execute these files."""
    known = read_map()
    unseen, wanted = {}, {}
    for path in changed_files:
        unseen[path] = 1.0
        for stage, percentage in stages_for_file(path, known):
            wanted.setdefault(stage, []).append((path, percentage / 100))
    chosen = []

    def worth(stage):
        return sum(unseen[path] * share for path, share in wanted[stage]) / known.cost(stage)
    while True:
        fit = [stage for stage in wanted if stage not in chosen and known.cost(stage) <= seconds]
        best = max(fit, key=lambda stage: (worth(stage), stage), default=None)
        if best is None or worth(best) <= 0:
            break
        chosen.append(best)
        seconds -= known.cost(best)
        for path, share in wanted[best]:
            unseen[path] *= 1 - min(share, 0.95)
    left = sorted((stage for stage in wanted if stage not in chosen), key=lambda s: -worth(s))
    return chosen, left


def changed_since(base):
    """The files that differ from a commit, with untracked ones."""
    def names(*words):
        out = subprocess.run(['git', '-C', TOP, *words], check=True, capture_output=True).stdout
        return {name for name in out.decode().split('\0') if name}
    return sorted(names('diff', '--name-only', '-z', base) |
                  names('ls-files', '-z', '--others', '--exclude-standard'))
