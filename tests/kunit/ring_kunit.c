// SPDX-License-Identifier: GPL-2.0
#include <kunit/test.h>
#include <linux/err.h>
#include <linux/memcontrol.h>
#include <linux/mm.h>
#include <linux/perf_event.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/topology.h>
#include <linux/vmalloc.h>

#define KUNIT_INTERRUPT_BARRIERS
#include "interrupt.h"
#include "ring/ring.c"

/* A sample of KTRACE_SAMPLE_TYPE without raw bytes, but with 8 for its number. */
#define SIZE 72

struct record {
	struct perf_event_header header;
	u64 tag;
	u64 fill[2];
	u64 time;
	u64 more[3];
	u64 seq;
};

static_assert(sizeof(struct record) == SIZE);

static struct ktrace_ring_waiters waiters;

static struct ktrace_ring *create(struct kunit *test, unsigned int pages, int clockid)
{
	struct ktrace_ring *ring;

	init_waitqueue_head(&waiters.queue);
	waiters.armed = false;
	ring = ktrace_ring_create(raw_smp_processor_id(), pages, 512, clockid, &waiters);
	KUNIT_ASSERT_FALSE(test, IS_ERR(ring));
	return ring;
}

static void set_tail(struct ktrace_ring *ring, u64 tail)
{
	((struct ktrace_ring_tail *)ring->tail)->data_tail = tail;
}

static struct record *reserve(struct ktrace_ring *ring, u64 tag)
{
	enum ktrace_lost lost;
	struct record *record;
	u64 time;

	record = ktrace_ring_reserve(ring, SIZE, &time, &lost);
	if (!record && ring->overwrites)
		record = ktrace_ring_reserve_overwriting(ring, SIZE, &time, &lost);
	if (!record)
		return NULL;
	memset(record, 0xee, SIZE);
	record->header.type = PERF_RECORD_SAMPLE;
	record->header.misc = KTRACE_RING_WANTS_SEQ;
	record->header.size = SIZE;
	record->tag = tag;
	record->time = time;
	return record;
}

static bool write(struct ktrace_ring *ring, u64 tag)
{
	bool stored;

	preempt_disable();
	stored = reserve(ring, tag);
	if (stored)
		ktrace_ring_commit(ring);
	preempt_enable();
	return stored;
}

static struct record *at(struct ktrace_ring *ring, u64 pos)
{
	return ring->data + (pos & (ring->size - 1));
}

/* Are all published records from @pos on in the order of time and numbers? */
static bool is_sound(struct ktrace_ring *ring, u64 pos, u64 seq)
{
	u64 last = 0;

	if (ring->nest || ring->published != local_read(&ring->head) ||
	    ring->meta->data_head != ring->published)
		return false;
	for (; pos != ring->published; pos += SIZE, seq++) {
		struct record *record = at(ring, pos);

		if (record->header.type != PERF_RECORD_SAMPLE || record->header.misc ||
		    record->header.size != SIZE || record->time < last || record->seq != seq)
			return false;
		last = record->time;
	}
	return ring->samples == seq;
}

static void ring_writes_and_publishes(struct kunit *test)
{
	struct ktrace_ring *ring = create(test, 1, CLOCK_MONOTONIC);
	u64 i;

	KUNIT_EXPECT_EQ(test, ring->meta->size, (u32)sizeof(*ring->meta));
	KUNIT_EXPECT_EQ(test, ring->meta->data_size, (u64)PAGE_SIZE);
	for (i = 0; i < 10; i++) {
		KUNIT_EXPECT_TRUE(test, write(ring, i));
		KUNIT_EXPECT_EQ(test, ring->meta->data_head, (i + 1) * SIZE);
		KUNIT_EXPECT_EQ(test, at(ring, i * SIZE)->tag, i);
	}
	KUNIT_EXPECT_TRUE(test, is_sound(ring, 0, 0));
	KUNIT_EXPECT_EQ(test, ktrace_ring_held(ring), 10 * (u64)SIZE);
	ktrace_ring_destroy(ring);
}

