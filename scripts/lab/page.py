# SPDX-License-Identifier: GPL-2.0
"""Writes the results of a lab as one page of HTML, which loads nothing: its style is inside, and it
has no script.  Its colours are those of the page of `ktrace report`."""

import fnmatch
import html
import os
import re
import urllib.parse

import report

LAB = os.path.dirname(os.path.realpath(__file__))
COLORS = os.path.join(os.path.dirname(os.path.dirname(LAB)), 'user/page/colors.css')
# The linked files, in this order, with their titles.
FILES = (('lab*.data', 'recording'), ('profile*.data', 'profile'), ('*.json', 'findings'),
         ('dmesg.log', "the kernel's messages"), ('console.log', 'console'))
HEAD = '''<!DOCTYPE html>
<!-- SPDX-License-Identifier: GPL-2.0 -->
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>ktrace lab</title>
<style>
'''
SUMMARIES = ('All is fine.', 'There are findings.', 'Something could not be judged.')


def text(value):
    return html.escape(report.clean(value))


def style():
    found = ''
    for path in (COLORS, os.path.join(LAB, 'page.css')):
        with open(path, encoding='utf-8') as f:
            found += re.sub(r'\A/\* SPDX.*\n', '', f.read())
    return found


def section_id(number):
    return f'kernel-{number}'


def verdict(row):
    shown = row.verdict + (f' {row.number}' if row.number else '')
    return f'<span class="{row.verdict}">{shown}</span>'


def overview(tries):
    """Each check of each kernel."""
    checks = list(dict.fromkeys(row.check for each in tries for row in each.rows))
    head = ''.join(f'<th scope="col"><a href="#{section_id(n)}">{text(each.name)}</a></th>'
                   for n, each in enumerate(tries))
    yield f'<div class="scroll"><table>\n<tr><th scope="col">check</th>{head}</tr>\n'
    for check in checks:
        cells = ''
        for each in tries:
            row = next((row for row in each.rows if row.check == check), None)
            cells += f'<td>{verdict(row) if row else ""}</td>'
        yield f'<tr><th scope="row">{text(check)}</th>{cells}</tr>\n'
    yield '</table></div>\n'


def table(each):
    yield ('<div class="scroll"><table>\n<tr><th scope="col">check</th><th scope="col">verdict</th>'
           '<th scope="col" class="number">findings</th><th scope="col">of</th>'
           '<th scope="col">rules</th></tr>\n')
    for row in each.rows:
        number = '' if row.number is None else row.number
        yield (f'<tr><th scope="row">{text(row.check)}</th><td><span class="{row.verdict}">{row.verdict}'
               f'</span></td><td class="number">{number}</td><td>{text(row.of)}</td>'
               f'<td>{text(report.rules(row))}</td></tr>\n')
    yield '</table></div>\n'


def details(each):
    """The lines of rows; the details of failed rows are open."""
    for row in each.rows:
        lines = report.said(row) + [report.clean(line) for line in report.cost_lines(row)]
        if not lines:
            continue
        shown = ' open' if row.verdict != report.FINE else ''
        yield (f'<details{shown}><summary>{text(row.check)}: {verdict(row)}</summary>\n'
               f'<pre>{html.escape(chr(10).join(lines))}</pre></details>\n')


def files(each, output, folder):
    """Links to the files of the guests.  @output: the final folder of results; @folder: of the
    page."""
    for part in each.parts:
        if not os.path.isdir(part.folder):
            continue
        names = sorted(os.listdir(part.folder))
        links = ''
        for pattern, what in FILES:
            for name in fnmatch.filter(names, pattern):
                path = os.path.join(output, os.path.basename(part.folder), name)
                url = urllib.parse.quote(os.path.relpath(path, folder))
                links += f'<li><a href="{html.escape(url)}">{text(name)}</a> ({html.escape(what)})</li>\n'
        if links:
            yield f'<p>{text(part.name)}:</p>\n<ul class="files">\n{links}</ul>\n'


def page(args, tries, path):
    """The text of the page for this path."""
    found = [HEAD, style(), '</style>\n</head>\n<body>\n<header>\n<h1>ktrace lab</h1>\n',
             f'<p>{SUMMARIES[report.status(tries)]}</p>\n']
    if args.workload:
        found.append(f'<p>Workload: {text(" ".join(args.workload))}</p>\n')
    found += ['</header>\n<main>\n', *(overview(tries) if len(tries) > 1 else ())]
    for number, each in enumerate(tries):
        found += [f'<section id="{section_id(number)}">\n<h2>{text(each.title)}</h2>\n', *table(each),
                  *details(each), *files(each, os.path.abspath(args.output),
                                         os.path.dirname(os.path.abspath(path))), '</section>\n']
    return ''.join(found) + '</main>\n</body>\n</html>\n'
