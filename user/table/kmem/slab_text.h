/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The tables of `ktrace kmem stat --slab`, which are perf's.
 */
#ifndef KTRACE_TABLE_KMEM_SLAB_TEXT_H
#define KTRACE_TABLE_KMEM_SLAB_TEXT_H

#include <stdbool.h>
#include <stddef.h>

#include "lib/strbuf.h"
#include "session/machine.h"
#include "table/kmem/slab_allocations.h"

/* Append the first @lines rows of a sorted table; @machine NULL: call sites stay numbers. */
void slab_table_text_add(const struct slab_table *table, size_t lines, struct machine *machine,
			 struct strbuf *out);

/* Append the sums, with thousands as the locale separates them. */
void slab_summary_text_add(const struct slab_totals *totals, struct strbuf *out);

/* Append a line of @nr dashes, with what goes before and behind it. */
void kmem_rule_add(struct strbuf *out, const char *before, size_t nr, const char *behind);

#endif
