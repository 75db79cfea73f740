/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Converts data of the other byte order in place to this machine's.  RAW payloads are not changed:
 * their event formats know their byte order.  Nothing beyond the given sizes is touched, and
 * nothing needs to be aligned.
 */
#ifndef KTRACE_PERFDATA_SWAP_H
#define KTRACE_PERFDATA_SWAP_H

#include <linux/perf_event.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "record/event.h"

static inline uint64_t swap_get_u64(const void *p)
{
	uint64_t value;

	memcpy(&value, p, sizeof(value));
	return __builtin_bswap64(value);
}

/* Swap @nr numbers of 64 bits. */
void swap_words(void *data, size_t nr);

/*
 * Swap a struct perf_event_attr of any version.  @available is its room in bytes, at least
 * PERF_ATTR_SIZE_VER0.
 */
void swap_attr(void *attr, size_t available);

/* Swap the 8 bytes with which every record begins. */
void swap_header(struct perf_event_header *header);

/*
 * Swap the rest of a record whose header is swapped already, header->size bytes in all.
 * @events gives the layout of samples and sample_ids.
 */
void swap_record(const struct event_list *events, struct perf_event_header *header);

#endif
