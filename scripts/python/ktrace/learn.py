# SPDX-License-Identifier: GPL-2.0
"""Properties of all of several good recordings, as expectations to edit and to test others with.

    python3 -m ktrace.learn good1.data good2.data ... [-o expectations.py] [--dot DIR]

Each proposal has the number of instances, the probability of a coincidence, and a change of a
recording that breaks it. That change is made in memory and judged by ktrace.expect: an expectation
that cannot fail is not proposed. ktrace-check(1), LEARNING EXPECTATIONS, has the statistics."""

import argparse
import os
import re
import sys

import ktrace
from ktrace import expect
from ktrace.expect_machine import file_name, refuse_existing, words_of, write_all
from ktrace.learn_kinds import proposals
from ktrace.learn_rows import Run

MOST = 40                   # number of proposals
FEW = 3                     # fewer recordings say little about the next one
WIDTH = 98


def read_runs(paths):
    """The recordings, reduced to the events and fields that all of them have."""
    refuse_twice(paths)
    runs = [read_run(path) for path in paths]
    common = set.intersection(*(set(run.events) for run in runs))
    if not common:
        raise expect.Mistake(nothing_common(runs))
    for run in runs:
        run.events = {name: run.events[name] for name in runs[0].events if name in common}
    for name in runs[0].events:
        shared_fields([run.events[name] for run in runs])
    return runs


def refuse_twice(paths):
    """The same recording twice would look like more evidence."""
    seen = {}
    for path in paths:
        other = seen.setdefault(os.path.realpath(path), path)
        if other is not path:
            raise expect.Mistake(f'{path} is the same recording as {other}, which says nothing more.\n'
                                 '  Each recording has to be of another run.')


def shared_fields(same_event):
    """Leave only fields that an event has in all recordings, as a number or as a text."""
    for field in list(same_event[0].fields):
        if any(field not in rows.fields for rows in same_event) or \
           len({rows.type(field) == 'text' for rows in same_event}) > 1:
            for rows in same_event:
                rows.fields = [f for f in rows.fields if f != field]
    for rows in same_event:
        rows.fields = [f for f in same_event[0].fields if f in rows.fields]


def that_hold(found, paths):
    """The proposals without a violation by ktrace.expect in any of the recordings. There may be one
    for events of the same time, whose order is unknown."""
    for path in paths:
        judge = expect.Judge([p.expectation() for p in found])
        with ktrace.open(path) as recording:
            expect.judge_recording(judge, recording)
        found = [p for p, e in zip(found, judge.expectations) if e not in judge.violations]
    return found


def read_run(path):
    if not os.path.exists(path):
        raise expect.Mistake(f'There is no recording {path}.\n'
                             "  'ktrace record -e mydrv -o FILE -- COMMAND' makes one.")
    with ktrace.open(path) as recording:
        lost = recording.summary()['lost']
        if lost is None:
            raise expect.Mistake(f'{path} was cut off, so nobody knows what it lacks.\n'
                                 '  Record it again: what is missing must not be learned.')
        return Run(path, recording, lost)


def nothing_common(runs):
    for run in runs:
        if not run.events:
            return (f'{run.path} has no samples of tracepoints, from which something could be '
                    "learned.\n  Record them with 'ktrace record -e SYSTEM'.")
    had = '\n'.join(f'  {run.path} has {", ".join(sorted(run.events)[:8])}.' for run in runs)
    return f'No event is in all of the recordings, so nothing can have held in all of them.\n{had}'


def warnings(runs):
    """Sentences about weaknesses of the proposals."""
    if len(runs) < FEW:
        one = len(runs) == 1
        yield (f'{"One recording shows" if one else "Two recordings show"} how often something held '
               f'in {"it" if one else "them"}, but not whether the next one is alike: sets of values, ranges '
               f'and tight bounds are not proposed. Give {FEW} or more, better 5')
    for run in runs:
        if run.lost:
            yield (f'{run.path} lost {run.lost} records: what spans these places is unknown, and is '
                   'counted as nothing')


def luck_text(luck):
    return 'below 1e-12' if luck < 1e-12 else f'{luck:.0e}'


def comment(text):
    """Lines of a comment inside EXPECT."""
    line, lines = '    #', []
    for word in text.split():
        if len(line) + 1 + len(word) > WIDTH:
            lines.append(line)
            line = '    #'
        line += ' ' + word
    return lines + [line]


def entry_lines(proposal, number):
    held = (f'{number}. It held {proposal.instances} times in {proposal.recordings} '
            f'recording{"s" if proposal.recordings > 1 else ""}; luck: {luck_text(proposal.luck)}'
            f' ({proposal.null}).')
    lines = comment(held)
    if proposal.note:
        lines += comment(proposal.note)
    lines += comment('It fails ' + proposal.mutation + '.')
    return lines + proposal.code_lines('    ') + ['']


