// SPDX-License-Identifier: GPL-2.0
/*
 * Binaries with different names in different recordings, such as app-1.2 and app-1.3, are
 * recognized by their common functions.
 */
#include <stdlib.h>
#include <string.h>

#include "lib/array.h"
#include "profile/compare/comparison.h"

/* The required number of common functions, and their required share of the cost of both. */
#define JOIN_FUNCTIONS	3
#define JOIN_PART	0.8

/* The rows of a binary in an event. */
struct joined_binary {
	const char *name;
	double named;		/* periods of all named functions */
	bool *in;		/* by recording: whether it has samples there; owned */
	struct joined_binary *like;	/* the most similar one; NULL: none */
	double part;		/* the similarity */
	size_t shared;		/* functions in common */
};

struct joined_binaries {
	struct joined_binary *items;
	size_t nr, alloc;
};

struct join {
	struct comparison_event *event;
	size_t files, dso, symbol;	/* recordings; positions of the keys */
	struct joined_binaries binaries;
	struct comparison_row **sorted;	/* the rows by binary and function; owned */
};

static double row_period(const struct comparison_row *row, size_t files)
{
	double period = 0;

	for (size_t i = 0; i < files; i++)
		period += row->cells[i].period;
	return period;
}

static uint64_t row_samples(const struct comparison_row *row, size_t files)
{
	uint64_t samples = 0;

	for (size_t i = 0; i < files; i++)
		samples += row->cells[i].samples;
	return samples;
}

/* "[k] name"; addresses are no names. */
static bool row_is_named(const struct join *j, const struct comparison_row *row)
{
	const char *symbol = row->texts[j->symbol];

	return strlen(symbol) > 4 && strncmp(symbol + 4, "0x", 2) != 0;
}

static struct joined_binary *join_find(const struct join *j, const char *name)
{
	return array_find(&j->binaries, it, !strcmp(it->name, name));
}

/* List the binaries; [kernel], [vdso] and similar ones have fixed names. */
static struct error *join_list(struct join *j)
{
	for (size_t i = 0; i < j->event->rows.nr; i++) {
		const struct comparison_row *row = j->event->rows.items[i];
		const char *name = row->texts[j->dso];
		struct joined_binary *binary = join_find(j, name);
		const struct joined_binary new = { .name = name };

		if (*name == '[')
			continue;
		if (!binary) {
			if (!array_push(&j->binaries, new))
				return &error_no_memory;
			binary = &j->binaries.items[j->binaries.nr - 1];
			binary->in = calloc(j->files, sizeof(*binary->in));
			if (!binary->in)
				return &error_no_memory;
		}
		if (row_is_named(j, row))
			binary->named += row_period(row, j->files);
		for (size_t k = 0; k < j->files; k++)
			binary->in[k] |= row->cells[k].samples;
	}
	return NULL;
}

static int join_compare_texts(const struct join *j, const struct comparison_row *row,
			      const char *binary, const char *symbol)
{
	int order = strcmp(row->texts[j->dso], binary);

	return order ? order : strcmp(row->texts[j->symbol], symbol);
}

static int join_compare_rows(const void *x, const void *y, void *join)
{
	const struct join *j = join;
	struct comparison_row *const *a = x, *const *b = y;

	return join_compare_texts(j, *a, (*b)->texts[j->dso], (*b)->texts[j->symbol]);
}

static struct error *join_sort(struct join *j)
{
	size_t size = j->event->rows.nr * sizeof(*j->sorted);

	free(j->sorted);
	j->sorted = malloc(size + 1);
	if (!j->sorted)
		return &error_no_memory;
	if (size) {
		memcpy(j->sorted, j->event->rows.items, size);
		qsort_r(j->sorted, j->event->rows.nr, sizeof(*j->sorted), join_compare_rows, j);
	}
	return NULL;
}

/* NULL: there is none. */
static struct comparison_row *join_row(const struct join *j, const char *binary, const char *symbol)
{
	size_t all = j->event->rows.nr, nr;

	nr = array_count_while(all, i, join_compare_texts(j, j->sorted[i], binary, symbol) < 0);
	return nr < all && !join_compare_texts(j, j->sorted[nr], binary, symbol) ? j->sorted[nr] :
										   NULL;
}

