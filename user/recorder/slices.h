/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Slices of time out of rings that overwrite: a sink between snapshots and a file.  Each round of
 * snapshots covers a period that begins where the last one ended, so no sample passes twice.  All
 * times are ns of the recording's clock.
 */
#ifndef KTRACE_RECORDER_SLICES_H
#define KTRACE_RECORDER_SLICES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "capture/backend.h"
#include "lib/array.h"
#include "lib/error.h"
#include "record/event.h"
#include "record/ledger.h"
#include "record/record.h"

struct slice {
	uint64_t begin, end;	/* both belong to it */
};

struct slices_ring {
	uint64_t first;		/* earliest record in the present snapshot; UINT64_MAX: none */
	uint64_t *kept;		/* samples that passed, by event; owned */
	bool lacks;		/* it has overwritten a part of a slice */
};

/* Initialize it with zeros and slices_init(); it must not move then. */
struct slices {
	struct record_sink sink;	/* takes the records of a snapshot */
	struct record_sink *to;		/* gets those in slices; borrowed */
	const struct event_list *events;	/* borrowed */
	ARRAY_OF(struct slice) list;	/* sorted, disjoint */
	uint64_t from, until;		/* the period: from <= time < until */
	ARRAY_OF(struct slices_ring) rings;	/* by CPU + 1 */
	ARRAY_OF(uint64_t) written;	/* by ring; see slices_filled() */
	uint64_t whole_since;		/* all rings had all records since then; see below */
};

void slices_init(struct slices *slices, const struct event_list *events, struct record_sink *to);
void slices_deinit(struct slices *slices);

/* Drop all slices, to begin a new list. */
void slices_clear(struct slices *slices);

/* Append a slice; call slices_join() behind the last one. */
struct error *slices_add(struct slices *slices, uint64_t begin, uint64_t end);
void slices_join(struct slices *slices);

/* Whether a time is in a slice and in the period. */
bool slices_have(const struct slices *slices, uint64_t time);

/* Whether any slice has a part in the period. */
bool slices_any(const struct slices *slices);

/* Count a sample that passed beside the snapshots. */
struct error *slices_count(struct slices *slices, const struct event *event, uint32_t cpu);

/*
 * Before the snapshot of each capture, and after it.  slices->whole_since is then the latest of the
 * times from which on each overwritten ring has all its records; 0: no ring was overwritten.
 */
void slices_begin(struct slices *slices);
struct error *slices_end(struct slices *slices, const struct capture_ring *rings, size_t nr);

/*
 * The largest part of a ring's size that was written since the last call with @note.  @rings are
 * those of all captures, in the same order each time.
 */
double slices_filled(struct slices *slices, const struct capture_ring *rings, size_t nr, bool note);

/*
 * At the end, change the sums of all firings into those of the file: samples that were dropped on
 * purpose are `filtered`.  If a ring lacks a part of a slice, the numbers of both kinds of
 * overwritten samples are unknown.
 */
void slices_settle(const struct slices *slices, struct ledger *ledger);

#endif
