// SPDX-License-Identifier: GPL-2.0
/* Counting: keys from raw data, and tables whose users are interrupted. */
#include <kunit/test.h>
#include <linux/completion.h>
#include <linux/kthread.h>
#include <linux/preempt.h>
#include <linux/sched.h>
#include <linux/slab.h>

#include "count/counting.c"
#include "count/counting_chains.c"
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

/* The context that claimed the slot was interrupted, and continues with the same key. */
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

/* The record's last bytes are the offset of a text. */
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

/* If creation fails, exactly the charged bytes are returned. */
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
	struct ktrace_counting_starts *starts = ktrace_counting_starts_create(64, 1, 1,
								      KTRACE_COUNTING_NO_TID);
	u64 pair, time = 0, kept = 7;

	KUNIT_ASSERT_NOT_NULL(test, starts);
	preempt_disable();
	for (pair = 0; pair < STRIPE_ROOM; pair++)
		KUNIT_EXPECT_EQ(test, ktrace_counting_starts_put(starts, &pair, pair << 32, pair,
							   &pair),
				KTRACE_COUNTING_PUT_NEW);
	KUNIT_EXPECT_EQ(test, ktrace_counting_starts_put(starts, &pair, 0, 0, &pair),
			KTRACE_COUNTING_PUT_FULL);
	pair = 70;
	KUNIT_EXPECT_EQ(test, ktrace_counting_starts_put(starts, &pair, pair << 32, 1000,
						   &kept),
			KTRACE_COUNTING_PUT_AGAIN);
	KUNIT_EXPECT_EQ(test, ktrace_counting_starts_take(starts, &pair, pair << 32, &time,
						    &kept), 0);
	KUNIT_EXPECT_EQ(test, time, 1000);
	KUNIT_EXPECT_EQ(test, kept, 7);
	KUNIT_EXPECT_EQ(test, ktrace_counting_starts_take(starts, &pair, pair << 32, &time,
						    &kept),
			-ENOENT);
	/* The removed pair makes room, and the other pairs of its list are still there. */
	KUNIT_EXPECT_EQ(test, ktrace_counting_starts_put(starts, &pair, pair << 32, 2,
						   &kept),
			KTRACE_COUNTING_PUT_NEW);
	for (pair = 0; pair < STRIPE_ROOM; pair++)
		KUNIT_EXPECT_EQ(test, ktrace_counting_starts_take(starts, &pair, pair << 32, &time,
						    &kept),
				0);
	preempt_enable();
	ktrace_counting_starts_destroy(starts);
}

static u64 put_chain_after(struct ktrace_counting_chains *chains, u64 first, u32 nr, bool user,
			   u64 last)
{
	u64 ips[8], number;
	u32 i;

	for (i = 0; i < nr; i++)
		ips[i] = first + i;
	preempt_disable();
	number = ktrace_counting_chains_put(chains, ips, nr, user, last);
	preempt_enable();
	return number;
}

static u64 put_chain(struct ktrace_counting_chains *chains, u64 first, u32 nr, bool user)
{
	return put_chain_after(chains, first, nr, user, 0);
}

static void stores_each_chain_once(struct kunit *test)
{
	struct ktrace_counting_chains *chains = ktrace_counting_chains_create(100, CLOCK_MONOTONIC);
	u64 numbers[50], i, j;

	KUNIT_ASSERT_NOT_NULL(test, chains);
	for (i = 0; i < ARRAY_SIZE(numbers); i++)
		numbers[i] = put_chain(chains, 1000 * i, 1 + i % 8, false);
	for (i = 0; i < ARRAY_SIZE(numbers); i++) {
		KUNIT_EXPECT_EQ(test, put_chain(chains, 1000 * i, 1 + i % 8, false), numbers[i]);
		for (j = 0; j < i; j++)
			KUNIT_EXPECT_NE(test, numbers[i], numbers[j]);
		/* With any previous chain. */
		for (j = 0; j <= i; j++)
			KUNIT_EXPECT_EQ(test, put_chain_after(chains, 1000 * i, 1 + i % 8, false,
							      numbers[j]), numbers[i]);
	}
	/* The beginning of a chain is another one, and so is the same in other memory. */
	KUNIT_EXPECT_NE(test, put_chain(chains, 1000, 1, false), numbers[1]);
	KUNIT_EXPECT_NE(test, put_chain(chains, 1000, 2, true), numbers[1]);
	KUNIT_EXPECT_EQ(test, put_chain(chains, 1000, 0, true), 0);
	KUNIT_EXPECT_EQ(test, atomic_read(&chains->used), 52);
	ktrace_counting_chains_destroy(chains);
}

/* Two chains whose hashes are the same: the second place has the first chain under it. */
static void compares_chains_whole(struct kunit *test)
{
	struct ktrace_counting_chains *chains = ktrace_counting_chains_create(100, CLOCK_MONOTONIC);
	const u64 ips[] = { 77, 78 };
	const struct owner owner = { 0 };
	struct place *place;
	u64 hash, first;

	KUNIT_ASSERT_NOT_NULL(test, chains);
	first = put_chain(chains, 5, 2, false);
	hash = chain_hash(chains, &owner, ips, 2);
	place = &chains->places[(hash >> 20) & chains->mask];
	*place = (struct place){ hash | PLACE_USED, first - 1 };
	KUNIT_EXPECT_NE(test, put_chain(chains, 77, 2, false), first);
	KUNIT_EXPECT_EQ(test, put_chain(chains, 77, 2, false), put_chain(chains, 77, 2, false));
	KUNIT_EXPECT_EQ(test, atomic_read(&chains->used), 2);
	ktrace_counting_chains_destroy(chains);
}

