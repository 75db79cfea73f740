# SPDX-License-Identifier: GPL-2.0
"""Reads messages of protocol buffers by the format of their bytes alone."""


def fields(data):
    """(number, value) of a message: numbers, and bytes."""
    at = 0

    def number():
        nonlocal at
        value = shift = 0
        while True:
            byte = data[at]
            at += 1
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value
    while at < len(data):
        tag = number()
        value = number()
        if tag & 7 == 2:
            at += value
            value = data[at - value:at]
        yield tag >> 3, value


def packed(data):
    value = shift = 0
    for byte in data:
        value |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            yield value
            value = shift = 0


def all_of(data, number):
    """The values of a field that can come several times."""
    return [value for n, value in fields(data) if n == number]


def signed(value):
    return value - 2**64 if value >= 2**63 else value
