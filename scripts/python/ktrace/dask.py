# SPDX-License-Identifier: GPL-2.0
"""Recordings of many machines, on a Dask cluster.

    import ktrace.dask

    frame = ktrace.dask.read(['a.data', 'b.data'], 'sched:sched_switch', ['_time', 'next_comm'])
    frame.groupby('next_comm').size().compute()

    with distributed.Client('scheduler:8786') as client:
        recordings = ktrace.dask.record(client, ['sched:sched_switch'], seconds=10)
        ktrace.dask.count(recordings).compute()

A recording is the path of a file that all workers can read, or a Remote.  A Remote is a file on one
worker's machine and is read only there: only results travel.  Everything is lazy, as in Dask:
compute() does the work.  If a machine has no worker any more, compute() ends with an error that
names the machine and its recordings, where Dask would wait for ever.  Results do not depend on the
number of workers or on the order in which they finish.  A recording is always divided at the same
times, and the parts are combined in the order of the recordings.

Documentation/ktrace-python-module.rst is the manual."""

import collections
import contextlib
import os
import shutil
import signal
import subprocess
import tempfile

import dask
import dask.dataframe
import dask.delayed
from dask.dataframe.utils import clear_known_categories
from dask.delayed import Delayed

import ktrace
from ktrace import dask_wait
from ktrace.dask_wait import WAIT, Lost

__all__ = ['Lost', 'Remote', 'compute', 'count', 'fold', 'histogram', 'profile', 'read', 'record',
           'tasks']

# The approximate number of bytes of a recording that one task reads.
PART_BYTES = 32 << 20

# Number of results that one task combines.
FAN_IN = 8

Remote = collections.namedtuple('Remote', ['worker', 'path'])
Remote.__doc__ = """A recording that lies on the machine of a worker.

worker: the worker's address, as distributed.Client.scheduler_info() has it; path: of the file."""

# A stretch of one recording: start and end are ns of its clock, None: open.
Part = collections.namedtuple('Part', ['recording', 'start', 'end', 'version'])


def _as_list(recordings):
    if isinstance(recordings, (str, os.PathLike, Remote)):
        return [recordings]
    recordings = list(recordings)
    if not recordings:
        raise ValueError('there are no recordings to read')
    return recordings


def _path(recording):
    return recording.path if isinstance(recording, Remote) else os.fspath(recording)


def _task(recording, function, *arguments):
    """A delayed call that runs where the recording can be read."""
    if not isinstance(recording, Remote):
        return dask.delayed(function, pure=True)(*arguments)
    with dask_wait.place(recording):
        return dask.delayed(function, pure=True)(*arguments)


def compute(*values, wait=WAIT):
    """Compute the values of results of the functions here, or of anything else that Dask can
    compute.  Returns them as dask.compute() does.

    wait: the number of seconds for which a machine may have no worker.  After that this raises
    ktrace.dask.Lost, a RuntimeError that names the machine.  Its list recordings has all recordings
    that could not be read.
    RuntimeError: the scheduler was lost, or a task killed each worker that ran it."""
    return tuple(dask_wait.compute(values, Remote, wait))


class Answer(Delayed):
    """A dask.delayed value that is computed by the compute() above."""

    __slots__ = ()

    def __reduce__(self):
        return type(self), (self._key, self._dask, self._length, self._layer)

    def compute(self, *, wait=WAIT, **options):
        if options:
            return super().compute(**options)
        return compute(self, wait=wait)[0]


def _check_version(version):
    if ktrace.__version__ != version:
        raise RuntimeError(f'a worker has ktrace {ktrace.__version__}, and the program that asks '
                           f'has {version}: install the same version on both')


def _opened(recording):
    """A ktrace.Recording.  Errors name the machine, because other machines may have a file of that
    path."""
    try:
        return ktrace.open(_path(recording))
    except (OSError, ValueError) as error:
        if not isinstance(recording, Remote):
            raise
        raise RuntimeError(f'{recording.worker}: {error}') from error


