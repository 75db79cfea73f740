/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The options of `ktrace record`.
 */
#ifndef KTRACE_CMD_RECORD_OPTIONS_H
#define KTRACE_CMD_RECORD_OPTIONS_H

#include <stdbool.h>

#include "format/event_spec.h"
#include "lib/cleanup.h"
#include "lib/error.h"
#include "recorder/plan.h"

struct record_options {
	struct event_specs specs;
	struct plan_options plan;	/* points to specs, and into argv */
	const char *output;	/* NULL: perf.data, or a pipe on standard output */
	unsigned int latency;	/* --latency, ms; 0: not given */
	/* Descriptors that our parent passes to us; 0: none. */
	unsigned int ready;	/* gets a byte when recording has begun */
	unsigned int command_output;	/* --command-output: standard error of the command */
	int compression;	/* -z; 0: none */
	bool page_cache;	/* --page-cache */
	bool overwrite, snapshot, snapshot_on;	/* --overwrite, --snapshot, --snapshot-on */
	bool snapshot_on_exit;	/* --snapshot-on-exit, with the status below */
	int snapshot_status;	/* -1: any but 0 */
	bool require_complete;
	char **command;		/* ended by NULL; NULL: none */
};

/*
 * Parse the command line.  *ret_index is below 0 if there is nothing left to do, as after
 * --help.  @ret must not move afterwards; on error it has to be released, too.
 */
struct error *record_options_parse(int argc, char **argv, struct record_options *ret,
				   int *ret_index);
void record_options_deinit(struct record_options *options);
DEFINE_CLEANUP(record_options, struct record_options, record_options_deinit)

/* Whether files are written only when a snapshot is asked for. */
bool record_options_want_snapshots(const struct record_options *options);

/*
 * Parse "1024" or "4M" into pages of a ring, rounded up to a power of two; @data points to an
 * unsigned int.
 */
struct error *record_parse_pages(void *data, const char *text);

#endif
