// SPDX-License-Identifier: GPL-2.0
/*
 * Programs for the device: verified by the rules of linux/ktrace.h and run
 * over records, beside what the texts mean.
 */
#include <errno.h>
#include <fnmatch.h>
#include <stdlib.h>

#include "capture/ktrace/filter_encode.h"
#include "capture/perf/filter_match.h"
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
	"\tfield:u8 small;\toffset:8;\tsize:1;\tsigned:0;\n"
	"\tfield:s8 tiny;\toffset:9;\tsize:1;\tsigned:1;\n"
	"\tfield:s16 half;\toffset:10;\tsize:2;\tsigned:1;\n"
	"\tfield:u32 number;\toffset:12;\tsize:4;\tsigned:0;\n"
	"\tfield:long wide;\toffset:16;\tsize:8;\tsigned:1;\n"
	"\tfield:char name[8];\toffset:24;\tsize:8;\tsigned:0;\n"
	"\tfield:__data_loc char[] dyn;\toffset:32;\tsize:4;\tsigned:0;\n"
	"\tfield:__rel_loc char[] rel;\toffset:36;\tsize:4;\tsigned:0;\n"
	"\tfield:const char * where;\toffset:40;\tsize:8;\tsigned:0;\n"
	"\n"
	"print fmt: \"%d\", REC->small\n";

static struct {
	uint16_t type;
	uint8_t flags, preempt_count;
	int32_t pid;
	uint8_t small;
	int8_t tiny;
	int16_t half;
	uint32_t number;
	int64_t wide;
	char name[8];
	uint32_t dyn, rel;
	uint64_t where;
	char strings[16];
} record = {
	.type = 77, .pid = 1234, .small = 200, .tiny = -5, .half = -300,
	.number = 0xfffffff0, .wide = -7000000000LL, .name = "worker",
	.dyn = 48 | 6 << 16, .rel = (54 - 40) | 4 << 16, .strings = "hello\0abc",
};

static const struct sample sample = {
	.pid = 1230, .tid = 1234, .cpu = 3, .raw = &record, .raw_size = sizeof(record),
};

static struct formats *formats;
static const struct event_format *format;

/* The rules a kernel has for a program, from the header alone. */
static bool is_valid(const struct filter_program *p)
{
	bool reached[KTRACE_FILTER_MAX_INSNS] = { true };

	for (size_t i = 0; i < p->nr; i++) {
		const struct ktrace_filter_insn *insn = &p->insns[i];
		uint16_t targets[] = { insn->jt, insn->jf };

		if (!reached[i] || insn->reserved || insn->op < KTRACE_FILTER_EQ ||
		    insn->op > KTRACE_FILTER_GLOB)
			return false;
		for (int t = 0; t < 2; t++) {
			if (targets[t] == KTRACE_FILTER_ACCEPT ||
			    targets[t] == KTRACE_FILTER_REJECT)
				continue;
			if (targets[t] <= i || targets[t] >= p->nr)
				return false;
			reached[targets[t]] = true;
		}
		if (insn->op >= KTRACE_FILTER_STREQ &&
		    (insn->value >> 32) + (uint32_t)insn->value >= p->pool.len)
			return false;
	}
	return true;
}

