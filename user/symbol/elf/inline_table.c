// SPDX-License-Identifier: GPL-2.0
#include "symbol/elf/inline_table.h"

#include <stdlib.h>

#include "lib/array.h"
#include "with/libdw.h"

/* The most ranges of a unit: many entries of a damaged file may name the same long list. */
#define RANGES_MAX	(1 << 20)

/* The deepest nesting of functions, and of entries, that is followed. */
#define INLINE_DEPTH_MAX	256

struct inline_function {
	Dwarf_Die die;
	uint32_t caller;
	uint32_t depth;
};

/* Code of a function, which may contain the code of inner ones. */
struct inline_range {
	uint64_t start, end;
	uint32_t function;
};

/* Code of one innermost function, up to the start of the next interval. */
struct inline_interval {
	uint64_t start;
	uint32_t function;	/* INLINE_NONE: not code of the unit */
};

struct inline_table {
	ARRAY_OF(struct inline_function) functions;
	ARRAY_OF(struct inline_interval) intervals;	/* ascending */
};

struct inline_ranges {
	struct inline_range *items;
	size_t nr, alloc;
};

/* An entry whose children are being walked. */
struct open_entry {
	Dwarf_Die die;
	uint32_t function;	/* the function that contains the children */
};

struct inline_walk {
	struct inline_table *table;
	struct inline_ranges ranges;
	ARRAY_OF(struct open_entry) open;
	bool all, failed;
};

/* Add the code of @die; returns whether it has any. */
static bool add_code(struct inline_walk *walk, Dwarf_Die *die, uint32_t function)
{
	Dwarf_Addr base, start, end;
	bool has_code = false;
	ptrdiff_t at = 0;

	while ((at = dwarf_ranges(die, at, &base, &start, &end)) > 0) {
		struct inline_range range = { start, end, function };

		if (start >= end)
			continue;
		if (walk->ranges.nr == RANGES_MAX) {
			walk->all = false;
			break;
		}
		has_code = true;
		if (!array_push(&walk->ranges, range)) {
			walk->failed = true;
			break;
		}
	}
	return has_code;
}

/*
 * Process an entry.  Returns whether its children matter: a namespace has functions, and a function
 * or block has inlined ones.  *function becomes the function that contains the children.
 */
static bool take_entry(struct inline_walk *walk, Dwarf_Die *die, uint32_t *function)
{
	struct inline_function added = { .die = *die, .caller = *function };
	struct inline_table *table = walk->table;
	int tag = dwarf_tag(die);

	if (tag == DW_TAG_namespace || tag == DW_TAG_lexical_block)
		return true;
	if (tag != DW_TAG_subprogram && tag != DW_TAG_inlined_subroutine)
		return dwarf_hasattr(die, DW_AT_low_pc) || dwarf_hasattr(die, DW_AT_ranges);
	/* A function inside of another one is not inlined there. */
	if (tag == DW_TAG_subprogram)
		added.caller = INLINE_NONE;
	if (*function != INLINE_NONE)
		added.depth = table->functions.items[*function].depth + 1;
	if (added.depth >= INLINE_DEPTH_MAX || !add_code(walk, die, table->functions.nr))
		return false;
	*function = table->functions.nr;
	if (!array_push(&table->functions, added))
		walk->failed = true;
	return true;
}

/* Entries are only read forwards, so that a damaged file cannot cause a loop. */
static bool next_sibling(Dwarf_Die *die, Dwarf_Die *ret)
{
	return !dwarf_siblingof(die, ret) && ret->addr > die->addr;
}

/* The file determines the depth of nesting, so this must not recurse. */
static void walk_unit(struct inline_walk *walk, Dwarf_Die *unit)
{
	struct open_entry entry = { .function = INLINE_NONE };

	if (dwarf_child(unit, &entry.die))
		return;
	while (!walk->failed) {
		struct open_entry below = entry;
		Dwarf_Die next;

		if (take_entry(walk, &entry.die, &below.function) &&
		    walk->open.nr < INLINE_DEPTH_MAX && !dwarf_child(&entry.die, &next)) {
			if (!array_push(&walk->open, entry))
				walk->failed = true;
			below.die = next;
			entry = below;
			continue;
		}
		while (!next_sibling(&entry.die, &next)) {
			if (!walk->open.nr)
				return;
			entry = walk->open.items[--walk->open.nr];
		}
		entry.die = next;
	}
}

