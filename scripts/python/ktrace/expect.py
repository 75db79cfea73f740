# SPDX-License-Identifier: GPL-2.0
"""Expectations of events, and the shortest part of a recording that contradicts one.

    from ktrace.expect import alternate, every

    EXPECT = [
        every('mydrv:start').is_followed_by('mydrv:done', same='id', within='1 ms'),
        every('mydrv:done').has('a length', lambda e: 0 < e.len <= 4096),
        alternate('mydrv:lock', 'mydrv:unlock', same='_tid'),
    ]

    python3 -m ktrace.expect FILE.py... [-i perf.data | -- COMMAND...]

FILE.py may also be the name of a pack: sched, irq, block, syscalls.  The status is 0 when all
expectations hold, 1 when one does not, 2 when nothing could be judged: there are no relevant
events, or COMMAND failed.

Lost records are never counted as violations.  After a loss, earlier events prove nothing about
later ones: see `Expectation.forget`.  An operation that is unfinished at the end is no violation
either, unless its time limit has passed.

An expectation that can be a machine is judged in C (`ktrace.expect_machine`).  If the machine finds
no violation, Python does not judge it again.  Otherwise Python judges it again and shows the
violations."""

import argparse
import collections
import contextlib
import importlib
import os
import re
import runpy
import signal
import subprocess
import sys
import tempfile
import traceback

PACKS = ('sched', 'irq', 'block', 'syscalls')
KEYS_SHOWN = 8
# ns: the events of a recording are disabled one after the other, within this time, also where the
# recorder hardly runs.
DISABLED_WITHIN = 5 * 10**9
# The number of CPU 0's idle task, and that of CPU 1's is one less; a tid of -1 is not known.
IDLE = -2
NEVER = float('inf'), float('inf')
UNITS = {'ns': 1, 'us': 10**3, 'ms': 10**6, 's': 10**9}


def nanoseconds(text):
    """'1 ms' -> 1000000; numbers are nanoseconds already."""
    if isinstance(text, (int, float)):
        return int(text)
    number = text.strip().rstrip('nums')
    unit = text.strip()[len(number):]
    try:
        return int(float(number) * UNITS[unit])
    except (KeyError, ValueError):
        raise ValueError(f'{text!r} is no time: write it like 1 ms, with ns, us, ms or s') \
            from None


def duration(ns):
    for unit in ('s', 'ms', 'us'):
        if ns >= UNITS[unit]:
            return f'{ns / UNITS[unit]:.3f} {unit}'
    return f'{ns} ns'


def names(fields):
    return (fields,) if isinstance(fields, str) else tuple(fields)


class Violation(Exception):
    """Raised by an expectation that does not hold: the violation, and the events that show it."""

    def __init__(self, what, *events):
        super().__init__(what)
        self.what = what
        self.events = events
        self.number = 1                         # number of violations that it stands for
        self.dark = frozenset()                 # tasks that ran meanwhile and may be hidden
        self.keys = ()                          # its entry of Turns.open


class Mistake(Exception):
    """The reason why nothing can be judged, as a sentence, with FILE:LINE if it is about a line."""


def place_of(frames):
    """'FILE:LINE' of the first of these (file, line) that is not in this package."""
    package = os.path.dirname(os.path.abspath(__file__))
    for name, line in frames:
        if os.path.dirname(os.path.abspath(name)) != package and not name.startswith('<'):
            return f'{name}:{line}'
    return None


def callers():
    frame = sys._getframe(1)
    while frame is not None:
        yield frame.f_code.co_filename, frame.f_lineno
        frame = frame.f_back


class Expectation:
    """An expectation of the events named in `events`.

    feed() raises a Violation; finish() returns violations that only the end shows."""

    def __init__(self, text, *events):
        self.text = text
        self.events = events
        self.place = place_of(callers())        # file and line that wrote it; None: in a pack
        self.judged = 0
        self.seen = {}

    def feed(self, event):
        raise NotImplementedError

    def finish(self, last):
        """The violations that only the end shows; `last` is the last event of the recording."""
        return ()

    def summary(self, number):
        """The line to print about all `number` violations together; None: no line."""
        return f'and {number - 1} more' if number > 1 else None

    def remark(self):
        """A sentence about events that were not judged, printed above the result; None: none."""
        return None

    filter = filter_field = None                # the condition for --filter, if it is one, and its field

    uses_tasks = False                          # whether the judge sets `tasks`, a Tasks

    alone = False                               # whether losses between its events do not matter

    def forget(self):
        """Forget earlier events: records were lost, and the state may have changed."""

    def know(self, until):
        """Called before forget(): all events up to this time are known, and some after it were
        lost."""

    def all_seen(self, event):
        """Whether each of its events has fired on this CPU. Before that, one of them may be
        disabled, because events are not all enabled at the same instant."""
        seen = self.seen.setdefault(event._cpu, set())
        seen.add(event._event)
        return len(seen) == len(set(self.events)) or self.is_enabled(event)

    def see(self, event):
        """An event that is not judged, because others were lost around it; it shows that the event
        is enabled."""
        self.all_seen(event)

    begin = None                                # the time of the recording's first event

    def is_enabled(self, event):
        """Whether all events have been enabled for long."""
        return self.begin is not None and event._time - self.begin >= DISABLED_WITHIN


