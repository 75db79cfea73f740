// SPDX-License-Identifier: GPL-2.0
#include "session/selection.h"

#include <ctype.h>
#include <errno.h>
#include <fnmatch.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/array.h"
#include "lib/cleanup.h"
#include "lib/number.h"
#include "terminal/options.h"

#define NSEC_PER_SEC	1000000000ULL

void selection_deinit(struct selection *selection)
{
	free(selection->pids.items);
	free(selection->tids.items);
	free(selection->times.items);
	*selection = (struct selection){ 0 };
}

static bool only_by_time(const struct selection *s)
{
	return !s->cpus && !s->comms && !s->pids.nr && !s->tids.nr && !s->events && !s->dsos &&
	       !s->symbols && !s->switch_on && !s->switch_off;
}

bool selection_is_everything(const struct selection *selection)
{
	return !selection->times.nr && only_by_time(selection);
}

struct error *id_list_parse(struct id_list *list, const char *option, const char *text)
{
	_cleanup_free_ char *copy = strdup(text);
	char *saved = NULL;

	if (!copy)
		return &error_no_memory;
	for (char *word = strtok_r(copy, ",", &saved); word; word = strtok_r(NULL, ",", &saved)) {
		unsigned long long id;

		if (!parse_u64(word, &id) || id > INT32_MAX)
			return error_new(EINVAL, "%s takes numbers separated by commas, not '%s'",
					 option, text);
		if (!array_push(list, (int32_t)id))
			return &error_no_memory;
	}
	return NULL;
}

/* Parse "12.345" into ns; an empty text is 0.  Returns false for anything else. */
static bool parse_time(const char *text, size_t len, uint64_t *ret)
{
	uint64_t seconds = 0, fraction = 0, unit = NSEC_PER_SEC;
	size_t i = 0;

	for (; i < len && isdigit((unsigned char)text[i]); i++) {
		if (seconds > UINT64_MAX / NSEC_PER_SEC / 10)
			return false;
		seconds = seconds * 10 + (text[i] - '0');
	}
	if (i < len && text[i] == '.')
		for (i++; i < len && isdigit((unsigned char)text[i]) && unit > 1; i++) {
			unit /= 10;
			fraction += unit * (text[i] - '0');
		}
	*ret = seconds * NSEC_PER_SEC + fraction;
	return i == len;
}

static struct error *bad_time(const char *text)
{
	return error_hint(error_new(EINVAL, "--time cannot be '%s'", text),
			  "Write START,STOP in seconds, as script prints them, or 10%%/2, or "
			  "0%%-10%%");
}

static struct error *reversed_time(const char *text)
{
	return error_hint(error_new(EINVAL, "--time cannot be '%s', which ends before it begins",
				    text), "Write the earlier time first");
}

static struct error *parse_range(const char *word, const char *text, struct time_range *ret)
{
	const char *comma = strchr(word, ',');

	if (!comma || !parse_time(word, comma - word, &ret->start) ||
	    !parse_time(comma + 1, strlen(comma + 1), &ret->end))
		return bad_time(text);
	if (ret->end && ret->end < ret->start)
		return reversed_time(text);
	return NULL;
}

/* Parse "10%/2" or "0%-10%" into shares of the whole. */
static bool parse_share(const char *word, double *from, double *to)
{
	char *end;
	double a = strtod(word, &end), b;

	if (end == word || *end != '%' || !(a >= 0 && a <= 100))
		return false;
	if (end[1] == '/') {
		word = end + 2;
		b = strtod(word, &end);
		if (end == word || *end || !(b >= 1 && a * b <= 100.0))
			return false;
		*from = a * (b - 1) / 100;
		*to = a * b / 100;
		return true;
	}
	if (!end[1]) {
		*from = 0;
		*to = a / 100;
		return true;
	}
	if (end[1] != '-')
		return false;
	word = end + 2;
	b = strtod(word, &end);
	*from = a / 100;
	*to = b / 100;
	return end != word && end[0] == '%' && !end[1] && b >= 0 && b <= 100;
}

static struct error *parse_shares(struct time_ranges *ranges, char *copy, const char *text,
				  uint64_t first, uint64_t last)
{
	char *saved = NULL;

	if (!last || last < first)
		return error_hint(error_new(EINVAL, "--time with %% needs the times of the first "
					    "and last sample, but this recording does not hold "
					    "them"),
				  "Write START,STOP in seconds");
	for (char *word = strtok_r(copy, ", ", &saved); word;
	     word = strtok_r(NULL, ", ", &saved)) {
		struct time_range range;
		double from, to;

		if (!parse_share(word, &from, &to))
			return bad_time(text);
		if (to < from)
			return reversed_time(text);
		range.start = first + (uint64_t)(from * (last - first) + 0.5);
		range.end = first + (uint64_t)(to * (last - first) + 0.5);
		/*
		 * Adjacent ranges must not share a sample, so each ends 1 ns earlier, except
		 * one that ends with the recording.
		 */
		if (to < 1.0 && range.end > range.start)
			range.end--;
		if (!array_push(ranges, range))
			return &error_no_memory;
	}
	return NULL;
}

