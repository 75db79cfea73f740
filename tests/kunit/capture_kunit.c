// SPDX-License-Identifier: GPL-2.0
#include <kunit/test.h>
#include <linux/align.h>
#include <linux/build_bug.h>
#include <linux/limits.h>
#include <linux/percpu.h>
#include <linux/perf_event.h>
#include <linux/preempt.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/string.h>

#define KUNIT_INTERRUPT_BARRIERS
#include "interrupt.h"
#include "chain/callchain.c"
#include "capture/ledger.c"
#include "capture/store.c"
#include "capture/record.c"
#include "capture/begin.c"
#include "capture/end.c"
#include "capture/choose.c"
#include "capture/scratch.c"
#include "probes/ktrace/templates.h"

static struct ktrace_ring_waiters waiters;
static struct ktrace_probe_scope scope;
static struct ktrace_event event;

/* The payload of the events in these tests. */
struct payload {
	u64 nr;
	u64 lost_before;
};

#define SIZE (KTRACE_SAMPLE_RAW_OFFSET + sizeof(struct payload) + 4)

static int capture_init(struct kunit *test)
{
	struct ktrace_event_cpu __percpu *cpus;
	unsigned int cpu;

	init_waitqueue_head(&waiters.queue);
	memset(&event, 0, sizeof(event));
	ktrace_scope_run(&scope, true);
	event.probe.scope = &scope;
	event.id = KTRACE_ID_BASE + 1;
	event.sample_type = KTRACE_SAMPLE_TYPE;
	cpus = alloc_percpu(struct ktrace_event_cpu);
	KUNIT_ASSERT_TRUE(test, !!cpus);
	event.probe.cpu = &cpus->probe;
	for_each_online_cpu(cpu)
		ktrace_capture_bind(&event, cpu,
				    ktrace_ring_create(cpu, 1, PAGE_SIZE, CLOCK_MONOTONIC,
						       &waiters));
	/* The tests run on one CPU and undisturbed: nothing in here sleeps. */
	migrate_disable();
	return 0;
}

static void capture_exit(struct kunit *test)
{
	unsigned int cpu;

	migrate_enable();
	if (!event.probe.cpu)
		return;
	for_each_online_cpu(cpu)
		ktrace_ring_destroy(per_cpu_ptr(event.probe.cpu, cpu)->ring);
	free_percpu(event.probe.cpu);
}

static struct ktrace_event_cpu *this_ec(void)
{
	return ktrace_event_on_cpu(&event, raw_smp_processor_id());
}

static struct ktrace_stats stats(void)
{
	struct ktrace_stats stats = { 0 };

	ktrace_ledger_read(&event, raw_smp_processor_id(), &stats);
	return stats;
}

static u64 sum(const u64 *n)
{
	u64 total = 0;
	int i;

	for (i = 0; i < KTRACE_LOST_NR; i++)
		total += n[i];
	return total;
}

/* The event fires at 0x1234, in user space or in the kernel. */
static void record(const void *raw, u32 size, u64 period, bool user)
{
	struct pt_regs regs = { 0 };

	instruction_pointer_set(&regs, 0x1234);
	regs.cs = user ? __USER_CS : __KERNEL_CS;
	ktrace_capture_record(&event, raw, size, period, &regs);
}

static u64 emitted;

static void emit(void *data, int level)
{
	struct ktrace_stats now = stats();
	struct payload payload = { emitted++, sum(now.lost) };

	record(&payload, sizeof(payload), 1, false);
}

static void set_room(u64 room)
{
	struct ktrace_ring *ring = this_ec()->probe.ring;

	((struct ktrace_ring_tail *)ring->tail)->data_tail =
		local_read(&ring->head) + room - ring->size;
	/* The tail may have gone back, which readers never do. */
	ring->room_end = 0;
}

