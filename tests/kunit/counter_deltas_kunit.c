// SPDX-License-Identifier: GPL-2.0
/* Sessions' values from counters: with tasks that come and go, offline CPUs, nesting. */
#include <kunit/test.h>
#include <linux/preempt.h>
#include <linux/sched.h>
#include <linux/slab.h>

#include "fields/counter_deltas.c"

/* The counters of a machine that executes nothing by itself.  Both count alike. */
static struct ktrace_cpu_count counter;
static bool counter_runs, counter_is_read;
static int counter_err;

int ktrace_cpu_counters_get(u64 fields)
{
	return counter_err;
}

void ktrace_cpu_counters_put(u64 fields)
{
}

bool ktrace_cpu_counters_enter(unsigned long *flags)
{
	return !counter_is_read;
}

void ktrace_cpu_counters_leave(unsigned long flags)
{
}

bool ktrace_cpu_counters_read(enum ktrace_cpu_counter which, struct ktrace_cpu_count *count)
{
	if (counter_runs)
		*count = counter;
	return counter_runs;
}

static struct ktrace_counter_deltas *deltas;

static int counter_deltas_init(struct kunit *test)
{
	counter = (struct ktrace_cpu_count){ 1000, 1 };
	counter_runs = true;
	counter_is_read = false;
	counter_err = 0;
	deltas = ktrace_counter_deltas_create();
	KUNIT_ASSERT_NOT_NULL(test, deltas);
	KUNIT_ASSERT_EQ(test, ktrace_counter_deltas_want(deltas, KTRACE_CPU_COUNTERS_FIELDS), 0);
	/* As for tasks, but the tests switch them. */
	deltas->table = vzalloc(sizeof(*deltas->table));
	KUNIT_ASSERT_NOT_NULL(test, deltas->table);
	return 0;
}

static void counter_deltas_exit(struct kunit *test)
{
	ktrace_counter_deltas_destroy(deltas);
}

/* Stores a record after @more has been counted. */
static u64 store_after(struct kunit *test, u64 more)
{
	u64 slots[3] = { 1, 2, 3 };

	counter.value += more;
	preempt_disable();
	ktrace_counter_deltas_store(deltas, KTRACE_CPU_COUNTERS_FIELDS, slots);
	preempt_enable();
	KUNIT_EXPECT_EQ(test, slots[0], slots[1]);
	KUNIT_EXPECT_EQ(test, slots[2], 3ULL);
	return slots[0];
}

static void switch_after(u64 more, struct task_struct *from, struct task_struct *to)
{
	counter.value += more;
	probe_switch(deltas, false, from, to, TASK_RUNNING);
}

#define EXPECT_STORED(more, value) \
	KUNIT_EXPECT_EQ(test, store_after(test, more), (u64)(value))

static void of_a_cpu(struct kunit *test)
{
	u64 slot = 1;

	EXPECT_STORED(5, U64_MAX);
	EXPECT_STORED(7, 7);
	EXPECT_STORED(0, 0);
	EXPECT_STORED(1, 1);
	/* One of them alone: the other one goes on. */
	counter.value += 3;
	preempt_disable();
	ktrace_counter_deltas_store(deltas, BIT_ULL(KTRACE_FIELD_INSTRUCTIONS), &slot);
	preempt_enable();
	KUNIT_EXPECT_EQ(test, slot, 3ULL);
	counter.value += 4;
	preempt_disable();
	ktrace_counter_deltas_store(deltas, BIT_ULL(KTRACE_FIELD_CYCLES), &slot);
	preempt_enable();
	KUNIT_EXPECT_EQ(test, slot, 7ULL);
	/* Everything begins anew. */
	KUNIT_EXPECT_EQ(test, ktrace_counter_deltas_start(deltas, false), 0);
	EXPECT_STORED(5, U64_MAX);
	EXPECT_STORED(5, 5);
}

static void not_read(struct kunit *test)
{
	EXPECT_STORED(0, U64_MAX);
	/* In an NMI that has interrupted a reader: the next one has it. */
	counter_is_read = true;
	EXPECT_STORED(5, U64_MAX);
	counter_is_read = false;
	EXPECT_STORED(6, 11);
	/* The counter is taken away, and comes back. */
	counter_runs = false;
	EXPECT_STORED(5, U64_MAX);
	EXPECT_STORED(5, U64_MAX);
	counter_runs = true;
	EXPECT_STORED(5, U64_MAX);
	EXPECT_STORED(5, 5);
	/* Nobody has read it while it was another one. */
	counter = (struct ktrace_cpu_count){ 2000, 2 };
	EXPECT_STORED(5, U64_MAX);
	EXPECT_STORED(5, 5);
	/* A counter that there is not. */
	deltas->fields = 0;
	counter_err = -EOPNOTSUPP;
	KUNIT_EXPECT_EQ(test, ktrace_counter_deltas_want(deltas, KTRACE_CPU_COUNTERS_FIELDS),
			-EOPNOTSUPP);
	KUNIT_EXPECT_EQ(test, deltas->fields, 0ULL);
}

