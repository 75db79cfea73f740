/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What tracing live and reading a recording have in common: a consumer of a session that prints
 * system calls and the like.
 */
#ifndef KTRACE_CMD_TRACE_TRACE_H
#define KTRACE_CMD_TRACE_TRACE_H

#include <stdint.h>
#include <stdio.h>

#include "cmd/trace/trace_options.h"
#include "lib/cleanup.h"
#include "states/syscall_states.h"
#include "table/trace/syscall_stats.h"
#include "table/trace/trace_text.h"

struct trace {
	struct trace_options *options;
	struct session_consumer consumer;
	FILE *out;			/* where the trace goes; borrowed */
	struct trace_text_options text_options;
	struct syscalls *syscalls;
	struct descriptor_paths *paths;
	struct syscall_words *words;
	struct trace_text *text;
	struct syscall_stats *stats;	/* NULL: no table is wanted */
	struct syscall_states *states;
	uint64_t events;		/* samples of system calls and page faults */
	bool off;			/* by --switch-on and --switch-off */
	volatile int stop;		/* enough was printed */
};

/*
 * Prepare for a machine of kind @arch (NULL: this one), with options that are resolved for
 * it.  @live: what is traced still runs.  @trace must not move; on error it has to be released,
 * too.
 */
struct error *trace_init(struct trace *trace, struct trace_options *options, const char *arch,
			 bool live, FILE *out);
void trace_deinit(struct trace *trace);
DEFINE_CLEANUP(trace, struct trace, trace_deinit)

/* Whether the events of --switch-on and --switch-off are among these; otherwise an error. */
struct error *trace_check_switches(const struct trace_options *options,
				   const struct event_list *events);

/* Print what is left, and the table if it is wanted. */
struct error *trace_finish(struct trace *trace);

/* Open @path for writing; as perf does, keep an older file as PATH.old. */
struct error *trace_open_output(const char *path, FILE **ret);

/* Record live, and print meanwhile. */
struct error *trace_live(struct trace_options *options, int argc, char **argv);

#endif
