/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Finds the host of each of several recordings, and converts its times to the clock of the first.
 *
 * Recordings of one boot of one machine with the same clock share their times.  Other clocks are
 * placed by messages between the hosts if there are messages in both directions, else by the wall
 * clock that each recording stores with its own.  Notices report the method and its accuracy.
 */
#ifndef KTRACE_PERFDATA_JOIN_PLACEMENT_H
#define KTRACE_PERFDATA_JOIN_PLACEMENT_H

#include "lib/error.h"
#include "perfdata/join/clock_line.h"
#include "perfdata/join/traffic_rules.h"
#include "perfdata/reader.h"

struct placement {
	unsigned int host;	/* recordings of one boot of one machine share a number, from 0 */
	struct clock_line clock;
};

/*
 * Place @nr recordings.  @rules selects the events that are messages; NULL: the known ones.  It is
 * an error if a clock cannot be placed.
 */
struct error *placement_find(struct reader *const *readers, size_t nr,
			     const struct traffic_rules *rules, struct placement *ret);

#endif
