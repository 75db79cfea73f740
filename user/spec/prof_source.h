/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Profilers of perf-prof as events of a script: which events they take.  A profiler that does more
 * with its events than to hand them on leaves that to the script here, as perf-prof does, too.
 */
#ifndef KTRACE_SPEC_PROF_SOURCE_H
#define KTRACE_SPEC_PROF_SOURCE_H

#include <stdbool.h>
#include <stddef.h>

#include "lib/cleanup.h"
#include "lib/error.h"
#include "terminal/words.h"

struct prof_source {
	/* In the syntax of -e if they are tracepoints, else in that of record -e; owned. */
	struct {
		char **items;
		size_t nr, alloc;
	} events;
	const char *name;	/* of the profiler */
	bool tracepoints;
	bool stack;		/* -g */
	bool addr;		/* its samples have addresses */
	size_t used;		/* so many words have been read; those behind are attributes */
};

void prof_source_deinit(struct prof_source *source);
DEFINE_CLEANUP(prof_source, struct prof_source, prof_source_deinit)

/*
 * Find the profiler of NAME[/OPTIONS/ATTRIBUTE...], of which @words are the parts, which are
 * modified.  On error, which is EINVAL or ENOMEM, @ret is to be deinitialized, too.
 */
struct error *prof_source_find(const struct words *words, struct prof_source *ret);

/* Remove the quotes around @text, which is modified.  Returns where it begins now. */
char *prof_unquote(char *text);

#endif
