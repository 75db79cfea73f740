// SPDX-License-Identifier: GPL-2.0
#include "cmd/stat/stat_record.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "record/body.h"
#include "record/record.h"

static const enum body_stat_aggregation stat_aggregations[] = {
	[STAT_BY_ALL] = BODY_STAT_BY_NOTHING, [STAT_BY_SOCKET] = BODY_STAT_BY_SOCKET,
	[STAT_BY_DIE] = BODY_STAT_BY_DIE, [STAT_BY_CORE] = BODY_STAT_BY_CORE,
	[STAT_BY_NODE] = BODY_STAT_BY_NODE, [STAT_BY_CPU] = BODY_STAT_BY_CPU,
	[STAT_BY_THREAD] = BODY_STAT_BY_THREAD,
};

/* Write a record with the body @body, padded to 8 bytes. */
static struct error *stat_put(struct stat_recording *r, uint32_t type, struct strbuf *body)
{
	_cleanup_(strbuf) struct strbuf record = STRBUF_INIT;
	struct perf_event_header header = { .type = type };
	struct record_span span;

	strbuf_pad(body, (body->len + 7) & ~7UL, 0);
	header.size = sizeof(header) + body->len;
	strbuf_add(&record, (const char *)&header, sizeof(header));
	strbuf_add(&record, strbuf_str(body), body->len);
	if (body->failed || record.failed)
		return &error_no_memory;
	span = (struct record_span){ .data = record.data, .size = record.len, .cpu = UINT32_MAX };
	return record_sink_write(writer_sink(r->writer), &span);
}

/* The longest list of threads that fits into a record, whose size has 16 bits. */
#define STAT_THREADS_MAX	2700

static struct error *stat_put_threads(struct stat_recording *r, const struct stat_table *t)
{
	_cleanup_(strbuf) struct strbuf body = STRBUF_INIT;
	bool any = !t->nr_places || t->places[0].tid < 0;
	uint64_t nr = any ? 1 : t->nr_places;

	if (nr > STAT_THREADS_MAX)
		return error_hint(error_new(E2BIG, "%llu threads are more than a recording of "
					    "counts can hold", (unsigned long long)nr),
				  "Count fewer threads (-p, -t)");
	strbuf_add(&body, (const char *)&nr, sizeof(nr));
	for (uint64_t i = 0; i < nr; i++) {
		int64_t tid = any ? -1 : t->places[i].tid;
		char comm[16] = "";

		if (!any)
			memcpy(comm, t->places[i].comm, sizeof(comm) - 1);
		strbuf_add(&body, (const char *)&tid, sizeof(tid));
		strbuf_add(&body, comm, sizeof(comm));
	}
	return stat_put(r, RECORD_THREAD_MAP, &body);
}

static struct error *stat_put_cpus(struct stat_recording *r, const struct stat_table *t)
{
	_cleanup_(strbuf) struct strbuf body = STRBUF_INIT;
	bool any = !t->nr_places || t->places[0].cpu == STAT_ANY_CPU;
	uint16_t head[2] = { BODY_CPU_MAP_LIST, any ? 1 : t->nr_places };

	strbuf_add(&body, (const char *)head, sizeof(head));
	for (uint16_t i = 0; i < head[1]; i++) {
		uint16_t cpu = any ? UINT16_MAX : t->places[i].cpu;

		strbuf_add(&body, (const char *)&cpu, sizeof(cpu));
	}
	return stat_put(r, RECORD_CPU_MAP, &body);
}

static struct error *stat_put_config(struct stat_recording *r, const struct stat_table *t,
				     unsigned int interval_ms)
{
	_cleanup_(strbuf) struct strbuf body = STRBUF_INIT;
	const uint64_t words[] = {
		3, BODY_STAT_CONFIG_AGGREGATION, stat_aggregations[t->by],
		BODY_STAT_CONFIG_INTERVAL, interval_ms, BODY_STAT_CONFIG_SCALE, !t->raw,
	};

	strbuf_add(&body, (const char *)words, sizeof(words));
	return stat_put(r, RECORD_STAT_CONFIG, &body);
}

/* perf learns the unit and the scale of an event from these records. */
static struct error *stat_put_units(struct stat_recording *r, const struct stat_table *t)
{
	struct error *err = NULL;

