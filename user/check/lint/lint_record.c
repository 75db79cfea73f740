// SPDX-License-Identifier: GPL-2.0
#include <stdlib.h>
#include <string.h>

#include "check/lint/lint.h"
#include "lib/strbuf.h"

/* The largest record that perf accepts: PERF_MAX_TRACE_SIZE. */
#define RECORD_MAX 8192

static bool is_number_size(uint32_t size)
{
	return size == 1 || size == 2 || size == 4 || size == 8;
}

/*
 * The alignment that the compiler would choose; for a struct, an estimate by its offset and size.
 */
static uint32_t alignment_of(const struct field *field)
{
	uint32_t size = field->size, align = 8;

	if (field->kind >= FIELD_DYNAMIC_STRING)
		return 4;
	if (field->kind == FIELD_STRING)
		return 1;
	if (field->kind == FIELD_INTEGER && is_number_size(size))
		return size;
	if (field->element_size && is_number_size(field->element_size) &&
	    field->element_size != size)
		return field->element_size;
	while (align > 1 && (size % align || field->offset % align))
		align /= 2;
	return align;
}

static uint32_t round_up_to(uint32_t value, uint32_t align)
{
	return (value + align - 1) / align * align;
}

static uint32_t end_of(const struct field *field)
{
	return field->offset + field->size;
}

static void find_overlaps(struct subject *s)
{
	const struct event_format *format = s->format;

	for (size_t i = 1; i < format->nr_fields; i++) {
		for (size_t j = 0; j < i; j++) {
			const struct field *a = &format->fields[j], *b = &format->fields[i];

			if (a->offset >= end_of(b) || b->offset >= end_of(a))
				continue;
			find_field(s, RULE_FIELDS_OVERLAP, b,
				   "%s (bytes %u to %u) overlaps %s (bytes %u to %u)", b->name,
				   b->offset, end_of(b) - 1, a->name, a->offset, end_of(a) - 1);
		}
	}
}

static void find_outside(struct subject *s)
{
	for (size_t i = s->format->nr_common; i < s->format->nr_fields; i++) {
		const struct field *field = &s->format->fields[i];

		if (end_of(field) > RECORD_MAX)
			find_field(s, RULE_FIELD_OUTSIDE_RECORD, field,
				   "%s ends at byte %u; a record has at most %u", field->name,
				   end_of(field), RECORD_MAX);
	}
}

static void find_unaligned(struct subject *s)
{
	for (size_t i = s->format->nr_common; i < s->format->nr_fields; i++) {
		const struct field *field = &s->format->fields[i];
		uint32_t align = field->kind >= FIELD_DYNAMIC_STRING ? 4 : field->size;

		if (field->kind != FIELD_INTEGER && field->kind < FIELD_DYNAMIC_STRING)
			continue;
		/* Some 32-bit machines align numbers of 64 bits to 4 bytes. */
		if (field->offset % align && !(align == 8 && field->offset % 4 == 0))
			find_field(s, RULE_FIELD_UNALIGNED, field,
				   "%s has %u bytes and is at offset %u", field->name,
				   field->size, field->offset);
	}
}

/* The largest alignment comes first; otherwise the order is that of the source. */
static int order_offsets(const void *a, const void *b)
{
	const struct field *x = *(const struct field *const *)a;
	const struct field *y = *(const struct field *const *)b;
	uint32_t p = alignment_of(x), q = alignment_of(y);

	if (p != q)
		return p > q ? -1 : 1;
	return x->offset < y->offset ? -1 : 1;
}

static void suggest_order(struct subject *s, const struct field **fields, size_t nr)
{
	_cleanup_(strbuf) struct strbuf order = STRBUF_INIT;

	for (size_t i = 0; i < nr; i++)
		strbuf_addf(&order, "%s%s", i ? ", " : "", fields[i]->name);
	finding_instead(s->result, RULE_HOLE, "This order: %s", strbuf_str(&order));
}

/*
 * Padding is only reported if another order has less of it: in any case the record ends at a
 * multiple of its largest alignment.
 */
static void find_holes(struct subject *s)
{
	size_t nr = s->format->nr_fields - s->format->nr_common;
	_cleanup_free_ const struct field **fields = calloc(nr + 1, sizeof(*fields));
	uint32_t begin = 0, best, now = 0, largest = 1;
	const struct field *before = NULL, *behind = NULL;

	if (!fields || !nr)
		return;
	for (size_t i = 0; i < s->format->nr_common; i++)
		if (end_of(&s->format->fields[i]) > begin)
			begin = end_of(&s->format->fields[i]);
	for (size_t i = 0; i < nr; i++) {
		fields[i] = &s->format->fields[s->format->nr_common + i];
		if (alignment_of(fields[i]) > largest)
			largest = alignment_of(fields[i]);
		if (i && !behind && end_of(fields[i - 1]) < fields[i]->offset) {
			before = fields[i - 1];
			behind = fields[i];
		}
		if (end_of(fields[i]) > now)
			now = end_of(fields[i]);
	}
	qsort(fields, nr, sizeof(*fields), order_offsets);
	best = begin;
	for (size_t i = 0; i < nr; i++)
		best = round_up_to(best, alignment_of(fields[i])) + fields[i]->size;
	best = round_up_to(best, largest);
	now = round_up_to(now, largest);
	if (!behind || best >= now)
		return;
	find_field(s, RULE_HOLE, behind, "%u bytes of padding between %s and %s; another order "
		   "makes the record %u bytes instead of %u", behind->offset - end_of(before),
		   before->name, behind->name, best, now);
	finding_saves(s->result, RULE_HOLE, now - best);
	suggest_order(s, fields, nr);
}

void lint_record(struct subject *s)
{
	size_t before = s->result->nr;

	find_overlaps(s);
	find_outside(s);
	find_unaligned(s);
	/* If fields are misplaced, padding cannot be judged. */
	if (s->result->nr == before && !s->is_generated)
		find_holes(s);
}
