// SPDX-License-Identifier: GPL-2.0
/* Known call chains, recognized on stacks that are built by hand. */
#include <kunit/test.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "chain/callchain_cache.c"

/* A part of the test's own stack that looks like frames. */
struct made_up {
	unsigned long words[8];
};

#define PLACE(n)		((n) * sizeof(long))

static struct chain *new_chain(struct kunit *test)
{
	struct chain *chain = kunit_kzalloc(test, sizeof(*chain), GFP_KERNEL);

	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, chain);
	begin_segment(&chain->segments[0]);
	chain->last = &chain->segments[0];
	return chain;
}

static void add_return(struct kunit *test, struct chain *chain, u32 nth, unsigned long address)
{
	struct segment *segment = chain->segments + (chain->last - chain->segments);
	struct place *place = chain->places;
	u32 i;

	for (i = 0; i <= chain->last - chain->segments; i++)
		place += chain->segments[i].nr;
	*place = (struct place){ PLACE(nth), address };
	KUNIT_ASSERT_TRUE(test, add_place(segment, PLACE(nth)));
	segment->nr++;
}

/* The next segment's base is saved at the @nth word, and perhaps at another one, too. */
static void add_base(struct kunit *test, struct chain *chain, u32 nth, u32 same)
{
	struct segment *next = chain->segments + (chain->last - chain->segments) + 1;

	KUNIT_ASSERT_TRUE(test, add_place(next - 1, PLACE(nth)));
	begin_segment(next);
	next->saved = PLACE(nth);
	if (same) {
		KUNIT_ASSERT_TRUE(test, add_place(next - 1, PLACE(same)));
		next->same[next->nr_same++] = PLACE(same);
	}
	chain->last = next;
}

/* @last_base: the base of the chain's last segment, and of its top. */
static bool is_followed(struct chain *chain, const struct made_up *stack, const void *last_base)
{
	chain->top = (unsigned long)task_pt_regs(current) - (unsigned long)last_base;
	return follow(chain, (unsigned long)stack->words);
}

static void frames(struct kunit *test)
{
	struct chain *chain = new_chain(test);
	struct made_up stack = { { 11, 22, 0, 0, 0, 33 } };
	int i;

	add_return(test, chain, 0, 11);
	add_return(test, chain, 1, 22);
	add_return(test, chain, 5, 33);
	KUNIT_EXPECT_TRUE(test, is_followed(chain, &stack, &stack));
	/* The words between them do not matter, but each of them does. */
	stack.words[2] = 44;
	KUNIT_EXPECT_TRUE(test, is_followed(chain, &stack, &stack));
	for (i = 0; i < 3; i++) {
		struct made_up other = stack;

		other.words[i == 2 ? 5 : i]++;
		KUNIT_EXPECT_FALSE(test, is_followed(chain, &other, &other));
	}
}

static void saved_frame_pointers(struct kunit *test)
{
	struct chain *chain = new_chain(test);
	struct made_up stack = { { 0, 11, 0, 0, 33, 33, 34 } };
	const unsigned long *good = &stack.words[3];
	const unsigned long bad[] = {
		0, (unsigned long)good + 1, (unsigned long)&stack.words[5], 8, ULONG_MAX,
		(unsigned long)task_stack_page(current) + THREAD_SIZE - sizeof(long),
		(unsigned long)task_stack_page(current) - 2 * sizeof(long),
		(unsigned long)test,
	};
	int i;

	add_return(test, chain, 1, 11);
	add_base(test, chain, 0, 2);
	add_return(test, chain, 1, 33);
	stack.words[0] = (unsigned long)good;
	stack.words[2] = (unsigned long)good;
	KUNIT_EXPECT_TRUE(test, is_followed(chain, &stack, good));
	/* A frame may have another size. */
	stack.words[0] += sizeof(long);
	KUNIT_EXPECT_FALSE(test, is_followed(chain, &stack, good + 1));
	stack.words[2] += sizeof(long);
	KUNIT_EXPECT_TRUE(test, is_followed(chain, &stack, good + 1));
	for (i = 0; i < ARRAY_SIZE(bad); i++) {
		stack.words[0] = bad[i];
		stack.words[2] = bad[i];
		KUNIT_EXPECT_FALSE(test, is_followed(chain, &stack, (void *)bad[i]));
	}
}