struct error *time_ranges_parse(struct time_ranges *ranges, const char *text,
				uint64_t first, uint64_t last)
{
	_cleanup_free_ char *copy = strdup(text);
	char *saved = NULL;

	if (!copy)
		return &error_no_memory;
	if (strchr(text, '%'))
		return parse_shares(ranges, copy, text, first, last);
	for (char *word = strtok_r(copy, " ", &saved); word; word = strtok_r(NULL, " ", &saved)) {
		struct time_range range = { 0 };
		struct error *err;

		err = parse_range(word, text, &range);
		if (err)
			return err;
		if (!array_push(ranges, range))
			return &error_no_memory;
	}
	return ranges->nr ? NULL : bad_time(text);
}

static bool has_id(const struct id_list *list, int32_t id)
{
	if (!list->nr)
		return true;
	return array_any(list, it, *it == id);
}

/* Whether all times from @first to @last are within one of the ranges. */
static bool has_times(const struct time_ranges *ranges, uint64_t first, uint64_t last)
{
	size_t from = ranges->ordered ? time_ranges_skip(ranges->items, ranges->nr, first) : 0;

	if (!ranges->nr)
		return true;
	for (size_t i = from; i < ranges->nr; i++) {
		const struct time_range *range = &ranges->items[i];

		if (first >= range->start && (!range->end || last <= range->end))
			return true;
		if (ranges->ordered)
			break;
	}
	return false;
}

static bool time_ranges_have(const struct time_ranges *ranges, uint64_t time)
{
	return has_times(ranges, time, time);
}

bool selection_names_event(const char *globs, const struct event *event)
{
	_cleanup_free_ char *copy = strdup(globs);
	char *saved = NULL;

	for (char *glob = copy ? strtok_r(copy, ",", &saved) : NULL; glob;
	     glob = strtok_r(NULL, ",", &saved))
		if (!fnmatch(glob, event->name, 0))
			return true;
	return false;
}

/* Called for every sample; most have the event of the previous one. */
static bool has_event(struct selector *selector, const struct event *event)
{
	const char *globs = selector->selection->events;

	if (!globs)
		return true;
	if (event != selector->last) {
		selector->last = event;
		selector->last_selected = selection_names_event(globs, event);
	}
	return selector->last_selected;
}

void selection_scope(const struct selection *selection, const struct event_list *events,
		     struct record_scope *ret)
{
	*ret = (struct record_scope){
		.times = selection->times.items,
		.nr_times = selection->times.nr,
		.times_ordered = selection->times.ordered,
		.cpus = selection->cpus,
		.events = selection->events ? 0 : UINT64_MAX,
	};
	for (size_t i = 0; i < events->nr && selection->events; i++)
		if (selection_names_event(selection->events, events->items[i]))
			ret->events |= 1ULL << i % 64;
}

/* Whether the list has a hexadecimal address that is @ip or is less than @range below it. */
static bool has_address(const char *list, uint64_t ip, uint64_t range)
{
	while (*list) {
		size_t len = strcspn(list, ",");
		char *end;
		uint64_t from = strtoull(list, &end, 16);

		if (end == list + len && len && (ip == from || (ip > from && ip - from < range)))
			return true;
		list += len + (list[len] == ',');
	}
	return false;
}

/* A function can also be given by its start address, or by an address in it. */
static bool has_symbol(const struct selection *s, const struct place *place)
{
	char start[32];

	if (!s->symbols)
		return true;
	if (place->map && has_address(s->symbols, place->ip, s->addr_range))
		return true;
	if (!place->symbol)
		return false;
	snprintf(start, sizeof(start), "0x%" PRIx64, place->ip - place->offset);
	return word_in_list(s->symbols, place->symbol->name) || word_in_list(s->symbols, start);
}

static bool has_dso(const char *list, const struct map *map)
{
	return !list || (map && (word_in_list(list, map->dso->short_name) ||
				 word_in_list(list, map->dso->name)));
}

static bool has_place(const struct selection *s, const struct session_record *r)
{
	struct place place = { .ip = r->sample.ip };

	if (!s->dsos && !s->symbols)
		return true;
	if (r->machine)
		machine_find(r->machine, r->maps, r->sample.cpumode, r->sample.ip, &place);
	return has_dso(s->dsos, place.map) && has_symbol(s, &place);
}