static bool holds(const struct filter_program *p, const struct ktrace_filter_insn *insn)
{
	const char *base = (const char *)&record, *str = base + insn->offset;
	char text[64] = "", pattern[64] = "";
	size_t len = insn->width;
	uint32_t word;
	uint64_t value = 0;

	if (insn->op >= KTRACE_FILTER_STREQ) {
		memcpy(&word, str, sizeof(word));
		if (insn->src == KTRACE_FILTER_SRC_DATA_LOC) {
			str = base + (word & 0xffff);
			len = word >> 16;
		} else if (insn->src == KTRACE_FILTER_SRC_REL_LOC) {
			str = base + insn->offset + 4 + (word & 0xffff);
			len = word >> 16;
		} else if (insn->src == KTRACE_FILTER_SRC_FIELD) {
			str = "command";
			len = 16;
		}
		memcpy(text, str, strnlen(str, len));
		memcpy(pattern, p->pool.data + (insn->value >> 32), (uint32_t)insn->value);
		return insn->op == KTRACE_FILTER_GLOB ? !fnmatch(pattern, text, 0) :
							!strcmp(text, pattern);
	}
	if (insn->src == KTRACE_FILTER_SRC_FIELD)
		value = insn->offset == KTRACE_FIELD_CPU ? 3 :
			insn->offset == KTRACE_FIELD_TID ? 1234 : 1230;
	else
		memcpy(&value, str, insn->width);
	if (insn->flags & KTRACE_FILTER_SIGNED) {
		int shift = 64 - insn->width * 8;
		int64_t number = (int64_t)(value << shift) >> shift;

		switch (insn->op) {
		case KTRACE_FILTER_EQ:
			return number == (int64_t)insn->value;
		case KTRACE_FILTER_LT:
			return number < (int64_t)insn->value;
		case KTRACE_FILTER_GT:
			return number > (int64_t)insn->value;
		}
		return number & insn->value;
	}
	switch (insn->op) {
	case KTRACE_FILTER_EQ:
		return value == insn->value;
	case KTRACE_FILTER_LT:
		return value < insn->value;
	case KTRACE_FILTER_GT:
		return value > insn->value;
	}
	return value & insn->value;
}

static bool run(const struct filter_program *p)
{
	uint16_t at = 0;

	while (at < p->nr)
		at = holds(p, &p->insns[at]) ? p->insns[at].jt : p->insns[at].jf;
	return at == KTRACE_FILTER_ACCEPT;
}

static void selects(const char *text, bool want)
{
	_cleanup_(filter_program) struct filter_program program = { .pool = STRBUF_INIT };
	_cleanup_(filter) struct filter_node *tree = NULL;
	struct error *err = filter_parse(text, format, &tree);

	if (!err)
		err = filter_encode(tree, &program);
	if (err) {
		no_error(err, text);
		return;
	}
	ok(is_valid(&program) && run(&program) == want, "%s: %s", text, want ? "yes" : "%s: %s in the device");
	if (!filter_match_missing(tree))
		ok(filter_match(tree, &sample) == want, "%s: %s while draining", text,
		   want ? "yes" : "no");
}

static void test_comparisons(void)
{
	selects("small == 200", true);
	selects("small != 200", false);
	selects("small == 201", false);
	selects("small < 201", true);
	selects("small < 200", false);
	selects("small <= 200", true);
	selects("small <= 199", false);
	selects("small > 199", true);
	selects("small > 200", false);
	selects("small >= 200", true);
	selects("small >= 201", false);
	selects("small & 8", true);
	selects("small & 7", false);
	selects("tiny == -5", true);
	selects("tiny == 251", true);
	selects("tiny < 0", true);
	selects("tiny > -6", true);
	selects("tiny >= -4", false);
	selects("half == -300", true);
	selects("half < -299", true);
	selects("number == 4294967280", true);
	selects("number > 0x7fffffff", true);
	selects("wide == -7000000000", true);
	selects("wide < -6999999999", true);
	selects("wide > 0", false);
	selects("wide in {1, -7000000000..-6999999999}", true);
	selects("small in {1, 2, 200}", true);
	selects("small in {1, 2, 100..199}", false);
	selects("!small in {1, 2}", true);
	selects("common_pid == 1234", true);
	selects("common_type == 77", true);
	selects("cpu == 3", true);
	selects("CPU > -1", true);
	selects("CPU < -1", false);
	selects("tid == 1234", true);
	selects("pid == 1230", true);
	selects("tgid != 1230", false);
}

static void test_strings(void)
{
	selects("name == \"worker\"", true);
	selects("name == \"work\"", false);
	selects("name != \"work\"", true);
	selects("name ~ \"work*\"", true);
	selects("name ~ \"*k?r\"", true);
	selects("name ~ \"!work*\"", false);
	selects("name ~ \"!x*\"", true);
	selects("name ~ \"[v-x]orker\"", true);
	selects("dyn == \"hello\"", true);
	selects("dyn ~ \"*ll*\"", true);
	selects("dyn == \"hell\"", false);
	selects("rel == \"abc\"", true);
	selects("rel != \"abc\"", false);
	selects("name in {x, worker}", true);
	selects("comm == command", true);
	selects("COMM ~ \"comm*\"", true);
}

