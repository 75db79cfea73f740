/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Passes the records of a session to a monitor, or to several.
 *
 * perf enables and disables events one after the other, on one CPU after the other.  The judged
 * part of such a recording begins when each event has fired on each CPU, or JUDGE_SKEW after its
 * first record.  It ends in the same way, seen from its end.  The module's sessions begin and end
 * at one instant.
 */
#ifndef KTRACE_MACHINE_JUDGE_H
#define KTRACE_MACHINE_JUDGE_H

#include <stdbool.h>
#include <stddef.h>

#include "lib/array.h"
#include "lib/cleanup.h"
#include "machine/key_table.h"
#include "record/ledger.h"
#include "session/session.h"

/* All events are enabled, or disabled, within this time, ns. */
#define JUDGE_SKEW	1000000000ULL

/*
 * The same for verdicts that must hold on machines under heavy load: no event is disabled later
 * than this after the first one.
 */
#define JUDGE_SKEW_MOST	5000000000ULL

struct judge;

/*
 * Create the judge of one session.  @monitor was compiled for the formats of the session's
 * recording, and must outlive the judge.  @nr_cpus is the number of recorded CPUs; 0: unknown.
 * EINVAL: @events, those of the recording, do not include all firings of an event of the monitor,
 * as they were recorded for a command, sampled or filtered.
 */
struct error *judge_create(const struct monitor *monitor, const struct event_list *events,
			   uint32_t nr_cpus, struct judge **ret);
void judge_destroy(struct judge *judge);
DEFINE_CLEANUP_PTR(judge, struct judge, judge_destroy)

/*
 * Judge all firings, from the first to the last, although some of the events may not be enabled yet
 * or any more. judge_enabled() then shows which violations are doubtful.  All events are enabled,
 * or disabled, within @skew, ns.
 */
void judge_take_all(struct judge *judge, uint64_t skew);

/*
 * After the session: all events were enabled on all CPUs after *ret_from, up to *ret_to.  There is
 * no such time if *ret_from is larger than *ret_to.
 */
void judge_enabled(const struct judge *judge, uint64_t *ret_from, uint64_t *ret_to);

/* Whether a firing of the monitor's events is missing or damaged, of any key. */
bool judge_has_missed(const struct judge *judge);

/* Whether the recording's @ledger has the number of lost firings of each event. */
bool judge_knows_losses(const struct judge *judge, const struct ledger *ledger);

/*
 * Whether relevant firings of some tasks were left out.  The module leaves out the recorder's own
 * firings.  They concern no other key only if the keys are the tasks that fire.
 */
bool judge_leaves_out(const struct judge *judge, const struct ledger *ledger);

/*
 * Whether @ledger accounts for all firings of the monitor's events: losses are known, and none were
 * left out.
 */
bool judge_is_complete(const struct judge *judge, const struct ledger *ledger);

/* After the session: no key is known, as nobody knows which firings are missing. */
struct error *judge_distrust(struct judge *judge);

/* The recording's event for an event of the monitor, by its index in monitor->events. */
const struct event *judge_event(const struct judge *judge, size_t number);

struct key_table *judge_keys(const struct judge *judge);

/* Finds the formats of a recording's tracepoints; @data is a struct judge_formats. */
struct judge_formats {
	const struct event_list *events;
	const struct formats *formats;
};
const struct event_format *judge_find_format(void *data, const char *system, const char *event);

/* Several monitors that judge one session. */

struct judges_item {
	struct monitor *monitor;	/* owned */
	struct judge *judge;		/* owned */
};

struct judges {
	struct session_consumer consumer;	/* passes each record to each judge */
	ARRAY_OF(struct judges_item) list;
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
