/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Puts records into the order of time; those of equal times into the order of the file, or
 * else into that of their arrival.
 *
 * The source gives records that are in order per ring, with FINISHED_ROUND records between
 * rounds of draining.  As in perf, at most two rounds are held back.  When a round ends,
 * everything can go out that is not newer than the newest record before the end of the
 * previous round, or that is older than the mark in the round's record.  Records go out at
 * once, before those that are held, if they have no time, or if their event has no
 * sample_id_all.  A record that the source calls settled is never held.
 *
 * Held records are kept in one arena, as runs that are in order already (mostly, what one ring
 * had in one round), and are merged by a heap of the runs.  That is linear for ordered input,
 * else n log runs.  From 16 MiB on the source is asked to look ahead, which a file can do:
 * then little needs to be held, however large the recorder's rings were.  If it cannot, at
 * most 256 MiB are held: then the older half goes out, and records that come too late count as
 * inversions.  The memory used is a small multiple of what is held.
 */
#ifndef KTRACE_SESSION_MERGE_H
#define KTRACE_SESSION_MERGE_H

#include <stdint.h>

#include "lib/cleanup.h"
#include "record/record.h"

struct merge;

/* @input is borrowed. */
struct error *merge_create(struct record_source *input, struct merge **ret);
void merge_destroy(struct merge *merge);

struct record_source *merge_source(struct merge *merge);

/*
 * From now on next() may return RECORD_SPAN: the next samples come in bulk, and everything
 * older has been given.  Take them then with merge_take_span(); *ret is valid until the
 * following next().
 */
void merge_want_spans(struct merge *merge);
void merge_take_span(struct merge *merge, struct sample_span *ret);

/* Bytes used for what is held now, and kept for what comes. */
size_t merge_memory(const struct merge *merge);

/* How many records came out that are older than one before them; 0 if all are in order. */
uint64_t merge_inversions(const struct merge *merge);

#endif