static void ring_fills_to_the_byte(struct kunit *test)
{
	struct ktrace_ring *ring = create(test, 1, CLOCK_MONOTONIC);
	enum ktrace_lost lost = KTRACE_LOST_NR;
	u64 time;
	int i;

	for (i = 0; i < PAGE_SIZE / SIZE; i++)
		KUNIT_EXPECT_TRUE(test, write(ring, i));
	preempt_disable();
	KUNIT_EXPECT_FALSE(test, ktrace_ring_has_room(ring, SIZE));
	KUNIT_EXPECT_PTR_EQ(test, ktrace_ring_reserve(ring, SIZE, &time, &lost), NULL);
	KUNIT_EXPECT_EQ(test, (int)lost, (int)KTRACE_LOST_FULL);
	KUNIT_EXPECT_EQ(test, ring->nest, 0U);
	preempt_enable();

	/* If one byte is missing, there is no room. */
	set_tail(ring, SIZE - PAGE_SIZE % SIZE - 1);
	KUNIT_EXPECT_FALSE(test, write(ring, i));
	set_tail(ring, SIZE - PAGE_SIZE % SIZE);
	KUNIT_EXPECT_TRUE(test, write(ring, i));
	KUNIT_EXPECT_FALSE(test, write(ring, i));
	ktrace_ring_destroy(ring);
}

/* With any tail of the reader, nothing is written outside of the pages. */
static void ring_takes_any_tail(struct kunit *test)
{
	static const u64 tails[] = {
		U64_MAX, U64_MAX - 7, BIT_ULL(63), BIT_ULL(32), PAGE_SIZE + 1, 1, 0,
	};
	struct ktrace_ring *ring = create(test, 1, CLOCK_MONOTONIC);
	u64 head;
	int i, n;

	for (i = 0; i < 2 * ARRAY_SIZE(tails); i++) {
		head = local_read(&ring->head);
		set_tail(ring, i < ARRAY_SIZE(tails) ? tails[i] : head + tails[i / 2]);
		for (n = 0; n < 100; n++)
			write(ring, n);
		KUNIT_EXPECT_EQ(test, ring->nest, 0U);
		KUNIT_EXPECT_EQ(test, ring->published, (u64)local_read(&ring->head));
	}
	head = local_read(&ring->head);
	set_tail(ring, head);
	KUNIT_EXPECT_TRUE(test, write(ring, 1));
	KUNIT_EXPECT_EQ(test, ktrace_ring_held(ring), (u64)SIZE);
	ktrace_ring_destroy(ring);
}

/* The reader claims to have read a record that is not complete yet. */
static void ring_takes_a_tail_in_what_is_unpublished(struct kunit *test)
{
	struct ktrace_ring *ring = create(test, 1, CLOCK_MONOTONIC);
	int stored = 0;

	preempt_disable();
	KUNIT_EXPECT_TRUE(test, write(ring, 1));
	KUNIT_EXPECT_NOT_NULL(test, reserve(ring, 2));
	set_tail(ring, local_read(&ring->head));
	while (stored < 2 * PAGE_SIZE / SIZE && write(ring, 3))
		stored++;
	ktrace_ring_commit(ring);
	preempt_enable();
	KUNIT_EXPECT_EQ(test, stored, 0);
	KUNIT_EXPECT_TRUE(test, is_sound(ring, 0, 0));
	KUNIT_EXPECT_TRUE(test, write(ring, 4));
	KUNIT_EXPECT_TRUE(test, is_sound(ring, 0, 0));
	ktrace_ring_destroy(ring);
}

/* A record is in one piece also at the end of the ring. */
static void ring_does_not_wrap_records(struct kunit *test)
{
	struct ktrace_ring *ring = create(test, 2, CLOCK_MONOTONIC);
	u64 i, n = 5 * 2 * PAGE_SIZE / SIZE;

	for (i = 0; i < n; i++) {
		KUNIT_ASSERT_TRUE(test, write(ring, i));
		set_tail(ring, local_read(&ring->head));
		KUNIT_ASSERT_EQ(test, at(ring, i * SIZE)->tag, i);
	}
	KUNIT_EXPECT_EQ(test, memcmp(ring->data, ring->data + ring->size, ring->size), 0);
	ktrace_ring_destroy(ring);
}

