// SPDX-License-Identifier: GPL-2.0
/* Models as texts, programs that are not valid, and keys; 65-monitor has whole traces. */
#include <string.h>

#include "lib/array.h"
#include "machine/judge.h"
#include "tap.h"

static char test_format[] =
	"name: ev\n"
	"ID: 77\n"
	"format:\n"
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n"
	"\n"
	"\tfield:int pid;\toffset:8;\tsize:4;\tsigned:1;\n"
	"\tfield:u16 v;\toffset:12;\tsize:2;\tsigned:0;\n"
	"\tfield:char c[16];\toffset:16;\tsize:16;\tsigned:0;\n"
	"\tfield:__data_loc char[] d;\toffset:32;\tsize:4;\tsigned:0;\n"
	"\n"
	"print fmt: \"%d\", REC->pid\n";

static const struct event_format *find_format(void *data, const char *system, const char *event)
{
	return strcmp(event, "ev") ? NULL : data;
}

static struct monitor_formats test_formats = { .find = find_format };

static struct error *parse_dot(const char *text, struct automaton **ret)
{
	return automaton_parse("m.dot", text, strlen(text), ret);
}

static struct error *parse_binding(const char *text, struct binding **ret)
{
	return binding_parse("m.binding", text, strlen(text), ret);
}

static struct error *compile(const char *dot, const char *bound, struct monitor **ret)
{
	_cleanup_(automaton) struct automaton *automaton = NULL;
	_cleanup_(binding) struct binding *binding = NULL;
	struct error *err = parse_dot(dot, &automaton);

	if (!err)
		err = parse_binding(bound, &binding);
	return err ? err : monitor_compile("m", automaton, binding, &test_formats, ret);
}

#define DOT(edges)	"digraph m {\n\t\"__init_s\" -> \"s\";\n" edges "}\n"
#define STEP		"\t\"s\" -> \"t\" [label = \"a\"];\n\t\"t\" -> \"s\" [label = \"b\"];\n"
/* The first filter is v == 1, in steps of the accumulator. */
#define BOUND		"key task\nevent a = x:ev by pid starts before if v * 7 % 13 - 2 == 5 / v\n" \
			"event b = x:ev by pid if v == 2\n"

