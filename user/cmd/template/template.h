/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The parts of `ktrace template`: from a folder with trace headers to a module of template probes.
 */
#ifndef KTRACE_CMD_TEMPLATE_TEMPLATE_H
#define KTRACE_CMD_TEMPLATE_TEMPLATE_H

#include <stdbool.h>
#include <stddef.h>

#include "header/trace_header.h"
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

/* A trace header, of which one module is made. */
struct template_header {
	char *path;		/* absolute */
	char *source;		/* file that has CREATE_TRACE_POINTS before it; NULL: none */
	char *object;		/* "mydrv_probes" */
	char *before;		/* directives of @source before it, for the C file; "": none */
	struct trace_header *parsed;
	struct { struct left_out *items; size_t nr, alloc; } left_out;
	char *failed;		/* why none of it is built; NULL: it is */
	bool round_left_out;	/* the last build led to a class that is left out */
};

struct template {
	const char *folder;	/* absolute, of the module's sources */
	const char *output;	/* absolute; what is written and built lies here */
	const char *kernel;	/* folder that modules are built against */
	char *release;		/* of that kernel */
	struct path_list include;	/* folders for -I, and words for the compiler */
	struct path_list words;		/* "-DNAME=1" */
	struct path_list symbols;	/* files Module.symvers */
	char *log;		/* what the kernel's build said, a file in @output */
	struct { struct template_header *items; size_t nr, alloc; } headers;
};

void template_deinit(struct template *template);
DEFINE_CLEANUP(template, struct template, template_deinit)

/* Add a path that is not in the list; takes it; false: memory is out, or it is NULL. */
bool path_list_add(struct path_list *list, char *path);

/* Whether make and the shell take a path as it is. */
bool path_is_plain(const char *path);

/* The path below the folder of the module, as it is shown. */
const char *template_shown(const struct template *template, const char *path);

/* Leave a class out, unless it is already.  Takes @reason; returns false when memory is out. */
bool template_leave_out(struct template_header *header, const char *class_name, char *reason);

/* Why the events of a class have no template; NULL: they have. */
const char *template_why_not(const struct template_header *header, const char *class_name);

/* template_scan.c: find the trace headers, and what the compiler needs for them. */
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

/* template_built.c: whether the module that was built of the header has a template of the event. */
bool template_is_built(const struct template *template, const struct template_header *header,
		       const struct header_event *event);

/* template_btf.c: what the kernel needs to know of the module, and loading. */

/*
 * Where no module below the folder has BTF, make a copy of it that has.  The notes are sentences
 * about what was done or is to be done; free() them; NULL: nothing is to be said.
 */
struct error *template_add_btf(const struct template *template, char **ret_notes);

/* Load the modules that were built, and have the kernel say of each event whether it is used. */
struct error *template_load(struct template *template);

#endif
