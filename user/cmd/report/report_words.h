/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The options of `ktrace report`.
 */
#ifndef KTRACE_CMD_REPORT_REPORT_WORDS_H
#define KTRACE_CMD_REPORT_REPORT_WORDS_H

#include <regex.h>
#include <stdbool.h>

#include "cmd/recording.h"
#include "cmd/selection_words.h"
#include "lib/cleanup.h"
#include "lib/error.h"
#include "perfdata/reader.h"
#include "symbol/symbol_files.h"
#include "table/profile/histogram_text.h"

struct report_words {
	struct recording_inputs inputs;
	struct recording_inputs others;		/* of --diff */
	const char *diff_by;			/* --diff-by; NULL: not given */
	bool diff_cost, diff_shares;		/* the value of diff_by */
	const char *limit, *graph, *percentage, *separator, *parent, *ignored, *widths;
	const char *pretty, *switch_on, *switch_off, *html, *view;
	struct histogram_words columns;
	struct selection_words selection;
	struct symbol_options symbols;
	bool children, no_children, header_only, stats, tasks, dump, stdio, tui, force, inlined;
	bool full_header, off_cpu, wall_time, branches, no_branches, inverted, show_switches;
	int32_t socket;
	regex_t parents, ignored_names;		/* valid if `report` points to them */
	struct report_options report;
};

/*
 * Parse the command line.  *ret_index is below 0 if nothing is left to do, as after --help.  @ret
 * must not move afterwards.  On error it has to be released, too.
 */
struct error *report_words_parse(int argc, char **argv, struct report_words *ret, int *ret_index);
void report_words_deinit(struct report_words *words);

/* Choose the counted samples and the keys by the content of the recording. */
struct error *report_words_finish(struct report_words *words, struct reader *reader);

#endif
