/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Records in time order; of equal times, in the order of the file, else in which
 * they came.  Sits on a
 * source whose records are in order per ring and that has FINISHED_ROUND
 * records between rounds of draining; holds back at most two rounds, as perf:
 * when a round ends, everything up to the newest time seen before the previous
 * round's end can go out, or what is older than the mark the round states.
 * Records without a time, or of events without sample_id_all, go out at once:
 * before what is held.  What the source calls settled is never held.
 *
 * Held records are kept in one arena, as runs that are in order already (most
 * often, what one ring had in one round), and merged by a heap of the runs:
 * linear in ordered input, n log runs otherwise.  From 16 MiB on the source is
 * asked to look ahead, which a file can: then little needs to be held, however
 * large the recorder's rings were.  Where it cannot, not more than 256 MiB are
 * held: then the older half goes out and what comes too late counts as
 * inversion.  The memory that is taken is a small multiple of what is held.
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
DEFINE_CLEANUP_PTR(merge, struct merge, merge_destroy)

struct record_source *merge_source(struct merge *merge);

/*
 * From now on next() may say RECORD_SPAN: the samples the source gives in bulk are
 * next, everything older has been given.  Take them then; *ret is valid until the
 * next next().
 */
void merge_want_spans(struct merge *merge);
void merge_take_span(struct merge *merge, struct sample_span *ret);

/* Bytes that are taken for what is held now, and kept for what comes. */
size_t merge_memory(const struct merge *merge);

/* Records that came out older than one before them; 0 in order. */
uint64_t merge_inversions(const struct merge *merge);

#endif
