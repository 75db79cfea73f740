/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The choice of a recording method for call chains (record --call-graph auto), made separately for
 * each event that is tried.
 *
 * choice.c is between the captures, which give the samples of all methods, and their consumer,
 * which sees one event (plan_seen()).
 *
 * records.c converts samples with different kinds of call chains to one layout: that of an event
 * with registers and a copied stack, where both may be empty.  verdict.c compares call chains by
 * frame pointers with chains that are unwound from copied stacks, in samples that have both.
 */
#ifndef KTRACE_RECORDER_CHAINS_CHAINS_H
#define KTRACE_RECORDER_CHAINS_CHAINS_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/time.h>

#include "lib/error.h"
#include "lib/strbuf.h"
#include "record/event.h"
#include "record/ledger.h"
#include "record/record.h"
#include "recorder/plan.h"

/*
 * Append a sample of @event; its size becomes a multiple of 8 bytes.  A copied stack is reduced to
 * its filled part.  @whole: a sample of an event that is tried keeps the user frames that the
 * kernel found, too; otherwise its stack replaces them.
 */
void chain_records_add(struct strbuf *out, const struct event *event,
		       const struct perf_event_header *header, bool whole);

enum chain_way {
	CHAINS_UNDECIDED = 0,
	CHAINS_FRAME_POINTERS,
	CHAINS_STACKS,		/* with the size of these samples */
	CHAINS_WIDE_STACKS,	/* with a larger size */
};

/* It is sent through a pipe unchanged. */
struct chain_verdict {
	uint32_t way;
	uint32_t samples;	/* samples with user frames in both chains */
	uint32_t differ;	/* of these: callers are missing or wrong by frame pointers */
	uint32_t cut;		/* of these: the copied stack ends before the outermost frame */
	uint32_t binaries;	/* number of binaries with frames */
	char names[228];	/* binaries whose functions lose their callers: "a, b and c" */
};

/*
 * @records are those of tasks and maps.  @samples were built by chain_records_add() with @whole.
 * @events are the events of all of them.
 */
struct error *chain_verdict_make(struct event_list *events, const struct strbuf *records,
				 const struct strbuf *samples, struct chain_verdict *ret);

struct chain_choice;

/*
 * Fill plan->merged if the plan, whose events are open and indexed, has events that are tried;
 * otherwise *ret is NULL.  @plan must outlive @ret.
 */
struct error *chain_choice_create(struct plan *plan, struct chain_choice **ret);
/* A verdict that is not ready is cancelled.  @choice may be NULL. */
void chain_choice_destroy(struct chain_choice *choice);

/* The sink for the captures, which writes to @sink, until the next call. */
struct record_sink *chain_choice_sink(struct chain_choice *choice, struct record_sink *sink);

/* Call it after the rings were drained: checks whether there is a verdict, and switches events. */
struct error *chain_choice_turn(struct chain_choice *choice,
				struct error *(*hold)(void *data, struct event *event, bool held),
				void *data);

/* The CPU time of the processes that have computed verdicts.  @choice may be NULL. */
struct timeval chain_choice_cpu(const struct chain_choice *choice);

/* Convert the rows from @first on, of the plan's events, to rows of plan->merged. */
void chain_choice_join(const struct chain_choice *choice, struct ledger *ledger, size_t first);

/*
 * Append a line of text for each choice; nothing if no choice was requested.  @choice may be NULL.
 */
void chain_choice_tell(const struct chain_choice *choice, const struct plan *plan,
		       struct strbuf *ret);

#endif
