# SPDX-License-Identifier: GPL-2.0
"""The kinds of properties that may hold in recordings: the search for each, the probability of a
coincidence, and the change of a recording that breaks it."""

import collections
import itertools
import math
import re

from ktrace import expect
from ktrace.learn_rows import KEYS, RESET

LUCK = 1e-3                 # a likelier coincidence is not proposed
LEAST = 300                 # instances: fewer can miss an exception that is one of a hundred
FIRSTS = 10                 # keys that all begin with the same one of two events
EVENTS = 24                 # number of the most frequent events of a system that are compared
GLANCE = 2000               # rows that decide whether all are read
SOLID = 20                  # instances of a closed set's value, in each recording; of a succession
TIGHT_TAIL = 8              # largest ratio of the longest time of a deadline to the median
SLOWER = 30                 # factor, for a machine with other work
PREEMPTED = 20 * 10**6      # ns: longer times depend on the tasks that run beside it
INTERRUPTED = 10**6         # ns: an interrupt alone can cause a delay of this length
SET_SIZE = 8
DENSE = 0.6                 # share of all successions; an automaton that allows more is not useful
STARVED = 5 * 10**9         # ns: a runnable task may wait this long on an overloaded machine
RUNS = 3                    # recordings that distinguish a closed set from an open one
NS = expect.UNITS
# Counts of the machine's parts, tasks or time are not sets of values with a meaning.
NO_SET = re.compile(r'(^|_)(n?cpus?|[a-z]*pid|tid|tgid|irq|time|ts|addr|ptr|key|id|seq)$|comm|^_')
NO_KEY = re.compile(r'comm|^_')
TASK = re.compile(r'(^|_)([a-z]*pid|tid)$')
ERROR = re.compile(r'(^|_)(error|err|errno|status|result|ret|rc)$')
FACTORS = (1, 2, 5)


class Proposal:
    """An expectation as text, and its evidence."""

    after = same = initial = None               # of an automaton

    def __init__(self, kind, words, instances, log_luck, null, mutations, note=''):
        self.kind = kind                        # its place in KINDS
        self.words = words                      # parts of the code, lines may end between them
        self.instances = instances
        self.log_luck = log_luck                # natural logarithm, of this one alone
        self.null = null
        self.mutations = mutations
        self.note = note
        self.luck = 1.0
        self.recordings = 0
        self.mutation = None

    @property
    def code(self):
        return ''.join(self.words).strip()

    def expectation(self):
        """The expectation as in the written file."""
        return eval(self.code, vars(expect))

    def code_lines(self, indent):
        lines, line = [], indent
        for word in self.words:
            if len(line) + len(word.rstrip()) > 97 and line.strip():
                lines.append(line.rstrip())
                line = indent + '    '
            line += word
        return lines + [line.rstrip() + ',']


KINDS = ('turns', 'alternate', 'followed', 'after', 'chain', 'order', 'set', 'range')


def same_text(fields):
    return repr(fields[0] if len(fields) == 1 else tuple(fields))


def at(event, run):
    return f'the {event._event} at {event._time / 1e9:.9f} of {run.path}'


# -- changes of a recording: each returns the changed events and a sentence, or None


def drop(name):
    def change(events, run, start):
        for n in range(start, len(events)):
            if events[n]._event == name:
                return events[:n] + events[n + 1:], f'without {at(events[n], run)}'
        return None
    return change


def delay(first, second, same, within):
    def change(events, run, start):
        for n in range(start, len(events)):
            if events[n]._event != first:
                continue
            key = [events[n][f] for f in same]
            for m in range(n + 1, len(events)):
                if events[m]._event == second and [events[m][f] for f in same] == key:
                    late = events[m].changed(_time=events[n]._time + within + 1)
                    rest = sorted(events[:m] + events[m + 1:] + [late], key=lambda e: e._time)
                    by = expect.duration(late._time - events[m]._time)
                    return rest, f'if {at(events[m], run)} comes {by} later'
            return None
        return None
    return change


