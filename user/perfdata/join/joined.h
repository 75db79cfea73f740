/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Several recordings as one, which reader_open_many() makes: its source gives the records of all
 * of them nearly in the order of time, with marks, by the clock of the first one.
 *
 * placement.h says how the times of each become those of the first one.  Each record says which
 * recording it comes from (struct origin).  Events of the same name and layout become one event.
 */
#ifndef KTRACE_PERFDATA_JOIN_JOINED_H
#define KTRACE_PERFDATA_JOIN_JOINED_H

#include <stddef.h>

#include "lib/error.h"
#include "perfdata/join/traffic_rules.h"
#include "perfdata/reader.h"
#include "record/origin.h"

struct joined;

/* The readers, in the order in which they were given, and where their records come from. */
size_t joined_count(const struct joined *joined);
struct reader *joined_reader(const struct joined *joined, size_t nth);
const struct origin *joined_origin(const struct joined *joined, size_t nth);

/* The event of all of them that has the samples of the one with this index in the nth reader. */
const struct event *joined_event(const struct joined *joined, size_t nth, size_t index);

#endif
