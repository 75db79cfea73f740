// SPDX-License-Identifier: GPL-2.0
#include "check/bracket.h"

#include <stdlib.h>

/* Note of each record in bracket->from which one of @to is of the same firing. */
static void find_sides(struct bracket *bracket, const struct results *results,
		       const struct event_format *const *formats, const struct captured *to)
{
	struct firing_pair pair = { .from = bracket->from, .to = to, .to_tracefs = true };
	size_t i = 0, j = 0;

	for (size_t event = 0; event < results->nr; event++) {
		pair.format = formats[event];
		while (firing_pair_next(&pair, event, &i, &j)) {
			if (!pair.format)
				continue;
			firing_pair_trim(&pair);
			if (pair.nr_a != pair.nr_b)
				continue;
			for (size_t k = 0; k < pair.nr_a; k++) {
				size_t at = &pair.a[k] - bracket->from->items;

				if (to == bracket->before)
					bracket->items[at].before = &pair.b[k];
				else
					bracket->items[at].after = &pair.b[k];
			}
		}
	}
}

struct error *bracket_init(struct bracket *ret, const struct results *results,
			   const struct event_format *const *formats, const struct captured *from,
			   const struct captured *before, const struct captured *after)
{
	*ret = (struct bracket){ .from = from, .before = before, .after = after };
	ret->items = calloc(from->nr + 1, sizeof(*ret->items));
	if (!ret->items)
		return &error_no_memory;
	if (!after)
		return NULL;
	find_sides(ret, results, formats, before);
	find_sides(ret, results, formats, after);
	return NULL;
}

void bracket_deinit(struct bracket *bracket)
{
	free(bracket->items);
	*bracket = (struct bracket){ 0 };
}

static bool is_number_between(const struct field *field, uint64_t value, uint64_t x, uint64_t y)
{
	if (field->is_signed)
		return ((int64_t)x <= (int64_t)value && (int64_t)value <= (int64_t)y) ||
			((int64_t)y <= (int64_t)value && (int64_t)value <= (int64_t)x);
	return (x <= value && value <= y) || (y <= value && value <= x);
}

/* A text may be copied while it is written: then some of its bytes are the new ones. */
static bool are_bytes_between(const struct field *field, const void *raw, size_t size,
			      const void *raw_x, size_t size_x, const void *raw_y, size_t size_y)
{
	size_t len, len_x, len_y;
	const unsigned char *bytes = field_bytes(field, raw, size, &len);
	const unsigned char *x = field_bytes(field, raw_x, size_x, &len_x);
	const unsigned char *y = field_bytes(field, raw_y, size_y, &len_y);

	if (!bytes || !x || !y)
		return false;
	for (size_t i = 0; i < len; i++)
		if (bytes[i] != (i < len_x ? x[i] : 0) && bytes[i] != (i < len_y ? y[i] : 0))
			return false;
	return true;
}

/* Whether a value that changes from that of @around->before to that of after can be @record's. */
static bool is_between(const struct bracket *bracket, const struct bracket_around *around,
		       const struct field *field, const struct captured *captured,
		       const struct captured_record *record)
{
	const void *raw = captured_raw(captured, record);
	const void *x = captured_raw(bracket->before, around->before);
	const void *y = captured_raw(bracket->after, around->after);
	size_t size_x = around->before->size, size_y = around->after->size;

	if (field->kind == FIELD_INTEGER)
		return is_number_between(field, field_u64(field, raw, record->size),
					 field_u64(field, x, size_x), field_u64(field, y, size_y));
	return are_bytes_between(field, raw, record->size, x, size_x, y, size_y);
}

enum bracket_cause bracket_cause(const struct bracket *bracket, const struct firing_pair *pair,
				 const struct field *field, const struct captured_record *a,
				 const struct captured_record *b)
{
	const struct bracket_around around = bracket_around(bracket, a);

	/* Its time shows which method was called when; all of them use the same clock. */
	if (!around.before || !around.after || around.before->time > a->time ||
	    around.before->time > b->time || around.after->time < a->time ||
	    around.after->time < b->time)
		return CAUSE_UNKNOWN;
	if (firing_same_value(field, captured_raw(bracket->before, around.before),
			      around.before->size, captured_raw(bracket->after, around.after),
			      around.after->size))
		return CAUSE_DECODING;
	return is_between(bracket, &around, field, pair->from, a) &&
		is_between(bracket, &around, field, pair->to, b) ? CAUSE_KERNEL : CAUSE_DECODING;
}
