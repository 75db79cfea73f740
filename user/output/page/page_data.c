// SPDX-License-Identifier: GPL-2.0
#include "output/page/page.h"

#include <stdlib.h>
#include <string.h>

#include "columns/dictionary.h"
#include "lib/base64.h"
#include "lib/json.h"
#include "lib/varint.h"
#include "output/profile_rendering.h"
#include "record/header.h"
#include "table/profile/wall_costs_text.h"

/* Maximal number of stretches of exact samples; more are not drawn. */
#define PAGE_STRETCHES 1001

struct page_data {
	struct json_writer json;
	const struct profile *profile;
	const struct rendering_request *request;
	struct dictionary *strings;
	struct strbuf bytes;	/* of the current base64 */
	struct strbuf counts, samples;	/* of points; empty: cells are written */
	struct page_codes *codes;	/* of these, by event; owned */
	struct strbuf text;	/* the base64 of these */
	bool failed;		/* memory is out */
};

static int32_t number_of_string(struct page_data *data, const char *text)
{
	int32_t number = dictionary_number(data->strings, text, strlen(text));

	data->failed |= number < 0;
	return number;
}

/* Write @bytes, which are then empty. */
static void add_page_base64(struct page_data *data, const char *name, struct strbuf *bytes)
{
	strbuf_reset(&data->text);
	base64_add(&data->text, strbuf_str(bytes), bytes->len);
	json_add_text(&data->json, name, strbuf_str(&data->text));
	data->failed |= bytes->failed || data->text.failed;
	strbuf_reset(bytes);
}

static void add_page_bytes(struct page_data *data, const char *name)
{
	add_page_base64(data, name, &data->bytes);
}

static void add_page_header(struct page_data *data)
{
	const struct header *header = data->request->header;
	struct json_writer *json = &data->json;

	json_begin_object(json, "recording");
	json_add_text(json, "file", data->request->recording);
	json_add_unsigned(json, "date", header->wall_time ? header->wall_time / 1000000000 :
					header->written > 0 ? (uint64_t)header->written : 0);
	json_add_text(json, "host", header->hostname);
	json_add_text(json, "kernel", header->os_release);
	json_add_text(json, "machine", header->arch);
	json_add_text(json, "cpu", header->cpu_desc);
	json_add_unsigned(json, "cpus", header->nr_cpus_online);
	json_begin_row(json, "command");
	json_begin_array(json, "words");
	for (char **word = header->cmdline; word && *word; word++)
		json_add_text(json, NULL, *word);
	json_end_array(json);
	json_end_object(json);
	json_end_object(json);
}

void page_notes_add(struct strbuf *out, const struct profile *profile,
		    const struct rendering_request *request)
{
	_cleanup_(strbuf) struct strbuf costs = STRBUF_INIT;

	chain_ends_add_words(&profile->ends, out);
	wall_costs_add_words(&profile->wall, profile->lost, request->header, &costs);
	if (out->len && costs.len)
		strbuf_addch(out, '\n');
	strbuf_addstr(out, strbuf_str(&costs));
	out->failed |= costs.failed;
}

static void add_page_notes(struct page_data *data)
{
	_cleanup_(strbuf) struct strbuf words = STRBUF_INIT;
	char *line, *rest;

	page_notes_add(&words, data->profile, data->request);
	rest = words.len ? words.data : NULL;
	json_begin_array(&data->json, "notes");
	while ((line = strsep(&rest, "\n")))
		if (*line)
			json_add_text(&data->json, NULL, line);
	json_end_array(&data->json);
	data->failed |= words.failed;
}

static void add_page_events(struct page_data *data)
{
	const struct profile *profile = data->profile;
	struct json_writer *json = &data->json;

	json_begin_array(json, "events");
	for (size_t i = 0; i < profile->events.nr; i++) {
		const struct profile_event *counts = &profile->events.items[i];

		json_begin_row(json, NULL);
		json_add_text(json, "name", profile_event_name(data->request, profile, i));
		json_add_text(json, "unit", profile_unit(data->request, i));
		json_add_unsigned(json, "samples", counts->samples);
		json_add_unsigned(json, "period", counts->period);
		json_add_unsigned(json, "each", counts->each);
		json_add_bool(json, "timed", counts->timed);
		json_begin_array(json, "codes");
		for (size_t k = 0; data->samples.len && k < PAGE_NUMBERS; k++)
			json_add_unsigned(json, NULL, data->codes[i].bits[k]);
		json_end_array(json);
		json_add_unsigned(json, "step", counts->step);
		json_end_object(json);
	}
	json_end_array(json);
}

