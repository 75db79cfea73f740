/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Gives the records of a session to a monitor.
 *
 * perf enables and disables events one after the other, on one CPU after the other.  What it
 * captured is judged from when each event has fired on each CPU, or JUDGE_SKEW has passed, to when
 * the same holds backwards.  The module's sessions begin and end at one instant.
 */
#ifndef KTRACE_MACHINE_JUDGE_H
#define KTRACE_MACHINE_JUDGE_H

#include "lib/cleanup.h"
#include "machine/key_table.h"
#include "record/ledger.h"
#include "session/session.h"

/* Within this time all events are enabled, or disabled, ns. */
#define JUDGE_SKEW	1000000000ULL

/*
 * The same, for verdicts that have to hold on machines that hardly run: nobody disables events
 * later than this behind the first one.
 */
#define JUDGE_SKEW_MOST	5000000000ULL

struct judge;

/*
 * @monitor was compiled for the formats of the session's recording, and must live as long.
 * @nr_cpus is how many CPUs were recorded; 0: not known.  EINVAL: @events, those of the recording,
 * are not all firings of an event of the monitor: they are of a command, sampled or filtered.
 */
struct error *judge_create(const struct monitor *monitor, const struct event_list *events,
			   uint32_t nr_cpus, struct judge **ret);
void judge_destroy(struct judge *judge);
DEFINE_CLEANUP_PTR(judge, struct judge, judge_destroy)

/*
 * Judge all firings, from the first to the last, although some of the events may not have been
 * enabled yet or any more.  judge_enabled() tells which violations that makes doubtful.  All events
 * are enabled, or disabled, within @skew, ns.
 */
void judge_take_all(struct judge *judge, uint64_t skew);

/*
 * After the session: all events were enabled on all CPUs behind *ret_from, up to *ret_to.  There is
 * no such time if *ret_from is the larger one.
 */
void judge_enabled(const struct judge *judge, uint64_t *ret_from, uint64_t *ret_to);

/* Whether a firing of the monitor's events is missing or damaged, whatever key it was of. */
bool judge_has_missed(const struct judge *judge);

/* Gets the records of one session. */
struct session_consumer *judge_consumer(struct judge *judge);

/* Whether @ledger, that of the recording, knows how many firings of each event were lost. */
bool judge_knows_losses(const struct judge *judge, const struct ledger *ledger);

/*
 * Whether firings of some tasks were left out that matter: the module leaves out what the recorder
 * does, which concerns no other key only where keys are the tasks that fire.
 */
bool judge_leaves_out(const struct judge *judge, const struct ledger *ledger);

/* Whether @ledger knows of all firings of the monitor's events: both of it. */
bool judge_is_complete(const struct judge *judge, const struct ledger *ledger);

/* It is not known which firings are missing; call it when the session has ended. */
struct error *judge_distrust(struct judge *judge);

/* The events of a monitor that the recording has, in the order of monitor->events. */
const struct event *judge_event(const struct judge *judge, size_t number);

struct key_table *judge_keys(const struct judge *judge);

/* Finds the formats of the tracepoints that a recording has; @data is a struct judge_formats. */
struct judge_formats {
	const struct event_list *events;
	const struct formats *formats;
};
const struct event_format *judge_find_format(void *data, const char *system, const char *event);

#endif
