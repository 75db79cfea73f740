// SPDX-License-Identifier: GPL-2.0
/*
 * Programs for the device: verified by the rules of linux/ktrace.h and run over records, beside the
 * meanings of the texts.
 */
#include <errno.h>
#include <fnmatch.h>
#include <stdarg.h>
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
	"\tfield:u64 big;\toffset:64;\tsize:8;\tsigned:0;\n"
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
	uint64_t big;
} record = {
	.type = 77, .pid = 1234, .small = 200, .tiny = -5, .half = -300,
	.number = 0xfffffff0, .wide = -7000000000LL, .name = "worker",
	.dyn = 48 | 6 << 16, .rel = (54 - 40) | 4 << 16, .strings = "hello\0abc",
	.big = 0x8000000000000007,
};

_Static_assert(offsetof(typeof(record), big) == 64, "as in the format");

static const struct sample sample = {
	.pid = 1230, .tid = 1234, .cpu = 3, .raw = &record, .raw_size = sizeof(record),
};

static struct formats *formats;
static const struct event_format *format;

/* The rules a kernel has for a program, from the header alone. */
static bool is_valid(const struct filter_program *p)
{
	bool reached[KTRACE_FILTER_MAX_INSNS] = { true };
	/* Of the registers and, behind them, the accumulator. */
	unsigned int set[KTRACE_FILTER_MAX_INSNS], reads;
	const unsigned int all = 1 << KTRACE_FILTER_REGISTERS;

	for (size_t i = 0; i < p->nr; i++)
		set[i] = i ? ~0U : 0;

	for (size_t i = 0; i < p->nr; i++) {
		const struct ktrace_filter_insn *insn = &p->insns[i];
		uint16_t targets[] = { insn->jt, insn->jf };

		if (!reached[i] || insn->reserved || insn->op < KTRACE_FILTER_EQ ||
		    insn->op > KTRACE_FILTER_ACC_BAND)
			return false;
		if (insn->op >= KTRACE_FILTER_LOAD) {
			reads = insn->op == KTRACE_FILTER_LOAD ? 0 : all;
			if (insn->src == KTRACE_FILTER_SRC_REGISTER) {
				if (insn->offset >= KTRACE_FILTER_REGISTERS)
					return false;
				if (insn->op != KTRACE_FILTER_STORE)
					reads |= 1 << insn->offset;
			}
			if (reads & ~set[i] ||
			    (insn->value && insn->src != KTRACE_FILTER_SRC_VALUE))
				return false;
			set[i] |= insn->op == KTRACE_FILTER_STORE ? 1U << insn->offset : all;
		}
		for (int t = 0; t < 2; t++) {
			if (targets[t] == KTRACE_FILTER_ACCEPT ||
			    targets[t] == KTRACE_FILTER_REJECT)
				continue;
			if (targets[t] <= i || targets[t] >= p->nr)
				return false;
			reached[targets[t]] = true;
			set[targets[t]] &= set[i];
		}
		if ((insn->op == KTRACE_FILTER_STREQ || insn->op == KTRACE_FILTER_GLOB) &&
		    (insn->value >> 32) + (uint32_t)insn->value >= p->pool.len)
			return false;
	}
	return true;
}

static uint64_t accumulator, registers[KTRACE_FILTER_REGISTERS];

static uint64_t load(const struct ktrace_filter_insn *insn)
{
	int shift = 64 - insn->width * 8;
	uint64_t value = 0;

	switch (insn->src) {
	case KTRACE_FILTER_SRC_REGISTER:
		return registers[insn->offset];
	case KTRACE_FILTER_SRC_VALUE:
		return insn->value;
	case KTRACE_FILTER_SRC_FIELD:
		value = insn->offset == KTRACE_FIELD_CPU ? 3 :
			insn->offset == KTRACE_FIELD_TID ? 1234 : 1230;
		break;
	default:
		memcpy(&value, (const char *)&record + insn->offset, insn->width);
	}
	return insn->flags & KTRACE_FILTER_SIGNED ? (uint64_t)((int64_t)(value << shift) >> shift) :
						    value;
}

