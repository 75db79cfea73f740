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
	bool terminal;		/* @out is one, and only this code escapes texts for it */
	bool full_time;		/* times are those of the clock, not since the first event */
	bool tasks, comms;	/* print the task, and its name */
	bool failures;		/* only calls that fail */
	bool durations;		/* calls are traced, so all lines have a column for durations */
	bool lines;		/* false: nothing is printed */
	uint64_t shortest;	/* only calls that take at least this long, ns; 0: all */
	bool by_print_fmt;	/* events have the text of their print fmt, not their fields */
	uint64_t most;		/* stop after this number of events; 0: no limit */
};

struct trace_text;

/* All is borrowed. */
struct error *trace_text_create(const struct trace_text_options *options,
				struct syscall_words *words, struct trace_text **ret);
void trace_text_destroy(struct trace_text *text);

struct syscall_listener *trace_text_listener(struct trace_text *text);

/* Times count from the first sample of any event.  Call this for each sample. */
void trace_text_see(struct trace_text *text, uint64_t time);

/* Print a sample of a tracepoint, of a page fault, or of any other event. */
struct error *trace_text_event(struct trace_text *text, const struct session_record *r);
struct error *trace_text_fault(struct trace_text *text, const struct session_record *r);

/* Print the number of lost events. */
struct error *trace_text_lost(struct trace_text *text, uint64_t lost);

/* Whether the requested number of events was printed. */
bool trace_text_is_full(const struct trace_text *text);

/* Write the buffered text to the file. */
struct error *trace_text_flush(struct trace_text *text);

#endif