/* Samples of every size, and every byte of them. */
static void record_bytes(struct kunit *test)
{
	struct ktrace_ring *ring = this_ec()->probe.ring;
	u8 *raw = kunit_kmalloc(test, 600, GFP_KERNEL);
	u32 size, i, padded;

	KUNIT_ASSERT_NOT_NULL(test, raw);
	for (i = 0; i < 600; i++)
		raw[i] = i * 7 + 1;
	for (size = 0; size < 600; size++) {
		u64 pos = local_read(&ring->head);
		struct ktrace_layout_sample *sample = ring->data + (pos & (ring->size - 1));

		ktrace_capture_choose(&event, NULL, size % 3 ? 0 : BIT(KTRACE_FIELD_SEQ));
		set_room(ring->size);
		memset(ring->data, 0xee, ring->size);
		record(size ? raw : NULL, size, 77, true);
		padded = round_up(size + 4, 8) - 4;
		KUNIT_ASSERT_EQ(test, sample->header.type, (u32)PERF_RECORD_SAMPLE);
		KUNIT_ASSERT_EQ(test, (u32)sample->header.misc, (u32)PERF_RECORD_MISC_USER);
		KUNIT_ASSERT_EQ(test, (u32)sample->header.size, 60 + padded + event.trailer_size);
		KUNIT_ASSERT_EQ(test, local_read(&ring->head) - pos, (u64)sample->header.size);
		KUNIT_ASSERT_EQ(test, sample->id, event.id);
		KUNIT_ASSERT_EQ(test, sample->ip, 0x1234ULL);
		KUNIT_ASSERT_EQ(test, sample->pid, (u32)current->tgid);
		KUNIT_ASSERT_EQ(test, sample->tid, (u32)current->pid);
		KUNIT_ASSERT_EQ(test, sample->cpu, ring->cpu);
		KUNIT_ASSERT_EQ(test, sample->reserved, 0U);
		KUNIT_ASSERT_EQ(test, sample->period, 77ULL);
		KUNIT_ASSERT_EQ(test, sample->raw_size, padded + event.trailer_size);
		KUNIT_ASSERT_EQ(test, memcmp(sample->raw, raw, size), 0);
		KUNIT_ASSERT_NULL(test, memchr_inv(sample->raw + size, 0, padded - size));
		if (event.trailer_size)
			KUNIT_ASSERT_EQ(test, *(u64 *)(sample->raw + padded), (u64)size);
		/* Nothing is written behind the sample. */
		KUNIT_ASSERT_EQ(test, ((u8 *)sample)[sample->header.size], (u8)0xee);
	}
	KUNIT_EXPECT_EQ(test, stats().recorded, 600ULL);
}

static void too_big(struct kunit *test)
{
	u8 *raw = kunit_kzalloc(test, U16_MAX, GFP_KERNEL);
	u32 limit = PAGE_SIZE - 4 * KTRACE_LOST_SIZE - KTRACE_SAMPLE_RAW_OFFSET;

	KUNIT_ASSERT_NOT_NULL(test, raw);
	record(raw, limit - 1, 1, false);
	KUNIT_EXPECT_EQ(test, stats().lost[KTRACE_LOST_TOO_BIG], 0ULL);
	set_room(PAGE_SIZE);
	record(raw, limit + 1, 1, false);
	record(raw, U16_MAX, 1, false);
	record(raw, U32_MAX - 8, 1, false);
	KUNIT_EXPECT_EQ(test, stats().lost[KTRACE_LOST_TOO_BIG], 3ULL);
	KUNIT_EXPECT_EQ(test, stats().recorded, 1ULL);
	/* Losses can be reported before the largest possible sample. */
	record(raw, limit - 1, 1, false);
	KUNIT_EXPECT_EQ(test, stats().recorded, 2ULL);
	KUNIT_EXPECT_EQ(test, stats().unplaced[KTRACE_LOST_TOO_BIG], 0ULL);
}

static void gate(struct kunit *test)
{
	ktrace_scope_run(&scope, false);
	emit(NULL, 0);
	KUNIT_EXPECT_EQ(test, local_read(&this_ec()->probe.ring->head), 0L);
	KUNIT_EXPECT_EQ(test, stats().recorded + sum(stats().lost), 0ULL);
	ktrace_scope_run(&scope, true);
	emit(NULL, 0);
	KUNIT_EXPECT_EQ(test, stats().recorded, 1ULL);
}

/* ---- losses, with writers that interrupt each other at any point ------------- */

/* The sums are right, and losses that a writer knew are reported before its sample. */
static bool is_balanced(u64 pos, u64 told)
{
	struct ktrace_ring *ring = this_ec()->probe.ring;
	struct ktrace_stats now = stats();
	u64 samples = 0, last = 0;

	if (ring->nest || ring->published != local_read(&ring->head) || this_ec()->placing)
		return false;
	/* Without anything to report, samples are plain. */
	if (!this_ec()->attention && this_ec()->max_plain != this_ec()->max_without_loss)
		return false;
	while (pos != ring->published) {
		struct perf_event_header *header = ring->data + (pos & (ring->size - 1));

		if (header->type == PERF_RECORD_LOST) {
			struct ktrace_layout_lost *lost = (void *)header;

			if (header->size != KTRACE_LOST_SIZE || !lost->lost ||
			    lost->first > lost->last || lost->time < last)
				return false;
			last = lost->time;
			told += lost->lost;
		} else {
			struct ktrace_layout_sample *sample = (void *)header;
			struct payload *payload = (void *)sample->raw;

			if (header->size != SIZE || sample->time < last ||
			    payload->lost_before > told)
				return false;
			last = sample->time;
			samples++;
		}
		pos += header->size;
	}
	return told + sum(now.unplaced) == sum(now.lost) &&
	       emitted == now.recorded + sum(now.lost) && samples <= now.recorded;
}