def are_numbers(*values):
    return all(isinstance(value, int) and -2**63 <= value < 2**63 for value in values)


def one_of_condition(field, values):
    """For --filter; None: it takes no such values."""
    if not values or not are_numbers(*values):
        return None
    return ' || '.join(f'{field} == {int(value)}' for value in values)


def range_condition(field, least, most):
    return f'{field} >= {int(least)} && {field} <= {int(most)}' if are_numbers(least, most) else None


class Tasks:
    """The tasks that may be hidden from tracing: neither they nor interrupts on top of them fire
    events.

    Some kernels hide the threads of process 1, and with them the idle tasks of all CPUs but the
    first, which process 1 has forked. A task is visible if an event is its own, or if it begins or
    ends. Other tasks are hidden if they are threads of process 1 or are switched to more than once,
    because visible tasks fire events from time to time. These idle tasks are hidden, too, if no
    thread of process 1 is visible."""

    def __init__(self):
        self.visible = set()
        self.first = set()                      # threads of process 1
        self.comms = {}
        self.entered = collections.Counter()    # number of switches to it
        self.current = {}                       # by CPU
        self.left = {}                          # task: its last known run

    @staticmethod
    def key(tid, cpu):
        """The key of a task: idle tasks, which all have the tid 0, have their CPU."""
        return tid or IDLE - cpu

    def name(self, task):
        return f'swapper/{IDLE - task}' if task <= IDLE else f'{self.comms.get(task, "")}/{task}'

    def fire(self, event):
        """Note an event, before it is judged."""
        tid = event._tid
        self.visible.add(tid or IDLE - event._cpu)
        if event._event == 'sched:sched_switch':
            self.switch(event, tid)

    def watch(self, record, kind):
        """Note a record that is not an event."""
        if kind == 'comm' and record.existing:
            self.comms[record.tid] = record.comm
            if record.pid == 1:
                self.first.add(record.tid)
        elif kind in ('comm', 'fork', 'exit') and not record.existing:
            self.visible.add(record.tid)
        elif kind == 'lost':
            self.current.clear()

    def switch(self, event, tid):
        cpu = event._cpu
        if tid < 0:
            self.visible.add(self.key(event.prev_pid, cpu))
        before = self.current.get(cpu)
        if before is not None and before not in self.visible:
            self.left[before] = event._time
        self.current[cpu] = task = self.key(event.next_pid, cpu)
        if task not in self.visible:
            self.entered[task] += 1

    def dark(self, since):
        """The tasks that ran at this time or later and have not been visible."""
        tasks = {task for task, time in self.left.items() if time >= since}
        return tasks.union(self.current.values()) - self.visible

    def is_hidden(self, task):
        if task in self.visible:
            return False
        if task <= IDLE:
            return task < IDLE and self.visible.isdisjoint(self.first)
        return task in self.first or self.entered[task] > 1


class Has(Expectation):
    """Each event, taken alone, meets a condition. `condition` is the same for --filter. If it
    concerns one field and numbers alone, `field` is its name."""

    alone = True

    def __init__(self, event, what, holds, field=None, condition=None):
        super().__init__(f'every {event} has {what}', event)
        self.holds = holds
        self.filter_field, self.filter = field, condition

    def feed(self, event):
        self.judged += 1
        if not self.holds(event):
            raise Violation('this one does not', event)


