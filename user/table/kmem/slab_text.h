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
#include "table/print/table_print.h"

/* Append the first @lines rows of a sorted table; @machine NULL: call sites are numbers. */
void slab_table_add(const struct slab_table *slabs, size_t lines, struct machine *machine,
		    const struct table_output *output, struct strbuf *out);

/* Append the sums; in text, thousands are separated as in the locale. */
void slab_totals_add(const struct slab_totals *totals, const struct table_output *output,
		     struct strbuf *out);

#endif
