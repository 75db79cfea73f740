/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Several recordings as one: a source that gives the records of all of them nearly in the order
 * of time, with marks, by the clock of the first one.
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

/*
 * Join @nr readers of files, which are owned from then on, also on error.  @rules says which
 * events are messages between hosts; NULL: those that are known.  It is an error if they
 * cannot be put into one order, or if a tracepoint has other fields in one than in another.
 */
struct error *joined_create(struct reader **readers, size_t nr, const struct traffic_rules *rules,
			    struct joined **ret);
void joined_destroy(struct joined *joined);

struct record_source *joined_source(struct joined *joined);
struct event_list *joined_events(struct joined *joined);

/* As reader_narrow() of each; times are those of the first recording's clock. */
struct error *joined_narrow(struct joined *joined, const struct record_scope *scope);
void joined_watch(struct joined *joined, bool (*turn)(void *data), void *data);
uint64_t joined_bytes_left(const struct joined *joined);

/* The first and last time of all samples; 0: not known. */
void joined_times(const struct joined *joined, uint64_t *ret_first, uint64_t *ret_last);

/* The readers, in the order in which they were given, and where their records come from. */
size_t joined_count(const struct joined *joined);
struct reader *joined_reader(const struct joined *joined, size_t nth);
const struct origin *joined_origin(const struct joined *joined, size_t nth);

/* The event of all of them that has the samples of the one with this index in the nth reader. */
const struct event *joined_event(const struct joined *joined, size_t nth, size_t index);

#endif
