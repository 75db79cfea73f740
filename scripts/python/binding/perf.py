# SPDX-License-Identifier: GPL-2.0
"""perf's Python binding, for scripts that import it.  Python prefers perf's own in one folder."""

import sys

from ktrace import perf

sys.modules[__name__] = perf
