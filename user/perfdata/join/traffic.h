/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The messages that a recording tells were sent and received, and what those between two
 * recordings say of their clocks.
 *
 * Only what cannot be mistaken counts: messages that were sent once and received once, in
 * different recordings.
 */
#ifndef KTRACE_PERFDATA_JOIN_TRAFFIC_H
#define KTRACE_PERFDATA_JOIN_TRAFFIC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/error.h"
#include "perfdata/join/clock_line.h"
#include "perfdata/join/traffic_rules.h"

/* More messages than this of one recording are thinned out, by what identifies them. */
#define TRAFFIC_MAX	(4U << 20)

struct traffic_end {
	uint64_t key;		/* a hash of the rule and what identifies the message */
	uint64_t time;		/* by the recording's clock */
	bool received;
	bool of_other;		/* while two recordings are compared */
};

struct traffic {
	struct traffic_end *items;
	size_t nr, alloc;
	unsigned int thinned;	/* the last bits of keys that are 0 in all that are kept */
};

/*
 * Add the messages of a recording: it is read for them once, apart from any other reader of it.
 * *ret_matched has bit 0 set if it has an event of a sending end, bit 1 for receiving ends.  What
 * cannot be read is left out, because those who read the recording for itself tell it.
 */
struct error *traffic_collect(struct traffic *traffic, const char *path,
			      const struct traffic_rules *rules, unsigned int *ret_matched);

/*
 * Find what the messages between two say of the clock of @other, at times of that of @own:
 * messages to @own give @lower, those from it @upper, both by time.
 */
struct error *traffic_compare(const struct traffic *own, const struct traffic *other,
			      struct clock_bounds *lower, struct clock_bounds *upper);

void traffic_deinit(struct traffic *traffic);

#endif
