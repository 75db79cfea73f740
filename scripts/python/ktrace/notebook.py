# SPDX-License-Identifier: GPL-2.0
"""What notebooks show of recordings and batches."""
import html

ROWS = 20


def table(head, rows):
    """HTML of a table; the values of rows can be of any type."""
    def line(tag, values):
        return '<tr>%s</tr>' % ''.join('<%s>%s</%s>' % (tag, html.escape(str(v)), tag)
                                       for v in values)
    return '<table>%s%s</table>' % (line('th', head), ''.join(line('td', row) for row in rows))


def recording(recording):
    """HTML that says where a recording is from, and which events it has."""
    header = recording.header
    what = ', '.join(str(text) for text in (recording.path or 'live', header['hostname'],
                                            header['os_release'], header['arch']) if text)
    return '<p>%s</p>' % html.escape(what) + table(
        ('event', 'fields'), ((name, ', '.join(fields))
                              for name, fields in recording.events.items()))


def batch(batch):
    """HTML of the first rows of a batch."""
    columns = [batch[name] for name in batch.names]
    rows = [[column[n] for column in columns] for n in range(min(len(batch), ROWS))]
    return table(batch.names, rows) + '<p>%d of %s</p>' % (len(batch), html.escape(batch.event))
