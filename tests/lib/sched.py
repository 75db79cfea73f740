# SPDX-License-Identifier: GPL-2.0
"""Shared by tests of `ktrace sched`: the tables of perf and ktrace as rows, and counts of the same
events by hand."""
import collections
import re
import subprocess

from tap import diag, is_, ok

ROW = re.compile(r'  (.*):(\(?\d+\)?) +\|\s*([\d.]+) ms \|\s*(\d+) \| avg:\s*([\d.]+) ms '
                 r'\| max:\s*([\d.]+) ms \| max start:\s*([\d.]+) s \| max end:\s*([\d.]+) s$')
EVENT = re.compile(r'\s*(-?\d+) \[(\d+)\]\s+(\d+)\.(\d+):\s+sched:(\w+): (.*)')
SWITCH = re.compile(r'prev_comm=.* prev_pid=(\d+) prev_prio=-?\d+ prev_state=(\S+) ==> '
                    r'next_comm=.* next_pid=(\d+) |.*:(\d+) \[-?\d+\] (\S+) ==> .*:(\d+) \[')


def output(*words):
    return subprocess.run(words, capture_output=True, text=True, errors='replace',
                          check=True).stdout


def latency_rows(text):
    """{(name, tid or (number)): the other columns}"""
    found = (ROW.match(line) for line in text.splitlines())
    return {(m[1], m[2]): m.groups()[2:] for m in found if m}


def total(text):
    m = re.search(r'TOTAL: +\|\s*([\d.]+) ms \|\s*(\d+) \|', text)
    return float(m[1]), int(m[2])


def events(ktrace, file):
    """(cpu, ns, name, text, tid) of each event of the scheduler."""
    text = output(ktrace, 'script', '--ns', '-F', 'tid,cpu,time,event,trace', '-i', file)
    for m in map(EVENT.match, text.splitlines()):
        if m:
            yield int(m[2]), int(m[3]) * 10 ** 9 + int(m[4]), m[5], m[6], int(m[1])


def switch(text):
    """(prev tid, state, next tid)"""
    m = SWITCH.match(text)
    prev, state, after = m.groups()[:3] if m[1] else m.groups()[3:]
    return int(prev), state, int(after)


def delays_by_hand(ktrace, file):
    """Four results: {tid: [ns, ...]} of the waits for a CPU; {tid: ns that it ran}; the tids for
    which perf 6.1 is wrong; and the tids for which it may be wrong. It takes preempted tasks (R+)
    for sleeping ones, and a task that it first sees run for one that waits to run."""
    state, since, preempted, ran_first = {}, {}, set(), set()
    delays, runtime = collections.defaultdict(list), collections.Counter()
    for _, time, name, text, _ in events(ktrace, file):
        if name == 'sched_switch':
            prev, why, after = switch(text)
            state[prev], since[prev] = ('R' if why[0] == 'R' else 'S'), time
            if why == 'R+':
                preempted.add(prev)
            if state.get(after, 'R') == 'R':
                delays[after].append(time - since.get(after, time))
            state[after] = 'running'
        elif name in ('sched_waking', 'sched_wakeup', 'sched_wakeup_new'):
            tid = int(re.search(r'(?:pid=|:)(\d+) (?:prio=|\[)', text)[1])
            if state.get(tid, 'S') == 'S':
                state[tid], since[tid] = 'R', time
        elif name == 'sched_stat_runtime':
            m = re.search(r'pid=(\d+) runtime=(\d+)', text)
            runtime[int(m[1])] += int(m[2])
            if int(m[1]) not in state:
                state[int(m[1])] = 'running'
                ran_first.add(int(m[1]))
    delays.pop(0, None)
    return delays, runtime, preempted, ran_first


def frame(text, with_info):
    """The lines of a table of latencies that are no rows; perf relates INFO to wakeups."""
    return [line for line in text.splitlines() if not ROW.match(line) and 'TOTAL' not in line and
            (with_info or 'INFO' not in line)]