class FollowedBy(Expectation):
    """An event is followed by another with the same values, perhaps within a time limit."""

    def __init__(self, first, second, same, of_second, within):
        text = f'every {first} is followed by {second}'
        if same:
            text += ' with the same ' + ', '.join(same)
        if within is not None:
            text += ' within ' + duration(within)
        super().__init__(text, first, second)
        self.first, self.second = first, second
        self.same, self.of_second, self.within = same, of_second, within
        self.open = {}                          # values of `same`: first event without its second
        self.missing = []                       # values whose time had run out at the end
        self.lost = []                          # violations of those before events were lost
        self.late, self.worst = 0, 0            # how many, and the longest in ns

    def feed(self, event):
        late = None
        if event._event == self.second:
            key = tuple(event[f] for f in self.of_second)
            first = self.open.pop(key, None)
            if first is not None:
                self.judged += 1
                late = self.is_late(first, event)
        if event._event == self.first:
            self.open.setdefault(tuple(event[f] for f in self.same), event)
        if late:
            self.late += 1
            self.worst = max(self.worst, late)
            raise Violation('it came after ' + duration(late), first, event)

    def is_late(self, first, event):
        """The time until the second event if that is too long, else 0."""
        took = event._time - first._time
        return took if self.within is not None and took > self.within else 0

    def finish(self, last):
        yield from self.lost
        yield from self.never_came(last._time, 'at the end')

    def never_came(self, time, when):
        """Open first events whose time limit had passed by then."""
        for key, first in self.open.items():
            late = time - first._time
            if self.within is not None and late > self.within:
                self.judged += 1
                self.missing.append(key)
                yield Violation(f'it had not come {duration(late)} later, {when}', first)

    def summary(self, number):
        parts = []
        if self.missing:
            parts.append(f'{len(self.missing)} never came' + self.missing_keys())
        if self.late:
            parts.append(f'{self.late} came late (worst {duration(self.worst)})')
        return ', '.join(parts)

    def missing_keys(self):
        """ ' (id 3, 8)', or ' (dev 8 sector 0, dev 8 sector 16)', for the first few."""
        if not self.same:
            return ''
        shown = self.missing[:KEYS_SHOWN]
        if len(self.same) == 1:
            words = f'{self.same[0]} ' + ', '.join(str(key[0]) for key in shown)
        else:
            words = ', '.join(' '.join(f'{name} {value}' for name, value in zip(self.same, key))
                              for key in shown)
        others = len(self.missing) - len(shown)
        return f' ({words} and {others} others)' if others else f' ({words})'

    def know(self, until):
        self.lost += self.never_came(until, 'when events were lost')

    def forget(self):
        self.open.clear()


class Turns(Expectation):
    """For each set of same values, an event is followed by an allowed one.

    `after` is a dict of an event's name to the names that may come next; any of them may be the
    first. Two events in a row prove nothing if the event missing between them may have been
    disabled already, because events are not all disabled at the same instant."""

    def __init__(self, after, same):
        orders = ', '.join(f'after {name} is {" or ".join(after[name]) or "none"}' for name in after)
        self._begin(f'for the same {", ".join(same)}, next {orders}', after, same)

    def _begin(self, text, after, same):
        super().__init__(text, *after)
        self.after, self.same = after, same
        self.same_cpu = '_cpu' in same
        self.before = {}
        # Violations, oldest first, until it shows that a missing event was enabled: by this
        # event and, if all fire on one CPU, this CPU.
        self.open = collections.defaultdict(collections.deque)
        self.proven = collections.deque()
        self.enabled = set()                    # events that have fired anywhere

    def feed(self, event):
        if self.is_looked_at(event):
            self.look(event)
        if self.open:
            self.prove(event)
        while self.proven:
            self.judge_proven(self.proven.popleft())

    def see(self, event):
        self.enabled.add(event._event)
        self.all_seen(event)
        self.prove(event)

    def is_looked_at(self, event):
        self.enabled.add(event._event)
        if self.same_cpu:
            return self.all_seen(event)
        return len(self.enabled) == len(self.after) or self.is_enabled(event)

    def judge_proven(self, violation):
        raise violation

    def key_of(self, name, cpu):
        return name, cpu if self.same_cpu else None

    def look(self, event):
        key = tuple(event[f] for f in self.same)
        before = self.before.get(key)
        self.before[key] = event
        if before is not None:
            self.judged += 1
            if event._event not in self.after[before._event]:
                missing = self.after[before._event]
                self.doubt(Violation(f'{" or ".join(missing) or "none"} was next', before, event),
                           missing)

    def doubt(self, violation, missing):
        """Keep a violation, which counts only if a missing event was enabled."""
        cpu = violation.events[-1]._cpu
        violation.keys = [self.key_of(name, cpu) for name in missing]
        for key in violation.keys:
            self.open[key].append(violation)
        if not missing:
            self.proven.append(violation)

    def prove(self, event):
        """A missing event fires later, or the recording has not ended soon."""
        for violation in self.open.pop(self.key_of(event._event, event._cpu), ()):
            self.settle(violation)
        self.prove_old(event)

    def settle(self, violation):
        if violation.keys:
            violation.keys = ()                 # it no longer waits for its other events
            self.proven.append(violation)

    def prove_old(self, event):
        for violations in self.open.values():
            while violations and (not violations[0].keys or event._time -
                                  violations[0].events[-1]._time > DISABLED_WITHIN):
                self.settle(violations.popleft())

    def finish(self, last):
        self.prove_old(last)
        return list(self.proven)

    def forget(self):
        self.before.clear()


