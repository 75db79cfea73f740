// SPDX-License-Identifier: GPL-2.0
#include "symbol/dwarf_lines.h"

void dwarf_lines_destroy(struct dwarf_lines *lines)
{
}
