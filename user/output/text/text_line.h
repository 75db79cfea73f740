/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Prints one sample as its line or lines: the columns of text_fields, as perf script does.
 */
#ifndef KTRACE_OUTPUT_TEXT_TEXT_LINE_H
#define KTRACE_OUTPUT_TEXT_TEXT_LINE_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/strbuf.h"
#include "output/text/text.h"
#include "record/header.h"
#include "session/callchain.h"
#include "session/session.h"

/*
 * Prints comm, task, cpu, misc and time, with which every line of a record begins.  Most of it is
 * the same for all lines of a task, and is cached as text.
 */

/* The origin of the times of lines. */
enum line_clock {
	LINE_CLOCK_RECORDING,	/* as in the recording */
	LINE_CLOCK_FIRST,	/* since the first line */
	LINE_CLOCK_LAST,	/* since the line before */
};

/* All zero: nothing is cached, and the time has no colour. */
struct line_start {
	const char *time_on, *time_off;	/* color_on() and color_off() of the time; or NULL */
	enum line_clock clock;
	const struct header *header;	/* for TEXT_TOD; borrowed, or NULL */
	uint64_t base;		/* the time that is subtracted, ns; 0: no line yet */

	/* The values that text[] shows. */
	const char *comm;	/* NULL: none yet */
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

struct place_text;

/* The shared style of all lines.  It does not change while lines are formatted. */
struct text_style {
	const struct text_options *options;	/* borrowed */
	struct text_fields fields;	/* the fields of the options that the events have */
	struct strbuf labels;		/* the names of events and their tails, equally long */
	size_t label_size;		/* of each of them, in bytes */
};

/* @options is borrowed.  It is an error if the user named a column that no event has. */
struct error *text_style_init(struct text_style *style, const struct text_options *options,
			      const struct event_list *events);
void text_style_deinit(struct text_style *style);

/* The columns of @event; 0: its samples are not shown. */
static inline uint64_t text_style_fields(const struct text_style *style, const struct event *event)
{
	return style->fields.kinds[text_kind_of(event)].fields;
}

/* Formats lines, with the state that it keeps between them; for one thread.  @style is borrowed. */
struct text_line {
	const struct text_style *style;
	struct line_start start;
	struct callchain chain;
	struct place_text *places;
	struct instruction_texts *instructions;	/* NULL: not needed yet */
	struct source_lines *sources;		/* likewise */
	size_t data_src_width;	/* of the widest data source so far, to which the rest is padded */
};

/* @machine (borrowed) names addresses; NULL: they have no names. */
struct error *text_line_init(struct text_line *line, const struct text_style *style,
			     struct machine *machine);
void text_line_deinit(struct text_line *line);

/* Append the columns with which every line begins: of a sample, or of another record. */
void text_line_add_start(struct text_line *line, const struct session_record *r,
			 struct strbuf *out);

/*
 * Append the line of a sample.  ENOENT: instructions are to be shown, and there is no disassembler
 * for this machine.
 */
struct error *text_line_add_sample(struct text_line *line, const struct session_record *r,
				   struct strbuf *out);

/*
 * Whether the line of a sample depends only on its bytes, its event, the event's format, and its
 * comm, and not on the maps or symbols at that instant.
 */
bool text_line_stands_alone(const struct text_style *style, const struct session_record *r);

#endif
