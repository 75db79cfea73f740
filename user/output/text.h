/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Records as lines of text, byte for byte as perf script prints them.
 */
#ifndef KTRACE_OUTPUT_TEXT_H
#define KTRACE_OUTPUT_TEXT_H

#include <stdbool.h>
#include <stdio.h>

#include "session/session.h"

struct text_options {
	bool nanoseconds;	/* --ns */
	bool show_task_events, show_mmap_events, show_lost_events, show_switch_events;
	const char *fields;	/* -F; NULL: perf's defaults by event type */
};

struct text_output;

/* @options and @events are borrowed. */
struct error *text_output_create(FILE *out, const struct text_options *options,
				 const struct event_list *events,
				 struct text_output **ret);
void text_output_destroy(struct text_output *output);
DEFINE_CLEANUP_PTR(text_output, struct text_output, text_output_destroy)

struct session_consumer *text_output_consumer(struct text_output *output);

#endif
