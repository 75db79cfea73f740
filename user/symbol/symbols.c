// SPDX-License-Identifier: GPL-2.0
#include "symbol/symbols.h"

#include <stdlib.h>
#include <string.h>

#include "lib/array.h"
#include "symbol/demangle.h"

#define PAGE_BYTES	4096ULL
#define TEXT_BYTES	65536

void symbols_deinit(struct symbols *symbols)
{
	array_free_each(&symbols->texts);
	free(symbols->items);
	free(symbols->reaches);
	free(symbols->bounds.items);
	*symbols = (struct symbols){ 0 };
}

struct error *symbols_add(struct symbols *symbols, const struct symbol *symbol)
{
	if (!array_push(symbols, *symbol))
		return &error_no_memory;
	symbols->items[symbols->nr - 1].order = symbols->nr;
	return NULL;
}

struct error *symbols_bound(struct symbols *symbols, uint64_t end)
{
	return array_push(&symbols->bounds, end) ? NULL : &error_no_memory;
}

struct error *symbols_keep(struct symbols *symbols, char *text)
{
	if (text && array_push(&symbols->texts, text))
		return NULL;
	free(text);
	return &error_no_memory;
}

const char *symbols_copy(struct symbols *symbols, const char *text, size_t len)
{
	char *copy;

	if (len >= symbols->page_left) {
		size_t size = len >= TEXT_BYTES ? len + 1 : TEXT_BYTES;
		char *page = malloc(size);

		if (!page || !array_push(&symbols->texts, page)) {
			free(page);
			return NULL;
		}
		symbols->page = page;
		symbols->page_left = size;
	}
	copy = symbols->page;
	memcpy(copy, text, len);
	copy[len] = '\0';
	symbols->page += len + 1;
	symbols->page_left -= len + 1;
	return copy;
}

static void demangle_symbol(struct symbols *symbols, struct symbol *symbol)
{
	char *name;
	const char *copy;

	if (!symbol->mangled)
		return;
	symbol->mangled = false;
	name = demangle(symbol->name);
	if (!name)
		return;
	copy = symbols_copy(symbols, name, strlen(name));
	if (copy) {
		symbol->linkage = symbol->name;
		symbol->name = copy;
	}
	free(name);
}

DEFINE_COMPARISON(compare_symbols, struct symbol, array_order(x->start, y->start) ?:
		  array_order(x->order, y->order))

DEFINE_COMPARISON(compare_section_ends, uint64_t, array_order(*x, *y))

static void sort_symbols(struct symbols *symbols)
{
	const struct symbol *s = symbols->items;

	for (size_t i = 1; i < symbols->nr; i++) {
		if (s[i - 1].start <= s[i].start)
			continue;
		qsort(symbols->items, symbols->nr, sizeof(*s), compare_symbols);
		break;
	}
	for (size_t i = 0; i < symbols->nr; i++)
		symbols->items[i].order = i;
}

/*
 * A symbol without a size ends where the next one begins, or where its section ends.  The last one
 * of the kernel or of a module ends about a page later.
 */
static void set_ends(struct symbols *symbols, bool kernel)
{
	struct symbol *s = symbols->items, *last = s + symbols->nr - 1;
	size_t bound = 0;

	for (; s <= last; s++) {
		if (s->end != s->start)
			continue;
		if (s == last)
			s->end = ((s->start + PAGE_BYTES - 1) & ~(PAGE_BYTES - 1)) + PAGE_BYTES;
		else if (kernel && !s->part != !s[1].part)
			s->end = (s->end + 2 * PAGE_BYTES - 1) & ~(PAGE_BYTES - 1);
		else
			s->end = s[1].start;
		while (bound < symbols->bounds.nr && symbols->bounds.items[bound] <= s->start)
			bound++;
		if (bound < symbols->bounds.nr && symbols->bounds.items[bound] < s->end)
			s->end = symbols->bounds.items[bound];
	}
}

