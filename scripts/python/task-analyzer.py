# SPDX-License-Identifier: GPL-2.0
"""When each task ran, on which CPU and for how long, and how long it did not run in between."""
import argparse
import os
import statistics
import sys

sys.path.append(os.environ['PERF_EXEC_PATH'] +
                '/scripts/python/Perf-Trace-Util/lib/Perf/Trace')

from collections import defaultdict
from decimal import Decimal

from Core import *
from Util import nsecs

COLORS = {'grey': 90, 'red': 91, 'green': 92, 'yellow': 93, 'blue': 94, 'violet': 95}
# Titles and widths of the columns of the trace. Some are printed only on request.
TRACE = [('Switched-In', 17), ('Switched-Out', 17), ('CPU', 3), ('PID', 8), ('TID', 8), ('Comm', 16),
         ('Runtime', 10), ('Time Out-In', 15)]
TRACE_MORE = [('Time Out-Out', 15), ('Time In-In', 15), ('Time In-Out', 15)]
# Of the summary: groups, whose columns are as wide as their values.
GROUPS = [('Task Information', ['PID', 'TID', 'Comm']),
          ('Runtime Information', ['Runs', 'Accumulated', 'Mean', 'Median', 'Min', 'Max', 'Max At'])]
GROUPS_MORE = [('Max Inter Task Times', ['Out-In', 'Max At', 'Out-Out', 'In-In', 'In-Out'])]


def arguments():
    parser = argparse.ArgumentParser(prog='task-analyzer', description=__doc__)
    parser.add_argument('--time-limit', default='', metavar='START:END', help='only these seconds')
    parser.add_argument('--summary', action='store_true', help='print a summary, too')
    parser.add_argument('--summary-only', action='store_true', help='print the summary alone')
    parser.add_argument('--summary-extended', action='store_true',
                        help='print a summary with the longest times between runs, too')
    parser.add_argument('--ns', action='store_true', help='times in ns, not us')
    parser.add_argument('--ms', action='store_true', help='times in ms, not us')
    parser.add_argument('--extended-times', action='store_true',
                        help='print all times between a run and the one before')
    parser.add_argument('--filter-tasks', default='', metavar='LIST', help='leave out these tids, pids or comms')
    parser.add_argument('--limit-to-tasks', default='', metavar='LIST', help='only these tids, pids or comms')
    parser.add_argument('--highlight-tasks', default='', metavar='LIST',
                        help='print these tids or comms in a colour, as in bash:green,17')
    parser.add_argument('--rename-comms-by-tids', default='', metavar='TID:NAME,...',
                        help='other names for tasks; tid 0, which is left out else, is printed if it has one')
    parser.add_argument('--stdio-color', default='auto', choices=['always', 'never', 'auto'],
                        help='whether to print in colours')
    parser.add_argument('--csv', default='', metavar='FILE', help='write the trace to a file')
    parser.add_argument('--csv-summary', default='', metavar='FILE', help='write the summary to a file')
    found = parser.parse_args()
    found.summary |= found.summary_only or found.summary_extended or bool(found.csv_summary)
    found.colors = not found.csv and (found.stdio_color == 'always' or
                                      (found.stdio_color == 'auto' and sys.stdout.isatty()))
    try:
        start, _, end = found.time_limit.partition(':')
        found.start, found.end = (int(Decimal(text or 0) * 10**9) for text in (start, end))
    except ArithmeticError:
        parser.error('--time-limit is START:END in seconds, not %s' % found.time_limit)
    found.names = {}
    for pair in filter(None, found.rename_comms_by_tids.split(',')):
        tid, colon, name = pair.partition(':')
        if not colon or not tid.isdigit():
            parser.error("--rename-comms-by-tids is TID:NAME, not '%s'" % pair)
        found.names[int(tid)] = name
    found.colored = {}
    for pair in filter(None, found.highlight_tasks.split(',')):
        task, _, color = pair.partition(':')
        if color and color not in COLORS:
            parser.error("There is no colour '%s'; there are %s" % (color, ', '.join(COLORS)))
        found.colored[task] = color or 'red'
    found.left_out, found.limit = (set(filter(None, text.split(',')))
                                   for text in (found.filter_tasks, found.limit_to_tasks))
    return found


wanted = arguments()
DIGITS, EXPONENT, AT_DIGITS = (0, 0, 9) if wanted.ns else (3, -6, 6) if wanted.ms else (3, -3, 6)


def opened(path):
    return open(path, 'w', encoding='utf-8') if path else sys.stdout


trace_file = opened(wanted.csv)
summary_file = trace_file if wanted.csv == wanted.csv_summary else opened(wanted.csv_summary)


def colored(color, text):
    return '\033[%dm%s\033[0m' % (COLORS[color], text) if wanted.colors and color else text


def span(ns):
    """A time in the selected unit; None: there is no time."""
    return '%.*f' % (DIGITS, Decimal(-1) if ns is None else Decimal(ns).scaleb(EXPONENT))


def at(ns):
    """A time of the recording's clock, in seconds."""
    return '%.*f' % (AT_DIGITS, Decimal(-1) if ns is None else Decimal(ns).scaleb(-9))


