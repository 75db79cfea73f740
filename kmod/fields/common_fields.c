// SPDX-License-Identifier: GPL-2.0
#include "fields/common_fields.h"

#include <linux/bitops.h>
#include <linux/cgroup.h>
#include <linux/cred.h>
#include <linux/nospec.h>
#include <linux/nsproxy.h>
#include <linux/pid_namespace.h>
#include <linux/preempt.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/sched/task_stack.h>
#include <linux/thread_info.h>
#include <linux/trace_events.h>
#include <linux/user_namespace.h>
#include <net/net_namespace.h>

/*
 * The functions that read a field run in any context with preemption disabled, which protects
 * objects that RCU frees.  Once a task has been unhashed, its pointers to other tasks are stale, so
 * pid_alive() has to be checked before their use, within the same section.
 */

static __always_inline void read_tgid(const void *raw, u32 size, void *slot)
{
	*(u64 *)slot = current->tgid;
}

static __always_inline void read_comm(const void *raw, u32 size, void *slot)
{
	memcpy(slot, current->comm, TASK_COMM_LEN);
}

static __always_inline void read_ppid(const void *raw, u32 size, void *slot)
{
	*(u64 *)slot = pid_alive(current) ?
		rcu_dereference_sched(current->real_parent)->tgid : U64_MAX;
}

static __always_inline void read_start_time(const void *raw, u32 size, void *slot)
{
	*(u64 *)slot = pid_alive(current) ?
		READ_ONCE(current->group_leader)->start_boottime : U64_MAX;
}

static __always_inline void read_uid(const void *raw, u32 size, void *slot)
{
	/* kuids are the ids of the initial user namespace. */
	*(u64 *)slot = __kuid_val(current_uid());
}

static __always_inline void read_cgroup(const void *raw, u32 size, void *slot)
{
#ifdef CONFIG_CGROUPS
	*(u64 *)slot = cgroup_id(rcu_dereference_sched(current->cgroups)->dfl_cgrp);
#else
	*(u64 *)slot = 0;
#endif
}

/*
 * The context comes from the flags of the raw data if there are any.  The capture paths may disable
 * interrupts before they call us, after the flags were stored.
 */
static __always_inline void read_context(const void *raw, u32 size, void *slot)
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

/* The ring numbers its samples when it publishes them, and writes the number into this slot. */
static __always_inline void read_seq(const void *raw, u32 size, void *slot)
{
	*(u64 *)slot = 0;
}

static __always_inline void read_nice(const void *raw, u32 size, void *slot)
{
	*(s64 *)slot = task_nice(current);
}

static __always_inline void read_prio(const void *raw, u32 size, void *slot)
{
	*(s64 *)slot = READ_ONCE(current->prio);
}

static __always_inline void read_vpid(const void *raw, u32 size, void *slot)
{
	*(u64 *)slot = task_tgid_vnr(current);
}

static __always_inline void read_vtid(const void *raw, u32 size, void *slot)
{
	*(u64 *)slot = task_pid_vnr(current);
}

static __always_inline void read_pid_ns(const void *raw, u32 size, void *slot)
{
	const struct pid_namespace *ns = task_active_pid_ns(current);

	*(u64 *)slot = ns ? ns->ns.inum : 0;
}

/* A task that ends gives its namespaces back before it stops running. */
static __always_inline void read_net_ns(const void *raw, u32 size, void *slot)
{
	const struct nsproxy *nsproxy = READ_ONCE(current->nsproxy);

	*(u64 *)slot = nsproxy ? nsproxy->net_ns->ns.inum : 0;
}

static __always_inline void read_user_ns(const void *raw, u32 size, void *slot)
{
	*(u64 *)slot = current_user_ns()->ns.inum;
}

/* Counted values belong to a session, which writes them into these slots (counter_deltas.h). */
static __always_inline void read_cycles(const void *raw, u32 size, void *slot)
{
	*(u64 *)slot = U64_MAX;
}

static __always_inline void read_instructions(const void *raw, u32 size, void *slot)
{
	*(u64 *)slot = U64_MAX;
}

static __always_inline void read_stack_depth(const void *raw, u32 size, void *slot)
{
	unsigned long used = (unsigned long)task_stack_page(current) + THREAD_SIZE -
			     current_stack_pointer;

	/* On another stack the distance is larger than THREAD_SIZE. */
	*(u64 *)slot = used <= THREAD_SIZE ? used : 0;
}

/* Each of these two is half a byte of the raw data, as in ftrace's records. */
static __always_inline void read_preempt_count(const void *raw, u32 size, void *slot)
{
	const struct trace_entry *entry = raw;

	*(u64 *)slot = size >= sizeof(*entry) ? entry->preempt_count & 15 : 0;
}

