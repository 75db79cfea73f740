// SPDX-License-Identifier: GPL-2.0
#include <stdlib.h>

#include "capture/perf/filter_text.h"
#include "spec/filter_expr.h"
#include "tap.h"

/* One field of every kind a filter meets. */
static char format_text[] =
	"name: ev\n"
	"ID: 77\n"
	"format:\n"
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
	"\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n"
	"\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n"
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n"
	"\n"
	"\tfield:u8 small;\toffset:8;\tsize:1;\tsigned:0;\n"
	"\tfield:s8 tiny;\toffset:9;\tsize:1;\tsigned:1;\n"
	"\tfield:u32 number;\toffset:12;\tsize:4;\tsigned:0;\n"
	"\tfield:long wide;\toffset:16;\tsize:8;\tsigned:1;\n"
	"\tfield:u64 huge;\toffset:24;\tsize:8;\tsigned:0;\n"
	"\tfield:char name[16];\toffset:32;\tsize:16;\tsigned:0;\n"
	"\tfield:__data_loc char[] dyn;\toffset:48;\tsize:4;\tsigned:0;\n"
	"\tfield:__rel_loc char[] rel;\toffset:52;\tsize:4;\tsigned:0;\n"
	"\tfield:u32 row[4];\toffset:56;\tsize:16;\tsigned:0;\n"
	"\tfield:const char * where;\toffset:72;\tsize:8;\tsigned:0;\n"
	"\tfield:unsigned int vec;\toffset:80;\tsize:4;\tsigned:0;\n"
	"\n"
	"print fmt: \"vec=%s\", __print_symbolic(REC->vec, { 0, \"HI\" }, { 1, \"TIMER\" })\n";

static struct formats *formats;
static const struct event_format *format;

/* The tree in the words of ftrace, which the kernel itself is given. */
static void means(const char *text, const char *want)
{
	_cleanup_(filter) struct filter_node *tree = NULL;
	_cleanup_(strbuf) struct strbuf out = STRBUF_INIT;
	struct error *err = filter_parse(text, format, &tree);

	if (err) {
		no_error(err, text);
		return;
	}
	if (!filter_text(tree, &out)) {
		strbuf_reset(&out);
		strbuf_addstr(&out, "(no words)");
	}
	about("filter");
	is_str(strbuf_str(&out), want, text);
	about_nothing();
}

static void fails(const char *text, const char *message)
{
	struct filter_node *tree = NULL;

	is_error(filter_parse(text, format, &tree), message, *text ? text : "(empty)");
	filter_destroy(tree);
}

static void test_meaning(void)
{
	means("small == 1", "small == 0x1");
	means("small==0x10", "small == 0x10");
	means("small == 010", "small == 0x8");
	means("  tiny  <= -1  ", "tiny <= -1");
	means("tiny == 255", "tiny == -1");
	means("number != 4294967295", "number != 0xffffffff");
	means("wide < -9223372036854775808", "wide < -9223372036854775808");
	means("huge > 18446744073709551615", "huge > 0xffffffffffffffff");
	means("huge & 0x80", "huge & 0x80");
	means("number == 'a'", "number == 0x61");
	means("vec == TIMER", "vec == 0x1");
	means("name == \"it's\"", "name == \"it's\"");
	means("name == '\"'", "name == '\"'");
	means("name ~ 'ab*'", "name ~ \"ab*\"");
	means("name == word", "name == \"word\"");
	means("dyn != \"\"", "dyn != \"\"");
	means("rel ~ \"*x?\"", "rel ~ \"*x?\"");
	means("where == \"x\"", "where == \"x\"");
	means("common_pid == 1", "common_pid == 1");
	means("cpu == 1", "CPU == 1");
	means("CPU > -1", "CPU > -1");
	means("comm ~ \"a*\"", "COMM ~ \"a*\"");
	means("tid == 5", "common_pid == 5");
	means("tgid == 5", "(no words)");
	means("pid == 5", "(no words)");
	means("small == 1 && uid == 0", "(no words)");
}

static void test_structure(void)
{
	means("small==1 && tiny==2 || huge==3",
	      "((small == 0x1 && tiny == 2) || huge == 0x3)");
	means("small==1 || tiny==2 && huge==3",
	      "(small == 0x1 || (tiny == 2 && huge == 0x3))");
	means("(small==1||tiny==2)&&huge==3",
	      "((small == 0x1 || tiny == 2) && huge == 0x3)");
	means("!small==1 && tiny==2", "(!(small == 0x1) && tiny == 2)");
	means("!(small==1 && tiny==2)", "!((small == 0x1 && tiny == 2))");
	means("!!small==1", "!(!(small == 0x1))");
	means("((((small==1))))", "small == 0x1");
	means("small==1&&small==2&&small==3",
	      "((small == 0x1 && small == 0x2) && small == 0x3)");
	means("small & 1 && tiny & 2", "(small & 0x1 && tiny & 2)");
}

