/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Shared code of live tracing and of reading a recording: a consumer of a session that prints
 * system calls and other events.
 */
#ifndef KTRACE_CMD_TRACE_TRACE_H
#define KTRACE_CMD_TRACE_TRACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "cmd/record_options.h"
#include "format/syscalls.h"
#include "lib/cleanup.h"
#include "lib/error.h"
#include "lib/strbuf.h"
#include "states/syscall_states.h"
#include "symbol/symbol_files.h"
#include "table/trace/syscall_stats.h"
#include "table/trace/trace_text.h"

/*
 * The options of `ktrace trace`.
 */
struct trace_options {
	struct record_options record;	/* for recording */
	struct symbol_options symbols;
	const char *input, *output;	/* NULL: not given */
	const char *duration;		/* the argument of --duration */
	uint64_t shortest;		/* its value, ns */
	bool summary_only, with_summary, errnos;
	bool full_time, failures, comms, no_comms, force;
	bool major, minor;		/* page faults are traced */
	bool syscalls;			/* system calls are */
	unsigned int most;		/* --max-events; 0: no limit */
	bool sched;			/* --sched */
	bool by_print_fmt;		/* --libtraceevent_print */
	const char *cgroup;		/* -G; NULL: not given */
	const char *delay;		/* the argument of -D; NULL: not given */
	struct strbuf without;		/* --filter-pids, as a filter; empty: not given */
	const char *switch_on, *switch_off;	/* NULL: not given */
	bool show_switches;		/* --show-on-off-events */

	/* The arguments of -e, which are system calls or events; borrowed except for the copies. */
	struct trace_word {
		char *text;
		bool is_event;		/* set by trace_options_resolve() */
		bool with_next;		/* of the same -e as the next one */
		const char *filter;	/* NULL: none */
	} *words;
	size_t nr_words, alloc_words;
	bool other_calls;		/* "!": all calls but the named ones */
	bool choose;			/* calls are named, so that `wanted` counts */
	bool wanted[SYSCALL_NUMBERS];
	bool has_events;		/* words name events */
	char **command;			/* ended by NULL; NULL: none */
	char **record_argv;		/* "record" and the arguments behind it; NULL: not given */
};

/*
 * Parse the command line.  *ret_index is below 0 if nothing is left to do, as after --help.  @ret
 * must not move afterwards.  On error it has to be released, too.
 */
struct error *trace_options_parse(int argc, char **argv, struct trace_options *ret, int *ret_index);
void trace_options_deinit(struct trace_options *options);
DEFINE_CLEANUP(trace_options, struct trace_options, trace_options_deinit)

/*
 * Find out which words are system calls of the machine, and choose the events.  All other words
 * must look like events.
 */
struct error *trace_options_resolve(struct trace_options *options, struct syscalls *syscalls);

/* Whether the call is traced whose number in @syscalls is @number. */
const bool *trace_options_wanted(const struct trace_options *options);

struct trace {
	struct trace_options *options;
	struct session_consumer consumer;
	FILE *out;			/* for the trace; borrowed */
	struct trace_text_options text_options;
	struct syscalls *syscalls;
	struct descriptor_paths *paths;
	struct syscall_words *words;
	struct trace_text *text;
	struct syscall_stats *stats;	/* NULL: no table is printed */
	struct syscall_states *states;
	uint64_t events;		/* samples of system calls and page faults */
	bool off;			/* by --switch-on and --switch-off */
	volatile int stop;		/* enough was printed */
};

/*
 * Prepare for a machine of kind @arch (NULL: this one); the options are already resolved for it.
 * @live: the traced tasks still run.  @trace must not move.  On error it has to be released, too.
 */
struct error *trace_init(struct trace *trace, struct trace_options *options, const char *arch,
			 bool live, FILE *out);
void trace_deinit(struct trace *trace);
DEFINE_CLEANUP(trace, struct trace, trace_deinit)

/* An error unless the events of --switch-on and --switch-off are in @events. */
struct error *trace_check_switches(const struct trace_options *options,
				   const struct event_list *events);

/* Print the remaining lines, and the table if it was requested. */
struct error *trace_finish(struct trace *trace);

/* Open @path for writing; as perf does, keep an older file as PATH.old. */
struct error *trace_open_output(const char *path, FILE **ret);

/* Record live, and print meanwhile. */
struct error *trace_live(struct trace_options *options, int argc, char **argv);

#endif