/* Does it go on at jt? */
static bool step(const struct ktrace_filter_insn *insn)
{
	bool is_signed = insn->flags & KTRACE_FILTER_SIGNED_OP;
	uint64_t a = accumulator, b = insn->op == KTRACE_FILTER_STORE ? 0 : load(insn);
	int64_t sa = a, sb = b;

	switch (insn->op) {
	case KTRACE_FILTER_LOAD:
		accumulator = b;
		return true;
	case KTRACE_FILTER_STORE:
		registers[insn->offset] = a;
		return true;
	case KTRACE_FILTER_ADD:
		accumulator = a + b;
		return true;
	case KTRACE_FILTER_SUB:
		accumulator = a - b;
		return true;
	case KTRACE_FILTER_MUL:
		accumulator = a * b;
		return true;
	case KTRACE_FILTER_DIV:
		if (b)
			accumulator = !is_signed ? a / b : sb == -1 ? -a : (uint64_t)(sa / sb);
		return b;
	case KTRACE_FILTER_MOD:
		if (b)
			accumulator = !is_signed ? a % b : sb == -1 ? 0 : (uint64_t)(sa % sb);
		return b;
	case KTRACE_FILTER_AND:
		accumulator = a & b;
		return true;
	case KTRACE_FILTER_OR:
		accumulator = a | b;
		return true;
	case KTRACE_FILTER_XOR:
		accumulator = a ^ b;
		return true;
	case KTRACE_FILTER_SHL:
		accumulator = b > 63 ? 0 : a << b;
		return true;
	case KTRACE_FILTER_SHR:
		b = b > 63 && is_signed ? 63 : b;
		accumulator = is_signed ? (uint64_t)(sa >> b) : b > 63 ? 0 : a >> b;
		return true;
	case KTRACE_FILTER_ACC_EQ:
		return a == b;
	case KTRACE_FILTER_ACC_LT:
		return is_signed ? sa < sb : a < b;
	case KTRACE_FILTER_ACC_GT:
		return is_signed ? sa > sb : a > b;
	default:
		return a & b;
	}
}

