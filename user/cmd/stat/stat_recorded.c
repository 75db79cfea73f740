// SPDX-License-Identifier: GPL-2.0
#include "cmd/stat/stat_recorded.h"

#include <errno.h>
#include <time.h>

#include "capture/counts.h"

/* A mark is taken so often, after which samples are counted. */
#define RECORDED_ROUND_MS	100
#define NS_PER_MS		1000000ULL

static uint64_t recorded_now(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000000000ULL + now.tv_nsec;
}

bool stat_recorded_is_needed(void)
{
	struct error *err = counts_backend()->available();
	bool missing = err && err->code == ENOENT;

	error_free(err);
	return missing;
}

struct error *stat_recorded_init(struct stat_command *c, struct stat_recorded *ret)
{
	const struct stat_options *o = c->options;
	const struct plan_options options = {
		.specs = &o->specs, .target = o->counters.target, .via = "perf", .clockid = -1,
		.period = 1, .sample_cpu = true, .delayed = o->counters.late,
	};
	struct error *err = NULL;

	ret->command = c;
	ret->info.clockid = -1;
	for (size_t i = 0; i < o->specs.nr && !err; i++)
		err = counters_check_fields(&o->specs.items[i]);
	return err ? err : plan_init(&options, &ret->plan);
}

void stat_recorded_deinit(struct stat_recorded *r)
{
	session_finish(&r->session);
	live_records_deinit(&r->live);
	recorder_close(&r->recorder);
	plan_deinit(&r->plan);
}

static struct error *recorded_take_sample(struct session_consumer *consumer,
					  const struct session_record *record)
{
	struct stat_recorded *r = container_of(consumer, struct stat_recorded, consumer);

	return record->event ? r->sample(r->data, record) : NULL;
}

static struct error *recorded_take_records(struct stat_recorded *r)
{
	struct error *err = NULL;
	bool more = true;

	while (more && !err)
		err = session_step(&r->session, &r->consumer, &more);
	return err;
}

static struct error *recorded_turn(struct loop_consumer *consumer, bool *ret_end)
{
	struct stat_recorded *r = container_of(consumer, struct stat_recorded, live.consumer);
	const struct stat_options *o = r->command->options;
	struct error *err = recorded_take_records(r);
	uint64_t now = recorded_now();

	if (err || !o->interval_ms || now < r->next)
		return err;
	err = r->interval(r->data, now - r->begin);
	if (++r->nr_intervals == o->nr_intervals)
		*ret_end = r->command->run.limited = true;
	/* Intervals that have passed meanwhile are part of the next one. */
	r->next += o->interval_ms * NS_PER_MS;
	if (r->next <= now)
		r->next = now + o->interval_ms * NS_PER_MS;
	return err;
}

static struct error *recorded_begin(struct stat_recorded *r)
{
	struct error *err = live_records_init(&r->plan, &r->recorder.captures, &r->info, &r->live);

	if (err)
		return err;
	r->live.consumer.turn = recorded_turn;
	r->consumer.sample = recorded_take_sample;
	r->session = (struct session){
		.source = &r->live.source, .events = &r->plan.events,
		.formats = r->plan.filters.formats,
	};
	return session_start(&r->session);
}

static struct error *recorded_record(struct stat_recorded *r)
{
	const struct stat_options *o = r->command->options;
	struct loop *loop = &r->recorder.loop;
	struct error *err = recorded_begin(r);

	if (err)
		return err;
	/* So that an interval ends when it should. */
	loop->latency_ms = o->interval_ms && o->interval_ms / 4 < RECORDED_ROUND_MS ?
			   o->interval_ms / 4 + 1 : RECORDED_ROUND_MS;
	loop->duration_ms = o->timeout_ms;
	if (o->delay_ms)
		err = recorder_delay(&r->recorder, o->delay_ms);
	if (!err)
		err = recorder_start(&r->recorder);
	r->begin = recorded_now();
	r->next = r->begin + o->interval_ms * NS_PER_MS;
	if (!err)
		err = recorder_run(&r->recorder, &r->live.consumer);
	r->command->run.elapsed = recorded_now() - r->begin;
	if (!err)
		err = recorder_ledger(&r->recorder, &r->live.consumer);
	r->live.ended = true;
	return err ? err : recorded_take_records(r);
}

struct error *stat_recorded_run(struct stat_recorded *r)
{
	struct stat_command *c = r->command;
	const struct workload_options command = { .argv = c->options->command, .unblocked = true };
	struct error *err = recorder_open(&r->plan, &command, &r->recorder);

	if (!err)
		err = recorded_record(r);
	/* What is still running was not waited for: the time is over, or a signal came. */
	c->run.limited |= r->recorder.workload.pid && !workload_ended(&r->recorder.workload);
	workload_finish(&r->recorder.workload);
	c->run.workload = r->recorder.workload;
	return err;
}

uint64_t stat_recorded_lost(const struct stat_recorded *r, size_t nr, bool *ret_unknown)
{
	const struct ledger *ledger = &r->recorder.ledger;
	uint64_t lost = 0;

	*ret_unknown = false;
	for (size_t i = 0; i < ledger->nr; i++) {
		const struct ledger_row *row = &ledger->items[i];
		uint64_t one = ledger_row_lost(row);

		/* Records that report tasks are lost, too, but count nothing. */
		if (row->event >= nr && row->event != UINT32_MAX)
			continue;
		*ret_unknown |= one == LEDGER_NOT_KNOWN;
		lost += one == LEDGER_NOT_KNOWN ? 0 : one;
	}
	return lost;
}
