// SPDX-License-Identifier: GPL-2.0
/*
 * The format of www.speedscope.app: a profile for each thread and event, with samples in the order
 * of time.
 */
#include <stdlib.h>
#include <string.h>

#include "lib/json.h"
#include "lib/array.h"
#include "lib/strbuf.h"
#include "output/profile_rendering.h"
#include "record/event.h"

/* Its strings must be smaller than 512 MB; each sample has all of its functions. */
#define SPEEDSCOPE_CELLS	300000
#define SPEEDSCOPE_DEPTH	4096

/* A lane of the profile, and where its cells begin. */
struct speedscope_lane {
	const struct profile_lane *lane;
	size_t number, at;
};

struct speedscope {
	struct json_writer json;
	const struct rendering_request *request;
	const struct profile *profile;
	uint32_t *parents;
	struct profile_cell *cells;	/* of a profile */
	size_t nr;
	struct speedscope_lane *lanes;	/* by event, then by thread */
	size_t next_lane;
	size_t profiles;		/* written so far */
	size_t first_event;
	size_t active;			/* the largest one of the first event */
	uint64_t largest;
};

DEFINE_COMPARISON(compare_times, struct profile_cell, array_order(x->stretch, y->stretch) ?:
		  array_order(x->node, y->node))

static void add_speedscope_frames(struct speedscope *s)
{
	_cleanup_(strbuf) struct strbuf name = STRBUF_INIT;

	json_begin_object(&s->json, "shared");
	json_begin_array(&s->json, "frames");
	for (size_t i = 0; i < s->profile->functions.nr; i++) {
		const struct profile_function *function = &s->profile->functions.items[i];

		strbuf_reset(&name);
		profile_add_name(&name, function, "");
		json_begin_row(&s->json, NULL);
		json_add_text(&s->json, "name", strbuf_str(&name));
		json_add_text(&s->json, "file", function->binary);
		json_end_object(&s->json);
	}
	json_end_array(&s->json);
	json_end_object(&s->json);
}

DEFINE_COMPARISON(compare_lanes, struct speedscope_lane,
		  array_order(x->lane->event, y->lane->event) ?:
		  array_order(x->lane->task, y->lane->task) ?: array_order(x->number, y->number))

static void sort_lanes(struct speedscope *s)
{
	const struct profile *profile = s->profile;
	size_t at = 0;

	for (size_t i = 0; i < profile->lanes.nr; i++) {
		s->lanes[i] = (struct speedscope_lane){ &profile->lanes.items[i], i, at };
		at += profile->lanes.items[i].cells;
	}
	qsort(s->lanes, profile->lanes.nr, sizeof(*s->lanes), compare_lanes);
}

/*
 * Copy the cells of a thread on all CPUs.  The caller goes through threads in the order of the
 * lanes.
 */
static void take_cells(struct speedscope *s, size_t event, size_t task)
{
	s->nr = 0;
	for (; s->next_lane < s->profile->lanes.nr; s->next_lane++) {
		const struct speedscope_lane *from = &s->lanes[s->next_lane];

		if (from->lane->event > event ||
		    (from->lane->event == event && from->lane->task > task))
			break;
		if (from->lane->event != event || from->lane->task != task)
			continue;
		memcpy(&s->cells[s->nr], &s->profile->cells.items[from->at],
		       from->lane->cells * sizeof(*s->cells));
		s->nr += from->lane->cells;
	}
	qsort(s->cells, s->nr, sizeof(*s->cells), compare_times);
}

static void add_speedscope_stack(struct speedscope *s, uint32_t node)
{
	uint32_t functions[SPEEDSCOPE_DEPTH];
	size_t nr = 0;

	for (; node && nr < SPEEDSCOPE_DEPTH; node = s->parents[node])
		functions[nr++] = s->profile->nodes.items[node].function;
	json_begin_array(&s->json, NULL);
	while (nr)
		json_add_unsigned(&s->json, NULL, functions[--nr]);
	json_end_array(&s->json);
}

