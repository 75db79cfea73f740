/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Which host each of several recordings is of, and how its times become those of the first one.
 *
 * Recordings of one boot of one machine with the same clock have the same times.  Clocks of
 * others are placed by the messages between the hosts, if there are some in both directions, and
 * else by what each recording says of its clock and the wall clock.  Notices tell which, and how
 * exact that is.
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
 * Place @nr recordings.  @rules says which events are messages; NULL: those that are known.  It is
 * an error if a clock cannot be placed.
 */
struct error *placement_find(struct reader *const *readers, size_t nr,
			     const struct traffic_rules *rules, struct placement *ret);

#endif
