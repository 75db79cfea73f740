// SPDX-License-Identifier: GPL-2.0
#include <kunit/test.h>
#include <linux/prandom.h>
#include <linux/slab.h>

#include "filter/filter.c"

#define ACCEPT KTRACE_FILTER_ACCEPT
#define REJECT KTRACE_FILTER_REJECT

static struct rnd_state rnd;

static u32 below(u32 n)
{
	return prandom_u32_state(&rnd) % n;
}

static int filter_init(struct kunit *test)
{
	prandom_seed_state(&rnd, 4711);
	return 0;
}

/* The record is in memory of its own size, so that KASAN sees a read beyond it. */
static u8 *record(struct kunit *test, const void *bytes, u32 size)
{
	u8 *raw = kmalloc(size ?: 1, GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, raw);
	memcpy(raw, bytes, size);
	return raw;
}

static bool run_one(struct ktrace_filter_insn insn, const char *pool, const void *raw, u32 size)
{
	struct {
		struct ktrace_filter filter;
		struct ktrace_filter_insn insn;
	} one = { .filter.pool = pool, .insn = insn };
	bool accepts;

	one.insn.jt = ACCEPT;
	one.insn.jf = REJECT;
	preempt_disable();
	accepts = ktrace_filter_run(&one.filter, raw, size);
	preempt_enable();
	return accepts;
}

/* ---- numbers, compared with a plain reading of the contract ------------------- */

static u64 byte_at(const u8 *bytes, u32 size, u64 at)
{
	return at < size ? bytes[at] : 0;
}

static u64 plain_number(const struct ktrace_filter_insn *insn, const u8 *bytes, u32 size)
{
	u64 value = 0, from = insn->offset, end = U64_MAX;
	u32 i, word = 0;

	if (insn->src != KTRACE_FILTER_SRC_RECORD) {
		for (i = 0; i < 4; i++)
			word |= byte_at(bytes, size, insn->offset + i) << 8 * i;
		from = word & 0xffff;
		if (insn->src == KTRACE_FILTER_SRC_REL_LOC)
			from += insn->offset + 4;
		end = from + (word >> 16);
	}
	for (i = 0; i < insn->width; i++)
		if (from + i < end)
			value |= byte_at(bytes, size, from + i) << 8 * i;
	if (insn->flags & KTRACE_FILTER_SIGNED)
		value = sign_extend64(value, 8 * insn->width - 1);
	return value;
}

static bool plain_holds(const struct ktrace_filter_insn *insn, u64 a, u64 b)
{
	bool is_signed = insn->flags & KTRACE_FILTER_SIGNED;

	switch (insn->op) {
	case KTRACE_FILTER_EQ:
		return a == b;
	case KTRACE_FILTER_LT:
		return is_signed ? (s64)a < (s64)b : a < b;
	case KTRACE_FILTER_GT:
		return is_signed ? (s64)a > (s64)b : a > b;
	default:
		return (a & b) != 0;
	}
}

static void numbers(struct kunit *test)
{
	static const u64 interesting[] = {
		0, 1, -1, S8_MAX, S8_MIN, U8_MAX, S16_MAX, S16_MIN, U16_MAX, S32_MAX, S32_MIN,
		U32_MAX, S64_MAX, S64_MIN,
	};
	u8 bytes[64], *raw;
	u32 size, i;
	int n;

	for (n = 0; n < 20000; n++) {
		struct ktrace_filter_insn insn = {
			.op = KTRACE_FILTER_EQ + below(4),
			.src = KTRACE_FILTER_SRC_RECORD + below(3),
			.flags = below(2),
			.offset = below(72),
			.width = 1 << below(4),
		};
		u64 value;

		size = below(sizeof(bytes) + 1);
		for (i = 0; i < size; i++)
			bytes[i] = below(4) ? below(256) : below(2) * 255;
		/* Mostly we use arrays that begin inside the record. */
		if (insn.src != KTRACE_FILTER_SRC_RECORD && insn.offset + 4 <= size && below(4)) {
			bytes[insn.offset] = below(size + 4);
			bytes[insn.offset + 1] = 0;
			bytes[insn.offset + 2] = below(16);
			bytes[insn.offset + 3] = 0;
		}
		raw = record(test, bytes, size);
		value = plain_number(&insn, bytes, size);
		insn.value = below(2) ? value + below(3) - 1 :
			     interesting[below(ARRAY_SIZE(interesting))];
		KUNIT_EXPECT_EQ_MSG(test, run_one(insn, NULL, raw, size),
				    plain_holds(&insn, value, insn.value),
				    "op %u src %u flags %u offset %u width %u value %llx of %llx",
				    insn.op, insn.src, insn.flags, insn.offset, insn.width,
				    insn.value, value);
		kfree(raw);
	}
}

