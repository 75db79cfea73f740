// SPDX-License-Identifier: GPL-2.0
/*
 * Keys by which events are counted: how they are parsed, how the counts of several CPUs and
 * intervals are added up and sorted, and how they are printed.
 */
#include <stdlib.h>

#include "counts/key_counts.h"
#include "counts/key_sample.h"
#include "lib/array.h"
#include "spec/count_keys.h"
#include "table/stat/key_counts_text.h"
#include "tap.h"

static char format_text[] =
	"name: ev\n"
	"ID: 77\n"
	"format:\n"
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
	"\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n"
	"\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n"
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n"
	"\n"
	"\tfield:u8 kind;\toffset:8;\tsize:1;\tsigned:0;\n"
	"\tfield:long ret;\toffset:16;\tsize:8;\tsigned:1;\n"
	"\tfield:char name[12];\toffset:24;\tsize:12;\tsigned:0;\n"
	"\tfield:__data_loc char[] dyn;\toffset:36;\tsize:4;\tsigned:0;\n"
	"\tfield:u16 array[4];\toffset:40;\tsize:8;\tsigned:0;\n"
	"\n"
	"print fmt: \"%s %ld\", __print_symbolic(REC->kind, { 1, \"ONE\" }, { 2, \"TWO\" }), "
	"REC->ret\n";

static struct formats *formats;
static const struct event_format *format;

static void test_parsing(void)
{
	_cleanup_(count_keys) struct count_keys keys = { 0 };

	about("kind,name,comm,ret.log2");
	no_error(count_keys_add(&keys, format, "kind,name,comm,ret.log2"), "it is accepted");
	is_u64(keys.nr, 4, "it has four parts");
	is_u64(keys.key_bytes, 8 + 16 + 16 + 8, "sizes are rounded up to words");
	is_u64(keys.parts[2].offset, 24, "the parts are one behind the other");
	ok(keys.parts[2].source.common && keys.parts[2].is_text, "comm is a common field");
	ok(keys.parts[3].is_step && keys.parts[3].is_signed, ".log2 makes steps");
	is_str(keys.parts[3].name, "ret.log2", "parts are called as they were given");
	about_nothing();
}

static void test_latency(void)
{
	_cleanup_(count_keys) struct count_keys keys = { .role = COUNT_END };

	about("a latency");
	no_error(count_keys_add_pair(&keys, format, "kind,name"), "a pair is accepted");
	no_error(count_keys_add(&keys, format, "comm"), "a key beside it is accepted");
	no_error(count_keys_add_steps(&keys, format, "latency"), "its steps can be counted");
	no_error(count_keys_set_value(&keys, format, "latency"), "its sum can be counted");
	is_u64(keys.nr_pair, 2, "the pair comes first");
	is_u64(keys.pair_bytes, 24, "the pair has its own bytes");
	is_u64(keys.parts[2].offset, 0, "the key begins behind the pair");
	is_u64(keys.key_bytes, 24, "the key does not hold the pair");
	about_nothing();
}

static void was_refused(struct error *err, const char *why, const char *what)
{
	if (!ok(err && strstr(err->message, why), "'%s' is refused: %s", what, why))
		printf("# %s\n", err ? err->message : "no error");
	error_free(err);
}

static void refused(const char *text, const char *why)
{
	_cleanup_(count_keys) struct count_keys keys = { 0 };

	was_refused(count_keys_add(&keys, format, text), why, text);
}

static void test_refused(void)
{
	_cleanup_(count_keys) struct count_keys keys = { 0 };

	refused("", "missing");
	refused("kind,", "missing");
	refused(",kind", "missing");
	refused("nothing", "has no field 'nothing'");
	refused("array", "is an array");
	refused("name.log2", "is a string");
	refused("ret.squared", "There is no .squared");
	refused("latency", "has no field");
	refused("kind,kind,kind,kind,kind,kind,kind,kind,kind", "8 fields at most");
	refused("dyn,dyn,kind", "128 bytes");
	was_refused(count_keys_add_pair(&keys, format, "dyn"), "32 bytes", "a pair that is too long");
	was_refused(count_keys_set_value(&keys, format, "name"), "is a string", "a sum of strings");
	was_refused(count_keys_add_steps(&keys, format, "name"), "is a string", "steps of strings");
}

