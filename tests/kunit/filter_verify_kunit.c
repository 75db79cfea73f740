// SPDX-License-Identifier: GPL-2.0
#include <kunit/test.h>
#include <linux/prandom.h>
#include <linux/slab.h>

#include "filter/filter_verify.c"

#define ACCEPT KTRACE_FILTER_ACCEPT
#define REJECT KTRACE_FILTER_REJECT

static struct ktrace_filter_insn jump(u16 jt, u16 jf)
{
	return (struct ktrace_filter_insn){
		.op = KTRACE_FILTER_EQ, .src = KTRACE_FILTER_SRC_RECORD,
		.jt = jt, .jf = jf, .offset = 8, .width = 4,
	};
}

static u32 jump_to(u16 target)
{
	return target < 32 ? BIT(target) : 0;
}

static int verify_one(struct ktrace_filter_insn insn)
{
	return ktrace_filter_verify_program(&insn, 1, 16);
}

/* Tries all values of each byte of an instruction that allows only some. */
static void every_opcode(struct kunit *test)
{
	struct ktrace_filter_insn insn;
	int i;

	for (i = 0; i < 256; i++) {
		insn = jump(ACCEPT, REJECT);
		insn.op = i;
		KUNIT_EXPECT_EQ(test, !verify_one(insn), i >= 1 && i <= 6);
		insn = jump(ACCEPT, REJECT);
		insn.src = i;
		KUNIT_EXPECT_EQ(test, !verify_one(insn), i >= 1 && i <= 3);
		insn = jump(ACCEPT, REJECT);
		insn.flags = i;
		KUNIT_EXPECT_EQ(test, !verify_one(insn), i <= 1);
		insn = jump(ACCEPT, REJECT);
		insn.reserved = i;
		KUNIT_EXPECT_EQ(test, !verify_one(insn), i == 0);
	}
}

static void every_target(struct kunit *test)
{
	struct ktrace_filter_insn insns[4];
	u32 i;

	for (i = 0; i <= U16_MAX; i++) {
		insns[0] = jump(1, REJECT);
		insns[1] = jump(i, 2);
		insns[2] = jump(3, 3);
		insns[3] = jump(ACCEPT, REJECT);
		KUNIT_EXPECT_EQ(test, !ktrace_filter_verify_program(insns, 4, 0),
				i == 2 || i == 3 || i == ACCEPT || i == REJECT);
	}
}

static u64 cost_of(u8 op, u8 src, u32 width, const char *pattern)
{
	struct ktrace_filter_insn insn = {
		.op = op, .src = src, .width = width, .value = strlen(pattern),
	};

	return ktrace_filter_program_cost(&insn, 1, pattern);
}

static void costs(struct kunit *test)
{
	const u8 glob = KTRACE_FILTER_GLOB, eq = KTRACE_FILTER_STREQ;
	const u8 rec = KTRACE_FILTER_SRC_RECORD, loc = KTRACE_FILTER_SRC_DATA_LOC;
	struct ktrace_filter_insn two[] = { jump(1, REJECT), jump(ACCEPT, REJECT) };

	KUNIT_EXPECT_EQ(test, ktrace_filter_program_cost(two, 2, NULL), 2ULL);
	/* Only as many bytes are compared as both have. */
	KUNIT_EXPECT_EQ(test, cost_of(eq, rec, 16, "word"), 5ULL);
	KUNIT_EXPECT_EQ(test, cost_of(eq, rec, 2, "word"), 3ULL);
	KUNIT_EXPECT_EQ(test, cost_of(eq, loc, 4, "word"), 5ULL);
	/* Each character of the pattern is read once. */
	KUNIT_EXPECT_EQ(test, cost_of(glob, loc, 4, ""), 1ULL);
	KUNIT_EXPECT_EQ(test, cost_of(glob, loc, 4, "word"), 5ULL);
	KUNIT_EXPECT_EQ(test, cost_of(glob, loc, 4, "word*"), 6ULL);
	/* The end of the string has to be found. */
	KUNIT_EXPECT_EQ(test, cost_of(glob, rec, 16, "*word"), 6ULL + 16);
	KUNIT_EXPECT_EQ(test, cost_of(glob, loc, 4, "a*word"), 7ULL + 8192);
	/* The text between two stars is tried at every position. */
	KUNIT_EXPECT_EQ(test, cost_of(glob, rec, 16, "*word*"), 7ULL + 16 * 5);
	KUNIT_EXPECT_EQ(test, cost_of(glob, rec, 16, "*ab*word*abc*much"), 18ULL + 16 * 5);
	KUNIT_EXPECT_EQ(test, cost_of(glob, rec, 16, "**"), 3ULL + 16);
	/* Quoting can hide which stars are meant as such. */
	KUNIT_EXPECT_EQ(test, cost_of(glob, rec, 16, "[*]d*"), 6ULL + 16 * 6);
	KUNIT_EXPECT_EQ(test, cost_of(glob, rec, 16, "\\*d*"), 5ULL + 16 * 5);
}

