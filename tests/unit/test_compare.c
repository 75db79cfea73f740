// SPDX-License-Identifier: GPL-2.0
/* Captures of the same firings, held against each other. */
#include <stdint.h>
#include <stdlib.h>

#include "check/compare.h"
#include "check/report/report.h"
#include "check/task_tree.h"
#include "lib/strbuf.h"
#include "tap.h"

static const char text[] =
	"name: event\nID: 7\nformat:\n"
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
	"\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n"
	"\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n"
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"
	"\tfield:u32 id;\toffset:8;\tsize:4;\tsigned:0;\n"
	"\tfield:__data_loc char[] name;\toffset:12;\tsize:4;\tsigned:0;\n\n"
	"print fmt: \"id=%u name=%s\", REC->id, __get_str(name)\n";

struct record {
	uint16_t type;
	uint8_t flags, preempt_count;
	int32_t pid;
	uint32_t id, name;
	char data[16];
};

struct test {
	struct results results;
	struct formats *formats;
	const struct event_format *format;
	struct captured from, to;
	struct captured before, after;	/* of ftrace */
};

static void setup(struct test *t)
{
	*t = (struct test){ .from.name = "one", .to.name = "other",
		.before.name = "tracefs", .after.name = "tracefs" };
	if (!results_add(&t->results, "mydrv", "event", "x", text, strlen(text)) ||
	    formats_create(&t->formats) || formats_add(t->formats, "mydrv", text, strlen(text)))
		abort();
	t->format = formats_at(t->formats, 0);
}

static void teardown(struct test *t)
{
	captured_deinit(&t->from);
	captured_deinit(&t->to);
	captured_deinit(&t->before);
	captured_deinit(&t->after);
	formats_destroy(t->formats);
	results_deinit(&t->results);
}

/* Add a record with the string "abc", @gap bytes behind the record. */
static void add(struct test *t, struct captured *captured, struct record r, uint64_t time,
		bool is_whole, unsigned int gap)
{
	const struct captured_record like = { .time = time, .is_whole = is_whole };

	r.type = 7;
	r.name = 4 << 16 | (16 + gap);
	memcpy(r.data + gap, "abc", 4);
	if (captured_add(captured, t->format, &like, &r, sizeof(r)))
		abort();
}

static void is_found(struct test *t, bool to_tracefs, const char *want, const char *name)
{
	_cleanup_(strbuf) struct strbuf got = STRBUF_INIT;
	const struct result *result = t->results.items[0];
	struct bracket bracket;

	captured_sort(&t->from);
	captured_sort(&t->to);
	captured_sort(&t->before);
	captured_sort(&t->after);
	if (bracket_init(&bracket, &t->results, &t->format, &t->from, &t->before,
			 t->after.nr ? &t->after : NULL) ||
	    compare_captured(&t->results, &t->format, &t->from, &t->to, &bracket, to_tracefs))
		abort();
	bracket_deinit(&bracket);
	for (size_t i = 0; i < result->nr; i++)
		strbuf_addf(&got, "%s: %s%s%s\n%s", rules[result->items[i].rule].name,
			    result->items[i].cause ? result->items[i].cause : "",
			    result->items[i].cause ? ": " : "", result->items[i].message,
			    result->items[i].detail);
	is_str(strbuf_str(&got), want, name);
	teardown(t);
	setup(t);
}

static void test_same(struct test *t)
{
	for (uint32_t i = 0; i < 3; i++) {
		add(t, &t->from, (struct record){ .pid = 5, .id = i }, i, true, 0);
		add(t, &t->to, (struct record){ .pid = 5, .id = i }, i, true, 4);
	}
	is_found(t, false, "", "strings by content");

	/* An interrupt, with the same event, between two captures of one firing. */
	add(t, &t->from, (struct record){ .pid = 5, .id = 1 }, 10, true, 0);
	add(t, &t->from, (struct record){ .pid = 5, .id = 2, .flags = 0x08 }, 11, true, 0);
	add(t, &t->to, (struct record){ .pid = 5, .id = 2, .flags = 0x08 }, 12, true, 0);
	add(t, &t->to, (struct record){ .pid = 5, .id = 1, .flags = 0x04 }, 13, true, 0);
	is_found(t, false, "", "an interrupt in between, which asks for a reschedule");

	add(t, &t->from, (struct record){ .pid = 5, .preempt_count = 1 }, 10, true, 0);
	add(t, &t->to, (struct record){ .pid = 5 }, 10, true, 0);
	is_found(t, true, "", "the preempt count of tracefs");

	/* Another task, with one firing cut off at either end. */
	for (uint32_t i = 0; i < 4; i++)
		add(t, i < 3 ? &t->from : &t->to, (struct record){ .pid = 9, .id = i }, i, false,
		    0);
	add(t, &t->to, (struct record){ .pid = 9, .id = 1 }, 1, false, 0);
	add(t, &t->to, (struct record){ .pid = 9, .id = 2 }, 2, false, 0);
	is_found(t, false, "", "firings at the ends, of a task that was there before");
}