/* The highest slot of a segment limits how far its base may be above the stack's end. */
static void highest_places(struct kunit *test)
{
	struct chain *chain = new_chain(test);
	const u32 stack_room = THREAD_SIZE - sizeof(long);

	add_return(test, chain, 1, 11);
	add_return(test, chain, 2, 22);
	add_base(test, chain, 4, 3);
	add_return(test, chain, 1, 44);
	add_return(test, chain, 6, 55);
	KUNIT_EXPECT_EQ(test, stack_room - (u32)PLACE(4), chain->segments[0].room);
	KUNIT_EXPECT_EQ(test, stack_room - (u32)PLACE(6), chain->segments[1].room);
	KUNIT_EXPECT_TRUE(test, fits(&chain->segments[1], 4096 + stack_room - PLACE(6), 4096));
	KUNIT_EXPECT_FALSE(test, fits(&chain->segments[1], 4096 + stack_room - PLACE(5), 4096));
	KUNIT_EXPECT_FALSE(test, fits(&chain->segments[1], 4096 - PLACE(1), 4096));
	KUNIT_EXPECT_FALSE(test, add_place(&chain->segments[1], THREAD_SIZE));
}

static void top_of_the_stack(struct kunit *test)
{
	struct chain *chain = new_chain(test);
	struct made_up stack = { { 11 } };

	add_return(test, chain, 0, 11);
	KUNIT_EXPECT_TRUE(test, is_followed(chain, &stack, &stack));
	KUNIT_EXPECT_FALSE(test, is_followed(chain, &stack, &stack.words[1]));
}

static void places_on_the_stack(struct kunit *test)
{
	const unsigned long stack = (unsigned long)task_stack_page(current);

	KUNIT_EXPECT_TRUE(test, is_on_stack(stack));
	KUNIT_EXPECT_TRUE(test, is_on_stack(stack + THREAD_SIZE - sizeof(long)));
	KUNIT_EXPECT_FALSE(test, is_on_stack(stack + 1));
	KUNIT_EXPECT_FALSE(test, is_on_stack(stack + THREAD_SIZE - sizeof(long) + 1));
	KUNIT_EXPECT_FALSE(test, is_on_stack(stack + THREAD_SIZE));
	KUNIT_EXPECT_FALSE(test, is_on_stack(stack - sizeof(long)));
	KUNIT_EXPECT_FALSE(test, is_on_stack(0));
}

static void beginning_of_a_chain(struct kunit *test)
{
	static const struct frame frames[] = {
		{ .ip = 11 }, { .ip = 22 }, { .ip = 33 }, { .ip = 44 }, { .ip = 55 },
	};
	static const u64 chain[] = { 22, 33, 99, 99 };

	KUNIT_EXPECT_TRUE(test, begins_at(frames, 1, chain, 2));
	KUNIT_EXPECT_FALSE(test, begins_at(frames, 1, chain, 3));
	KUNIT_EXPECT_FALSE(test, begins_at(frames, 0, chain, 2));
}

static struct kunit_case callchain_cache_cases[] = {
	KUNIT_CASE(frames),
	KUNIT_CASE(saved_frame_pointers),
	KUNIT_CASE(highest_places),
	KUNIT_CASE(top_of_the_stack),
	KUNIT_CASE(places_on_the_stack),
	KUNIT_CASE(beginning_of_a_chain),
	{}
};

static struct kunit_suite callchain_cache_suite = {
	.name = "ktrace_callchain_cache",
	.test_cases = callchain_cache_cases,
};

kunit_test_suites(&callchain_cache_suite);
