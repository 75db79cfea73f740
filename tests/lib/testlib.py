# SPDX-License-Identifier: GPL-2.0
"""`import testlib` is the first line of ours in a stage: it lets it import the modules of this
folder, from wherever the stage is started.  Each folder with stages has a link to this file,
because Python looks for modules beside the program."""

import os
import sys

sys.path.insert(0, os.path.dirname(os.path.realpath(__file__)))