IMPORTS = ('alternate', 'chain', 'every', 'in_order', 'turns')


def program_text(paths, found, left_out, said):
    used = [name for name in IMPORTS if any(re.match(rf'{name}\(', p.code) for p in found)]
    lines = [f'# What held in all of {len(paths)} recordings, by ktrace check --learn. Edit it: what has',
             '# held may still be no rule, and what you know to be wrong should go.',
             '#', '# Learned from:']
    lines += [f'#   {path}' for path in paths]
    if left_out:
        lines += ['#', f'# {left_out} less telling ones are left out.']
    for sentence in said:
        lines += ['#'] + [line.replace('    #', '#', 1) for line in comment(sentence + '.')]
    lines += ['', f'from ktrace.expect import {", ".join(used)}', '', 'EXPECT = [']
    for number, proposal in enumerate(found, 1):
        lines += entry_lines(proposal, number)
    if not lines[-1]:
        lines.pop()
    return '\n'.join(lines + [']']) + '\n'


def dot_text(proposal):
    """The automaton in the format of the kernel's runtime verification: a state is the last event,
    and monitoring begins in the state before the first event."""
    word = words_of(proposal.after)
    state = {event: 'after_' + word[event] for event in word}
    initial = state[proposal.initial]
    order = sorted(proposal.after, key=state.get)
    lines = ['digraph state_automaton {',
             f'\t// One automaton for each {", ".join(proposal.same)}; learned by ktrace check.',
             '\tcenter = true;', '\tsize = "7,11";',
             f'\t{{node [shape = plaintext, style=invis, label=""] "__init_{initial}"}};',
             f'\t{{node [shape = doublecircle] "{initial}"}};']
    lines += [f'\t{{node [shape = circle] "{state[e]}"}};' for e in order if state[e] != initial]
    lines.append(f'\t"__init_{initial}" -> "{initial}";')
    for event in order:
        lines.append(f'\t"{state[event]}" [label = "{state[event]}"];')
        for other in proposal.after[event]:
            lines.append(f'\t"{state[event]}" -> "{state[other]}" [ label = "{word[other]}" ];')
    return '\n'.join(lines + ['\t{ rank = min ;', f'\t\t"__init_{initial}";',
                              f'\t\t"{initial}";', '\t}', '}']) + '\n'


def binding_text(proposal):
    """The tracepoints of the automaton's events, and how its state becomes known."""
    same = proposal.same
    key = {('_cpu',): 'cpu', ('_tid',): 'task'}.get(same, 'fields')
    word = words_of(proposal.after)
    lines = ['# Of ktrace check --learn.',
             f'description {proposal.expectation().text}', f'key {key}']
    for event in proposal.after:
        line = f'event {word[event]} = {event}'
        if key == 'fields':
            line += f' by {",".join(same)}'
        if event == proposal.initial:
            line += ' starts after'
        elif [e for e in proposal.after if event in proposal.after[e]] == [proposal.initial]:
            line += ' starts before'
        lines.append(line)
    return '\n'.join(lines) + '\n'


def learn(arguments):
    if arguments.output:
        refuse_existing(arguments.output)
    runs = read_runs(arguments.files)
    said = list(warnings(runs))
    for sentence in said:
        print(f'ktrace.learn: warning: {sentence}.', file=sys.stderr)
    found = proposals(runs)
    shown = that_hold(found[:MOST], arguments.files)
    if not shown:
        raise expect.Mistake('Nothing held often enough in all of the recordings that luck is no '
                             'explanation.\n  Longer recordings, or more of them, may show more.')
    texts = {}
    program = program_text(arguments.files, shown, max(0, len(found) - MOST), said)
    if arguments.output:
        texts[arguments.output] = program
    if arguments.dot:
        taken = set()
        for proposal in shown:
            if proposal.after:
                path = os.path.join(arguments.dot, file_name(proposal.after, proposal.same, taken))
                texts[path + '.dot'] = dot_text(proposal)
                texts[path + '.binding'] = binding_text(proposal)
        for path in texts:
            refuse_existing(path)
    write_all(texts)
    if not arguments.output:
        print(program, end='')
    return 0


def main(argv=None):
    parser = argparse.ArgumentParser(prog='python3 -m ktrace.learn', description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('-o', '--output', metavar='FILE',
                        help='write the expectations to FILE (standard output)')
    parser.add_argument('--dot', metavar='DIR', help='write automata to files in DIR, too')
    parser.add_argument('files', nargs='+', metavar='RECORDING')
    with expect.ending_signals_raise():
        return learn(parser.parse_args(argv))


if __name__ == '__main__':
    try:
        sys.exit(main())
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(1)
    except (expect.Mistake, OSError, RuntimeError, ValueError) as error:
        print(f'ktrace.learn: {expect.sentence(error)}', file=sys.stderr)
        sys.exit(2)