static u64 losses_before, room;

static bool losing_scenario(struct kunit_interrupts *irqs)
{
	struct ktrace_ring *ring = this_ec()->probe.ring;
	u64 pos, told, i;

	/* Some samples are lost, then there is room again. */
	set_room(0);
	for (i = 0; i < losses_before; i++)
		emit(NULL, 0);
	set_room(room);
	pos = local_read(&ring->head);
	told = sum(stats().lost) - sum(stats().unplaced);

	irqs->handler = emit;
	preempt_disable();
	kunit_interrupts_begin(irqs);
	emit(NULL, 0);
	emit(NULL, 0);
	kunit_interrupts_end();
	preempt_enable();
	if (!is_balanced(pos, told))
		return false;

	/* The remaining losses are reported with the next sample. */
	set_room(ring->size);
	emit(NULL, 0);
	return !sum(stats().unplaced) && is_balanced(pos, told);
}

static void losses_balance_however_writers_nest(struct kunit *test)
{
	int tried = 0, all = 0;

	emitted = 0;
	for (losses_before = 0; losses_before < 3; losses_before++) {
		for (room = 0; room <= 4 * SIZE + 2 * KTRACE_LOST_SIZE; room += 8) {
			KUNIT_ASSERT_TRUE_MSG(test,
				kunit_interrupts_everywhere(losing_scenario, &tried),
				"%llu lost before, room for %llu bytes", losses_before, room);
			all += tried;
		}
	}
	KUNIT_EXPECT_GT(test, all, 10000);
	kunit_info(test, "%d ways to nest\n", all);
}

/* ---- events that recording itself fires ------------------------------------- */

struct entry {
	struct trace_entry ent;
	u32 nr;
};

static const unsigned int contexts[] = { 0, SOFTIRQ_OFFSET, HARDIRQ_OFFSET, NMI_OFFSET };

/*
 * Fires like a template probe, in the context of @level.  In the middle of that, fires
 * once more in that context and in each that can interrupt it.
 */
static void fire_within(int level, int depth)
{
	const u32 size = KTRACE_RECORD_SIZE(sizeof(struct entry));
	struct entry *entry;
	int inner;

	__preempt_count_add(contexts[level]);
	emitted++;
	if (ktrace_probe_begin(&event.probe, size, 1, (void **)&entry)) {
		entry->nr = emitted;
		for (inner = level; inner < ARRAY_SIZE(contexts) && depth < 6; inner++)
			fire_within(inner, depth + 1);
		ktrace_probe_end(&event.probe, entry, size, 0x1234, 1);
	}
	__preempt_count_sub(contexts[level]);
}

/* Each kind of event goes through capture.c and probe.h in its own way. */
static void in_each_context_one_record_at_a_time(struct kunit *test)
{
	struct ktrace_stats before, now;
	int kind, level;

	KUNIT_ASSERT_EQ(test, ktrace_scratch_prepare(), 0);
	for (kind = 0; kind < 4; kind++) {
		event.callchain = kind == 2;
		event.trigger = kind == 3;
		ktrace_capture_choose(&event, NULL, kind == 1 ? BIT(KTRACE_FIELD_COMM) : 0);
		for (level = 0; level < ARRAY_SIZE(contexts); level++) {
			set_room(this_ec()->probe.ring->size);
			before = stats();
			emitted = 0;
			preempt_disable();
			fire_within(level, 0);
			preempt_enable();
			now = stats();
			/* Each stored sample caused the loss of the one in its own context. */
			KUNIT_EXPECT_EQ_MSG(test, 1ULL << (ARRAY_SIZE(contexts) - 1 - level),
				now.lost[KTRACE_LOST_RECURSION] -
				before.lost[KTRACE_LOST_RECURSION],
				"kind %d, context %d", kind, level);
			KUNIT_EXPECT_EQ(test, emitted, now.recorded - before.recorded +
					now.filtered - before.filtered +
					sum(now.lost) - sum(before.lost));
			KUNIT_EXPECT_EQ(test, __this_cpu_read(ktrace_guard), 0U);
			KUNIT_EXPECT_EQ(test, __this_cpu_read(ktrace_scratch_cpu)->used, 0U);
		}
	}
	irq_work_sync(&this_ec()->probe.ring->wakeup);
}

