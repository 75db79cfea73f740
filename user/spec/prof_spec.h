/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The arguments of `python -e`, in the syntax of perf-prof:
 *
 *	EVENT,EVENT ...
 *	sys:name[/FILTER/ATTRIBUTE/.../]	tracepoints; globs in both parts
 *	SOURCE[/OPTIONS/ATTRIBUTE/.../]		profilers: profile, kvm-exit and others
 *
 * An event with slashes ends with one.  Quotes and parentheses protect ',' and '/'; quotes around a
 * filter or value are removed.
 */
#ifndef KTRACE_SPEC_PROF_SPEC_H
#define KTRACE_SPEC_PROF_SPEC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/cleanup.h"
#include "lib/error.h"

struct prof_spec {
	char *event;		/* for record -e; owned */
	char *name;		/* for its handler, with ':' for "__": "sched:x"; owned */
	char *filter;		/* NULL: none; owned */
	char *cpus;		/* NULL: all; owned */
	bool has_alias;		/* name is also passed as _event */
	bool stack;		/* record call chains */
	unsigned int max_stack;	/* most frames of a chain; 0: no limit here */
	bool addr;		/* record the address of the access */
	bool tracepoint;
};

struct prof_specs {
	struct prof_spec *items;
	size_t nr, alloc;
	char *given;		/* all arguments, joined by ','; owned */
};

void prof_specs_deinit(struct prof_specs *specs);

/* Parse one -e argument and append its events. */
struct error *prof_specs_add(struct prof_specs *specs, const char *text);

#endif
