// SPDX-License-Identifier: GPL-2.0
/* Which samples of a snapshot are in slices of time, and the sums that follow from them. */
#include "recorder/slices.h"

#include <string.h>

#include "lib/array.h"
#include "one_event.h"
#include "tap.h"

struct taken {
	struct record_sink sink;
	uint64_t times[16];
	size_t nr;
};

static struct error *take(struct record_sink *sink, const struct record_span *span)
{
	struct taken *t = container_of(sink, struct taken, sink);

	if (t->nr < ARRAY_SIZE(t->times))
		t->times[t->nr++] = ((const struct test_sample *)span->data)->time;
	return NULL;
}

static const struct record_sink_ops taken_ops = { .write = take };

static void give(struct slices *s, uint32_t cpu, const uint64_t *times, size_t nr)
{
	struct test_sample samples[8] = { 0 };
	struct record_span span = { samples, nr * sizeof(samples[0]), cpu };

	for (size_t i = 0; i < nr; i++)
		samples[i] = (struct test_sample){
			{ .type = PERF_RECORD_SAMPLE, .size = sizeof(samples[i]) }, 7, times[i],
		};
	error_free(record_sink_write(&s->sink, &span));
}

static void add(struct slices *s, uint64_t begin, uint64_t end)
{
	error_free(slices_add(s, begin, end));
}

static void joins(void)
{
	struct slices s;

	about("slices");
	slices_init(&s, NULL, NULL);
	s.until = UINT64_MAX;
	add(&s, 500, 600);
	add(&s, 100, 200);
	add(&s, 150, 300);
	add(&s, 160, 170);
	slices_join(&s);
	ok(s.list.nr == 2 && s.list.items[0].end == 300, "slices that overlap are one");
	ok(slices_have(&s, 100) && slices_have(&s, 300) && slices_have(&s, 500),
	   "both ends belong to a slice");
	ok(!slices_have(&s, 99) && !slices_have(&s, 301) && !slices_have(&s, 601),
	   "the times around it do not");
	s.from = 250;
	s.until = 500;
	ok(!slices_have(&s, 200) && slices_have(&s, 250) && !slices_have(&s, 500),
	   "the period limits them");
	s.from = 301;
	ok(!slices_any(&s), "a period between two slices has none");
	slices_deinit(&s);
}

static void once(void)
{
	const uint64_t times[] = { 100, 200, 300, 400, 500 }, want[] = { 200, 300, 400 };
	struct taken taken = { .sink.ops = &taken_ops };
	struct event_list events;
	struct slices s;

	about("two snapshots");
	make_one_event(&events, PERF_TYPE_TRACEPOINT);
	slices_init(&s, &events, &taken.sink);
	add(&s, 150, 450);
	s.until = 300;
	give(&s, 0, times, ARRAY_SIZE(times));
	s.from = 300;
	s.until = 1000;
	give(&s, 0, times, ARRAY_SIZE(times));
	ok(taken.nr == ARRAY_SIZE(want) && !memcmp(taken.times, want, sizeof(want)),
	   "they give each sample of a slice once");
	slices_deinit(&s);
	event_list_deinit(&events);
}

static void sums(void)
{
	const struct capture_ring rings[] = {
		{ .cpu = 0, .size = 1000, .written = 400 },
		{ .cpu = 1, .size = 1000, .written = 5000 },
	};
	const uint64_t early[] = { 100, 200, 300 }, late[] = { 250, 300 };
	struct ledger_row rows[] = {
		{ .cpu = 0, .recorded = 3, .lost[LEDGER_LOST_OVERWRITTEN] = 40,
		  .lost[LEDGER_LOST_FULL] = 2 },
		{ .cpu = 1, .recorded = 2, .lost[LEDGER_LOST_OVERWRITTEN] = 50 },
	};
	struct ledger ledger = { .items = rows, .nr = ARRAY_SIZE(rows) };
	struct taken taken = { .sink.ops = &taken_ops };
	struct event_list events;
	struct slices s;

	about("the sums");
	make_one_event(&events, PERF_TYPE_TRACEPOINT);
	slices_init(&s, &events, &taken.sink);
	add(&s, 150, 210);
	s.until = 1000;
	slices_begin(&s);
	give(&s, 0, early, ARRAY_SIZE(early));
	give(&s, 1, late, ARRAY_SIZE(late));
	no_error(slices_end(&s, rings, ARRAY_SIZE(rings)), "the rings are looked at");
	is_u64(s.whole_since, 250, "a ring that was overwritten is whole since its first sample");
	slices_settle(&s, &ledger);
	is_u64(rows[0].recorded, 1, "the samples of slices are recorded");
	is_u64(rows[0].filtered, 42, "all others are dropped on purpose");
	is_u64(ledger_row_lost(&rows[0]), 2, "dropped samples are no losses");
	ok(rows[1].filtered == LEDGER_NOT_KNOWN && ledger_row_lost(&rows[1]) == LEDGER_NOT_KNOWN,
	   "if a ring lacks a part of a slice, neither number is known");
	slices_deinit(&s);
	event_list_deinit(&events);
}

static void filled(void)
{
	struct capture_ring rings[] = {
		{ .cpu = 0, .size = 1024, .written = 512 }, { .cpu = 0 },
		{ .cpu = 0, .size = 1024, .written = 128 },
	};
	struct slices s;

	about("the part of a ring that was written");
	slices_init(&s, NULL, NULL);
	ok(slices_filled(&s, rings, 3, true) == 0.5, "the fullest ring counts");
	rings[2].written += 256;
	ok(slices_filled(&s, rings, 3, false) == 0.25, "it begins anew when it is noted");
	slices_deinit(&s);
}

int main(void)
{
	joins();
	once();
	sums();
	filled();
	return tap_done();
}
