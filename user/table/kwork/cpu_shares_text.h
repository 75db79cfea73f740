/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The table of `ktrace kwork top`, which is that of perf 6.7 and later.
 */
#ifndef KTRACE_TABLE_KWORK_CPU_SHARES_TEXT_H
#define KTRACE_TABLE_KWORK_CPU_SHARES_TEXT_H

#include "lib/strbuf.h"
#include "table/kwork/cpu_shares.h"
#include "table/print/table_print.h"

#define CPU_SHARES_TELL_NO_INTERRUPTS \
	"The recording has no events of interrupts, so their time is included in that of tasks."

/* Text has lines about the CPUs above the rows. */
void cpu_shares_add(const struct cpu_share_table *table, const struct table_output *output,
		    struct strbuf *out);

#endif
