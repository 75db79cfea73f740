# SPDX-License-Identifier: GPL-2.0
"""The names of checks, as they stand in the sources of tests: NAME of `is "$a" b "NAME"`
in shell, `is_(a, b, 'NAME')` in Python and `is_str(a, b, "NAME")` in C. Parts that are only known
when a test runs are $name in shell, {} elsewhere."""

import ast
import re

# Where the name is among the arguments of a check.
SHELL = {'ok': 0, 'not_ok': 0, 'pass': 0, 'fail': 0, 'is': 2, 'like': 2, 'unlike': 2, 'skip': 1}
PYTHON = {'ok': 1, 'is_': 2, 'like': 2, 'unlike': 2, 'raises': 2, 'skip': 1}
C = re.compile(r'\b(ok|is_u64|is_str|no_error|is_error)\(')


def shell_word(text, i):
    """The end of the shell word that begins at text[i]."""
    while i < len(text) and text[i] not in ' \t\n;&|)':
        if text[i] == '\\':
            i += 2
        elif text[i] == "'":
            i = text.index("'", i + 1) + 1
        elif text[i] == '"':
            i += 1
            while text[i] != '"':
                i = shell_expansion(text, i) if text[i] == '$' else i + 1 + (text[i] == '\\')
            i += 1
        elif text[i] == '$':
            i = shell_expansion(text, i)
        else:
            i += 1
    return i


def shell_expansion(text, i):
    """The end of the expansion that begins with the $ at text[i]."""
    if text[i + 1] == '{':
        return text.index('}', i) + 1
    if text[i + 1] != '(':
        return i + 1
    i += 2
    while text[i] != ')':
        if text[i] == '(':
            i = shell_expansion(text, i - 1)
        elif text[i] in ' \t\n;&|':
            i += 1
        else:
            i = shell_word(text, i)
    return i + 1


def shell_names(text):
    """(line, name, check) for each check of a shell script whose name stands there."""
    for m in re.finditer(r'(?m)(?:^|[;&|{] |\b(?:then|else|do) )[ \t]*(\w+) ', text):
        if m[1] not in SHELL:
            continue
        i = m.end()
        for _ in range(SHELL[m[1]] + 1):
            while text[i] in ' \t' or text[i:i + 2] == '\\\n':
                i += 2 if text[i] == '\\' else 1
            begin, i = i, shell_word(text, i)
        name = text[begin:i]
        if name[:1] in '"\'':
            yield text.count('\n', 0, begin) + 1, name[1:-1], m[1]


def python_text(node):
    """The text of a string or an f-string, with {} for parts that are only known when it runs."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    if isinstance(node, ast.JoinedStr):
        return ''.join(v.value if isinstance(v, ast.Constant) else '{}' for v in node.values)
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mod):
        return re.sub(r'%[-\d]*\w', '{}', python_text(node.left) or '')
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        return (python_text(node.left) or '{}') + (python_text(node.right) or '{}')
    return None


def python_names(text):
    for node in ast.walk(ast.parse(text)):
        if not isinstance(node, ast.Call):
            continue
        check = getattr(node.func, 'id', None) or getattr(node.func, 'attr', None)
        if check in PYTHON and len(node.args) > PYTHON[check]:
            name = python_text(node.args[PYTHON[check]])
            if name:
                known = check == 'ok' and isinstance(node.args[0], ast.Constant)
                yield node.args[PYTHON[check]].lineno, name, 'pass' if known else check


def c_names(text):
    """The last string among the arguments of a check."""
    for m in C.finditer(text):
        depth, i, last = 1, m.end(), None
        while depth and i < len(text):
            if text[i] == '"':
                end = re.compile(r'"((?:[^"\\]|\\.)*)"').match(text, i)
                last, i = end, end.end()
                continue
            if text[i] == "'":
                i = re.compile(r"'(\\.|.)'").match(text, i).end()
                continue
            depth += (text[i] == '(') - (text[i] == ')')
            i += 1
        if last:
            yield text.count('\n', 0, last.start()) + 1, re.sub('%[a-z]+', '{}', last[1]), m[1]


def names_of(path):
    """(line, name, check) for each check in a file."""
    with open(path, errors='replace') as f:
        text = f.read()
    if path.endswith('.c'):
        return list(c_names(text))
    first = text.split('\n', 1)[0]
    if 'python' in first or path.endswith('.py'):
        return list(python_names(text))
    if first.endswith('sh'):
        return list(shell_names(text))
    return []