class Alternate(Turns):
    """Two events come in turn, for each set of same values; either may be first.

    If they fire on different CPUs, a second one alone proves nothing: the first may
    have been on a CPU where it was not enabled yet."""

    def __init__(self, first, second, same, but, tasks, but_condition=None):
        self._begin(f'{first} and {second} alternate for the same ' + ', '.join(same),
                    {first: (second,), second: (first,)}, same)
        self.uses_tasks = tasks
        self.doubtful = []                      # violations while tasks ran that may be hidden
        self.left_out = 0
        self.first, self.but, self.but_condition = first, but, but_condition

    def is_looked_at(self, event):
        return self.all_seen(event) or not (self.same_cpu or event._event == self.first)

    def look(self, event):
        if self.but is not None and self.but(event):
            self.before.pop(tuple(event[f] for f in self.same), None)
        else:
            super().look(event)

    def doubt(self, violation, missing):
        before, event = violation.events
        if self.same_cpu or event._event == self.first:
            violation = Violation('two of them without the other', before, event)
            if self.uses_tasks:
                violation.dark = self.tasks.dark(before._time)
            super().doubt(violation, missing)

    def judge_proven(self, violation):
        if not violation.dark:
            raise violation
        self.doubtful.append(violation)

    def finish(self, last):
        found = []
        for violation in [*self.doubtful, *super().finish(last)]:
            if any(map(self.tasks.is_hidden, violation.dark) if violation.dark else ()):
                self.left_out += 1
            else:
                found.append(violation)
        return found

    def remark(self):
        if not self.left_out:
            return None
        return (f'{self.left_out} time{"s" if self.left_out > 1 else ""} the other one may have '
                'fired while a task ran that is hidden from tracing, which was not judged')


class ComesAfter(Expectation):
    """An event has another one with the same values of its own before it.

    The other one may have come before the recording began: until `within` after the first event,
    nothing is missing."""

    def __init__(self, second, first, same, of_first, within):
        super().__init__(f'every {second} comes after a {first} of its own with the same ' +
                         ', '.join(same), first, second)
        self.first, self.second = first, second
        self.same, self.of_first, self.within = same, of_first, within
        self.open = set()
        self.since = None                       # the time of the first event

    def feed(self, event):
        if self.since is None:
            self.since = event._time
        if event._event == self.second:
            key = tuple(event[f] for f in self.same)
            if key in self.open:
                self.open.remove(key)
                self.judged += 1
            elif event._time - self.since > self.within:
                self.judged += 1
                raise Violation(f'there is no {self.first} before it', event)
        if event._event == self.first:
            self.open.add(tuple(event[f] for f in self.of_first))

    def forget(self):
        self.open.clear()
        self.since = None


class Chain(Expectation):
    """A field of one event has the value of another field in the next one."""

    def __init__(self, event, value, of_next, per):
        super().__init__(f'{value} of one {event} is {of_next} of the next' +
                         (f' with the same {per}' if per else ''), event)
        self.value, self.of_next, self.per = value, of_next, per
        self.before = {}

    def feed(self, event):
        key = event[self.per] if self.per else None
        before = self.before.get(key)
        self.before[key] = event
        if before is not None:
            self.judged += 1
            if before[self.value] != event[self.of_next]:
                self.broken(before, event)

    def broken(self, before, event):
        raise Violation(f'{before[self.value]} is not {event[self.of_next]}', before, event)

    def forget(self):
        self.before.clear()