#define NOT_KNOWN "; whether the kernel changed it in between is unknown"

static void test_differing(struct test *t)
{
	for (uint32_t i = 0; i < 3; i++) {
		add(t, &t->from, (struct record){ .pid = 5, .id = i }, i, true, 0);
		add(t, &t->to, (struct record){ .pid = 5, .id = i ? i + 10 : 0 }, i, true, 0);
	}
	is_found(t, false, "captures-differ: unknown: one and other differ in id, in 2 of 3 records"
		 NOT_KNOWN "\n"
		 "--- one\n+++ other\n@@ task 5, record 2 of 3 and 3 @@\n common_type=7\n"
		 " common_flags=0\n common_preempt_count=0\n common_pid=5\n-id=1\n+id=11\n name=abc\n",
		 "a value");

	add(t, &t->from, (struct record){ .pid = 5, .flags = 0x01 }, 10, true, 0);
	add(t, &t->to, (struct record){ .pid = 5, .preempt_count = 1 }, 10, true, 0);
	is_found(t, false, "captures-differ: unknown: one and other differ in common_flags, "
		 "common_preempt_count, in 1 of 1 records" NOT_KNOWN "\n--- one\n+++ other\n"
		 "@@ task 5, record 1 of 1 and 1 @@\n common_type=7\n-common_flags=1\n"
		 "+common_flags=0\n-common_preempt_count=0\n+common_preempt_count=1\n"
		 " common_pid=5\n id=0\n name=abc\n", "common fields");

	for (uint32_t i = 0; i < 3; i++) {
		add(t, &t->from, (struct record){ .pid = 5, .id = i }, i, true, 0);
		if (i != 1)
			add(t, &t->to, (struct record){ .pid = 5, .id = i }, i, true, 0);
	}
	is_found(t, false, "counts-differ: one has 3 records of the workload, other 2\n"
		 "--- one\n+++ other\n@@ task 5, record 2 of 3 and 2 @@\n-common_type=7\n"
		 "-common_flags=0\n-common_preempt_count=0\n-common_pid=5\n-id=1\n-name=abc\n",
		 "a record that is missing");

	add(t, &t->to, (struct record){ .pid = 5 }, 1, true, 0);
	is_found(t, false, "counts-differ: one has 0 records of the workload, other 1\n"
		 "--- one\n+++ other\n@@ task 5, record 1 of 0 and 1 @@\n+common_type=7\n"
		 "+common_flags=0\n+common_preempt_count=0\n+common_pid=5\n+id=0\n+name=abc\n",
		 "one that only the other has");

	/* Cutting off would hide it: equal numbers are compared without that. */
	for (uint32_t i = 0; i < 3; i++) {
		add(t, &t->from, (struct record){ .pid = 9, .id = i }, i, false, 0);
		add(t, &t->to, (struct record){ .pid = 9, .id = i == 1 ? 7 : i }, i, false, 0);
	}
	is_found(t, false, "captures-differ: unknown: one and other differ in id, in 1 of 3 records"
		 NOT_KNOWN "\n"
		 "--- one\n+++ other\n@@ task 9, record 2 of 3 and 3 @@\n common_type=7\n"
		 " common_flags=0\n common_preempt_count=0\n common_pid=9\n-id=1\n+id=7\n name=abc\n",
		 "of a task that was there before");
}

/*
 * Add a firing that four captures see one after the other, first ftrace, which @values are
 * the values of.
 */
static void fire(struct test *t, const uint32_t values[4], uint64_t time)
{
	struct captured *captures[] = { &t->before, &t->from, &t->to, &t->after };

	for (size_t i = 0; i < 4; i++)
		add(t, captures[i], (struct record){ .pid = 5, .id = values[i] }, 10 * time + i,
		    true, 0);
}

