#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""amalgamate.py CORE-C FOLDER: writes the core as two files, FOLDER/weft.h and FOLDER/weft.c.

What is private to a file of the core (static functions and tables, structs, enumerators, macros) gets
the file's name in front, since all files become one. Comments go; the licence stays.
"""
import pathlib
import re
import sys

TOKEN = re.compile(
    r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\''
    r'|[A-Za-z_]\w*|\.?\d(?:[eEpP][+-]|[\w.])*|->|\.\.\.|\s+|.', re.S)
INCLUDE = re.compile(r'^#include ([<"])([^>"]+)[>"]\n', re.M)
FEATURE = re.compile(r'^#define (_[A-Z]+_SOURCE)\b', re.M)
LICENCE = '/* SPDX-License-Identifier: MIT */\n'


def bare(text):
    """Without comments, whose line breaks stay."""
    def strip(match):
        token = match.group(0)
        if token.startswith(('/*', '//')):
            return '\n' * token.count('\n') or ' '
        return token
    return re.sub(r'\n\s*\n+', '\n', TOKEN.sub(strip, text))


def outside_braces(text):
    """The text at file scope: what is in braces is left out, and so are macros."""
    text = re.sub(r'^[ \t]*#(?:\\\n|[^\n])*', '', text, flags=re.M)
    depth, out = 0, []
    for token in TOKEN.findall(text):
        depth -= token == '}'
        if depth == 0:
            out.append(token)
        depth += token == '{'
    return ''.join(out)


def private_names(text):
    """Names that a file defines for itself, and of them those that are tags of structs and enums."""
    scope = re.sub(r'__attribute__\(\([\w, ]+\)\)', '', outside_braces(text))
    names = set(re.findall(r'^#define (\w+)', text, re.M))
    for declaration in re.findall(r'\bstatic\b([^;{}=]*)', scope):
        name = re.search(r'(\w+)\s*(?:\(|\[|$)', declaration.strip())
        if name:
            names.add(name.group(1))
    for body in re.findall(r'\benum(?:\s+\w+)?\s*\{([^}]*)\}', text):
        names.update(re.findall(r'(?:^|,)\s*(\w+)', body))
    tags = set(re.findall(r'\b(?:struct|enum|union)\s+(\w+)\s*\{', text))
    return ({n for n in names if not n.startswith(('weft_', 'WEFT_', 'themis_', 'THEMIS_'))},
            {t for t in tags if not t.startswith(('weft_', 'themis_'))})


def renamed(text, names, tags, prefix):
    """The text with a prefix before its private names, but not before members of structs."""
    out, previous = [], ''
    depth, opens = 0, False  # whether a struct is being defined: its members keep their names
    calls = []  # per open parenthesis: 'm' where the next word is a member, 's' a struct before one
    for token in TOKEN.findall(text):
        if token.isspace():
            out.append(token)
            continue
        if token in ('struct', 'union'):
            opens = True
        elif opens and token == '{':
            depth, opens = 1, False
        elif opens and not re.match(r'\w', token):
            opens = False
        elif depth:
            depth += (token == '{') - (token == '}')
        if token == '(':
            calls.append('m' if previous == 'P' else 's' if re.search(r'_P$|offsetof', previous) else '')
        elif token == ')' and calls:
            calls.pop()
        elif token == ',' and calls and calls[-1] == 's':
            calls[-1] = 'm'
        of_struct = previous in ('.', '->') or depth or (calls and calls[-1] == 'm')
        if previous in ('struct', 'enum', 'union'):
            mine = token in tags
        else:
            mine = token in names and (token.isupper() or not of_struct)
        out.append(prefix + token if mine else token)
        previous = token
    return ''.join(out)


class Amalgam:
    """The headers of the core, each written once."""

    def __init__(self, core):
        self.core = core
        self.seen = set()
        self.system = []

    def expand(self, path, wanted):
        """A file with the core's headers in it that are wanted, each once."""
        def include(match):
            kind, name = match.groups()
            inner = self.core / ('include/' + name if name.startswith('weft/') else name)
            if kind == '<' and not name.startswith('weft/'):
                if name not in self.system:
                    self.system.append(name)
                return ''
            if not wanted(name) or inner in self.seen:
                return ''
            self.seen.add(inner)
            return self.expand(inner, wanted)
        return INCLUDE.sub(include, bare(path.read_text()))

    def private_headers(self, text):
        """Those that a source file includes and that have not been written yet."""
        out = []
        for kind, name in INCLUDE.findall(text):
            path = self.core / name
            if kind == '<' and not name.startswith('weft/') and name not in self.system:
                self.system.append(name)
            if kind == '"' and path not in self.seen:
                self.seen.add(path)
                out.append(self.expand(path, lambda n: not n.startswith('weft/')))
        return ''.join(out)


def main():
    core, folder = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    folder.mkdir(parents=True, exist_ok=True)
    public = Amalgam(core)
    header = public.expand(core / 'include/weft/weft.h', lambda name: name.startswith('weft/'))
    system = ''.join(f'#include <{name}>\n' for name in sorted(public.system))
    (folder / 'weft.h').write_text(LICENCE + system + header)

    headers = Amalgam(core)
    # What a system's headers show is asked for before the first of them.
    asked = {define for path in core.glob('*/*.c') for define in FEATURE.findall(path.read_text())}
    parts = [LICENCE + ''.join(f'#define {name}\n' for name in sorted(asked)), '#include "weft.h"\n']
    for path in sorted(core.glob('*/*.c')):
        text = FEATURE.sub('', bare(path.read_text()))
        # In a file of its own an inline function of a header may go unused.
        parts += ['#pragma GCC diagnostic push\n'
                  '#pragma GCC diagnostic ignored "-Wunused-function"\n',
                  headers.private_headers(text), '#pragma GCC diagnostic pop\n']
        names, tags = private_names(text)
        body = renamed(INCLUDE.sub('', text), names, tags, re.sub(r'\W', '_', path.stem) + '__')
        parts.append(body)
        parts += [f'#undef {name}\n' for name in re.findall(r'^#define (\w+)', body, re.M)]
    parts.insert(2, ''.join(f'#include <{name}>\n' for name in sorted(headers.system)))
    (folder / 'weft.c').write_text(''.join(parts))


if __name__ == '__main__':
    main()
