// SPDX-License-Identifier: GPL-2.0
/* Sums of counts, their extrapolation, and the numbers derived of them. */
#include "counts/stat_table.h"

#include <math.h>
#include <string.h>

#include "counts/stat_metric.h"
#include "lib/array.h"
#include "table/stat/stat_text.h"
#include "tap.h"

static bool is_near(double got, double want)
{
	return fabs(got - want) <= 1e-9 * fabs(want);
}

static struct event *stat_add(struct event_list *events, uint32_t type, uint64_t config,
			      const char *name)
{
	const struct perf_event_attr attr = { .type = type, .config = config };
	struct event *event = NULL;

	error_free(event_list_add(events, &attr, name, &event));
	return event;
}

/* One event on two CPUs, which count @a and @b. */
static double stat_sum_of(struct stat_count a, struct stat_count b, bool raw, double *running)
{
	const struct stat_place places[] = { { .cpu = 0, .tid = -1 }, { .cpu = 1, .tid = -1 } };
	struct event_list events;
	struct stat_table table;
	double value;

	event_list_init(&events);
	stat_add(&events, PERF_TYPE_RAW, 8, "r8");
	error_free(stat_table_init(&events, places, 2, STAT_BY_ALL, &table));
	table.raw = raw;
	stat_table_put(&table, 0, 0, a);
	stat_table_put(&table, 0, 1, b);
	stat_table_end_run(&table, 1000);
	value = stat_table_cell(&table, 0, 0)->value.mean;
	*running = stat_table_cell(&table, 0, 0)->running;
	stat_table_deinit(&table);
	event_list_deinit(&events);
	return value;
}

TEST(test_extrapolation)
{
	double running;

	about("extrapolation");
	ok(stat_sum_of((struct stat_count){ 100, 10, 10 }, (struct stat_count){ 50, 10, 10 }, false,
		       &running) == 150 && running == 20, "whole counts are added up");
	ok(stat_sum_of((struct stat_count){ 100, 10, 5 }, (struct stat_count){ 50, 10, 10 }, false,
		       &running) == 250 && running == 15,
	   "each CPU is extrapolated by its own part of the time");
	ok(stat_sum_of((struct stat_count){ 100, 10, 5 }, (struct stat_count){ 50, 10, 10 }, true,
		       &running) == 150, "raw counts are not extrapolated");
	ok(stat_sum_of((struct stat_count){ 100, 10, 10 }, (struct stat_count){ 0, 10, 0 }, false,
		       &running) == 200, "a CPU without a counter counts like the other ones");
	ok(stat_sum_of((struct stat_count){ 0, 10, 0 }, (struct stat_count){ 0, 10, 0 }, false,
		       &running) == 0 && !running, "nothing is made of nothing");
	ok(stat_sum_of((struct stat_count){ 4394220098367117, 7884551091, 7884551091 },
		       (struct stat_count){ 0 }, false, &running) == 4394220098367117,
	   "a whole count is exact, however large");
	ok(stat_sum_of((struct stat_count){ UINT64_MAX / 2, 10, 1 }, (struct stat_count){ 0 },
		       false, &running) > 1e19, "huge counts do not overflow");
	about_nothing();
}

TEST(test_series)
{
	static const double numbers[] = { 100, 200, 300, 400 };
	struct stat_series series = { 0 };

	about("a series");
	ok(!stat_series_error(&series) && !stat_series_error_percent(&series), "is empty at first");
	stat_series_add(&series, numbers[0]);
	ok(!stat_series_error(&series), "of one number has no error");
	for (size_t i = 1; i < ARRAY_SIZE(numbers); i++)
		stat_series_add(&series, numbers[i]);
	ok(is_near(series.mean, 250), "has a mean");
	/* The deviation is 129.0994, and that of the mean half of it. */
	ok(is_near(stat_series_error(&series), sqrt(50000.0 / 3) / 2), "has a standard error");
	ok(is_near(stat_series_error_percent(&series), sqrt(50000.0 / 3) / 5), "in percent");
	about_nothing();
}

