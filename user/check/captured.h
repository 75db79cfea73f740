/* SPDX-License-Identifier: GPL-2.0 */
/* The records of a workload's events that one capture method stored. */
#ifndef KTRACE_CHECK_CAPTURED_H
#define KTRACE_CHECK_CAPTURED_H

#include <stdbool.h>
#include <stdint.h>

#include "format/event_format.h"
#include "lib/cleanup.h"
#include "lib/error.h"
#include "lib/strbuf.h"

struct captured_record {
	size_t event;		/* the owner's number of the event */
	int32_t tid;		/* common_pid */
	uint32_t cpu;
	bool is_whole;		/* all firings of its task were captured */
	uint8_t context;	/* of common_flags: in a hard interrupt, a soft one, an NMI */
	uint64_t time;		/* ns */
	size_t at, size;	/* of its bytes in `bytes` */
	size_t index;		/* position in the order of arrival */
};

struct captured {
	const char *name;	/* of the method of capture, as in "tracefs"; borrowed */
	struct captured_record *items;
	size_t nr, alloc;
	struct strbuf bytes;
};

void captured_deinit(struct captured *captured);
DEFINE_CLEANUP(captured, struct captured, captured_deinit)

/* The tid of the task that a record of @format belongs to, from its common_pid; -1: unknown. */
int32_t captured_tid(const struct event_format *format, const void *raw, size_t size);

/*
 * Add a record, whose @raw is copied.  @like gives its event, time, cpu and is_whole; the other
 * members come from the record.
 */
struct error *captured_add(struct captured *captured, const struct event_format *format,
			   const struct captured_record *like, const void *raw, size_t size);

static inline const void *captured_raw(const struct captured *captured,
				       const struct captured_record *record)
{
	return captured->bytes.data + record->at;
}

/*
 * Sort by event, task (idle ones by CPU) and context, then time.  Within these, all capture methods
 * have the same order of firings.  Across them the order may differ: an interrupt can come between
 * two captures of one firing.
 */
void captured_sort(struct captured *captured);

/* Compare event, task and context alone. */
int captured_order(const struct captured_record *a, const struct captured_record *b);

#endif
