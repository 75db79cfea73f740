# SPDX-License-Identifier: GPL-2.0
"""Waiting for the results of a Dask cluster, which ends when they cannot come any more.

Dask waits for a lost worker until it comes back, if a task may run nowhere else, and for the first
worker of an empty cluster.  Here this takes a bounded time, and the error names the missing worker.
"""

import asyncio
import concurrent.futures
import contextlib
import inspect
import time

import dask
import distributed
from distributed.comm import get_address_host

# Seconds in which a worker may come back: Dask's nannies start a new one in less.
WAIT = 30


class Lost(RuntimeError):
    """Recordings that were not read, because their machines have no worker any more.

    recordings: the list of them, which can be left out of a repeated call."""

    def __init__(self, message, recordings=()):
        super().__init__(message)
        self.recordings = list(recordings)


def place(recording):
    """A context in which Dask creates tasks that run on the machine of a Remote: on its worker, or
    on another one there."""
    return dask.annotate(workers=[recording.worker, get_address_host(recording.worker)],
                         allow_other_workers=False, ktrace_remote=list(recording))


def _placed(values, remote):
    """The recordings by the keys of the tasks that read them."""
    found = {}
    for value in values:
        graph = value.__dask_graph__() if dask.is_dask_collection(value) else None
        for layer in getattr(graph, 'layers', {}).values():
            recording = (layer.annotations or {}).get('ktrace_remote')
            if recording:
                found.update(dict.fromkeys(layer, remote(*recording)))
    return found


def cluster():
    """The client that dask.compute() would use now; None: no client."""
    with contextlib.suppress(ValueError):
        distributed.get_worker()
        return None                     # a task that asks; its worker's client does it best
    client = getattr(dask.base.get_scheduler(), '__self__', None)
    if isinstance(client, distributed.Client) and not client.asynchronous:
        return client
    return None


def workers(client):
    """The scheduler's data about all workers, by their addresses."""
    # Since 2025 Dask returns five unless more are requested.
    asked = inspect.signature(client.scheduler_info).parameters
    return client.scheduler_info(**({'n_workers': -1} if 'n_workers' in asked else {}))['workers']


def wanted():
    """Whether the result of the task that calls this on a worker is still wanted."""
    worker = distributed.get_worker()
    task = worker.state.tasks.get(worker.get_current_task())
    return task is not None and task.state not in ('cancelled', 'released', 'forgotten')


class _Watch:
    """Detects that results cannot come."""

    def __init__(self, client, placed, seconds):
        self.client, self.placed, self.seconds = client, placed, seconds
        self.since, self.asked, self.alone = {}, 0, None

    def check(self):
        now = time.monotonic()
        if workers(self.client):
            self.alone = None
        elif self.alone is None:
            self.alone = now
        if now - self.asked >= min(5, self.seconds / 4):
            self.ask(now)
        lost = [key for key, since in self.since.items() if now - since >= self.seconds]
        if lost:
            raise self.lost({self.placed[key]: 0 for key in lost})
        if self.alone is not None and now - self.alone >= self.seconds:
            raise Lost(f'{self.client.scheduler.address}: the cluster has had no worker for '
                       f'{self.seconds:g} s, so there is no answer: start a worker and ask again',
                       dict.fromkeys(self.placed.values()))

    def ask(self, now):
        """The tasks that no worker may run."""
        self.asked = now
        if not self.placed:
            return
        states = self.client.sync(self.client.scheduler.get_task_status, keys=list(self.placed))
        self.since = {key: self.since.get(key, now) for key, state in states.items()
                      if state == 'no-worker'}

    def lost(self, recordings):
        recordings = list(recordings)
        hosts = sorted({get_address_host(recording.worker) for recording in recordings})
        more = f' (and {len(recordings) - 1} more)' if len(recordings) > 1 else ''
        one = len(hosts) == 1
        return Lost(f'{", ".join(hosts[:8])}{", ..." if len(hosts) > 8 else ""}: '
                    f'{"this machine has" if one else "these machines have"} had no worker for '
                    f'{self.seconds:g} s, so {recordings[0].path}{more} was not read: start a '
                    f'worker there, or leave the recordings of {"it" if one else "them"} out',
                    recordings)


def gather(client, futures, check):
    """The results of the futures. check() is called each second, and raises an error if they cannot
    come.

    RuntimeError: the scheduler was lost, or a task killed each worker that ran it."""
    answers = asyncio.run_coroutine_threadsafe(client.gather(futures, asynchronous=True),
                                               client.loop.asyncio_loop)
    address = client.scheduler.address
    try:
        while not concurrent.futures.wait([answers], timeout=1).done:
            if client.status == 'running':
                check()
            elif not answers.done():
                raise concurrent.futures.CancelledError
        return answers.result()
    except (concurrent.futures.CancelledError, asyncio.CancelledError, OSError) as error:
        if isinstance(error, OSError) and client.status == 'running' and answers.done():
            raise
        raise RuntimeError(f'{address}: the scheduler was lost before it had the answer: start it '
                           'and its workers, and ask again') from error
    except distributed.KilledWorker as error:
        raise RuntimeError(f'{error.last_worker.address}: this worker, and others before it, '
                           f'was killed by the task {error.task}, so there is no answer: is there '
                           'enough memory for it?') from error
    finally:
        # The order matters: otherwise Dask would log tasks of the client that are no longer used.
        if client.status == 'running' and not all(future.done() for future in futures):
            client.cancel(futures)
            concurrent.futures.wait([answers], timeout=1)
        answers.cancel()


def compute(values, remote, seconds):
    """The list of the values that Dask computes. remote: the class of recordings on one machine, as
    passed to place().

    Lost, RuntimeError: there is no result, and the reason."""
    client = cluster()
    if client is None:
        return list(dask.compute(*values))
    watch = _Watch(client, _placed(values, remote), seconds)
    return gather(client, client.compute(list(values)), watch.check)
