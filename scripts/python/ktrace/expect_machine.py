# SPDX-License-Identifier: GPL-2.0
"""Expectations as machines: automata and bindings as in ktrace check --monitor, which are judged in
C.

A machine that is not exact finds all violations of its expectation, and possibly more. So if it
finds none, there are none."""

import contextlib
import os
import re
import tempfile

from ktrace import expect

NAME = re.compile(r'[A-Za-z_]\w*:[A-Za-z_]\w*')
COMMON = '_cpu', '_tid', '_pid'             # in each record, beside the fields of the event
STATES = 64                                 # of a machine, at most
# Bits of a value without its sign, for signed and unsigned types of the kernel.
SIGNED = {'s8': 7, 's16': 15, 's32': 31, 's64': 63, 'short': 15, 'int': 31, 'long': 31, 'pid_t': 31,
          'long long': 63, 'ssize_t': 31, 'loff_t': 63}
UNSIGNED = {'u8': 8, 'u16': 16, 'u32': 32, 'u64': 63, 'unsigned char': 8, 'unsigned short': 16,
            'unsigned int': 32, 'unsigned': 32, 'unsigned long': 32, 'unsigned long long': 63,
            'dev_t': 32, 'sector_t': 32, 'size_t': 32, 'gfp_t': 32}


class Refusal(Exception):
    """The reason why something is not a machine, as the rest of a sentence."""


def words_of(events):
    """Names of events that fit into C's structures: without the system, if that is unique."""
    words = {event: re.sub(r'\W', '_', event.split(':')[-1]) for event in events}
    if len(set(words.values())) < len(words):
        words = {event: re.sub(r'\W', '_', event) for event in events}
    if len(set(words.values())) < len(words):
        words = {event: f'{word}_{n}' for n, (event, word) in enumerate(words.items(), 1)}
    return words