static void test_texts(void)
{
	static const struct { const char *dot, *message; } dots[] = {
		{ "graph m {}", "m.dot:1: An automaton begins with 'digraph NAME {':\n"
		  "    graph m {}\n    ^ here" },
		{ "digraph m {\n\t\"s", "m.dot:2: The quotation mark is not closed:\n"
		  "     \"s\n     ^ here" },
		{ "digraph m {\n/* x", "m.dot:2: The comment does not end:\n    /* x\n    ^ here" },
		{ "digraph m {\n}\n", "m.dot:3: The automaton has no events:\n    \n    ^ here" },
		{ "digraph m {\ns -> t;\n}\n", "m.dot:2: The arrow has no label, which names its events:\n"
		  "    s -> t;\n    ^ here" },
		{ DOT("s -> s [label = \"a;reset(c);reset(d)\"];"),
		  "m.dot:3: An event resets one clock at most:\n"
		  "    s -> s [label = \"a;reset(c);reset(d)\"];}\n                                ^ here" },
		{ DOT("s [label = \"s\\nc > 5\"]; s -> s [label = a];"),
		  "m.dot:3: The condition of a state is its time limit: CLOCK < TIME:\n"
		  "    s [label = \"s\\nc > 5\"]; s -> s [label = a];}\n                   ^ here" },
		{ DOT("s -> s [label = \"a;c < 99999999999999999999\"];"),
		  "m.dot:3: The number is larger than 64 bits:\n"
		  "    s -> s [label = \"a;c < 99999999999999999999\"];}\n"
		  "                                              ^ here" },
		{ DOT("s -> s [label = \"a;c < 9h\"];"),
		  "m.dot:3: This is not a unit: the units are ns, us, ms, s and j (jiffies):\n"
		  "    s -> s [label = \"a;c < 9h\"];}\n                            ^ here" },
	};
	static const struct { const char *binding, *message; } bindings[] = {
		{ "", "m.binding:1: The binding has no events:\n    \n    ^ here" },
		{ "key cup\n", "m.binding:1: The key is one of task, cpu, none and fields:\n"
		  "    key cup\n        ^ here" },
		{ "event a = x:ev\n", "m.binding:1: 'key' must stand before the events:\n"
		  "    event a = x:ev\n          ^ here" },
		{ "key task\nevent a = x:ev by pid,v\n", "m.binding:2: A task or a CPU is found by one "
		  "field:\n    event a = x:ev by pid,v\n                      ^ here" },
		{ "key fields\nevent a = x:ev\n", "m.binding:2: The event needs 'by' and the fields of its "
		  "key:\n    event a = x:ev\n          ^ here" },
		{ "key task\nevent a = x:ev starts now\n", "m.binding:2: 'starts' is followed by 'after' "
		  "or 'before':\n    event a = x:ev starts now\n                          ^ here" },
		{ "constant a = 1s\nconstant a = 2\n", "m.binding:2: 'a' stands here twice:\n"
		  "    constant a = 2\n             ^ here" },
		{ "constant a = 99999999999s\n", "m.binding:1: The time is longer than 64 bits of ns:\n"
		  "    constant a = 99999999999s\n                 ^ here" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(dots); i++) {
		_cleanup_(automaton) struct automaton *automaton = NULL;

		is_error(parse_dot(dots[i].dot, &automaton), dots[i].message,
			 named("a mistake in a .dot file, %zu", i));
	}
	for (size_t i = 0; i < ARRAY_SIZE(bindings); i++) {
		_cleanup_(binding) struct binding *binding = NULL;

		is_error(parse_binding(bindings[i].binding, &binding), bindings[i].message,
			 named("a mistake in a binding, %zu", i));
	}
}

static void test_programs(void)
{
	_cleanup_(monitor) struct monitor *monitor = NULL;
	struct machine_view view;
	unsigned char *bytes;
	size_t size, accepted = 0;

	if (!no_error(compile(DOT(STEP), BOUND, &monitor), "a model is compiled"))
		return;
	size = monitor->program->size;
	bytes = (unsigned char *)monitor->program;
	ok(machine_verify(bytes, size, &view), "its program is valid");
	ok(!machine_verify(bytes, size - 8, &view), "a program that is cut off is not");
	/* A program with any byte changed is refused, or does nothing outside of itself. */
	for (size_t i = 0; i < size; i++) {
		for (unsigned int bit = 0; bit < 8; bit++) {
			_cleanup_(key_table) struct key_table *table = NULL;
			struct machine_record record = {
				.raw = test_format, .raw_size = 48, .tid = 7, .time = 5,
			};

			bytes[i] ^= 1U << bit;
			if (machine_verify(bytes, size, &monitor->view)) {
				accepted++;
				error_free(key_table_create(monitor, &table));
				for (int n = 0; table && n < 4; n++, record.time++)
					key_table_take(table, 0, &record);
			}
			bytes[i] ^= 1U << bit;
		}
	}
	ok(accepted > 0, "some changed programs are valid");
	ok(machine_verify(bytes, size, &monitor->view), "it is as it was");
}

struct test_run {
	struct monitor *monitor;
	struct key_table *table;
	unsigned char raw[48];
};

static void test_run_deinit(struct test_run *run)
{
	key_table_destroy(run->table);
	monitor_destroy(run->monitor);
}
DEFINE_CLEANUP(test_run, struct test_run, test_run_deinit)

static bool test_begin(struct test_run *run, const char *dot, const char *bound)
{
	struct error *err = compile(dot, bound, &run->monitor);

	if (!err)
		err = key_table_create(run->monitor, &run->table);
	return no_error(err, "the machine is made");
}

static void test_fire_on(struct test_run *run, uint64_t time, int32_t cpu, int32_t pid, uint16_t v)
{
	const struct machine_record record = {
		.raw = run->raw, .raw_size = sizeof(run->raw), .cpu = cpu, .tid = pid, .tgid = pid,
		.time = time,
	};

	memcpy(run->raw + 8, &pid, sizeof(pid));
	memcpy(run->raw + 12, &v, sizeof(v));
	key_table_take(run->table, 0, &record);
}

static void test_fire(struct test_run *run, uint64_t time, int32_t pid, uint16_t v)
{
	test_fire_on(run, time, 0, pid, v);
}

static void is_counts(struct test_run *run, struct key_counts want, const char *name)
{
	struct key_counts got;
	size_t nr;

	key_table_count(run->table, &got);
	want.keys = want.ok + want.violated + want.not_started + want.lost + want.unordered;
	key_table_violations(run->table, &nr);
	if (!ok(!memcmp(&got, &want, sizeof(got)) && nr == want.violations, "%s", name))
		printf("# %llu keys: ok %llu, violated %llu, not started %llu, lost %llu, unordered %llu;"
		       " %llu violations, %llu refused\n", (unsigned long long)got.keys,
		       (unsigned long long)got.ok, (unsigned long long)got.violated,
		       (unsigned long long)got.not_started, (unsigned long long)got.lost,
		       (unsigned long long)got.unordered, (unsigned long long)got.violations,
		       (unsigned long long)got.refused);
}

static void test_keys(void)
{
	_cleanup_(test_run) struct test_run run = { 0 };

	about("keys");
	if (!test_begin(&run, DOT(STEP), BOUND))
		return;
	test_fire(&run, 10, 7, 1);
	test_fire(&run, 20, 7, 2);
	is_counts(&run, (struct key_counts){ .ok = 1 }, "a key that takes its transitions is ok");
	test_fire(&run, 30, 8, 2);
	is_counts(&run, (struct key_counts){ .ok = 1, .not_started = 1 },
		  "an event that starts nothing leaves its key unknown");
	test_fire(&run, 40, 7, 2);
	is_counts(&run, (struct key_counts){ .violated = 1, .not_started = 1, .violations = 1 },
		  "an event that the state forbids is a violation");
	test_fire(&run, 50, 7, 2);
	is_counts(&run, (struct key_counts){ .violated = 1, .not_started = 1, .violations = 1 },
		  "then the key is unknown");
	test_fire(&run, 60, 9, 1);
	test_fire(&run, 60, 9, 2);
	is_counts(&run, (struct key_counts){ .violated = 1, .not_started = 1, .unordered = 1,
					     .violations = 1, .against_time = 1 },
		  "events of one time have no order");
	test_fire(&run, 65, 10, 2);
	test_fire(&run, 65, 10, 1);
	is_counts(&run, (struct key_counts){ .violated = 1, .not_started = 1, .unordered = 2,
					     .violations = 1, .against_time = 2 },
		  "a start has no order either");
	test_fire_on(&run, 70, 0, 0, 1);
	test_fire_on(&run, 71, 1, 0, 2);
	is_counts(&run, (struct key_counts){ .ok = 1, .violated = 1, .not_started = 2,
					     .unordered = 2, .violations = 1, .against_time = 2 },
		  "task 0 is another one on each CPU");
	test_fire(&run, 80, -1, 1);
	is_counts(&run, (struct key_counts){ .ok = 1, .violated = 1, .not_started = 2,
					     .unordered = 2, .violations = 1, .against_time = 2 },
		  "a task that is gone is no key");
}

static void test_sources(void)
{
	_cleanup_(test_run) struct test_run run = { 0 };

	about("sources");
	if (!test_begin(&run, DOT(STEP), "key task\nevent a = x:ev by pid starts before if v & 1\n"
			"event b = x:ev by pid starts before if v & 2\n"))
		return;
	test_fire(&run, 10, 7, 1);
	test_fire(&run, 10, 7, 3);
	is_counts(&run, (struct key_counts){ .unordered = 1, .against_time = 1 },
		  "a record that has no order starts its key by none of its sources");
	test_fire(&run, 20, 7, 3);
	is_counts(&run, (struct key_counts){ .unordered = 1, .against_time = 1 },
		  "the next record is applied to each of its sources");
}

static void test_losses(void)
{
	_cleanup_(test_run) struct test_run run = { 0 };

	about("losses");
	if (!test_begin(&run, DOT(STEP), BOUND))
		return;
	test_fire(&run, 10, 7, 1);
	test_fire(&run, 20, 7, 1);
	test_fire(&run, 30, 7, 1);
	test_fire(&run, 40, 7, 1);
	is_counts(&run, (struct key_counts){ .violated = 1, .violations = 2 }, "two violations");
	key_table_lose(run.table, 1, 25, 45, false);
	is_counts(&run, (struct key_counts){ .violated = 1, .violations = 1 },
		  "what was found behind a loss is taken back");
	key_table_lose(run.table, KEY_ANY_CPU, 15, 45, false);
	is_counts(&run, (struct key_counts){ .lost = 1 }, "an earlier loss takes back the rest");
	test_fire(&run, 50, 8, 1);
	key_table_end_task(run.table, 8, 60);
	test_fire(&run, 65, 8, 2);
	is_counts(&run, (struct key_counts){ .ok = 1, .lost = 1 },
		  "what a task does behind its end is ignored");
	key_table_lose(run.table, KEY_ANY_CPU, 55, 70, true);
	is_counts(&run, (struct key_counts){ .lost = 2 },
		  "a task that has ended behind a loss is unknown, too");
	test_fire(&run, 80, 8, 2);
	is_counts(&run, (struct key_counts){ .not_started = 1, .lost = 2 },
		  "a number is another task if its beginning may have been lost");
	key_table_lose(run.table, KEY_ANY_CPU, 85, 90, false);
	test_fire(&run, 90, 9, 1);
	is_counts(&run, (struct key_counts){ .not_started = 2, .lost = 2 },
		  "at the instant of a loss no key starts");
	test_fire(&run, 91, 9, 1);
	is_counts(&run, (struct key_counts){ .ok = 1, .not_started = 1, .lost = 2 },
		  "behind a loss a key starts");
}

#define LIMITED "\t\"t\" [label = \"t\\nc < 100\"];\n" \
		"\t\"s\" -> \"t\" [label = \"a;reset(c)\"];\n" \
		"\t\"t\" -> \"s\" [label = \"b;c > 10\"];\n"

static void test_clocks(void)
{
	_cleanup_(test_run) struct test_run run = { 0 };
	const struct key_violation *v;
	size_t nr;

	about("clocks");
	if (!test_begin(&run, DOT(LIMITED), BOUND))
		return;
	test_fire(&run, 1000, 7, 1);
	test_fire(&run, 1099, 7, 2);
	is_counts(&run, (struct key_counts){ .ok = 1 }, "a state is left before its limit");
	test_fire(&run, 2000, 7, 1);
	test_fire(&run, 2010, 7, 2);
	is_counts(&run, (struct key_counts){ .violated = 1, .violations = 1 },
		  "a condition on a clock does not hold");
	test_fire(&run, 3000, 8, 1);
	test_fire(&run, 3100, 8, 2);
	v = key_table_violations(run.table, &nr);
	ok(nr == 2 && v[1].source == KEY_NO_SOURCE && v[1].time == 3100 && v[1].age == 100,
	   "a limit is missed at its end, without an event");
	test_fire(&run, 4000, 9, 1);
	key_table_finish(run.table, 4099);
	is_counts(&run, (struct key_counts){ .ok = 1, .violated = 2, .violations = 2 },
		  "the end comes before a limit");
	key_table_finish(run.table, 4100);
	is_counts(&run, (struct key_counts){ .violated = 3, .violations = 3 },
		  "the end comes with a limit");
}

static void test_full(void)
{
	_cleanup_(test_run) struct test_run run = { 0 };

	about("a table");
	if (!test_begin(&run, DOT(STEP), BOUND))
		return;
	run.monitor->program->max_keys = 2;
	for (int pid = 1; pid < 5; pid++)
		test_fire(&run, 10 + pid, pid, 1);
	is_counts(&run, (struct key_counts){ .ok = 2, .refused = 2 }, "keys are refused when it is full");
	key_table_end_task(run.table, 1, 20);
	test_fire(&run, 30, 4, 1);
	is_counts(&run, (struct key_counts){ .ok = 3, .refused = 2 }, "a task that ends makes room");
}

static void test_ledger(void)
{
	static const struct {
		const char *bound, *name;
		struct ledger_row row;
		bool complete;
	} rows[] = {
		{ BOUND, "nothing is missing", { .recorded = 5 }, true },
		{ BOUND, "what was lost is placed by records", { .lost = { 3 } }, true },
		{ BOUND, "what was lost is not known", { .lost = { LEDGER_NOT_KNOWN } }, false },
		{ BOUND, "it is not known of another event",
		  { .event = 1, .lost = { LEDGER_NOT_KNOWN } }, true },
		{ BOUND, "other tasks may do something to a key", { .out_of_scope = 1 }, false },
		{ "key cpu\nevent a = x:ev starts before\nevent b = x:ev\n",
		  "other tasks run on the CPU", { .out_of_scope = 1 }, false },
		{ "key task\nevent a = x:ev starts before\nevent b = x:ev\n",
		  "other tasks are other keys", { .out_of_scope = 1 }, true },
	};
	struct perf_event_attr attr = { .type = PERF_TYPE_TRACEPOINT, .config = 77 };
	struct event_list events;
	struct event *event;

	about("a ledger");
	event_list_init(&events);
	no_error(event_list_add(&events, &attr, "x:ev", &event), "an event");
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		_cleanup_(monitor) struct monitor *monitor = NULL;
		_cleanup_(judge) struct judge *judge = NULL;
		_cleanup_(ledger) struct ledger ledger = { 0 };
		struct error *err = compile(DOT(STEP), rows[i].bound, &monitor);

		if (!err)
			err = judge_create(monitor, &events, 1, &judge);
		if (!err)
			err = ledger_add(&ledger, &rows[i].row);
		if (err)
			no_error(err, rows[i].name);
		else
			ok(judge_is_complete(judge, &ledger) == rows[i].complete, "%s",
			   rows[i].name);
	}
	event_list_deinit(&events);
}

