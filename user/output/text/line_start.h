/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Prints comm, task, cpu, misc and time, with which every line of a record begins.  Most of
 * that is the same for all lines of a task, and is kept as text.
 */
#ifndef KTRACE_OUTPUT_TEXT_LINE_START_H
#define KTRACE_OUTPUT_TEXT_LINE_START_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/strbuf.h"
#include "record/header.h"
#include "session/session.h"

/* From when on the times of lines are counted. */
enum line_clock {
	LINE_CLOCK_RECORDING,	/* as they are in the recording */
	LINE_CLOCK_FIRST,	/* since the first line */
	LINE_CLOCK_LAST,	/* since the line before */
};

/* All zero: nothing is kept, and the time has no colour. */
struct line_start {
	const char *time_on, *time_off;	/* color_on() and color_off() of the time; or NULL */
	enum line_clock clock;
	const struct header *header;	/* for TEXT_TOD; borrowed, or NULL */
	uint64_t base;		/* the time that is subtracted, ns; 0: none came yet */

	/* What text[] was made from. */
	const char *comm;	/* NULL: nothing yet */
	int32_t pid, tid, cpu;
	uint64_t fields;	/* TEXT_COMM ... TEXT_CPU */
	unsigned int comm_width;
	char text[96];
	uint8_t len;

	uint64_t second;
	char second_text[32];	/* "   12." */
	uint8_t second_len;	/* 0: none yet */
};

/* As the width of comm: perf's latency format, with eight characters and a plain CPU. */
#define LINE_START_LATENCY	UINT_MAX

/*
 * Append those of @fields (output/text/text_fields.h).  comm is padded to @comm_width characters.
 * @nanoseconds: the time has nine decimals, else six.
 */
void line_start_add(struct line_start *start, struct strbuf *line, uint64_t fields,
		    unsigned int comm_width, bool nanoseconds, const struct session_record *r);

#endif