DEFINE_COMPARISON(compare_range_starts, struct inline_range, array_order(x->start, y->start) ?:
		  array_order(x->function, y->function))

/* Whether @a takes precedence: the deeper function, among equally deep ones the first. */
static bool is_in_front(const struct inline_table *table, const struct inline_range *a,
			const struct inline_range *b)
{
	uint32_t x = table->functions.items[a->function].depth;
	uint32_t y = table->functions.items[b->function].depth;

	return x != y ? x > y : a->function < b->function;
}

static void heap_add(const struct inline_table *table, const struct inline_range **heap,
		     size_t nr, const struct inline_range *range)
{
	size_t at = nr;

	for (; at && is_in_front(table, range, heap[(at - 1) / 2]); at = (at - 1) / 2)
		heap[at] = heap[(at - 1) / 2];
	heap[at] = range;
}

static void heap_remove_first(const struct inline_table *table, const struct inline_range **heap,
			      size_t nr)
{
	const struct inline_range *moved = heap[nr - 1];
	size_t at = 0, child;

	while ((child = 2 * at + 1) < nr) {
		if (child + 1 < nr && is_in_front(table, heap[child + 1], heap[child]))
			child++;
		if (!is_in_front(table, heap[child], moved))
			break;
		heap[at] = heap[child];
		at = child;
	}
	heap[at] = moved;
}

static bool add_interval(struct inline_table *table, uint64_t start, uint32_t function)
{
	struct inline_interval interval = { start, function };
	size_t nr = table->intervals.nr;

	if (nr && table->intervals.items[nr - 1].start == start) {
		table->intervals.items[nr - 1].function = function;
		return true;
	}
	if (nr && table->intervals.items[nr - 1].function == function)
		return true;
	return array_push(&table->intervals, interval);
}

/*
 * Walk the ranges by their starts.  Begun ranges are in a heap, ordered by precedence.  Ranges that
 * have ended are removed when they reach its top.
 */
static bool make_intervals(struct inline_table *table, const struct inline_ranges *ranges)
{
	_cleanup_free_ const struct inline_range **heap = calloc(ranges->nr + 1, sizeof(*heap));
	size_t nr = 0, i = 0;

	if (!heap)
		return false;
	while (i < ranges->nr || nr) {
		uint64_t next = i < ranges->nr ? ranges->items[i].start : UINT64_MAX;

		if (nr && heap[0]->end <= next) {
			uint64_t end = heap[0]->end;

			while (nr && heap[0]->end <= end)
				heap_remove_first(table, heap, nr--);
			if (!add_interval(table, end, nr ? heap[0]->function : INLINE_NONE))
				return false;
			continue;
		}
		heap_add(table, heap, nr++, &ranges->items[i++]);
		if (!add_interval(table, next, heap[0]->function))
			return false;
	}
	return true;
}

struct inline_table *inline_table_create(Dwarf_Die *unit, bool *ret_all)
{
	_cleanup_(inline_table) struct inline_table *table = calloc(1, sizeof(*table));
	struct inline_walk walk = { .table = table, .all = true };

	if (!table)
		return NULL;
	walk_unit(&walk, unit);
	array_sort(&walk.ranges, compare_range_starts);
	if (!walk.failed && !make_intervals(table, &walk.ranges))
		walk.failed = true;
	free(walk.ranges.items);
	free(walk.open.items);
	*ret_all = walk.all;
	return walk.failed ? NULL : take_ptr(table);
}

void inline_table_destroy(struct inline_table *table)
{
	if (!table)
		return;
	free(table->functions.items);
	free(table->intervals.items);
	free(table);
}

uint32_t inline_table_find(const struct inline_table *table, uint64_t address)
{
	const size_t nr = array_count_until(&table->intervals, start, address);

	return nr ? table->intervals.items[nr - 1].function : INLINE_NONE;
}

Dwarf_Die *inline_table_die(struct inline_table *table, uint32_t function)
{
	return &table->functions.items[function].die;
}

uint32_t inline_table_caller(const struct inline_table *table, uint32_t function)
{
	return table->functions.items[function].caller;
}