/* Whatever a user writes, it is a key or an error. */
static void test_mutations(void)
{
	static const char letters[] = "kindretamcoplgx.,2=\" ";
	unsigned int seed = 1, accepted = 0;

	for (int i = 0; i < 20000; i++) {
		_cleanup_(count_keys) struct count_keys keys = {
			.role = i % 2 ? COUNT_END : COUNT_EACH,
		};
		char text[40] = "kind,ret.log2,comm";
		struct error *err;

		for (int n = 0; n < 1 + i % 4; n++) {
			seed = seed * 1103515245 + 12345;
			text[seed >> 8 & 31] = letters[(seed >> 16) % (sizeof(letters) - 1)];
		}
		err = count_keys_add(&keys, format, text);
		accepted += !err;
		error_free(err);
	}
	ok(accepted > 100 && accepted < 19000, "%u of 20000 changed keys are accepted", accepted);
}

static const char *step_text(uint64_t step)
{
	static struct strbuf text = STRBUF_INIT;

	strbuf_deinit(&text);
	text = (struct strbuf)STRBUF_INIT;
	count_step_add_text(step, &text);
	return strbuf_str(&text);
}

static void test_steps(void)
{
	is_str(step_text(COUNT_STEP_NEGATIVE), "(..., 0)", "negative numbers have one step");
	is_str(step_text(0), "[0]", "0 has a step of its own");
	is_str(step_text(1), "[1]", "1 has a step of its own");
	is_str(step_text(2), "[2, 4)", "2 and 3 are in one step");
	is_str(step_text(11), "[1K, 2K)", "1024 is 1K");
	is_str(step_text(64), "[8E, ...)", "the last step has no end");
}

struct key {
	uint64_t kind;
	uint64_t step;
};

static void add(struct key_counts *counts, uint64_t kind, uint64_t step, uint64_t count,
		uint64_t sum, int64_t min, int64_t max)
{
	const struct key key = { kind, step };

	no_error(key_counts_add(counts, &(struct key_row){
		.key = (const char *)&key, .count = count, .sum = sum, .min = min, .max = max }),
		named("%u times %u in step %d", (int)count, (int)kind, (int)step));
}

static char *print(const struct key_counts *counts, enum stat_form form, size_t top,
		   const uint64_t *time)
{
	const struct key_layout layout = {
		.form = form, .separator = ",", .plain_digits = true, .top = top, .interval = time,
	};
	_cleanup_(key_list) struct key_list list = { 0 };
	struct strbuf text = STRBUF_INIT;

	no_error(key_counts_sort(counts, &list),
		 named("the counts are sorted for form %d%s", (int)form, time ? ", -I" : ""));
	key_counts_add_text(&layout, "sys:ev", counts->keys, &list, time, &text);
	return text.data ? text.data : strdup("");
}

static void test_table(void)
{
	_cleanup_(count_keys) struct count_keys keys = { 0 };
	_cleanup_(key_counts) struct key_counts counts = { .keys = &keys };
	_cleanup_free_ char *text = NULL, *csv = NULL, *json = NULL, *interval = NULL;
	uint64_t time = 1500000000;

	about("a table");
	no_error(count_keys_add(&keys, format, "kind,common_pid"), "its keys");
	no_error(count_keys_set_value(&keys, format, "ret"), "its value");
	add(&counts, 1, 7, 2, -3, -5, 2);
	add(&counts, 9, 7, 5, 10, 1, 3);
	/* The same key on another CPU. */
	add(&counts, 1, 7, 1, 9, 9, 9);
	text = print(&counts, STAT_FORM_TEXT, 1, NULL);
	is_str(text, " sys:ev by kind, common_pid\n\n"
	       "         count   share            sum        average          least"
	       "           most  kind, common_pid\n"
	       "             5  62.50%             10              2              1"
	       "              3  9, 7\n"
	       "             8 in 2 keys, the first 1 of which are shown (--top)\n\n",
	       "the largest count comes first");
	csv = print(&counts, STAT_FORM_CSV, 0, NULL);
	is_str(csv, "5,sys:ev,9,7,10,1,3\n3,sys:ev,ONE,7,6,-5,9\n", "as CSV");
	json = print(&counts, STAT_FORM_JSON, 0, NULL);
	is_str(json, "{\"event\": \"sys:ev\", \"key\": {\"kind\": 9, \"common_pid\": 7}, \"count\": 5, "
	       "\"sum\": 10, \"min\": 1, \"max\": 3}\n"
	       "{\"event\": \"sys:ev\", \"key\": {\"kind\": \"ONE\", \"common_pid\": 7}, \"count\": 3, "
	       "\"sum\": 6, \"min\": -5, \"max\": 9}\n", "as JSON");
	no_error(key_counts_begin_interval(&counts), "an interval begins");
	key_counts_clear(&counts);
	add(&counts, 1, 7, 3, 6, -5, 9);
	add(&counts, 9, 7, 7, 16, 1, 4);
	add(&counts, 2, 7, 1, 8, 8, 8);
	interval = print(&counts, STAT_FORM_CSV, 0, &time);
	is_str(interval, "1.500000000,2,sys:ev,9,7,6\n1.500000000,1,sys:ev,TWO,7,8\n",
	       "an interval has what came since then");
	about_nothing();
}

