/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Several monitors that judge one session.
 */
#ifndef KTRACE_MACHINE_JUDGES_H
#define KTRACE_MACHINE_JUDGES_H

#include <stdbool.h>
#include <stddef.h>

#include "lib/cleanup.h"
#include "machine/judge.h"

struct judges_item {
	struct monitor *monitor;	/* owned */
	struct judge *judge;		/* owned */
};

struct judges {
	struct session_consumer consumer;	/* gives each of them each record */
	struct { struct judges_item *items; size_t nr, alloc; } list;
};

/* Without a judge. */
void judges_init(struct judges *judges);
void judges_deinit(struct judges *judges);
DEFINE_CLEANUP(judges, struct judges, judges_deinit)

/* What a recording says of itself; borrowed until it was judged. */
struct judges_source {
	const struct event_list *events;
	const struct formats *formats;
	uint32_t nr_cpus;	/* that were online; 0: not known */
};

/*
 * Compile a model for a recording and have it judge; errors are those of monitor_compile() and
 * judge_create().
 */
struct error *judges_add(struct judges *judges, const char *name, const struct automaton *automaton,
			 const struct binding *binding, const struct judges_source *source);

/* Forget the last one that was added. */
void judges_drop_last(struct judges *judges);

/*
 * After the session: where it is not even known which firings are missing, no key is known.
 * @damaged: records are damaged, or missing at the end.  @ledger: that of the recording; NULL: it
 * has none.  Appends a sentence for each monitor to @told (NULL: nobody asks).
 */
struct error *judges_distrust(struct judges *judges, bool damaged, const struct ledger *ledger,
			      struct strbuf *told);

/* A violation, and whose it is. */
struct judges_violation {
	const struct monitor *monitor;
	const struct key_violation *violation;
};

/* The violations of all monitors by time; those of one instant in the order of the monitors. */
struct error *judges_violations(struct judges *judges, struct judges_violation **ret,
				size_t *ret_nr);

#endif