static void add_page_tasks(struct page_data *data)
{
	const struct profile *profile = data->profile;
	struct json_writer *json = &data->json;

	json_begin_array(json, "tasks");
	for (size_t i = 0; i < profile->tasks.nr; i++) {
		const struct profile_task *task = &profile->tasks.items[i];

		json_begin_row(json, NULL);
		json_add_signed(json, "pid", task->pid);
		json_add_signed(json, "tid", task->tid);
		json_add_signed(json, "parent", task->parent);
		json_add_signed(json, "comm", number_of_string(data, task->comm));
		json_end_object(json);
	}
	json_end_array(json);
	json_begin_array(json, "lanes");
	for (size_t i = 0; i < profile->lanes.nr; i++) {
		const struct profile_lane *lane = &profile->lanes.items[i];

		json_begin_row(json, NULL);
		json_add_unsigned(json, "event", lane->event);
		json_add_unsigned(json, "task", lane->task);
		json_add_signed(json, "cpu", lane->cpu);
		json_add_unsigned(json, "cells", data->samples.len ? lane->points : lane->cells);
		json_end_object(json);
	}
	json_end_array(json);
}

static void add_page_tree(struct page_data *data)
{
	const struct profile *profile = data->profile;
	uint32_t depth = 0;

	for (size_t i = 0; i < profile->functions.nr; i++) {
		const struct profile_function *function = &profile->functions.items[i];

		varint_add(&data->bytes, number_of_string(data, function->name));
		varint_add(&data->bytes, number_of_string(data, function->binary));
		varint_add(&data->bytes, function->kind << 1 | function->own);
	}
	add_page_bytes(data, "functions");
	for (size_t i = 0; i < profile->nodes.nr; i++) {
		const struct profile_node *node = &profile->nodes.items[i];

		if (i)
			varint_add(&data->bytes, depth + 1 - node->depth);
		varint_add(&data->bytes, node->function);
		depth = node->depth;
	}
	add_page_bytes(data, "nodes");
}

/* Whether @cells have one stretch each, and the second one continues the first. */
static bool cell_goes_on(const struct profile_cell *cells)
{
	return !cells[1].samples && cells[1].node == cells[0].node &&
	       cells[1].period == cells[0].period && cells[1].stretch == cells[0].stretch + 1;
}

/*
 * The number of cells from @cells on that are alone in their stretches, and equal to the first one,
 * which has no sample of its own; at most @max.
 */
static size_t cells_that_repeat(const struct profile_cell *cells, size_t max)
{
	size_t nr = 1;

	if (cells[0].samples || (max > 1 && cells[1].stretch == cells[0].stretch))
		return 1;
	while (nr < max && cell_goes_on(&cells[nr - 1]) &&
	       (nr + 1 == max || cells[nr + 1].stretch != cells[nr].stretch))
		nr++;
	return nr;
}

/* The number of cells from @from on that are of the same stretch, at most @max. */
static size_t cells_of_stretch(const struct profile *profile, size_t from, size_t max)
{
	const struct profile_cell *cells = &profile->cells.items[from];
	size_t nr = 1;

	while (nr < max && cells[nr].stretch == cells[0].stretch)
		nr++;
	return nr;
}

static void add_page_stretch(struct page_data *data, const struct profile_cell *cells, size_t nr,
			     bool with_period, size_t repeated)
{
	uint32_t last = 0;

	varint_add(&data->bytes, nr);
	for (size_t i = 0; i < nr; i++) {
		bool several = cells[i].samples != 1;

		varint_add(&data->bytes, (uint64_t)(cells[i].node - last) << 1 | several);
		if (several)
			varint_add(&data->bytes, cells[i].samples);
		if (with_period)
			varint_add(&data->bytes, cells[i].period);
		if (!cells[i].samples)
			varint_add(&data->bytes, repeated);
		last = cells[i].node;
	}
}