static __always_inline void read_migrate_disable(const void *raw, u32 size, void *slot)
{
	const struct trace_entry *entry = raw;

	*(u64 *)slot = size >= sizeof(*entry) ? entry->preempt_count >> 4 : 0;
}

static __always_inline void read_cpu(const void *raw, u32 size, void *slot)
{
	*(u64 *)slot = raw_smp_processor_id();
}

static __always_inline void read_tid(const void *raw, u32 size, void *slot)
{
	*(u64 *)slot = current->pid;
}

/* One expression, because checkpatch rejects the statements that a switch would need. */
#define KTRACE_STORED_FIELD(number, NAME, name, type, sign, operand, help) \
	field == (number) ? read_##name(raw, size, slot) :
#define KTRACE_FILTER_FIELD KTRACE_STORED_FIELD

notrace void ktrace_common_fields_read(u32 field, const void *raw, u32 size, void *slot)
{
#include <linux/ktrace_fields.def>
	(void)0;
}

#undef KTRACE_STORED_FIELD
#undef KTRACE_FILTER_FIELD
/*
 * Most records have none of the rarer fields, whose numbers are above that of seq, and shall not
 * pay for checking.  The compiler drops the rows of the other kind.
 */
#define STORE_FIELD(is_rare, number, name, type)				\
	({									\
		if ((is_rare) == ((number) > KTRACE_FIELD_SEQ) &&		\
		    (number) != KTRACE_FIELD_SEQ && (fields & BIT_ULL(number))) { \
			read_##name(raw, size, slot);				\
			slot += KTRACE_SLOT_##type;				\
		}								\
	});
#define KTRACE_FILTER_FIELD(number, NAME, name, type, sign, operand, help)

#define KTRACE_STORED_FIELD(number, NAME, name, type, sign, operand, help) \
	STORE_FIELD(true, number, name, type)

static noinline notrace void *store_rare(u64 fields, const void *raw, u32 size, void *slot)
{
#include <linux/ktrace_fields.def>
	return slot;
}

#undef KTRACE_STORED_FIELD
#define KTRACE_STORED_FIELD(number, NAME, name, type, sign, operand, help) \
	STORE_FIELD(false, number, name, type)

notrace void ktrace_common_fields_store(u64 fields, const void *raw, u32 size, void *slot)
{
#include <linux/ktrace_fields.def>
	if (unlikely(fields >> (KTRACE_FIELD_SEQ + 1)))
		slot = store_rare(fields, raw, size, slot);
	if (fields & BIT_ULL(KTRACE_FIELD_SEQ))
		read_seq(raw, size, slot);
}

#undef KTRACE_STORED_FIELD
#undef KTRACE_FILTER_FIELD

struct common_field {
	u8 size;
	bool operand;			/* known before the record is stored */
};

#define IS_OPERAND	true
#define IS_NO_OPERAND	false
#define KTRACE_STORED_FIELD(number, NAME, name, type, sign, operand, help) \
	[number] = { KTRACE_SLOT_##type, IS_##operand },
#define KTRACE_FILTER_FIELD KTRACE_STORED_FIELD

static const struct common_field common_fields[] = {
#include <linux/ktrace_fields.def>
};

#undef KTRACE_STORED_FIELD
#undef KTRACE_FILTER_FIELD

/* The numbers of stored fields have no gaps, and are below all numbers of filter fields. */
#define KTRACE_STORED_FIELD(number, NAME, name, type, sign, operand, help) \
	static_assert(number == KTRACE_STORED_##NAME);
#define KTRACE_FILTER_FIELD(number, NAME, name, type, sign, operand, help) \
	static_assert(number >= KTRACE_FIELD_FIRST_FILTER && KTRACE_SLOT_##type == sizeof(u64));
#include <linux/ktrace_fields.def>
static_assert((u32)KTRACE_FIELD_NR_STORED <= KTRACE_FIELD_FIRST_FILTER);
static_assert(KTRACE_SLOT_TEXT == TASK_COMM_LEN);

u64 ktrace_common_fields_mask(void)
{
	return BIT_ULL(KTRACE_FIELD_NR_STORED) - 1;
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
	if (field >= ARRAY_SIZE(common_fields))
		return 0;
	/*
	 * This number comes from user space.  The other functions get only numbers that were
	 * checked here.
	 */
	field = array_index_nospec(field, ARRAY_SIZE(common_fields));
	return common_fields[field].operand ? common_fields[field].size : 0;
}