def swap_values(name, field, per):
    def change(events, run, start):
        before = {}
        for n in range(start, len(events)):
            if events[n]._event != name:
                continue
            key = events[n][per] if per else None
            m = before.get(key)
            if m is not None and events[m][field] != events[n][field]:
                new = list(events)
                new[m] = events[m].changed(**{field: events[n][field]})
                new[n] = events[n].changed(**{field: events[m][field]})
                return new, (f'if {at(events[m], run)} and the next one have their values of {field} '
                             'swapped')
            before[key] = n
        return None
    return change


def change_value(name, field, value):
    def change(events, run, start):
        for n in range(start, len(events)):
            if events[n]._event == name:
                new = list(events)
                new[n] = events[n].changed(**{field: value})
                return new, f'if {field} of {at(events[n], run)} is {value!r}'
        return None
    return change


def violations(proposal, events):
    """The number of violations that ktrace.expect finds in these events."""
    judge = expect.Judge([proposal.expectation()])
    for event in events:
        judge.record(event)
    judge.finish()
    return len(judge.violations)


def breaks(proposal, runs, names, fields, span=0):
    """Whether a change of a recording breaks it, which sets `mutation`; the events around it hold.
    @span: ns that have to be in front of the change."""
    # The recording with the most events, preferably without losses.
    for run in sorted(runs, key=lambda r: (bool(r.lost), -sum(len(r.events[n]) for n in names)))[:2]:
        near = run.first + max(span + span // 50, run.duration // 2)
        events = run.made(names, fields, near, 30000 if span else 1000, 1000)
        if not events or events[0]._time + span > events[-1]._time or \
           violations(proposal, events):
            continue
        start = next((n for n, e in enumerate(events) if e._time >= near), len(events) // 2)
        for change in proposal.mutations:
            for begin in (start, (start + len(events)) // 2, len(events) // 2):
                changed = change(events, run, begin)
                if changed and violations(proposal, changed[0]):
                    proposal.mutation = changed[1]
                    return True
    return False


# -- two events with the same key


class Pair:
    """How two events of the same key followed each other, in all recordings. [0] is about the first
    of them, and the event after it, [1] about the second one."""

    def __init__(self, names, same):
        self.names, self.same = names, same
        self.doubles = [0, 0]                   # the same one again, without the other
        self.delays = [[], []]                  # ns until the other one came, by recording
        self.left = [0, 0]                      # the longest wait for the other one at the end
        self.firsts = [0, 0]                    # keys that begin with it
        self.orphans = [0, 0]                   # the latest of these, ns after the beginning
        self.numbers = [0, 0]
        self.rates = []                         # by recording: its ns, Counter of the two numbers

    def look(self, run, rows=None):
        was, counts = {}, {}
        delays = [], []
        begin = run.first
        for time, code, key in run.walk(self.names, [self.same] * 2, rows):
            if code == RESET:
                was.clear()
                begin = None
                continue
            if begin is None:
                begin = time
            before = was.get(key)
            if key in counts:
                counts[key][code] += 1
            else:
                counts[key] = [1 - code, code]
            if before is None:
                self.firsts[code] += 1
                self.orphans[code] = max(self.orphans[code], time - begin)
            elif before[0] == code:
                self.doubles[code] += 1
                continue                        # the one that has waited longest counts
            else:
                delays[before[0]].append(time - before[1])
            was[key] = code, time
        if rows is None:
            for code, time in was.values():
                self.left[code] = max(self.left[code], run.last - time)
        for code in 0, 1:
            self.delays[code].append(delays[code])
            self.numbers[code] += sum(n[code] for n in counts.values())
        self.rates.append((run.duration, collections.Counter(map(tuple, counts.values()))))

    def instances(self, code):
        return sum(map(len, self.delays[code]))

    def is_own(self):
        return not self.same[0].startswith('_')

    def is_possible(self):
        """They alternate, or one of them never comes again without the other."""
        return not any(self.doubles) or (self.is_own() and not all(self.doubles))

    def covers(self):
        """Most of them have a partner: the key connects them."""
        return self.instances(0) + self.instances(1) >= min(self.numbers) / 2

    def log_luck(self, code):
        """The logarithm of the probability that the other one came each time within the longest time
        by chance."""
        worst = max(d for delays in self.delays[code] for d in delays)
        total = 0.0
        for (duration, numbers), delays in zip(self.rates, self.delays[code]):
            for pair, keys in numbers.items():
                mean = pair[1 - code] * worst / duration
                if delays and mean and pair[code]:
                    total += keys * min(pair) * math.log(-math.expm1(-mean))
        return total


def round_up(ns):
    """The next 1, 2 or 5 with zeros."""
    power = 1
    while True:
        for factor in FACTORS:
            if factor * power >= ns:
                return factor * power
        power *= 10


def time_text(ns):
    for unit in ('s', 'ms', 'us'):
        if ns % NS[unit] == 0:
            return f'{ns // NS[unit]} {unit}'
    return f'{ns} ns'


class Bound:
    """A time limit that other recordings will keep, too: four times the longest time. Widely spread
    times depend on other things. The longest one is then multiplied by its ratio to the median, or
    by SLOWER if that is more, but at most by 1000. The limit is at least STARVED."""

    def __init__(self, pair, code, runs):
        delays = pair.delays[code]
        worst = [max(d) for d in delays if d]
        every_delay = sorted(itertools.chain.from_iterable(delays))
        self.worst = max(worst)
        self.median = every_delay[len(every_delay) // 2]
        self.tail = self.worst / max(1, self.median)
        self.is_tight = (len(worst) >= RUNS and self.worst <= min(4 * min(worst), PREEMPTED) and
                         self.tail <= TIGHT_TAIL)
        shortest = min(run.duration for run in runs)
        tight = round_up(max(4 * self.worst, INTERRUPTED))
        if self.is_tight and pair.left[code] <= tight:
            self.ns = tight
        else:
            self.is_tight = False
            self.ns = round_up(max(self.worst * min(1000, max(SLOWER, self.tail)), STARVED))
        # A shorter recording could not show a violation.
        self.is_usable = pair.left[code] <= self.ns < shortest

    def note(self):
        seen = f'The longest took {expect.duration(self.worst)}, the median {expect.duration(self.median)}'
        if self.is_tight:
            return f'{seen}: the bound is a deadline, for machines as busy as these were.'
        return f'{seen}: the bound says that it comes at all.'


POISSON = 'if these came at any time, as often as they do for the key'


def followed(pair, code, runs, bound):
    first, second = pair.names[code], pair.names[1 - code]
    words = [f'every({first!r}).', f'is_followed_by({second!r}, ', f'same={same_text(pair.same)}, ',
             f'within={time_text(bound.ns)!r})']
    p = Proposal('followed', words, pair.instances(code), pair.log_luck(code), POISSON,
                 [delay(first, second, pair.same, bound.ns)], bound.note())
    p.pair, p.bound = (first, second, pair.same), bound.ns
    return p if breaks(p, runs, pair.names, pair.same) else None


def comes_after(pair, code, runs, bound):
    first, second = pair.names[code], pair.names[1 - code]
    words = [f'every({second!r}).', f'comes_after({first!r}, ', f'same={same_text(pair.same)}, ',
             f'within={time_text(bound.ns)!r})']
    p = Proposal('after', words, pair.instances(code), pair.log_luck(code), POISSON, [drop(first)])
    p.pair = first, second, pair.same
    return p if breaks(p, runs, pair.names, pair.same, bound.ns) else None


SHARES = 'if events came in any order, as often as they do'


def alternate(pair, runs):
    number = sum(pair.numbers)
    luck = sum(pair.instances(code) * math.log(pair.numbers[1 - code] / number) for code in (0, 1))
    code = 0 if pair.firsts[0] >= pair.firsts[1] else 1
    first, second = pair.names[code], pair.names[1 - code]
    words = [f'alternate({first!r}, ', f'{second!r}, ', f'same={same_text(pair.same)})']
    p = Proposal('alternate', words, pair.instances(0) + pair.instances(1), luck, SHARES,
                 [drop(second), drop(first)])
    p.same, p.after, p.initial = pair.same, {first: (second,), second: (first,)}, second
    return p if breaks(p, runs, pair.names, pair.same) else None


def direction(pair):
    """The number of the event that begins, None if unknown."""
    one_way = [code for code in (0, 1) if pair.instances(code) >= LEAST and
               pair.instances(1 - code) < FIRSTS]
    if one_way:
        return one_way[0]
    if pair.is_own():
        for code in 0, 1:
            if pair.firsts[code] >= FIRSTS and not pair.firsts[1 - code]:
                return code
    return None


def pair_proposals(pair, runs):
    """The properties of two events of the same key."""
    found = []
    if not any(pair.doubles) and min(pair.instances(0), pair.instances(1)) >= LEAST:
        found.append(alternate(pair, runs))
    usable = {}
    for code in 0, 1:
        if pair.instances(code) >= LEAST:
            bound = Bound(pair, code, runs)
            if bound.is_usable:
                usable[code] = bound
    begins = direction(pair)
    if begins is None:
        # One of them may only come again because the workload goes on.
        if any(pair.doubles) and len(usable) > 1:
            return []
        usable = {code: bound for code, bound in usable.items()
                  if bound.is_tight or len(usable) == 1 and any(pair.doubles)}
        if len(usable) > 1:
            usable = dict([min(usable.items(), key=lambda item: item[1].tail)])
    else:
        usable = {code: bound for code, bound in usable.items() if code == begins}
    for code, bound in usable.items():
        found.append(followed(pair, code, runs, bound))
        if begins is not None and pair.is_own() and not pair.doubles[1 - code] and \
           pair.orphans[1 - code] * bool(pair.firsts[1 - code]) <= bound.ns:
            found.append(comes_after(pair, code, runs, bound))
    return [p for p in found if p]


def distinct(rows, field):
    return len(set(rows.column(field)[:GLANCE]))


def keys_of(run, names):
    """Possible common key fields of these events, the finest first, then pairs of them."""
    rows = [run.events[name] for name in names]
    own = [f for f in rows[0].fields if not NO_KEY.search(f) and
           all(f in other.fields for other in rows[1:])]
    own.sort(key=lambda f: -distinct(rows[0], f))
    shared = [k for k in KEYS if all(r.has(k) for r in rows)]
    yield from ((f,) for f in own)
    yield from ((k,) for k in shared)
    yield from itertools.combinations(own[:4], 2)
    yield from ((f, k) for f in own[:3] for k in shared)


class Search:
    """Searches for all kinds in recordings, and counts its attempts."""

    def __init__(self, runs):
        self.runs = runs
        self.tried = 0
        self.found = []
        self.turning = {}                       # (system, same): pairs that never come twice
        self.names_of_things = set()            # (event, field) that identify the object
        self.busiest = max(runs, key=lambda run: run.duration and
                           sum(map(len, run.events.values())))
        self.tids = {tid for rows in self.busiest.events.values() if rows.has('_tid')
                     for tid in rows.column('_tid')}
        self.systems = collections.defaultdict(list)
        for name in self.busiest.events:
            self.systems[name.split(':')[0]].append(name)
        for names in self.systems.values():
            names.sort(key=lambda name: -sum(len(run.events[name]) for run in runs))
            del names[EVENTS:]

    def is_task(self, name, field):
        """Whether it is the number of a task, such as the result of clone(); these numbers are
        reused."""
        values = set(self.busiest.events[name].column(field))
        return bool(TASK.search(field)) or len(values & self.tids) * 2 > len(values)

    def is_unlikely(self, p):
        return p.log_luck + math.log(max(1, self.tried)) <= math.log(LUCK)

    # -- pairs and automata

    def pairs(self):
        for system, names in self.systems.items():
            for two in itertools.combinations(names, 2):
                for same in keys_of(self.busiest, two):
                    if self.pair(system, two, same):
                        break
            for (of, same), pairs in list(self.turning.items()):
                if of == system:
                    self.turns(same, pairs)
            self.free_turns(names)

    def pair(self, system, names, same):
        """Returns true if a property was found, so that coarser keys are not tried."""
        self.tried += 1
        pair = Pair(names, same)
        pair.look(self.busiest, GLANCE)
        if not pair.is_possible():
            return False
        pair = Pair(names, same)
        for run in self.runs:
            pair.look(run)
            if not pair.is_possible():
                return False
        if not pair.covers() or not self.in_all(map(sum, zip(*([len(d) for d in delays]
                                                              for delays in pair.delays)))):
            return False
        if not any(pair.doubles):
            self.turning.setdefault((system, same), []).append(pair)
        found = [p for p in pair_proposals(pair, self.runs) if self.is_unlikely(p)]
        self.found += found
        if found:
            self.names_of_things.update(itertools.product(names, same))
        return bool(found)

    def in_all(self, instances):
        """Whether there are LEAST instances in all, and some in each recording, except perhaps in
        recordings that lost records."""
        instances = list(instances)
        return sum(instances) >= LEAST and \
            all(n or run.lost for n, run in zip(instances, self.runs))

    def successions(self, names, same):
        """Counters of (event, next event) with the same key, by recording; None: no such key."""
        found = []
        for run in self.runs:
            was, counts = {}, collections.Counter()
            for _, code, key in run.walk(names, [same] * len(names)):
                if code == RESET:
                    was.clear()
                    continue
                before = was.get(key)
                if before is not None:
                    counts[before, code] += 1
                was[key] = code
            found.append(counts)
        return found

    def turns(self, same, pairs):
        """Events that all alternate with each other go round in one order."""
        partners = collections.defaultdict(set)
        for pair in pairs:
            partners[pair.names[0]].add(pair.names[1])
            partners[pair.names[1]].add(pair.names[0])
        for start in sorted(partners, key=lambda name: -len(partners[name])):
            group = [start]
            for name in sorted(partners[start], key=lambda name: -len(partners[name])):
                if all(name in partners[other] for other in group):
                    group.append(name)
            if len(group) >= 3 and self.ring(group, same):
                return

    def ring(self, names, same):
        self.tried += 1
        total = sum(self.successions(names, same), collections.Counter())
        if min(behind(total).values()) < LEAST:
            return False
        after = {}
        for (code, other) in total:
            after.setdefault(code, []).append(other)
        if any(len(others) > 1 for others in after.values()):
            return False
        ends = [code for code in range(len(names)) if code not in after]
        beginning = set(range(len(names))) - {others[0] for others in after.values()}
        if len(ends) > 1 or len(beginning) > 1:
            return False
        start = beginning.pop() if beginning else self.beginning(names, same)
        order = [start]
        while order[-1] in after and len(order) < len(names):
            order.append(after[order[-1]][0])
        if len(set(order)) < len(names):
            return False
        # Behind the last one, a key may be used again.
        order = [names[code] for code in order]
        return self.automaton({name: (order[(n + 1) % len(order)],) for n, name in
                               enumerate(order)}, same, total, names)

    def beginning(self, names, same):
        """The event with which most keys begin."""
        counts = collections.Counter()
        for run in self.runs:
            seen = set()
            for _, code, key in run.walk(names, [same] * len(names), GLANCE):
                if code != RESET and key not in seen:
                    seen.add(key)
                    counts[code] += 1
        return counts.most_common(1)[0][0]

    def automaton(self, after, same, total, names, bound=None):
        numbers = [sum(len(run.events[name]) for run in self.runs) for name in names]
        luck = -math.inf if bound is None else bound
        luck = max(luck, sum(n * math.log(sum(numbers[names.index(other)] for other in
                                              after[names[code]]) / sum(numbers))
                             for (code, _), n in total.items()))
        table = ', '.join(f'{name!r}: {[*others]!r}' for name, others in after.items())
        words = ['turns({'] + [f'{part}, ' for part in re.split(r'(?<=\]), ', table)]
        words[-1] = words[-1][:-2] + '}, '
        p = Proposal('turns', [*words, f'same={same_text(same)})'], sum(total.values()), luck, SHARES,
                     [drop(name) for name in after])
        p.same, p.after = same, after
        # Before the first event, the state is that after the last event of a round.
        p.initial = next((name for name in reversed(after) if next(iter(after)) in after[name]),
                         list(after)[-1])
        if not self.is_unlikely(p) or not breaks(p, self.runs, names, same):
            return False
        self.found.append(p)
        self.names_of_things.update(itertools.product(names, same))
        return True

    def free_turns(self, names):
        """The events that may come after each one, if there are few of them."""
        if len(self.runs) < RUNS:
            return
        fields = collections.defaultdict(list)
        for name in names:
            for field in self.busiest.events[name].fields:
                if not NO_KEY.search(field):
                    fields[field].append(name)
        for field, of in fields.items():
            if not 3 <= len(of) <= SET_SIZE or any(p.after and p.same == (field,) and
                                                   set(p.after) >= set(of) for p in self.found):
                continue
            self.tried += 1
            counts = self.successions(of, (field,))
            total = sum(counts, collections.Counter())
            if not total or len(total) > len(of) ** 2 * DENSE or min(total.values()) < SOLID or \
               any(set(total) - set(c) for c in counts):
                continue
            begin = self.beginning(of, (field,))
            after = {of[code]: tuple(of[other] for other in range(len(of)) if (code, other) in total)
                     for code in sorted(range(len(of)), key=lambda code: code != begin)}
            if all(after.values()):
                self.automaton(after, (field,), total, of,
                               one_of_hundred(min(behind(total).values())))

    # -- one event

    def single(self):
        for name in itertools.chain.from_iterable(self.systems.values()):
            rows = self.busiest.events[name]
            numbers = [f for f in rows.fields if rows.type(f) != 'text']
            pers = [f for f in rows.fields if not NO_KEY.search(f) and not rows.is_address(f) and
                    distinct(rows, f) <= min(len(rows), GLANCE) / 5]
            for value, of_next in itertools.permutations(numbers, 2):
                self.chain(name, value, of_next,
                           [k for k in reversed(KEYS) if rows.has(k)] + pers + [None])
            for field in numbers:
                self.order(name, field, pers)
            for field in rows.fields:
                if not rows.is_address(field) and (name, field) not in self.names_of_things:
                    self.values(name, field)

    def chain(self, name, value, of_next, pers):
        rows = self.busiest.events[name]
        shares = collections.Counter(rows.column(of_next)[:GLANCE])
        if len(shares) < 3 or not shares.keys() & set(rows.column(value)[:GLANCE]):
            return
        for per in pers:
            if per in (value, of_next):
                continue
            self.tried += 1
            fields = (value, of_next, per) if per else (value, of_next)
            if not self.chain_holds(self.busiest, name, fields, GLANCE):
                continue
            counts = [self.chain_holds(run, name, fields) for run in self.runs]
            if None in counts or not self.in_all(map(len, counts)):
                continue
            luck = 0.0
            for run, seen in zip(self.runs, counts):
                shares = collections.Counter(run.events[name].column(of_next))
                luck += sum(math.log(shares[v] / len(run.events[name])) for v in seen)
            tasks = ', tasks=True' if value.endswith('pid') and of_next.endswith('pid') else ''
            p = Proposal('chain', [f'chain({name!r}, ', f'{value!r}, ', f'{of_next!r}, ',
                                   f'per={per!r}{tasks})'],
                         sum(map(len, counts)), luck, f'if {of_next} had any of its values each time',
                         [drop(name), swap_values(name, value, per)])
            if self.is_unlikely(p) and breaks(p, self.runs, [name], fields):
                self.found.append(p)
                self.names_of_things |= {(name, value), (name, of_next)}
                return

    @staticmethod
    def chain_holds(run, name, fields, limit=None):
        """The values that occur again; None if one does not."""
        before, seen = {}, []
        for _, code, row in run.walk([name], [fields], limit):
            if code == RESET:
                before.clear()
                continue
            now, came, *key = row
            key = key[0] if key else None
            was = before.get(key)
            if was is not None:
                if was != came:
                    return None
                seen.append(came)
            before[key] = now
        return seen

    def order(self, name, field, pers):
        rows = self.busiest.events[name]
        if distinct(rows, field) < 3 or self.is_task(name, field):
            return
        several = any(len(set(run.events[name].column('_cpu'))) > 1 for run in self.runs
                      if run.events[name].has('_cpu'))
        for per in ([None] if several else []) + [f for f in pers if f != field] + \
                [k for k in reversed(KEYS) if rows.has(k)]:
            self.tried += 1
            fields = (field, per) if per else (field, field)
            if self.rises(self.busiest, name, fields, per, GLANCE) is None:
                continue
            risen = [self.rises(run, name, fields, per) for run in self.runs]
            if None in risen or not self.in_all(n for n, _ in risen):
                continue
            p = Proposal('order', [f'in_order({name!r}, ', f'value={field!r}, ', f'per={per!r})'],
                         sum(n for n, _ in risen), sum(luck for _, luck in risen),
                         'if the values came in any order', [swap_values(name, field, per)])
            if self.is_unlikely(p) and breaks(p, self.runs, [name], [f for f in fields if f]):
                self.found.append(p)
                return

    @staticmethod
    def rises(run, name, fields, per, limit=None):
        """(instances, logarithm of the share of their orders that rise), None if one falls."""
        before = {}                             # key: value, how many, how many of this value
        luck, instances = 0.0, 0
        for _, code, (value, key) in ((t, c, row or (None, None)) for t, c, row in
                                      run.walk([name], [fields], limit)):
            if code == RESET:
                luck -= sum(math.lgamma(n + 1) for _, n, _ in before.values())
                before.clear()
                continue
            key = key if per else None
            was = before.get(key)
            if was is None:
                before[key] = value, 1, 1
                continue
            if value < was[0]:
                return None
            instances += 1
            equal = was[2] + 1 if value == was[0] else 1
            luck += math.log(equal)
            before[key] = value, was[1] + 1, equal
        return instances, luck - sum(math.lgamma(n + 1) for _, n, _ in before.values())

    def values(self, name, field):
        if len(self.runs) < RUNS or NO_SET.search(field):
            return
        counts = [collections.Counter(run.events[name].column(field)) for run in self.runs]
        total = sum(counts, collections.Counter())
        if len(total) <= SET_SIZE:
            self.value_set(name, field, counts, total)
        elif self.busiest.events[name].type(field) != 'text':
            self.value_range(name, field, counts, total)

    def value_set(self, name, field, counts, total):
        self.tried += 1
        number, rarest = sum(total.values()), min(total.values())
        if len(total) == 1:
            # A single value may only show that the workload never changes.
            if not ERROR.search(field) or set(total) != {0}:
                return
            luck, null = one_of_hundred(number), 'if one of a hundred were an error'
        else:
            if any(c[value] < SOLID for c in counts for value in total):
                return
            luck, null = missed(rarest, number), 'if there were another one, as rare as the rarest'
        listed = sorted(total, key=lambda v: (isinstance(v, str), v))
        other = 'another' if isinstance(listed[0], str) else self.free_number(name, field, total)
        if other is None:
            return
        words = [f'every({name!r}).', f'has_one_of({field!r}, '] + [f'{v!r}, ' for v in listed]
        words[-1] = words[-1][:-2] + ')'
        self.propose(Proposal('set', words, number, luck, null, [change_value(name, field, other)]),
                     name, field)

    def free_number(self, name, field, values):
        """A number that is not among the values, if the type has one."""
        unsigned = self.busiest.events[name].type(field).startswith('u')
        bits = int(re.sub(r'\D', '', self.busiest.events[name].type(field)))
        most = 2 ** bits - 1 if unsigned else 2 ** (bits - 1) - 1
        return next((n for n in (max(values) + 1, min(values) - 1) if 0 <= n <= most), None)

    def value_range(self, name, field, counts, total):
        kind = self.busiest.events[name].type(field)
        least, most, number = min(total), max(total), sum(total.values())
        self.tried += 1
        # A word with all bits set is -1, not a limit.
        limit = most > SET_SIZE and most not in (2**16 - 1, 2**32 - 1, 2**64 - 1) and (
            most & (most - 1) == 0 or most & (most + 1) == 0 or re.fullmatch('10+', str(most)))
        if limit and least >= 0 and total[most] >= SOLID and all(most in c for c in counts):
            self.propose_range(name, field, number, (1 if least == 1 and total[1] >= SOLID else 0, most),
                               missed(total[most], number),
                               'if a larger one were as frequent as the largest',
                               f'{most}, a round limit, is reached in each recording.')
        elif 0 <= least <= most / 1000 and not kind.startswith('u'):
            highest = 2 ** (int(re.sub(r'\D', '', kind)) - 1) - 1
            self.propose_range(name, field, number, (0, highest), one_of_hundred(number),
                               'if one of a hundred were negative', 'Its type is signed.')

    def propose_range(self, name, field, number, ends, luck, null, note):
        words = [f'every({name!r}).', f'has_values({field!r}, ', f'{ends[0]}, {ends[1]})']
        out = ends[0] - 1 if note.startswith('Its') else ends[1] + 1
        self.propose(Proposal('range', words, number, luck, null,
                              [change_value(name, field, out)], note), name, field)

    def propose(self, p, name, field):
        if self.is_unlikely(p) and breaks(p, self.runs, [name], [field]):
            self.found.append(p)


def behind(successions):
    """How often each event had a next one."""
    return collections.Counter(code for code, _ in successions.elements())


def one_of_hundred(number):
    """The logarithm of the probability that one in a hundred never comes in this number of
    instances."""
    return number * math.log(0.99)


def missed(number, of_all):
    """The logarithm of the probability that a value of this frequency is not seen at all."""
    return of_all * math.log1p(-min(number / of_all, 1 - 1e-9))


# -- the choice of proposals


def alternate_in(after, first, second):
    """Whether an automaton makes these events alternate."""
    def again(event, other):
        seen, new = set(), set(after[event])
        while new:
            seen |= new
            new = {name for one in new - {other} for name in after[one]} - seen
        return event in seen

    return first in after and second in after and \
        not again(first, second) and not again(second, first)


def is_implied(p, others):
    """Whether another expectation implies this one, or two of them do together."""
    if p.kind == 'alternate':
        return any(o.kind == 'turns' and o.same == p.same and alternate_in(o.after, *p.after)
                   for o in others)
    if p.kind not in ('followed', 'after'):
        return False
    first, last, same = p.pair
    alike = {o.pair[:2]: o for o in others if o.kind == p.kind and o.pair[2] == same and o is not p}
    for (begin, middle), o in alike.items():
        rest = alike.get((middle, last))
        if begin == first and rest is not None and \
           (p.kind == 'after' or o.bound + rest.bound <= 2 * p.bound):
            return True
    return False


def proposals(runs):
    """The properties that held in all recordings and can fail, the most informative first."""
    search = Search(runs)
    search.pairs()
    search.single()
    found = []
    for p in search.found:
        p.luck = math.exp(min(0, p.log_luck + math.log(search.tried)))
        p.recordings = len(runs)
        if p.luck <= LUCK and not is_implied(p, search.found):
            found.append(p)
    found.sort(key=lambda p: (max(p.luck, 1e-12), KINDS.index(p.kind), -p.instances))
    return found
