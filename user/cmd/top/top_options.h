/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The options of `ktrace top`.
 */
#ifndef KTRACE_CMD_TOP_TOP_OPTIONS_H
#define KTRACE_CMD_TOP_TOP_OPTIONS_H

#include <stdbool.h>

#include "cmd/record_options.h"
#include "lib/cleanup.h"
#include "lib/error.h"
#include "symbol/symbol_files.h"
#include "table/profile/histogram_text.h"

struct top_options {
	struct record_options record;	/* for recording */
	struct report_options report;	/* how it is counted and shown */
	struct symbol_options symbols;
	const char *keys, *limit, *graph;
	unsigned int delay;		/* seconds between two refreshes */
	unsigned int entries;		/* lines of text; 0: as many as fit */
	bool zero, stdio, tui;
	bool hide_kernel, hide_user;
	bool samples;			/* -n */
	bool chains;			/* -g */
	bool children, no_children;
};

/*
 * Parse the command line.  *ret_index is below 0 if nothing is left to do, as after --help.  @ret
 * must not move afterwards.  On error it has to be released, too.
 */
struct error *top_options_parse(int argc, char **argv, struct top_options *ret, int *ret_index);
void top_options_deinit(struct top_options *options);
DEFINE_CLEANUP(top_options, struct top_options, top_options_deinit)

#endif