/* Fires as a template probe does.  Returns whether the fields had to be assigned. */
static bool fire(u64 period)
{
	const u32 size = KTRACE_RECORD_SIZE(sizeof(struct entry));
	struct entry *entry;

	if (!ktrace_probe_begin(&event.probe, size, period, (void **)&entry))
		return false;
	entry->nr = 0;
	ktrace_probe_end(&event.probe, entry, size, 0x1234, period);
	return true;
}

/* The sample that begins @pos bytes behind the start of the ring. */
static const struct ktrace_layout_sample *sample_at(u64 pos)
{
	const struct ktrace_ring *ring = this_ec()->probe.ring;

	return ring->data + (pos & (ring->size - 1));
}

static void sampling_is_decided_before_the_fields(struct kunit *test)
{
	static const struct ktrace_sampling third = { .every = 3 }, all = {};
	struct ktrace_stats before = stats(), now;
	u64 pos;
	int i;

	set_room(this_ec()->probe.ring->size);
	pos = local_read(&this_ec()->probe.ring->head);
	ktrace_capture_choose(&event, NULL, BIT(KTRACE_FIELD_COMM) | BIT(KTRACE_FIELD_SEQ));
	ktrace_capture_sample(&event, &third);
	for (i = 1; i <= 9; i++)
		KUNIT_EXPECT_EQ_MSG(test, fire(i), i % 3 == 0, "the firing %d", i);
	now = stats();
	KUNIT_EXPECT_EQ(test, 3, now.recorded - before.recorded);
	KUNIT_EXPECT_EQ(test, 6, now.filtered - before.filtered);
	for (i = 3; i <= 9; i += 3) {
		KUNIT_EXPECT_EQ(test, (u64)(i - 2 + i - 1 + i), sample_at(pos)->period);
		pos += sample_at(pos)->header.size;
	}
	ktrace_capture_sample(&event, &all);
	ktrace_capture_choose(&event, NULL, 0);
}

static void filters_on_the_task_are_decided_before_the_fields(struct kunit *test)
{
	struct {
		struct ktrace_filter filter;
		struct ktrace_filter_insn insn;
	} one = {
		.filter.nr_insns = 1,
		.insn = {
			.op = KTRACE_FILTER_EQ, .src = KTRACE_FILTER_SRC_FIELD,
			.offset = KTRACE_FIELD_TID, .width = KTRACE_FIELD_SLOT(KTRACE_FIELD_TID),
			.jt = KTRACE_FILTER_ACCEPT, .jf = KTRACE_FILTER_REJECT,
		},
	};
	struct ktrace_stats before, now;
	int compiled;

	for (compiled = 0; compiled < 2; compiled++) {
		if (compiled)
			ktrace_filter_jit_compile(&one.filter);
		set_room(this_ec()->probe.ring->size);
		ktrace_capture_choose(&event, &one.filter, 0);
		before = stats();
		KUNIT_EXPECT_EQ(test, fire(1), !current->pid);
		now = stats();
		KUNIT_EXPECT_EQ(test, 1, now.filtered - before.filtered);
		ktrace_capture_choose(&event, NULL, 0);
		if (compiled)
			ktrace_filter_jit_free(&one.filter);
		one.filter.prog = NULL;

		one.insn.value = current->pid;
		if (compiled)
			ktrace_filter_jit_compile(&one.filter);
		ktrace_capture_choose(&event, &one.filter, 0);
		KUNIT_EXPECT_TRUE(test, fire(1));
		KUNIT_EXPECT_EQ(test, 1, stats().recorded - now.recorded);
		KUNIT_EXPECT_EQ(test, __this_cpu_read(ktrace_guard), 0U);
		ktrace_capture_choose(&event, NULL, 0);
		if (compiled)
			ktrace_filter_jit_free(&one.filter);
		one.filter.prog = NULL;
		one.insn.value = 0;
	}
}

static struct kunit_case capture_cases[] = {
	KUNIT_CASE(record_bytes),
	KUNIT_CASE(too_big),
	KUNIT_CASE(gate),
	KUNIT_CASE(losses_balance_however_writers_nest),
	KUNIT_CASE(in_each_context_one_record_at_a_time),
	KUNIT_CASE(sampling_is_decided_before_the_fields),
	KUNIT_CASE(filters_on_the_task_are_decided_before_the_fields),
	{}
};

static struct kunit_suite capture_suite = {
	.name = "ktrace_capture",
	.init = capture_init,
	.exit = capture_exit,
	.test_cases = capture_cases,
};

kunit_test_suites(&capture_suite);