/* ---- strings, compared with a plain reading of lib/glob's rules ---------------- */

/*
 * We do not compare with glob_match() itself: there, [!a] also matches the end of the
 * string, and glob_match() goes on reading behind it.
 */
static bool plain_class(const char **pattern, char c)
{
	const char *p = *pattern + 1;
	bool inverted = *p == '!', match = false;

	p += inverted;
	do {
		u8 first = *p++, last = first;

		if (!first)
			return false;	/* not a class: the caller compares '[' */
		if (p[0] == '-' && p[1] != ']') {
			if (!p[1])
				return false;
			last = p[1];
			p += 2;
		}
		match |= first <= (u8)c && (u8)c <= last;
	} while (*p != ']');
	*pattern = p + 1;
	return match != inverted;
}

static bool plain_glob(const char *pattern, const char *text)
{
	const char *p = pattern;

	switch (*p) {
	case '\0':
		return !*text;
	case '*':
		return plain_glob(p + 1, text) || (*text && plain_glob(p, text + 1));
	case '?':
		return *text && plain_glob(p + 1, text + 1);
	case '[':
		if (!*text)
			return false;
		if (plain_class(&p, *text))
			return plain_glob(p, text + 1);
		if (p != pattern)
			return false;
		break;
	case '\\':
		if (!*++p)
			return !*text;
		break;
	}
	return *text == *p && plain_glob(p + 1, text + 1);
}

static void random_text(char *text, u32 len, const char *letters)
{
	u32 nr = strlen(letters), i;

	for (i = 0; i < len; i++)
		text[i] = letters[below(nr)];
	text[len] = '\0';
}

static void globs(struct kunit *test)
{
	char pattern[16], text[20];
	u32 matches = 0, len, size;
	u8 *raw;
	int n;

	for (n = 0; n < 50000; n++) {
		struct ktrace_filter_insn insn = {
			.op = KTRACE_FILTER_GLOB, .src = KTRACE_FILTER_SRC_RECORD,
		};
		bool want;

		len = below(sizeof(pattern));
		random_text(pattern, len, "aabbc*?*?[]!-\\");
		size = below(sizeof(text));
		random_text(text, size, "aaabbc[]-\\!");
		want = plain_glob(pattern, text);
		matches += want;
		insn.value = len;
		/*
		 * First with its NUL, then without: then the string ends where the field
		 * does.
		 */
		insn.width = size + 1;
		raw = record(test, text, size + 1);
		KUNIT_EXPECT_EQ_MSG(test, run_one(insn, pattern, raw, size + 1), want,
				    "'%s' ~ '%s'", text, pattern);
		kfree(raw);
		if (!size)
			continue;
		insn.width = size;
		raw = record(test, text, size);
		KUNIT_EXPECT_EQ_MSG(test, run_one(insn, pattern, raw, size), want,
				    "'%s' ~ '%s', no NUL", text, pattern);
		kfree(raw);
	}
	KUNIT_EXPECT_GT(test, matches, 1000U);
	KUNIT_EXPECT_LT(test, matches, 40000U);
}

