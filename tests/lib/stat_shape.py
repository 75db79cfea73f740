# SPDX-License-Identifier: GPL-2.0
"""Tables of counts without their numbers, to compare those of different runs."""

import re


def shape(text):
    """Parts with a fixed column in a table keep it."""
    text = re.sub(r'  \( \+- *[0-9.]+% \)', '', text)
    text = re.sub(r'# +[0-9.]+ [KMG]?/sec *', '# RATE', text)
    text = re.sub(r'\+- *[0-9.]+|,[0-9.]+%|[0-9.]+,[KMG]?/sec', 'N', text)
    return re.sub(r' *[0-9][0-9.]*', lambda m: '#' * len(m.group()) if m.group()[0] == ' ' else '#',
                  text)
