/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The events of one recording.  For each event the list holds its attr, the ids in its records, and
 * its capture backend. capture/ creates the list when recording, perfdata/ when reading.  The
 * writer, the decoder and every consumer use the same list.
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

struct count_keys;
struct filter_node;

/* The `source` of events by their capture backend (capture/backends.def). */
#define EVENT_SOURCE_PERF 0
#define EVENT_SOURCE_DEVICE 1
/* The device's ids begin here, and no other ids do (<linux/ktrace.h>). */
#define EVENT_DEVICE_IDS (1ULL << 62)

struct event {
	struct perf_event_attr attr;
	char *name;		/* "sched:sched_switch", "cycles:u"; owned */
	uint64_t *ids;		/* IDENTIFIER values of its records; owned */
	size_t nr_ids;
	size_t index;		/* position in its list */
	uint32_t source;	/* number of its capture backend in recordings; 0: perf_event */
	bool in_order;		/* while recording: each ring has its samples by time */
	char *group_name;	/* a leader's; NULL: no name; owned */
	uint32_t group;		/* 0: none; members of one {} share a number, leader first */
	struct common_layout common;	/* the trailer of RAW; nr is 0: none */
	char *filter;		/* as given to --filter; NULL: none; owned */
	const struct filter_node *filter_tree;	/* while recording: the filter, parsed */
	/* Counted by these keys instead of being recorded; NULL: it is recorded; borrowed. */
	const struct count_keys *count;
	char *format_text;	/* while recording: its format file, if it was read; owned */
	/* Bits of the arguments whose strings are recorded (format/syscall_strings.h). */
	uint32_t user_strings;
	char *cgroup;		/* only tasks of it (-G); NULL: any; owned */
	bool trigger;		/* its records request a snapshot */
	bool judged;		/* while recording: drained, also if other rings overwrite */
	bool weak;		/* counted by itself if its group cannot be counted as one */
	bool optional;		/* one of many: dropped if it cannot be opened */

	/* Sample layout, set by event_finish(). */
	int16_t time_offset;	/* of TIME in a PERF_RECORD_SAMPLE, bytes; -1: not sampled */
	int16_t id_offset;	/* of IDENTIFIER or ID in a sample; -1: not sampled */
	int16_t id_back;	/* of the id in a sample_id, bytes before its end; -1: none */
	int16_t time_back;	/* of TIME in a sample_id, likewise; -1: none */
	int16_t tid_offset;	/* of TID in a sample; -1: not sampled */
	int16_t fixed_size;	/* of IDENTIFIER to PERIOD, which begin each sample, bytes */
	bool plain;		/* samples have TID and TIME, and at most RAW behind fixed_size */
	bool is_compact;	/* the records of the device are compact: see event_sampled() */

	/*
	 * While recording, if call chains are tried (recorder/chains/chains.h): held: the event is
	 * open and stays disabled until capture_backend.hold() changes that; is_tried: its user
	 * frames are recorded in every way, and another event can replace it; replaces: the tried
	 * event that this one can replace; NULL: none.
	 */
	bool held, is_tried;
	const struct event *replaces;

	const void *format;	/* struct event_format *, once a consumer has looked it up */
};

struct event_list {
	struct event **items;	/* owned; addresses stay the same when the list grows */
	size_t nr, alloc;
	struct event_id_slot *id_table;	/* hash table of ids, made by event_list_index() */
	size_t ids_indexed;		/* number of ids in the table */
	size_t id_mask;
	/* All events share id_offset and id_back, so an id is found before the event is known. */
	bool one_layout;
	bool one_time;		/* and all share time_offset */
};

void event_list_init(struct event_list *list);
void event_list_deinit(struct event_list *list);

/* Append an event with copies of @attr and @name.  The list owns it. */
struct error *event_list_add(struct event_list *list,
			     const struct perf_event_attr *attr,
			     const char *name, struct event **ret);

/*
 * Append a copy of an event to be recorded, of this list or another one, without its ids and group.
 */
struct error *event_list_add_copy(struct event_list *list, const struct event *from,
				  struct event **ret);

/*
 * Check that an event is one of the first @nr, which a caller has allocated room for.  EBADMSG: a
 * damaged file describes more events between its records.
 */
struct error *event_check_known(const struct event *event, size_t nr);

