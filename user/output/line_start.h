/* SPDX-License-Identifier: GPL-2.0 */
/*
 * comm, task, cpu, misc and time: what every line of a record begins with.  Most
 * of it is the same from line to line of a task, and is kept as text.
 */
#ifndef KTRACE_OUTPUT_LINE_START_H
#define KTRACE_OUTPUT_LINE_START_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/strbuf.h"
#include "session/session.h"

/* All zero: nothing is kept. */
struct line_start {
	/* What text[] was made of. */
	const char *comm;	/* NULL: nothing yet */
	int32_t pid, tid, cpu;
	uint32_t fields;	/* TEXT_COMM ... TEXT_CPU */
	unsigned int comm_width;
	char text[96];
	uint8_t len;

	uint64_t second;
	char second_text[32];	/* "   12." */
	uint8_t second_len;	/* 0: none yet */
};

/*
 * Append those of @fields (output/text_fields.h).  @comm_width: at least so many
 * characters of comm; @nanoseconds: nine decimals of the time, else six.
 */
void line_start_add(struct line_start *start, struct strbuf *line, uint32_t fields,
		    unsigned int comm_width, bool nanoseconds, const struct session_record *r);

#endif