/* The context that claimed the place was interrupted: the same chain is stored once more. */
static void meets_a_claimed_chain(struct kunit *test)
{
	struct ktrace_counting_chains *chains = ktrace_counting_chains_create(100, CLOCK_MONOTONIC);
	const u64 ips[] = { 77, 78 };
	const struct owner owner = { 0 };
	struct place *place;

	KUNIT_ASSERT_NOT_NULL(test, chains);
	place = &chains->places[(chain_hash(chains, &owner, ips, 2) >> 20) & chains->mask];
	place->state = PLACE_CLAIMED;
	KUNIT_EXPECT_EQ(test, put_chain(chains, 77, 2, false), 1);
	KUNIT_EXPECT_EQ(test, put_chain(chains, 77, 2, false), 1);
	ktrace_counting_chains_destroy(chains);
}

/* Chains, or their words, are too many. */
static void has_no_room_for_chains(struct kunit *test)
{
	struct ktrace_counting_chains *chains = ktrace_counting_chains_create(2, CLOCK_MONOTONIC);
	u64 first;

	KUNIT_ASSERT_NOT_NULL(test, chains);
	first = put_chain(chains, 1, 8, false);
	KUNIT_EXPECT_NE(test, put_chain(chains, 100, 8, false), KTRACE_COUNTING_NO_ROOM);
	KUNIT_EXPECT_EQ(test, put_chain(chains, 200, 8, false), KTRACE_COUNTING_NO_ROOM);
	KUNIT_EXPECT_EQ(test, put_chain(chains, 1, 8, false), first);
	ktrace_counting_chains_destroy(chains);

	chains = ktrace_counting_chains_create(100, CLOCK_MONOTONIC);
	KUNIT_ASSERT_NOT_NULL(test, chains);
	chains->nr_words = HEAD_WORDS + 8;
	first = put_chain(chains, 1, 8, false);
	KUNIT_EXPECT_EQ(test, put_chain(chains, 100, 1, false), KTRACE_COUNTING_NO_ROOM);
	KUNIT_EXPECT_EQ(test, put_chain(chains, 100, 1, false), KTRACE_COUNTING_NO_ROOM);
	KUNIT_EXPECT_EQ(test, put_chain(chains, 1, 8, false), first);
	KUNIT_EXPECT_EQ(test, atomic_read(&chains->used), 1);
	ktrace_counting_chains_destroy(chains);
}

#define RACING_CHAINS	500

struct race {
	struct ktrace_counting_chains *chains;
	struct completion done;
	int bad;
	u64 known[RACING_CHAINS];
};

static int race_for_chains(void *data)
{
	struct race *race = data;
	u64 i;

	for (i = 0; i < RACING_CHAINS; i++)
		race->known[i] = put_chain(race->chains, 100 * i, 1 + i % 8, false);
	for (i = 0; i < RACING_CHAINS; i++) {
		const struct ktrace_chain_entry *chain = chain_at(race->chains, race->known[i] - 1);
		const u64 *ips = (const u64 *)(chain + 1);

		race->bad += chain->number != race->known[i] || chain->nr != 1 + i % 8 ||
			     ips[0] != 100 * i;
	}
	complete(&race->done);
	return 0;
}

/* Threads store the same chains at once: each gets numbers under which they are whole. */
static void chains_race(struct kunit *test)
{
	struct ktrace_counting_chains *chains =
		ktrace_counting_chains_create(4 * RACING_CHAINS, CLOCK_MONOTONIC);
	struct race *races = kvcalloc(4, sizeof(*races), GFP_KERNEL);
	int i;

	KUNIT_ASSERT_NOT_NULL(test, chains);
	KUNIT_ASSERT_NOT_NULL(test, races);
	for (i = 0; i < 4; i++) {
		races[i].chains = chains;
		init_completion(&races[i].done);
		KUNIT_ASSERT_FALSE(test, IS_ERR(kthread_run(race_for_chains, &races[i],
							    "ktrace_chains")));
	}
	for (i = 0; i < 4; i++) {
		wait_for_completion(&races[i].done);
		KUNIT_EXPECT_EQ(test, races[i].bad, 0);
	}
	KUNIT_EXPECT_GE(test, atomic_read(&chains->used), RACING_CHAINS);
	kvfree(races);
	ktrace_counting_chains_destroy(chains);
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
	KUNIT_CASE(stores_each_chain_once),
	KUNIT_CASE(compares_chains_whole),
	KUNIT_CASE(meets_a_claimed_chain),
	KUNIT_CASE(has_no_room_for_chains),
	KUNIT_CASE(chains_race),
	{ }
};

static struct kunit_suite counting_suite = {
	.name = "ktrace_counting",
	.test_cases = counting_cases,
};
kunit_test_suites(&counting_suite);