class Machine:
    """An automaton with the tracepoints of its events. States are in the order of `state`; the
    first one is that of a new key."""

    exact = True

    def __init__(self, text, *states):
        self.text, self.states = text, list(states)
        self.sources = []                       # (event, tracepoint, fields of the key, starts, filter)
        self.edges = {}                         # (state, event): (next state, whether it resets clk)
        self.limits = {}                        # state: ns after which it must end
        self.shows = set()                      # (state, event): the expectation was met
        self.least = self.most = None           # number of transitions
        self.always = False                     # whether a machine without any event is judged
        self.enabled = False                    # whether events count only after all were enabled
        self.begins = None                      # a machine: each of its keys begins with a violation here

    def source(self, event, tracepoint, same, starts='before', condition=None):
        if not NAME.fullmatch(tracepoint):
            raise Refusal(f'{tracepoint} is no name that an event of a machine can have')
        self.sources.append((event, tracepoint, tuple(same), starts, condition))

    def edge(self, state, event, after, reset=False, shows=False):
        self.edges[state, event] = after, reset
        if shows:
            self.shows.add((state, event))

    @property
    def key(self):
        """The fields of a key, as in the last event."""
        return self.sources[-1][2]

    def remark(self):
        """A note about facts that are not in its .dot file."""
        if self.begins:
            return ' (what comes first violates it)'
        if not self.exact:
            return ' (it may find violations that are none)'
        if self.least:
            return f' (without the least number, {self.least})'
        if self.most is not None and len(self.states) <= self.most:
            return f' (without the greatest number, {self.most})'
        return ''

    def dot(self):
        first = self.states[0]
        lines = ['digraph state_automaton {',
                 f'\t{{node [shape = plaintext, style=invis, label=""] "__init_{first}"}};',
                 f'\t{{node [shape = doublecircle] "{first}"}};']
        lines += [f'\t{{node [shape = circle] "{state}"}};' for state in self.states[1:]]
        lines.append(f'\t"__init_{first}" -> "{first}";')
        for state in self.states:
            limit = f'\\nclk < {self.limits[state]}ns' if state in self.limits else ''
            lines.append(f'\t"{state}" [label = "{state}{limit}"];')
            for other in self.states:
                labels = [event + (';reset(clk)' if reset else '')
                          for (before, event), (after, reset) in self.edges.items()
                          if (before, after) == (state, other)]
                if labels:
                    lines.append(f'\t"{state}" -> "{other}" [ label = "' + '\\n'.join(labels) + '" ];')
        return '\n'.join(lines + ['\t{ rank = min ;', f'\t\t"__init_{first}";', f'\t\t"{first}";',
                                  '\t}', '}']) + '\n'

    def binding(self):
        keyed = any(same for _, _, same, _, _ in self.sources)
        lines = [f'description {self.text}', f'key {"fields" if keyed else "none"}']
        for event, tracepoint, same, starts, condition in self.sources:
            lines.append(f'event {event} = {tracepoint}' + (f' by {",".join(same)}' if same else '') +
                         (f' starts {starts}' if starts else '') +
                         (f' if {condition}' if condition else ''))
        return '\n'.join(lines) + '\n'

    def refuse_unknown_fields(self, events):
        """A Refusal if a field of a key is missing in the event; `events` has the recorded ones."""
        for _, tracepoint, same, _, _ in self.sources:
            fields = events.get(tracepoint)
            if fields is None:
                raise Refusal(f'{tracepoint} was not recorded')
            for name in same:
                if name not in fields and name not in COMMON:
                    raise Refusal(f'{name} of {tracepoint} is no field that a key can have')

    def verdict(self, result, *begins):
        """'ok', 'violated' or 'unknown', how often the expectation was met, and why not more is
        known (or None). The arguments are results of Recording.judge() for it, and for self.begins.
        """
        if 'error' in result:
            return 'unknown', 0, reason_of(result['error'])
        for begin in begins:
            result = {**result, 'violations': result['violations'] - begin['keys'],
                      'refused': result['refused'] + begin['refused']}
        taken = result['taken_enabled' if self.enabled else 'taken']
        judged = 1 if self.always else sum(taken.get(pair, 0) for pair in self.shows)
        if self.exact and result['proven'] and not result['left_out'] and not (
                result['missed'] and result['inversions']):
            return 'violated', judged, None
        doubt = self.doubt(result)
        if not doubt and self.enabled and not judged:
            doubt = 'some events may not have been enabled when others came'
        return 'unknown' if doubt else 'ok', judged, doubt

    def doubt(self, result):
        """Why it is unknown whether there is no violation; None: there is none."""
        if result['missed']:
            return 'events were lost'
        if result['refused']:
            return 'there are too many keys'
        if result['against_time']:
            return f'{number_of(result["against_time"], "event")} may have come before others of the same time'
        if result['violations']:
            return f'its machine finds {number_of(result["violations"], "violation")}, which may be none'
        if result['lost']:
            return f'what happened is not known for {number_of(result["lost"], "key")}'
        number = sum(result['taken'].values())
        if (self.least is not None and number < self.least or
                self.most is not None and number > self.most):
            return f'there are {number}'
        return None


def reason_of(error):
    """An error's sentence as the rest of another one, without a location in the generated text."""
    error = re.sub(r'^\w+:\d+: ', '', error).removesuffix(':')
    return re.sub(r'^(?:The|A|An) ', lambda m: m[0].lower(), error)


def number_of(number, word):
    return f'{number} {word}{"" if number == 1 else "s"}'


def followed_by(e):
    """A deadline is that of a state in which the second event has to come."""
    machine = Machine(e.text, 'idle', 'waiting')
    one = e.first == e.second and e.same == e.of_second
    words = words_of((e.first, e.second))
    first, second = words[e.first], words[e.second]
    if e.first == e.second:
        first, second = (first, first) if one else (first + '_first', first + '_second')
    if not one:
        machine.source(second, e.second, e.of_second, None)
    machine.source(first, e.first, e.same)
    timed = e.within is not None
    machine.edge('idle', first, 'waiting', reset=timed)
    if one:
        machine.edge('waiting', first, 'waiting', reset=timed, shows=True)
    else:
        machine.edge('idle', second, 'idle')
        machine.edge('waiting', first, 'waiting')
        machine.edge('waiting', second, 'idle', shows=True)
    if timed:
        if e.within < 0:
            raise Refusal('its time is below 0')
        machine.limits['waiting'] = e.within + 1
    return machine


