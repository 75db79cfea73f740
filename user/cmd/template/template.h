/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The parts of `ktrace template`, which makes a module of template probes from a folder with trace
 * headers.
 */
#ifndef KTRACE_CMD_TEMPLATE_TEMPLATE_H
#define KTRACE_CMD_TEMPLATE_TEMPLATE_H

#include <stdbool.h>
#include <stddef.h>

#include "header/trace_header.h"
#include "lib/array.h"
#include "lib/cleanup.h"
#include "lib/error.h"

struct path_list {
	char **items;
	size_t nr, alloc;
};

/* A class whose templates are not built, and why. */
struct left_out {
	char *class_name;
	char *reason;		/* a sentence without the dot, with header and line */
};

/* A trace header, which becomes one module. */
struct template_header {
	char *path;		/* absolute */
	char *source;		/* file that has CREATE_TRACE_POINTS before it; NULL: none */
	char *object;		/* "mydrv_probes" */
	char *before;		/* directives of @source before it, for the C file; "": none */
	struct trace_header *parsed;
	ARRAY_OF(struct left_out) left_out;
	char *failed;		/* why none of it is built; NULL: it is built */
	bool round_left_out;	/* the last build led to a class that is left out */
};

struct template {
	const char *folder;	/* absolute, of the module's sources */
	const char *output;	/* absolute, for all written and built files */
	const char *kernel;	/* folder that modules are built against */
	char *release;		/* of that kernel */
	struct path_list include;	/* folders for -I, and options of the compiler */
	struct path_list words;		/* "-DNAME=1" */
	struct path_list symbols;	/* files Module.symvers */
	char *log;		/* messages of the kernel's build, a file in @output */
	ARRAY_OF(struct template_header) headers;
};

void template_deinit(struct template *template);
DEFINE_CLEANUP(template, struct template, template_deinit)

/* Add a path that is not in the list; takes it; false: memory is out, or it is NULL. */
bool path_list_add(struct path_list *list, char *path);

/* Whether make and the shell accept a path without quotes. */
bool path_is_plain(const char *path);

/* The path relative to the folder of the module, for messages. */
const char *template_shown(const struct template *template, const char *path);

/* Leave a class out, unless it is already.  Takes @reason; returns false when memory is out. */
bool template_leave_out(struct template_header *header, const char *class_name, char *reason);

/* Why the events of a class have no template; NULL: they have one. */
const char *template_why_not(const struct template_header *header, const char *class_name);

/* template_scan.c: find the trace headers, and the options that they need to compile. */
struct error *template_scan(struct template *template);

/*
 * Search the C files and headers of the folder for a line that defines @name: "mydrv.c:12", to be
 * freed; NULL: none, or memory is out.
 */
char *template_find_definition(const struct template *template, const char *name);

/* Search @folder for a file whose path ends so, and return the part before; NULL: none. */
char *template_find_folder(const struct template *template, const char *ending);

/* template_write.c: write the C files and the Kbuild into the output folder. */
struct error *template_prepare(const struct template *template);
struct error *template_write(const struct template *template);

/* template_build.c: build until nothing has errors any more. */
struct error *template_build(struct template *template);

/*
 * template_reason.c: a sentence, without the dot, about an error of the compiler at a line; NULL:
 * memory is out.
 */
char *template_reason(const struct template *template, const char *path, size_t line,
		      const char *message);

/*
 * template_built.c: whether the module that was built from the header has a template of the event.
 */
bool template_is_built(const struct template *template, const struct template_header *header,
		       const struct header_event *event);

/* template_btf.c: BTF of the module, which the kernel needs, and loading. */

/*
 * If no module below the folder has BTF, make a copy that has it.  The notes are sentences about
 * finished and remaining steps.  They are to be freed; NULL: no notes.
 */
struct error *template_add_btf(const struct template *template, char **ret_notes);

/* Load the built modules, and print for each event whether the kernel uses its template. */
struct error *template_load(struct template *template);

#endif