static void of_a_task(struct kunit *test)
{
	struct task_struct *other = &init_task;

	deltas->by_task = true;
	EXPECT_STORED(5, U64_MAX);
	EXPECT_STORED(7, 7);
	switch_after(10, current, other);
	/* It still executes a little, which belongs to the other one. */
	EXPECT_STORED(100, 10);
	EXPECT_STORED(100, 0);
	/* It comes back on a CPU that has counted something else. */
	counter = (struct ktrace_cpu_count){ 77, 9 };
	switch_after(1000, other, current);
	EXPECT_STORED(3, 3);
	switch_after(20, current, other);
	switch_after(1000, other, current);
	switch_after(4, current, other);
	switch_after(1000, other, current);
	EXPECT_STORED(2, 26);
	/* Its counter stood still when it left, or when it came. */
	counter_runs = false;
	switch_after(1, current, other);
	counter_runs = true;
	switch_after(1, other, current);
	EXPECT_STORED(2, U64_MAX);
	EXPECT_STORED(2, 2);
	switch_after(1, current, other);
	counter_runs = false;
	switch_after(1, other, current);
	counter_runs = true;
	EXPECT_STORED(2, U64_MAX);
	EXPECT_STORED(2, 2);
	/* Another counter than when it came. */
	counter.epoch++;
	switch_after(1, current, other);
	switch_after(1, other, current);
	EXPECT_STORED(2, U64_MAX);
	EXPECT_STORED(2, 2);
}

/* The first value of a task is stored after the switch away from it. */
static void late_beginning(struct kunit *test)
{
	struct task_struct *other = &init_task;

	deltas->by_task = true;
	switch_after(1, current, other);
	EXPECT_STORED(5, U64_MAX);
	switch_after(1000, other, current);
	EXPECT_STORED(5, U64_MAX);
	EXPECT_STORED(5, 5);
}

/* A task gives its place back with its last switch; those without a place have no values. */
static void places(struct kunit *test)
{
	struct task_struct *const dead = &init_task;
	u32 first = bucket_of(current), i;

	deltas->by_task = true;
	for (i = 0; i < BUCKET_SIZE; i++)
		deltas->table->task[first + i] = (void *)(i + 1UL);
	EXPECT_STORED(5, U64_MAX);
	EXPECT_STORED(5, U64_MAX);
	deltas->table->task[first + 3] = NULL;
	memset(&deltas->table->deltas[first + 3], 0xee, sizeof(struct context_deltas));
	EXPECT_STORED(5, U64_MAX);
	EXPECT_STORED(5, 5);
	KUNIT_EXPECT_PTR_EQ(test, deltas->table->task[first + 3], current);
	/* Addresses of tasks decide; both may belong into the same slots, which are full. */
	if (bucket_of(dead) == first)
		deltas->table->task[first + 4] = NULL;
	/* The death of another task does not free it. */
	KUNIT_ASSERT_NOT_NULL(test, add_deltas(deltas->table, dead));
	probe_switch(deltas, false, dead, current, TASK_DEAD);
	KUNIT_EXPECT_NULL(test, find_deltas(deltas->table, dead));
	KUNIT_EXPECT_NOT_NULL(test, find_deltas(deltas->table, current));
	probe_switch(deltas, false, current, dead, TASK_DEAD);
	KUNIT_EXPECT_NULL(test, find_deltas(deltas->table, current));
}

/* As a session does it, with the kernel's own switches. */
static void followed(struct kunit *test)
{
	int round;

	for (round = 0; round < 2; round++) {
		KUNIT_ASSERT_EQ(test, ktrace_counter_deltas_start(deltas, true), 0);
		EXPECT_STORED(5, U64_MAX);
		EXPECT_STORED(5, 5);
		schedule_timeout_uninterruptible(1);
		EXPECT_STORED(5, 5);
		ktrace_counter_deltas_stop(deltas);
		tracepoint_synchronize_unregister();
	}
}

static struct kunit_case counter_deltas_cases[] = {
	KUNIT_CASE(of_a_cpu),
	KUNIT_CASE(not_read),
	KUNIT_CASE(of_a_task),
	KUNIT_CASE(late_beginning),
	KUNIT_CASE(places),
	KUNIT_CASE(followed),
	{}
};

static struct kunit_suite counter_deltas_suite = {
	.name = "ktrace_counter_deltas",
	.init = counter_deltas_init,
	.exit = counter_deltas_exit,
	.test_cases = counter_deltas_cases,
};

kunit_test_suites(&counter_deltas_suite);
