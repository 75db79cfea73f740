# SPDX-License-Identifier: GPL-2.0
"""What is expected of events, and the shortest part of a recording that shows otherwise.

    from ktrace.expect import alternate, every

    EXPECT = [
        every('mydrv:start').is_followed_by('mydrv:done', same='id', within='1 ms'),
        every('mydrv:done').has('a length', lambda e: 0 < e.len <= 4096),
        alternate('mydrv:lock', 'mydrv:unlock', same='_tid'),
    ]

    python3 -m ktrace.expect FILE.py... [-i perf.data | -- COMMAND...]

FILE.py may also be the name of a pack: sched, irq, block, syscalls.  The status is
0 when all hold, 1 when one does not, 2 when nothing could be judged.

Where records were lost, nothing that began before is held against what comes
after: see `Expectation.forget`.  Nor is what was not finished at the end, unless
its time was up."""

import argparse
import importlib
import os
import runpy
import sys

PACKS = ('sched', 'irq', 'block', 'syscalls')
UNITS = {'ns': 1, 'us': 10**3, 'ms': 10**6, 's': 10**9}


def nanoseconds(text):
    """'1 ms' -> 1000000; numbers are nanoseconds already."""
    if isinstance(text, (int, float)):
        return int(text)
    number = text.strip().rstrip('nums')
    unit = text.strip()[len(number):]
    if unit not in UNITS:
        raise ValueError(f'{text!r} is no time: write it like 1 ms, with ns, us, ms or s')
    return int(float(number) * UNITS[unit])


def duration(ns):
    for unit in ('s', 'ms', 'us'):
        if ns >= UNITS[unit]:
            return f'{ns / UNITS[unit]:.3f} {unit}'
    return f'{ns} ns'


def names(fields):
    return (fields,) if isinstance(fields, str) else tuple(fields)


class Violation(Exception):
    """What was found, and the events that show it."""

    def __init__(self, what, *events):
        super().__init__(what)
        self.what = what
        self.events = events


class Expectation:
    """Of the events in `events`; feed() and finish() raise Violation."""

    def __init__(self, text, *events):
        self.text = text
        self.events = events
        self.judged = 0
        self.seen = {}

    def feed(self, event):
        raise NotImplementedError

    def finish(self, last):
        """At the end; `last` is the last event of the recording."""

    def forget(self):
        """Records were lost: what is remembered may not be true any more."""

    def all_seen(self, event):
        """Whether all its events were there already on this CPU: they are not
        enabled at the same instant."""
        seen = self.seen.setdefault(event._cpu, set())
        seen.add(event._event)
        return len(seen) == len(set(self.events))


class Has(Expectation):
    """A condition for each event by itself."""

    def __init__(self, event, what, holds):
        super().__init__(f'every {event} has {what}', event)
        self.holds = holds

    def feed(self, event):
        self.judged += 1
        if not self.holds(event):
            raise Violation('this one does not', event)


class FollowedBy(Expectation):
    """An event, then another with the same values, perhaps within a time."""

    def __init__(self, first, second, same, of_second, within):
        text = f'every {first} is followed by {second}'
        if same:
            text += ' with the same ' + ', '.join(same)
        if within is not None:
            text += ' within ' + duration(within)
        super().__init__(text, first, second)
        self.first, self.second = first, second
        self.same, self.of_second, self.within = same, of_second, within
        self.open = {}

    def feed(self, event):
        if event._event == self.second:
            first = self.open.pop(tuple(event[f] for f in self.of_second), None)
            if first is not None:
                self.judged += 1
                self.check(first, event, 'it came after ')
        if event._event == self.first:
            self.open.setdefault(tuple(event[f] for f in self.same), event)

    def check(self, first, event, words):
        took = event._time - first._time
        if self.within is not None and took > self.within:
            raise Violation(words + duration(took), first, event)

    def finish(self, last):
        for first in self.open.values():
            self.check(first, last, 'it had not come after ')

    def forget(self):
        self.open.clear()


class Alternate(Expectation):
    """One, the other, and so on, for each set of same values; either may be first.

    When they happen on different CPUs, a second one alone says nothing: the first
    may have come where it was not enabled yet."""

    def __init__(self, first, second, same, but):
        super().__init__(f'{first} and {second} alternate for the same ' + ', '.join(same),
                         first, second)
        self.first, self.same, self.but = first, same, but
        self.same_cpu = '_cpu' in same
        self.before = {}

    def feed(self, event):
        if not self.all_seen(event) and (self.same_cpu or event._event == self.first):
            return
        key = tuple(event[f] for f in self.same)
        before = self.before.get(key)
        if self.but is not None and self.but(event):
            self.before.pop(key, None)
            return
        self.before[key] = event
        if before is not None:
            self.judged += 1
            if before._event == event._event and (self.same_cpu or event._event == self.first):
                raise Violation('two of them without the other', before, event)

    def forget(self):
        self.before.clear()


class Chain(Expectation):
    """A value of one event is another value of the next one."""

    def __init__(self, event, value, of_next, per):
        super().__init__(f'{value} of one {event} is {of_next} of the next with the same {per}',
                         event)
        self.value, self.of_next, self.per = value, of_next, per
        self.before = {}

    def feed(self, event):
        key = event[self.per]
        before = self.before.get(key)
        self.before[key] = event
        if before is not None:
            self.judged += 1
            if before[self.value] != event[self.of_next]:
                raise Violation(f'{before[self.value]} is not {event[self.of_next]}',
                                before, event)

    def forget(self):
        self.before.clear()


