// SPDX-License-Identifier: GPL-2.0
#include "recorder/captures.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "capture/task_events.h"
#include "lib/array.h"
#include "lib/log.h"
#include "recorder/chains/chains.h"

static bool captures_events(const struct capture_backend *backend,
			    const struct event_list *events)
{
	return array_any(events, it, capture_backend_has(backend, *it));
}

/* The machine's tasks are unrelated to artificial events, so their records are left out. */
static bool wants_tasks(const struct event_list *events)
{
	return !array_any(events, it, capture_backend_of(*it)->can & CAPTURE_MADE_UP);
}

static struct error *open_backends(struct plan *plan, struct captures *ret)
{
	struct capture_config *config = &plan->config;
	bool tasks = wants_tasks(&plan->events) && !plan->kept;

	for (size_t i = 0; i < CAPTURE_NR_BACKENDS; i++) {
		const struct capture_backend *backend = capture_backends[i];
		struct error *err;

		config->side_band = tasks && backend->can & CAPTURE_TASK_RECORDS;
		if (!config->side_band && !captures_events(backend, &plan->events))
			continue;
		err = backend->open(&plan->events, config, &ret->items[ret->nr]);
		if (err)
			return err;
		ret->nr++;
	}
	return NULL;
}

struct error *captures_open(struct plan *plan, struct captures *ret)
{
	size_t nr = plan->events.nr, side = 0;
	struct error *err;

	*ret = (struct captures){ .overwrite = plan->config.overwrite, .plan = plan };
	err = open_backends(plan, ret);
	if (err)
		return err;
	for (size_t i = 0; i < plan->events.nr; i++)
		side += task_events_is(plan->events.items[i]);
	nr = nr + side - plan->events.nr;
	if (plan->events.nr == side)
		return error_hint(error_new(ENODEV, "None of the events can be recorded here"),
				  "-v shows the reasons");
	if (nr)
		log_notice("%zu of the events that globs name cannot be recorded here; -v names them.",
			   nr);
	err = task_events_carry(&plan->events, &plan->carrier);
	if (!err)
		err = event_list_index(&plan->events);
	return err ? err : chain_choice_create(plan, &ret->chains);
}

void captures_close(struct captures *captures)
{
	chain_choice_destroy(captures->chains);
	captures->chains = NULL;
	while (captures->nr) {
		struct capture *capture = captures->items[--captures->nr];

		capture->backend->close(capture);
	}
}

struct error *captures_keep(struct captures *captures, const struct event_list *events,
			    const char *name)
{
	struct error *err = NULL;

	for (size_t i = 0; i < events->nr; i++) {
		const struct capture_backend *backend = capture_backend_of(events->items[i]);

		if (!backend->keep)
			return error_hint(error_new(EOPNOTSUPP, "%s cannot be detached: %s "
						    "captures it, and stops when ktrace ends",
						    events->items[i]->name, backend->title),
					  "--detach is for events that the ktrace module captures: "
					  "tracepoints and probes");
	}
	for (size_t i = 0; !err && i < captures->nr; i++)
		err = captures->items[i]->backend->keep(captures->items[i], name);
	return err;
}

struct error *captures_start(struct captures *captures)
{
	struct error *err = NULL;

	for (size_t i = 0; !err && i < captures->nr; i++)
		err = captures->items[i]->backend->start(captures->items[i]);
	return err;
}

struct error *captures_stop(struct captures *captures)
{
	struct error *err = NULL;

	for (size_t i = 0; !err && i < captures->nr; i++)
		err = captures->items[i]->backend->stop(captures->items[i]);
	return err;
}

struct error *captures_pause(struct captures *captures, bool paused)
{
	struct error *err = NULL;

	for (size_t i = 0; !err && i < captures->nr; i++)
		err = captures->items[i]->backend->pause(captures->items[i], paused);
	return err;
}

static struct error *drain_all(struct captures *captures, struct record_sink *sink)
{
	struct error *err = NULL;

	for (size_t i = 0; !err && i < captures->nr; i++)
		err = captures->items[i]->backend->drain(captures->items[i], sink);
	return err;
}

static struct error *captures_hold(void *data, struct event *event, bool held)
{
	struct captures *captures = data;

	for (size_t i = 0; i < captures->nr; i++) {
		const struct capture_backend *backend = captures->items[i]->backend;

		if (capture_backend_has(backend, event))
			return backend->hold(captures->items[i], event, held);
	}
	return NULL;
}

struct error *captures_drain(struct captures *captures, struct record_sink *sink)
{
	struct error *err;

	if (!captures->chains)
		return drain_all(captures, sink);
	err = drain_all(captures, chain_choice_sink(captures->chains, sink));
	return err ? err : chain_choice_turn(captures->chains, captures_hold, captures);
}

struct error *captures_mark(struct captures *captures, uint64_t *ret)
{
	struct error *err = NULL;

	*ret = UINT64_MAX;
	for (size_t i = 0; !err && i < captures->nr; i++) {
		uint64_t mark;

		if (!captures->items[i]->backend->mark)
			continue;
		err = captures->items[i]->backend->mark(captures->items[i], &mark);
		if (!err && mark < *ret)
			*ret = mark;
	}
	return err;
}

