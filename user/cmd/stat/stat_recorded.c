// SPDX-License-Identifier: GPL-2.0
#include "cmd/stat/stat_recorded.h"

#include <errno.h>

#include "capture/counts.h"
#include "lib/monotonic.h"

/* Interval between marks, after which samples are counted. */
#define RECORDED_ROUND_MS	100
#define NS_PER_MS		1000000ULL

bool stat_recorded_is_needed(void)
{
	struct error *err = counts_backend()->available();
	bool missing = err && err->code == ENOENT;

	error_free(err);
	return missing;
}

struct error *stat_recorded_init(struct stat_command *c, bool by_module, struct stat_recorded *ret)
{
	const struct stat_options *o = c->options;
	const struct plan_options options = {
		.specs = &o->specs, .target = o->counters.target,
		.via = by_module ? counts_backend()->name : "perf",
		.path = CAPTURE_PATH_TEMPLATE, .clockid = -1,
		.period = 1, .sample_cpu = true, .delayed = o->counters.late,
		.user_strings = by_module && o->counters.user_strings,
	};
	struct error *err = NULL;

	ret->command = c;
	ret->by_module = by_module;
	for (size_t i = 0; i < o->specs.nr && !err; i++)
		err = counters_check_fields(&o->specs.items[i]);
	return err ? err : plan_init(&options, &ret->run.plan);
}

void stat_recorded_deinit(struct stat_recorded *r)
{
	live_run_deinit(&r->run);
}

static struct error *recorded_take_sample(struct session_consumer *consumer,
					  const struct session_record *record)
{
	struct stat_recorded *r = container_of(consumer, struct stat_recorded, consumer);

	return record->event ? r->sample(r->data, record) : NULL;
}

static struct error *recorded_before(struct session_consumer *consumer, uint64_t time)
{
	struct stat_recorded *r = container_of(consumer, struct stat_recorded, consumer);

	return r->before(r->data, time);
}

static struct error *recorded_take(struct stat_recorded *r)
{
	struct error *err = r->by_module ? r->read(r->data) : NULL;

	if (!err)
		err = live_run_take(&r->run, &r->consumer, NULL);
	/* All maps until the mark are known, and no others. */
	return err || !r->by_module ? err : r->before(r->data, r->run.live.mark);
}

static struct error *recorded_turn(struct loop_consumer *consumer, bool *ret_end)
{
	struct stat_recorded *r = container_of(consumer, struct stat_recorded, run.live.consumer);
	const struct stat_options *o = r->command->options;
	struct error *err = recorded_take(r);
	uint64_t now = clock_ns(CLOCK_MONOTONIC);

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

static struct error *recorded_record(struct stat_recorded *r)
{
	const struct stat_options *o = r->command->options;
	struct loop *loop = &r->run.recorder.loop;
	static const struct symbol_options symbols;
	struct error *err = live_run_begin(&r->run, r->by_module ? &symbols : NULL);

	if (err)
		return err;
	r->run.live.consumer.turn = recorded_turn;
	if (r->by_module)
		r->consumer.before = recorded_before;
	else
		r->consumer.sample = recorded_take_sample;
	/* So that an interval ends when it should. */
	loop->latency_ms = o->interval_ms && o->interval_ms / 4 < RECORDED_ROUND_MS ?
			   o->interval_ms / 4 + 1 : RECORDED_ROUND_MS;
	loop->duration_ms = o->timeout_ms;
	if (o->delay_ms)
		err = recorder_delay(&r->run.recorder, o->delay_ms);
	if (!err)
		err = recorder_start(&r->run.recorder);
	r->begin = clock_ns(CLOCK_MONOTONIC);
	r->next = r->begin + o->interval_ms * NS_PER_MS;
	if (!err)
		err = recorder_run(&r->run.recorder, &r->run.live.consumer);
	r->command->run.elapsed = clock_ns(CLOCK_MONOTONIC) - r->begin;
	if (!err)
		err = recorder_ledger(&r->run.recorder, &r->run.live.consumer);
	r->run.live.ended = true;
	return err ? err : recorded_take(r);
}

struct error *stat_recorded_run(struct stat_recorded *r)
{
	struct stat_command *c = r->command;
	const struct workload_options command = { .argv = c->options->command, .unblocked = true };
	struct workload *workload = &r->run.recorder.workload;
	struct error *err = recorder_open(&r->run.plan, &command, &r->run.recorder);

	if (!err)
		err = recorded_record(r);
	/* A command that still runs was not waited for: the time is over, or a signal arrived. */
	c->run.limited |= workload->pid && !workload_ended(workload);
	workload_finish(workload);
	c->run.workload = *workload;
	return err;
}

uint64_t stat_recorded_lost(const struct stat_recorded *r, size_t nr, bool *ret_unknown)
{
	const struct ledger *ledger = &r->run.recorder.ledger;
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
