// SPDX-License-Identifier: GPL-2.0
#include "common_fields.h"

#include <linux/bitops.h>
#include <linux/cgroup.h>
#include <linux/cred.h>
#include <linux/preempt.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/trace_events.h>

/*
 * Readers run in any context with preemption disabled, which is what keeps RCU
 * objects.  Once a task has been unhashed, its pointers to other tasks are
 * stale; pid_alive() is asked in the same section.
 */

static notrace void read_tgid(const void *raw, u32 size, void *slot)
{
	*(u64 *)slot = current->tgid;
}

static_assert(KTRACE_FIELD_SLOT(KTRACE_FIELD_COMM) == TASK_COMM_LEN);

static notrace void read_comm(const void *raw, u32 size, void *slot)
{
	memcpy(slot, current->comm, TASK_COMM_LEN);
}

static notrace void read_ppid(const void *raw, u32 size, void *slot)
{
	*(u64 *)slot = pid_alive(current) ?
		rcu_dereference_sched(current->real_parent)->tgid : U64_MAX;
}

static notrace void read_start_time(const void *raw, u32 size, void *slot)
{
	*(u64 *)slot = pid_alive(current) ?
		READ_ONCE(current->group_leader)->start_boottime : U64_MAX;
}

static notrace void read_uid(const void *raw, u32 size, void *slot)
{
	/* kuids are the ids of the initial user namespace. */
	*(u64 *)slot = __kuid_val(current_uid());
}

static notrace void read_cgroup(const void *raw, u32 size, void *slot)
{
#ifdef CONFIG_CGROUPS
	*(u64 *)slot = cgroup_id(rcu_dereference_sched(current->cgroups)->dfl_cgrp);
#else
	*(u64 *)slot = 0;
#endif
}

/*
 * From the record where there is one: the attachments disable interrupts
 * before they come to us, and its flags were taken before that.
 */
static notrace void read_context(const void *raw, u32 size, void *slot)
{
	const struct trace_entry *entry = raw;
	u64 context = 0;

	if (likely(size >= sizeof(*entry))) {
		context |= entry->flags & TRACE_FLAG_SOFTIRQ ? KTRACE_CONTEXT_SOFTIRQ : 0;
		context |= entry->flags & TRACE_FLAG_HARDIRQ ? KTRACE_CONTEXT_HARDIRQ : 0;
		context |= entry->flags & TRACE_FLAG_NMI ? KTRACE_CONTEXT_NMI : 0;
		context |= entry->flags & TRACE_FLAG_IRQS_OFF ? KTRACE_CONTEXT_IRQS_OFF : 0;
	} else {
		context |= in_serving_softirq() ? KTRACE_CONTEXT_SOFTIRQ : 0;
		context |= in_hardirq() ? KTRACE_CONTEXT_HARDIRQ : 0;
		context |= in_nmi() ? KTRACE_CONTEXT_NMI : 0;
		context |= irqs_disabled() ? KTRACE_CONTEXT_IRQS_OFF : 0;
	}
	*(u64 *)slot = context;
}

static notrace void read_nothing(const void *raw, u32 size, void *slot)
{
	*(u64 *)slot = 0;
}

static notrace void read_cpu(const void *raw, u32 size, void *slot)
{
	*(u64 *)slot = raw_smp_processor_id();
}

static notrace void read_tid(const void *raw, u32 size, void *slot)
{
	*(u64 *)slot = current->pid;
}

struct common_field {
	u8 size;
	bool operand;			/* known before the record is stored */
	void (*read)(const void *raw, u32 size, void *slot);
};

#define FIELD(name, is_operand, reader) \
	[KTRACE_FIELD_##name] = { KTRACE_FIELD_SLOT(KTRACE_FIELD_##name), is_operand, reader }

static const struct common_field common_fields[] = {
	FIELD(TGID,		true,	read_tgid),
	FIELD(COMM,		true,	read_comm),
	FIELD(PPID,		true,	read_ppid),
	FIELD(START_TIME,	true,	read_start_time),
	FIELD(UID,		true,	read_uid),
	FIELD(CGROUP,		true,	read_cgroup),
	FIELD(CONTEXT,		true,	read_context),
	FIELD(SEQ,		false,	read_nothing),
	FIELD(CPU,		true,	read_cpu),
	FIELD(TID,		true,	read_tid),
};

u64 ktrace_common_fields_mask(void)
{
	u64 mask = 0;
	u32 field;

	for (field = 0; field < KTRACE_FIELD_NR_STORED; field++)
		if (common_fields[field].read)
			mask |= BIT_ULL(field);
	return mask;
}

u32 ktrace_common_fields_size(u64 fields)
{
	u32 size = 0;

	for (; fields; fields &= fields - 1)
		size += common_fields[__ffs64(fields)].size;
	return size;
}

u32 ktrace_common_fields_operand(u32 field)
{
	if (field >= ARRAY_SIZE(common_fields) || !common_fields[field].operand)
		return 0;
	return common_fields[field].size;
}

notrace void ktrace_common_fields_read(u32 field, const void *raw, u32 size, void *slot)
{
	common_fields[field].read(raw, size, slot);
}

notrace void ktrace_common_fields_store(u64 fields, const void *raw, u32 size, void *slot)
{
	const struct common_field *field;

	for (; fields; fields &= fields - 1) {
		field = &common_fields[__ffs64(fields)];
		field->read(raw, size, slot);
		slot += field->size;
	}
}
