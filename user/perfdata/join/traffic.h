/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The messages whose sending or receiving a recording contains, and the bounds on clocks that
 * follow from messages between two recordings.
 *
 * Only unambiguous messages count: they were sent once and received once, in different
 * recordings.
 */
#ifndef KTRACE_PERFDATA_JOIN_TRAFFIC_H
#define KTRACE_PERFDATA_JOIN_TRAFFIC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/error.h"
#include "perfdata/join/clock_line.h"
#include "perfdata/join/traffic_rules.h"

/* If a recording has more messages, they are thinned out by their keys, so that both ends stay. */
#define TRAFFIC_MAX	(4U << 20)

struct traffic_end {
	uint64_t key;		/* a hash of the rule and of the fields that identify the message */
	uint64_t time;		/* by the recording's clock */
	bool received;
	bool of_other;		/* used while two recordings are compared */
};

struct traffic {
	struct traffic_end *items;
	size_t nr, alloc;
	unsigned int thinned;	/* number of low bits of a key that must be 0 for it to be kept */
};

/*
 * Add the messages of a recording, which is read once for this, independent of its other readers.
 * *ret_matched has bit 0 set if it has an event of a sending end, bit 1 for receiving ends.
 * Unreadable parts are left out silently, because the other readers of the recording report them.
 */
struct error *traffic_collect(struct traffic *traffic, const char *path,
			      const struct traffic_rules *rules, unsigned int *ret_matched);

/*
 * Find the bounds on the clock of @other, at times of the clock of @own: messages to @own give
 * @lower, messages from it give @upper, both sorted by time.
 */
struct error *traffic_compare(const struct traffic *own, const struct traffic *other,
			      struct clock_bounds *lower, struct clock_bounds *upper);

void traffic_deinit(struct traffic *traffic);

#endif