static bool holds(const struct filter_program *p, const struct ktrace_filter_insn *insn)
{
	const char *base = (const char *)&record, *str = base + insn->offset;
	char text[64] = "", pattern[64] = "";
	size_t len = insn->width;
	uint32_t word;
	uint64_t value;

	if (insn->op >= KTRACE_FILTER_LOAD)
		return step(insn);
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
	value = load(insn);
	if (insn->flags & KTRACE_FILTER_SIGNED) {
		int64_t number = value;

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

/* As selects(), for texts that are not known before: it is silent if all is well. */
static bool agrees(const char *text, bool want)
{
	_cleanup_(filter_program) struct filter_program program = { .pool = STRBUF_INIT };
	_cleanup_(filter) struct filter_node *tree = NULL;
	struct error *err = filter_parse(text, format, &tree);

	if (!err)
		err = filter_encode(tree, &program);
	if (err)
		return no_error(err, text), false;
	if (is_valid(&program) && run(&program) == want && filter_match(tree, &sample) == want)
		return true;
	return ok(false, "%s: %s", text, want ? "yes" : "no");
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

static void test_arithmetic(void)
{
	selects("small - 100 == 100", true);
	selects("100 < small", true);
	selects("250 - small == 50", true);
	selects("-tiny == 5", true);
	selects("~tiny == 4", true);
	selects("small > tiny", true);
	selects("tiny > small", false);
	selects("tiny < number", true);
	selects("number - small > 0", true);
	selects("small - number < 0", true);		/* with 64 bits it does not wrap */
	selects("tiny < big", false);			/* C's rule: unsigned */
	selects("small - big > 0", true);
	selects("big >> 63 == 1", true);
	selects("wide >> 60 == -1", true);
	selects("tiny >> small == -1", true);		/* 200 bits */
	selects("small >> small == 0", true);
	selects("small << 56 > 0", false);
	selects("half / 7 == -42", true);
	selects("half % 7 == -6", true);
	selects("half / tiny == 60", true);
	selects("(small & 0xf8) == 200", true);
}

static void test_precedence(void)
{
	selects("small + 2 * 3 == 206", true);
	selects("(small + 2) * 3 == 606", true);
	selects("small - 10 - 20 == 170", true);
	selects("small - (10 - 20) == 210", true);
	selects("small / 10 / 2 == 10", true);
	selects("small / (10 / 2) == 40", true);
	selects("1 << 2 + 1 == small / 25", true);
	selects("(small | 1 ^ 3 & 2) == 203", true);
	selects("(small + 1) & 1 && tiny < 0", true);
	selects("((small + 1)) * 2 == 402 && !(tiny + 5)&1", true);
	selects("!(tiny - 1 > half) || small == 1", false);
	selects("((tiny - 1 > half))", true);
	selects("60 * 60 * 1000 < number", true);
	selects("small == 2 * 100", true);
}

static void test_no_result(void)
{
	selects("small / (tiny + 5) == 0", false);
	selects("!(small / (tiny + 5) == 0)", false);
	selects("small % (tiny + 5) != 0 || small == 200", false);
	selects("small == 200 || small / (tiny + 5) > 1", true);
	selects("tiny + 5 != 0 && small / (tiny + 5) > 1", false);
	selects("!(small == 200 && small / (tiny + 5) > 1)", false);
	selects("!(small == 201 && small / (tiny + 5) > 1)", true);
}

/* A value of a random expression, and its text with no more parentheses than C needs. */
struct value {
	uint64_t number;
	bool is_signed, has_result, is_constant;
	int level;
	char text[2000];
};

static unsigned int below(unsigned int n)
{
	static uint64_t state = 88172645463325252;

	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state % n;
}

static void random_leaf(struct value *ret)
{
	static const struct {
		const char *name;
		uint64_t number;
		bool is_signed;
	} leaves[] = {
		{ "small", 200, true }, { "tiny", -5, true }, { "half", -300, true },
		{ "number", 0xfffffff0, true }, { "wide", -7000000000LL, true },
		{ "big", 0x8000000000000007, false }, { "cpu", 3, true }, { "tid", 1234, true },
	};
	unsigned int i = below(sizeof(leaves) / sizeof(leaves[0]));

	*ret = (struct value){
		.number = leaves[i].number, .is_signed = leaves[i].is_signed, .has_result = true,
		.level = 9,
	};
	snprintf(ret->text, sizeof(ret->text), "%s", leaves[i].name);
}

static void join(char *to, ...)
{
	const char *part;
	va_list parts;

	va_start(parts, to);
	while ((part = va_arg(parts, const char *)))
		to = stpcpy(to, part);
	va_end(parts);
}

static void random_value(struct value *ret, int depth)
{
	static const struct { const char *text; int level; } ops[] = {
		{ "+", 4 }, { "-", 4 }, { "*", 5 }, { "/", 5 }, { "%", 5 }, { "&", 2 }, { "|", 0 },
		{ "^", 1 }, { "<<", 3 }, { ">>", 3 },
	};
	struct value *a = malloc(2 * sizeof(*a)), *b = a + 1;
	unsigned int op = below(10);
	bool is_signed, a_paren, b_paren;

	if (!depth || !a) {
		random_leaf(ret);
		free(a);
		return;
	}
	random_value(a, below(depth));
	if (below(4)) {
		random_value(b, below(depth));
	} else {
		*b = (struct value){ .number = 1 + below(63), .is_signed = true, .has_result = true,
				     .level = 9 };
		snprintf(b->text, sizeof(b->text), "%u", (unsigned int)b->number);
	}
	is_signed = a->is_signed && (op >= 8 || b->is_signed);
	*ret = (struct value){
		.is_signed = is_signed, .level = ops[op].level,
		.has_result = a->has_result && b->has_result &&
			      !((op == 3 || op == 4) && !b->number),
	};
	a_paren = a->level < ops[op].level;
	b_paren = b->level <= ops[op].level;
	if (ret->has_result) {
		int64_t sa = a->number, sb = b->number;

		switch (op) {
		case 0:
			ret->number = a->number + b->number;
			break;
		case 1:
			ret->number = a->number - b->number;
			break;
		case 2:
			ret->number = a->number * b->number;
			break;
		case 3:
			ret->number = !is_signed ? a->number / b->number : sb == -1 ? -a->number :
				      (uint64_t)(sa / sb);
			break;
		case 4:
			ret->number = !is_signed ? a->number % b->number : sb == -1 ? 0 :
				      (uint64_t)(sa % sb);
			break;
		case 5:
			ret->number = a->number & b->number;
			break;
		case 6:
			ret->number = a->number | b->number;
			break;
		case 7:
			ret->number = a->number ^ b->number;
			break;
		case 8:
			ret->number = b->number > 63 ? 0 : a->number << b->number;
			break;
		default:
			ret->number = b->number < 64 ? is_signed ? (uint64_t)(sa >> b->number) :
				      a->number >> b->number : is_signed && sa < 0 ? -1ULL : 0;
			break;
		}
	}
	if (strlen(a->text) + strlen(b->text) + 20 > sizeof(ret->text))
		random_leaf(ret);
	else
		join(ret->text, a_paren ? "(" : "", a->text, a_paren ? ") " : " ", ops[op].text,
		     b_paren ? " (" : " ", b->text, b_paren ? ")" : "", NULL);
	free(a);
}

static void test_random(void)
{
	static const char *const ops[] = { "==", "!=", "<", "<=", ">", ">=" };
	struct value a, b;
	char text[5000];
	unsigned int without = 0;

	for (int n = 0; n < 1500; n++) {
		unsigned int op = below(6);
		bool is_signed, less, want;

		random_value(&a, 1 + below(5));
		random_value(&b, below(3) ? 0 : below(4));
		is_signed = a.is_signed && b.is_signed;
		less = is_signed ? (int64_t)a.number < (int64_t)b.number : a.number < b.number;
		want = op < 2 ? (a.number == b.number) == !op : op == 2 ? less :
		       op == 3 ? less || a.number == b.number : op == 4 ?
		       !less && a.number != b.number : !less;
		join(text, a.level < 3 ? "(" : "", a.text, a.level < 3 ? ") " : " ", ops[op],
		     b.level < 3 ? " (" : " ", b.text, b.level < 3 ? ")" : "", NULL);
		without += !a.has_result || !b.has_result;
		if (!agrees(text, want && a.has_result && b.has_result))
			return;
	}
	ok(without > 3, "random expressions agree, %u of them without a result", without);
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
		 "The filter has 513 comparisons and steps of arithmetic, and the device takes 512", "513 comparisons do not fit");
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
	is_error(filter_encode(tree, &program), "The filter may have to compare 2720206 bytes of one "
		 "event, and the device allows 1048576: comparing with \"*much longer*\" alone "
		 "takes 98318", "many patterns are too much work");
	filter_destroy(tree);

	strbuf_reset(&text);
	strbuf_addstr(&text, "tiny - 1");
	for (int i = 0; i < 60; i++)
		strbuf_addf(&text, " + (tiny + %d) * (tiny %% 2)", i);
	strbuf_addstr(&text, " < 0");
	no_error(filter_parse(text.data, format, &tree), "a long sum of products parses");
	no_error(filter_encode(tree, &program), "a long sum takes few registers");
	ok(is_valid(&program) && run(&program), "a long sum of products runs");
	filter_destroy(tree);
	filter_program_deinit(&program);
	strbuf_reset(&text);
	strbuf_addstr(&text, "tiny - 1");
	for (int i = 0; i < KTRACE_FILTER_REGISTERS; i++)
		strbuf_addstr(&text, " - (tiny - half)");
	strbuf_addstr(&text, " > 1");
	no_error(filter_parse(text.data, format, &tree), "nested arithmetic parses");
	no_error(filter_encode(tree, &program), "as many results as there are registers fit");
	ok(is_valid(&program), "as many results as there are registers are a valid program");
	filter_destroy(tree);
	filter_program_deinit(&program);
	strbuf_reset(&text);
	strbuf_addstr(&text, "tiny - 1");
	for (int i = 0; i <= KTRACE_FILTER_REGISTERS; i++)
		strbuf_addstr(&text, " - (tiny - half)");
	strbuf_addstr(&text, " > 1");
	no_error(filter_parse(text.data, format, &tree), "deeper arithmetic parses");
	is_error(filter_encode(tree, &program), "The filter needs more than 7 results at once, which "
		 "the device does not keep", "more results than registers do not fit");
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
	test_arithmetic();
	test_precedence();
	test_no_result();
	test_random();
	test_structure();
	test_limits();
	formats_destroy(formats);
	return tap_done();
}
