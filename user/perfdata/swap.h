/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What was recorded in the other byte order, put into this machine's in place.
 * RAW payloads stay as they are: their event formats know their byte order.
 * Nothing beyond the sizes given is touched; nothing needs to be aligned.
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

/* @nr numbers of 64 bits. */
void swap_words(void *data, size_t nr);

/* A struct perf_event_attr of any version; at least PERF_ATTR_SIZE_VER0 of @available bytes. */
void swap_attr(void *attr, size_t available);

/* The 8 bytes every record begins with. */
void swap_header(struct perf_event_header *header);

/*
 * The rest of a record whose header is swapped already, and header->size bytes
 * long.  @events tells how samples and sample_ids are laid out.
 */
void swap_record(const struct event_list *events, struct perf_event_header *header);

#endif
