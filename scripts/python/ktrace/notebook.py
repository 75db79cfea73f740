# SPDX-License-Identifier: GPL-2.0
"""The display of recordings and batches in notebooks."""
import datetime
import errno
import html
import os
import tempfile

from ktrace.exported import export

ROWS = 20
# Larger recordings are not read to the end just for display.
BYTES = 1 << 30
NS = 10**9


def table(head, rows):
    """HTML of a table; the values of rows can be of any type."""
    def line(tag, values):
        return '<tr>%s</tr>' % ''.join('<%s>%s</%s>' % (tag, html.escape(str(v)), tag)
                                       for v in values)
    return '<table>%s%s</table>' % (line('th', head), ''.join(line('td', row) for row in rows))


def wall_clock(ns):
    """ns since 1970 as a text, UTC."""
    when = datetime.datetime.fromtimestamp(ns // NS, datetime.timezone.utc)
    return f'{when:%Y-%m-%d %H:%M:%S}.{ns % NS:09}'


def seconds(ns):
    """ns as seconds, without a float between."""
    return f'{ns // NS}.{ns % NS:09}'


def told(summary):
    """The start, the length and the losses of a recording, as text."""
    first, lost = summary['first_time'], summary['lost']
    start = duration = 'no samples'
    if first is not None:
        duration = f"{seconds(summary['last_time'] - first)} s"
        start = f'{seconds(first)} s of its clock; the wall clock is unknown'
    if summary['start'] is not None:
        start = f"{wall_clock(summary['start'])} UTC"
    return start, duration, 'unknown' if lost is None else f'lost {lost}' if lost else 'none lost'


def size(path):
    """Bytes of a recording, which can be several files, or a folder of them."""
    paths = path if isinstance(path, tuple) else (path,)
    return sum(os.path.getsize(os.path.join(folder, name)) for one in paths for folder, _, names in
               (os.walk(one) if os.path.isdir(one) else [(os.path.dirname(one), [], [os.path.basename(one)])])
               for name in names)


def summary_of(recording):
    """Its summary(); None: it can be read only once, or it is too large to be read for a table."""
    if recording.is_live or size(recording.path) > BYTES:
        return None
    return recording.summary()


def recording(recording):
    """HTML with the origin of a recording, its time, and its contents."""
    header, summary = recording.header, summary_of(recording)
    what = ', '.join(str(text) for text in (recording.path or 'live', header['hostname'],
                                            header['os_release'], header['arch']) if text)
    counts = summary['counts'] if summary else {}
    text = f'<p>{html.escape(what)}</p>'
    if not summary:
        return text + table(('event', 'fields'), ((name, ', '.join(fields))
                                                  for name, fields in recording.events.items()))
    return text + table(('start', 'duration', 'losses'), [told(summary)]) + table(
        ('event', 'count', 'fields'), ((name, counts.get(name, 0), ', '.join(fields))
                                       for name, fields in recording.events.items()))


def shown(batch, name):
    """The first values of a column in readable form: addresses in hex, instants as times."""
    column = batch[name]
    values = [column[n] for n in range(min(len(batch), ROWS))]
    if column.type == 'time':
        offset = batch.wall_offset
        return [seconds(value) if offset is None else wall_clock(value + offset) for value in values]
    if column.is_address or column.type == 'uint64' and any(value >> 63 for value in values):
        return [f'{value:#x}' for value in values]
    return values


def batch(batch):
    """HTML of the first rows of a batch."""
    columns = [shown(batch, name) for name in batch.names]
    return table(batch.names, zip(*columns)) + '<p>%d of %s</p>' % (len(batch), html.escape(batch.event))


class Page:
    """A page for browsers: notebooks show it, and save() writes it."""

    def __init__(self, text):
        self.text = text

    def save(self, path):
        """Write it to a file, and replace an older page.  A recording is not replaced: FileExistsError."""
        if os.path.isfile(path):
            with open(path, 'rb') as file:
                if file.read(8) in (b'PERFILE2', b'2ELIFREP'):
                    raise FileExistsError(errno.EEXIST, 'This is a recording, which a page would replace', str(path))
        with open(path, 'w', encoding='utf-8') as file:
            file.write(self.text)

    def _repr_html_(self):
        return ('<iframe srcdoc="%s" style="width: 100%%; height: 640px; border: 0"></iframe>'
                % html.escape(self.text))

    def __repr__(self):
        return f'<ktrace.Page of {len(self.text)} bytes>'


def flamegraph(recording, **selection):
    """The page of `ktrace report --html`."""
    if not isinstance(recording.path, str) or recording.is_live:
        raise ValueError('flamegraph() is of one recording that is a file: what is live is recorded '
                         'to one first')
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, 'flamegraph.html')
        export(path, 'html', recording.path, **selection)
        with open(path, encoding='utf-8') as file:
            return Page(file.read())
