# SPDX-License-Identifier: GPL-2.0
"""The samples of recordings as columns, and a few of them as events that can be changed."""

import bisect

from ktrace import expect

CODE_BITS = 10              # of the number of an event in walk()
RESET = -1                  # its event where records were lost
KEYS = ('_tid', '_cpu')     # members of every event
UNKNOWN = {'_cpu': -1, '_tid': -1, '_pid': -1}          # where it was not recorded


class Rows:
    """The samples of one event, oldest first; `fields` are those of its own that are usable."""

    def __init__(self, batch, fields):
        self.batch = batch
        self.times = batch['_time'].tolist()
        self.fields = [name for name in fields if name in batch and self._is_usable(batch[name])]
        self._lists = {'_time': self.times}

    @staticmethod
    def _is_usable(column):
        return column.type == 'text' or column.type.lstrip('u').startswith('int')

    def __len__(self):
        return len(self.times)

    def type(self, field):
        return self.batch[field].type

    def is_address(self, field):
        return self.batch[field].is_address

    def has(self, field):
        return field in self.batch

    def column(self, field):
        """The values as a list."""
        if field not in self._lists:
            self._lists[field] = self.batch[field].tolist()
        return self._lists[field]

    def keys(self, fields):
        """The values of one field, or tuples of those of several."""
        if len(fields) == 1:
            return self.column(fields[0])
        return list(zip(*map(self.column, fields)))


class Run:
    """A recording: its events, to their Rows, and when records were lost."""

    def __init__(self, path, recording, lost):
        self.path = path
        self.lost = lost
        self.events = {name: Rows(batch, recording.events[name])
                       for name, batch in recording.read().items()
                       if ':' in name and name in recording.events and len(batch)}
        ends = [(rows.times[0], rows.times[-1]) for rows in self.events.values()]
        self.first = min((first for first, _ in ends), default=0)
        self.last = max((last for _, last in ends), default=0)
        # (start, end): events after start and up to end may have been lost.
        self.dark = expect.losses(recording.records()) if lost else []

    @property
    def duration(self):
        return max(1, self.last - self.first)

    def walk(self, names, keys, rows=None):
        """(time, number of the event in `names`, key) in the order of time, for about the first
        `rows` of them. `keys` has the fields of each event's key. RESET is the number where the
        state of all keys is unknown, because of lost events."""
        lists = [self.events[name].times for name in names]
        end = None
        if rows is not None:
            end = min((times[rows] for times in lists if len(times) > rows), default=None)
        merged = []
        for code, times in enumerate(lists):
            # Each list is in order, so that sorting all only merges them.
            last = len(times) if end is None else bisect.bisect_left(times, end)
            merged += [time << CODE_BITS | code for time in times[:last]]
        merged.sort()
        values = [iter(self.events[name].keys(fields)) for name, fields in zip(names, keys)]
        if self.dark:
            return self._walk_losses(merged, values)
        return self._walk(merged, values)

    @staticmethod
    def _walk(merged, values):
        mask = (1 << CODE_BITS) - 1
        for word in merged:
            code = word & mask
            yield word >> CODE_BITS, code, next(values[code])

    def _walk_losses(self, merged, values):
        windows = iter([*self.dark, expect.NEVER])
        start, end = next(windows)
        for time, code, key in self._walk(merged, values):
            if time > start:
                yield start, RESET, None
                while time > end:
                    start, end = next(windows)
                if time > start:
                    continue
            yield time, code, key

    def made(self, names, fields, near, before, after):
        """Events that can be changed: up to `before` ones until the time `near`, and `after` behind
        it."""
        found = []
        for name in names:
            rows = self.events[name]
            middle = bisect.bisect_right(rows.times, near)
            have = [f for f in dict.fromkeys(('_time', '_cpu', '_tid', '_pid', *fields))
                    if rows.has(f)]
            lists = [rows.column(f) for f in have]
            for row in range(max(0, middle - before), min(len(rows), middle + after)):
                found.append(Made(name, {**UNKNOWN, **{f: values[row] for f, values in
                                                        zip(have, lists)}}))
        found.sort(key=lambda event: event._time)
        at = bisect.bisect_right([event._time for event in found], near)
        first = found[max(0, at - before)]._time if found else 0
        return [event for event in found[:at + after] if event._time >= first]


class Made:
    """An event in memory. Its values are read as those of a PerfEvent, and may be changed."""

    def __init__(self, event, values):
        self._event = event
        self.made = values

    def __getattr__(self, name):
        try:
            return self.__dict__['made'][name]
        except KeyError:
            raise AttributeError(name) from None

    def __getitem__(self, name):
        return self.made[name]

    def changed(self, **values):
        return Made(self._event, {**self.made, **values})
