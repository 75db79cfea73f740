/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Prints how the counts of two commands differ.
 */
#ifndef KTRACE_OUTPUT_STAT_VERSUS_H
#define KTRACE_OUTPUT_STAT_VERSUS_H

#include <stdbool.h>
#include <stddef.h>

#include "lib/strbuf.h"
#include "output/stat_text.h"
#include "profile/compare/difference.h"

/* A quantity that both commands have. */
struct stat_versus_row {
	const char *name, *unit;	/* "page-faults" and "", "elapsed" and "sec" */
	unsigned int digits;		/* behind the point */
	bool known;			/* it was counted in every run */
	bool shared;			/* some of its numbers are extrapolated */
	bool supported;			/* this machine has such an event */
	struct difference difference;	/* if known */
};

void stat_versus_add(const struct stat_layout *layout, const struct stat_versus_row *rows,
		     size_t nr, struct strbuf *out);

#endif