static void add_speedscope_thread(struct speedscope *s, size_t event, size_t task)
{
	const struct profile_task *thread = &s->profile->tasks.items[task];
	bool is_time = *profile_unit(s->request, event);
	_cleanup_(strbuf) struct strbuf name = STRBUF_INIT;
	struct json_writer *json = &s->json;
	uint64_t all = 0;

	for (size_t i = 0; i < s->nr; i++)
		all += is_time ? s->cells[i].period : s->cells[i].samples;
	strbuf_addf(&name, "%s %d, %s", thread->comm, thread->tid,
		    s->request->events->items[event]->name);
	json_begin_row(json, NULL);
	json_add_text(json, "type", "sampled");
	json_add_text(json, "name", strbuf_str(&name));
	json_add_text(json, "unit", is_time ? "nanoseconds" : "none");
	json_add_unsigned(json, "startValue", 0);
	json_add_unsigned(json, "endValue", all);
	json_begin_array(json, "samples");
	for (size_t i = 0; i < s->nr; i++)
		add_speedscope_stack(s, s->cells[i].node);
	json_end_array(json);
	json_begin_array(json, "weights");
	for (size_t i = 0; i < s->nr; i++)
		json_add_unsigned(json, NULL, is_time ? s->cells[i].period : s->cells[i].samples);
	json_end_array(json);
	json_end_object(json);
	if (event == s->first_event && all > s->largest) {
		s->largest = all;
		s->active = s->profiles;
	}
	s->profiles++;
}

static bool write_out(struct speedscope *s)
{
	struct strbuf *text = s->json.out;

	fwrite(strbuf_str(text), 1, text->len, s->request->out);
	strbuf_reset(text);
	return !text->failed;
}

static bool add_speedscope_threads(struct speedscope *s)
{
	bool good = true;

	json_begin_array(&s->json, "profiles");
	for (size_t event = 0; event < s->profile->events.nr; event++)
		for (size_t task = 0; task < s->profile->tasks.nr && good; task++) {
			if (!s->profile->events.items[event].samples)
				continue;
			take_cells(s, event, task);
			if (!s->nr)
				continue;
			if (!s->profiles)
				s->first_event = event;
			add_speedscope_thread(s, event, task);
			good = write_out(s);
		}
	json_end_array(&s->json);
	return good;
}

static struct error *print_speedscope(const struct rendering_request *request,
				      const struct profile *profile)
{
	_cleanup_(strbuf) struct strbuf text = STRBUF_INIT;
	struct speedscope s = { .json.out = &text, .request = request, .profile = profile };
	bool good;

	s.parents = profile_parents(profile);
	s.cells = calloc(profile->cells.nr + 1, sizeof(*s.cells));
	s.lanes = calloc(profile->lanes.nr + 1, sizeof(*s.lanes));
	good = s.parents && s.cells && s.lanes;
	json_begin_object(&s.json, NULL);
	json_add_text(&s.json, "$schema", "https://www.speedscope.app/file-format-schema.json");
	json_add_text(&s.json, "exporter", "ktrace " KTRACE_VERSION);
	json_add_text(&s.json, "name", request->recording);
	if (good) {
		sort_lanes(&s);
		add_speedscope_frames(&s);
		good = add_speedscope_threads(&s);
	}
	json_add_unsigned(&s.json, "activeProfileIndex", s.active);
	json_end_object(&s.json);
	json_end(&s.json);
	good &= write_out(&s);
	free(s.parents);
	free(s.cells);
	free(s.lanes);
	return good ? NULL : &error_no_memory;
}

struct error *output_speedscope_open(const struct rendering_request *request,
				     struct rendering **ret)
{
	const struct profile_options options = { .limits.cells = SPEEDSCOPE_CELLS };

	return profile_rendering_open(request, &options, print_speedscope, ret);
}
