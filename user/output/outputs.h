/* SPDX-License-Identifier: GPL-2.0 */
/* The table of all outputs (outputs.def), for commands.  Outputs do not use each other. */
#ifndef KTRACE_OUTPUT_OUTPUTS_H
#define KTRACE_OUTPUT_OUTPUTS_H

#include "output/rendering.h"

typedef struct error *(*rendering_open_fn)(const struct rendering_request *request,
					   struct rendering **ret);

enum output_takes {
	SAMPLES = 0,
	RECORDS = 1 << 0,
	NEEDS_FILE = 1 << 1,
	PRINTS_LINES = 1 << 2,
	NEEDS_FOLDER = 1 << 3,
};

struct output_format {
	const char *name, *extension, *help;
	unsigned int takes;		/* enum output_takes */
	rendering_open_fn open;		/* NULL: in the plugin @name */
};

/* EINVAL: no format has that name.  The error names similar ones, or all. */
struct error *output_format_find(const char *name, const struct output_format **ret);

/* ENOENT: its plugin cannot be loaded. */
struct error *output_format_open(const struct output_format *format,
				 const struct rendering_request *request,
				 struct rendering **ret);

/* Append the names of all formats, "text, dump ...". */
void output_formats_add_names(struct strbuf *out);

#endif