/* Remove an event from the list and destroy it.  The index of the events behind it changes. */
void event_list_remove(struct event_list *list, struct event *event);

struct error *event_add_id(struct event *event, uint64_t id);

/*
 * Compute the layout members from the attr, the source and the first id; call after changing the
 * attr or the source.
 */
void event_finish(struct event *event);

/*
 * Build the table that finds events by id.  Call it when all ids are known, and again after more
 * were added.
 */
struct error *event_list_index(struct event_list *list);

/*
 * Index only the last event, which was appended with its ids to a list that is indexed or was
 * empty.  The cost is independent of the size of the list.
 */
struct error *event_list_index_last(struct event_list *list);

/* Whether any of the events samples any of the PERF_SAMPLE_* bits in @sample_type. */
bool event_list_has(const struct event_list *list, uint64_t sample_type);

/*
 * The fields of the event's samples as PERF_SAMPLE_* bits: those of its sample_type and, where the
 * device's records are compact (<linux/ktrace.h>), their CPU, which is in header.misc.
 */
static inline uint64_t event_sampled(const struct event *event)
{
	return event->attr.sample_type | (event->is_compact ? PERF_SAMPLE_CPU : 0);
}

/* Whether each sample stands for attr.sample_period events, which is then not in the records. */
static inline bool event_has_fixed_period(const struct event *event)
{
	return !(event->attr.sample_type & PERF_SAMPLE_PERIOD) && !event->attr.freq &&
	       event->attr.sample_period;
}

/* Whether the period of each sample is known. */
static inline bool event_has_period(const struct event *event)
{
	return event->attr.sample_type & PERF_SAMPLE_PERIOD || event_has_fixed_period(event);
}

/* Where the header of a compact record has its CPU, and the largest number of CPUs. */
#define EVENT_COMPACT_CPU_SHIFT	3
#define EVENT_COMPACT_CPUS	2048

static inline uint32_t event_compact_cpu(const struct perf_event_header *header)
{
	return header->misc >> EVENT_COMPACT_CPU_SHIFT & (EVENT_COMPACT_CPUS - 1);
}

/* Whether the event exists only to get other records, and has no samples. */
static inline bool event_is_dummy(const struct event *event)
{
	return event->attr.type == PERF_TYPE_SOFTWARE && event->attr.config == PERF_COUNT_SW_DUMMY;
}

/*
 * Whether sums include the samples of an event: an event that is recorded twice would count twice.
 * Of events of one kind, the first one counts that has neither filter nor cgroup.  If all are
 * limited, each one counts that is limited in another way than those before it.  Joined recordings,
 * whose events have no ids, have an event twice that has different fields in each.  The list may be
 * NULL.
 */
bool event_counts(const struct event_list *list, const struct event *event);

/* Returns the event with this id, or NULL if it is unknown. */
struct event *event_list_find_id(const struct event_list *list, uint64_t id);

/*
 * Returns the event that a record belongs to, or NULL if it is unknown.  A list with a single
 * event needs no ids; otherwise the id is read at the offset that all layouts share.
 */
struct event *event_list_find_record(const struct event_list *list,
				     const struct perf_event_header *header);

/* Returns the time of the record by the event's layout, or 0 if it has none. */
uint64_t event_record_time(const struct event *event,
			   const struct perf_event_header *header);

/*
 * Whether a sample of a plain event is large enough for the sizes in it, so that
 * sample_decode() accepts it.
 */
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

/*
 * Whether the event's samples have a data address (PERF_SAMPLE_ADDR) that perf resolves, as
 * those of page faults do.
 */
static inline bool event_tells_data(const struct event *event)
{
	return event->attr.type == PERF_TYPE_SOFTWARE &&
	       (event->attr.config == PERF_COUNT_SW_PAGE_FAULTS ||
		event->attr.config == PERF_COUNT_SW_PAGE_FAULTS_MIN ||
		event->attr.config == PERF_COUNT_SW_PAGE_FAULTS_MAJ);
}

/*
 * How many bytes of an attr are passed on to other programs: the part that perf 6.1 knows, if the
 * rest is zero.  The struct is larger if ktrace is built with newer headers.
 */
size_t event_attr_known_size(const struct perf_event_attr *attr);

#endif