def check_latency(ktrace, file, perf_is_right):
    """Compare the table of tasks with a count by hand, and with perf's."""
    ours = latency_rows(output(ktrace, 'sched', 'latency', '-p', '-i', file))
    delays, runtime, preempted, ran_first = delays_by_hand(ktrace, file)
    wrong = []
    for tid, all_delays in delays.items():
        want = ('%.3f' % (runtime[tid] / 1e6), str(len(all_delays)),
                '%.3f' % (sum(all_delays) // len(all_delays) / 1e6),
                '%.3f' % (max(all_delays) / 1e6))
        found = [row[:4] for (_, number), row in ours.items() if number == str(tid)]
        if found != [want]:
            wrong.append((tid, want, found))
    diag('\n'.join(map(str, wrong[:10])))
    ok(len(ours) == len(delays) and ours and not wrong, '%s: each row agrees with its events' % file)

    text = output(ktrace, 'sched', 'latency', '-p', '-i', file)
    perf = output('perf', 'sched', 'latency', '-p', '-i', file)
    theirs = latency_rows(perf)
    # perf reads sched_wakeup alone.
    right = {key for key in ours if int(key[1]) not in preempted} if perf_is_right else set()
    differ = [(key, theirs.get(key), ours[key]) for key in right if theirs.get(key) != ours[key]]
    diag('\n'.join(map(str, differ[:10])))
    ok(not differ and (right or not perf_is_right), '%s: rows are those of perf' % file)
    is_(frame(text, perf_is_right), frame(perf, perf_is_right), '%s: the lines around the rows are those of perf' % file)
    is_({key: row[0] for key, row in ours.items() if key in theirs},
        {key: row[0] for key, row in theirs.items() if key in ours or int(key[1]) not in ran_first},
        '%s: run times are those of perf' % file)
    if not perf_is_right:
        ok(total(text)[1] > total(perf)[1], '%s: delays of woken tasks, which perf lacks' % file)


def comparable(text):
    """The lines of timehist.  perf 6.1 has headings for ended and for running tasks, and counts
    some ended ones among the running ones. It also prints messages about missing chains in
    between."""
    text = re.sub(r'(\n?Terminated tasks:\n|<no [a-z ]*tasks>\n|.*do not have callchains.\n)', '', text)
    lines = text.splitlines()
    first = next((i for i, line in enumerate(lines) if line.startswith('-' * 100)), len(lines)) + 1
    last = first
    while last < len(lines) and lines[last]:
        last += 1
    return lines[:first] + sorted(lines[first:last]) + lines[last:]


def is_line_of(perf, ours):
    """perf 6.1 knows no functions of user space here, because it ignores MMAP2 records. Where code
    keeps no frame pointers, the last of its frames may be words of the stack that can be no
    addresses: these are no frames of ours."""
    if perf == ours or '[unknown]' not in perf:
        return perf == ours
    chain = re.escape(perf).replace(re.escape(' <- [unknown]'), r'(?: <- [^ ]+)?')
    return bool(re.fullmatch(chain.replace(re.escape('[unknown]'), r'[^ ]+'), ours))


def check_timehist(ktrace, file, options, note=''):
    """The lines and tables with each of these lists of options are perf's."""
    for words in options:
        theirs = comparable(output('perf', 'sched', 'timehist', *words, '-i', file))
        ours = comparable(output(ktrace, 'sched', 'timehist', *words, '-i', file))
        differ = [pair for pair in zip(theirs, ours) if not is_line_of(*pair)]
        for pair in differ[:5]:
            diag('perf:   %s\nktrace: %s' % pair)
        what = note or ' '.join(words)
        ok(len(ours) == len(theirs) >= 3 and not differ,
           '%s: %s: all lines are those of perf' % (file, what + ' -S' * ('-S' in words and
                                                                         bool(note))))


def check_states(ktrace, file):
    """--state has the letters of the kernel's own text; perf 6.1 has W for R+, K for I, and
    takes Z and X for each other."""
    letters = [(time, switch(text)[1][0] if switch(text)[0] else 'I')
               for _, time, name, text, _ in events(ktrace, file) if name == 'sched_switch']
    lines = output(ktrace, 'sched', 'timehist', '--state', '-i', file).splitlines()[3:]
    found = [(int(float(line.split()[0]) * 1e6), line[-2]) for line in lines]
    ok(len(found) == len(letters) and found and
       all(abs(time // 1000 - at) < 2 and letter == shown
           for (time, letter), (at, shown) in zip(letters, found)),
       '%s: states are the ones that the kernel prints' % file)
    waits = output(ktrace, 'sched', 'timehist', '-s', '--state', '-i', file)
    ok('Wait-time summary' in waits, '%s: --state has a summary of the waits of tasks' % file)
    preempted = {switch(text)[0] for _, _, name, text, _ in events(ktrace, file)
                 if name == 'sched_switch' and switch(text)[1][0] == 'R'} - {0}
    # [tid/pid] parent runs run-time sleep iowait preempted delay
    rows = re.findall(r'\[(\d+)(?:/\d+)?\] +-?\d+ +\d+ +[\d.]+ +[\d.]+ +[\d.]+ +([\d.]+) ', waits)
    ok(rows and {int(tid) for tid, wait in rows if float(wait)} <= preempted,
       '%s: only preempted tasks have waited as such' % file)