/* Compute the similarity of two binaries that never occur in the same recording. */
static void join_compare(const struct join *j, struct joined_binary *a, struct joined_binary *b)
{
	double in_a = 0, in_b = 0, part;
	size_t shared = 0;

	for (size_t i = 0; i < j->files; i++)
		if (a->in[i] && b->in[i])
			return;
	for (size_t i = 0; i < j->event->rows.nr; i++) {
		const struct comparison_row *row = j->event->rows.items[i], *other;

		if (strcmp(row->texts[j->dso], a->name) || !row_is_named(j, row))
			continue;
		other = join_row(j, b->name, row->texts[j->symbol]);
		if (!other)
			continue;
		shared++;
		in_a += row_period(row, j->files);
		in_b += row_period(other, j->files);
	}
	if (shared < JOIN_FUNCTIONS || in_a < JOIN_PART * a->named || in_b < JOIN_PART * b->named)
		return;
	part = in_a / a->named * (in_b / b->named);
	if (part > a->part) {
		a->like = b;
		a->part = part;
		a->shared = shared;
	}
	if (part > b->part) {
		b->like = a;
		b->part = part;
		b->shared = shared;
	}
}

/* Whether the last recording of @a is later than that of @b. */
static bool join_is_later(const struct join *j, const struct joined_binary *a,
			  const struct joined_binary *b)
{
	for (size_t i = j->files; i-- > 0; )
		if (a->in[i] != b->in[i])
			return a->in[i];
	return false;
}

static void join_row_cells(struct comparison_row *to, struct comparison_row *from, size_t files)
{
	for (size_t i = 0; i < files; i++) {
		if (!from->cells[i].samples)
			continue;
		/* They never occur in the same recording. */
		free(to->cells[i].blocks);
		to->cells[i] = from->cells[i];
		from->cells[i] = (struct comparison_cell){ 0 };
	}
}

/* Give the rows of a binary the name of the later one. */
static struct error *join_rename(struct join *j, const char *from, const char *to)
{
	struct comparison_event *event = j->event;
	bool failed = false;
	size_t left = 0;

	for (size_t i = 0; i < event->rows.nr; i++) {
		struct comparison_row *row = event->rows.items[i];
		struct comparison_row *other = strcmp(row->texts[j->dso], from) ? NULL :
					       join_row(j, to, row->texts[j->symbol]);

		if (other)
			join_row_cells(other, row, j->files);
	}
	/* Empty rows were merged into other ones. */
	for (size_t i = 0; i < event->rows.nr; i++) {
		struct comparison_row *row = event->rows.items[i];
		bool renamed = !strcmp(row->texts[j->dso], from);
		char *name;

		if (renamed && !row_samples(row, j->files)) {
			comparison_row_destroy(row, j->files);
			continue;
		}
		event->rows.items[left++] = row;
		if (!renamed)
			continue;
		name = strdup(to);
		if (!name) {
			failed = true;
			continue;
		}
		free(row->texts[j->dso]);
		row->texts[j->dso] = name;
	}
	event->rows.nr = left;
	return failed ? &error_no_memory : join_sort(j);
}

static struct error *join_event_binaries(struct join *j, comparison_joined *joined, void *data)
{
	struct error *err = join_list(j);

	if (!err)
		err = join_sort(j);
	for (size_t i = 0; i < j->binaries.nr && !err; i++)
		for (size_t k = i + 1; k < j->binaries.nr; k++)
			join_compare(j, &j->binaries.items[i], &j->binaries.items[k]);
	for (size_t i = 0; i < j->binaries.nr && !err; i++) {
		struct joined_binary *old = &j->binaries.items[i], *new = old->like;
		char *names[2];

		/* Each must be the most similar one of the other. */
		if (!new || new->like != old || !join_is_later(j, new, old))
			continue;
		names[0] = strdup(old->name);
		names[1] = strdup(new->name);
		if (names[0] && names[1]) {
			joined(data, names[0], names[1], old->shared);
			err = join_rename(j, names[0], names[1]);
		} else {
			err = &error_no_memory;
		}
		old->like = new->like = NULL;
		free(names[0]);
		free(names[1]);
	}
	array_free_each(&j->binaries, .in);
	free(j->sorted);
	return err;
}

struct error *comparison_join_binaries(struct comparison *comparison, comparison_joined *joined,
				       void *data)
{
	const struct comparison_options *options = comparison_options(comparison);
	const uint8_t *dso = memchr(options->keys, COMPARE_DSO, COMPARISON_KEYS_MAX);
	const uint8_t *symbol = memchr(options->keys, COMPARE_SYMBOL, COMPARISON_KEYS_MAX);
	struct error *err = NULL;

	/* With other keys, a function has several rows. */
	if (!dso || !symbol || options->keys[2])
		return NULL;
	for (size_t i = 0; i < comparison_nr(comparison) && !err; i++) {
		struct join j = {
			.event = (struct comparison_event *)comparison_event(comparison, i),
			.files = comparison_files(comparison),
			.dso = dso - options->keys, .symbol = symbol - options->keys,
		};

		err = join_event_binaries(&j, joined, data);
	}
	return err;
}
