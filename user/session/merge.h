/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Sorts records by time.  Records of equal times keep the order of the file, or else that of their
 * arrival.
 *
 * The records of the source are sorted within each ring, with FINISHED_ROUND records between rounds
 * of draining.  As in perf, at most two rounds are held back.  When a round ends, a record can go
 * out if it is not newer than the newest record before the end of the previous round, or if it is
 * older than the mark in the round's record.  Records go out at once, before held ones, if they
 * have no time, or if their event has no sample_id_all.  A record that the source calls settled is
 * never held.
 *
 * Held records are stored in one arena, as sorted runs (mostly the records of one ring in one
 * round), and are merged by a heap of the runs.  That is linear for sorted input, else n log runs.
 * From 16 MiB on the source is requested to look ahead, which works for files.  Then little needs
 * to be held, however large the recorder's rings were.  Otherwise at most 256 MiB are held: then
 * the older half goes out, and records that come too late count as inversions.  The memory used is
 * a small multiple of the held bytes.
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
 * From now on next() may return RECORD_SPAN, or no longer: the next samples come in bulk, and all
 * older records have been given.  Take them then with merge_take_span(); *ret is valid until the
 * following next().
 */
void merge_want_spans(struct merge *merge, bool wants);
void merge_take_span(struct merge *merge, struct sample_span *ret);

/* Bytes in use for held records, and kept for later ones. */
size_t merge_memory(const struct merge *merge);

/* The number of records that came out after a newer one; 0 if all are in order. */
uint64_t merge_inversions(const struct merge *merge);

#endif
