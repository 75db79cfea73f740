# SPDX-License-Identifier: GPL-2.0
"""Who waited for which futex, how often and how long, and who held it meanwhile.  With call chains
in the recording (--call-graph dwarf), also the functions that waited and released, and their
callers.

The kernel has no event for taking a free futex.  But a thread that wakes a waiter has just released
the lock.  So each wait is divided: the part up to each wakeup of this futex belongs to the thread
that woke, and the rest to the last of these. sched:sched_waking has the thread that wakes.  Without
it, a call that may wake and does not return 0 counts as a wakeup."""
import os
import sys

sys.path.append(os.environ['PERF_EXEC_PATH'] +
                '/scripts/python/Perf-Trace-Util/lib/Perf/Trace')

from collections import Counter, defaultdict

from Report import caller_of, cut, no_arguments, one_line, print_table, stack_of, us
from Util import FUTEX_CMD_MASK, nsecs

no_arguments()

LEAST = (5, 2, 3, 7)    # columns that a narrow terminal drops first: avg us, futex, waits, held by
WAITS = (0, 9, 6, 11, 13)       # FUTEX_WAIT, _WAIT_BITSET, _LOCK_PI, _WAIT_REQUEUE_PI, _LOCK_PI2
WAKES = (1, 10, 5, 7, 3, 4, 12)         # FUTEX_WAKE, _WAKE_BITSET, _WAKE_OP, _UNLOCK_PI, _REQUEUE ...
PRIVATE = 128           # FUTEX_PRIVATE_FLAG
STACKS = 10             # number of rows


class Place:
    """A futex with waiters."""

    def __init__(self):
        self.waiting = 0
        self.wakings = []       # (ns, tid of the waker), in this order


comms = {}              # tid: comm
places = defaultdict(Place)     # (pid or None, address)
waiting = {}            # tid: (place, address, since, number of wakings before)
waits = {}              # (tid, address): [ns]
held = defaultdict(Counter)     # (tid, address): {tid of the owner: ns}
callers = {}            # (tid, address): the function that waited last
stacks = {}             # (tid, address): Counter of the stacks that waited
waking = {}             # tid: (stack, place, ns) of a call that may wake
let_go = defaultdict(Counter)   # (tid, address): Counter of the stacks that woke
exact = False           # whether there is sched_waking, with the waker


def place_of(pid, uaddr, op):
    """A futex that is not private can have the same address in several processes."""
    return (pid if op & PRIVATE else None), uaddr


def note_waking(place, now, tid, stack):
    places[place].wakings.append((now, tid))
    if stack:
        let_go[tid, place[1]][stack] += 1


def syscalls__sys_enter_futex(event_name, context, common_cpu, common_secs, common_nsecs,
                              common_pid, common_comm, common_callchain,
                              nr, uaddr, op, val, utime, uaddr2, val3, perf_sample_dict):
    now = nsecs(common_secs, common_nsecs)
    place = place_of(perf_sample_dict['sample']['pid'], uaddr, op)
    if op & FUTEX_CMD_MASK in WAKES:
        comms[common_pid] = common_comm
        stack = stack_of(common_callchain) if caller_of(common_callchain) else ''
        waking[common_pid] = (stack, place, now)
        if not exact and places[place].waiting:
            note_waking(place, now, common_pid, stack)
    if op & FUTEX_CMD_MASK in WAITS:
        comms[common_pid] = common_comm
        begin_wait(common_pid, place, now)
        caller = caller_of(common_callchain)
        if caller:
            callers[common_pid, uaddr] = caller
            stacks.setdefault((common_pid, uaddr), Counter())[stack_of(common_callchain)] += 1


def begin_wait(tid, place, now):
    if tid in waiting:          # the end of its last wait is missing
        places[waiting.pop(tid)[0]].waiting -= 1
    at = places[place]
    if not at.waiting:
        at.wakings.clear()
    at.waiting += 1
    waiting[tid] = (place, place[1], now, len(at.wakings))