static void test_filters(void)
{
	static const struct { const char *filter; bool want, swapped; } rows[] = {
		{ "v == 0x0102", true, false }, { "v == 0x0201", true, true },
		{ "v > 0x0101 && v <= 0x0102", true, false }, { "v & 0x8000", false, false },
		{ "pid < 0", true, false }, { "pid in -5..-2", true, false }, { "pid != -3", false, false },
		{ "c == \"text\"", true, false }, { "c ~ \"t*\"", true, false },
		{ "c != \"text\"", false, false }, { "c ~ \"?x*\"", false, false },
		{ "d == \"far\"", true, false }, { "!(d ~ \"*r\")", false, false },
		{ "cpu == 3", true, false }, { "tid == 8 || pid == 1", true, false },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		_cleanup_(strbuf) struct strbuf bound = STRBUF_INIT;
		_cleanup_(monitor) struct monitor *monitor = NULL;
		unsigned char raw[48] = { 0 };
		const int32_t pid = -3;
		const uint16_t v = 0x0102;
		const uint32_t loc = 4 << 16 | 36;
		const struct machine_record record = {
			.raw = raw, .raw_size = sizeof(raw), .cpu = 3, .tid = 8, .tgid = 9,
			.swapped = rows[i].swapped,
		};

		memcpy(raw + 8, &pid, sizeof(pid));
		memcpy(raw + 12, &v, sizeof(v));
		strcpy((char *)raw + 16, "text");
		memcpy(raw + 32, &loc, sizeof(loc));
		strcpy((char *)raw + 36, "far");
		strbuf_addf(&bound, "key none\nevent a = x:ev if %s\n", rows[i].filter);
		if (no_error(compile(DOT("s -> s [label = a];"), bound.data, &monitor), rows[i].filter))
			ok(machine_filter_accepts(&monitor->view, 0, &record) == rows[i].want,
			   "%s%s: %s", rows[i].filter, rows[i].swapped ? ", in the other byte order" : "",
			   rows[i].want ? "it takes the record" : "it does not take the record");
	}
}

int main(void)
{
	_cleanup_(formats) struct formats *formats = NULL;

	if (!no_error(formats_create(&formats), "formats") ||
	    !no_error(formats_add(formats, "x", test_format, strlen(test_format)), "a format"))
		return tap_done();
	test_formats.data = (void *)formats_find(formats, 77);
	test_texts();
	test_programs();
	test_keys();
	test_sources();
	test_losses();
	test_clocks();
	test_full();
	test_ledger();
	about_nothing();
	test_filters();
	return tap_done();
}
