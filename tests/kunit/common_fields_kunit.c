// SPDX-License-Identifier: GPL-2.0
#include <kunit/test.h>
#include <linux/cgroup.h>

#include "fields/common_fields.c"

#define NR_BYTES 168
#define NR_COMBINATIONS 256

static const struct trace_entry task_entry = { .type = 1 };

static u64 read_u64(u32 field, const void *raw, u32 size)
{
	u64 value = 0x5555555555555555ULL;

	preempt_disable();
	ktrace_common_fields_read(field, raw, size, &value);
	preempt_enable();
	return value;
}

#define FIELD_U64(field) read_u64(KTRACE_FIELD_##field, &task_entry, sizeof(task_entry))

static void fields_of_this_task(struct kunit *test)
{
	char comm[TASK_COMM_LEN];

	KUNIT_EXPECT_EQ(test, FIELD_U64(TGID), (u64)task_tgid_nr(current));
	KUNIT_EXPECT_EQ(test, FIELD_U64(TID), (u64)task_pid_nr(current));
	KUNIT_EXPECT_EQ(test, FIELD_U64(PPID), (u64)task_ppid_nr(current));
	KUNIT_EXPECT_EQ(test, FIELD_U64(START_TIME), current->group_leader->start_boottime);
	KUNIT_EXPECT_EQ(test, FIELD_U64(UID), (u64)from_kuid(&init_user_ns, current_uid()));
	KUNIT_EXPECT_LT(test, FIELD_U64(CPU), (u64)nr_cpu_ids);
	KUNIT_EXPECT_EQ(test, (int)FIELD_U64(NICE), task_nice(current));
	KUNIT_EXPECT_EQ(test, (int)FIELD_U64(PRIO), current->prio);
	KUNIT_EXPECT_EQ(test, FIELD_U64(VPID), (u64)task_tgid_vnr(current));
	KUNIT_EXPECT_EQ(test, FIELD_U64(VTID), (u64)task_pid_vnr(current));
	KUNIT_EXPECT_EQ(test, FIELD_U64(USER_NS), (u64)current_user_ns()->ns.inum);
	KUNIT_EXPECT_GT(test, FIELD_U64(STACK_DEPTH), 0ULL);
	KUNIT_EXPECT_LT(test, FIELD_U64(STACK_DEPTH), (u64)THREAD_SIZE);
#ifdef CONFIG_CGROUPS
	rcu_read_lock();
	KUNIT_EXPECT_EQ(test, FIELD_U64(CGROUP), cgroup_id(task_dfl_cgroup(current)));
	rcu_read_unlock();
#endif
	memset(comm, 0xee, sizeof(comm));
	preempt_disable();
	ktrace_common_fields_read(KTRACE_FIELD_COMM, NULL, 0, comm);
	preempt_enable();
	KUNIT_EXPECT_STREQ(test, comm, current->comm);
}

static void context_from_the_record(struct kunit *test)
{
	static const struct {
		u8 flags;
		u64 context;
	} rows[] = {
		{ 0, 0 },
		{ TRACE_FLAG_IRQS_OFF, KTRACE_CONTEXT_IRQS_OFF },
		{ TRACE_FLAG_SOFTIRQ, KTRACE_CONTEXT_SOFTIRQ },
		{ TRACE_FLAG_HARDIRQ, KTRACE_CONTEXT_HARDIRQ },
		{ TRACE_FLAG_NMI, KTRACE_CONTEXT_NMI },
		{ TRACE_FLAG_NEED_RESCHED | TRACE_FLAG_PREEMPT_RESCHED, 0 },
		{ 0xff, KTRACE_CONTEXT_SOFTIRQ | KTRACE_CONTEXT_HARDIRQ | KTRACE_CONTEXT_NMI |
			KTRACE_CONTEXT_IRQS_OFF },
	};
	int i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		struct trace_entry entry = { .flags = rows[i].flags };

		KUNIT_EXPECT_EQ(test, read_u64(KTRACE_FIELD_CONTEXT, &entry, sizeof(entry)),
				rows[i].context);
	}
}

