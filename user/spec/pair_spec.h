/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Pairs of events, as users write them:
 *
 *	[NAME =] START..END [by FIELDS] [> TIME] [fields VALUE, NAME = VALUE ...]
 *
 *	START, END	events, SYSTEM:EVENT, or EVENT if it is the only one of that name
 *	FIELDS		fields that both events have, separated by commas;
 *			NAME_IN_START=NAME_IN_END where their names differ. Without FIELDS, all
 *			firings are of one kind
 *	TIME		5ms: only pairs that took longer; units are ns, us, ms and s
 *	VALUE		start.FIELD, end.FIELD, or a calculation with numbers, as in filters
 *			(spec/filter_expr.h); a calculation needs a NAME
 */
#ifndef KTRACE_SPEC_PAIR_SPEC_H
#define KTRACE_SPEC_PAIR_SPEC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/array.h"
#include "lib/cleanup.h"
#include "lib/error.h"

struct pair_value {
	char *name, *text;	/* owned */
	size_t pos;		/* of the name or, without one, of the text */
};

struct pair_spec {
	char *text;		/* the whole text; owned */
	char *name;		/* NULL: no name; owned */
	char *start, *end;	/* owned */
	size_t start_pos, end_pos;
	char *by_start, *by_end; /* lists for spec/count_keys.h; NULL: no FIELDS; owned */
	uint64_t longer;	/* only pairs longer than this, ns; 0: all */
	ARRAY_OF(struct pair_value) values;
};

/* Errors show the text with a caret under the mistake.  The caller releases @ret also on error. */
struct error *pair_spec_parse(const char *text, struct pair_spec *ret);
/* Whether @word, the START or END of a specification, is the name of this event. */
bool pair_spec_names(const char *word, const char *system, const char *name);

void pair_spec_deinit(struct pair_spec *spec);
DEFINE_CLEANUP(pair_spec, struct pair_spec, pair_spec_deinit)

#endif
