/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The output formats of a recording.  A format is a row of outputs.def; a rendering writes one
 * recording in a format:
 *
 *	output_format_find("text", &format);
 *	output_format_open(format, &request, &rendering);
 *	...			pass all that format->takes to rendering->consumer or ->record()
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

/* The parameters of a rendering.  Everything is borrowed and must live as long as it does. */
struct rendering_request {
	FILE *out;		/* for text; NULL for NEEDS_FILE */
	/* The file for NEEDS_FILE, empty or new, or the folder for NEEDS_FOLDER; else NULL. */
	const char *path;
	const char *name;	/* of the output, for errors */
	const char *recording;	/* name of the recording's file */
	const struct event_list *events;	/* of the recording; grows while a pipe is read */
	const struct header *header;	/* of the recording; a pipe has it among the records */
	const struct formats *formats;	/* of its tracepoints, likewise; NULL: unknown */
	const struct ledger *ledger;	/* of the recording; NULL: none */
	const char *wanted;	/* globs of the names of selected events; NULL: all */
	const struct text_options *text;	/* NULL: the defaults of script */
	const struct report_options *report;	/* NULL: the defaults of report */
	bool task_records;	/* ctf writes the records of tasks and maps, too */
	const struct page_comparison *comparison;	/* colours a page; NULL: no comparison */
	bool no_source;		/* a page has no lines of source: it was redacted */
	const char *view;	/* first view of a page: "graph", "time" or "waits"; NULL: graph */
};

/* An output embeds this in its own structure. */
struct rendering {
	struct session_consumer *consumer;	/* of SAMPLES; owned */
	struct error *(*record)(struct rendering *rendering, const struct record *record);
	/* Write the rest after all records were passed; NULL: there is no rest. */
	struct error *(*finish)(struct rendering *rendering);
	void (*destroy)(struct rendering *rendering);
	bool in_file_order;	/* the consumer wants records in the order of the file */
	uint64_t samples;	/* samples that cmd/recording passed to it */
	uint64_t others;	/* other records that it wrote, if it counts them */
};

struct error *rendering_finish(struct rendering *rendering);
void rendering_destroy(struct rendering *rendering);
DEFINE_CLEANUP_PTR(rendering, struct rendering, rendering_destroy)

/* Print @text, through the pager if @out is standard output. ferror(@out) shows a failure. */
struct error *rendering_print(FILE *out, const struct strbuf *text);

/*
 * Every output has a row in outputs.def, and this function.  One in a plugin is found by its name.
 */
#define OUTPUT(name, extension, takes, help) \
	struct error *output_##name##_open(const struct rendering_request *request, \
					   struct rendering **ret);
#define OUTPUT_PLUGIN(name, extension, takes, help) OUTPUT(name, extension, takes, help)
#include "output/outputs.def"
#undef OUTPUT
#undef OUTPUT_PLUGIN

#endif
