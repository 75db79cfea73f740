/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Several recordings as one, created by reader_open_many().  Its source gives the records of all
 * recordings nearly in the order of time, with marks, by the clock of the first one.
 *
 * See placement.h for the conversion of times.  Each record names its recording (struct origin).
 * Events of the same name and layout become one event.
 */
#ifndef KTRACE_PERFDATA_JOIN_JOINED_H
#define KTRACE_PERFDATA_JOIN_JOINED_H

#include <stddef.h>

#include "lib/error.h"
#include "perfdata/join/traffic_rules.h"
#include "perfdata/reader.h"
#include "record/origin.h"

struct joined;

/* The readers, in the order of their paths, and their origins. */
size_t joined_count(const struct joined *joined);
struct reader *joined_reader(const struct joined *joined, size_t nth);
const struct origin *joined_origin(const struct joined *joined, size_t nth);

/* The joined event that has the samples of event @index of the nth reader. */
const struct event *joined_event(const struct joined *joined, size_t nth, size_t index);

#endif