static void add_page_cells(struct page_data *data)
{
	const struct profile *profile = data->profile;
	size_t at = 0, nr_lanes = data->samples.len ? 0 : profile->lanes.nr;

	for (size_t i = 0; i < nr_lanes; i++) {
		const struct profile_lane *lane = &profile->lanes.items[i];
		bool with_period = !profile->events.items[lane->event].each;
		size_t end = at + lane->cells, nr, repeated;
		uint32_t stretch = 0;

		for (; at < end; at += nr) {
			nr = cells_of_stretch(profile, at, end - at);
			repeated = cells_that_repeat(&profile->cells.items[at], end - at);
			varint_add(&data->bytes, profile->cells.items[at].stretch - stretch);
			add_page_stretch(data, &profile->cells.items[at], nr, with_period,
					 repeated);
			nr = nr > repeated ? nr : repeated;
			stretch = profile->cells.items[at + nr - 1].stretch;
		}
	}
	add_page_bytes(data, "cells");
}

/* Runs and wakes are numbers of ns since the first sample. */
static void add_page_runs(struct page_data *data)
{
	const struct profile *profile = data->profile;
	uint64_t start = profile->start, last = 0;
	int32_t cpu = -1;

	for (size_t i = 0; i < profile->runs.nr; i++) {
		const struct profile_run *run = &profile->runs.items[i];
		uint64_t since = run->since > start ? run->since - start : 0;
		uint64_t until = run->until > start ? run->until - start : 0;

		varint_add(&data->bytes, run->cpu - (i ? cpu : 0));
		if (run->cpu != cpu)
			last = 0;
		cpu = run->cpu;
		since = since > last ? since : last;
		until = until > since ? until : since;
		varint_add(&data->bytes, since - last);
		varint_add(&data->bytes, until - since);
		varint_add(&data->bytes, run->task == PROFILE_SEVERAL ? 0 : run->task + 1);
		last = until;
	}
	add_page_bytes(data, "runs");
	for (size_t i = 0; i < profile->wakes.nr; i++) {
		const struct profile_wake *wake = &profile->wakes.items[i];
		uint64_t woken = wake->woken > start ? wake->woken : start;

		varint_add(&data->bytes, woken - start);
		varint_add(&data->bytes, wake->runs > woken ? wake->runs - woken : 0);
		varint_add(&data->bytes, wake->waker + 1);
		varint_add(&data->bytes, wake->task);
	}
	add_page_bytes(data, "wakes");
	json_add_unsigned(&data->json, "joined", profile->joined);
}

/* An interval in one state needs no times of states. */
static void add_page_stay(struct page_data *data, const struct profile_stay *stay, uint64_t gap,
			  uint64_t length)
{
	unsigned int state = 0;

	while (state < PROFILE_STATES && stay->in[state] != stay->until - stay->since)
		state++;
	varint_add(&data->bytes, gap << 2 | state);
	varint_add(&data->bytes, length);
	for (unsigned int i = 0; state == PROFILE_STATES && i < PROFILE_STATES; i++)
		varint_add(&data->bytes, stay->in[i]);
}

static void add_page_states(struct page_data *data)
{
	const struct profile *profile = data->profile;
	uint64_t start = profile->start;

	for (size_t i = 0; i < profile->states.nr; i++) {
		const struct profile_states *states = &profile->states.items[i];
		uint64_t last = 0;

		varint_add(&data->bytes, states->task);
		varint_add(&data->bytes, states->nr);
		for (size_t k = 0; k < states->nr; k++) {
			const struct profile_stay *stay = &states->stays[k];
			uint64_t since = stay->since > start ? stay->since - start : 0;
			uint64_t until = stay->until > start ? stay->until - start : 0;

			since = since > last ? since : last;
			until = until > since ? until : since;
			add_page_stay(data, stay, since - last, until - since);
			last = until;
		}
	}
	add_page_bytes(data, "states");
	json_add_unsigned(&data->json, "joinedStays", profile->joined_stays);
}

static void add_page_rows(struct page_data *data)
{
	const struct profile *profile = data->profile;
	uint64_t last = profile->start;

	for (size_t i = 0; i < profile->rows.nr; i++) {
		const struct profile_row *row = &profile->rows.items[i];

		varint_add(&data->bytes, row->time - last);
		varint_add(&data->bytes, row->lane);
		varint_add(&data->bytes, row->node);
		varint_add(&data->bytes, *row->text ? number_of_string(data, row->text) + 1 : 0);
		last = row->time;
	}
	add_page_bytes(data, "rows");
}

