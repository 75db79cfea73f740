# SPDX-License-Identifier: GPL-2.0
"""Small changes of a C source: one place in the body of a function each."""

import hashlib
import re

# Texts for people, and assertions that only the compiler sees.
TEXTS = re.compile(r'\b(?:error_\w+|log_\w+|pr_\w+|warn\w*|fprintf|printf|static_assert|_Static_assert|'
                   r'BUILD_BUG_ON|BUILD_BUG_ON_MSG|WARN_ON\w*|assert)\(')
STATEMENT = re.compile(r'^\t+(?!return\b|goto\b|break\b|continue\b|case\b|default\b|else\b|if\b|for\b|'
                       r'while\b|do\b|switch\b)[*(]*[\w>.\-\[\]]+\)*(?:\[[^;=]*\])?(?:->[\w.]+)?\s*'
                       r'(?:\(.*\)|(?:[-+|&*/^]|<<|>>)?= ?[^=].*|\+\+|--);$')
LOCK = re.compile(r'^\t+(?:\w*(?:spin|raw_spin|mutex|read|write|rcu_read|preempt|local_irq|srcu_read)_'
                  r'(?:un)?lock\w*|\w*mutex_(?:un)?lock\w*|smp_\w?mb\w*|barrier|preempt_disable\w*|'
                  r'preempt_enable\w*|synchronize_\w+|local_irq_save|local_irq_restore|'
                  r'smp_store_release)\(.*\);$')
ORDERED = {'smp_store_release(': 'WRITE_ONCE(*', 'smp_load_acquire(': 'READ_ONCE(*',
           'rcu_assign_pointer(': 'RCU_INIT_POINTER('}
COMPARE = re.compile(r'(?<=[\w)\]] )(<=|>=|<|>|==|!=)(?= [\w(*&!~\x01-])')
TURNED = {'<': ['<=', '>='], '<=': ['<', '>'], '>': ['>=', '<='], '>=': ['>', '<'], '==': ['!='],
          '!=': ['==']}
LOGIC = re.compile(r' (&&|\|\|) ')
ARITHMETIC = re.compile(r'(?<=[\w)\]] )([+-])(?= [\w(*&])')
NUMBER = re.compile(r'(?<![\w.\'"])(\d+|0x[0-9a-fA-F]+)([uUlL]*)(?![\w.])')
IF = re.compile(r'^(\t+(?:\} else )?if )\((.*)\)( \{)?$')
RETURN = re.compile(r'^(\t+return )([^;]+);$')
CALL = re.compile(r'\b[a-z]\w*\(')
NO_CALL = {'if', 'for', 'while', 'switch', 'return', 'sizeof', 'offsetof', 'container_of', 'typeof',
           'likely', 'unlikely'}


class Change:
    def __init__(self, path, text, number, after, kind, again):
        lines = text.split('\n')
        self.path, self.kind, self.line = path, kind, number + 1
        self.before, self.after = lines[number], after
        self.old = text
        self.new = '\n'.join([*lines[:number], after, *lines[number + 1:]])
        # The same as long as the lines around it are.
        near = '\n'.join(lines[max(number - 2, 0):number + 3])
        what = '\0'.join((path, kind, near, self.after, str(again)))
        self.key = hashlib.sha256(what.encode()).hexdigest()[:16]


def blanked(text):
    """The text with blanks for comments, strings, characters and lines of the preprocessor."""
    pattern = re.compile(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'|'
                         r'^[ \t]*#(?:[^\n\\]|\\.|\\\n)*', re.S | re.M)
    return pattern.sub(lambda m: re.sub(r'[^\n]', '\x01', m.group()), text)