class Order(Expectation):
    """Values that do not get smaller."""

    def __init__(self, event, value, per):
        super().__init__(f'{value} of {event} never gets smaller for the same {per}', event)
        self.value, self.per = value, per
        self.before = {}

    def feed(self, event):
        before = self.before.get(event[self.per])
        self.before[event[self.per]] = event
        if before is not None:
            self.judged += 1
            if event[self.value] < before[self.value]:
                raise Violation(f'{event[self.value]} comes after {before[self.value]}',
                                before, event)


class Count(Expectation):
    """How many there are."""

    def __init__(self, event, least, most):
        super().__init__(f'there are {least} to {"any number" if most is None else most} of '
                         f'{event}', event)
        self.least, self.most = least, most
        self.number, self.lost = 0, False

    def feed(self, event):
        self.number += 1
        if self.most is not None and self.number > self.most:
            raise Violation(f'this is number {self.number}', event)

    def finish(self, last):
        self.judged = 1
        if self.number < self.least and not self.lost:
            raise Violation(f'there are {self.number}')

    def forget(self):
        self.lost = True


class every:
    """every('mydrv:start').is_followed_by('mydrv:done', same='id', within='1 ms')"""

    def __init__(self, event):
        self.event = event

    def has(self, what, holds):
        """holds(event) is true; `what` are the words for it."""
        return Has(self.event, what, holds)

    def is_followed_by(self, event, same=(), of_second=None, within=None):
        """By one whose fields `of_second` (if they are called otherwise) are the same."""
        same = names(same)
        return FollowedBy(self.event, event, same,
                          same if of_second is None else names(of_second),
                          None if within is None else nanoseconds(within))

    def has_values(self, field, least, most):
        return Has(self.event, f'{field} from {least} to {most}',
                   lambda e: least <= e[field] <= most)


def alternate(first, second, same, but=None):
    """but(event): one of them after which nothing is known, as of a thread that ends."""
    return Alternate(first, second, names(same), but)


def chain(event, value, of_next, per='_cpu'):
    return Chain(event, value, of_next, per)


def in_order(event, value='_time', per='_cpu'):
    return Order(event, value, per)


def count(event, least=0, most=None):
    return Count(event, least, most)


class Judge:
    """All expectations over one run of records."""

    def __init__(self, expectations):
        self.expectations = expectations
        self.violations = {}                    # expectation: [violation]
        self.by_event = {}
        self.lost = 0
        self.last = None
        for e in expectations:
            for name in e.events:
                self.by_event.setdefault(name, []).append(e)

    def _try(self, expectation, function, argument):
        try:
            function(argument)
        except Violation as violation:
            self.violations.setdefault(expectation, []).append(violation)

    def record(self, record):
        kind = getattr(record, 'type', None)
        if kind == 'lost' and hasattr(record, 'lost'):
            self.lost += record.lost
            for e in self.expectations:
                e.forget()
        elif hasattr(record, '_event'):
            self.last = record
            for e in self.by_event.get(record._event, ()):
                self._try(e, e.feed, record)

    def finish(self):
        for e in self.expectations:
            if self.last is not None:
                self._try(e, e.finish, self.last)


def print_event(event):
    print(f'    {event._time / 1e9:.9f} [{event._cpu:03d}] {event._comm}/{event._tid} '
          f'{event._event}: {event.format()}')


def report(judge):
    """One test for each expectation, in KTAP; the status."""
    print(f'KTAP version 1\n1..{len(judge.expectations)}')
    failed = judged = 0
    for number, e in enumerate(judge.expectations, 1):
        found = judge.violations.get(e, [])
        judged += e.judged
        for violation in found[:1]:
            print(f'# {violation.what}:' if violation.events else f'# {violation.what}')
            for event in violation.events:
                print_event(event)
        if len(found) > 1:
            print(f'# and {len(found) - 1} more')
        failed += bool(found)
        skipped = '' if found or e.judged else ' # SKIP no event shows it'
        print(f'{"not ok" if found else "ok"} {number} - {e.text}{skipped}')
    if judge.lost:
        print(f'# {judge.lost} records were lost: nothing across these places was judged')
    return 1 if failed else 0 if judged else 2


def load(name):
    """The expectations of a pack or a file: its EXPECT."""
    if name in PACKS:
        return importlib.import_module('ktrace.expect_' + name).EXPECT
    if not os.path.exists(name):
        sys.exit(f'ktrace.expect: there is no file {name}, and no pack of that name: '
                 f'{", ".join(PACKS)} are packs')
    return runpy.run_path(name)['EXPECT']


def main(argv=None):
    parser = argparse.ArgumentParser(prog='python3 -m ktrace.expect', description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('-i', '--input', default='perf.data', help='the recording (perf.data)')
    parser.add_argument('-l', '--list', action='store_true',
                        help='print the events they are about, for record -e, and stop')
    parser.add_argument('files', nargs='+', metavar='FILE', help='Python file, or a pack')
    argv = sys.argv[1:] if argv is None else argv
    command = None
    if '--' in argv:
        at = argv.index('--')
        argv, command = argv[:at], argv[at + 1:]
    arguments = parser.parse_args(argv)
    expectations = [e for name in arguments.files for e in load(name)]
    if arguments.list:
        print(','.join(sorted({name for e in expectations for name in e.events})))
        return 0

    import ktrace
    judge = Judge(expectations)
    with (ktrace.live(sorted(judge.by_event), command=command, options=('-a',)) if command else
          ktrace.open(arguments.input)) as recording:
        for record in recording.records():
            judge.record(record)
    judge.finish()
    return report(judge)


if __name__ == '__main__':
    # A file that imports ktrace.expect gets this module's twin: use that one alone.
    from ktrace import expect
    try:
        sys.exit(expect.main())
    except BrokenPipeError:
        # Nobody reads on: what is left must not be tried again at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(1)
    except (OSError, RuntimeError, ValueError) as error:
        print(f'ktrace.expect: {error}', file=sys.stderr)
        sys.exit(2)
