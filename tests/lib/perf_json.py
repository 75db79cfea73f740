# SPDX-License-Identifier: GPL-2.0
"""The JSON of `perf data convert`, beside ours."""
import json


def load(name):
    with open(name, encoding='utf-8') as f:
        return json.load(f)


def align(ours, perf):
    """Leave out members that only one of them can have, in both."""
    # perf writes the fields of events from 6.2 on.
    for sample, peer in zip(ours['samples'], perf['samples']):
        for name in {*sample} - {*peer}:
            del sample[name]
        # perf sometimes does not know the binaries of a process that has just begun.
        for frame, other in zip(sample['callchain'], peer['callchain']):
            for name in {*frame} - {*other}:
                del frame[name]
    for sample in perf['samples']:
        # perf prints the CPU -1 where only other events have one.
        if sample.get('cpu') == -1:
            del sample['cpu']
