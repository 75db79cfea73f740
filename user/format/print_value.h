/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The numbers in a print fmt: expressions over the fields of a record.  They are compiled from the
 * tree once, and evaluated for each record.  The rules are those of perf's interpreter: fields are
 * read as unsigned, all arithmetic is unsigned 64-bit, and casts truncate.
 *
 * Used only inside format/.
 */
#ifndef KTRACE_FORMAT_PRINT_VALUE_H
#define KTRACE_FORMAT_PRINT_VALUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "format/event_format.h"
#include "format/print_tree.h"

/* The record that is being printed. */
struct print_record {
	const char *data;
	size_t size;
	bool swapped;
};

/* The parameters of a compilation. */
struct print_target {
	const struct event_format *format;
	unsigned int long_size;		/* of the recording machine */
};

struct print_value;

/* Returns NULL if the tree contains an unsupported element, or if memory is out. */
struct print_value *print_value_create(const struct print_target *target,
				       const struct print_node *node);
void print_value_destroy(struct print_value *value);

uint64_t print_value_get(const struct print_value *value, const struct print_record *record);

/* Whether the value is stored in the record unchanged, as a field or an array element. */
bool print_value_is_stored(const struct print_value *value, uint32_t *ret_offset,
			   uint8_t *ret_size);

/* Read @size bytes at @offset as a number.  Returns 0 beyond the record and for other sizes. */
static inline uint64_t print_read_number(const struct print_record *record, size_t offset,
					 size_t size)
{
	const char *p;
	uint64_t value;
	uint32_t word;
	uint16_t half;

	if (offset > record->size || size > record->size - offset)
		return 0;
	p = record->data + offset;
	switch (size) {
	case 1:
		return *(const uint8_t *)p;
	case 2:
		memcpy(&half, p, 2);
		return record->swapped ? __builtin_bswap16(half) : half;
	case 4:
		memcpy(&word, p, 4);
		return record->swapped ? __builtin_bswap32(word) : word;
	case 8:
		memcpy(&value, p, 8);
		return record->swapped ? __builtin_bswap64(value) : value;
	default:
		return 0;
	}
}

/* An array in a record, at a fixed offset or at that of a __data_loc or __rel_loc. */
struct print_bytes {
	bool is_dynamic, is_relative;
	uint32_t offset;
};

/* Find the array of @node, also behind casts.  Returns false if @node is no array. */
bool print_bytes_of(const struct print_target *target, const struct print_node *node,
		    struct print_bytes *ret);

/*
 * Returns the beginning of the array, and in *ret_rest the number of bytes from there in the
 * record.
 */
const char *print_bytes_find(const struct print_bytes *bytes, const struct print_record *record,
			     size_t *ret_rest);

#endif