class TaskChain(Chain):
    """The same for values that are tasks. Behind a hidden task, the next event belongs to its
    successor, which breaks the chain although nothing is wrong. So a break is judged when its task
    turns out to be visible, and at the end if it is not known to be hidden."""

    uses_tasks = True

    def __init__(self, *arguments):
        super().__init__(*arguments)
        self.open = {}                          # task: its first break, which counts them all
        self.proven = []
        self.hidden = {}                        # the same as open, for hidden tasks

    def feed(self, event):
        for task in self.tasks.visible.intersection(self.open) if self.open else ():
            self.proven.append(self.open.pop(task))
        super().feed(event)
        if self.proven:
            raise self.proven.pop(0)

    def broken(self, before, event):
        task = self.tasks.key(before[self.value], before._cpu)
        violation = Violation(f'{before[self.value]} is not {event[self.of_next]}', before, event)
        if task in self.tasks.visible:
            raise violation
        if task in self.open:
            self.open[task].number += 1
        else:
            self.open[task] = violation

    def finish(self, last):
        for task, violation in self.open.items():
            if self.tasks.is_hidden(task):
                self.hidden[task] = violation
            else:
                self.proven.append(violation)
        self.open = {}
        return self.proven

    def remark(self):
        if not self.hidden:
            return None
        number = sum(v.number for v in self.hidden.values())
        shown = sorted(self.hidden, key=lambda task: (task <= IDLE, abs(task)))[:KEYS_SHOWN]
        others = len(self.hidden) - len(shown)
        tasks = ', '.join(map(self.tasks.name, shown)) + (f' and {others} others' if others else '')
        one = len(self.hidden) == 1
        return (f'{len(self.hidden)} task{" is" if one else "s are"} switched to and fire'
                f'{"s" if one else ""} no event ({tasks}): hidden from tracing, so {number} '
                f'place{"s" if number > 1 else ""} where {"it" if one else "they"} ran '
                f'{"were" if number > 1 else "was"} not judged')


class Order(Expectation):
    """A value does not get smaller from one event to the next."""

    alone = True

    def __init__(self, event, value, per):
        super().__init__(f'{value} of {event} never gets smaller' +
                         (f' for the same {per}' if per else ''), event)
        self.value, self.per = value, per
        self.before = {}

    def feed(self, event):
        key = event[self.per] if self.per else None
        before = self.before.get(key)
        self.before[key] = event
        if before is not None:
            self.judged += 1
            if event[self.value] < before[self.value]:
                raise Violation(f'{event[self.value]} comes after {before[self.value]}',
                                before, event)


class Count(Expectation):
    """The number of events is between two limits."""

    alone = True

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
            yield Violation(f'there are {self.number}')

    def forget(self):
        self.lost = True


class every:
    """every('mydrv:start').is_followed_by('mydrv:done', same='id', within='1 ms')"""

    def __init__(self, event):
        self.event = event

    def has(self, what, holds, condition=None):
        """holds(event) is true for each event; `what` describes that in the report. `condition` is
        the same for --filter, so that a machine can judge it."""
        return Has(self.event, what, holds, condition=condition)

    def is_followed_by(self, event, same=(), of_second=None, within=None):
        """The second event has the values of `same`, in its fields `of_second` if given."""
        same = names(same)
        return FollowedBy(self.event, event, same,
                          same if of_second is None else names(of_second),
                          None if within is None else nanoseconds(within))

    def comes_after(self, event, same, of_first=None, within='1 s'):
        """Another event, with the values of `same` in its fields `of_first` if given, has come
        before. Events that begin `within` the start of the recording are not judged, because the
        other one may have been earlier."""
        same = names(same)
        return ComesAfter(self.event, event, same,
                          same if of_first is None else names(of_first), nanoseconds(within))

    def has_one_of(self, field, *values):
        """The value of a field is in a list."""
        return Has(self.event, f'a {field} of ' + ', '.join(map(repr, values)),
                   lambda e: e[field] in values, field, one_of_condition(field, values))

    def has_values(self, field, least, most):
        """The values of a field are in a range: at least `least`, at most `most`, or both."""
        if not isinstance(field, str):
            raise TypeError('has_values() takes the name of a field, and then the least and the '
                            'greatest value')
        if least > most:
            raise ValueError(f'has_values({field!r}, {least!r}, {most!r}) is a range without a '
                             'value: the least value comes first. For a set of values there is '
                             f"has_one_of({field!r}, {least!r}, {most!r})")
        return Has(self.event, f'{field} from {least} to {most}',
                   lambda e: least <= e[field] <= most, field, range_condition(field, least, most))