/* Random graphs of jumps, checked by walking all paths. */
static void reachable(struct kunit *test)
{
	struct ktrace_filter_insn insns[6];
	struct rnd_state rnd;
	u32 i, n, nr, all = 0;

	prandom_seed_state(&rnd, 4711);
	for (n = 0; n < 20000; n++) {
		u32 reached = 1, refused = 0;

		nr = 1 + prandom_u32_state(&rnd) % ARRAY_SIZE(insns);
		for (i = 0; i < nr; i++) {
			u32 jt = i + 1 + prandom_u32_state(&rnd) % 3;
			u32 jf = i + 1 + prandom_u32_state(&rnd) % 3;

			insns[i] = jump(jt < nr ? jt : ACCEPT, jf < nr ? jf : REJECT);
		}
		for (i = 0; i < nr; i++) {
			if (!(reached & BIT(i)))
				refused++;
			else
				reached |= (jump_to(insns[i].jt) | jump_to(insns[i].jf));
		}
		KUNIT_EXPECT_EQ(test, !ktrace_filter_verify_program(insns, nr, 0), !refused);
		all += !refused;
	}
	KUNIT_EXPECT_GT(test, all, 1000U);
	KUNIT_EXPECT_LT(test, all, 19000U);
}

static void record_bounds(struct kunit *test)
{
	static const u32 numbers[] = {
		0, 1, 2, 3, 4, 7, 8, 16, KTRACE_FILTER_MAX_RECORD - 8, KTRACE_FILTER_MAX_RECORD - 4,
		KTRACE_FILTER_MAX_RECORD - 1, KTRACE_FILTER_MAX_RECORD,
		KTRACE_FILTER_MAX_RECORD + 1, S32_MAX, U32_MAX - 8, U32_MAX - 3, U32_MAX,
	};
	struct ktrace_filter_insn insn;
	int i, j;

	for (i = 0; i < ARRAY_SIZE(numbers); i++) {
		for (j = 0; j < ARRAY_SIZE(numbers); j++) {
			u64 offset = numbers[i], width = numbers[j];
			bool inside = offset + width <= KTRACE_FILTER_MAX_RECORD;
			bool number = width == 1 || width == 2 || width == 4 || width == 8;

			insn = jump(ACCEPT, REJECT);
			insn.offset = offset;
			insn.width = width;
			KUNIT_EXPECT_EQ(test, !verify_one(insn), inside && number);
			insn.op = KTRACE_FILTER_STREQ;
			KUNIT_EXPECT_EQ(test, !verify_one(insn), inside && width > 0);
			/* For a dynamic array, the word with its offset has to be in the record. */
			insn.src = KTRACE_FILTER_SRC_DATA_LOC;
			KUNIT_EXPECT_EQ(test, !verify_one(insn),
					offset + 4 <= KTRACE_FILTER_MAX_RECORD);
		}
	}
}

static void pool_bounds(struct kunit *test)
{
	static const u32 numbers[] = { 0, 1, 15, 16, 17, S32_MAX, U32_MAX - 15, U32_MAX };
	struct ktrace_filter_insn insn;
	int i, j;

	for (i = 0; i < ARRAY_SIZE(numbers); i++) {
		for (j = 0; j < ARRAY_SIZE(numbers); j++) {
			insn = jump(ACCEPT, REJECT);
			insn.op = KTRACE_FILTER_GLOB;
			insn.value = (u64)numbers[i] << 32 | numbers[j];
			KUNIT_EXPECT_EQ(test, !verify_one(insn),
					(u64)numbers[i] + numbers[j] <= 16);
		}
	}
}

static void sizes(struct kunit *test)
{
	struct ktrace_filter_insn *insns;
	u32 i;

	insns = kunit_kcalloc(test, KTRACE_FILTER_MAX_INSNS + 1, sizeof(*insns), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, insns);
	for (i = 0; i <= KTRACE_FILTER_MAX_INSNS; i++)
		insns[i] = jump(i + 1, REJECT);
	for (i = 1; i <= KTRACE_FILTER_MAX_INSNS + 1; i++) {
		insns[i - 1].jt = ACCEPT;
		KUNIT_EXPECT_EQ(test, !ktrace_filter_verify_program(insns, i, 0),
				i <= KTRACE_FILTER_MAX_INSNS);
		insns[i - 1].jt = i;
	}
	insns[0].jt = ACCEPT;
	KUNIT_EXPECT_EQ(test, ktrace_filter_verify_program(insns, 0, 0), -EINVAL);
	KUNIT_EXPECT_EQ(test, ktrace_filter_verify_program(insns, U32_MAX, 0), -EINVAL);
	KUNIT_EXPECT_EQ(test, ktrace_filter_verify_program(insns, 1, KTRACE_FILTER_MAX_POOL), 0);
	KUNIT_EXPECT_EQ(test, ktrace_filter_verify_program(insns, 1, KTRACE_FILTER_MAX_POOL + 1),
			-EINVAL);
}

static struct kunit_case filter_verify_cases[] = {
	KUNIT_CASE(costs),
	KUNIT_CASE(every_opcode),
	KUNIT_CASE(every_target),
	KUNIT_CASE(reachable),
	KUNIT_CASE(record_bounds),
	KUNIT_CASE(pool_bounds),
	KUNIT_CASE(sizes),
	{}
};

static struct kunit_suite filter_verify_suite = {
	.name = "ktrace_filter_verify",
	.test_cases = filter_verify_cases,
};

kunit_test_suites(&filter_verify_suite);