#define DIFF_HEAD "--- one\n+++ other\n@@ task 5, record "
#define DIFF_COMMON " @@\n common_type=7\n common_flags=0\n common_preempt_count=0\n common_pid=5\n"

static void fire_many(struct test *t, size_t number, size_t at, const uint32_t values[4])
{
	for (size_t i = 0; i < number; i++) {
		uint32_t id = i % 7;

		fire(t, i == at ? values : (uint32_t[4]){ id, id, id, id }, i);
	}
}

static void test_causes(struct test *t)
{
	/* As of a task that another CPU reaps between the two captures: EXIT_ZOMBIE, EXIT_DEAD. */
	fire_many(t, 2201, 2200, (uint32_t[]){ 32, 32, 16, 16 });
	is_found(t, false, "value-changed: kernel: one and other differ in id, "
		 "in 1 of 2201 records: the kernel changed it in between\n" DIFF_HEAD "2201 of 2201 and 2201" DIFF_COMMON
		 "-id=32\n+id=16\n name=abc\ntracefs, before all other methods:\n id=32\n"
		 "tracefs, after them:\n id=16\n", "a value that the kernel changes once");
	fire_many(t, 2201, 700, (uint32_t[]){ 32, 16, 16, 16 });
	is_found(t, false, "", "a value that changes before both captures");
	fire_many(t, 2201, 700, (uint32_t[]){ 32, 32, 16, 32 });
	is_found(t, false, "captures-differ: decoding: one and other differ in id, "
		 "in 1 of 2201 records: one of them decodes it wrong\n" DIFF_HEAD "701 of 2201 and 2201" DIFF_COMMON
		 "-id=32\n+id=16\n name=abc\ntracefs, before all other methods:\n id=32\n"
		 "tracefs, after them:\n id=32\n", "one record of thousands that one decodes wrong");
	fire_many(t, 30, 3, (uint32_t[]){ 32, 32, 77, 16 });
	is_found(t, false, "captures-differ: decoding: one and other differ in id, "
		 "in 1 of 30 records: one of them decodes it wrong\n" DIFF_HEAD "4 of 30 and 30" DIFF_COMMON
		 "-id=32\n+id=77\n name=abc\ntracefs, before all other methods:\n id=32\n"
		 "tracefs, after them:\n id=16\n", "a value that it had neither before nor after");

	for (uint32_t i = 0; i < 20; i++)
		fire(t, (uint32_t[]){ 4 * i, 4 * i + 1, 4 * i + 2, 4 * i + 3 }, i);
	is_found(t, false, "assignment-unstable: kernel: one and other differ in id, "
		 "in 20 of 20 records: the kernel changed it in between\n" DIFF_HEAD "1 of 20 and 20" DIFF_COMMON
		 "-id=1\n+id=2\n name=abc\ntracefs, before all other methods:\n id=0\n"
		 "tracefs, after them:\n id=3\n", "an assignment that differs each time");

	/* The last capture came before one of the compared ones, so it shows nothing. */
	add(t, &t->before, (struct record){ .pid = 5, .id = 1 }, 10, true, 0);
	add(t, &t->from, (struct record){ .pid = 5, .id = 1 }, 11, true, 0);
	add(t, &t->after, (struct record){ .pid = 5, .id = 1 }, 12, true, 0);
	add(t, &t->to, (struct record){ .pid = 5, .id = 2 }, 13, true, 0);
	is_found(t, false, "captures-differ: unknown: one and other differ in id, in 1 of 1 records"
		 NOT_KNOWN "\n" DIFF_HEAD "1 of 1 and 1" DIFF_COMMON "-id=1\n+id=2\n name=abc\n",
		 "captures that are not around both");
}

/* Print the results in the format @name. */
static void print_report(struct test *t, const char *name, struct strbuf *ret)
{
	const struct report_format *format = report_formats;
	char *printed = NULL;
	size_t len;
	FILE *out = open_memstream(&printed, &len);

	while (format->name && strcmp(format->name, name))
		format++;
	if (!out || !format->name || format->print(out, &t->results))
		abort();
	fclose(out);
	strbuf_addstr(ret, printed);
	free(printed);
}

