// SPDX-License-Identifier: GPL-2.0
#include "cmd/record/record_summary.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

#include "lib/array.h"
#include "lib/color.h"
#include "lib/log.h"
#include "lib/strbuf.h"
#include "recorder/own_cost.h"

struct summary {
	const struct event_list *events;
	const struct recorder *recorder;
	const struct ledger *ledger;
	const struct perf_file *file;
};

/* Losses on more CPUs than this are printed as a sum. */
#define MAX_CPUS_NAMED 8

static void summary_add_number(struct strbuf *text, const char *what, uint64_t number)
{
	if (number == LEDGER_NOT_KNOWN)
		strbuf_addf(text, ", %s not known", what);
	else
		strbuf_addf(text, ", %s %llu", what, (unsigned long long)number);
}

static void summary_add_lost(struct strbuf *text, uint64_t number)
{
	enum color_role role = number ? COLOR_ERROR : COLOR_NONE;

	if (number == LEDGER_NOT_KNOWN)
		strbuf_addstr(text, ", lost not known");
	else
		strbuf_addf(text, ", %slost %llu%s", color_message_on(role),
			    (unsigned long long)number, color_message_off(role));
}

static bool is_of(const struct summary *s, const struct ledger_row *row,
		  const struct capture *capture)
{
	const struct event *event;

	if (row->event == UINT32_MAX)
		return row->source == capture->backend->source;
	event = s->events->items[row->event];
	return capture_backend_has(capture->backend, event) && !event_is_dummy(event);
}

/* Returns the sum of the rows of one source, over all of its events. */
static struct ledger_row sum_of(const struct summary *s, const struct capture *capture)
{
	struct ledger part = { 0 };
	struct ledger_row sum = { .proof = LEDGER_UNKNOWN };

	for (size_t i = 0; i < s->ledger->nr; i++)
		if (is_of(s, &s->ledger->items[i], capture) &&
		    ledger_add(&part, &s->ledger->items[i]))
			goto out;
	sum = ledger_sum(&part, UINT32_MAX);
out:
	ledger_deinit(&part);
	return sum;
}

/* Append ", template for 12 events, counter for 1": the paths, and how many events use each. */
static void add_paths(struct strbuf *text, const struct summary *s, struct capture *capture)
{
	const char *first = NULL, *second = NULL;
	size_t nr[2] = { 0 };

	for (size_t i = 0; capture->backend->path && i < s->events->nr; i++) {
		const struct event *event = s->events->items[i];
		const char *path;

		if (!capture_backend_has(capture->backend, event) || event_is_dummy(event))
			continue;
		path = capture->backend->path(capture, event);
		if (!first || !strcmp(path, first)) {
			first = path;
			nr[0]++;
		} else {
			second = path;
			nr[1]++;
		}
	}
	if (second)
		strbuf_addf(text, ", %s for %zu events, %s for %zu", first, nr[0], second, nr[1]);
	else if (first)
		strbuf_addf(text, ", %s", first);
}

enum { MAX_EVENTS_NAMED = 4 };

/* Print which events are not captured by the path asked for, and why. */
static void print_fallbacks(const struct summary *s, struct capture *capture)
{
	_cleanup_(strbuf) struct strbuf text = STRBUF_INIT;
	const char *why = NULL;
	size_t nr = 0;

	for (size_t i = 0; capture->backend->fallback && i < s->events->nr; i++) {
		const struct event *event = s->events->items[i];
		const char *reason;

		if (!capture_backend_has(capture->backend, event) || event_is_dummy(event))
			continue;
		reason = capture->backend->fallback(capture, event);
		if (!reason)
			continue;
		if (!why)
			why = reason;
		if (nr++ < MAX_EVENTS_NAMED)
			strbuf_addf(&text, "%s%s%s%s", nr > 1 ? ", " : "", event->name,
				    reason == why ? "" : ": ", reason == why ? "" : reason);
	}
	if (nr > MAX_EVENTS_NAMED)
		strbuf_addf(&text, " and %zu more", nr - MAX_EVENTS_NAMED);
	if (nr)
		log_notice("  captured by counters instead of templates: %s; %s.",
			   strbuf_str(&text), why);
}