static void ring_bounds_nesting(struct kunit *test)
{
	struct ktrace_ring *ring = create(test, 1, CLOCK_MONOTONIC);
	enum ktrace_lost lost = KTRACE_LOST_NR;
	u64 time, i;
	void *more;

	preempt_disable();
	for (i = 0; i < KTRACE_RING_MAX_NEST; i++)
		if (!reserve(ring, i))
			break;
	more = ktrace_ring_reserve(ring, SIZE, &time, &lost);
	for (; i; i--)
		ktrace_ring_commit(ring);
	preempt_enable();
	KUNIT_EXPECT_PTR_EQ(test, more, NULL);
	KUNIT_EXPECT_EQ(test, (int)lost, (int)KTRACE_LOST_NESTED);
	KUNIT_EXPECT_EQ(test, ring->published, (u64)KTRACE_RING_MAX_NEST * SIZE);
	KUNIT_EXPECT_TRUE(test, is_sound(ring, 0, 0));
	ktrace_ring_destroy(ring);
}

/* Records of a nested writer become visible together with those of the outermost one. */
static void ring_publishes_from_outside(struct kunit *test)
{
	struct ktrace_ring *ring = create(test, 1, CLOCK_MONOTONIC);
	u64 inner, failed, outer;

	preempt_disable();
	reserve(ring, 0);
	reserve(ring, 1);
	ktrace_ring_commit(ring);
	inner = ring->meta->data_head;
	/* This holds also for a nested writer that finds no room. */
	set_tail(ring, local_read(&ring->head) + 1);
	reserve(ring, 2);
	failed = ring->meta->data_head;
	ktrace_ring_commit(ring);
	outer = ring->meta->data_head;
	preempt_enable();
	KUNIT_EXPECT_EQ(test, inner, 0ULL);
	KUNIT_EXPECT_EQ(test, failed, 0ULL);
	KUNIT_EXPECT_EQ(test, outer, 2ULL * SIZE);
	KUNIT_EXPECT_TRUE(test, is_sound(ring, 0, 0));
	ktrace_ring_destroy(ring);
}

/* When the clock steps back, the time of records stands still. */
static void ring_time_does_not_step_back(struct kunit *test)
{
	struct ktrace_ring *ring = create(test, 1, CLOCK_MONOTONIC);
	struct record *record;
	u64 first;

	write(ring, 0);
	first = at(ring, 0)->time;
	preempt_disable();
	record = reserve(ring, 1);
	record->time = first - 1000;
	ktrace_ring_commit(ring);
	preempt_enable();
	KUNIT_EXPECT_EQ(test, at(ring, SIZE)->time, first);
	write(ring, 2);
	KUNIT_EXPECT_GE(test, at(ring, 2 * SIZE)->time, first);
	KUNIT_EXPECT_TRUE(test, is_sound(ring, 0, 0));
	ktrace_ring_destroy(ring);
}

static void ring_wakes_who_armed(struct kunit *test)
{
	struct ktrace_ring *ring = create(test, 1, CLOCK_MONOTONIC);
	int i;

	/* 512 bytes are 8 records, so a single one is not enough. */
	waiters.armed = true;
	for (i = 0; i < 7; i++)
		write(ring, i);
	irq_work_sync(&ring->wakeup);
	KUNIT_EXPECT_TRUE(test, waiters.armed);
	write(ring, i);
	irq_work_sync(&ring->wakeup);
	KUNIT_EXPECT_FALSE(test, waiters.armed);
	/* As nobody has armed, nobody is woken. */
	write(ring, i);
	irq_work_sync(&ring->wakeup);
	/* A reader that arms while the ring holds enough is woken by the next record. */
	waiters.armed = true;
	write(ring, i);
	irq_work_sync(&ring->wakeup);
	KUNIT_EXPECT_FALSE(test, waiters.armed);
	ktrace_ring_destroy(ring);
}

/* ---- writers that interrupt each other at any point -------------------------- */

static struct ktrace_ring *nested_ring;

static void nested_write(void *data, int level)
{
	write(nested_ring, level);
}

/* Two records follow each other, with room for both or for less. */
static u64 nested_room;

