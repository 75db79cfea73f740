/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The lines of `ktrace trace`, which are perf's: one for each system call, when it returns.
 */
#ifndef KTRACE_TABLE_TRACE_TRACE_TEXT_H
#define KTRACE_TABLE_TRACE_TRACE_TEXT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "lib/cleanup.h"
#include "session/session.h"
#include "states/syscall_states.h"
#include "table/trace/syscall_words.h"

struct trace_text_options {
	FILE *out;
	bool terminal;		/* @out is one, and nothing else makes texts harmless for it */
	bool full_time;		/* times are those of the clock, not since the first event */
	bool tasks, comms;	/* say which task it is, and its name */
	bool failures;		/* only calls that fail */
	bool durations;		/* calls are traced, so other events have a column for them, too */
	bool lines;		/* false: nothing is printed */
	uint64_t shortest;	/* only calls that take as long, ns; 0: all */
	bool by_print_fmt;	/* events have the text of their print fmt, not their fields */
	uint64_t most;		/* stop after as many events; 0: no limit */
};

struct trace_text;

/* All is borrowed. */
struct error *trace_text_create(const struct trace_text_options *options,
				struct syscall_words *words, struct trace_text **ret);
void trace_text_destroy(struct trace_text *text);

struct syscall_listener *trace_text_listener(struct trace_text *text);

/* Times count from the first sample, whatever its event.  Call it for each. */
void trace_text_see(struct trace_text *text, uint64_t time);

/* Print a sample of a tracepoint, of a page fault, or of any other event. */
struct error *trace_text_event(struct trace_text *text, const struct session_record *r);
struct error *trace_text_fault(struct trace_text *text, const struct session_record *r);

/* Print that so many events were lost. */
struct error *trace_text_lost(struct trace_text *text, uint64_t lost);

/* Whether as many events were printed as were asked for. */
bool trace_text_is_full(const struct trace_text *text);

/* Write what was printed so far to the file. */
struct error *trace_text_flush(struct trace_text *text);

#endif
