/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The choice how call chains are recorded (record --call-graph auto), for each event that is tried
 * by itself.
 *
 * choice.c is between the captures, which give the samples of all ways, and whoever takes them, who
 * sees one event (plan_seen()).
 *
 * records.c gives samples of events that record call chains in different ways one layout: that of
 * an event with registers and a copied stack, in which either of them may be empty.  verdict.c
 * compares call chains by frame pointers with those that are unwound from copied stacks, in samples
 * that have both.
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
 * Append a sample of @event, whose size becomes a multiple of 8 bytes.  Of a copied stack, only
 * what was there is left, without the room behind it; @whole: a sample of an event that is tried
 * also keeps the frames of user space that the kernel found, otherwise its stack takes their place.
 */
void chain_records_add(struct strbuf *out, const struct event *event,
		       const struct perf_event_header *header, bool whole);

enum chain_way {
	CHAINS_UNDECIDED = 0,
	CHAINS_FRAME_POINTERS,
	CHAINS_STACKS,		/* as they were copied in these samples */
	CHAINS_WIDE_STACKS,	/* more of them */
};

/* It goes through a pipe as it is. */
struct chain_verdict {
	uint32_t way;
	uint32_t samples;	/* with frames of user space in both chains */
	uint32_t differ;	/* of these: callers are missing or wrong by frame pointers */
	uint32_t cut;		/* of these: the copied stack ends before the outermost frame */
	uint32_t binaries;	/* in which the frames are */
	char names[228];	/* of binaries whose functions lose their callers: "a, b and c" */
};

/*
 * @records are those of tasks and maps, and @samples what chain_records_add() made of samples,
 * whole; @events are those of all of them.
 */
struct error *chain_verdict_make(struct event_list *events, const struct strbuf *records,
				 const struct strbuf *samples, struct chain_verdict *ret);

struct chain_choice;

/*
 * Make plan->merged, if the plan, whose events are open and indexed, has events that are tried;
 * otherwise *ret is NULL.  @plan must outlive @ret.
 */
struct error *chain_choice_create(struct plan *plan, struct chain_choice **ret);
/* A verdict that is not there yet is given up.  @choice may be NULL. */
void chain_choice_destroy(struct chain_choice *choice);

/* The sink that the captures write to for @sink, until the next call. */
struct record_sink *chain_choice_sink(struct chain_choice *choice, struct record_sink *sink);

/* After the rings were drained: see whether there is a verdict, and have events change places. */
struct error *chain_choice_turn(struct chain_choice *choice,
				struct error *(*hold)(void *data, struct event *event, bool held),
				void *data);

/* The CPU time of the processes that have made verdicts.  @choice may be NULL. */
struct timeval chain_choice_cpu(const struct chain_choice *choice);

/* Make the rows from @first on, which are of the plan's events, those of plan->merged. */
void chain_choice_join(const struct chain_choice *choice, struct ledger *ledger, size_t first);

/*
 * Append a line of text for each choice, a sentence with its end of line; nothing if no choice was
 * asked for.  @choice may be NULL.
 */
void chain_choice_tell(const struct chain_choice *choice, const struct plan *plan,
		       struct strbuf *ret);

#endif
