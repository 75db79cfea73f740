/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The tables of `ktrace check --monitor`.
 */
#ifndef KTRACE_TABLE_CHECK_MONITOR_TEXT_H
#define KTRACE_TABLE_CHECK_MONITOR_TEXT_H

#include <stddef.h>

#include "lib/strbuf.h"
#include "machine/judge.h"
#include "table/print/table_print.h"

/* The outcome for the keys of a monitor. */
struct monitor_counts {
	const char *name;
	struct key_counts counts;
};

void monitor_violations_add(const struct judges_violation *rows, size_t nr,
			    const struct table_output *output, struct strbuf *out);
void monitor_counts_add(const struct monitor_counts *rows, size_t nr,
			const struct table_output *output, struct strbuf *out);

/* A model in the list of models.  @missing is the reason that it cannot run; "": it can. */
struct monitor_row {
	const char *name, *description, *missing;
};

void monitor_list_add(const struct monitor_row *rows, size_t nr, const struct table_output *output,
		      struct strbuf *out);

#endif
