/* SPDX-License-Identifier: GPL-2.0 */
/* Prints the differences between the counts of two commands. */
#ifndef KTRACE_TABLE_STAT_STAT_VERSUS_H
#define KTRACE_TABLE_STAT_STAT_VERSUS_H

#include <stdbool.h>
#include <stddef.h>

#include "lib/strbuf.h"
#include "profile/compare/difference.h"
#include "table/stat/stat_text.h"

/* A quantity that both commands have. */
struct stat_versus_row {
	const char *name, *unit;	/* "page-faults" and "", "elapsed" and "sec" */
	unsigned int digits;		/* behind the point */
	bool known;			/* it was counted in every run */
	bool shared;			/* some numbers are extrapolated */
	bool supported;			/* this machine has such an event */
	struct difference difference;	/* if known */
};

void stat_versus_add(const struct stat_layout *layout, const struct stat_versus_row *rows,
		     size_t nr, struct strbuf *out);

#endif
