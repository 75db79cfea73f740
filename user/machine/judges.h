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
	struct session_consumer consumer;	/* passes each record to each judge */
	struct { struct judges_item *items; size_t nr, alloc; } list;
};

/* Start with an empty list. */
void judges_init(struct judges *judges);
void judges_deinit(struct judges *judges);
DEFINE_CLEANUP(judges, struct judges, judges_deinit)

/* Facts about a recording; borrowed until it was judged. */
struct judges_source {
	const struct event_list *events;
	const struct formats *formats;
	uint32_t nr_cpus;	/* number of online CPUs; 0: unknown */
};

/*
 * Compile a model for a recording and add its judge.  Errors are those of monitor_compile() and
 * judge_create().
 */
struct error *judges_add(struct judges *judges, const char *name, const struct automaton *automaton,
			 const struct binding *binding, const struct judges_source *source);

/* Remove the judge that was added last. */
void judges_drop_last(struct judges *judges);

/*
 * After the session: make all keys of a monitor unknown if it is not even known which firings are
 * missing.  @damaged: records are damaged, or missing at the end.  @ledger: the recording's; NULL:
 * none.  Appends a sentence for each such monitor to @told (NULL: not wanted).
 */
struct error *judges_distrust(struct judges *judges, bool damaged, const struct ledger *ledger,
			      struct strbuf *told);

/* A violation, and its monitor. */
struct judges_violation {
	const struct monitor *monitor;
	const struct key_violation *violation;
};

/* The violations of all monitors by time; at the same time in the order of the monitors. */
struct error *judges_violations(struct judges *judges, struct judges_violation **ret,
				size_t *ret_nr);

#endif