static void context_without_a_record(struct kunit *test)
{
	unsigned long flags;
	u64 context;

	KUNIT_EXPECT_EQ(test, read_u64(KTRACE_FIELD_CONTEXT, NULL, 0), 0ULL);
	/* The raw data is too short to have common_flags. */
	KUNIT_EXPECT_EQ(test, read_u64(KTRACE_FIELD_CONTEXT, &task_entry, 4), 0ULL);
	local_irq_save(flags);
	context = read_u64(KTRACE_FIELD_CONTEXT, NULL, 0);
	local_irq_restore(flags);
	KUNIT_EXPECT_EQ(test, context, KTRACE_CONTEXT_IRQS_OFF);
}

/* Compares the slot of a field with the field; returns where the next one begins. */
static u8 *check_slot(struct kunit *test, u64 fields, u32 field, u8 *slot)
{
	u32 size = KTRACE_FIELD_SLOT(field);
	u8 one[16];

	if (!(fields & BIT_ULL(field)))
		return slot;
	preempt_disable();
	ktrace_common_fields_read(field, &task_entry, sizeof(task_entry), one);
	preempt_enable();
	/* Its value depends on the function that reads it. */
	if (field == KTRACE_FIELD_STACK_DEPTH)
		KUNIT_EXPECT_LT(test, *(u64 *)slot - 1, (u64)THREAD_SIZE - 1);
	else
		KUNIT_EXPECT_EQ(test, memcmp(slot, one, size), 0);
	return slot + size;
}

/* The slots are in bit order, except for seq, which is the last one, and none is missing. */
static void check_slots(struct kunit *test, u64 fields)
{
	u8 bytes[NR_BYTES + 8], *slot = bytes;
	u32 field;

	memset(bytes, 0xee, sizeof(bytes));
	preempt_disable();
	ktrace_common_fields_store(fields, &task_entry, sizeof(task_entry), bytes);
	preempt_enable();
	for (field = 0; field < KTRACE_FIELD_NR_STORED; field++)
		if (field != KTRACE_FIELD_SEQ)
			slot = check_slot(test, fields, field, slot);
	slot = check_slot(test, fields, KTRACE_FIELD_SEQ, slot);
	KUNIT_EXPECT_EQ(test, ktrace_common_fields_size(fields), (u32)(slot - bytes));
	KUNIT_EXPECT_EQ(test, *slot, (u8)0xee);
}

/* The fields up to seq in every combination, without and with all rarer ones, and each of these. */
static void slots(struct kunit *test)
{
	const u64 all = BIT_ULL(KTRACE_FIELD_NR_STORED) - 1;
	u64 fields;
	u32 field;

	KUNIT_EXPECT_EQ(test, ktrace_common_fields_mask(), all);
	for (fields = 0; fields < NR_COMBINATIONS; fields++) {
		check_slots(test, fields);
		check_slots(test, fields | (all & ~(u64)(NR_COMBINATIONS - 1)));
	}
	for (field = KTRACE_FIELD_SEQ + 1; field < KTRACE_FIELD_NR_STORED; field++)
		check_slots(test, BIT_ULL(field));
}

static void operands(struct kunit *test)
{
	u32 field;

	for (field = 0; field < 100; field++) {
		u32 want = (field < KTRACE_FIELD_CYCLES && field != KTRACE_FIELD_SEQ) ||
			   field == KTRACE_FIELD_STACK_DEPTH || field == KTRACE_FIELD_CPU ||
			   field == KTRACE_FIELD_TID ?
				   KTRACE_FIELD_SLOT(field) : 0;

		KUNIT_EXPECT_EQ(test, ktrace_common_fields_operand(field), want);
	}
	KUNIT_EXPECT_EQ(test, ktrace_common_fields_operand(U32_MAX), 0U);
}

static struct kunit_case common_fields_cases[] = {
	KUNIT_CASE(fields_of_this_task),
	KUNIT_CASE(context_from_the_record),
	KUNIT_CASE(context_without_a_record),
	KUNIT_CASE(slots),
	KUNIT_CASE(operands),
	{}
};

static struct kunit_suite common_fields_suite = {
	.name = "ktrace_common_fields",
	.test_cases = common_fields_cases,
};

kunit_test_suites(&common_fields_suite);
