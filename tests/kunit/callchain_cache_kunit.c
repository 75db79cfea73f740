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

#define PLACE(n) ((n) * (int)sizeof(long))

static struct chain *chain_of(struct kunit *test, const struct step *steps, u32 nr)
{
	struct chain *chain = kunit_kzalloc(test, sizeof(*chain), GFP_KERNEL);

	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, chain);
	memcpy(chain->steps, steps, nr * sizeof(*steps));
	chain->nr = nr;
	return chain;
}

static u32 follow_from(const struct chain *chain, const struct made_up *stack, u64 *room)
{
	return follow(chain, (unsigned long)stack->words, room);
}

static void frames(struct kunit *test)
{
	const struct step steps[] = {
		{ STEP_OWN, PLACE(0), 11 }, { STEP_FRAME, PLACE(1), 22 },
		{ STEP_FRAME, PLACE(5), 33 },
	};
	const struct chain *chain = chain_of(test, steps, ARRAY_SIZE(steps));
	struct made_up stack = { { 11, 22, 0, 0, 0, 33 } };
	u64 room[4] = { 0 };
	int i;

	KUNIT_EXPECT_EQ(test, follow_from(chain, &stack, room), 2);
	KUNIT_EXPECT_EQ(test, room[0], 22);
	KUNIT_EXPECT_EQ(test, room[1], 33);
	/* What lies between them does not matter, but each of them does. */
	stack.words[2] = 44;
	KUNIT_EXPECT_EQ(test, follow_from(chain, &stack, room), 2);
	for (i = 0; i < 3; i++) {
		struct made_up other = stack;

		other.words[i == 2 ? 5 : i]++;
		KUNIT_EXPECT_EQ(test, follow_from(chain, &other, room), 0);
	}
}

static void saved_frame_pointers(struct kunit *test)
{
	const struct step steps[] = {
		{ STEP_LOAD, PLACE(0) }, { STEP_SAME, PLACE(2) }, { STEP_BASE },
		{ STEP_FRAME, PLACE(1), 33 },
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
	u64 room[4] = { 0 };
	int i;

	stack.words[0] = good;
	stack.words[2] = good;
	KUNIT_EXPECT_EQ(test, follow_from(chain, &stack, room), 1);
	/* A frame may have another size. */
	stack.words[0] += sizeof(long);
	KUNIT_EXPECT_EQ(test, follow_from(chain, &stack, room), 0);
	stack.words[2] += sizeof(long);
	KUNIT_EXPECT_EQ(test, follow_from(chain, &stack, room), 1);
	for (i = 0; i < ARRAY_SIZE(bad); i++) {
		stack.words[0] = bad[i];
		stack.words[2] = bad[i];
		KUNIT_EXPECT_EQ(test, follow_from(chain, &stack, room), 0);
	}
}

static void top_of_the_stack(struct kunit *test)
{
	struct made_up stack = { { 11 } };
	const long top = (long)task_pt_regs(current) - (long)stack.words;
	const struct step steps[] = {
		{ STEP_FRAME, PLACE(0), 11 }, { STEP_TOP, top },
	};
	struct chain *chain = chain_of(test, steps, ARRAY_SIZE(steps));
	u64 room[4] = { 0 };

	KUNIT_EXPECT_EQ(test, follow_from(chain, &stack, room), 1);
	chain->steps[1].place -= sizeof(long);
	KUNIT_EXPECT_EQ(test, follow_from(chain, &stack, room), 0);
}

static struct kunit_case callchain_cache_cases[] = {
	KUNIT_CASE(frames),
	KUNIT_CASE(saved_frame_pointers),
	KUNIT_CASE(top_of_the_stack),
	{}
};

static struct kunit_suite callchain_cache_suite = {
	.name = "ktrace_callchain_cache",
	.test_cases = callchain_cache_cases,
};

kunit_test_suites(&callchain_cache_suite);