/* When CPUs lost records, in ns since the first sample. */
static void add_page_unknown(struct page_data *data)
{
	const struct profile *profile = data->profile;
	struct json_writer *json = &data->json;

	json_begin_array(json, "unknown");
	for (size_t i = 0; i < profile->unknown.nr; i++) {
		const struct profile_unknown *unknown = &profile->unknown.items[i];
		uint64_t until = unknown->until < profile->end ? unknown->until : profile->end;

		if (until <= unknown->since || until <= profile->start)
			continue;
		json_begin_row(json, NULL);
		json_add_signed(json, "cpu", unknown->cpu);
		json_add_unsigned(json, "since", unknown->since > profile->start ?
						 unknown->since - profile->start : 0);
		json_add_unsigned(json, "until", until - profile->start);
		json_end_object(json);
	}
	json_end_array(json);
}

static void add_page_losses(struct page_data *data)
{
	const struct profile *profile = data->profile;
	struct json_writer *json = &data->json;

	json_add_unsigned(json, "lost", profile->lost);
	json_begin_array(json, "losses");
	for (size_t i = 0; i < profile->losses.nr; i++) {
		json_begin_row(json, NULL);
		json_add_unsigned(json, "time", profile->losses.items[i].time);
		json_add_unsigned(json, "lost", profile->losses.items[i].lost);
		json_end_object(json);
	}
	json_end_array(json);
}

static void add_page_strings(struct page_data *data)
{
	json_begin_array(&data->json, "strings");
	for (size_t i = 0; i < dictionary_nr(data->strings); i++) {
		size_t len;
		const char *text = dictionary_text(data->strings, i, &len);

		json_add_bytes(&data->json, NULL, text, len);
	}
	json_end_array(&data->json);
}

/* Without cells, stretches are only how finely the time is drawn. */
static void add_page_time(struct page_data *data)
{
	const struct profile *profile = data->profile;
	struct json_writer *json = &data->json;
	uint32_t joined = data->samples.len ? profile->stretches / PAGE_STRETCHES + 1 : 1;

	json_begin_row(json, "time");
	json_add_unsigned(json, "start", profile->start);
	json_add_unsigned(json, "end", profile->end);
	json_add_unsigned(json, "width", profile->width * joined);
	json_add_unsigned(json, "stretches", (profile->stretches + joined - 1) / joined);
	json_end_object(json);
}

struct error *page_data_add(struct strbuf *out, const struct profile *profile,
			    const struct page_code *code,
			    const struct rendering_request *request)
{
	struct page_data data = { .json.out = out, .profile = profile, .request = request };
	struct error *err = dictionary_create(&data.strings);
	struct json_writer *json = &data.json;

	if (err)
		return err;
	json_begin_object(json, NULL);
	json_add_text(json, "view", request->view ? request->view : "graph");
	add_page_header(&data);
	add_page_notes(&data);
	data.codes = calloc(profile->events.nr + 1, sizeof(*data.codes));
	data.failed |= !data.codes;
	if (!err && data.codes)
		err = page_points_encode(profile, &data.counts, &data.samples, data.codes);
	add_page_time(&data);
	add_page_events(&data);
	add_page_tasks(&data);
	add_page_losses(&data);
	add_page_unknown(&data);
	json_add_double(json, "smallest", profile->smallest);
	add_page_tree(&data);
	add_page_cells(&data);
	json_add_unsigned(json, "tick", page_tick(profile));
	add_page_base64(&data, "counts", &data.counts);
	add_page_base64(&data, "samples", &data.samples);
	add_page_runs(&data);
	add_page_states(&data);
	add_page_rows(&data);
	if (!err)
		err = page_diff_add(json, data.strings, profile, request);
	add_page_strings(&data);
	if (!err)
		err = page_code_add(json, code, request);
	json_end_object(json);
	json_end(json);
	dictionary_destroy(data.strings);
	data.failed |= data.bytes.failed || data.text.failed || out->failed;
	strbuf_deinit(&data.bytes);
	strbuf_deinit(&data.counts);
	free(data.codes);
	strbuf_deinit(&data.samples);
	strbuf_deinit(&data.text);
	return !err && data.failed ? &error_no_memory : err;
}