static void test_histogram(void)
{
	_cleanup_(count_keys) struct count_keys keys = { 0 };
	_cleanup_(key_counts) struct key_counts counts = { .keys = &keys };
	_cleanup_free_ char *text = NULL, *json = NULL;

	about("a histogram");
	no_error(count_keys_add(&keys, format, "kind"), "its keys");
	no_error(count_keys_add_steps(&keys, format, "ret"), "its steps");
	add(&counts, 1, 3, 4, 0, 0, 0);
	add(&counts, 2, 1, 1, 0, 0, 0);
	add(&counts, 1, 1, 2, 0, 0, 0);
	add(&counts, 1, COUNT_STEP_NEGATIVE, 1, 0, 0, 0);
	text = print(&counts, STAT_FORM_TEXT, 1, NULL);
	is_str(text, " sys:ev by kind: histogram of ret\n\n"
	       " ONE: 7\n"
	       " (..., 0)                    1 |@@@@@@@@@@                              |\n"
	       " [0]                         0 |                                        |\n"
	       " [1]                         2 |@@@@@@@@@@@@@@@@@@@@                    |\n"
	       " [2, 4)                      0 |                                        |\n"
	       " [4, 8)                      4 |@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@|\n"
	       "             8 in 2 histograms, the first 1 of which are shown (--top)\n\n",
	       "the steps between have bars, too");
	json = print(&counts, STAT_FORM_JSON, 0, NULL);
	is_str(json, "{\"event\": \"sys:ev\", \"key\": {\"kind\": \"ONE\", \"ret\": [null, 0]}, \"count\": 1}\n"
	       "{\"event\": \"sys:ev\", \"key\": {\"kind\": \"ONE\", \"ret\": [1, 2]}, \"count\": 2}\n"
	       "{\"event\": \"sys:ev\", \"key\": {\"kind\": \"ONE\", \"ret\": [4, 8]}, \"count\": 4}\n"
	       "{\"event\": \"sys:ev\", \"key\": {\"kind\": \"TWO\", \"ret\": [1, 2]}, \"count\": 1}\n",
	       "as JSON, with the bounds of steps");
	about_nothing();
}

static void test_starts(void)
{
	_cleanup_(count_keys) struct count_keys keys = { .role = COUNT_START, .entries = 2 };
	_cleanup_(key_starts) struct key_starts starts = { 0 };
	/* The kinds that begin (put) and end, and what is then to be said of them. */
	static const struct {
		char kind;
		bool put, want, want_room;
		const char *what;
	} steps[] = {
		{ 1, true, false, true, "a pair begins" },
		{ 1, true, true, true, "it begins again before its end" },
		{ 2, true, false, true, "another one begins" },
		{ 3, true, false, false, "there is no room for a third one" },
		{ 1, false, true, true, "the first one ends" },
		{ 1, false, false, true, "it has no second end" },
		{ 1, true, false, true, "it begins once more, after its end" },
		{ 3, true, false, false, "that takes the room" },
	};
	char raw[48] = { 0 };
	struct session_record r = { .sample = { .raw = raw, .raw_size = sizeof(raw) } };

	about("starts");
	no_error(count_keys_add_pair(&keys, format, "kind"), "their pair");
	for (size_t i = 0; i < ARRAY_SIZE(steps); i++) {
		bool got = false, room = true;
		uint64_t latency = 100;

		about("starts: %s", steps[i].what);

		raw[8] = steps[i].kind;
		r.sample.time += 100;
		if (steps[i].put)
			no_error(key_starts_put(&starts, &keys, &r, &got, &room), "it is put in");
		else
			got = key_starts_take(&starts, &keys, &r, &latency);
		is_u64(got, steps[i].want, "whether the pair had begun");
		is_u64(room, steps[i].want_room, "whether there is room");
		is_u64(latency, i == 4 ? 300 : 100, "the time since the last start");
	}
	about_nothing();
}

int main(void)
{
	no_error(formats_create(&formats), "the formats");
	no_error(formats_add(formats, "sys", format_text, strlen(format_text)), "the format");
	format = formats_find(formats, 77);
	if (!ok(format, "it is found"))
		return tap_done();
	test_parsing();
	test_latency();
	test_refused();
	test_mutations();
	test_steps();
	test_table();
	test_histogram();
	test_starts();
	formats_destroy(formats);
	return tap_done();
}
