/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What a recording can be written as.  A format is a row of outputs.def; a rendering writes one
 * recording in a format:
 *
 *	output_format_find("text", &format);
 *	output_format_open(format, &request, &rendering);
 *	...			all that format->takes to rendering->consumer or ->record()
 *	rendering_finish(rendering);
 *	rendering_destroy(rendering);
 */
#ifndef KTRACE_OUTPUT_RENDERING_H
#define KTRACE_OUTPUT_RENDERING_H

#include <stdio.h>

#include "lib/cleanup.h"
#include "session/session.h"

struct text_options;
struct report_options;
struct page_comparison;

/* What a rendering is made for.  Everything is borrowed and must live as long as it does. */
struct rendering_request {
	FILE *out;		/* where text goes; NULL for NEEDS_FILE */
	/* What to write for NEEDS_FILE, empty or new, or the folder for NEEDS_FOLDER; else NULL. */
	const char *path;
	const char *name;	/* what errors call the file */
	const char *recording;	/* what the file that is read is called */
	const struct event_list *events;	/* of the recording; grows while a pipe is read */
	const struct header *header;	/* of the recording; in a pipe it comes with the records */
	const struct formats *formats;	/* of its tracepoints, likewise; NULL: not known */
	const struct ledger *ledger;	/* of the recording; NULL: it has none */
	const char *wanted;	/* globs of the names of events that are selected; NULL: all are */
	const struct text_options *text;	/* NULL: as script prints without options */
	const struct report_options *report;	/* NULL: as report prints without options */
	bool task_records;	/* ctf writes the records of tasks and maps, too */
	const struct page_comparison *comparison;	/* colours a page; NULL: nothing does */
	bool no_source;		/* a page has no lines of source: it was redacted */
	const char *view;	/* what a page shows first, "graph", "time" or "waits"; NULL: graph */
};

/* What an output embeds in its own structure. */
struct rendering {
	struct session_consumer *consumer;	/* of SAMPLES; owned */
	struct error *(*record)(struct rendering *rendering, const struct record *record);
	/* Write what is left, when all records were taken; NULL: nothing is left. */
	struct error *(*finish)(struct rendering *rendering);
	void (*destroy)(struct rendering *rendering);
	bool in_file_order;	/* the consumer wants records as they stand in the file */
	uint64_t samples;	/* how many it was given by cmd/recording */
	uint64_t others;	/* how many other records it wrote, where it counts them */
};

struct error *rendering_finish(struct rendering *rendering);
void rendering_destroy(struct rendering *rendering);
DEFINE_CLEANUP_PTR(rendering, struct rendering, rendering_destroy)

/* Print @text, through the pager if @out is standard output; what failed is in ferror(@out). */
struct error *rendering_print(FILE *out, const struct strbuf *text);

/*
 * Every output names itself once in outputs.def, and has this function.  One in a plugin is
 * found by its name.
 */
#define OUTPUT(name, extension, takes, help) \
	struct error *output_##name##_open(const struct rendering_request *request, \
					   struct rendering **ret);
#define OUTPUT_PLUGIN(name, extension, takes, help) OUTPUT(name, extension, takes, help)
#include "output/outputs.def"
#undef OUTPUT
#undef OUTPUT_PLUGIN

#endif
