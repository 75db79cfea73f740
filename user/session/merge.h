/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Records in time order.  Sits on a source whose records are in order per ring
 * and that has FINISHED_ROUND records between rounds of draining; holds back
 * at most two rounds, as perf's ordered_events: when a round ends, everything
 * up to the newest time seen before the previous round's end can go out.
 * Records without a time keep their place before the next timed one.
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

/* Records that came out older than one before them; 0 in order. */
uint64_t merge_inversions(const struct merge *merge);

#endif
