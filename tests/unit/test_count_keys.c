// SPDX-License-Identifier: GPL-2.0
/*
 * Keys by which events are counted: how they are parsed, how the counts of several CPUs and
 * intervals are added up and sorted, and how they are printed.
 */
#include <stdlib.h>

#include "counts/key_counts.h"
#include "counts/key_sample.h"
#include "counts/key_stacks.h"
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

/* A value of the start event is a part of its keys, and of the end's. */
static void test_parts_of_start(void)
{
	_cleanup_(count_keys) struct count_keys start = { .role = COUNT_START };
	_cleanup_(count_keys) struct count_keys end = {
		.role = COUNT_END, .start_keys = &start, .start_format = format,
	};

	about("start.kstack,comm,start.ret.log2");
	no_error(count_keys_add_pair(&start, format, "kind"), "the pair of the start");
	no_error(count_keys_add_pair(&end, format, "kind"), "the pair of the end");
	no_error(count_keys_add(&end, format, "start.kstack,comm,start.ret.log2"), "it is accepted");
	no_error(count_keys_set_value(&end, format, "start.ret"), "a value of the start is accepted");
	is_u64(end.nr, 4, "the end has four parts");
	is_u64(start.nr, 4, "the start keeps three");
	is_u64(start.key_bytes, 24, "they take the bytes of the start's key");
	is_u64(end.key_bytes, 8 + 16 + 8, "the end has those of its own key");
	ok(end.parts[1].source.of_start && end.parts[1].source.chain == COUNT_KERNEL &&
	   end.parts[1].source.start_part == 1, "the chain is the first part that the start keeps");
	ok(end.parts[3].is_step && end.parts[3].is_signed, "steps are as the start made them");
	is_u64(end.value.source.start_part, 3, "the value comes last");
	is_str(end.parts[3].name, "start.ret.log2", "the parts of the end are called as they were given");
	is_str(start.parts[1].name, "kstack", "those of the start have their own names");
	ok(count_keys_have_chains(&start) && count_keys_have_chains(&end) &&
	   count_keys_have_start(&end) && !count_keys_have_start(&start), "their chains and starts are known");
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
	refused("kstack.log2", "is a call chain");
	refused("start.kind", "events that have a start");
	was_refused(count_keys_set_value(&keys, format, "ustack"), "is a call chain", "a sum of chains");
	refused("kind,kind,kind,kind,kind,kind,kind,kind,kind", "8 fields at most");
	refused("dyn,dyn,kind", "128 bytes");
	was_refused(count_keys_add_pair(&keys, format, "dyn"), "32 bytes", "a pair that is too long");
	was_refused(count_keys_set_value(&keys, format, "name"), "is a string", "a sum of strings");
	was_refused(count_keys_add_steps(&keys, format, "name"), "is a string", "steps of strings");
}

/* Every text is a key or an error. */
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
	       "             8 in 2 keys; the first 1 are shown (--top)\n\n",
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
	       "an interval has the counts since then");
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
	       "             8 in 2 histograms; the first 1 are shown (--top)\n\n",
	       "the steps between have bars, too");
	json = print(&counts, STAT_FORM_JSON, 0, NULL);
	is_str(json, "{\"event\": \"sys:ev\", \"key\": {\"kind\": \"ONE\", \"ret\": [null, 0]}, \"count\": 1}\n"
	       "{\"event\": \"sys:ev\", \"key\": {\"kind\": \"ONE\", \"ret\": [1, 2]}, \"count\": 2}\n"
	       "{\"event\": \"sys:ev\", \"key\": {\"kind\": \"ONE\", \"ret\": [4, 8]}, \"count\": 4}\n"
	       "{\"event\": \"sys:ev\", \"key\": {\"kind\": \"TWO\", \"ret\": [1, 2]}, \"count\": 1}\n",
	       "as JSON, with the bounds of steps");
	about_nothing();
}

/* Two stacks of three frames. */
static uint32_t inner_first[] = { 0, 1, 2 }, alone[] = { 2 };
static struct key_frame frames[] = {
	{ .symbol = "leaf;x", .binary = "prog", .address = 16, .id = { { 0xab }, 1 } },
	{ .binary = "lib.so", .address = 0x20 },
	{ .address = 0x30 },
};
static struct key_stack some_stacks[] = { { inner_first, 3 }, { alone, 1 } };
static const struct key_stacks stacks = {
	.frames = { frames, ARRAY_SIZE(frames), 0 }, .stacks = { some_stacks, 2, 0 },
};

static char *print_stacks(const struct key_counts *counts, enum stat_form form, bool open)
{
	const struct key_layout layout = {
		.form = form, .separator = ",", .plain_digits = true, .stacks = &stacks,
		.chains = 7, .open = open,
	};
	_cleanup_(key_list) struct key_list list = { 0 };
	struct strbuf text = STRBUF_INIT;
	static int texts;

	no_error(key_counts_sort(counts, &list), named("the counts of text %d are sorted", ++texts));
	key_counts_add_text(&layout, "sys:ev", counts->keys, &list, NULL, &text);
	return text.data ? text.data : strdup("");
}

