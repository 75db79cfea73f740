# SPDX-License-Identifier: GPL-2.0
"""How long packets take through network devices: from queueing until the driver has them and until
they are freed; from reception until a program reads them."""
import os
import sys

sys.path.append(os.environ['PERF_EXEC_PATH'] +
                '/scripts/python/Perf-Trace-Util/lib/Perf/Trace')

from Report import Latencies, Losses, print_table

USAGE = '[tx] [rx] [dev=NAME]'


def take_arguments(words):
    """(directions, device); NAME alone is a device, too."""
    directions, device = set(), None
    for word in words:
        name = word[4:] if word.startswith('dev=') else word
        if word in ('tx', 'rx'):
            directions.add(word)
        elif device or not name or '=' in name or word == 'debug':
            sys.exit('usage: %s %s' % (sys.argv[0], USAGE))
        else:
            device = name
    return directions or {'tx', 'rx'}, device


directions, only = take_arguments(sys.argv[1:])
devices = set()     # all devices seen

queued = {}         # skb: (dev, time)
sent = {}           # skb: (dev, time)
received = {}       # skb: (dev, time)
to_driver, to_free, to_reader = Latencies(), Latencies(), Latencies()      # by dev
bytes_out, bytes_in, dropped = {}, {}, {}
losses = Losses()


def count(counts, dev, number):
    counts[dev] = counts.get(dev, 0) + number


def net__net_dev_queue(common_secs, common_nsecs, skbaddr, name):
    devices.add(name)
    if only in (None, name):
        queued[skbaddr] = name, common_secs * 10**9 + common_nsecs


def net__net_dev_xmit(common_secs, common_nsecs, skbaddr, len, rc, name):
    dev, since = queued.pop(skbaddr, (None, 0))
    now = common_secs * 10**9 + common_nsecs
    if dev is None or rc:       # the driver did not accept it: it is sent again
        return
    to_driver.add(dev, now - since)
    count(bytes_out, dev, len)
    # On the loopback device, a packet that is sent has already been received.
    if skbaddr not in received:
        sent[skbaddr] = dev, now


def receive(now, skbaddr, len, dev):
    devices.add(dev)
    if only in (None, dev) and skbaddr not in received:
        received[skbaddr] = dev, now
        count(bytes_in, dev, len)


def net__netif_receive_skb(common_secs, common_nsecs, skbaddr, len, name):
    receive(common_secs * 10**9 + common_nsecs, skbaddr, len, name)


def net__netif_rx(common_secs, common_nsecs, skbaddr, len, name):
    receive(common_secs * 10**9 + common_nsecs, skbaddr, len, name)


def skb__skb_copy_datagram_iovec(common_secs, common_nsecs, skbaddr):
    dev, since = received.pop(skbaddr, (None, 0))
    if dev is not None:
        to_reader.add(dev, common_secs * 10**9 + common_nsecs - since)


def freed(now, skbaddr):
    dev, since = sent.pop(skbaddr, (None, 0))
    if dev is not None:
        to_free.add(dev, now - since)


def skb__consume_skb(common_secs, common_nsecs, skbaddr):
    freed(common_secs * 10**9 + common_nsecs, skbaddr)
    received.pop(skbaddr, None)


def skb__kfree_skb(common_secs, common_nsecs, skbaddr):
    freed(common_secs * 10**9 + common_nsecs, skbaddr)
    dev, since = received.pop(skbaddr, (None, 0))
    if dev is not None:
        count(dropped, dev, 1)


def trace_lost(loss):
    losses.add(loss)
    queued.clear()
    sent.clear()
    received.clear()


def table(title, latencies, extra):
    others = {dev for name, counts in extra for dev in counts} - set(latencies.keys())
    print_table(title, ['device'] + Latencies.HEADER + [name for name, counts in extra],
                [16] + Latencies.WIDTHS + [10 for _ in extra],
                [[dev] + latencies.row(dev) + [counts.get(dev, 0) for name, counts in extra]
                 for dev in latencies.keys() + sorted(others)])
    print()


def trace_end():
    if only and devices and only not in devices:
        sys.exit("The recording has no packets of the device '%s'; it has those of %s." %
                 (only, ', '.join(sorted(devices))))
    if 'tx' in directions:
        table('sent: queued until the driver has it:', to_driver, [('bytes', bytes_out)])
        table('sent: the driver has it until it is freed:', to_free, [])
    if 'rx' in directions:
        table('received: until it is copied to a reader:', to_reader,
              [('bytes', bytes_in), ('dropped', dropped)])
    losses.print()
