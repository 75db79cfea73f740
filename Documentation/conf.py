# SPDX-License-Identifier: GPL-2.0
"""The book: Sphinx makes it of the same pages that rst2man and a code browser show.

The pages use plain reStructuredText, which both of these know.  So references are written as
people write them: **ktrace-record**\\(1), **ktrace record**, ``why-slow.rst``.  This file makes
links of them, and gives manual pages one title instead of a title, a subtitle and fields.
"""

import os
import re

from docutils import nodes
from sphinx import addnodes
from sphinx.transforms import SphinxTransform

project = 'ktrace'
author = 'The ktrace developers'
html_theme = 'furo'
html_title = 'ktrace'
html_show_sphinx = False
html_copy_source = False
html_last_updated_fmt = None
html_static_path = ['theme']
html_css_files = ['book.css']
templates_path = []
exclude_patterns = []
smartquotes = False
highlight_language = 'none'
pygments_style = 'friendly'
nitpicky = True

# Words that stay in capitals when a heading of a manual page gets small letters.
CAPITALS = {'BPF', 'CPU', 'CPUS', 'CSV', 'CTF', 'ELF', 'HTML', 'ID', 'IDS', 'JSON', 'KVM', 'NMI',
            'PID', 'SQL', 'SVG', 'TUI', 'PMU', 'DWARF', 'GDB', 'URL', 'GTK', 'BTF', 'LTO', 'I/O'}
PLURALS = {'CPUS': 'CPUs', 'IDS': 'IDs'}
MANUAL = re.compile(r'(?:man )?(ktrace(?:-[a-z-]+)?)(?:\([17]\))?')
COMMAND = re.compile(r'ktrace ([a-z][a-z-]*)')
MANUAL = re.compile(r'(?:man )?(ktrace(?:-[a-z0-9-]+)?)(?:\([17]\))?')
COMMAND = re.compile(r'ktrace ([a-z][a-z0-9-]*)')
# A name of a page in a text.
NAMED = re.compile(r'\bktrace-[a-z0-9-]+\([17]\)|(?<![/\w-])[a-z][a-z0-9-]*\.rst\b')
PAGE = re.compile(r'(?:Documentation/)?([a-z][a-z0-9.-]*)\.rst')


def small(text):
    """A heading in capitals as one in small letters."""
    if text != text.upper():
        return text
    words = [PLURALS.get(word, word) if word.strip('(),') in CAPITALS else word.lower()
             for word in text.split()]
    words[0] = words[0][0].upper() + words[0][1:]
    return ' '.join(words)


class ManualPage(SphinxTransform):
    """The title, the subtitle and the fields of a manual page become a title and a sentence."""
    default_priority = 50

    def apply(self, **kwargs):
        tops = [node for node in self.document.children if isinstance(node, nodes.section)]
        if len(tops) != 1 or not re.fullmatch(r'ktrace[a-z0-9-]*', tops[0][0].astext()):
            return
        top = tops[0]
        inner = [node for node in top.children if isinstance(node, nodes.section)]
        if len(inner) != 1:
            return
        sub = inner[0]
        top.remove(sub)
        text = sub[0].astext()
        top += nodes.paragraph(text, text[0].upper() + text[1:] + '.')
        top.extend(child for child in sub.children[1:]
                   if not isinstance(child, (nodes.field_list, nodes.docinfo)))
        sections = self.env.temp_data.setdefault('ktrace_sections', {})
        for title in top.findall(nodes.title):
            if title.parent is not top:
                name = title.astext()
                if name == name.upper() and name not in CAPITALS and title.parent['ids']:
                    sections[name] = title.parent['ids'][0]
                words = small(name)
                title.clear()
                title += nodes.Text(words)
                title.rawsource = words


class Pictures(SphinxTransform):
    """A paragraph that is the name of a picture becomes the picture, which rst2man cannot show."""
    default_priority = 55

    def apply(self, **kwargs):
        for node in list(self.document.findall(nodes.paragraph)):
            if len(node) == 1 and isinstance(node[0], nodes.literal) and \
                    re.fullmatch(r'pictures/[a-z-]+\.(png|svg)', node.astext()):
                node.parent.replace(node, nodes.image('', uri=node.astext(), alt=node.astext()))


