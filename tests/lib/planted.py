# SPDX-License-Identifier: GPL-2.0
"""The defects that tests/torture/host/45-planted plants into the module."""

import os

# (name, file, text, replacement, the program that notices it); the program is the first word
DEFECTS = [
    ('a loss more than there was, once', 'capture/ledger.c', 'local_inc(&loss->lost);',
     'if (local_inc_return(&loss->lost) == 7)\n\t\tlocal_inc(&loss->lost);', 'loss'),
    ('a loss that is not counted, once', 'capture/ledger.c', 'local_inc(&loss->lost);',
     'if (local_inc_return(&loss->lost) == 7)\n\t\tlocal_dec(&loss->lost);', 'loss'),
    ('a loss that is told nowhere, once', 'capture/ledger.c',
     'if (local_inc_return(&loss->unplaced) == 1)',
     'if (local_read(&loss->lost) != 7 && local_inc_return(&loss->unplaced) == 1)', 'loss'),
    ('rejected events that are not counted', 'capture/record.c',
     '!ktrace_filter_run(event->filter, raw, size)) {\n\t\tlocal_inc(&ec->probe.filtered);',
     '!ktrace_filter_run(event->filter, raw, size)) {\n\t\t;', 'loss'),
    ('a record more than is in the ring, once', 'capture/store.h',
     'local_inc(&ec->recorded);\n\tktrace_ring_commit_sample(ring, sample->time,',
     'if (local_inc_return(&ec->recorded) == 7)\n\t\tlocal_inc(&ec->recorded);\n'
     '\tktrace_ring_commit_sample(ring, sample->time,', 'loss'),
    ('now and then a record with a call chain more than is in the ring', 'capture/end.c',
     'local_inc(&ec->recorded);\n\tktrace_ring_commit_sample(ring, time,',
     'if (local_inc_return(&ec->recorded) % 64 == 7)\n\t\tlocal_inc(&ec->recorded);\n'
     '\tktrace_ring_commit_sample(ring, time,', 'loss by template'),
    ('call chains before which losses are not told', 'capture/end.c',
     'if (unlikely(READ_ONCE(ec->attention) || whole > ec->max_size ||',
     'if (unlikely(whole > ec->max_size ||', 'loss by template'),
    ('weight that is lost with its record', 'capture/store.c',
     'ktrace_sampling_return(&ec->sampling, period - own_period);', ';', 'sampling'),
    ('a child that is not followed', 'filter/scope.c',
     'if (test_bit(parent, tasks->recorded))\n\t\tset_bit(pid, tasks->recorded);', ';',
     'scope'),
    ('a number used again that is still recorded', 'filter/scope.c',
     'else if (unlikely(has_bits(tasks, pid)))', 'else if (0)', 'scope'),
    ('a comparison the wrong way round', 'filter/filter_jit.c', 'return is_signed ? BPF_JSLT : BPF_JLT;',
     'return is_signed ? BPF_JSLE : BPF_JLE;', 'filter'),
    ('a number of a sample that is left out, once', 'ring/ring.c', 'ring->samples++;',
     'if (++ring->samples == 7)\n\t\t\t\tring->samples++;', 'order'),
    ('data pages that can be made writable', 'ring/ring.c',
     'nr = ring->nr_pages;\n\t\tclear |= VM_MAYWRITE;', 'nr = ring->nr_pages;', 'mapping'),
    ('events that recording itself fires and that are recorded', 'probes/ktrace/probe.h',
     'if (unlikely(inside && ktrace_guard_level(inside) >= ktrace_guard_level(count)))',
     'if (0)', 'recursion'),
    ('events that recording itself fires and that are not counted', 'capture/begin.c',
     'ktrace_ledger_miss(event, ec, KTRACE_LOST_RECURSION);\n\t\tgoto err_enable;', 'goto err_enable;',
     'recursion'),
    ('events that recording itself fires and that are counted for another reason', 'capture/begin.c',
     'ktrace_ledger_miss(event, ec, KTRACE_LOST_RECURSION);\n\t\tgoto err_enable;',
     'ktrace_ledger_miss(event, ec, KTRACE_LOST_NESTED);\n\t\tgoto err_enable;', 'recursion'),
    ('a scope that is freed before the probes that ask it have ended', 'session/session.c',
     'wait_for_captures();\n\n'
     '\txa_for_each(&session->events, i, event)\n\t\tevent->ops->destroy(event);\n'
     '\tktrace_scope_deinit(&session->scope);',
     'xa_for_each(&session->events, i, event)\n\t\tevent->ops->destroy(event);\n'
     '\tktrace_scope_deinit(&session->scope);\n'
     '\twait_for_captures();', 'lifecycle'),
]

# Changes that make a defect show each time that would show once in thousands of rounds: {program:
# [(file, text, replacement)]}, also in the module without the defect. A probe reads the conditions
# of a scope 50 milliseconds after it has begun, so that a probe is in this window for nearly all of
# its time. It warns if the conditions have been freed by then.
AMPLIFIED = {
    'lifecycle': [
        ('filter/scope.c', '#include <linux/cgroup.h>',
         '#include <linux/cgroup.h>\n#include <linux/delay.h>'),
        ('filter/scope.c', 'memcpy(comm, current->comm, sizeof(comm));',
         'memcpy(comm, current->comm, sizeof(comm));\n'
         '\tif (in_task() && !irqs_disabled())\n\t\tmdelay(50);\n'
         '\tif (WARN_ON(READ_ONCE(conditions->nr_comms) == U32_MAX))\n\t\treturn false;'),
        ('filter/scope.c', '\tkfree(conditions);\n}',
         '\tWRITE_ONCE(conditions->nr_comms, U32_MAX);\n}'),
    ],
}


def replaced(source, text, becomes):
    """(the source with the text replaced, None), or (None, why it could not be)."""
    if source.count(text) != 1:
        return None, 'it has "%s" %d times' % (text, source.count(text))
    return source.replace(text, becomes), None


def plant(kmod, name, text, becomes):
    """Why it could not be; None: it is."""
    path = os.path.join(kmod, name)
    with open(path) as f:
        source, why = replaced(f.read(), text, becomes)
    if why:
        return f'{name}: {why}'
    with open(path, 'w') as f:
        f.write(source)
    return None


def why_not(kmod, defect):
    """Why a defect could not be planted into these sources; None: it could."""
    _, name, text, becomes, program = defect
    sources = {}
    for name, text, becomes in [(name, text, becomes), *AMPLIFIED.get(program, [])]:
        if name not in sources:
            with open(os.path.join(kmod, name)) as f:
                sources[name] = f.read()
        sources[name], why = replaced(sources[name], text, becomes)
        if why:
            return f'{name}: {why}'
    return None