def _parts_here(recording, version, part_bytes):
    """The parts of a recording, as (start, end) in ns. Only the file determines the times."""
    _check_version(version)
    path = _path(recording)
    with _opened(recording) as opened:
        first, last = opened.header['first_sample_time'], opened.header['last_sample_time']
        fields = {name: dict(columns) for name, columns in opened.events.items()}
    if not first or not last or last <= first:
        return fields, [(None, None)]
    number = max(1, -(-os.path.getsize(path) // part_bytes))
    ends = [first + (last - first) * i // number for i in range(1, number)]
    return fields, list(zip([None] + ends, ends + [None]))


def _look(recordings, part_bytes):
    """The data of each recording: its fields by event, and its parts.  This runs at once."""
    version = ktrace.__version__
    looks = compute(*[_task(recording, _parts_here, recording, version, part_bytes)
                      for recording in recordings])
    return [(fields, [Part(recording, start, end, version) for start, end in times])
            for recording, (fields, times) in zip(recordings, looks)]


def _parts(recordings, part_bytes):
    return [part for _, parts in _look(_as_list(recordings), part_bytes) for part in parts]


def _batches(part, event, fields):
    _check_version(part.version)
    with _opened(part.recording) as opened:
        if event is not None and event not in opened.events:
            return
        yield from opened.batches(event, fields, order='file', time=(part.start, part.end))


def _frame(part, event, fields, origin, index):
    """A part as a DataFrame of pandas."""
    _check_version(part.version)
    with _opened(part.recording) as opened:
        frame = opened.read(event, fields, time=(part.start, part.end)).to_pandas(realtime=False)
    if origin:
        frame['_recording'] = _path(part.recording)
    if index:
        frame = frame.set_index('_time', drop=False)
    return frame


def _check_fields(looks, recordings, event, fields):
    """Check that all recordings have the same fields, because they share a table. The error names
    the differences."""
    first = None
    for recording, (events, _) in zip(recordings, looks):
        if event not in events:
            raise ValueError(f'{_path(recording)} has no event {event}')
        if fields is not None:
            continue
        if first is None:
            first = events[event]
        differing = sorted(set(first.items()) ^ set(events[event].items()))
        if differing:
            raise ValueError(f'{event} has another field {differing[0][0]!r} in '
                             f'{_path(recordings[0])} than in {_path(recording)}: name the fields '
                             'to read')


def read(recordings, event, fields=None, *, part_bytes=PART_BYTES):
    """The samples of one event as a Dask DataFrame.

    recordings: a path or a Remote, or a list of them. event, fields: as in ktrace.Recording.read().
    A partition is a stretch of one recording in time order.  The frame of one recording with _time
    is indexed by it, so that frame.loc[start:end] reads only the necessary parts.  Several
    recordings have a column _recording with their paths.

    ValueError: a recording does not have the event, or fields is None and two recordings have
    different fields.  Both are checked at once, by a task for each recording."""
    recordings = _as_list(recordings)
    fields = None if fields is None else list(fields)
    looks = _look(recordings, part_bytes)
    _check_fields(looks, recordings, event, fields)
    parts = [part for _, parts in looks for part in parts]
    origin = len(recordings) > 1
    index = not origin and (fields is None or '_time' in fields)
    empty = compute(_task(recordings[0], _frame, parts[0]._replace(start=0, end=1), event, fields,
                          origin, index))[0]
    frames = [_task(part.recording, _frame, part, event, fields, origin, index) for part in parts]
    divisions = None
    if index and len(parts) > 1:
        starts = [part.start for part in parts[1:]]
        divisions = tuple(empty.index.__class__([0] + starts + [2 ** 63 - 1]))
    return dask.dataframe.from_delayed(frames, meta=clear_known_categories(empty),
                                       divisions=divisions, verify_meta=False)


def _combine(combine, answers):
    answers = [answer for answer in answers if answer is not None]
    if not answers:
        return None
    total = answers[0]
    for answer in answers[1:]:
        total = combine(total, answer)
    return total


def _tree(combine, answers):
    while len(answers) > 1:
        answers = [dask.delayed(_combine)(combine, answers[i:i + FAN_IN])
                   for i in range(0, len(answers), FAN_IN)]
    return Answer(answers[0].key, answers[0].dask)


def _apply(part, function, combine, event, fields):
    return _combine(combine, [function(batch) for batch in _batches(part, event, fields)])


def fold(recordings, function, combine, event=None, fields=None, *, part_bytes=PART_BYTES):
    """Call function(batch) for batches of samples, and combine(a, b) for its results.

    event: a name, or None for all; fields: as in ktrace.Recording.batches().  A recording without
    the event contributes nothing.  Returns a dask.delayed value; None: there were no samples.  The
    results are combined as a tree, neighbours first, so combine has to be associative, but need not
    be commutative."""
    return _tree(combine, [_task(part.recording, _apply, part, function, combine, event, fields)
                           for part in _parts(recordings, part_bytes)])


def _add(a, b):
    total = collections.Counter(a)
    total.update(b)
    return total


def _values(column):
    return column.tolist()


def _count_batch(by):
    def count_batch(batch):
        if not by:
            return collections.Counter({batch.event: len(batch)})
        return collections.Counter(zip(*[_values(batch[name]) for name in by]))
    return count_batch


def count(recordings, event=None, by=None, **options):
    """The number of samples: a dask.delayed Counter, by the names of the events, or by the values
    of the fields in the list by, as tuples."""
    by = list(by) if by else None
    return fold(recordings, _count_batch(by), _add, event, by or ['_time'], **options)


def _bits(field):
    def bits(batch):
        return collections.Counter(max(0, value).bit_length() for value in _values(batch[field]))
    return bits


def histogram(recordings, event, field, **options):
    """The distribution of the values of an integer field: a dask.delayed Counter by the number of
    their bits. n bits: from 2 ** (n - 1) to below 2 ** n; 0: zero and less."""
    return fold(recordings, _bits(field), _add, event, [field], **options)


def _chains(batch):
    chains, periods = _values(batch['_callchain']), _values(batch['_period'])
    total = collections.Counter()
    for chain, period in zip(chains, periods):
        total[chain] += period
    return total


def profile(recordings, event, **options):
    """The call chains of an event, folded: a dask.delayed Counter by 'main;work;leaf' of the sums
    of the samples' periods.  The machine of the worker finds the names of functions."""
    return fold(recordings, _chains, _add, event, ['_callchain', '_period'], **options)


def _tasks_here(recording, version, by):
    _check_version(version)
    with _opened(recording) as opened:
        rows = ktrace.tasks(opened, chains=False)
    total = {}
    for *key, start, end in zip(*[_values(rows[name]) for name in (*by, 'start', 'end')]):
        number, nsecs, longest = total.get(tuple(key), (0, 0, 0))
        total[tuple(key)] = number + 1, nsecs + end - start, max(longest, end - start)
    return total


def _add_states(a, b):
    total = dict(a)
    for key, (number, nsecs, longest) in b.items():
        have = total.get(key, (0, 0, 0))
        total[key] = have[0] + number, have[1] + nsecs, max(have[2], longest)
    return total


def tasks(recordings, by=('comm', 'state')):
    """How long tasks ran, waited and were blocked: a dask.delayed dict by the values of these
    columns of ktrace.tasks(), of (how often, ns in total, ns of the longest).  One task reads a
    whole recording, because the state of a Linux task depends on earlier events."""
    version = ktrace.__version__
    return _tree(_add_states, [_task(recording, _tasks_here, recording, version, tuple(by))
                               for recording in _as_list(recordings)])


def _record_here(worker, events, seconds, options, tool, folder):
    tool = tool or os.environ.get('KTRACE') or shutil.which('ktrace')
    if not tool:
        raise RuntimeError(f'{worker}: the command ktrace is not in the PATH of the worker')
    folder = tempfile.mkdtemp(prefix='ktrace-dask-', dir=folder)
    path = os.path.join(folder, 'perf.data')
    words = [tool, 'record', '-q', '-a', '-o', path]
    for event in events:
        words += ['-e', event]
    try:
        status, said = _run_recorder([*words, *options, '--', 'sleep', str(seconds)])
    except OSError as error:
        shutil.rmtree(folder)
        raise RuntimeError(f'{worker}: {tool} cannot be run: {error.strerror}') from error
    if status is None:
        shutil.rmtree(folder)
        raise RuntimeError(f'{worker}: nobody waits for this recording any more')
    if status:
        shutil.rmtree(folder)
        if status < 0:
            said = f'the recorder was killed by {signal.Signals(-status).name}. {said}'
        raise RuntimeError(f'{worker}: {said.strip()}')
    return Remote(worker, path)


def _run_recorder(words):
    """The status of the recorder, and its messages.  A killed recorder leaves its command behind,
    which would keep a pipe open.  So the messages go to a file, and the command is ended, too.  A
    recorder ends with its worker, and with the program that requested it: then the status is None.
    """
    if shutil.which('setpriv'):
        words = ['setpriv', '--pdeathsig', 'TERM', '--', *words]
    with tempfile.TemporaryFile('w+') as said:
        with subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                              stderr=said, start_new_session=True) as recorder:
            wanted = True
            while wanted and recorder.poll() is None:
                with contextlib.suppress(subprocess.TimeoutExpired):
                    recorder.wait(.5)
                wanted = dask_wait.wanted()
            with contextlib.suppress(ProcessLookupError):
                os.killpg(recorder.pid, signal.SIGKILL)
        said.seek(0)
        return recorder.returncode if wanted else None, said.read()


def _gather_recorded(client, futures):
    """The results of the futures, which are given by the addresses of their workers.  A worker that
    comes back has no recording of the lost one, so this does not wait for it."""
    def check():
        waiting = {address for address, future in futures.items() if not future.done()}
        lost = sorted(waiting - set(dask_wait.workers(client)))
        if lost:
            raise Lost(f'{lost[0]}: the worker was lost while it recorded; what it has recorded '
                       'stays on its machine')

    return dask_wait.gather(client, list(futures.values()), check)


def record(client, events, seconds, *, options=(), tool=None, folder=None):
    """Record on the machine of each worker, all CPUs, for this number of seconds at the same time.

    client: a distributed.Client; events: names, or one; options: further options of ktrace record;
    tool: the command ktrace, if it is not in the PATH of the workers; folder: the folder for the
    recordings there (by default, the one for temporary files).  Of several workers on a machine,
    one records.  Returns the list of Remotes, in the order of the machines' names.

    RuntimeError: a worker could not record, and its message, or it was lost meanwhile.  The files
    belong to the caller and are kept until they are deleted."""
    events = [events] if isinstance(events, str) else list(events)
    hosts = {}
    for address, worker in sorted(dask_wait.workers(client).items()):
        hosts.setdefault(worker.get('host', address), address)
    if not hosts:
        raise RuntimeError('the cluster has no workers')
    return _gather_recorded(client, {
        address: client.submit(_record_here, address, events, seconds, list(options), tool, folder,
                               workers=[address], allow_other_workers=False, pure=False)
        for _, address in sorted(hosts.items())})
