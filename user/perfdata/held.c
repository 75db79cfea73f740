// SPDX-License-Identifier: GPL-2.0
#include "perfdata/reader_state.h"

#include <stdlib.h>
#include <string.h>

#define FIRST_BYTES	65536

void held_deinit(struct held_records *held)
{
	free(held->data);
	*held = (struct held_records){ .data = NULL };
}

static size_t held_size(const struct perf_event_header *header)
{
	return sizeof(uint64_t) + ((header->size + 7) & ~(size_t)7);
}

struct error *held_add(struct held_records *held, const struct perf_event_header *header,
		       uint64_t offset)
{
	size_t size = held_size(header);

	if (held->alloc - held->len < size) {
		/* No record is larger than 64 KiB, so doubling is always enough. */
		size_t alloc = held->alloc ? held->alloc * 2 : 2 * FIRST_BYTES;
		char *grown = realloc(held->data, alloc);

		if (!grown)
			return &error_no_memory;
		held->data = grown;
		held->alloc = alloc;
	}
	memcpy(held->data + held->len, &offset, sizeof(offset));
	memcpy(held->data + held->len + sizeof(offset), header, header->size);
	held->len += size;
	return NULL;
}

const struct perf_event_header *held_next(struct held_records *held, uint64_t *ret_offset)
{
	const struct perf_event_header *header;

	if (held->at == held->len)
		return NULL;
	memcpy(ret_offset, held->data + held->at, sizeof(*ret_offset));
	header = (const void *)(held->data + held->at + sizeof(*ret_offset));
	held->at += held_size(header);
	return header;
}