def turns(e, forgiven=(), but=None):
    """A state is the last event. `forgiven`: events that may follow themselves. `but`: a filter for
    events behind which all may come."""
    words = words_of(e.after)
    machine = Machine(e.text, 'begin', *(f'after_{word}' for word in words.values()))
    machine.enabled = True
    for event, word in words.items():
        machine.source(word, event, e.same, condition=f'!({but})' if but else None)
        machine.edge('begin', word, f'after_{word}')
        if but:
            machine.source(word + '_but', event, e.same, condition=but)
            for state in machine.states:
                machine.edge(state, word + '_but', 'begin')
    for event, others in e.after.items():
        for other in dict.fromkeys((*others, *((event,) if event in forgiven else ()))):
            machine.edge(f'after_{words[event]}', words[other], f'after_{words[other]}', shows=True)
    return machine


def alternate(e):
    if e.but is not None and e.but_condition is None:
        raise Refusal('a condition in Python says after which events either may come')
    if re.search('[/%]', e.but_condition or ''):
        raise Refusal('a division by 0 has no result')
    machine = turns(e, () if e.same_cpu else list(e.after)[1:], e.but_condition)
    machine.exact = not e.uses_tasks
    return machine


def comes_after(e):
    """The first event may have come before the recording, so Python judges the violations again."""
    machine = Machine(e.text, 'none', 'open')
    words = words_of((e.first, e.second))
    first, second = words[e.first], words[e.second]
    if e.first == e.second:
        first, second = first + '_first', first + '_second'
    machine.source(second, e.second, e.same)
    machine.source(first, e.first, e.of_first)
    machine.edge('none', first, 'open')
    machine.edge('open', first, 'open')
    machine.edge('open', second, 'none', shows=True)
    machine.exact = False
    return machine


def refuse_condition(e, fields):
    """A Refusal if a filter may compare in another way than Python."""
    if re.search('[/%]', e.filter):
        raise Refusal('a division by 0 has no result')
    if e.filter_field is None:
        return
    if e.filter_field not in fields:
        raise Refusal(f'{e.filter_field} is no field of {e.events[0]}')
    kind = fields[e.filter_field].replace('__', '')
    least, most = -(1 << SIGNED[kind]) if kind in SIGNED else 0, 1 << SIGNED.get(kind, UNSIGNED.get(kind, 7))
    for number in re.findall(r' (-?\d+)', e.filter):
        if not least <= int(number) < most:
            raise Refusal(f'{number} is no value of {e.filter_field}')


def has(e):
    if e.filter is None:
        raise Refusal('a condition in Python judges each event')
    event, = e.events
    word = words_of(e.events)[event]
    machine = Machine(e.text, 'good')
    machine.source(word, event, ('_cpu',), condition=e.filter)
    machine.source(word + '_bad', event, ('_cpu',), condition=f'!({e.filter})')
    machine.edge('good', word, 'good', shows=True)
    # No edge leads from here: a machine does not know events without an edge.
    machine.states.append('bad')
    machine.edge('bad', word + '_bad', 'bad')
    return machine


def order(e):
    """The machine has no violations. Events against the order of time make the verdict unknown."""
    if e.value != '_time':
        raise Refusal('a machine keeps no value of an event')
    event, = e.events
    word = words_of(e.events)[event]
    machine = Machine(e.text, 'begin', 'again')
    machine.source(word, event, (e.per,) if e.per else ())
    machine.edge('begin', word, 'again')
    machine.edge('again', word, 'again', shows=True)
    return machine


def chain(e):
    """A key is a value: it has come, and then it is gone. At the first break of the chain, the
    value that is gone has not come. Only the first event of all may be like that."""
    event, = e.events
    word = words_of(e.events)[event]
    per = (e.per,) if e.per else ()
    machine = Machine(e.text, 'gone', 'come')
    machine.source(word + '_goes', event, (*per, e.of_next))
    machine.source(word + '_comes', event, (*per, e.value))
    machine.edge('gone', word + '_comes', 'come')
    machine.edge('come', word + '_goes', 'gone', shows=True)
    machine.exact = False
    machine.begins = Machine(e.text, 'seen')
    machine.begins.source(word, event, per)
    machine.begins.edge('seen', word, 'seen')
    return machine


