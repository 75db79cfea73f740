/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Prints counts by keys: as text, with histograms if the last part of the keys is a step, as CSV
 * and as JSON, one object a line.  Counts by call chains can also be lines of a chain and a number,
 * the input of flame graphs.
 */
#ifndef KTRACE_TABLE_STAT_KEY_COUNTS_TEXT_H
#define KTRACE_TABLE_STAT_KEY_COUNTS_TEXT_H

#include "counts/key_counts.h"
#include "counts/key_stacks.h"
#include "session/cgroups.h"
#include "table/stat/stat_text.h"

struct key_layout {
	enum stat_form form;
	const char *separator;	/* between the fields of CSV */
	bool plain_digits;	/* no separators between thousands */
	size_t top;		/* maximal number of keys, or histograms; 0: all */
	bool interval;		/* the counts are those of an interval */
	const struct cgroups *cgroups;	/* whose ids are printed as paths; NULL: none */
	const struct key_stacks *stacks; /* of keys with call chains */
	uint64_t chains;	/* in the table of the module; 0: the keys have none */
	bool open;		/* these are starts without an end */
};

/*
 * Append the counts of the event @name.  @time is the end of the interval, in ns since the counting
 * began; NULL: no intervals.
 */
void key_counts_add_text(const struct key_layout *layout, const char *name,
			 const struct count_keys *keys, const struct key_list *list,
			 const uint64_t *time, struct strbuf *out);

#endif