def syscalls__sys_exit_futex(event_name, context, common_cpu, common_secs, common_nsecs,
                             common_pid, common_comm, common_callchain, nr, ret):
    if common_pid in waking:
        _, place, when = waking.pop(common_pid)
        # It woke nobody.
        if not exact and ret <= 0 and (when, common_pid) in places[place].wakings:
            places[place].wakings.remove((when, common_pid))
    if common_pid in waiting:
        end_wait(common_pid, nsecs(common_secs, common_nsecs), ret)


def end_wait(tid, now, ret):
    place, uaddr, since, first = waiting.pop(tid)
    at = places[place]
    at.waiting -= 1
    waits.setdefault((tid, uaddr), []).append(now - since)
    begin, holder = since, None
    for when, waker in at.wakings[first:]:
        held[tid, uaddr][waker] += when - begin
        begin, holder = when, waker
    # No task ended a wait that fails.
    held[tid, uaddr][holder if ret == 0 else None] += now - begin


def trace_unhandled(event_name, context, event_fields_dict, perf_sample_dict):
    global exact
    if event_name != 'sched__sched_waking':
        return
    if not exact:
        exact = True
        for place in places.values():
            place.wakings.clear()
        for tid, (place, uaddr, since, _) in waiting.items():
            waiting[tid] = place, uaddr, since, 0
    woken, waker = event_fields_dict['pid'], event_fields_dict['common_pid']
    if woken in waiting and waker in waking:
        note_waking(waiting[woken][0], perf_sample_dict['sample']['time'], waker, waking[waker][0])


def trace_lost(loss):
    places.clear()
    waking.clear()
    waiting.clear()     # a current waiter may have begun a second wait


def most(counter):
    return min(counter, key=lambda item: (-counter[item], str(item)))


def held_by(key):
    """The task that held it longest, its part of the waits, and the number of other owners."""
    known = Counter({tid: ns for tid, ns in held[key].items() if tid is not None and ns})
    if not known:
        return ''
    tid = most(known)
    more = len(known) - 1
    return '%s/%d %.0f%%%s' % (comms[tid], tid, 100 * known[tid] / sum(held[key].values()),
                               ' +%d' % more if more else '')


def print_stacks(order):
    print()
    print('where they waited most often, and where the longest owner released it:')
    for key in order[:STACKS]:
        if key in stacks:
            print()
            print('%s/%d  %x' % (one_line(comms[key[0]]), *key))
            print('    ' + most(stacks[key]))
            tid = most(held[key])
            if (tid, key[1]) in let_go:
                print('  held by %s/%d' % (one_line(comms[tid]), tid))
                print('    ' + most(let_go[tid, key[1]]))


def trace_end():
    order = sorted(waits, key=lambda key: (-sum(waits[key]), key))
    rows = [[comms[tid], tid, '%x' % uaddr, len(waits[tid, uaddr]),
             us(sum(waits[tid, uaddr])), us(sum(waits[tid, uaddr]) / len(waits[tid, uaddr])),
             us(max(waits[tid, uaddr])), held_by((tid, uaddr))] for tid, uaddr in order]
    header = ['comm', 'tid', 'futex', 'waits', 'total us', 'avg us', 'max us', 'held by']
    widths = [16, 8, 16, 8, 13, 11, 11, 28]
    if callers:
        header, widths = header + ['function'], widths + [24]
        rows = [row + [cut(callers.get(key, ''), 32)] for row, key in zip(rows, order)]
    print_table('futex waits, the longest total first:', header, widths, rows, LEAST)
    if any(' +' in row[7] for row in rows):
        print()
        print('held by: the owner for the longest part of the waits, and that part;')
        print('+2: two other tasks held it for the rest.')
    if callers:
        print_stacks(order)
    if rows and not callers:
        print()
        print('The functions that waited are known if their call chains are recorded:')
        print('put --call-graph auto behind futex-contention.')
    if rows and not exact:
        print()
        print('The recording has no sched:sched_waking, so who held a futex is taken from who called.')
    if waiting:
        print()
        print('%d still waited when the recording ended' % len(waiting))
