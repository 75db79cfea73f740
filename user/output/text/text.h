/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Prints records as lines of text, byte for byte as perf script does.
 */
#ifndef KTRACE_OUTPUT_TEXT_TEXT_H
#define KTRACE_OUTPUT_TEXT_TEXT_H

#include <stdbool.h>
#include <stdio.h>

#include "lib/cpumap.h"
#include "output/text/text_fields.h"
#include "session/session.h"

struct text_options {
	bool nanoseconds;	/* --ns */
	bool since_first, since_last;	/* --reltime, --deltatime; at most one of them */
	bool hide_callchains;	/* -G */
	bool no_inlines;	/* --no-inline */
	unsigned int max_stack;	/* --max-stack */
	const char *stop_at;	/* --stop-bt, "a,b": ends of call chains; NULL: none; borrowed */
	bool latency;		/* -L */
	bool full_source_path;	/* --full-source-path */
	bool kernel_path;	/* --show-kernel-path */
	bool show_task_events, show_mmap_events, show_lost_events, show_switch_events;
	bool show_namespace_events, show_cgroup_events, show_bpf_events;
	bool show_text_poke_events;
	bool show_round_events;	/* then records are in the order of the file, as in perf */
	struct text_files *files;	/* for the lines of samples; NULL: all in one; borrowed */
	struct text_fields fields;	/* -F; text_fields_init(): perf's defaults */
	unsigned int threads;	/* that format lines, including the caller's; 0, 1: only that one */
	const struct header *header;	/* for TEXT_TOD; NULL: the time of day is unknown */
	const struct cpumap *cpus;	/* -C for records other than samples; NULL: all */
};

struct text_files;
struct text_output;

/*
 * @options and @events are borrowed.  Columns are checked against the events at the first record.
 * Lines go to @out one by one, or many at once; give it a buffer.  With several threads, no event
 * of a record may change or go away before finish(), so recordings in pipes need a single thread.
 */
struct error *text_output_create(FILE *out, const struct text_options *options,
				 const struct event_list *events,
				 struct text_output **ret);
void text_output_destroy(struct text_output *output);
DEFINE_CLEANUP_PTR(text_output, struct text_output, text_output_destroy)

struct session_consumer *text_output_consumer(struct text_output *output);

#endif
