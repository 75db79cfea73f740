// SPDX-License-Identifier: GPL-2.0
/*
 * profile.proto, which pprof reads: each call chain with its samples and the event's count, and the
 * thread as labels.  It is not compressed, which pprof accepts.
 */
#include <stdlib.h>
#include <string.h>

#include "columns/dictionary.h"
#include "lib/protobuf.h"
#include "lib/strbuf.h"
#include "output/profile_rendering.h"
#include "record/event.h"

/* Field numbers of the messages. */
enum { PPROF_SAMPLE_TYPE = 1, PPROF_SAMPLE = 2, PPROF_LOCATION = 4,
       PPROF_FUNCTION = 5, PPROF_STRING = 6, PPROF_DURATION = 10 };
enum { SAMPLE_LOCATION = 1, SAMPLE_VALUE = 2, SAMPLE_LABEL = 3 };

struct pprof {
	const struct rendering_request *request;
	const struct profile *profile;
	uint32_t *parents;
	struct dictionary *strings;
	struct strbuf message, part, inner;
	bool failed;
};

static uint64_t number_of_pprof_string(struct pprof *p, const char *text)
{
	int32_t number = dictionary_number(p->strings, text, strlen(text));

	p->failed |= number < 0;
	return number < 0 ? 0 : number;
}

/* Write the current part of the message. */
static void write_pprof(struct pprof *p)
{
	p->failed |= p->message.failed || p->part.failed || p->inner.failed;
	fwrite(strbuf_str(&p->message), 1, p->message.len, p->request->out);
	strbuf_reset(&p->message);
}

static void add_pprof_type(struct pprof *p, const char *type, const char *unit)
{
	protobuf_add_number(&p->part, 1, number_of_pprof_string(p, type));
	protobuf_add_number(&p->part, 2, number_of_pprof_string(p, unit));
	protobuf_add_message(&p->message, PPROF_SAMPLE_TYPE, &p->part);
}

/* Each function has one location, both with the function's number + 1 as their id. */
static void add_pprof_functions(struct pprof *p)
{
	_cleanup_(strbuf) struct strbuf name = STRBUF_INIT;

	for (size_t i = 0; i < p->profile->functions.nr; i++) {
		const struct profile_function *function = &p->profile->functions.items[i];

		strbuf_reset(&name);
		profile_add_name(&name, function, "");
		protobuf_add_number(&p->part, 1, i + 1);
		protobuf_add_number(&p->part, 2, number_of_pprof_string(p, strbuf_str(&name)));
		protobuf_add_number(&p->part, 3, number_of_pprof_string(p, function->name));
		protobuf_add_number(&p->part, 4, number_of_pprof_string(p, function->binary));
		protobuf_add_message(&p->message, PPROF_FUNCTION, &p->part);
		protobuf_add_number(&p->inner, 1, i + 1);
		protobuf_add_number(&p->part, 1, i + 1);
		protobuf_add_message(&p->part, 4, &p->inner);
		protobuf_add_message(&p->message, PPROF_LOCATION, &p->part);
		write_pprof(p);
	}
}

/* A number of 0 is left out, because pprof shows such a label as an empty one. */
static void add_pprof_label(struct pprof *p, const char *key, const char *text, int64_t number)
{
	if (!text && !number)
		return;
	protobuf_add_number(&p->inner, 1, number_of_pprof_string(p, key));
	if (text)
		protobuf_add_number(&p->inner, 2, number_of_pprof_string(p, text));
	else
		protobuf_add_number(&p->inner, 3, number);
	protobuf_add_message(&p->part, SAMPLE_LABEL, &p->inner);
}

static void add_pprof_sample(struct pprof *p, const struct profile_lane *lane,
			     const struct profile_cell *cell)
{
	const struct profile_task *task = &p->profile->tasks.items[lane->task];

	for (uint32_t node = cell->node; node; node = p->parents[node])
		varint_add(&p->inner, p->profile->nodes.items[node].function + 1);
	protobuf_add_message(&p->part, SAMPLE_LOCATION, &p->inner);
	varint_add(&p->inner, cell->samples);
	varint_add(&p->inner, cell->period);
	protobuf_add_message(&p->part, SAMPLE_VALUE, &p->inner);
	add_pprof_label(p, "comm", task->comm, 0);
	add_pprof_label(p, "pid", NULL, task->pid);
	add_pprof_label(p, "thread", NULL, task->tid);
	add_pprof_label(p, "cpu", NULL, lane->cpu);
	protobuf_add_message(&p->message, PPROF_SAMPLE, &p->part);
	write_pprof(p);
}

static void add_pprof_samples(struct pprof *p)
{
	size_t at = 0;

	for (size_t i = 0; i < p->profile->lanes.nr; i++) {
		const struct profile_lane *lane = &p->profile->lanes.items[i];

		for (size_t k = 0; k < lane->cells && !p->failed; k++)
			add_pprof_sample(p, lane, &p->profile->cells.items[at++]);
	}
}

static void add_pprof_strings(struct pprof *p)
{
	for (size_t i = 0; i < dictionary_nr(p->strings); i++) {
		size_t len;
		const char *text = dictionary_text(p->strings, i, &len);

		protobuf_add_bytes(&p->message, PPROF_STRING, text, len);
		write_pprof(p);
	}
}

static struct error *print_pprof(const struct rendering_request *request,
				 const struct profile *profile)
{
	struct pprof p = { .request = request, .profile = profile };
	const char *unit;
	size_t event;
	struct error *err = profile_only_event(profile, "pprof", &event);

	if (!err)
		err = dictionary_create(&p.strings);
	if (err)
		return err;
	p.parents = profile_parents(profile);
	p.failed = !p.parents;
	number_of_pprof_string(&p, "");	/* must be the first one */
	unit = profile->events.nr ? profile_unit(request, event) : "";
	add_pprof_type(&p, "samples", "count");
	add_pprof_type(&p, profile->events.nr ? request->events->items[event]->name : "events",
		       *unit ? "nanoseconds" : "count");
	protobuf_add_number(&p.message, PPROF_DURATION, profile->end - profile->start);
	write_pprof(&p);
	add_pprof_functions(&p);
	if (p.parents)
		add_pprof_samples(&p);
	add_pprof_strings(&p);
	free(p.parents);
	dictionary_destroy(p.strings);
	strbuf_deinit(&p.message);
	strbuf_deinit(&p.part);
	strbuf_deinit(&p.inner);
	return p.failed ? &error_no_memory : NULL;
}

struct error *output_pprof_open(const struct rendering_request *request, struct rendering **ret)
{
	const struct profile_options options = { .limits = { .nodes = SIZE_MAX, .stretches = 1 } };

	return profile_rendering_open(request, &options, print_pprof, ret);
}
