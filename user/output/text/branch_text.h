/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Prints the branches of a sample as perf script does.
 */
#ifndef KTRACE_OUTPUT_TEXT_BRANCH_TEXT_H
#define KTRACE_OUTPUT_TEXT_BRANCH_TEXT_H

#include <stdint.h>

#include "lib/strbuf.h"
#include "session/session.h"

/*
 * Append, for each branch, " FROM/TO/M/X/A/CYCLES/TYPE ": by @field (enum text_field) the two
 * are addresses (TEXT_BRSTACK), names (TEXT_BRSTACKSYM) or addresses in their binaries
 * (TEXT_BRSTACKOFF).  With @dso, the name of the binary follows each of them.
 */
void branch_text_add(struct strbuf *out, const struct session_record *r, uint32_t field, bool dso);

#endif