TEST(test_sets)
{
	const struct stat_place threads[] = {
		{ .cpu = STAT_ANY_CPU, .tid = 7, .comm = "a" },
		{ .cpu = STAT_ANY_CPU, .tid = 9, .comm = "b" },
	};
	struct event_list events;
	struct stat_table table;

	about("sets");
	event_list_init(&events);
	stat_add(&events, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK, "task-clock");
	error_free(stat_table_init(&events, threads, 2, STAT_BY_THREAD, &table));
	ok(table.nr_sets == 2 && table.sets[1].place.tid == 9, "each thread is one");
	ok(stat_table_has_counter(&table, 0, 0), "an event without counters has them everywhere");
	stat_table_put(&table, 0, 1, (struct stat_count){ 3000000, 10, 10 });
	ok(!stat_table_has_counter(&table, 0, 0) && stat_table_has_counter(&table, 0, 1),
	   "an event has a counter where one was put");
	stat_table_end_run(&table, 1000);
	ok(is_near(stat_table_cell(&table, 0, 1)->value.mean, 3), "a clock's unit is the ms");
	ok(!stat_cell_counted(stat_table_cell(&table, 0, 0)), "a thread that did not run has no count");
	stat_table_begin_interval(&table);
	stat_table_put(&table, 0, 1, (struct stat_count){ 5000000, 25, 20 });
	stat_table_end_run(&table, 1000);
	ok(is_near(stat_table_cell(&table, 0, 1)->value.mean, 3) &&
	   stat_table_cell(&table, 0, 1)->enabled == 15, "an interval has the counts since the last one");
	stat_table_whole(&table, 2000);
	ok(is_near(stat_table_cell(&table, 0, 1)->value.mean, 6.25), "the whole has everything");
	stat_table_deinit(&table);
	event_list_deinit(&events);
	about_nothing();
}

/* Cycles and instructions that had a counter for these parts of 100 ns. */
static struct stat_metric stat_ipc(uint64_t cycles, uint64_t instructions, uint32_t group,
				   bool other_level)
{
	const struct stat_place place = { .cpu = STAT_ANY_CPU, .tid = -1 };
	struct stat_metric metrics[STAT_METRICS_MAX] = { 0 };
	struct event_list events;
	struct stat_table table;
	struct event *event;

	event_list_init(&events);
	stat_add(&events, PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, "cycles")->group = group;
	event = stat_add(&events, PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS, "instructions");
	event->group = group;
	event->attr.exclude_kernel = other_level;
	error_free(stat_table_init(&events, &place, 1, STAT_BY_ALL, &table));
	stat_table_put(&table, 0, 0, (struct stat_count){ 10 * cycles, 100, cycles });
	stat_table_put(&table, 1, 0, (struct stat_count){ 20 * instructions, 100, instructions });
	stat_table_end_run(&table, 1000);
	ok(stat_metrics_find(&table, 1, 0, metrics) == 1,
	   "instructions have one derived number, group %u, counted %d %% and cycles %d %% of the "
	   "time%s", group, (int)instructions, (int)cycles, other_level ? ", of another level" : "");
	/* The event does not outlive this function. */
	metrics[0].apart = metrics[0].apart == events.items[0] ? (const void *)1 : NULL;
	stat_table_deinit(&table);
	event_list_deinit(&events);
	return metrics[0];
}

TEST(test_metrics)
{
	struct stat_metric metric;

	about("derived numbers");
	metric = stat_ipc(100, 100, 0, false);
	ok(metric.format && is_near(metric.value, 2), "of counts of the whole time");
	metric = stat_ipc(60, 60, 0, false);
	ok(!metric.format && metric.apart, "not of counts that shared the counters in turns");
	metric = stat_ipc(60, 60, 1, false);
	ok(metric.format && is_near(metric.value, 2), "of a group that shared the counters");
	metric = stat_ipc(100, 60, 0, false);
	ok(!metric.format && metric.apart, "not if one of both was counted part of the time");
	metric = stat_ipc(0, 100, 0, false);
	ok(!metric.format && !metric.apart, "not of a count that is missing");
	metric = stat_ipc(100, 100, 0, true);
	ok(!metric.format && !metric.apart, "not of other levels");
	about_nothing();
}

/* Names that others chose must not control a terminal or make lines of their own. */
TEST(test_names)
{
	static const struct stat_layout layouts[] = {
		{ .form = STAT_FORM_TEXT }, { .form = STAT_FORM_CSV, .separator = "," },
		{ .form = STAT_FORM_JSON },
	};
	const struct stat_place place = { .cpu = STAT_ANY_CPU, .tid = 5, .comm = "x\n\33[2J" };
	struct event_list events;
	struct stat_table table;

	about("hostile names");
	event_list_init(&events);
	stat_add(&events, PERF_TYPE_RAW, 1, "e\n\33vil\"")->cgroup = strdup("c\33\n");
	error_free(stat_table_init(&events, &place, 1, STAT_BY_THREAD, &table));
	for (size_t i = 0; i < ARRAY_SIZE(layouts); i++) {
		_cleanup_(strbuf) struct strbuf out = STRBUF_INIT;

		stat_text_add_rows(&layouts[i], &table, NULL, &out);
		ok(!strstr(strbuf_str(&out), "\33") && out.len &&
		   strchr(strbuf_str(&out), '\n') == out.data + out.len - 1,
		   "are one line without control characters, form %zu", i);
	}
	stat_table_deinit(&table);
	event_list_deinit(&events);
	about_nothing();
}

TAP_MAIN