static void test_in(void)
{
	means("small in {1}", "small == 0x1");
	means("small in { 1 , 2,3 }", "((small == 0x1 || small == 0x2) || small == 0x3)");
	means("small in 1", "small == 0x1");
	means("tiny in -5..5", "(tiny >= -5 && tiny <= 5)");
	means("small in {1, 3..0x5, 9}",
	      "((small == 0x1 || (small >= 0x3 && small <= 0x5)) || small == 0x9)");
	means("vec in {HI, TIMER} && !small in {1,2}",
	      "((vec == 0x0 || vec == 0x1) && !((small == 0x1 || small == 0x2)))");
	means("comm in {\"a\", b}", "(COMM == \"a\" || COMM == \"b\")");
	means("cpu in 1..3", "(CPU >= 1 && CPU <= 3)");
	fails("small in", "A number is missing:\n    small in\n            ^ here");
	fails("small in {", "A number is missing:\n    small in {\n              ^ here");
	fails("small in {}", "A number is missing:\n    small in {}\n              ^ here");
	fails("small in {1,}", "A number is missing:\n    small in {1,}\n                ^ here");
	fails("small in {1", "This '{' is not closed:\n    small in {1\n             ^ here");
	fails("small in {1 2}", "Expected ',' or '}':\n    small in {1 2}\n                ^ here");
	fails("small in {1..}", "A number is missing:\n    small in {1..}\n                 ^ here");
	fails("small in {1,300}", "The number does not fit into 'small':\n"
	      "    small in {1,300}\n                ^ here");
	fails("name in {a..b}", "Expected ',' or '}':\n    name in {a..b}\n              ^ here");
	fails("small inn 1", "An operator is missing:\n    small inn 1\n          ^ here");
}

static void test_errors(void)
{
	fails("", "A field name is missing:\n    \n    ^ here");
	fails("small", "An operator is missing:\n    small\n         ^ here");
	fails("small = 1", "An operator is missing:\n    small = 1\n          ^ here");
	fails("small && tiny", "An operator is missing:\n    small && tiny\n          ^ here");
	fails("small ==", "A number is missing:\n    small ==\n            ^ here");
	fails("small == -1", "The field is unsigned and never negative:\n"
	      "    small == -1\n             ^ here");
	fails("small == 256", "The number does not fit into 'small':\n"
	      "    small == 256\n             ^ here");
	fails("huge == 18446744073709551616", "This is not a number of at most 64 bits:\n"
	      "    huge == 18446744073709551616\n            ^ here");
	fails("wide == 9223372036854775808", "The number does not fit into 64 bits with a sign:\n"
	      "    wide == 9223372036854775808\n            ^ here");
	fails("tiny == 0xffffffffffffff80", "The number does not fit into 64 bits with a sign:\n"
	      "    tiny == 0xffffffffffffff80\n            ^ here");
	fails("small == 12x", "This is not a number of at most 64 bits:\n"
	      "    small == 12x\n             ^ here");
	fails("small == \"a\"", "A string cannot be compared with a number:\n"
	      "    small == \"a\"\n             ^ here");
	fails("vec == SOFT", "A number is missing:\n    vec == SOFT\n           ^ here");
	fails("small ~ \"a\"", "'~' compares strings, but this field is a number:\n"
	      "    small ~ \"a\"\n          ^ here");
	fails("name < \"a\"", "'<' compares numbers, but this field is a string:\n"
	      "    name < \"a\"\n         ^ here");
	fails("name == \"a", "The string does not end:\n    name == \"a\n            ^ here");
	fails("name == ", "A string is missing:\n    name == \n            ^ here");
	fails("name == \"12345678901234567\"", "The string is longer than 'name', which holds "
	      "16 bytes:\n    name == \"12345678901234567\"\n            ^ here");
	fails("name ~ \"7z*\"", "A pattern cannot begin with a digit:\n"
	      "    name ~ \"7z*\"\n           ^ here");
	fails("row == 1", "'row' is an array (u32[4]) and cannot be filtered on:\n"
	      "    row == 1\n    ^ here");
	fails("smal == 1", "sched:ev has no field 'smal':\n    smal == 1\n    ^ here");
	fails("(small == 1", "This '(' is not closed:\n    (small == 1\n    ^ here");
	fails("small == 1)", "This ')' closes nothing:\n    small == 1)\n              ^ here");
	fails("small == 1 tiny == 2", "Expected && or || or the end:\n"
	      "    small == 1 tiny == 2\n               ^ here");
	fails("(small == 1 tiny == 2)", "Expected && or || or ')':\n"
	      "    (small == 1 tiny == 2)\n                ^ here");
	fails("small == 1 &&", "A field name is missing:\n    small == 1 &&\n                 ^ here");
	fails("small == 1 & tiny == 2", "As in C, comparisons are made before this '&':\n"
	      "    small == 1 & tiny == 2\n               ^ here");
	fails("small & 7 == 3", "As in C, comparisons are made before this '&':\n"
	      "    small & 7 == 3\n          ^ here");
	fails("small | 7 > 3", "As in C, comparisons are made before this '|':\n"
	      "    small | 7 > 3\n          ^ here");
}