def alternate(first, second, same, but=None, tasks=False, but_condition=None):
    """but(event) is true for an event after which either may come, as when a thread ends;
    `but_condition` is the same for --filter, so that a machine can judge it. tasks=True: an event
    that may belong to a task hidden from tracing is not missing."""
    if but_condition is not None and but is None:
        raise TypeError('but_condition goes with but, which Python judges by')
    return Alternate(first, second, names(same), but, tasks, but_condition)


def turns(after, same):
    """turns({'mydrv:open': ['mydrv:write', 'mydrv:close'], 'mydrv:write': ...}, same='fd'): the
    events that may come next after each one, for each set of same values."""
    for name, others in after.items():
        for other in names(others):
            if other not in after:
                raise ValueError(f'turns() does not say what comes after {other}, which may come '
                                 f'after {name}')
    return Turns({name: names(others) for name, others in after.items()}, names(same))


def chain(event, value, of_next, per='_cpu', tasks=False):
    """per=None: in the whole recording. tasks=True: the values are tasks; tasks that are hidden
    from tracing are left out."""
    return (TaskChain if tasks else Chain)(event, value, of_next, per)


def in_order(event, value='_time', per='_cpu'):
    """per=None: in the whole recording."""
    return Order(event, value, per)


def count(event, least=0, most=None):
    return Count(event, least, most)


class Judge:
    """Checks all expectations in one pass over the records."""

    def __init__(self, expectations):
        self.expectations = expectations
        self.violations = {}                    # expectation: [the first, how many]
        self.by_event = {}
        self.left = expectations                # the ones that Python judges
        self.lost = 0
        self.losses = iter(())                  # further ones, from losses()
        self.loss = NEVER
        self.last = None
        self.tasks = Tasks() if any(e.uses_tasks for e in expectations) else None
        self.by_machine = {}                    # expectation: the verdict of its machine
        for e in expectations:
            e.tasks = self.tasks
            for name in dict.fromkeys(e.events):
                self.by_event.setdefault(name, []).append(e)

    def take(self, verdicts):
        """Take over the machines' verdicts, from `expect_machine.judge`. Python judges the
        expectations that are not ok."""
        self.by_machine = dict(zip(self.expectations, verdicts))
        for e, (verdict, judged, _, _) in self.by_machine.items():
            if verdict == 'ok':
                e.judged = judged
        self.left = [e for e in self.expectations if self.by_machine[e][0] != 'ok']
        self.by_event = {name: [e for e in several if e in self.left]
                         for name, several in self.by_event.items()}

    def _add(self, expectation, violation):
        """Count a violation; the first one of each expectation is kept for the report."""
        found = self.violations.setdefault(expectation, [violation, 0])
        found[1] += violation.number

    def _ask(self, expectation, function, argument):
        """Call `function` of an expectation. Exceptions other than Violation are mistakes of its
        author."""
        try:
            return function(argument)
        except Violation as violation:
            self._add(expectation, violation)
        except Exception as error:              # the file's function may raise anything
            raise Mistake(about(expectation, error, argument)) from error
        return None

    def expect_losses(self, losses):
        """Judge nothing across these (start, end), which are in order."""
        self.losses = iter(losses)
        self.loss = next(self.losses, NEVER)

    def _forget(self, until):
        """`until`: up to this time all events are known; None: unknown."""
        for e in self.left:
            if until is not None:
                e.know(until)
            e.forget()

    def _is_lost_around(self, time):
        """Whether another CPU may have lost, by then, an event that belongs to one of this time."""
        if time <= self.loss[0]:
            return False
        self._forget(self.loss[0])
        while time > self.loss[1]:
            self.loss = next(self.losses, NEVER)
        return time > self.loss[0]

    def record(self, record):
        name = getattr(record, '_event', None)
        if name is not None:
            if self.tasks:
                self.tasks.fire(record)
            if self.last is None:
                for e in self.expectations:
                    e.begin = record._time
            self.last = record
            lost = self._is_lost_around(record._time)
            for e in self.by_event.get(name, ()):
                if e.alone or not lost:
                    self._ask(e, e.feed, record)
                else:
                    e.see(record)
            return
        kind = getattr(record, 'type', None)
        if self.tasks:
            self.tasks.watch(record, kind)
        if kind == 'lost' and hasattr(record, 'lost'):
            self.lost += record.lost
            self._forget(self.loss[0] if self.loss[0] <= record.time else None)

    def finish(self):
        for e in self.left:
            if self.last is not None:
                found = self._ask(e, lambda last, finish=e.finish: list(finish(last)), self.last)
                for violation in found or ():
                    self._add(e, violation)
            verdict, _, _, shown = self.by_machine.get(e, (None,) * 4)
            if verdict == 'violated' and e not in self.violations:
                self._add(e, Violation(shown_text(shown)))


