// SPDX-License-Identifier: GPL-2.0
/* The records in the last seconds of a snapshot, and the window's sentence about the rings. */
#include "recorder/window.h"

#include <string.h>

#include "lib/array.h"
#include "one_event.h"
#include "tap.h"

struct keeper {
	struct record_sink sink;
	uint64_t times[16];
	size_t nr, others;
};

static struct error *keep(struct record_sink *sink, const struct record_span *span)
{
	struct keeper *k = container_of(sink, struct keeper, sink);

	for (size_t at = 0; at < span->size; ) {
		const struct test_sample *s = (const void *)((const char *)span->data + at);

		if (s->header.type == PERF_RECORD_SAMPLE && k->nr < ARRAY_SIZE(k->times))
			k->times[k->nr++] = s->time;
		else
			k->others++;
		at += s->header.size;
	}
	return NULL;
}

static const struct record_sink_ops keeper_ops = { .write = keep };

/* Samples at these times, and behind each the name of a task. */
static void give(struct window *w, uint32_t cpu, const uint64_t *times, size_t nr)
{
	struct {
		struct test_sample sample;
		struct {
			struct perf_event_header header;
			uint32_t pid, tid;
			char comm[8];
			uint64_t time, id;
		} comm;
	} records[8] = { 0 };
	struct record_span span = { records, nr * sizeof(records[0]), cpu };

	for (size_t i = 0; i < nr; i++) {
		records[i].sample = (struct test_sample){
			{ .type = PERF_RECORD_SAMPLE, .size = sizeof(records[i].sample) },
			7, times[i],
		};
		records[i].comm.header.type = PERF_RECORD_COMM;
		records[i].comm.header.size = sizeof(records[i].comm);
		records[i].comm.time = times[i];
		records[i].comm.id = 7;
	}
	error_free(record_sink_write(&w->sink, &span));
}

static const uint64_t early[] = { 100, 499, 500, 900 }, late[] = { 650, 1000, 1010 };

static void fill(struct window *w, struct keeper *k, const struct event_list *events)
{
	*k = (struct keeper){ .sink.ops = &keeper_ops };
	window_open(w, events, &k->sink, 50, 500, 1000);
	give(w, 0, early, ARRAY_SIZE(early));
	give(w, 1, late, ARRAY_SIZE(late));
}

static void test_trims(struct event_list *events)
{
	static const uint64_t want[] = { 500, 900, 650, 1000, 1010 };
	struct ledger ledger = { 0 };
	struct keeper k;
	struct window w;

	fill(&w, &k, events);
	ok(k.nr == ARRAY_SIZE(want) && !memcmp(k.times, want, sizeof(want)),
	   "samples of the requested age are kept, and no older ones");
	is_u64(k.others, 7, "names are kept however old they are");
	error_free(ledger_add(&ledger, &(struct ledger_row){ .cpu = 0, .recorded = 4,
							    .lost[LEDGER_LOST_OVERWRITTEN] = 30 }));
	error_free(ledger_add(&ledger, &(struct ledger_row){ .cpu = 1, .recorded = 3 }));
	error_free(window_close(&w, (struct capture_ring []){
		{ .cpu = 0, .size = 4096, .written = 9000 },
		{ .cpu = 1, .size = 4096, .written = 90 },
	}, 2, &ledger));
	is_u64(w.held, 500, "all rings hold the requested time");
	ok(!w.too_small, "so none is too small");
	is_u64(w.older, 2, "older samples are counted");
	is_u64(w.overwritten, 30, "overwritten samples are counted, too");
	is_u64(ledger.items[0].recorded, 2, "the ledger counts the samples in the file");
	is_u64(ledger_row_lost(&ledger.items[0]), 0,
	       "samples that were overwritten before the window are not lost");
	is_u64(ledger.items[1].recorded, 3, "the ledger of the other CPU stays");
	ledger_deinit(&ledger);
	window_deinit(&w);
}

static void test_short(struct event_list *events)
{
	_cleanup_(strbuf) struct strbuf text = STRBUF_INIT;
	struct ledger ledger = { 0 };
	struct keeper k;
	struct window w;

	fill(&w, &k, events);
	error_free(ledger_add(&ledger, &(struct ledger_row){ .cpu = 1, .recorded = 3,
							    .lost[LEDGER_LOST_OVERWRITTEN] = 8 }));
	error_free(window_close(&w, (struct capture_ring []){
		{ .cpu = 0, .size = 4096, .written = 90 },
		{ .cpu = 1, .size = 4096, .written = 9000 },
	}, 2, &ledger));
	is_u64(w.held, 350,
	       "a ring that has lost its oldest samples begins with the first that it has");
	ok(w.too_small, "it is too small");
	is_u64(ledger_row_lost(&ledger.items[0]), 8, "the samples that it overwrote are lost");
	window_add_short_rings(&w, &text);
	is_str(strbuf_str(&text), "CPU 1 holds 0.0 s", "the CPU is named");
	ledger_deinit(&ledger);
	window_deinit(&w);
}

static void test_begin(struct event_list *events)
{
	struct ledger ledger = { 0 };
	struct keeper k = { .sink.ops = &keeper_ops };
	struct window w;

	window_open(&w, events, &k.sink, 800, 500, 1000);
	give(&w, 0, early + 3, 1);
	error_free(window_close(&w, &(struct capture_ring){ .size = 4096, .written = 90 }, 1,
				&ledger));
	is_u64(w.held, 200, "a recording that has just begun holds all its records");
	ok(!w.too_small, "then no ring is too small");
	window_deinit(&w);
}

static void test_advice(void)
{
	static const struct {
		uint64_t size, held, asked;
		const char *want;
	} rows[] = {
		{ 1 << 20, 10, 30, "4M" }, { 16 << 10, 10, 10, "32K" }, { 4096, 0, 30, "256K" },
		{ 1 << 30, 1, 1000, "1024M" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		_cleanup_(strbuf) struct strbuf text = STRBUF_INIT;

		window_add_advice(rows[i].size, rows[i].held, rows[i].asked, &text);
		is_str(strbuf_str(&text), rows[i].want, named("the advice is -m %s", rows[i].want));
	}
}

int main(void)
{
	struct event_list events;

	make_one_event(&events, PERF_TYPE_SOFTWARE);
	test_trims(&events);
	test_short(&events);
	test_begin(&events);
	test_advice();
	event_list_deinit(&events);
	return tap_done();
}
