// SPDX-License-Identifier: GPL-2.0
/* Costs computed from times, and their noise. */
#include "check/cost.h"
#include "check/finding.h"

#include <string.h>

#include "lib/array.h"
#include "tap.h"

static struct cost_times times(uint64_t a, uint64_t b, uint64_t c)
{
	return (struct cost_times){ .ns = { a, b, c }, .nr = 3 };
}

TEST(test_cost)
{
	const struct cost_times without = times(1000, 1200, 1100), none = { .nr = 0 };
	struct cost_times with = times(3000, 3050, 9000);
	struct cost cost = cost_of(&without, &with, 10);

	ok(cost.is_known && cost.ns == 200, "the fastest runs, by firing");
	ok(cost.noise == 15, "the middle ones are the noise");
	with = times(1120, 1150, 1150);
	cost = cost_of(&without, &with, 10);
	ok(!cost.is_known && cost.noise == 13, "noise that is not exceeded");
	with = times(900, 900, 900);
	ok(!cost_of(&without, &with, 10).is_known, "faster than without");
	ok(!cost_of(&without, &with, 0).is_known, "nothing fired");
	ok(costs_blur_of(&without) == 200 && !costs_blur_of(&none),
	   "how much runs differ, in the difference of two of them");
	ok(costs_firings_needed(200, 10) == 20, "so many firings make that 10 for each");
	ok(!cost_of(&none, &with, 10).is_known && !cost_of(&without, &none, 10).is_known,
	   "no runs");
}

TEST(test_print)
{
	struct costs costs = { 0 };
	struct cost_row rows[] = {
		{ .way = "perf_event", .firings = 1000, .recorded = { true, 120.4, 3.2 },
		  .rejected = { false, 2, 8.8 }, .bytes = 72 },
		{ .way = "ktrace by template", .why = "the ktrace module is not loaded" },
	};
	struct strbuf out = STRBUF_INIT;

	costs_print(&costs, &out);
	is_str(strbuf_str(&out), "", "no costs, no table");
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		rows[i].event = strdup("mydrv:start");
		if (!array_push(&costs, rows[i]))
			abort();
	}
	costs_print(&costs, &out);
	is_str(strbuf_str(&out),
	       "cost in ns of CPU time                    firings         recorded         "
	       "rejected    bytes\n"
	       "mydrv:start\n"
	       "  perf_event                                 1000           120 ±3       "
	       "unknown ±9     72.0\n"
	       "  ktrace by template                   the ktrace module is not loaded\n",
	       "a table");
	costs.items[0].recorded = (struct cost){ false, 0, 74241 };
	costs.items[0].firings = 2970;
	strbuf_reset(&out);
	costs_print(&costs, &out);
	ok(strstr(strbuf_str(&out),
		  "\nunknown: the runs of the command differ by as much as this costs.  Some "
		  "22000000 firings in each\nrun would make that noise ±10; a guest that counts "
		  "instructions has none (man ktrace-check)\n"),
	   "a remedy against large noise is named");
	costs.items[0].recorded = (struct cost){ false, 0, 4 };
	strbuf_reset(&out);
	costs_print(&costs, &out);
	ok(!strstr(strbuf_str(&out), "\nunknown:"), "noise of some ns is left unchanged");
	costs_deinit(&costs);
	strbuf_deinit(&out);
}

TEST(test_rate)
{
	_cleanup_(results) struct results results = { 0 };
	struct result *result = results_add(&results, "mydrv", "event", "x", "", 0);

	finding_add(&results, result, RULE_HOLE, NULL, NO_PLACE, "padding");
	finding_saves(result, RULE_HOLE, 8);
	finding_add(&results, result, RULE_FIELD_NAME, NULL, NO_PLACE, "a name");
	finding_add_rate(&results, result, 12500);
	is_str(result->items[0].message, "padding; it saves 100.0 kB/s at the 12500 records a "
	       "second of this command", "the saving of another order");
	is_str(result->items[1].message, "a name", "no other finding has the saving of another order");
}

#define COMMON "\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n" \
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"

TEST(test_rejecting_filter)
{
	static const struct {
		const char *fields, *filter, *what;
	} events[] = {
		{ "\tfield:char name[16];\toffset:8;\tsize:16;\tsigned:1;\n"
		  "\tfield:const void * ip;\toffset:24;\tsize:8;\tsigned:0;\n"
		  "\tfield:u8 order;\toffset:32;\tsize:1;\tsigned:0;\n",
		  "order == 113 && order == 114", "a filter on the first number that is the event's own" },
		{ "\tfield:__data_loc char[] name;\toffset:8;\tsize:4;\tsigned:1;\n",
		  "common_pid == -1", "a filter on a common field where the event has none of its own" },
		{ "\tfield:", "common_pid == -1", "a filter on a common field where the format is damaged" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(events); i++) {
		struct results results = { 0 };
		struct strbuf text = STRBUF_INIT, filter = STRBUF_INIT;
		struct result *result;

		strbuf_addf(&text, "name: start\nID: 7\nformat:\n%s%s\nprint fmt: \"\"\n", COMMON,
			    events[i].fields);
		result = results_add(&results, "mydrv", "start", "format", text.data, text.len);
		if (!result)
			abort();
		about("%s", events[i].what);
		no_error(rejecting_filter_add(result, &filter), "no error");
		is_str(strbuf_str(&filter), events[i].filter, "the text of the filter");
		about_nothing();
		strbuf_deinit(&filter);
		strbuf_deinit(&text);
		results_deinit(&results);
	}
}

TAP_MAIN
