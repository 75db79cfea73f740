// SPDX-License-Identifier: GPL-2.0
/* Counting: how keys are made of raw data, and tables that somebody interrupts. */
#include <kunit/test.h>
#include <linux/preempt.h>
#include <linux/sched.h>
#include <linux/slab.h>

#include "count/counting.c"
#include "count/counting_starts.c"
#include "count/counting_verify.c"

/* The accounting belongs to sessions, which are not tested here. */
static u64 charge_limit = U64_MAX, charged;

int ktrace_memlock_charge(struct ktrace_memlock *memlock, u64 bytes)
{
	if (bytes > charge_limit)
		return -EPERM;
	charged += bytes;
	return 0;
}

void ktrace_memlock_uncharge(struct ktrace_memlock *memlock, u64 bytes)
{
	charged -= bytes;
}

static struct ktrace_counting *new_counting(struct kunit *test, u32 entries,
					    const struct ktrace_count_part *part)
{
	struct ktrace_count_add add = {
		.role = KTRACE_COUNT_EACH, .entries = entries, .nr_parts = 1,
	};
	struct ktrace_counting *counting = kzalloc(sizeof(*counting), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, counting);
	KUNIT_ASSERT_EQ(test, ktrace_counting_verify(counting, &add, part, NULL), 0);
	counting->entries = entries;
	counting->cpu = alloc_percpu_gfp(struct ktrace_counting_cpu, GFP_KERNEL | __GFP_ZERO);
	KUNIT_ASSERT_NOT_NULL(test, (void __force *)counting->cpu);
	lay_out(counting);
	KUNIT_ASSERT_EQ(test, create_tables(counting, cpu_online_mask), 0);
	return counting;
}

static const struct ktrace_count_part number = {
	.src = KTRACE_COUNT_SRC_RECORD, .form = KTRACE_COUNT_NUMBER, .offset = 8, .width = 8,
};

static u32 take(struct ktrace_counting *counting, u64 value)
{
	u64 raw[2] = { 0, value };
	u32 result;

	preempt_disable();
	result = ktrace_counting_take(counting, raw, sizeof(raw));
	preempt_enable();
	return result;
}

static u64 total(struct ktrace_counting *counting, u64 key)
{
	u64 sum = 0;
	int cpu;
	u32 i;

	for_each_online_cpu(cpu) {
		for (i = 0; i <= counting->mask; i++) {
			struct slot *slot = slot_at(counting, on_cpu(counting, cpu), i);

			if ((unsigned long)local_read(&slot->state) > SLOT_CLAIMED &&
			    slot->words[0] == key)
				sum += local_read(&slot->count);
		}
	}
	return sum;
}

static void counts_each_key(struct kunit *test)
{
	struct ktrace_counting *counting = new_counting(test, 1000, &number);
	u64 i;

	for (i = 0; i < 3000; i++)
		KUNIT_EXPECT_EQ(test, take(counting, i % 100), KTRACE_COUNTING_COUNTED);
	for (i = 0; i < 100; i++)
		KUNIT_EXPECT_EQ(test, total(counting, i), 30);
	ktrace_counting_destroy(counting);
}

/* A signed number may be the last bytes of the record, and a record may end within it. */
static void numbers_at_the_end(struct kunit *test)
{
	static const u8 raw[8] = { 0, 0, 0, 0, 0xfe, 0xff, 0xff, 0xff };
	static const struct {
		u8 how, offset, width;
		u32 size;
		u64 want;
	} numbers[] = {
		{ KTRACE_COUNTING_S32, 4, 4, 8, -2 },
		{ KTRACE_COUNTING_S16, 4, 2, 6, -2 },
		{ KTRACE_COUNTING_S8, 4, 1, 5, -2 },
		{ KTRACE_COUNTING_U32, 4, 4, 8, 0xfffffffe },
		{ KTRACE_COUNTING_S32, 4, 4, 6, 0xfffe },
		{ KTRACE_COUNTING_U32, 4, 4, 4, 0 },
	};
	int i;

	for (i = 0; i < ARRAY_SIZE(numbers); i++) {
		struct ktrace_counting_part part = {
			.how = numbers[i].how, .offset = numbers[i].offset,
			.width = numbers[i].width,
		};

		KUNIT_EXPECT_EQ(test, load_number(&part, raw, numbers[i].size, 0), numbers[i].want);
	}
}

/* Whoever claimed the slot was interrupted, and goes on afterwards with the same key. */
static void meets_a_claimed_slot(struct kunit *test)
{
	struct ktrace_counting *counting = new_counting(test, 100, &number);
	u64 key = 5, hash = hash_of(counting->seed, &key, 1);
	struct ktrace_counting_cpu *cc;
	struct slot *slot;

	migrate_disable();
	cc = on_cpu(counting, raw_smp_processor_id());
	slot = slot_at(counting, cc, hash >> 20);
	local_set(&slot->state, SLOT_CLAIMED);
	KUNIT_EXPECT_EQ(test, take(counting, key), KTRACE_COUNTING_COUNTED);
	KUNIT_EXPECT_EQ(test, local_read(&slot->count), 0);
	slot->words[0] = key;
	local_set(&slot->state, hash | 2);
	KUNIT_EXPECT_EQ(test, take(counting, key), KTRACE_COUNTING_COUNTED);
	KUNIT_EXPECT_EQ(test, local_read(&slot->count), 1);
	KUNIT_EXPECT_EQ(test, total(counting, key), 2);
	migrate_enable();
	ktrace_counting_destroy(counting);
}