def shown_text(shown):
    """The violation of a machine, if Python found none: (time, key, state, event, age)."""
    time, key, state, event, age = shown
    came = f'{event} came' if event else 'its time was up'
    return (f'at {time / 1e9:.9f} {came}' + (f' for {key}' if key else '') +
            f', {duration(age)} after the state {state} began')


def judged_by(judge):
    """A line for each way of judging: the numbers of its expectations, and the reason."""
    ways = {}
    for number, e in enumerate(judge.expectations, 1):
        verdict, _, why, _ = judge.by_machine.get(e, ('unknown', 0, 'a stream is read once', None))
        way = {'ok': 'by a machine', 'violated': 'by a machine, and shown by Python'}.get(
            verdict, f'in Python, as {why}')
        ways.setdefault(way, []).append(str(number))
    for way, numbers in ways.items():
        yield f'{", ".join(numbers)}: judged {way}'


def about(expectation, error, event):
    """A sentence about an exception that an expectation raised for an event: the location, and the
    next step."""
    frames = [(f.filename, f.lineno) for f in reversed(traceback.extract_tb(error.__traceback__))]
    place = place_of(frames) or expectation.place or 'a pack'
    if isinstance(error, (KeyError, AttributeError)) and hasattr(event, 'keys'):
        name = re.findall(r"'(\w+)'", str(error))[-1:]
        if name and name[0] not in event:
            fields = ', '.join(f for f in event.keys() if not f.startswith('_'))
            return (f'{place}: {event._event} has no field {name[0]}.\n'
                    f'  Its fields are {fields}; beside them there are _cpu, _tid, _pid, _time '
                    'and _comm.')
    return (f"{place}: '{expectation.text}' raised {type(error).__name__} for this "
            f'{getattr(event, "_event", "event")}: {error}.')


def print_event(event):
    print(f'    {event._time / 1e9:.9f} [{event._cpu:03d}] {event._comm}/{event._tid} '
          f'{event._event}: {event.format()}')


def report(judge):
    """Print one KTAP test for each expectation. Returns the exit status."""
    print(f'KTAP version 1\n1..{len(judge.expectations)}')
    failed = judged = 0
    for number, e in enumerate(judge.expectations, 1):
        found = judge.violations.get(e)
        judged += e.judged
        if found:
            violation, count_of_all = found
            print(f'# {violation.what}:' if violation.events else f'# {violation.what}')
            for event in violation.events:
                print_event(event)
            summary = e.summary(count_of_all)
            if summary:
                print(f'# {summary}')
        remark = e.remark()
        if remark:
            print(f'# {remark}')
        failed += bool(found)
        skipped = '' if found or e.judged else ' # SKIP no event shows it'
        print(f'{"not ok" if found else "ok"} {number} - {e.text}{skipped}')
    for line in judged_by(judge):
        print(f'# {line}')
    if judge.lost:
        print(f'# {judge.lost} records were lost: nothing across these places was judged')
    return 1 if failed else 0 if judged else 2


def load(name):
    """The expectations of a pack or a file, which are its list EXPECT."""
    if name in PACKS:
        return importlib.import_module('ktrace.expect_' + name).EXPECT
    if not os.path.exists(name):
        raise Mistake(f'There is no file {name}, and no pack of that name.\n'
                      f'  The packs are {", ".join(PACKS)}.')
    try:
        found = runpy.run_path(name)
    except SyntaxError as error:
        raise Mistake(f'{error.filename}:{error.lineno}: this is no Python: {error.msg}.') \
            from error
    except Exception as error:
        frames = reversed(traceback.extract_tb(error.__traceback__))
        place = place_of((f.filename, f.lineno) for f in frames) or name
        raise Mistake(f'{place}: {type(error).__name__}: {error}.') from error
    if 'EXPECT' not in found:
        raise Mistake(f'{name} has no EXPECT, which is the list of what is expected.\n'
                      "  See EXPECTATIONS in 'man ktrace-check'.")
    return checked(name, found['EXPECT'])


