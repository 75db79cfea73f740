/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What a template probe does itself: begins a record and, where a filter that is
 * machine code does not want it, is done with it.  Whatever else there is to do is
 * done in ktrace.ko.
 */
#ifndef KTRACE_PROBE_H
#define KTRACE_PROBE_H

#include <linux/bitops.h>
#include <linux/bpf.h>
#include <linux/compiler.h>
#include <linux/percpu.h>
#include <linux/preempt.h>
#include <linux/sched.h>
#include <linux/types.h>
#include <asm/local.h>

/* Of all that modules with probes and ktrace.ko have to agree about. */
#define KTRACE_PROBE_VERSION	2

struct ktrace_event;

/* How ktrace.ko's structures begin (capture.h), for those that it is enough for. */
struct ktrace_probe_capture {
	bool running;
	struct {
		const void *self;	/* task->signal of the process not recorded; NULL: none */
		const unsigned long *tasks; /* those recorded, by thread id; NULL: every task */
		const void *conditions;	/* what else has to be so of them; NULL: nothing */
	} scope;
};

struct ktrace_probe_cpu {
	const void *ring;		/* NULL: nothing is recorded there */
	local_t filtered;
	local_t out_of_scope;
};

struct ktrace_probe_event {
	const struct ktrace_probe_capture *capture;
	struct ktrace_probe_cpu __percpu *cpu;
	/* The filter, where it takes nothing but the event's own fields; else NULL. */
	const struct bpf_prog *prog;
	u32 prog_min_size;		/* of the records it can take */
};

/*
 * Which contexts of this CPU are making a record, in any session; 0: none.  What
 * recording does may fire events itself: an assignment can call anything, and the walk
 * of a user stack faults.  Recorded likewise, such an event would fire itself again
 * without end, so in each context (task, softirq, hardirq, NMI) no more than one record
 * is made at a time.
 *
 * The word is the exclusive or of preempt_count() of each record that is being made.
 * Contexts interrupt each other in one order only, and each sets bits of preempt_count()
 * that those below it have not, so that the highest of them tells the innermost one.
 */
DECLARE_PER_CPU(u32, ktrace_guard);

/* With preemption disabled; not 0, and the same at the beginning and the end of a record. */
static __always_inline u32 ktrace_guard_count(void)
{
	return preempt_count() | (IS_ENABLED(CONFIG_PREEMPT_COUNT) ? 0 : BIT(30));
}

static __always_inline u32 ktrace_guard_level(u32 count)
{
	return count & NMI_MASK ? 3 : count & HARDIRQ_MASK ? 2 : !!(count & SOFTIRQ_OFFSET);
}

/* Begins a record; false: one is being made in this context. */
static __always_inline bool ktrace_guard_enter(void)
{
	u32 inside = __this_cpu_read(ktrace_guard), count = ktrace_guard_count();

	if (unlikely(inside && ktrace_guard_level(inside) >= ktrace_guard_level(count)))
		return false;
	__this_cpu_write(ktrace_guard, inside ^ count);
	barrier();
	return true;
}

static __always_inline void ktrace_guard_leave(void)
{
	barrier();
	__this_cpu_write(ktrace_guard, __this_cpu_read(ktrace_guard) ^ ktrace_guard_count());
}

/* The same as it most often is; false: a record is being made in some context. */
static __always_inline bool ktrace_guard_enter_alone(void)
{
	if (unlikely(__this_cpu_read(ktrace_guard)))
		return false;
	__this_cpu_write(ktrace_guard, ktrace_guard_count());
	barrier();
	return true;
}

/* Is the record that is being made here, with this count, the only one of this CPU? */
static __always_inline bool ktrace_guard_is_alone(u32 count)
{
	return likely(__this_cpu_read(ktrace_guard) == count);
}

static __always_inline void ktrace_guard_leave_alone(void)
{
	barrier();
	__this_cpu_write(ktrace_guard, 0);
}

/*
 * Where records are put together that a filter has yet to see: on each CPU a stack
 * for the contexts that interrupt each other there.  Four of the largest records
 * perf knows.
 */
#define KTRACE_SCRATCH_SIZE	32768

struct ktrace_scratch {
	u32 used;
	u8 bytes[KTRACE_SCRATCH_SIZE] __aligned(8);
};

DECLARE_PER_CPU(struct ktrace_scratch *, ktrace_scratch_cpu);

/*
 * @size bytes, 4 less than a multiple of 8, at 4 beyond one; NULL: too much.
 * Preemption is disabled until put.
 */
static __always_inline void *ktrace_scratch_get(u32 size)
{
	struct ktrace_scratch *scratch = __this_cpu_read(ktrace_scratch_cpu);
	u32 used = scratch->used;

	/* Who interrupts puts back what it got. */
	if (unlikely(size > KTRACE_SCRATCH_SIZE - 4 - used))
		return NULL;
	WRITE_ONCE(scratch->used, used + 4 + size);
	barrier();
	return scratch->bytes + used + 4;
}

/* The same where no record is being made on this CPU but this one. */
static __always_inline void *ktrace_scratch_get_alone(u32 size)
{
	struct ktrace_scratch *scratch = __this_cpu_read(ktrace_scratch_cpu);

	if (unlikely(size > KTRACE_SCRATCH_SIZE - 4))
		return NULL;
	WRITE_ONCE(scratch->used, 4 + size);
	barrier();
	return scratch->bytes + 4;
}