/* All combinations of three terms that are true (T) or false (F). */
static void test_structure(void)
{
	static const char *const shapes[] = {
		"%s && %s && %s", "%s && %s || %s", "%s || %s && %s", "%s || %s || %s",
		"(%s || %s) && %s", "%s && (%s || %s)", "!(%s && %s) || %s", "!%s && !(%s || !%s)",
		"!(!(%s || %s) && %s)",
	};

	for (size_t s = 0; s < sizeof(shapes) / sizeof(shapes[0]); s++) {
		for (int bits = 0; bits < 8; bits++) {
			bool a = bits & 1, b = bits & 2, c = bits & 4;
			bool want[] = {
				a && b && c, (a && b) || c, a || (b && c), a || b || c,
				(a || b) && c, a && (b || c), !(a && b) || c, !a && !(b || !c),
				!(!(a || b) && c),
			};
			char text[200];

			snprintf(text, sizeof(text), shapes[s], a ? "small==200" : "small==1",
				 b ? "tiny<0" : "tiny>0", c ? "name~\"w*\"" : "name~\"x*\"");
			selects(text, want[s]);
		}
	}
}

static void test_limits(void)
{
	_cleanup_(strbuf) struct strbuf text = STRBUF_INIT;
	struct filter_program program = { .pool = STRBUF_INIT };
	struct filter_node *tree = NULL;

	for (int i = 0; i <= KTRACE_FILTER_MAX_INSNS; i++)
		strbuf_addstr(&text, i ? "||small==1" : "small==1");
	no_error(filter_parse(text.data, format, &tree), "513 comparisons parse");
	is_error(filter_encode(tree, &program),
		 "The filter has 513 comparisons, and the device takes 512", "513 comparisons do not fit");
	filter_destroy(tree);

	text.data[text.len - strlen("||small==1")] = '\0';
	no_error(filter_parse(text.data, format, &tree), "512 comparisons parse");
	no_error(filter_encode(tree, &program), "512 comparisons fit");
	ok(is_valid(&program) && !run(&program), "512 comparisons run");
	filter_destroy(tree);
	filter_program_deinit(&program);

	strbuf_reset(&text);
	for (int i = 0; i < 40; i++)
		strbuf_addf(&text, "%sname~\"%0120d*\"", i ? "||" : "", 0);
	for (char *at = text.data; (at = strstr(at, "\"0")); )
		at[1] = 'x';
	no_error(filter_parse(text.data, format, &tree), "long strings parse");
	is_error(filter_encode(tree, &program),
		 "The strings of the filter take more than 4096 bytes", "long strings do not fit");
	filter_destroy(tree);

	strbuf_reset(&text);
	for (int i = 0; i < 64; i++)
		strbuf_addf(&text, "%sdyn ~ \"*a?%02d*\"", i ? "||" : "", i);
	strbuf_addstr(&text, "|| dyn ~ \"*much longer*\"");
	no_error(filter_parse(text.data, format, &tree), "many patterns parse");
	is_error(filter_encode(tree, &program), "The filter may have to look at 2720206 bytes of one "
		 "event, and the device takes 1048576: comparing with \"*much longer*\" alone "
		 "takes 98318", "many patterns are too much work");
	filter_destroy(tree);

	no_error(filter_parse("where == \"x\"", format, &tree), "a char * parses");
	is_error(filter_encode(tree, &program), "The device cannot filter on 'where': its record "
		 "holds a pointer, not the string", "a char * is not for the device");
	filter_destroy(tree);
}

int main(void)
{
	no_error(formats_create(&formats), "formats");
	no_error(formats_add(formats, "sched", format_text, strlen(format_text)), "format");
	format = formats_find(formats, 77);
	if (!ok(format != NULL, "the event"))
		return tap_done();
	test_comparisons();
	test_strings();
	test_structure();
	test_limits();
	formats_destroy(formats);
	return tap_done();
}