/* The last condition, as in perf: only samples that are selected otherwise switch. */
static bool is_switched_on(struct selector *selector, const struct event *event)
{
	const struct selection *s = selector->selection;
	const char *name = selector->off ? s->switch_on : s->switch_off;

	if (!name || strcmp(name, event->name))
		return !selector->off;
	selector->off = !selector->off;
	return s->show_switches;
}

/* Called for every sample; most are in the range of the previous one. */
static bool has_sample_time(struct selector *selector, uint64_t time)
{
	const struct time_ranges *times = &selector->selection->times;
	const struct time_range *last = times->items + selector->last_range;

	if (!times->nr || !times->ordered)
		return time_ranges_have(times, time);
	if (time >= last->start && (!last->end || time <= last->end))
		return true;
	selector->last_range = time_ranges_skip(times->items, times->nr, time);
	if (selector->last_range < times->nr)
		return time >= times->items[selector->last_range].start;
	selector->last_range = 0;
	return false;
}

static struct error *selection_check_event(const struct selection *s, const struct event *event)
{
	if (!s->cpus || event_sampled(event) & PERF_SAMPLE_CPU ||
	    (s->events && !selection_names_event(s->events, event)))
		return NULL;
	return error_hint(error_new(EINVAL, "-C cannot select samples of %s, which have no CPU",
				    event->name),
			  "'record --sample-cpu' records it");
}

struct error *selection_check(const struct selection *selection, const struct event_list *events)
{
	struct error *err = NULL;

	for (size_t i = 0; i < events->nr && !err; i++)
		if (!event_is_dummy(events->items[i]))
			err = selection_check_event(selection, events->items[i]);
	return err;
}

static struct error *select_sample(struct session_consumer *consumer,
				   const struct session_record *r)
{
	struct selector *selector = container_of(consumer, struct selector, consumer);
	const struct selection *s = selector->selection;
	struct error *err = s->cpus && r->sample.cpu == -1 ?
			    selection_check_event(s, r->event) : NULL;

	if (err)
		return err;
	if (has_event(selector, r->event) && has_sample_time(selector, r->sample.time) &&
	    (!s->cpus || r->sample.cpu == -1 || cpumap_has(s->cpus, r->sample.cpu)) &&
	    has_id(&s->pids, r->pid) && has_id(&s->tids, r->tid) &&
	    (!s->comms || word_in_list(s->comms, r->comm)) && has_place(s, r) &&
	    is_switched_on(selector, r->event))
		return selector->next->sample ? selector->next->sample(selector->next, r) : NULL;
	selector->rejected++;
	return NULL;
}

/* If only times select: pass on the pieces of the span inside the ranges. */
static struct error *select_span(struct session_consumer *consumer,
				 const struct session_span *span)
{
	struct selector *selector = container_of(consumer, struct selector, consumer);
	const struct time_ranges *times = &selector->selection->times;
	const char *at = span->samples.data, *end = at + span->samples.size;
	struct session_span piece = *span;
	struct error *err = NULL;

	if (has_times(times, span->samples.time, span->samples.last))
		return selector->next->span(selector->next, span);
	piece.samples.nr = 0;
	for (; at < end && !err; at += ((const struct perf_event_header *)at)->size) {
		const struct perf_event_header *header = (const void *)at;
		const struct event *event;

		if (header->type != PERF_RECORD_SAMPLE)
			continue;
		event = event_list_find_record(span->events, header);
		if (time_ranges_have(times, event_record_time(event, header))) {
			if (!piece.samples.nr++)
				piece.samples.data = at;
			continue;
		}
		selector->rejected++;
		piece.samples.size = at - (const char *)piece.samples.data;
		if (piece.samples.nr)
			err = selector->next->span(selector->next, &piece);
		piece.samples.nr = 0;
	}
	piece.samples.size = at - (const char *)piece.samples.data;
	if (!err && piece.samples.nr)
		err = selector->next->span(selector->next, &piece);
	return err;
}

static struct error *pass_other(struct session_consumer *consumer,
				const struct session_record *r)
{
	struct selector *selector = container_of(consumer, struct selector, consumer);

	return selector->next->other(selector->next, r);
}

static struct error *pass_finish(struct session_consumer *consumer)
{
	struct selector *selector = container_of(consumer, struct selector, consumer);

	return selector->next->finish(selector->next);
}

void selector_init(struct selector *selector, const struct selection *selection,
		   struct session_consumer *next)
{
	*selector = (struct selector){
		.consumer = {
			.sample = select_sample,
			.span = next->span && only_by_time(selection) ? select_span : NULL,
			.other = next->other ? pass_other : NULL,
			.finish = next->finish ? pass_finish : NULL,
		},
		.selection = selection,
		.next = next,
		.off = selection->switch_on,
	};
}