def body_lines(code):
    """The numbers of lines in bodies of functions, without tables and texts for people."""
    inside, table, texts = False, False, False
    for number, line in enumerate(code.split('\n')):
        if line == '{':
            inside = True
        elif line.startswith('}'):
            inside = False
        elif inside:
            if re.search(r'\b(?:static|const)\b.*= \{$', line) or re.search(r'\[\] = \{$', line):
                table = True
            if TEXTS.search(line):
                texts = True
            if not table and not texts:
                yield number
            if table and re.match(r'\t+\};', line):
                table = False
            if texts and re.search(r'[;{]\x01*\s*$', line):
                texts = False


def arguments(line, start):
    """[(begin, end)] of the arguments of a call whose parenthesis is before start, if it ends in
    this line."""
    depth, begin, found = 0, start, []
    for i in range(start, len(line)):
        c = line[i]
        if c in '([{':
            depth += 1
        elif c in ')]}':
            if depth == 0:
                return [*found, (begin, i)]
            depth -= 1
        elif c == ',' and depth == 0:
            found.append((begin, i))
            begin = i + 1
    return []


def stripped(line, begin, end):
    """The same place without the blanks around it."""
    while begin < end and line[begin] == ' ':
        begin += 1
    while end > begin and line[end - 1] == ' ':
        end -= 1
    return begin, end


def changed_lines(line, code):
    """(kind, changed line) for a line and its code, which has blanks in place of comments and
    strings"""
    def put(begin, end, text):
        return line[:begin] + text + line[end:]
    if LOCK.match(code):
        indent = re.match(r'\t+', line).group()
        yield 'lock', indent + ';'
    elif STATEMENT.match(code) and not re.match(r'\t+(?:free|kfree)\(', code):
        yield 'remove', re.match(r'\t+', line).group() + ';'
    for name, weaker in ORDERED.items():
        at = code.find(name)
        if at >= 0:
            yield 'lock', put(at, at + len(name), weaker)
    for m in COMPARE.finditer(code):
        for other in TURNED[m.group(1)]:
            yield 'compare', put(*m.span(1), other)
    for m in LOGIC.finditer(code):
        yield 'logic', put(*m.span(1), '||' if m.group(1) == '&&' else '&&')
    for m in ARITHMETIC.finditer(code):
        yield 'arithmetic', put(*m.span(1), '-' if m.group(1) == '+' else '+')
    declares = re.match(r'\t+(?:static |const |unsigned |struct )*\w+ \**\w+\[', code)
    for m in [] if declares else NUMBER.finditer(code):
        value = int(m.group(1), 0) if not re.match(r'0\d', m.group(1)) else int(m.group(1), 8)
        for other in (value + 1, value - 1):
            if other >= 0:
                text = f'{other:#x}' if m.group(1).startswith('0x') else str(other)
                yield 'constant', put(*m.span(1), text)
    m = IF.match(code)
    if m and m.group(2).count('(') == m.group(2).count(')'):
        yield 'negate', put(*m.span(2), f'!({line[m.start(2):m.end(2)]})')
    m = RETURN.match(code)
    if m:
        value = m.group(2)
        others = {'true': ['false'], 'false': ['true'], '0': ['1'], '1': ['0'], 'NULL': []}.get(
            value, ['0'])
        for other in others:
            yield 'return', put(*m.span(2), other)
    for m in CALL.finditer(code):
        if m.group()[:-1] in NO_CALL:
            continue
        places = [stripped(code, *place) for place in arguments(code, m.end())]
        for (a, b), (c, d) in zip(places, places[1:]):
            if line[a:b] != line[c:d]:
                yield 'exchange', line[:a] + line[c:d] + line[b:c] + line[a:b] + line[d:]


def changes_of(path, text):
    """All changes that can be made in a source, in the order of its lines."""
    code = blanked(text)
    lines, codes = text.split('\n'), code.split('\n')
    seen = {}
    for number in body_lines(code):
        for kind, after in changed_lines(lines[number], codes[number]):
            near = '\n'.join(lines[max(number - 2, 0):number + 3])
            again = seen[near, kind, after] = seen.get((near, kind, after), -1) + 1
            yield Change(path, text, number, after, kind, again)
