/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The events of one recording: what was asked of the kernel for each (its
 * attr), under which ids its records come, and where they are captured.
 * Made by capture/ when recording and by perfdata/ when reading; the same
 * list serves the writer, the decoder and every consumer.
 */
#ifndef KTRACE_RECORD_EVENT_H
#define KTRACE_RECORD_EVENT_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "lib/error.h"
#include "record/common_field.h"

/* Who captures an event. */
enum event_source {
	EVENT_SOURCE_PERF = 0,	/* perf_event_open */
	EVENT_SOURCE_DEVICE,	/* /dev/ktrace */
	EVENT_SOURCE_FAKE,	/* tests */
};

struct event {
	struct perf_event_attr attr;
	char *name;		/* "sched:sched_switch", "cycles:u"; owned */
	uint64_t *ids;		/* IDENTIFIER values of its records; owned */
	size_t nr_ids;
	size_t index;		/* position in its list */
	enum event_source source;
	uint32_t group;		/* 0: none; members of one {} share a number, leader first */
	struct common_layout common;	/* the trailer of RAW; device events only */
	char *filter;		/* as given to --filter; NULL: none; owned */
	char *cgroup;		/* only tasks of it (-G); NULL: any; owned */
	bool trigger;		/* its records ask for a snapshot; device events only */
	bool optional;		/* one of many: left out of the list where it cannot be opened */

	/* Sample layout, set by event_finish(). */
	int16_t time_offset;	/* of TIME in a PERF_RECORD_SAMPLE, bytes; -1: not sampled */
	int16_t id_offset;	/* of IDENTIFIER or ID in a sample; -1 */
	int16_t id_back;	/* of the id in a sample_id, bytes before the record's end; -1 */
	int16_t time_back;	/* of TIME, likewise; -1 */
	int16_t tid_offset;	/* of TID in a sample; -1 */
	int16_t fixed_size;	/* of IDENTIFIER to PERIOD, which samples begin with, bytes */
	bool plain;		/* samples have TID and TIME, and at most RAW behind fixed_size */

	const void *format;	/* struct event_format *, once a consumer has looked it up */
};

struct event_list {
	struct event **items;	/* owned; addresses stay the same when the list grows */
	size_t nr, alloc;
	struct event_id_slot *id_table;	/* hash of ids, event_list_index() */
	size_t ids_indexed;		/* how many are in it */
	size_t id_mask;
	/* All share id_offset and id_back: an id can be found before the event is known. */
	bool one_layout;
	bool one_time;		/* and they share time_offset */
};

void event_list_init(struct event_list *list);
void event_list_deinit(struct event_list *list);

/* Append an event with a copy of @attr and @name; it belongs to the list. */
struct error *event_list_add(struct event_list *list,
			     const struct perf_event_attr *attr,
			     const char *name, struct event **ret);

/* Take an event out and destroy it; the index of those behind it changes. */
void event_list_remove(struct event_list *list, struct event *event);

struct error *event_add_id(struct event *event, uint64_t id);

/* Compute the layout members from the attr; call after changing the attr. */
void event_finish(struct event *event);

/* Build the id lookup; call once all ids are there, and again after adding. */
struct error *event_list_index(struct event_list *list);

/*
 * The same after one event was appended, with its ids, to a list that is indexed
 * (or had no event before): the cost is that of the one event.
 */
struct error *event_list_index_last(struct event_list *list);

/* The event with this id; NULL: unknown. */
struct event *event_list_find_id(const struct event_list *list, uint64_t id);

/*
 * The event a record belongs to.  A list with a single event needs no ids;
 * otherwise the id is read where the layouts agree it is.  NULL: unknown.
 */
struct event *event_list_find_record(const struct event_list *list,
				     const struct perf_event_header *header);

/* Time of the record by the event's layout; 0: it has none. */
uint64_t event_record_time(const struct event *event,
			   const struct perf_event_header *header);

/* Whether a sample of a plain event is as long as it says: sample_decode() takes it. */
static inline bool event_has_plain(const struct event *event,
				   const struct perf_event_header *header)
{
	const char *raw = (const char *)(header + 1) + event->fixed_size;
	int left = (int)header->size - (int)sizeof(*header) - event->fixed_size;
	uint32_t size;

	if (!(event->attr.sample_type & PERF_SAMPLE_RAW))
		return left >= 0;
	if (left < (int)sizeof(size))
		return false;
	memcpy(&size, raw, sizeof(size));
	return (((uint64_t)size + sizeof(size) + 7) & ~7ULL) <= (uint64_t)left;
}

/* Its samples have an address of data (PERF_SAMPLE_ADDR) that perf names: page faults. */
static inline bool event_tells_data(const struct event *event)
{
	return event->attr.type == PERF_TYPE_SOFTWARE &&
	       (event->attr.config == PERF_COUNT_SW_PAGE_FAULTS ||
		event->attr.config == PERF_COUNT_SW_PAGE_FAULTS_MIN ||
		event->attr.config == PERF_COUNT_SW_PAGE_FAULTS_MAJ);
}

#endif