def plain(comm):
    """A name as a cell of CSV."""
    return ''.join(c for c in comm if c.isprintable() and c not in ';"\'')


class Run:
    """A task on a CPU, from start to end (ns)."""

    def __init__(self, comm, start):
        self.comm, self.start, self.end, self.pid = comm, start, None, None

    def since(self, before):
        """ns out-in, out-out, in-in and in-out."""
        return (self.start - before.end, self.end - before.end, self.start - before.start,
                self.end - before.start)


running = {}                    # (tid, cpu): Run
runs = defaultdict(list)        # tid: [Run], of a trace without summary the last one


def print_row(widths, cells, colors=None):
    """Cells to the right, in the colours that some have by their numbers."""
    if wanted.csv:
        print(';'.join(cells), file=trace_file)
        return
    cells = [cell.rjust(width) for cell, width in zip(cells, widths)]
    for number, color in (colors or {}).items():
        cells[number] = colored(color, cells[number])
    print(' '.join(cells), file=trace_file)


def print_run(tid, cpu, run):
    spans = run.since(runs[tid][-1]) if runs[tid] else [None] * 4
    cells = [at(run.start), at(run.end), str(cpu), str(run.pid), str(tid), run.comm, span(run.end - run.start)]
    cells += map(span, spans if wanted.extended_times else spans[:1])
    color = wanted.colored.get(str(tid), wanted.colored.get(run.comm))
    colors = dict.fromkeys(range(len(cells)), color)
    if run.pid == tid and not color:
        colors[4] = 'grey'
    print_row([width for _, width in TRACE + TRACE_MORE], cells, colors)


def finish(tid, cpu, time, pid):
    run = running.pop((tid, cpu), None)
    if not run:
        return
    run.end, run.pid = time, pid
    names = {str(tid), str(pid), run.comm}
    if names & wanted.left_out or (wanted.limit and not names & wanted.limit):
        return
    if not wanted.summary_only:
        print_run(tid, cpu, run)
    if not wanted.summary:
        runs[tid].clear()
    runs[tid].append(run)


def trace_begin():
    if not wanted.summary_only:
        columns = TRACE + (TRACE_MORE if wanted.extended_times else [])
        print_row([width for _, width in columns], [title for title, _ in columns])


def sched__sched_switch(event_name, context, common_cpu, common_secs, common_nsecs, common_pid, common_comm,
                        common_callchain, prev_comm, prev_pid, prev_prio, prev_state, next_comm, next_pid,
                        next_prio, perf_sample_dict):
    time = nsecs(common_secs, common_nsecs)
    if time < wanted.start or (wanted.end and time > wanted.end):
        return
    if prev_pid or 0 in wanted.names:
        finish(prev_pid, common_cpu, time, perf_sample_dict['sample']['pid'])
    if next_pid or 0 in wanted.names:
        running.setdefault((next_pid, common_cpu), Run(plain(wanted.names.get(next_pid, next_comm)), time))


def summary_row(tid):
    """The cells of a task's row; the greatest times between two runs are from the whole recording.
    """
    of_task = runs[tid]
    times = [run.end - run.start for run in of_task]
    longest = of_task[times.index(max(times))]
    cells = [str(of_task[-1].pid), str(tid), of_task[-1].comm, str(len(times)), span(sum(times)),
             span(round(Decimal(sum(times)) / len(times))), span(statistics.median(map(Decimal, times))),
             span(min(times)), span(max(times)), at(longest.start)]
    if wanted.summary_extended:
        spans = [run.since(before) for before, run in zip(of_task, of_task[1:])]
        out_in = max((each[0] for each in spans), default=None)
        after = next((run for each, run in zip(spans, of_task[1:]) if each[0] == out_in), None)
        cells += [span(out_in), at(after.start if after else None)]
        cells += [span(max((each[n] for each in spans), default=None)) for n in (1, 2, 3)]
    return cells


def print_summary():
    groups = GROUPS + (GROUPS_MORE if wanted.summary_extended else [])
    rows = [[title for _, titles in groups for title in titles]] + [summary_row(tid) for tid in sorted(runs)]
    if wanted.csv_summary:
        for row in rows:
            print(';'.join(row), file=summary_file)
        return
    widths = [max(map(len, column)) for column in zip(*rows)]
    first, titles_of = 0, []
    for name, titles in groups:
        of_group = widths[first:first + len(titles)]
        # The first group is as wide as its name, at least.
        width = max(sum(of_group) + len(titles) - 1, 0 if first else len(name))
        titles_of.append(f'{name:^{width}}')
        first += len(titles)
    print('\nSummary', file=summary_file)
    print(' '.join(titles_of), file=summary_file)
    for row in rows:
        cells = [cell.rjust(width) for cell, width in zip(row, widths)]
        for number, title in enumerate(rows[0]):
            if title == 'Max At' or (row[3] == '1' and 5 <= number <= 8):
                cells[number] = colored('grey', cells[number])
        print(' '.join(cells), file=summary_file)


def trace_end():
    for tid in [tid for tid, of_task in runs.items() if not of_task]:
        del runs[tid]
    if wanted.summary:
        print_summary()
    for file in {trace_file, summary_file} - {sys.stdout}:
        file.close()
