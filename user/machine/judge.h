/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Passes the records of a session to a monitor.
 *
 * perf enables and disables events one after the other, on one CPU after the other.  The judged
 * part of such a recording begins when each event has fired on each CPU, or JUDGE_SKEW after its
 * first record.  It ends in the same way, seen from its end.  The module's sessions begin and end
 * at one instant.
 */
#ifndef KTRACE_MACHINE_JUDGE_H
#define KTRACE_MACHINE_JUDGE_H

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

/* The consumer that gets the records of one session. */
struct session_consumer *judge_consumer(struct judge *judge);

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

#endif
