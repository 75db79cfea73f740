/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Prints the line of the source that a sample is in, "|12      \tx = y;", where it is another
 * one than at the sample of the same thread before, as perf script -F srccode does.
 */
#ifndef KTRACE_OUTPUT_TEXT_SOURCE_LINES_H
#define KTRACE_OUTPUT_TEXT_SOURCE_LINES_H

#include <stdint.h>

#include "lib/cleanup.h"
#include "lib/error.h"
#include "lib/strbuf.h"
#include "session/machine.h"

struct source_lines;

struct error *source_lines_create(struct source_lines **ret);
void source_lines_destroy(struct source_lines *lines);
DEFINE_CLEANUP_PTR(source_lines, struct source_lines, source_lines_destroy)

/*
 * Append the line of @place and a line feed; nothing where it is not known or was printed.  The
 * machine that found @place must live as long as @lines.
 */
struct error *source_lines_add(struct source_lines *lines, int32_t tid, const struct place *place,
			       struct strbuf *out);

#endif