static void test_arithmetic(void)
{
	means("small + 1 > tiny", "(no words)");
	means("small > tiny", "(no words)");
	means("200 > small", "small < 0xc8");
	means("200 >= small && 1 == tiny", "(small <= 0xc8 && tiny == 1)");
	means("8 & small", "small & 0x8");
	means("number == 60 * 60 + 0x10", "number == 0xe20");
	means("small & ~7", "small & 0xf8");
	means("tiny == -(3 - 5)", "tiny == 2");
	means("tiny in {-2 * 3, 1 << 3}", "(tiny == -6 || tiny == 8)");
	means("vec == TIMER + 1", "vec == 0x2");
	fails("small +", "A number is missing:\n    small +\n           ^ here");
	fails("small + 1", "An operator is missing:\n    small + 1\n             ^ here");
	fails("(small + 1 > 2", "This '(' is not closed:\n    (small + 1 > 2\n    ^ here");
	fails("(small > 2) + 1 > 2", "A comparison is not a number:\n"
	      "    (small > 2) + 1 > 2\n           ^ here");
	fails("small > nume", "sched:ev has no field 'nume':\n    small > nume\n            ^ here");
	fails("small + name > 2", "'name' is a string, and arithmetic takes numbers:\n"
	      "    small + name > 2\n            ^ here");
	fails("name + 1 == 2", "'name' is a string, and arithmetic takes numbers:\n"
	      "    name + 1 == 2\n    ^ here");
	fails("-comm == 2", "'comm' is a string, and arithmetic takes numbers:\n"
	      "    -comm == 2\n     ^ here");
	fails("small == name", "A string cannot be compared with a number:\n"
	      "    small == name\n             ^ here");
	fails("name == dyn", "'dyn' is a field, and two strings of an event cannot be compared:\n"
	      "    name == dyn\n            ^ here");
	fails("small + \"a\" > 2", "A string cannot be compared with a number:\n"
	      "    small + \"a\" > 2\n            ^ here");
	fails("small + row > 2", "'row' is an array (u32[4]) and cannot be filtered on:\n"
	      "    small + row > 2\n            ^ here");
	fails("small / 0 > 2", "A division by 0 has no result:\n"
	      "    small / 0 > 2\n            ^ here");
	fails("small % (2 - 2) > 2", "A division by 0 has no result:\n"
	      "    small % (2 - 2) > 2\n             ^ here");
	fails("small << 64 > 2", "A shift is by 0 to 63 bits:\n"
	      "    small << 64 > 2\n             ^ here");
	fails("small >> -1 > 2", "A shift is by 0 to 63 bits:\n"
	      "    small >> -1 > 2\n             ^ here");
	fails("huge == 0xffffffffffffffff + 1", "The result does not fit into 64 bits:\n"
	      "    huge == 0xffffffffffffffff + 1\n                               ^ here");
	fails("huge == 1 << 63 << 1", "The result does not fit into 64 bits:\n"
	      "    huge == 1 << 63 << 1\n                    ^ here");
	fails("huge == 0xffffffffffffffff * 0xffffffffffffffff", "The result does not fit into 64 bits:\n"
	      "    huge == 0xffffffffffffffff * 0xffffffffffffffff\n"
	      "                               ^ here");
	fails("small == 250 + 6", "The number does not fit into 'small':\n"
	      "    small == 250 + 6\n             ^ here");
	fails("small + 1 > 18446744073709551615", "The number does not fit into 64 bits with a sign:\n"
	      "    small + 1 > 18446744073709551615\n                ^ here");
	fails("huge + 1 > -1", "The value is unsigned and never negative:\n"
	      "    huge + 1 > -1\n               ^ here");
	fails("tiny == -18446744073709551615", "The number does not fit into 64 bits with a sign:\n"
	      "    tiny == -18446744073709551615\n            ^ here");
	fails("1 == 1", "This comparison has no field:\n    1 == 1\n    ^ here");
	fails("small + 1 in {1}", "An operator is missing:\n"
	      "    small + 1 in {1}\n              ^ here");
	fails("small in {tiny}", "A number is missing:\n    small in {tiny}\n              ^ here");
}