static void add_lost(struct strbuf *text, const char *before, uint32_t cpu, uint64_t lost)
{
	/* The rings of tasks are of no CPU. */
	if (cpu == UINT32_MAX)
		strbuf_addf(text, "%s %llu", before, (unsigned long long)lost);
	else
		strbuf_addf(text, "%s CPU %u %llu", before, cpu, (unsigned long long)lost);
}

/*
 * Whether records of @reason were lost because the ring was paused, and not because it was full: a
 * ring of perf_event that is overwritten never is.  Larger rings only make the pauses longer.
 */
static bool was_paused(const struct summary *s, const struct capture *capture, int reason)
{
	return reason == LEDGER_LOST_FULL && s->recorder->plan->config.overwrite &&
		capture->backend->source == EVENT_SOURCE_PERF;
}

/* Print the losses by CPU and reason, each with advice. */
static void print_losses(const struct summary *s, const struct capture *capture)
{
	for (int reason = 0; reason < LEDGER_LOST_NR; reason++) {
		_cleanup_(strbuf) struct strbuf text = STRBUF_INIT;
		bool paused = was_paused(s, capture, reason);
		const char *advice = paused ? "the module captures meanwhile" :
			ledger_reason_advice(reason);
		struct { uint32_t cpu; uint64_t lost; } cpus[MAX_CPUS_NAMED];
		uint64_t rest = 0;
		size_t nr = 0;

		for (size_t i = 0; i < s->ledger->nr; i++) {
			const struct ledger_row *row = &s->ledger->items[i];
			size_t n;

			if (!is_of(s, row, capture) || !row->lost[reason] ||
			    row->lost[reason] == LEDGER_NOT_KNOWN)
				continue;
			for (n = 0; n < nr && cpus[n].cpu != row->cpu; n++)
				;
			if (n == MAX_CPUS_NAMED) {
				rest += row->lost[reason];
				continue;
			}
			if (n == nr) {
				cpus[nr].cpu = row->cpu;
				cpus[nr++].lost = 0;
			}
			cpus[n].lost += row->lost[reason];
		}
		if (!nr)
			continue;
		strbuf_addf(&text, " (%s):", paused ? "ring paused while a file was written" :
			    ledger_reason_text(reason));
		for (size_t n = 0; n < nr; n++)
			add_lost(&text, n ? "," : "", cpus[n].cpu, cpus[n].lost);
		if (rest)
			strbuf_addf(&text, ", others %llu", (unsigned long long)rest);
		if (advice)
			strbuf_addf(&text, "; %s", advice);
		log_notice("  %slost%s%s.", color_message_on(COLOR_ERROR),
			   color_message_off(COLOR_ERROR), strbuf_str(&text));
	}
}

static void print_source(const struct summary *s, struct capture *capture)
{
	_cleanup_(strbuf) struct strbuf text = STRBUF_INIT;
	struct ledger_row sum = sum_of(s, capture);

	strbuf_addstr(&text, capture->backend->title);
	add_paths(&text, s, capture);
	strbuf_addf(&text, ": recorded %llu", (unsigned long long)sum.recorded);
	summary_add_number(&text, "filtered", sum.filtered);
	/* If all tasks are recorded, only the recorder itself can be out of scope. */
	if (sum.out_of_scope && plan_has_every_task(s->recorder->plan))
		summary_add_number(&text, "left out as ktrace's own", sum.out_of_scope);
	summary_add_lost(&text, ledger_row_lost(&sum));
	log_notice("%s; %s.", strbuf_str(&text), ledger_proof_text(sum.proof));
	print_fallbacks(s, capture);
	print_losses(s, capture);
}

static bool has_events(const struct summary *s, const struct capture *capture)
{
	return array_any(s->events, it, capture_backend_has(capture->backend, *it) &&
					!event_is_dummy(*it));
}

static void print_side_band(const struct summary *s)
{
	uint64_t lost = 0;

	for (size_t i = 0; i < s->ledger->nr; i++) {
		const struct ledger_row *row = &s->ledger->items[i];

		if (row->event != UINT32_MAX && event_is_dummy(s->events->items[row->event]) &&
		    ledger_row_lost(row) != LEDGER_NOT_KNOWN)
			lost += ledger_row_lost(row);
	}
	if (lost)
		log_notice("%llu records about tasks and maps were lost, so some names may be "
			   "missing; %s.", (unsigned long long)lost,
			   ledger_reason_advice(LEDGER_LOST_FULL));
}