/* Keys of one hash do not make a search endless. */
static void gives_up_after_some_slots(struct kunit *test)
{
	struct ktrace_counting *counting = new_counting(test, 1000, &number);
	struct ktrace_counting_cpu *cc;
	u32 i;

	migrate_disable();
	cc = on_cpu(counting, raw_smp_processor_id());
	for (i = 0; i <= counting->mask; i++)
		local_set(&slot_at(counting, cc, i)->state, SLOT_CLAIMED);
	KUNIT_EXPECT_EQ(test, take(counting, 5), KTRACE_LOST_NO_SLOT);
	KUNIT_EXPECT_EQ(test, local_read(&cc->lost[KTRACE_LOST_NO_SLOT]), 1);
	migrate_enable();
	ktrace_counting_destroy(counting);
}

static void cuts_texts(struct kunit *test)
{
	static const char text[] = "abcdefgh\0ijklmno";
	u64 to[3];
	u32 len, i;

	for (len = 0; len <= 16; len++) {
		memset(to, 0xff, sizeof(to));
		copy_text(to, 3, text, len);
		for (i = 0; i < sizeof(to); i++)
			KUNIT_EXPECT_EQ(test, ((char *)to)[i], i < min(len, 8U) ? text[i] : 0);
	}
}

/* The record's last bytes tell where a text is. */
static void texts_that_the_end_places(struct kunit *test)
{
	static const struct {
		char text[8];
		__le32 place;
	} raw = { "abcde", cpu_to_le32(6 << 16) };
	struct ktrace_counting_part part = {
		.how = KTRACE_COUNTING_DATA_LOC, .offset = 8, .width = 8, .words = 1,
	};
	u64 to = U64_MAX;

	load_text(&part, &raw, sizeof(raw), &to);
	KUNIT_EXPECT_EQ(test, memcmp(&to, raw.text, sizeof(to)), 0);
	load_text(&part, &raw, sizeof(raw) - 1, &to);
	KUNIT_EXPECT_EQ(test, to, 0);
}

/* What was charged is given back if there is no counting after all, and nothing else is. */
static void gives_back_what_it_charged(struct kunit *test)
{
	struct ktrace_count_add add = {
		.role = KTRACE_COUNT_EACH, .entries = 16, .nr_parts = 1,
	};
	struct ktrace_counting *counting;

	charged = 0;
	charge_limit = 0;
	counting = ktrace_counting_create(&add, &number, NULL, CLOCK_MONOTONIC, cpu_online_mask,
					  U64_MAX, NULL);
	charge_limit = U64_MAX;
	KUNIT_EXPECT_EQ(test, PTR_ERR_OR_ZERO(counting), -EPERM);
	KUNIT_EXPECT_EQ(test, charged, 0);
	if (!IS_ERR(counting))
		ktrace_counting_destroy(counting);
}

static void keeps_starts(struct kunit *test)
{
	struct ktrace_counting_starts *starts = ktrace_counting_starts_create(64, 1,
								      KTRACE_COUNTING_NO_TID);
	u64 pair, time = 0;

	KUNIT_ASSERT_NOT_NULL(test, starts);
	preempt_disable();
	for (pair = 0; pair < STRIPE_ROOM; pair++)
		KUNIT_EXPECT_EQ(test, ktrace_counting_starts_put(starts, &pair, pair << 32, pair),
				KTRACE_COUNTING_PUT_NEW);
	KUNIT_EXPECT_EQ(test, ktrace_counting_starts_put(starts, &pair, 0, 0),
			KTRACE_COUNTING_PUT_FULL);
	pair = 70;
	KUNIT_EXPECT_EQ(test, ktrace_counting_starts_put(starts, &pair, pair << 32, 1000),
			KTRACE_COUNTING_PUT_AGAIN);
	KUNIT_EXPECT_EQ(test, ktrace_counting_starts_take(starts, &pair, pair << 32, &time), 0);
	KUNIT_EXPECT_EQ(test, time, 1000);
	KUNIT_EXPECT_EQ(test, ktrace_counting_starts_take(starts, &pair, pair << 32, &time),
			-ENOENT);
	/* What was taken out makes room, and the others of its list are still there. */
	KUNIT_EXPECT_EQ(test, ktrace_counting_starts_put(starts, &pair, pair << 32, 2),
			KTRACE_COUNTING_PUT_NEW);
	for (pair = 0; pair < STRIPE_ROOM; pair++)
		KUNIT_EXPECT_EQ(test, ktrace_counting_starts_take(starts, &pair, pair << 32, &time),
				0);
	preempt_enable();
	ktrace_counting_starts_destroy(starts);
}

static struct kunit_case counting_cases[] = {
	KUNIT_CASE(counts_each_key),
	KUNIT_CASE(numbers_at_the_end),
	KUNIT_CASE(meets_a_claimed_slot),
	KUNIT_CASE(gives_up_after_some_slots),
	KUNIT_CASE(cuts_texts),
	KUNIT_CASE(texts_that_the_end_places),
	KUNIT_CASE(gives_back_what_it_charged),
	KUNIT_CASE(keeps_starts),
	{ }
};

static struct kunit_suite counting_suite = {
	.name = "ktrace_counting",
	.test_cases = counting_cases,
};
kunit_test_suites(&counting_suite);
