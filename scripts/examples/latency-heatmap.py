#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
# How long woken tasks wait for a CPU, over time. To record for it:
#   ktrace record -a -e sched:sched_wakeup -e sched:sched_switch -- sleep 10
# Usage: latency-heatmap.py [RECORDING [PICTURE]]
import sys
import ktrace
import matplotlib
import numpy
import pandas

matplotlib.use('Agg')
import matplotlib.pyplot as plot

recording = ktrace.open(sys.argv[1] if len(sys.argv) > 1 else 'perf.data')
woken, switched = (recording.read(event, ['_time', pid]).to_pandas() for event, pid in
                   (('sched:sched_wakeup', 'pid'), ('sched:sched_switch', 'next_pid')))
woken = woken[woken.pid > 0].assign(woken=woken._time)
switched = switched.rename(columns={'next_pid': 'pid'})
runs = pandas.merge_asof(switched, woken, on='_time', by='pid').dropna()
runs = runs[~runs.duplicated(['pid', 'woken'])]		# the first run after each wakeup
waited = (runs._time - runs.woken).dt.total_seconds() * 1e6
seconds = (runs._time - runs._time.min()).dt.total_seconds()
bins = [80, numpy.geomspace(max(waited.min(), 0.5), waited.max() * 1.1, 50)]
plot.hist2d(seconds, waited, bins=bins, norm='log', cmap='inferno', cmin=1)
plot.yscale('log'), plot.xlabel('seconds'), plot.ylabel('wait for a CPU, us')
plot.colorbar(label='wakeups'), plot.title('%d wakeups' % len(waited))
plot.savefig(sys.argv[2] if len(sys.argv) > 2 else 'latency.png', dpi=110)