/* The last that was got on this CPU; @size as then. */
static __always_inline void ktrace_scratch_put(u32 size)
{
	struct ktrace_scratch *scratch = __this_cpu_read(ktrace_scratch_cpu);

	barrier();
	WRITE_ONCE(scratch->used, scratch->used - 4 - size);
}

static __always_inline void ktrace_scratch_put_alone(void)
{
	struct ktrace_scratch *scratch = __this_cpu_read(ktrace_scratch_cpu);

	barrier();
	WRITE_ONCE(scratch->used, 0);
}

/*
 * In any context: @event fired with a record of @size bytes, a
 * KTRACE_RECORD_SIZE().  Where to put it, or NULL: it is not wanted.  Preemption is
 * disabled from here to the end.
 */
void *ktrace_capture_begin(struct ktrace_event *event, u32 size);
/* The same as it most often is; KTRACE_CAPTURE_UNUSUAL: the other one is to be asked. */
#define KTRACE_CAPTURE_UNUSUAL	((void *)1)
void *ktrace_capture_begin_plain(struct ktrace_event *event, u32 size);
/* All of @entry is assigned but the common fields.  @ip: who fired it; @period: as perf's. */
void ktrace_capture_end(struct ktrace_event *event, void *entry, u32 size,
			unsigned long ip, u64 period);
/* The same where the filter has been asked, and wants it. */
void ktrace_capture_end_wanted(struct ktrace_event *event, void *entry, u32 size,
			       unsigned long ip, u64 period);

/* With preemption disabled: is the current task, or what interrupts it, to be recorded? */
bool ktrace_capture_covers(const struct ktrace_event *event);
/* A filter in line rejects what was put into scratch memory; ends as ktrace_capture_end(). */
void ktrace_capture_reject(const struct ktrace_event *event, u32 size);
/* There was no scratch memory for a record of @size bytes. */
void ktrace_capture_lose(const struct ktrace_event *event, u32 size);

static __always_inline bool ktrace_probe_covers(const struct ktrace_event *event)
{
	const struct ktrace_probe_event *probe = (const void *)event;
	const struct ktrace_probe_capture *capture = probe->capture;
	const unsigned long *tasks = READ_ONCE(capture->scope.tasks);
	const struct task_struct *task = current;

	if (tasks && !test_bit(task->pid, tasks))
		return false;
	if (likely(task->signal != capture->scope.self && !capture->scope.conditions))
		return true;
	return ktrace_capture_covers(event);
}

/* ktrace_capture_begin(), in line as far as a filter in line is of use. */
static __always_inline void *ktrace_probe_begin(struct ktrace_event *event, u32 size)
{
	const struct ktrace_probe_event *probe = (const void *)event;
	struct ktrace_probe_cpu *cpu;
	void *entry;

	if (likely(!probe->prog)) {
		entry = ktrace_capture_begin_plain(event, size);
		if (unlikely(entry <= KTRACE_CAPTURE_UNUSUAL)) {
			entry = entry ? ktrace_capture_begin(event, size) : NULL;
			if (!entry)
				return NULL;
		}
		goto zero_padding;
	}

	preempt_disable_notrace();
	cpu = this_cpu_ptr(probe->cpu);
	if (unlikely(!READ_ONCE(probe->capture->running) || !cpu->ring))
		goto err_enable;
	if (unlikely(!ktrace_probe_covers(event))) {
		local_inc(&cpu->out_of_scope);
		goto err_enable;
	}
	if (unlikely(!ktrace_guard_enter_alone())) {
		preempt_enable_notrace();
		entry = ktrace_capture_begin(event, size);
		if (!entry)
			return NULL;
		goto zero_padding;
	}
	entry = ktrace_scratch_get_alone(size);
	if (unlikely(!entry)) {
		ktrace_guard_leave_alone();
		ktrace_capture_lose(event, size);
		goto err_enable;
	}
zero_padding:
	/* Before what else is there. */
	*(u64 *)(entry + size - sizeof(u64)) = 0;
	return entry;

err_enable:
	preempt_enable_notrace();
	return NULL;
}

/* ktrace_capture_end() likewise. */
static __always_inline void ktrace_probe_end(struct ktrace_event *event, void *entry, u32 size,
					     unsigned long ip, u64 period)
{
	const struct ktrace_probe_event *probe = (const void *)event;
	const struct bpf_prog *prog = probe->prog;

	if (likely(!prog) || unlikely(size < probe->prog_min_size)) {
		ktrace_capture_end(event, entry, size, ip, period);
	} else if (bpf_dispatcher_nop_func(entry, prog->insnsi, prog->bpf_func)) {
		ktrace_capture_end_wanted(event, entry, size, ip, period);
	} else if (ktrace_guard_is_alone(ktrace_guard_count())) {
		local_inc(&this_cpu_ptr(probe->cpu)->filtered);
		ktrace_scratch_put_alone();
		ktrace_guard_leave_alone();
		preempt_enable_notrace();
	} else {
		ktrace_capture_reject(event, size);
	}
}

#endif