static bool nested_scenario(struct kunit_interrupts *irqs)
{
	struct ktrace_ring *ring = nested_ring;
	u64 pos = local_read(&ring->head), seq = ring->samples;
	u64 written;

	irqs->handler = nested_write;
	set_tail(ring, pos + nested_room - ring->size);
	preempt_disable();
	kunit_interrupts_begin(irqs);
	write(ring, 0);
	write(ring, 0);
	kunit_interrupts_end();
	preempt_enable();

	if (!is_sound(ring, pos, seq))
		return false;
	/* Each writer that ran has its record there, if there was room. */
	written = 2 + irqs->came[0] + irqs->came[1];
	return ring->samples - seq == min_t(u64, written, nested_room / SIZE);
}

static void ring_nests_anywhere(struct kunit *test)
{
	static const int clocks[] = { CLOCK_MONOTONIC, KTRACE_CLOCK_PERF, CLOCK_REALTIME };
	int i, tried = 0;

	for (i = 0; i < ARRAY_SIZE(clocks); i++) {
		nested_ring = create(test, 1, clocks[i]);
		for (nested_room = 0; nested_room <= 5 * SIZE; nested_room += SIZE)
			KUNIT_EXPECT_TRUE(test, kunit_interrupts_everywhere(nested_scenario,
									    &tried));
		ktrace_ring_destroy(nested_ring);
	}
	/* With room for all, there are many points to interrupt. */
	KUNIT_EXPECT_GT(test, tried, 100);
	kunit_info(test, "%d ways to nest with room for all\n", tried);
}

/* ---- rings that overwrite ---------------------------------------------------- */

static u64 tail_of(const struct ktrace_ring *ring)
{
	return READ_ONCE(ring->tail->data_tail);
}

/* The rest begins with a record, and has as many of the newest records as have room. */
static bool is_newest(struct ktrace_ring *ring)
{
	u64 tail = tail_of(ring), held = ring->published - tail;

	return held <= ring->size && held >= ring->size / 4 &&
	       is_sound(ring, tail, at(ring, tail)->seq);
}

static void ring_overwrites_the_oldest(struct kunit *test)
{
	struct ktrace_ring *ring = create(test, 1, CLOCK_MONOTONIC);
	u64 i, last;

	ktrace_ring_overwrite(ring);
	for (i = 0; i < 3000; i++) {
		KUNIT_ASSERT_TRUE(test, write(ring, i));
		last = ring->published - SIZE;
		KUNIT_ASSERT_EQ(test, at(ring, last)->tag, i);
		if (i > 2 * PAGE_SIZE / SIZE)
			KUNIT_ASSERT_TRUE(test, is_newest(ring));
	}
	KUNIT_EXPECT_EQ(test, ring->samples, 3000ULL);
	ktrace_ring_destroy(ring);
}

/* A record that is being written is not overwritten by a writer that interrupts. */
static void ring_overwrites_no_unpublished(struct kunit *test)
{
	struct ktrace_ring *ring = create(test, 1, CLOCK_MONOTONIC);
	u64 pos, i, stored = 0;

	ktrace_ring_overwrite(ring);
	for (i = 0; i < 100; i++)
		write(ring, i);
	preempt_disable();
	pos = local_read(&ring->head);
	reserve(ring, 77);
	for (i = 0; i < 200; i++)
		stored += write(ring, 1000 + i);
	/* All but the first record are the interrupting writer's. */
	KUNIT_EXPECT_EQ(test, stored, PAGE_SIZE / SIZE - 1);
	KUNIT_EXPECT_EQ(test, tail_of(ring), pos);
	KUNIT_EXPECT_EQ(test, at(ring, pos)->tag, 77ULL);
	ktrace_ring_commit(ring);
	preempt_enable();
	KUNIT_EXPECT_TRUE(test, is_newest(ring));
	KUNIT_EXPECT_TRUE(test, write(ring, 1));
	KUNIT_EXPECT_TRUE(test, is_newest(ring));
	ktrace_ring_destroy(ring);
}

static bool overwriting_scenario(struct kunit_interrupts *irqs)
{
	struct ktrace_ring *ring = nested_ring;
	u64 before = ring->samples;

	irqs->handler = nested_write;
	preempt_disable();
	kunit_interrupts_begin(irqs);
	write(ring, 0);
	write(ring, 0);
	kunit_interrupts_end();
	preempt_enable();
	return is_newest(ring) &&
	       ring->samples - before == 2 + irqs->came[0] + irqs->came[1];
}

