// SPDX-License-Identifier: GPL-2.0
#include "symbol/kallsyms.h"

#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "lib/array.h"
#include "lib/file.h"

#define PAGE_BYTES	4096ULL

struct entry {
	struct kallsyms_symbol symbol;	/* first: kallsyms_find() hands it out */
	uint32_t order;			/* in the text */
	char type;
};

struct kallsyms {
	char *text;		/* the names lie in it */
	struct entry *items;	/* ascending, one per address */
	size_t nr, alloc;
};

/* Functions and data; not absolute ones, nor undefined. */
static bool is_wanted(char type, const char *name)
{
	return strchr("TWDB", toupper((unsigned char)type)) && *name != '$';
}

/* Cut "ADDRESS TYPE NAME\t[MODULE]" apart in place. */
static struct error *take_line(struct kallsyms *k, char *line)
{
	struct entry entry = { .order = k->nr };
	char *end, *name, *tab;

	entry.symbol.start = strtoull(line, &end, 16);
	if (end == line || end[0] != ' ' || !end[1] || end[2] != ' ')
		return NULL;
	entry.type = end[1];
	name = end + 3;
	tab = strpbrk(name, "\t ");
	if (tab) {
		*tab = '\0';
		entry.symbol.module = strchr(tab + 1, '[');
	}
	if (entry.symbol.module) {
		char *bracket = strchr(++entry.symbol.module, ']');

		if (bracket)
			*bracket = '\0';
	}
	entry.symbol.name = name;
	if (!is_wanted(entry.type, name))
		return NULL;
	return array_push(k, entry) ? NULL : &error_no_memory;
}

static struct error *take_lines(struct kallsyms *k)
{
	char *line, *saved = NULL;

	for (line = strtok_r(k->text, "\n", &saved); line; line = strtok_r(NULL, "\n", &saved)) {
		struct error *err = take_line(k, line);

		if (err)
			return err;
	}
	return NULL;
}

static int compare_entries(const void *a, const void *b)
{
	const struct entry *x = a, *y = b;

	if (x->symbol.start != y->symbol.start)
		return x->symbol.start < y->symbol.start ? -1 : 1;
	return x->order < y->order ? -1 : 1;
}

/* A symbol ends where the next one begins; the last of the kernel or a module, with its page. */
static void set_ends(struct kallsyms *k)
{
	for (size_t i = 0; i < k->nr; i++) {
		struct kallsyms_symbol *s = &k->items[i].symbol;
		struct kallsyms_symbol *next = i + 1 < k->nr ? &k->items[i + 1].symbol : NULL;

		if (next && !s->module == !next->module)
			s->end = next->start;
		else
			s->end = (s->start + PAGE_BYTES + PAGE_BYTES - 1) & ~(PAGE_BYTES - 1);
	}
}

static size_t underscores(const char *name)
{
	return strspn(name, "_");
}

/* Which of two at one address: the first rule that tells them apart decides. */
static bool is_better(const struct entry *a, const struct entry *b)
{
	bool a_empty = a->symbol.end == a->symbol.start;
	bool b_empty = b->symbol.end == b->symbol.start;
	bool a_weak = toupper((unsigned char)a->type) == 'W';
	bool b_weak = toupper((unsigned char)b->type) == 'W';
	bool a_global = isupper((unsigned char)a->type);
	bool b_global = isupper((unsigned char)b->type);
	size_t a_len, b_len;

	if (a_empty != b_empty)
		return b_empty;
	if (a_weak != b_weak)
		return b_weak;
	if (a_global != b_global)
		return a_global;
	if (underscores(a->symbol.name) != underscores(b->symbol.name))
		return underscores(a->symbol.name) < underscores(b->symbol.name);
	a_len = strlen(a->symbol.name);
	b_len = strlen(b->symbol.name);
	return a_len >= b_len;
}

static void drop_duplicates(struct kallsyms *k)
{
	size_t kept = 0;

	for (size_t i = 0; i < k->nr; i++) {
		if (kept && k->items[kept - 1].symbol.start == k->items[i].symbol.start) {
			if (!is_better(&k->items[kept - 1], &k->items[i]))
				k->items[kept - 1] = k->items[i];
			continue;
		}
		k->items[kept++] = k->items[i];
	}
	k->nr = kept;
}

struct error *kallsyms_read(const char *path, struct kallsyms **ret)
{
	_cleanup_(kallsyms) struct kallsyms *k = calloc(1, sizeof(*k));
	struct error *err;

	if (!k)
		return &error_no_memory;
	err = file_read(path, &k->text, NULL);
	if (!err)
		err = take_lines(k);
	if (err)
		return err;
	if (k->nr)
		qsort(k->items, k->nr, sizeof(*k->items), compare_entries);
	set_ends(k);
	drop_duplicates(k);
	if (!k->nr || !k->items[k->nr - 1].symbol.start)
		return error_hint(error_new(EPERM, "%s shows no addresses", path),
				  "Run it as root, or as root: sysctl kernel.kptr_restrict=0");
	*ret = take_ptr(k);
	return NULL;
}

void kallsyms_destroy(struct kallsyms *kallsyms)
{
	if (!kallsyms)
		return;
	free(kallsyms->items);
	free(kallsyms->text);
	free(kallsyms);
}

const struct kallsyms_symbol *kallsyms_find(const struct kallsyms *kallsyms, uint64_t address)
{
	size_t low = 0, high = kallsyms->nr;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (kallsyms->items[middle].symbol.start <= address)
			low = middle + 1;
		else
			high = middle;
	}
	if (!low || address >= kallsyms->items[low - 1].symbol.end)
		return NULL;
	return &kallsyms->items[low - 1].symbol;
}