	for (size_t e = 0; !err && e < t->nr_events; e++) {
		_cleanup_(strbuf) struct strbuf unit = STRBUF_INIT, scale = STRBUF_INIT;
		uint64_t words[2] = { BODY_UPDATE_UNIT, r->ids[e * t->nr_places] };

		if (!*t->events[e].unit || !words[1])
			continue;
		strbuf_add(&unit, (const char *)words, sizeof(words));
		strbuf_add(&unit, t->events[e].unit, strlen(t->events[e].unit) + 1);
		err = stat_put(r, RECORD_EVENT_UPDATE, &unit);
		words[0] = BODY_UPDATE_SCALE;
		strbuf_add(&scale, (const char *)words, sizeof(words));
		strbuf_add(&scale, (const char *)&t->events[e].scale, sizeof(double));
		if (!err)
			err = stat_put(r, RECORD_EVENT_UPDATE, &scale);
	}
	return err;
}

/* ... and from these the CPU whose row shows the values of the tool, if there are several CPUs. */
static struct error *stat_put_tools(struct stat_recording *r, const struct stat_table *t)
{
	struct error *err = NULL;

	for (size_t e = 0; !err && e < t->nr_events && t->places[0].cpu != STAT_ANY_CPU; e++) {
		_cleanup_(strbuf) struct strbuf body = STRBUF_INIT;
		const uint64_t words[2] = { BODY_UPDATE_CPUS, r->ids[e * t->nr_places] };
		const uint16_t cpus[3] = { BODY_CPU_MAP_LIST, 1, t->places[0].cpu };

		if (!stat_tool(t->events[e].event) || !words[1])
			continue;
		strbuf_add(&body, (const char *)words, sizeof(words));
		strbuf_add(&body, (const char *)cpus, sizeof(cpus));
		err = stat_put(r, RECORD_EVENT_UPDATE, &body);
	}
	return err;
}

static struct error *stat_find_ids(struct stat_recording *r, struct counters *c,
				   const struct stat_table *t)
{
	struct error *err = NULL;

	r->ids = calloc(t->nr_events * t->nr_places + 1, sizeof(*r->ids));
	if (!r->ids)
		return &error_no_memory;
	for (size_t e = 0; e < t->nr_events; e++)
		for (size_t i = 0; !err && i < t->nr_places; i++) {
			struct event *event = c->events.items[e];
			struct capture_count count;

			err = counters_read(c, event, i, &count);
			if (!err && count.id) {
				r->ids[e * t->nr_places + i] = count.id;
				err = event_add_id(event, count.id);
			}
		}
	return err ? err : event_list_index(&c->events);
}

struct error *stat_recording_begin(struct stat_recording *r, const char *path,
				   struct counters *c, const struct stat_table *t,
				   unsigned int interval_ms)
{
	struct error *err = stat_find_ids(r, c, t);

	r->info.counts = true;
	r->info.clockid = -1;
	if (!err)
		err = writer_create(path, &c->events, &r->info, &r->writer);
	if (!err)
		err = stat_put_units(r, t);
	if (!err)
		err = stat_put_tools(r, t);
	if (!err)
		err = stat_put_threads(r, t);
	if (!err)
		err = stat_put_cpus(r, t);
	return err ? err : stat_put_config(r, t, interval_ms);
}

struct error *stat_recording_round(struct stat_recording *r, const struct stat_table *t,
				   bool final, uint64_t elapsed)
{
	const struct body_stat_round end = {
		final ? BODY_STAT_ROUND_FINAL : BODY_STAT_ROUND_INTERVAL, elapsed,
	};
	_cleanup_(strbuf) struct strbuf round = STRBUF_INIT;
	struct error *err = NULL;

	for (size_t at = 0; !err && at < t->nr_events * t->nr_places; at++) {
		_cleanup_(strbuf) struct strbuf body = STRBUF_INIT;
		size_t place = at % t->nr_places;
		const struct body_stat stat = {
			.id = r->ids[at], .cpu = t->places[place].cpu,
			.thread = t->places[place].tid < 0 ? 0 : place,
			.value = t->now[at].value, .enabled = t->now[at].enabled,
			.running = t->now[at].running,
		};

		if (!stat.id)
			continue;
		strbuf_add(&body, (const char *)&stat, sizeof(stat));
		err = stat_put(r, RECORD_STAT, &body);
	}
	strbuf_add(&round, (const char *)&end, sizeof(end));
	return err ? err : stat_put(r, RECORD_STAT_ROUND, &round);
}

struct error *stat_recording_finish(struct stat_recording *r)
{
	const struct ledger none = { 0 };

	return writer_finish(take_ptr(r->writer), &none);
}

void stat_recording_deinit(struct stat_recording *r)
{
	writer_abort(take_ptr(r->writer));
	free(r->ids);
}