static void test_stacks(void)
{
	_cleanup_(count_keys) struct count_keys keys = { 0 };
	_cleanup_(key_counts) struct key_counts counts = { .keys = &keys };
	_cleanup_free_ char *text = NULL, *csv = NULL, *json = NULL, *folded = NULL, *open = NULL;

	about("stacks");
	no_error(count_keys_add(&keys, format, "ustack,kind"), "their keys");
	add(&counts, 1, 1, 2, 0, 0, 0);
	add(&counts, 2, 2, 1, 0, 0, 0);
	add(&counts, KEY_STACK_NONE, 9, 3, 0, 0, 0);
	add(&counts, KEY_STACK_UNNAMED, 9, 4, 0, 0, 0);
	text = print_stacks(&counts, STAT_FORM_TEXT, false);
	is_str(text, " sys:ev by ustack, kind\n\n"
	       "         count   share  kind\n"
	       "             4  40.00%  9\n"
	       "                        ustack\n"
	       "                          [not named yet]\n"
	       "             3  30.00%  9\n"
	       "                        ustack\n"
	       "                          [none]\n"
	       "             2  20.00%  ONE\n"
	       "                        ustack\n"
	       "                          leaf;x (prog)\n"
	       "                          lib.so+0x20\n"
	       "                          0x30\n"
	       "             1  10.00%  TWO\n"
	       "                        ustack\n"
	       "                          0x30\n"
	       "            10 in 4 keys of 7 call chains\n\n",
	       "chains are below their keys, the innermost function first");
	csv = print_stacks(&counts, STAT_FORM_CSV, true);
	is_str(csv, "4,sys:ev open,[not named yet],9\n3,sys:ev open,[none],9\n"
	       "2,sys:ev open,0x30;lib.so+0x20;leaf:x,ONE\n1,sys:ev open,0x30,TWO\n",
	       "as CSV, the outermost function first");
	json = print_stacks(&counts, STAT_FORM_JSON, false);
	ok(strstr(json, "{\"ustack\": null, \"kind\": 9}, \"count\": 4}\n") &&
	   strstr(json, "{\"ustack\": [], \"kind\": 9}, \"count\": 3}\n") &&
	   strstr(json, "{\"ustack\": [{\"symbol\": \"leaf;x\", \"binary\": \"prog\", \"address\": 16, "
		  "\"build-id\": \"ab\"}, {\"symbol\": null, \"binary\": \"lib.so\", \"address\": 32}, "
		  "{\"symbol\": null, \"binary\": null, \"address\": 48}], \"kind\": \"ONE\"}, "
		  "\"count\": 2}\n"), "as JSON, with files, offsets and build ids");
	folded = print_stacks(&counts, STAT_FORM_FOLDED, false);
	is_str(folded, "9;[not named yet] 4\n9 3\nONE;0x30;lib.so+0x20;leaf:x 2\nTWO;0x30 1\n",
	       "as lines for flame graphs");
	open = print_stacks(&counts, STAT_FORM_FOLDED, true);
	is_str(open, "[open];9;[not named yet] 4\n[open];9 3\n[open];ONE;0x30;lib.so+0x20;leaf:x 2\n"
	       "[open];TWO;0x30 1\n", "those without an end are apart");
	/* A key without a name in the last interval is counted by its name now. */
	no_error(key_counts_begin_interval(&counts), "an interval begins");
	key_counts_clear(&counts);
	add(&counts, 1, 1, 7, 0, 0, 0);
	free(folded);
	folded = print_stacks(&counts, STAT_FORM_FOLDED, false);
	is_str(folded, "ONE;0x30;lib.so+0x20;leaf:x 5\n", "a key that got a name is below it then");
	about_nothing();
}

/* Sums say more than counts where both differ. */
static void test_sums_of_stacks(void)
{
	_cleanup_(count_keys) struct count_keys keys = { .role = COUNT_END };
	_cleanup_(key_counts) struct key_counts counts = { .keys = &keys };
	_cleanup_free_ char *folded = NULL;

	about("sums of stacks");
	no_error(count_keys_add(&keys, format, "ustack,kind"), "their keys");
	no_error(count_keys_set_value(&keys, format, "latency"), "their value");
	add(&counts, 2, 2, 5, 10, 1, 3);
	add(&counts, 1, 1, 2, 100, 50, 50);
	folded = print_stacks(&counts, STAT_FORM_FOLDED, false);
	is_str(folded, "ONE;0x30;lib.so+0x20;leaf:x 100\nTWO;0x30 10\n",
	       "the largest sum comes first, and is the number of the line");
	about_nothing();
}

static void test_starts(void)
{
	_cleanup_(count_keys) struct count_keys keys = { .role = COUNT_START, .entries = 2 };
	_cleanup_(key_starts) struct key_starts starts = { 0 };
	/* The kinds that begin (put) and end, and the expected results. */
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
	test_parts_of_start();
	test_refused();
	test_mutations();
	test_steps();
	test_table();
	test_histogram();
	test_stacks();
	test_sums_of_stacks();
	test_starts();
	formats_destroy(formats);
	return tap_done();
}
