/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Prints annotated listings as perf annotate --stdio does, but with the true numbers of lines.
 */
#ifndef KTRACE_TABLE_ANNOTATE_ANNOTATION_TEXT_H
#define KTRACE_TABLE_ANNOTATE_ANNOTATION_TEXT_H

#include <stdbool.h>

#include "lib/strbuf.h"
#include "profile/annotation.h"

enum annotation_number {
	ANNOTATION_PERCENT,
	ANNOTATION_SAMPLES,	/* perf's --show-nr-samples */
	ANNOTATION_PERIOD,	/* perf's --show-total-period */
};

struct annotation_text_options {
	struct percent_type percent;
	enum annotation_number number;
	bool full_paths;	/* of the binary and of source files */
	bool print_lines;	/* -l: a summary by line, and the line behind instructions */
	bool raw;		/* the bytes of instructions, too */
	bool jumps;		/* arrows beside the addresses */
};

/*
 * Append the listing with its head.  @events is the name of the events in the head; @totals are all
 * samples of each column's event.
 */
void annotation_text_add(const struct annotation *annotation, const char *events,
			 const struct sample_count *totals,
			 const struct annotation_text_options *options, struct strbuf *ret);

/* Append one line of the listing, with its line end. */
void annotation_text_add_line(const struct annotation *annotation, size_t position,
			      const struct sample_count *totals,
			      const struct annotation_text_options *options, struct strbuf *ret);

/* The width in characters of the numbers of all columns, with which a line begins. */
size_t annotation_text_numbers_width(const struct annotation *annotation,
				     const struct annotation_text_options *options);

#endif
