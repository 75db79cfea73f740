# SPDX-License-Identifier: GPL-2.0
"""Writes an ELF program for x86-64 from functions and their bytes, without a compiler, so that
it is the same file everywhere. Nobody can run it: it is for commands that read symbols and
instructions."""
import struct

HEADER, SEGMENT, SECTION = 64, 56, 64


def elf(functions):
    """@functions: [(name, address, bytes)] in the order of their addresses, without gaps of pages."""
    start = functions[0][1]
    code = bytearray()
    for _, address, data in functions:
        code = code.ljust(address - start, b'\xcc') + data
    names, symbols = b'\0', bytes(24)
    for name, address, data in functions:
        symbols += struct.pack('<IBBHQQ', len(names), 0x12, 0, 1, address, len(data))
        names += name.encode() + b'\0'
    text = HEADER + SEGMENT
    # The offset of the code in the file and its address agree below the size of a page.
    text += (start - text) % 4096
    section_names = b'\0.text\0.symtab\0.strtab\0.shstrtab\0'
    symbols_at = text + len(code) + -len(code) % 8
    names_at = symbols_at + len(symbols)
    section_names_at = names_at + len(names)
    sections_at = section_names_at + len(section_names)
    sections_at += -sections_at % 8
    out = b'\x7fELF\2\1\1' + bytes(9)
    out += struct.pack('<HHIQQQIHHHHHH', 2, 62, 1, start, HEADER, sections_at, 0, HEADER, SEGMENT, 1,
                       SECTION, 5, 4)
    out += struct.pack('<IIQQQQQQ', 1, 5, text, start, start, len(code), len(code), 4096)
    out = out.ljust(text, b'\0') + bytes(code)
    out = out.ljust(symbols_at, b'\0') + symbols + names + section_names
    out = out.ljust(sections_at, b'\0') + bytes(SECTION)
    for name, kind, flags, address, at, size, link, info, align, entry in (
            ('.text', 1, 6, start, text, len(code), 0, 0, 16, 0),
            ('.symtab', 2, 0, 0, symbols_at, len(symbols), 3, 1, 8, 24),
            ('.strtab', 3, 0, 0, names_at, len(names), 0, 0, 1, 0),
            ('.shstrtab', 3, 0, 0, section_names_at, len(section_names), 0, 0, 1, 0)):
        out += struct.pack('<IIQQQQIIQQ', section_names.index(name.encode() + b'\0'), kind, flags,
                           address, at, size, link, info, align, entry)
    return out