static void equals(struct kunit *test)
{
	char pattern[8], text[8];
	u32 matches = 0, len, size;
	u8 *raw;
	int n;

	for (n = 0; n < 20000; n++) {
		struct ktrace_filter_insn insn = {
			.op = KTRACE_FILTER_STREQ, .src = KTRACE_FILTER_SRC_RECORD,
		};
		bool want;

		len = below(4);
		random_text(pattern, len, "ab");
		size = below(4);
		random_text(text, size, "ab");
		want = !strcmp(pattern, text);
		matches += want;
		insn.value = len;
		insn.width = size + 1;
		raw = record(test, text, size + 1);
		KUNIT_EXPECT_EQ_MSG(test, run_one(insn, pattern, raw, size + 1), want,
				    "'%s' == '%s'", text, pattern);
		kfree(raw);
		insn.width = size ?: 1;
		raw = record(test, text, size);
		KUNIT_EXPECT_EQ_MSG(test, run_one(insn, pattern, raw, size), want,
				    "'%s' == '%s', no NUL", text, pattern);
		kfree(raw);
	}
	KUNIT_EXPECT_GT(test, matches, 1000U);
}

/* Matching the longest string with the worst pattern ends, and in reasonable time. */
static void worst_glob(struct kunit *test)
{
	struct ktrace_filter_insn insn = {
		.op = KTRACE_FILTER_GLOB, .src = KTRACE_FILTER_SRC_RECORD,
		.width = KTRACE_FILTER_MAX_RECORD, .value = KTRACE_FILTER_MAX_GLOB,
	};
	char *pattern = kunit_kzalloc(test, KTRACE_FILTER_MAX_GLOB, GFP_KERNEL);
	u8 *raw = kunit_kzalloc(test, KTRACE_FILTER_MAX_RECORD, GFP_KERNEL);
	ktime_t begin;

	KUNIT_ASSERT_NOT_NULL(test, pattern);
	KUNIT_ASSERT_NOT_NULL(test, raw);
	memset(raw, 'a', KTRACE_FILTER_MAX_RECORD);
	memset(pattern, 'a', KTRACE_FILTER_MAX_GLOB);
	pattern[0] = pattern[KTRACE_FILTER_MAX_GLOB - 1] = '*';
	pattern[KTRACE_FILTER_MAX_GLOB - 2] = 'b';
	begin = ktime_get();
	KUNIT_EXPECT_FALSE(test, run_one(insn, pattern, raw, KTRACE_FILTER_MAX_RECORD));
	kunit_info(test, "%lld us\n", ktime_us_delta(ktime_get(), begin));
}

/* ---- programs ---------------------------------------------------------------- */

/* A step of the accumulator, which may be one that the verifier refuses. */
static void random_step(struct ktrace_filter_insn *insn, bool first)
{
	insn->op = first ? KTRACE_FILTER_LOAD : KTRACE_FILTER_LOAD + below(17);
	insn->src = below(3) ? insn->src : KTRACE_FILTER_SRC_REGISTER + below(2);
	if (insn->src >= KTRACE_FILTER_SRC_REGISTER) {
		insn->width = 8;
		insn->offset = insn->src == KTRACE_FILTER_SRC_REGISTER ? below(8) : 0;
		insn->flags = below(8) ? 0 : KTRACE_FILTER_SIGNED_OP;
	}
	if (insn->src != KTRACE_FILTER_SRC_VALUE)
		insn->value = 0;
	if (insn->op < KTRACE_FILTER_ACC_EQ)
		insn->jf = insn->jt;
}

