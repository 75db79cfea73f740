/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Copies of records that were read before anybody asked for them.
 */
#ifndef KTRACE_PERFDATA_HELD_H
#define KTRACE_PERFDATA_HELD_H

#include <linux/perf_event.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/error.h"

struct held_records {
	char *data;		/* 8-aligned; before each record stands its offset in the file */
	size_t len, alloc;	/* bytes */
	size_t at;		/* offset in data of the next one to be given */
};

void held_deinit(struct held_records *held);

/* Keep a copy of @header, which stood at @offset.  Its only error is to be out of memory. */
struct error *held_add(struct held_records *held, const struct perf_event_header *header,
		       uint64_t offset);

/*
 * Give the next one, in the order of held_add(); NULL: there is none left.  It is valid
 * until the next held_add().
 */
const struct perf_event_header *held_next(struct held_records *held, uint64_t *ret_offset);

#endif
