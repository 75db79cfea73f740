# SPDX-License-Identifier: GPL-2.0
"""Events that have left their process: the result of pickling a PerfEvent."""


class MissingField(KeyError, AttributeError):
    """The event has no such field: both a KeyError and an AttributeError."""


class SavedEvent:
    """All values of a PerfEvent, without the recording it came from.

    Values are read as those of a PerfEvent: as attributes, as items, by get(), keys(), values(),
    items() and to_dict(). text() and format() return the strings that they returned there."""

    __slots__ = ('_listed', '_others', '_texts', '_format')

    def __init__(self, listed, others, texts, format):
        for name, value in zip(self.__slots__, (listed, others, texts, format)):
            object.__setattr__(self, name, value)

    def __reduce__(self):
        return SavedEvent, (self._listed, self._others, self._texts, self._format)

    def __setattr__(self, name, value):
        raise AttributeError('events do not change')

    def __getitem__(self, name):
        for values in self._listed, self._others:
            if name in values:
                return values[name]
        raise MissingField("'SavedEvent' object has no attribute '%s'" % name)

    def __getattr__(self, name):
        if name.startswith('__'):
            raise AttributeError(name)
        return self[name]

    def __contains__(self, name):
        return name in self._listed or name in self._others

    def __len__(self):
        return len(self._listed)

    def __iter__(self):
        return iter(self.items())

    def __eq__(self, other):
        if not isinstance(other, SavedEvent):
            return NotImplemented
        return (self._listed, self._others) == (other._listed, other._others)

    def __hash__(self):
        return hash((self._event, self._time, self._cpu, self._tid))

    def __str__(self):
        return str(self._listed)

    def __repr__(self):
        return '<SavedEvent %s cpu=%d pid=%d time=%d>' % (self._event, self._cpu, self._pid,
                                                          self._time)

    def get(self, field, default=None):
        return self[field] if field in self else default

    def keys(self):
        return list(self._listed)

    def values(self):
        return list(self._listed.values())

    def items(self):
        return list(self._listed.items())

    def to_dict(self):
        return dict(self._listed)

    def text(self, field):
        return self._texts[field] if field in self._texts else str(self[field])

    def format(self):
        return self._format
