// SPDX-License-Identifier: GPL-2.0
#include "check/firing_pair.h"

#include <stdint.h>
#include <string.h>

/*
 * The bits of common_flags that are the same for all observers of one firing.  Others can
 * differ: an interrupt between two observers can request a reschedule.
 */
#define STABLE_FLAGS (0x01 | 0x08 | 0x10 | 0x40)

bool firing_same_value(const struct field *field, const void *raw_a, size_t size_a,
		       const void *raw_b, size_t size_b)
{
	const void *bytes_a, *bytes_b;
	size_t len_a, len_b;

	if (field->kind == FIELD_INTEGER) {
		uint64_t differing = field_u64(field, raw_a, size_a) ^
			field_u64(field, raw_b, size_b);

		return !strcmp(field->name, "common_flags") ? !(differing & STABLE_FLAGS) :
			!differing;
	}
	bytes_a = field_bytes(field, raw_a, size_a, &len_a);
	bytes_b = field_bytes(field, raw_b, size_b, &len_b);
	return len_a == len_b && !bytes_a == !bytes_b &&
		(!bytes_a || !memcmp(bytes_a, bytes_b, len_a));
}

static bool is_left_out(const struct firing_pair *pair, const struct field *field)
{
	return pair->to_tracefs && !strcmp(field->name, "common_preempt_count");
}

bool firing_pair_same_value(const struct firing_pair *pair, const struct field *field,
			    const struct captured_record *a, const struct captured_record *b)
{
	return is_left_out(pair, field) ||
		firing_same_value(field, captured_raw(pair->from, a), a->size,
				  captured_raw(pair->to, b), b->size);
}

bool firing_pair_same(const struct firing_pair *pair, const struct captured_record *a,
		      const struct captured_record *b)
{
	for (size_t i = 0; i < pair->format->nr_fields; i++)
		if (!firing_pair_same_value(pair, &pair->format->fields[i], a, b))
			return false;
	return true;
}

static size_t count_differing(const struct firing_pair *pair)
{
	size_t nr = 0;

	for (size_t i = 0; i < pair->nr_a; i++)
		nr += !firing_pair_same(pair, &pair->a[i], &pair->b[i]);
	return nr;
}

/* Copy @pair without some records at its ends. */
static struct firing_pair trimmed(const struct firing_pair *pair, size_t front_a, size_t front_b,
				  size_t back_a, size_t back_b)
{
	struct firing_pair shorter = *pair;

	shorter.a += front_a;
	shorter.b += front_b;
	shorter.nr_a -= front_a + back_a;
	shorter.nr_b -= front_b + back_b;
	return shorter;
}

static bool is_whole_pair(const struct firing_pair *pair)
{
	return pair->nr_a ? pair->a->is_whole : pair->b->is_whole;
}

void firing_pair_trim(struct firing_pair *pair)
{
	static const size_t cuts[][2] = { { 0, 0 }, { 1, 0 }, { 0, 1 } };
	bool is_even = pair->nr_a == pair->nr_b;
	struct firing_pair best = *pair;
	size_t fewest = SIZE_MAX;

	if (is_whole_pair(pair))
		return;
	for (size_t i = 0; fewest && i < 3; i++) {
		for (size_t j = 0; fewest && j < 3; j++) {
			struct firing_pair shorter;
			size_t nr;

			if (cuts[i][0] + cuts[j][0] > pair->nr_a ||
			    cuts[i][1] + cuts[j][1] > pair->nr_b)
				continue;
			shorter = trimmed(pair, cuts[i][0], cuts[i][1], cuts[j][0], cuts[j][1]);
			nr = shorter.nr_a == shorter.nr_b ? count_differing(&shorter) : SIZE_MAX;
			/*
			 * If both have the same number of records, cut only if they are all
			 * equal then.
			 */
			if (nr < fewest && (!nr || !is_even)) {
				fewest = nr;
				best = shorter;
			}
		}
	}
	*pair = best;
}

/* Count the records from @at on that have the same event, task and context as @first. */
static size_t count_of(const struct captured *captured, size_t at,
		       const struct captured_record *first)
{
	size_t nr = 0;

	while (at + nr < captured->nr && !captured_order(&captured->items[at + nr], first))
		nr++;
	return nr;
}

bool firing_pair_next(struct firing_pair *pair, size_t event, size_t *i, size_t *j)
{
	const struct captured_record *a = &pair->from->items[*i], *b = &pair->to->items[*j];
	bool has_a = *i < pair->from->nr && a->event == event;
	bool has_b = *j < pair->to->nr && b->event == event;
	const struct captured_record *first;

	if (!has_a && !has_b)
		return false;
	first = !has_b || (has_a && captured_order(a, b) <= 0) ? a : b;
	pair->a = a;
	pair->b = b;
	pair->nr_a = count_of(pair->from, *i, first);
	pair->nr_b = count_of(pair->to, *j, first);
	*i += pair->nr_a;
	*j += pair->nr_b;
	return true;
}