def count(e):
    """A state for each number, up to a limit. Above it, the number is checked at the end."""
    event, = e.events
    word = words_of(e.events)[event]
    if e.most and e.most < STATES:
        machine = Machine(e.text, *(f'number_{n}' for n in range(e.most + 1)))
        machine.source(word, event, ())
        for n in range(e.most):
            machine.edge(f'number_{n}', word, f'number_{n + 1}')
    else:
        machine = Machine(e.text, 'counted')
        machine.source(word, event, ('_cpu',))
        machine.edge('counted', word, 'counted')
    machine.least, machine.most, machine.always = e.least, e.most, True
    return machine


def machine_of(e):
    """The machine of an expectation. Raises a Refusal."""
    kinds = {expect.FollowedBy: followed_by, expect.Turns: turns, expect.Alternate: alternate,
             expect.ComesAfter: comes_after, expect.Has: has, expect.Order: order,
             expect.Count: count, expect.Chain: chain, expect.TaskChain: chain}
    if type(e) not in kinds:
        raise Refusal('it is a class of Python of its own')
    machine = kinds[type(e)](e)
    if len(machine.states) > STATES:
        raise Refusal(f'a machine has {STATES} states at most')
    return machine


def file_name(events, same, taken):
    """'start_done_by_id', a name that also fits into C's structures; different from those in
    `taken`."""
    name = '_'.join(event.split(':')[-1] for event in list(dict.fromkeys(events))[:3])
    if same:
        name += f'_by_{"_".join(field.strip("_") for field in same)}'
    number, base = 1, re.sub(r'\W', '_', name)
    name = base
    while name in taken:
        number += 1
        name = f'{base}_{number}'
    taken.add(name)
    return name


def refuse_existing(path):
    if os.path.lexists(path):
        raise expect.Mistake(f'{path} exists, and what you have edited is not overwritten.\n'
                             '  Name another file with -o, or remove it.')


def write_all(texts):
    """Write all files or none: {path: text}. Folders are created."""
    written = []
    try:
        for path, text in texts.items():
            folder = os.path.dirname(path) or '.'
            os.makedirs(folder, exist_ok=True)
            with tempfile.NamedTemporaryFile('w', dir=folder, prefix='.ktrace-check-',
                                             delete=False) as f:
                written.append((f.name, path))
                f.write(text)
        mask = os.umask(0)
        os.umask(mask)
        while written:
            os.chmod(written[0][0], 0o666 & ~mask)
            os.rename(*written[0])
            del written[0]
    finally:
        for temporary, _ in written:
            with contextlib.suppress(FileNotFoundError):
                os.unlink(temporary)


def write_machines(expectations, folder):
    """Write each as NAME.dot and NAME.binding. Prints a line for each expectation."""
    texts, taken, said = {}, set(), []
    for number, e in enumerate(expectations, 1):
        try:
            machine = machine_of(e)
        except Refusal as refusal:
            said.append(f'{number} - {e.text}: none, as {refusal}')
            continue
        path = os.path.join(folder, file_name(e.events, machine.key, taken))
        texts[path + '.dot'], texts[path + '.binding'] = machine.dot(), machine.binding()
        said.append(f'{number} - {e.text}: {path}.dot{machine.remark()}')
    if not texts:
        raise expect.Mistake('None of the expectations is a machine.\n  ' + '\n  '.join(said))
    for path in texts:
        refuse_existing(path)
    write_all(texts)
    print('\n'.join(said))


def judge(expectations, recording):
    """[(verdict, how often, reason)], one for each, of a recording that can be read again."""
    found, machines = {}, {}
    events = recording.events
    for n, e in enumerate(expectations):
        try:
            machine = machine_of(e)
            machine.refuse_unknown_fields(events)
            if e.filter:
                refuse_condition(e, events[e.events[0]])
            machines[n] = machine
        except Refusal as refusal:
            found[n] = 'unknown', 0, str(refusal), None
    texts = [(f'expectation_{n + 1}', m.dot(), m.binding()) for n, machine in machines.items()
             for m in (machine, machine.begins) if m]
    results = iter(recording.judge(texts) if texts else ())
    for n, machine in machines.items():
        several = [next(results) for m in (machine, machine.begins) if m]
        found[n] = *machine.verdict(*several), (several[0].get('shown') or [None])[0]
    return [found[n] for n in range(len(expectations))]
