// SPDX-License-Identifier: GPL-2.0
/* Known call chains, followed on stacks that are made by hand. */
#include <kunit/test.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "callchain_cache.c"

/* A part of the test's own stack that looks like frames. */
struct made_up {
	unsigned long words[8];
};

#define PLACE(n)		((n) * (u32)sizeof(long))
#define RETURN_AT(n, to)	{ STEP_RETURN, 1, PLACE(n), to }
#define LOAD_AT(n)		{ STEP_LOAD, 1, PLACE(n) }
#define SAME_AT(n)		{ STEP_SAME, 1, PLACE(n) }
#define BASE			{ STEP_BASE, 1 }

static struct chain *chain_of(struct kunit *test, const struct step *steps, u32 nr)
{
	struct chain *chain = kunit_kzalloc(test, sizeof(*chain), GFP_KERNEL);

	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, chain);
	memcpy(chain->steps, steps, nr * sizeof(*steps));
	chain->nr = nr;
	finish_steps(chain);
	return chain;
}

static bool fits(const struct chain *chain, const struct made_up *stack)
{
	return follow(chain, (unsigned long)stack->words);
}

static void frames(struct kunit *test)
{
	const struct step steps[] = {
		RETURN_AT(0, 11), RETURN_AT(1, 22), RETURN_AT(5, 33),
	};
	const struct chain *chain = chain_of(test, steps, ARRAY_SIZE(steps));
	struct made_up stack = { { 11, 22, 0, 0, 0, 33 } };
	int i;

	KUNIT_EXPECT_TRUE(test, fits(chain, &stack));
	/* What lies between them does not matter, but each of them does. */
	stack.words[2] = 44;
	KUNIT_EXPECT_TRUE(test, fits(chain, &stack));
	for (i = 0; i < 3; i++) {
		struct made_up other = stack;

		other.words[i == 2 ? 5 : i]++;
		KUNIT_EXPECT_FALSE(test, fits(chain, &other));
	}
}

static void saved_frame_pointers(struct kunit *test)
{
	const struct step steps[] = {
		LOAD_AT(0), SAME_AT(2), BASE, RETURN_AT(1, 33),
	};
	const struct chain *chain = chain_of(test, steps, ARRAY_SIZE(steps));
	struct made_up stack = { { 0, 0, 0, 0, 33, 33, 34 } };
	unsigned long good = (unsigned long)&stack.words[3];
	const unsigned long bad[] = {
		0, good + 1, (unsigned long)&stack.words[5], 8, ULONG_MAX,
		(unsigned long)task_stack_page(current) + THREAD_SIZE - sizeof(long),
		(unsigned long)task_stack_page(current) - 2 * sizeof(long),
		(unsigned long)test,
	};
	int i;

	stack.words[0] = good;
	stack.words[2] = good;
	KUNIT_EXPECT_TRUE(test, fits(chain, &stack));
	/* A frame may have another size. */
	stack.words[0] += sizeof(long);
	KUNIT_EXPECT_FALSE(test, fits(chain, &stack));
	stack.words[2] += sizeof(long);
	KUNIT_EXPECT_TRUE(test, fits(chain, &stack));
	for (i = 0; i < ARRAY_SIZE(bad); i++) {
		stack.words[0] = bad[i];
		stack.words[2] = bad[i];
		KUNIT_EXPECT_FALSE(test, fits(chain, &stack));
	}
}

/* Each step says how many of its kind follow, and each base how far it is looked at. */
static void runs_and_highest_places(struct kunit *test)
{
	const struct step steps[] = {
		RETURN_AT(1, 11), RETURN_AT(2, 22), LOAD_AT(3), RETURN_AT(4, 33), BASE,
		RETURN_AT(1, 44), RETURN_AT(6, 55), RETURN_AT(5, 66), { STEP_TOP, 1, PLACE(7) },
	};
	static const u32 runs[] = { 2, 1, 1, 1, 1, 3, 2, 1, 1 };
	const struct chain *chain = chain_of(test, steps, ARRAY_SIZE(steps));
	int i;

	for (i = 0; i < ARRAY_SIZE(runs); i++)
		KUNIT_EXPECT_EQ(test, runs[i], (u32)chain->steps[i].run);
	KUNIT_EXPECT_EQ(test, PLACE(4), chain->highest);
	KUNIT_EXPECT_EQ(test, PLACE(6), chain->steps[4].place);
}

static void top_of_the_stack(struct kunit *test)
{
	struct made_up stack = { { 11 } };
	const long top = (long)task_pt_regs(current) - (long)stack.words;
	const struct step steps[] = {
		RETURN_AT(0, 11), { STEP_TOP, 1, top },
	};
	struct chain *chain = chain_of(test, steps, ARRAY_SIZE(steps));

	KUNIT_EXPECT_TRUE(test, fits(chain, &stack));
	chain->steps[1].place -= sizeof(long);
	KUNIT_EXPECT_FALSE(test, fits(chain, &stack));
}

static struct kunit_case callchain_cache_cases[] = {
	KUNIT_CASE(frames),
	KUNIT_CASE(saved_frame_pointers),
	KUNIT_CASE(runs_and_highest_places),
	KUNIT_CASE(top_of_the_stack),
	{}
};

static struct kunit_suite callchain_cache_suite = {
	.name = "ktrace_callchain_cache",
	.test_cases = callchain_cache_cases,
};

kunit_test_suites(&callchain_cache_suite);