static void ring_overwrites_nested(struct kunit *test)
{
	int i, tried = 0;

	nested_ring = create(test, 1, CLOCK_MONOTONIC);
	ktrace_ring_overwrite(nested_ring);
	for (i = 0; i < 200; i++)
		write(nested_ring, i);
	/* Each time the ring is full at another place. */
	for (i = 0; i < 60; i++) {
		KUNIT_ASSERT_TRUE(test, kunit_interrupts_everywhere(overwriting_scenario, &tried));
		write(nested_ring, i);
	}
	ktrace_ring_destroy(nested_ring);
	KUNIT_EXPECT_GT(test, tried, 100);
}

static bool snapshot_look_writes;

static void snapshot_look(void *data)
{
	if (snapshot_look_writes)
		write(data, 5);
}

static void ring_snapshot_is_of_one_instant(struct kunit *test)
{
	struct ktrace_ring *ring = create(test, 1, CLOCK_MONOTONIC);

	ktrace_ring_overwrite(ring);
	write(ring, 0);
	preempt_disable();
	snapshot_look_writes = false;
	KUNIT_EXPECT_TRUE(test, ktrace_ring_snapshot(ring, snapshot_look, ring));
	KUNIT_EXPECT_EQ(test, ring->meta->snapshot_head, (u64)SIZE);
	/* Now an NMI comes meanwhile. */
	snapshot_look_writes = true;
	KUNIT_EXPECT_FALSE(test, ktrace_ring_snapshot(ring, snapshot_look, ring));
	KUNIT_EXPECT_EQ(test, ring->meta->snapshot_head, (u64)SIZE);
	/* Now the snapshot interrupts a writer. */
	snapshot_look_writes = false;
	reserve(ring, 1);
	KUNIT_EXPECT_FALSE(test, ktrace_ring_snapshot(ring, snapshot_look, ring));
	ktrace_ring_commit(ring);
	KUNIT_EXPECT_TRUE(test, ktrace_ring_snapshot(ring, snapshot_look, ring));
	KUNIT_EXPECT_EQ(test, ring->meta->snapshot_head, 3ULL * SIZE);
	preempt_enable();
	ktrace_ring_destroy(ring);
}

static void ring_trigger_wakes(struct kunit *test)
{
	struct ktrace_ring *ring = create(test, 1, CLOCK_MONOTONIC);
	int i;

	ktrace_ring_overwrite(ring);
	waiters.armed = true;
	waiters.triggered = false;
	for (i = 0; i < 200; i++)
		write(ring, i);
	irq_work_sync(&ring->wakeup);
	KUNIT_EXPECT_TRUE(test, waiters.armed);
	KUNIT_EXPECT_FALSE(test, waiters.triggered);
	ktrace_ring_trigger(ring);
	irq_work_sync(&ring->wakeup);
	KUNIT_EXPECT_FALSE(test, waiters.armed);
	KUNIT_EXPECT_TRUE(test, waiters.triggered);
	ktrace_ring_destroy(ring);
}

static struct kunit_case ring_cases[] = {
	KUNIT_CASE(ring_writes_and_publishes),
	KUNIT_CASE(ring_fills_to_the_byte),
	KUNIT_CASE(ring_takes_any_tail),
	KUNIT_CASE(ring_takes_a_tail_in_what_is_unpublished),
	KUNIT_CASE(ring_does_not_wrap_records),
	KUNIT_CASE(ring_bounds_nesting),
	KUNIT_CASE(ring_publishes_from_outside),
	KUNIT_CASE(ring_time_does_not_step_back),
	KUNIT_CASE(ring_wakes_who_armed),
	KUNIT_CASE(ring_nests_anywhere),
	KUNIT_CASE(ring_overwrites_the_oldest),
	KUNIT_CASE(ring_overwrites_no_unpublished),
	KUNIT_CASE(ring_overwrites_nested),
	KUNIT_CASE(ring_snapshot_is_of_one_instant),
	KUNIT_CASE(ring_trigger_wakes),
	{}
};

static struct kunit_suite ring_suite = {
	.name = "ktrace_ring",
	.test_cases = ring_cases,
};

kunit_test_suites(&ring_suite);
