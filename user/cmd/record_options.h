/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The options of `ktrace record`.
 */
#ifndef KTRACE_CMD_RECORD_OPTIONS_H
#define KTRACE_CMD_RECORD_OPTIONS_H

#include <stdbool.h>

#include "cmd/keep_options.h"
#include "lib/cleanup.h"
#include "lib/error.h"
#include "recorder/parts.h"
#include "recorder/plan.h"
#include "spec/event_spec.h"

struct record_options {
	struct event_specs specs;
	struct plan_options plan;	/* points to specs, and into argv */
	const char *control;	/* NULL: no control channel */
	const char *output;	/* NULL: perf.data */
	const char *token;	/* --token; NULL: not given */
	unsigned int latency;	/* --latency, ms; 0: not given */
	/* Descriptors that our parent passes to us; 0: none. */
	unsigned int ready;	/* gets a byte when recording has begun */
	unsigned int command_output;	/* --command-output: standard error of the command */
	unsigned int delay;	/* -D, ms; 0: none */
	uint64_t max_bytes;	/* --max-size; 0: no limit */
	bool in_parts;		/* --switch-output, with this limit */
	struct parts_limit part;
	unsigned int max_files;	/* --switch-max-files; 0: no limit */
	struct event_specs switch_on;	/* --switch-output-event; empty: not given */
	bool embed;		/* --embed */
	bool timed_name;	/* --timestamp-filename */
	int compression;	/* -z; 0: none */
	bool off_cpu;		/* --off-cpu */
	bool all_build_ids;	/* --buildid-all */
	bool dry_run;		/* --dry-run */
	unsigned int priority;	/* --realtime; 0: not given */
	bool page_cache;	/* --page-cache */
	bool overwrite, snapshot, snapshot_on;	/* --overwrite, --snapshot, --snapshot-on */
	uint64_t last;		/* --last, ns; 0: not given */
	uint64_t gap;		/* --gap, ns */
	bool on;		/* --on */
	struct keep_options keep;	/* --keep and --keep-context */
	bool snapshot_on_exit;	/* --snapshot-on-exit, with the status below */
	int snapshot_status;	/* -1: any but 0 */
	bool require_complete;
	const char *detach;	/* the name of the session to leave behind; NULL: none */
	char **command;		/* ended by NULL; NULL: none */
};

/*
 * Parse the command line.  *ret_index is below 0 if nothing is left to do, as after --help.  @ret
 * must not move afterwards.  On error it has to be released, too.
 */
struct error *record_options_parse(int argc, char **argv, struct record_options *ret,
				   int *ret_index);
void record_options_deinit(struct record_options *options);
DEFINE_CLEANUP(record_options, struct record_options, record_options_deinit)

/* Whether files are written only on request, as snapshots. */
bool record_options_want_snapshots(const struct record_options *options);

/*
 * Parse "1024" or "4M" into pages of a ring, rounded up to a power of two; @data points to an
 * unsigned int.
 */
struct error *record_parse_pages(void *data, const char *text);

/* For option tables of other commands that record; @data points to a struct event_specs ... */
struct error *record_add_event(void *data, const char *text);
struct error *record_add_filter(void *data, const char *text);
/* ... to an unsigned int, Hz ... */
struct error *record_parse_freq(void *data, const char *text);
/* ... to a struct record_options: milliseconds, or -1 (-D) ... */
struct error *record_parse_delay(void *data, const char *text);
/* ... and to a struct record_options: "auto", "fp", "lbr" or "dwarf[,BYTES]". */
struct error *record_parse_call_graph(void *data, const char *text);

#endif
