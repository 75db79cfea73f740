// SPDX-License-Identifier: GPL-2.0
#include "pairs/slow_pairs.h"

#include <errno.h>
#include <stdlib.h>

#include "lib/array.h"
#include "pairs/pair_match.h"
#include "record/body.h"
#include "spec/caret.h"

struct slow_pair {
	struct pair_match match;
	struct slow_counts counts;
};

struct slow_pairs {
	ARRAY_OF(struct slow_pair) pairs;
	struct slow_windows windows;
	uint64_t lost, lost_until;	/* the latest time at which an event may have been lost */
};

struct error *slow_pairs_create(struct slow_pairs **ret)
{
	*ret = calloc(1, sizeof(**ret));
	return *ret ? NULL : &error_no_memory;
}

void slow_pairs_destroy(struct slow_pairs *slow)
{
	if (!slow)
		return;
	for (size_t i = 0; i < slow->pairs.nr; i++)
		pair_match_deinit(&slow->pairs.items[i].match);
	free(slow->pairs.items);
	free(slow->windows.items);
	free(slow);
}

struct error *slow_pairs_add(struct slow_pairs *slow, const struct pair_spec *spec,
			     const struct event_list *events, const struct formats *formats,
			     bool of_tasks)
{
	struct slow_pair pair = { .counts = { 0 } };
	struct error *err = pair_match_init(spec, events, formats, &pair.match);

	if (!err && of_tasks && !pair_match_is_of_task(&pair.match))
		err = error_hint(caret_error(spec->text, spec->end_pos, "Only some tasks are recorded, and "
					     "this event may come in another task"),
				 "'by tid' makes pairs in each task; for others, record all tasks (-a)");
	if (!err && !array_push(&slow->pairs, pair))
		err = &error_no_memory;
	if (err)
		pair_match_deinit(&pair.match);
	return err;
}

static struct slow_window *slow_window_of(struct slow_pairs *slow, const struct pair_start *start)
{
	return &slow->windows.items[start->window - 1];
}

static struct error *slow_add(struct slow_pairs *slow, const struct slow_pair *pair,
			      struct pair_start *start, uint64_t end)
{
	const struct slow_window window = {
		.begin = start->side.time, .end = end, .pair = pair - slow->pairs.items,
		.uncertain = start->side.time < slow->lost_until,
	};

	if (!array_push(&slow->windows, window))
		return &error_no_memory;
	start->window = slow->windows.nr;
	return NULL;
}

static struct error *slow_end(struct slow_pairs *slow, struct slow_pair *pair,
			      const struct session_record *r)
{
	struct pair_start *start = pair_match_end(&pair->match, r);
	struct error *err = NULL;

	if (!start) {
		pair->counts.without_start++;
		return NULL;
	}
	if (start->window) {
		slow_window_of(slow, start)->end = r->sample.time;
		slow_window_of(slow, start)->uncertain |= start->side.time < slow->lost_until;
	} else if (r->sample.time - start->side.time > pair->match.spec->longer) {
		err = slow_add(slow, pair, start, r->sample.time);
	} else {
		pair->counts.shorter++;
	}
	start->window = 0;
	return err;
}

static struct error *slow_begin(struct slow_pairs *slow, struct slow_pair *pair,
				const struct session_record *r)
{
	struct pair_start *start = pair_match_find(&pair->match, r);

	if (!start)
		return &error_no_memory;
	pair->counts.again += start->open;
	if (start->open && start->window) {
		slow_window_of(slow, start)->end = r->sample.time;
		slow_window_of(slow, start)->replaced = true;
	}
	start->window = 0;
	return pair_match_begin(start, r);
}

static void slow_lose(struct slow_pairs *slow, uint64_t nr, uint64_t until)
{
	slow->lost += nr;
	if (slow->lost_until < until)
		slow->lost_until = until;
}

struct error *slow_pairs_sample(struct slow_pairs *slow, const struct session_record *r)
{
	struct error *err = NULL;

	for (size_t i = 0; !err && i < slow->pairs.nr; i++) {
		struct slow_pair *pair = &slow->pairs.items[i];

		if (pair_match_is_damaged(&pair->match, r)) {
			slow_lose(slow, 1, r->sample.time + 1);
			continue;
		}
		if (r->event == pair->match.ends[SIDE_END])
			err = slow_end(slow, pair, r);
		if (!err && r->event == pair->match.ends[SIDE_START])
			err = slow_begin(slow, pair, r);
	}
	return err;
}

/* A later task can have the same number. */
static void slow_end_task(struct slow_pairs *slow, struct slow_pair *pair, int32_t tid,
			  uint64_t time)
{
	for (size_t i = 0; i < pair->match.starts.nr; i++) {
		struct pair_start *start = &pair->match.starts.items[i];

		if (!start->open || start->side.tid != tid)
			continue;
		start->open = false;
		if (!start->window)
			continue;
		slow_window_of(slow, start)->end = time;
		slow_window_of(slow, start)->of_ended = true;
		start->window = 0;
	}
}

struct error *slow_pairs_other(struct slow_pairs *slow, const struct session_record *r)
{
	const struct body_lost *lost = body_of(r->record.header, struct body_lost);

	for (size_t i = 0; r->record.header->type == PERF_RECORD_EXIT && i < slow->pairs.nr; i++)
		if (pair_match_is_of_task(&slow->pairs.items[i].match))
			slow_end_task(slow, &slow->pairs.items[i], r->tid, r->record.time);
	if (r->record.header->type == PERF_RECORD_LOST && lost)
		slow_lose(slow, lost->lost, r->loss.until);
	return NULL;
}

struct error *slow_pairs_look(struct slow_pairs *slow, uint64_t mark, uint64_t *ret)
{
	struct error *err = NULL;

	*ret = mark;
	for (size_t i = 0; !err && i < slow->pairs.nr; i++) {
		struct slow_pair *pair = &slow->pairs.items[i];

		for (size_t n = 0; !err && n < pair->match.starts.nr; n++) {
			struct pair_start *start = &pair->match.starts.items[n];

			if (!start->open || start->window)
				continue;
			if (start->side.time < mark &&
			    mark - start->side.time > pair->match.spec->longer)
				err = slow_add(slow, pair, start, SLOW_OPEN);
			else if (start->side.time < *ret)
				*ret = start->side.time;
		}
		if (!err)
			err = pair_match_forget(&pair->match);
	}
	return err;
}

struct slow_windows *slow_pairs_windows(struct slow_pairs *slow)
{
	return &slow->windows;
}

const struct slow_counts *slow_pairs_counts(const struct slow_pairs *slow, size_t pair)
{
	return &slow->pairs.items[pair].counts;
}

uint64_t slow_pairs_lost(const struct slow_pairs *slow)
{
	return slow->lost;
}