static void print_why_empty(const struct summary *s)
{
	struct ledger_row sum = ledger_sum(s->ledger, UINT32_MAX);
	bool filters = false;

	for (size_t i = 0; i < s->events->nr; i++)
		filters |= s->events->items[i]->filter != NULL;
	if (ledger_row_lost(&sum) && ledger_row_lost(&sum) != LEDGER_NOT_KNOWN)
		log_notice("Nothing was recorded: all events were lost.");
	else if (filters && sum.filtered == LEDGER_NOT_KNOWN)
		log_notice("Nothing was recorded: the events did not occur%s, or the filter "
			   "rejected all of them; perf_event does not report which.",
			   s->recorder->loop.has_tasks ? " in the recorded tasks" : "");
	else if (filters && sum.filtered)
		log_notice("Nothing was recorded: the filter rejected all events.");
	else if (s->recorder->loop.has_tasks)
		log_notice("Nothing was recorded: the events did not occur in the recorded tasks. "
			   "-a records all tasks.");
	else
		log_notice("Nothing was recorded: the events did not occur.");
}

void record_summary_print(struct recorder *recorder, const struct perf_file *file)
{
	const struct summary s = {
		.events = plan_seen(recorder->plan), .recorder = recorder,
		.ledger = &recorder->ledger, .file = file,
	};
	_cleanup_(strbuf) struct strbuf cost = STRBUF_INIT;

	if (log_quiet)
		return;
	fprintf(stderr, "[ ktrace record: Woken up %lu times to write data ]\n",
		recorder->loop.wakeups);
	fprintf(stderr, "[ ktrace record: Captured and wrote %.3f MB %s", file->bytes / 1024.0 / 1024.0,
		file->path);
	if (file->samples)
		fprintf(stderr, " (%llu samples)", (unsigned long long)file->samples);
	if (file->uncompressed_bytes != file->bytes)
		fprintf(stderr, ", compressed (original %.3f MB, ratio is %.3f)",
			file->uncompressed_bytes / 1024.0 / 1024.0,
			(double)file->uncompressed_bytes / file->bytes);
	fprintf(stderr, " ]\n");
	for (size_t i = 0; i < recorder->captures.nr; i++)
		if (has_events(&s, recorder->captures.items[i]))
			print_source(&s, recorder->captures.items[i]);
	print_side_band(&s);
	captures_print_chains(&recorder->captures);
	if (!file->samples)
		print_why_empty(&s);
	own_cost_add(&recorder->captures, &cost);
	log_notice("The recorder took %s.", strbuf_str(&cost));
}

/* "12:30:01.250": by the wall clock. */
static void summary_add_wall(struct strbuf *text, uint64_t wall)
{
	time_t seconds = wall / 1000000000;
	char when[32] = "";
	struct tm tm;

	if (localtime_r(&seconds, &tm))
		strftime(when, sizeof(when), "%T", &tm);
	strbuf_addf(text, "%s.%03llu", when, (unsigned long long)wall % 1000000000 / 1000000);
}

void record_summary_print_window(const struct perf_file *file, const struct window *window,
				 const struct snapshot_cause *cause, uint64_t triggers)
{
	_cleanup_(strbuf) struct strbuf text = STRBUF_INIT, rings = STRBUF_INIT;

	if (window->end)
		strbuf_addf(&text, "Wrote %s: %.1f s before %s at ", file->path, window->held / 1e9,
			    cause->name);
	else
		strbuf_addf(&text, "Wrote %s: the rings' contents before %s at ", file->path,
			    cause->name);
	summary_add_wall(&text, cause->wall);
	strbuf_addf(&text, "; %llu samples, %.1f MB", (unsigned long long)file->samples,
		    file->bytes / 1024.0 / 1024.0);
	if (cause->is_event && triggers)
		strbuf_addf(&text, "; event %llu of --on", (unsigned long long)triggers);
	log_notice("%s.", strbuf_str(&text));
	if (!window->too_small)
		return;
	window_add_short_rings(window, &rings);
	strbuf_addstr(&rings, ": use -m ");
	window_add_advice(window->ring_size, window->held, window->asked, &rings);
	log_notice("  holds %.1f s of the %g s asked; %s.", window->held / 1e9, window->asked / 1e9,
		   strbuf_str(&rings));
}