struct error *captures_read_clock(struct captures *captures, struct clock_pair *ret)
{
	struct capture *first = captures->items[0];
	struct capture_clock clock = { 0 };
	struct error *err = first->backend->clock ? first->backend->clock(first, &clock) : NULL;

	*ret = (struct clock_pair){
		.trace = clock.trace, .monotonic = clock.monotonic, .raw = clock.raw,
		.boottime = clock.boottime, .realtime = clock.realtime,
	};
	return err;
}

struct error *captures_add_clock(struct captures *captures, struct writer *writer)
{
	struct clock_pair pair;
	struct error *err;

	if (!captures->items[0]->backend->clock)
		return NULL;
	err = captures_read_clock(captures, &pair);
	return err ? err : writer_add_clock(writer, &pair);
}

struct error *captures_describe(struct captures *captures, const struct event_list *events,
				const struct writer_info *info)
{
	struct error *err = NULL;

	for (size_t i = 0; !err && i < captures->nr; i++) {
		_cleanup_(strbuf) struct strbuf description = STRBUF_INIT;
		struct capture *capture = captures->items[i];
		struct clock_pair pair = { 0 };

		if (!capture->backend->describe)
			continue;
		if (captures->items[0]->backend->clock)
			err = captures_read_clock(captures, &pair);
		if (!err)
			err = writer_describe(events, info, &pair, &description);
		if (!err)
			err = capture->backend->describe(capture, description.data,
							 description.len);
	}
	return err;
}

struct error *captures_ledger(struct captures *captures, struct record_sink *sink,
			      struct ledger *ledger)
{
	struct error *err = NULL;

	/* This includes losses that the rings could not report, which have a time, too. */
	for (size_t i = 0; !err && i < captures->nr; i++) {
		const struct capture_backend *backend = captures->items[i]->backend;
		size_t first = ledger->nr;

		err = (captures->overwrite && backend->snapshot ? backend->snapshot :
								  backend->ledger)
			(captures->items[i], sink, ledger);
		if (captures->chains)
			chain_choice_join(captures->chains, ledger, first);
	}
	return err ? err : record_sink_round(sink, UINT64_MAX);
}

static struct error *captures_discard(struct record_sink *sink, const struct record_span *span)
{
	return NULL;
}

static const struct record_sink_ops discard_ops = { .write = captures_discard };

struct error *captures_sums(struct captures *captures, struct ledger *ret)
{
	/* Losses that a ring has not reported yet are in its next LOST record. */
	struct record_sink sink = { &discard_ops };

	return captures_ledger(captures, &sink, ret);
}

static size_t captures_fill_rings(struct captures *captures, struct capture_ring *rings, size_t max)
{
	size_t nr = 0;

	for (size_t i = 0; i < captures->nr; i++) {
		struct capture *capture = captures->items[i];

		if (capture->backend->rings)
			nr += capture->backend->rings(capture, rings + (max ? nr : 0),
						       max ? max - nr : 0);
	}
	return nr;
}

struct capture_ring *captures_rings(struct captures *captures, size_t *ret_nr)
{
	struct capture_ring none, *rings;

	*ret_nr = captures_fill_rings(captures, &none, 0);
	rings = calloc(*ret_nr + 1, sizeof(*rings));
	if (rings)
		captures_fill_rings(captures, rings, *ret_nr);
	return rings;
}

static void captures_tell_chains(const struct captures *captures, struct strbuf *ret)
{
	if (captures->plan)
		chain_choice_tell(captures->chains, captures->plan, ret);
}

void captures_print_chains(const struct captures *captures)
{
	_cleanup_(strbuf) struct strbuf text = STRBUF_INIT;
	const char *line, *end;

	captures_tell_chains(captures, &text);
	for (line = strbuf_str(&text); (end = strchr(line, '\n')); line = end + 1)
		log_notice("%.*s", (int)(end - line), line);
}

struct error *captures_note_chains(const struct captures *captures, struct writer *writer)
{
	_cleanup_(strbuf) struct strbuf text = STRBUF_INIT;
	struct error *err = NULL;
	char *line, *end, *choice;

	captures_tell_chains(captures, &text);
	if (text.failed)
		return &error_no_memory;
	for (line = text.data; !err && line && (end = strstr(line, ".\n")); line = end + 2) {
		*end = '\0';
		choice = strstr(line, ": ");
		*choice = '\0';
		*line = tolower(*line);
		err = writer_add_note(writer, line, choice + 2);
	}
	return err;
}

void captures_own_work(struct captures *captures, uint64_t *ret_own, uint64_t *ret_all)
{
	*ret_own = *ret_all = 0;
	for (size_t i = 0; i < captures->nr; i++) {
		uint64_t own, all;

		if (!captures->items[i]->backend->own_work)
			continue;
		captures->items[i]->backend->own_work(captures->items[i], &own, &all);
		*ret_own += own;
		*ret_all += all;
	}
}
