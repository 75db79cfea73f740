# SPDX-License-Identifier: GPL-2.0
"""How long requests to block devices wait in their queue, and how long the
device takes, by device and kind (R read, W write, F flush, D discard, S sync, M
metadata)."""
import os
import sys

sys.path.append(os.environ['PERF_EXEC_PATH'] +
                '/scripts/python/Perf-Trace-Util/lib/Perf/Trace')

from Report import Latencies, Losses, device_name, no_arguments, print_table

no_arguments()

inserted = {}       # (dev, sector): time
issued = {}         # (dev, sector): (kind, time)
waits, services = Latencies(), Latencies()      # by (dev, kind)
sectors = {}        # (dev, kind): how many
losses = Losses()


def block__block_rq_insert(common_secs, common_nsecs, dev, sector):
    inserted[dev, sector] = common_secs * 10**9 + common_nsecs


def block__block_rq_issue(common_secs, common_nsecs, dev, sector, rwbs):
    now = common_secs * 10**9 + common_nsecs
    since = inserted.pop((dev, sector), None)
    if since is not None:
        waits.add((dev, rwbs), now - since)
    issued[dev, sector] = rwbs, now


def block__block_rq_complete(common_secs, common_nsecs, dev, sector, nr_sector):
    kind, since = issued.pop((dev, sector), (None, 0))
    if kind is None:
        return
    services.add((dev, kind), common_secs * 10**9 + common_nsecs - since)
    sectors[dev, kind] = sectors.get((dev, kind), 0) + nr_sector


def trace_lost(loss):
    losses.add(loss)
    inserted.clear()
    issued.clear()


def trace_end():
    print_table('time from issuing a request until it is complete:',
                ['device', 'kind', 'KiB'] + Latencies.HEADER, [12, 6, 10] + Latencies.WIDTHS,
                [[device_name(dev), kind, sectors[dev, kind] // 2] + services.row((dev, kind))
                 for dev, kind in services.keys()])
    print()
    print_table('time in the queue before:', ['device', 'kind'] + Latencies.HEADER,
                [12, 6] + Latencies.WIDTHS,
                [[device_name(dev), kind] + waits.row((dev, kind))
                 for dev, kind in waits.keys()])
    losses.print()