static void test_hints(void)
{
	struct filter_node *tree = NULL;
	struct error *err;

	err = filter_parse("smal == 1", format, &tree);
	is_str(err->hint, "Did you mean 'small'? Its fields are: small, tiny, number, wide, huge, "
	       "name, dyn, rel, row, where, vec", "a near field is named, and all");
	error_free(err);
	err = filter_parse("preempt_count == 1", format, &tree);
	ok(!strncmp(err->hint, "Did you mean 'common_preempt_count'?", 36),
	   "a field that all events have is named with the beginning of its name");
	error_free(err);
	err = filter_parse("vec == SOFT", format, &tree);
	is_str(err->hint, "Write a number, or one of the names of 'vec': HI, TIMER", "the names of values");
	error_free(err);
	err = filter_parse("name ~ \"7z*\"", format, &tree);
	is_str(err->hint, "The kernel would take its * ? [ literally; write \"[7]z*\"",
	       "the hint has the replacement");
	error_free(err);
}

/* The cost of a text is bounded. */
static void test_bounds(void)
{
	_cleanup_(strbuf) struct strbuf text = STRBUF_INIT;
	struct filter_node *tree = NULL;
	struct error *err;

	for (int i = 0; i < 100000; i++)
		strbuf_addch(&text, '(');
	err = filter_parse(text.data, format, &tree);
	ok(err && !strncmp(err->message, "The filter is nested too deeply", 29), "nesting");
	error_free(err);
	strbuf_reset(&text);
	for (int i = 0; i < 100000; i++)
		strbuf_addch(&text, '!');
	err = filter_parse(text.data, format, &tree);
	ok(err && !strncmp(err->message, "The filter is nested too deeply", 29), "negation");
	error_free(err);
	strbuf_reset(&text);
	for (int i = 0; i < 100000; i++)
		strbuf_addch(&text, '-');
	err = filter_parse(text.data, format, &tree);
	ok(err && !strncmp(err->message, "The filter is nested too deeply", 31), "signs");
	error_free(err);
	strbuf_reset(&text);
	for (int i = 0; i < 100000; i++)
		strbuf_addstr(&text, i ? "+small" : "small");
	err = filter_parse(text.data, format, &tree);
	ok(err && !strncmp(err->message, "The filter is too long", 22), "sums");
	error_free(err);
	strbuf_reset(&text);
	for (int i = 0; i < 5000; i++)
		strbuf_addstr(&text, i ? "&&small==1" : "small==1");
	err = filter_parse(text.data, format, &tree);
	ok(err && !strncmp(err->message, "The filter is too long", 22), "length");
	error_free(err);
	text.data[10 * 300 - 2] = '\0';
	no_error(filter_parse(text.data, format, &tree), "300 terms are fine");
	filter_destroy(tree);
}

/* Every prefix and every single damage of a text either parses or is refused. */
static void test_damage(void)
{
	static const char whole[] =
		"!(small >= 1 && name ~ \"a*\") || vec - 1 << 2 == TIMER && (tiny ^ 3) & 0x7f";
	static const char bytes[] = "\0()!&|=<>~\"'x0+-*/% \xff";
	size_t parsed = 0, refused = 0;

	for (size_t at = 0; at < sizeof(whole) - 1; at++) {
		for (size_t b = 0; b < sizeof(bytes) - 1; b++) {
			char text[sizeof(whole)];
			struct filter_node *tree = NULL;
			struct error *err;

			memcpy(text, whole, sizeof(whole));
			text[at] = bytes[b];
			err = filter_parse(text, format, &tree);
			parsed += !err;
			refused += err != NULL;
			error_free(err);
			filter_destroy(tree);
		}
	}
	ok(parsed > 50 && refused > 500, "damaged texts: %zu parsed, %zu refused", parsed, refused);
}

int main(void)
{
	no_error(formats_create(&formats), "formats");
	no_error(formats_add(formats, "sched", format_text, strlen(format_text)), "format");
	format = formats_find(formats, 77);
	if (!ok(format != NULL, "the event"))
		return tap_done();
	test_meaning();
	test_structure();
	test_in();
	test_errors();
	test_arithmetic();
	test_hints();
	test_bounds();
	test_damage();
	formats_destroy(formats);
	return tap_done();
}
