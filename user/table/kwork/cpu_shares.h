/* SPDX-License-Identifier: GPL-2.0 */
/*
 * How the time of each CPU divides among its tasks, hard interrupts, softirqs and idleness, by
 * switches of the scheduler and the events of interrupts.  Time in an interrupt is not the time of
 * the interrupted task.  A softirq that is interrupted does not run meanwhile.
 *
 * Times count from the first switch of a CPU to the last.  If a CPU lost records, they count from
 * its next switch on.
 */
#ifndef KTRACE_TABLE_KWORK_CPU_SHARES_H
#define KTRACE_TABLE_KWORK_CPU_SHARES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/array.h"
#include "lib/cleanup.h"
#include "lib/strbuf.h"
#include "session/session.h"
#include "table/print/table_print.h"

enum cpu_share_key { CPU_SHARE_RATE, CPU_SHARE_RUNTIME, CPU_SHARE_TID };

#define CPU_SHARE_KEYS	3

/* A task on all CPUs, or a CPU that is idle. */
struct cpu_share {
	int32_t tid;		/* 0: idle */
	int32_t cpu;		/* of an idle one; -1 for tasks */
	const char *comm;	/* the last one when it stopped; borrowed */
	uint64_t runtime;	/* ns */
	double percent;		/* the sum of the shares of each CPU's time */
};

/* A CPU; times are in ns. */
struct cpu_time {
	int32_t cpu;
	uint64_t total, idle, hardirq, softirq;
	uint64_t load;		/* of tasks, without interrupts */
};

struct cpu_share_table {
	struct cpu_share *items;	/* owned */
	size_t nr, alloc;
	ARRAY_OF(struct cpu_time) cpus;	/* CPUs with any time; owned */
};

void cpu_share_table_deinit(struct cpu_share_table *table);
DEFINE_CLEANUP(cpu_share_table, struct cpu_share_table, cpu_share_table_deinit)

struct cpu_shares;

struct error *cpu_shares_create(struct cpu_shares **ret);
void cpu_shares_destroy(struct cpu_shares *shares);
DEFINE_CLEANUP_PTR(cpu_shares, struct cpu_shares, cpu_shares_destroy)

struct session_consumer *cpu_shares_consumer(struct cpu_shares *shares);

/*
 * Create the rows, sorted by @nr keys: the largest time or the smallest number first, equal ones by
 * number and CPU.  Only tasks with the name @name have rows; NULL: all.  *ret borrows names of
 * @shares.  The only error is a lack of memory.
 */
struct error *cpu_shares_make(const struct cpu_shares *shares, const char *name,
			      const enum cpu_share_key *keys, size_t nr,
			      struct cpu_share_table *ret);

/*
 * Whether the recording has any event of interrupts.  Without, their time counts as that of tasks.
 */
bool cpu_shares_have_interrupts(const struct event_list *events);

#define CPU_SHARES_TELL_NO_INTERRUPTS \
	"The recording has no events of interrupts, so their time is included in that of tasks."

/*
 * Append the table of `ktrace kwork top`, which is that of perf 6.7 and later.  Text has lines
 * about the CPUs above the rows.
 */
void cpu_shares_add(const struct cpu_share_table *table, const struct table_output *output,
		    struct strbuf *out);

#endif