class Links(SphinxTransform):
    """Names of pages and of commands become links to their pages, and those of the sections of a
    manual page links to these."""
    default_priority = 60

    def page_of(self, text):
        """The name of the page that @text names, or None."""
        manual = MANUAL.fullmatch(text)
        command = COMMAND.match(text)
        page = PAGE.fullmatch(text)
        names = []
        if page:
            names = [page.group(1), os.path.basename(page.group(1))]
        elif manual:
            names = [manual.group(1) + '.1', manual.group(1)]
        elif command:
            names = [f'ktrace-{command.group(1)}.1']
        return next((name for name in names if name in self.env.found_docs
                     and name != self.env.docname), None)

    def apply(self, **kwargs):
        self.sections = self.env.temp_data.get('ktrace_sections', {})
        titles = '|'.join(map(re.escape, sorted(self.sections, key=len, reverse=True)))
        self.titles = re.compile(rf'(?<![\w-])(?:{titles})(?![\w-])')
        for node in list(self.document.findall(nodes.Element)):
            if isinstance(node, nodes.reference):
                self.link_of_file(node)
            elif isinstance(node, (nodes.strong, nodes.literal, nodes.emphasis)):
                if not self.inside(node):
                    self.link_of_name(node)
        for node in list(self.document.findall(nodes.Text)):
            if not self.inside(node, nodes.literal, nodes.literal_block, nodes.comment):
                self.links_in_text(node)
        for node in list(self.document.findall(nodes.Text)):
            if self.sections and not self.inside(node, nodes.literal, nodes.literal_block,
                                                 nodes.comment, nodes.emphasis):
                self.links_to_sections(node)

    def inside(self, node, *kinds):
        """Whether @node is a link or a part of one, of a title, or of @kinds."""
        kinds = (nodes.reference, nodes.title, addnodes.pending_xref, *kinds)
        while node is not None:
            if isinstance(node, kinds):
                return True
            node = node.parent
        return False

    def link(self, page, shown):
        refers = addnodes.pending_xref(
            '', refdomain='std', reftype='doc', reftarget='/' + page,
            refexplicit=shown is not None, refwarn=True, refdoc=self.env.docname)
        if shown is None:
            refers += nodes.inline('', page, classes=['xref', 'std', 'std-doc'])
        else:
            refers += shown
        return refers

    def link_of_file(self, node):
        page = self.page_of(node.get('refuri', ''))
        if node.get('refname') and node.astext() in self.sections:
            node.parent.replace(node, self.link_to_section(node.astext()))
        elif page:
            titled = PAGE.fullmatch(node.astext())
            node.parent.replace(node, self.link(page, None if titled
                                                else nodes.inline('', node.astext())))

    def link_to_section(self, title):
        return nodes.reference('', small(title), internal=True, refid=self.sections[title])

    def link_of_name(self, node):
        page = self.page_of(node.astext())
        if not page:
            return
        if PAGE.fullmatch(node.astext()):
            node.parent.replace(node, self.link(page, None))
        elif not isinstance(node, nodes.literal) or node.astext().startswith('man ') or \
                node.astext().endswith(')'):
            node.parent.replace(node, self.link(page, node.deepcopy()))

    def links_in_text(self, node):
        text, at, parts = node.astext(), 0, []
        for found in NAMED.finditer(text):
            page = self.page_of(found.group())
            if page:
                shown = None if PAGE.fullmatch(found.group()) else nodes.inline('', found.group())
                parts += [nodes.Text(text[at:found.start()]), self.link(page, shown)]
                at = found.end()
        if parts:
            node.parent.replace(node, [*parts, nodes.Text(text[at:])])

    def links_to_sections(self, node):
        text, at, parts = node.astext(), 0, []
        for found in self.titles.finditer(text):
            parts += [nodes.Text(text[at:found.start()]), self.link_to_section(found.group())]
            at = found.end()
        if parts:
            whole = node.parent if isinstance(node.parent, nodes.strong) else node
            if whole is node or text == found.group():
                whole.parent.replace(whole, [*parts, nodes.Text(text[at:])])


def setup(app):
    app.add_transform(ManualPage)
    app.add_transform(Pictures)
    app.add_transform(Links)
    return {'parallel_read_safe': True, 'parallel_write_safe': True}