/* A value that the kernel changes is reported, and is no failure. */
static void test_remarks(struct test *t)
{
	static const struct { const char *format, *has, *lacks; } want[] = {
		{ "text", "1 event checked: no findings, 1 remark\n", "error" },
		{ "ktap", "# remark: value-changed: one and other differ in id", "not ok" },
		{ "ktap", "ok 1 mydrv:event\n", "not ok" },
		{ "junit", "failures=\"0\"", "<failure" },
		{ "junit", "<system-out>one and other differ in id", "<failure" },
		{ "sarif", "\"kind\": \"informational\"", "\"level\": \"remark\"" },
		{ "json", "\"findings\": 0", "captures-differ" },
		{ "json", "\"cause\": \"kernel\"", "captures-differ" },
	};
	struct result *result = t->results.items[0];

	finding_add(&t->results, result, RULE_VALUE_CHANGED, "id", NO_PLACE,
		    "one and other differ in id");
	finding_cause(result, RULE_VALUE_CHANGED, "kernel");
	is_u64(results_count(&t->results), 0, "a remark does not count");
	for (size_t i = 0; i < sizeof(want) / sizeof(want[0]); i++) {
		_cleanup_(strbuf) struct strbuf got = STRBUF_INIT;

		print_report(t, want[i].format, &got);
		ok(strstr(strbuf_str(&got), want[i].has) &&
		   !strstr(strbuf_str(&got), want[i].lacks),
		   "a remark in %s: %.20s", want[i].format, want[i].has);
	}
	teardown(t);
	setup(t);
}

static void test_texts(struct test *t)
{
	char *kernel[] = { "id=0 name=abc\n", "id=2 name=abc", NULL };
	char *tep[] = { "id=0 name=abc", "id=1 name=abc", "id=2 name=x" };
	const struct compare_texts texts = { kernel, tep };
	const struct result *result = t->results.items[0];

	for (uint32_t i = 0; i < 3; i++)
		add(t, &t->from, (struct record){ .pid = 5, .id = i }, i, true, 0);
	captured_sort(&t->from);
	compare_text(&t->results, &t->format, &t->from, &texts);
	is_u64(result->nr, 1, "texts that differ are a finding");
	is_str(result->items[0].message,
	       "the kernel and libtraceevent, ktrace print 2 of 3 records differently", "of whom");
	is_str(result->items[0].detail, "--- the kernel\n+++ libtraceevent, ktrace\n"
	       "-id=2 name=abc\n+id=1 name=abc\n", "how");
}

static void test_tasks(void)
{
	_cleanup_(task_tree) struct task_tree tree = { 0 };

	if (!task_tree_init(&tree, 100))
		abort();
	task_tree_leave_out(&tree, 100);
	task_tree_leave_out(&tree, 90);
	task_tree_fork(&tree, 50, 51, 5);
	task_tree_fork(&tree, 100, 101, 10);
	task_tree_fork(&tree, 101, 102, 20);
	task_tree_fork(&tree, 102, 103, 25);
	task_tree_fork(&tree, 90, 91, 26);
	task_tree_exit(&tree, 102, 30);
	task_tree_exit(&tree, 101, 40);
	task_tree_exit(&tree, 51, 50);
	ok(task_tree_place(&tree, 101, 12) == TASK_INSIDE &&
	   task_tree_place(&tree, 102, 22) == TASK_INSIDE, "a child and its child");
	ok(task_tree_place(&tree, 103, 26) == TASK_OUTSIDE, "a task that did not end");
	ok(task_tree_place(&tree, 100, 26) == TASK_OUTSIDE &&
	   task_tree_place(&tree, 90, 26) == TASK_OUTSIDE, "tasks that are left out");
	ok(task_tree_place(&tree, 0, 10) == TASK_BESIDE &&
	   task_tree_place(&tree, 51, 39) == TASK_BESIDE, "others, meanwhile");
	ok(task_tree_place(&tree, 0, 9) == TASK_OUTSIDE &&
	   task_tree_place(&tree, 0, 40) == TASK_OUTSIDE, "before and after");
	is_u64(task_tree_alive(&tree), 1, "one is alive");
	ok(task_tree_place(&tree, 102, 60) == TASK_INSIDE, "a task that leaves its CPU late");
	task_tree_exit(&tree, 100, 55);
	ok(task_tree_place(&tree, 102, 54) == TASK_INSIDE &&
	   task_tree_place(&tree, 102, 60) == TASK_OUTSIDE,
	   "a task that leaves its CPU when recorders may have ended");
}

int main(void)
{
	struct test t;

	setup(&t);
	test_same(&t);
	test_differing(&t);
	test_causes(&t);
	test_remarks(&t);
	test_texts(&t);
	teardown(&t);
	test_tasks();
	return tap_done();
}