/* Drop labels without a size inside a function: they are no other functions. */
static void drop_labels(struct symbols *symbols)
{
	struct symbol *s = symbols->items;
	uint64_t start = 0, end = 0;	/* of the sized symbol with the highest end so far */
	size_t kept = 0;

	for (size_t i = 0; i < symbols->nr; i++) {
		if (s[i].end == s[i].start && s[i].start > start && s[i].start < end)
			continue;
		if (s[i].end > end) {
			start = s[i].start;
			end = s[i].end;
		}
		s[kept++] = s[i];
	}
	symbols->nr = kept;
}

static size_t underscores(const char *name)
{
	return strspn(name, "_");
}

/*
 * Whether @a is preferred to @b at the same address: the first rule that distinguishes them
 * decides.
 */
static bool is_better(struct symbols *symbols, struct symbol *a, struct symbol *b)
{
	bool a_empty = a->end == a->start, b_empty = b->end == b->start;
	bool a_weak = a->binding == SYMBOL_WEAK, b_weak = b->binding == SYMBOL_WEAK;
	bool a_global = a->binding == SYMBOL_GLOBAL, b_global = b->binding == SYMBOL_GLOBAL;

	if (a_empty != b_empty)
		return b_empty;
	if (a_weak != b_weak)
		return b_weak;
	if (a_global != b_global)
		return a_global;
	demangle_symbol(symbols, a);
	demangle_symbol(symbols, b);
	if (underscores(a->name) != underscores(b->name))
		return underscores(a->name) < underscores(b->name);
	return strlen(a->name) >= strlen(b->name);
}

static void drop_duplicates(struct symbols *symbols)
{
	struct symbol *s = symbols->items;
	size_t kept = 0;

	for (size_t i = 0; i < symbols->nr; i++) {
		if (kept && s[kept - 1].start == s[i].start) {
			if (!is_better(symbols, &s[kept - 1], &s[i]))
				s[kept - 1] = s[i];
			continue;
		}
		s[kept++] = s[i];
	}
	symbols->nr = kept;
}

static struct error *set_reaches(struct symbols *symbols)
{
	uint64_t reach = 0;

	free(symbols->reaches);
	symbols->reaches = malloc(symbols->nr * sizeof(*symbols->reaches));
	if (!symbols->reaches) {
		symbols->nr = 0;
		return &error_no_memory;
	}
	for (size_t i = 0; i < symbols->nr; i++) {
		if (symbols->items[i].end > reach)
			reach = symbols->items[i].end;
		symbols->reaches[i] = reach;
	}
	return NULL;
}

struct error *symbols_sort(struct symbols *symbols)
{
	if (!symbols->nr)
		return NULL;
	sort_symbols(symbols);
	return set_reaches(symbols);
}

struct error *symbols_settle(struct symbols *symbols, bool kernel)
{
	if (!symbols->nr)
		return NULL;
	sort_symbols(symbols);
	/*
	 * kallsyms has no sizes and so keeps its labels.  They are kept for every table of the
	 * kernel, so that names do not depend on the table.
	 */
	if (!kernel)
		drop_labels(symbols);
	if (symbols->bounds.nr)
		qsort(symbols->bounds.items, symbols->bounds.nr, sizeof(uint64_t),
		      compare_section_ends);
	set_ends(symbols, kernel);
	drop_duplicates(symbols);
	return set_reaches(symbols);
}

const struct symbol *symbols_find(struct symbols *symbols, uint64_t address)
{
	struct symbol *s = symbols->items;
	size_t i = array_count_until(symbols, start, address);

	/* A symbol that begins earlier may extend further than its successors. */
	while (i-- && symbols->reaches[i] >= address) {
		if (address < s[i].end || address == s[i].start) {
			demangle_symbol(symbols, &s[i]);
			if (!s[i].asked)
				s[i].asked = true;
			return &s[i];
		}
	}
	return NULL;
}

const struct symbol *symbols_first(const struct symbols *symbols, uint64_t address)
{
	size_t i = address ? array_count_until(symbols, start, address - 1) : 0;

	return i < symbols->nr ? &symbols->items[i] : NULL;
}