/* A program that the verifier accepts ends, and stays inside of any record. */
static void random_programs(struct kunit *test)
{
	static const char pool[32] = "*a[b-d]?e*\\*[!x]";
	struct ktrace_filter *filter;
	u32 nr, i, size, accepted = 0, steps = 0;
	u8 bytes[128], *raw;
	int n, r;

	filter = kunit_kzalloc(test, struct_size(filter, insns, 16), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, filter);
	filter->pool = pool;
	for (n = 0; n < 20000; n++) {
		nr = 1 + below(8);
		for (i = 0; i < nr; i++) {
			struct ktrace_filter_insn *insn = &filter->insns[i];

			insn->op = below(20) ? 1 + below(6) : below(8);
			insn->src = below(20) ? 1 + below(4) : below(6);
			insn->flags = insn->op < KTRACE_FILTER_STREQ && below(2);
			insn->reserved = !below(50);
			insn->jt = i + 1 < nr ? i + 1 : ACCEPT;
			insn->jf = below(3) && i + 2 < nr ? i + 1 + below(2) : REJECT;
			insn->offset = below(20) ? below(140) : prandom_u32_state(&rnd);
			insn->width = below(20) ? 1 << below(4) : prandom_u32_state(&rnd);
			if (insn->src == KTRACE_FILTER_SRC_FIELD) {
				bool comm = insn->op >= KTRACE_FILTER_STREQ;

				insn->offset = comm ? KTRACE_FIELD_COMM : below(40);
				insn->width = comm ? 16 : 8;
			}
			insn->value = (u64)below(18) << 32 | below(16);
			if (n % 2 && (!i || below(2)) && insn->op < KTRACE_FILTER_STREQ)
				random_step(insn, !i);
		}
		if (ktrace_filter_verify_program(filter->insns, nr, sizeof(pool)))
			continue;
		accepted++;
		for (i = 0; i < nr && filter->insns[i].op < KTRACE_FILTER_LOAD; i++)
			;
		steps += i < nr;
		for (r = 0; r < 4; r++) {
			size = below(sizeof(bytes) + 1);
			prandom_bytes_state(&rnd, bytes, size);
			raw = record(test, bytes, size);
			preempt_disable();
			ktrace_filter_run(filter, raw, size);
			preempt_enable();
			kfree(raw);
		}
	}
	KUNIT_EXPECT_GT(test, accepted, 500U);
	KUNIT_EXPECT_GT(test, steps, 100U);
}

/* Compares a tree of comparisons, in the order of its text, with plain C. */
static void jumps(struct kunit *test)
{
	/* (a == 1 || b > 2) && (c & 4 || d < 5) */
	struct {
		struct ktrace_filter filter;
		struct ktrace_filter_insn insns[4];
	} program = {
		.insns = {
			{ KTRACE_FILTER_EQ, KTRACE_FILTER_SRC_RECORD, 0, 0, 2, 1, 0, 1, 1 },
			{ KTRACE_FILTER_GT, KTRACE_FILTER_SRC_RECORD, 0, 0, 2, REJECT, 1, 1, 2 },
			{ KTRACE_FILTER_BAND, KTRACE_FILTER_SRC_RECORD, 0, 0, ACCEPT, 3, 2, 1, 4 },
			{ KTRACE_FILTER_LT, KTRACE_FILTER_SRC_RECORD, 0, 0, ACCEPT, REJECT,
			  3, 1, 5 },
		},
	};
	u8 v[4];
	u32 i;

	KUNIT_ASSERT_EQ(test, ktrace_filter_verify_program(program.insns, 4, 0), 0);
	for (i = 0; i < 8 * 8 * 8 * 8; i++) {
		bool accepts, want;

		v[0] = i % 8;
		v[1] = i / 8 % 8;
		v[2] = i / 64 % 8;
		v[3] = i / 512;
		want = (v[0] == 1 || v[1] > 2) && (v[2] & 4 || v[3] < 5);
		preempt_disable();
		accepts = ktrace_filter_run(&program.filter, v, sizeof(v));
		preempt_enable();
		KUNIT_EXPECT_EQ(test, accepts, want);
	}
}

static struct kunit_case filter_cases[] = {
	KUNIT_CASE(numbers),
	KUNIT_CASE(globs),
	KUNIT_CASE(equals),
	KUNIT_CASE(worst_glob),
	KUNIT_CASE(random_programs),
	KUNIT_CASE(jumps),
	{}
};

static struct kunit_suite filter_suite = {
	.name = "ktrace_filter",
	.init = filter_init,
	.test_cases = filter_cases,
};

kunit_test_suites(&filter_suite);
