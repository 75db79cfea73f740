/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Pairs of events, as users write them:
 *
 *	[NAME =] START..END [by FIELDS] [> TIME] [fields VALUE, NAME = VALUE ...]
 *
 *	START, END	events, SYSTEM:EVENT, or EVENT if it is the only one of that name
 *	FIELDS		that both have in common, separated by commas; NAME_IN_START=NAME_IN_END
 *			where they have two names.  Without them, all firings are of one kind
 *	TIME		5ms: only pairs that took longer; units are ns, us, ms and s
 *	VALUE		start.FIELD, end.FIELD, or a number calculated of them, as in filters
 *			(spec/filter_expr.h), which needs a name
 */
#ifndef KTRACE_SPEC_PAIR_SPEC_H
#define KTRACE_SPEC_PAIR_SPEC_H

#include <stddef.h>
#include <stdint.h>

#include "lib/cleanup.h"
#include "lib/error.h"

struct pair_value {
	char *name, *text;	/* owned */
	size_t pos;		/* of the name, or else of the text */
};

struct pair_spec {
	char *text;		/* all of it; owned */
	char *name;		/* NULL: it has none; owned */
	char *start, *end;	/* owned */
	size_t start_pos, end_pos;
	char *by_start, *by_end; /* lists for spec/count_keys.h; NULL: without; owned */
	uint64_t longer;	/* than so many ns; 0: all */
	struct {
		struct pair_value *items;
		size_t nr, alloc;
	} values;
};

/* Errors show the text with a caret under the mistake.  @ret is released in any case. */
struct error *pair_spec_parse(const char *text, struct pair_spec *ret);
void pair_spec_deinit(struct pair_spec *spec);
DEFINE_CLEANUP(pair_spec, struct pair_spec, pair_spec_deinit)

#endif