def checked(name, expectations):
    """Return the list; raise a Mistake if something in it is not an expectation."""
    if not isinstance(expectations, (list, tuple)):
        raise Mistake(f'{name}: EXPECT is not a list but of the type '
                      f'{type(expectations).__name__}.')
    for number, e in enumerate(expectations, 1):
        if isinstance(e, every):
            raise Mistake(f"{name}: Entry {number} of EXPECT does not say what is expected of "
                          f"{e.event}.\n  Behind every('{e.event}') comes .has(), .has_one_of(), "
                          '.has_values(), .is_followed_by() or .comes_after().')
        if not isinstance(e, Expectation):
            raise Mistake(f'{name}: Entry {number} of EXPECT is no expectation but of the type '
                          f'{type(e).__name__}.')
    return expectations


def losses(records):
    """(start, end) of the times when records were lost, in order. A lost record only has the time
    when its CPU noticed; the missing firings may be from any time since its last event."""
    before, found = {}, []
    for record in records:
        if getattr(record, '_event', None) is not None:
            before[record._cpu] = record._time
        elif record.type == 'lost':
            found.append([before.get(record.cpu, -1), record.time])
        elif record.type in ('fork', 'exit'):
            before[record.cpu] = record.time
    joined = []
    for window in sorted(found):
        if joined and window[0] <= joined[-1][1]:
            joined[-1][1] = max(joined[-1][1], window[1])
        else:
            joined.append(window)
    return joined


def judge_recording(judge, recording):
    from ktrace import expect_machine
    # A stream is read once: only events after a loss are known to be complete.
    if not recording.is_live:
        lost = recording.summary()['lost']
        judge.take(expect_machine.judge(judge.expectations, recording))
        if not judge.left:
            judge.lost = lost or 0
            return
        if lost:
            judge.expect_losses(losses(recording.records()))
    for record in recording.records():
        judge.record(record)
    judge.finish()


@contextlib.contextmanager
def ending_signals_raise():
    """Turn signals that end this process into SystemExit, so that the recorder is ended, too."""
    def leave(number, frame):
        raise SystemExit(128 + number)

    before = {number: signal.signal(number, leave) for number in
              (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def judge_command(judge, command, pages):
    """Record while the command runs, and judge afterwards: judging meanwhile would delay the
    recorder, which would lose records. The command's output goes to standard error."""
    import ktrace
    from ktrace import _ktrace
    with ending_signals_raise(), tempfile.TemporaryDirectory(prefix='ktrace-expect-') as folder:
        file = os.path.join(folder, 'perf.data')
        words = [_ktrace.program(), 'record', '-q', '-a', '-k', 'monotonic', '-o', file,
                 *(['-m', pages] if pages else []),
                 '-e', ','.join(sorted(judge.by_event)), '--', *command]
        with subprocess.Popen(words, stdout=sys.stderr.fileno()) as recorder:
            try:
                status = recorder.wait()
            except BaseException:
                # It ends its command, and then itself.
                recorder.terminate()
                raise
        if status:
            status = 128 - status if status < 0 else status
            raise Mistake(f'Recording while {command[0]} ran ended with status {status}.\n'
                          '  check reports nothing about a command that fails.')
        with ktrace.open(file) as recording:
            judge_recording(judge, recording)


def sentence(error):
    """The sentence of an error, without the number that Python puts before ktrace's sentences."""
    short = error.strerror if isinstance(error, OSError) and not error.filename else None
    return short or str(error)


def main(argv=None):
    parser = argparse.ArgumentParser(prog='python3 -m ktrace.expect', description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('-i', '--input', default='perf.data', help='the recording (perf.data)')
    parser.add_argument('-m', '--mmap-pages', metavar='PAGES',
                        help="pages of each CPU's ring for a command, or its size as in 16M")
    parser.add_argument('-l', '--list', action='store_true',
                        help='print the events they are about, for record -e, and stop')
    parser.add_argument('--dot', metavar='DIR', help='write the machines to files in DIR, and stop')
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
    if arguments.dot:
        from ktrace import expect_machine
        expect_machine.write_machines(expectations, arguments.dot)
        return 0

    judge = Judge(expectations)
    if command:
        judge_command(judge, command, arguments.mmap_pages)
    else:
        import ktrace
        with ktrace.open(arguments.input) as recording:
            judge_recording(judge, recording)
    return report(judge)


if __name__ == '__main__':
    # A file that imports ktrace.expect gets a second copy of this module: use only that
    # one.
    from ktrace import expect
    try:
        sys.exit(expect.main())
    except BrokenPipeError:
        # The output has no reader any more: do not flush the rest at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(1)
    except (expect.Mistake, OSError, RuntimeError, ValueError) as error:
        print(f'ktrace.expect: {expect.sentence(error)}', file=sys.stderr)
        sys.exit(2)
