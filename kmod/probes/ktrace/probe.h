/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The part of a template probe that runs in its own module.  It begins a sample and, if the event
 * has a filter that is machine code, runs the filter and drops a sample that the filter rejects.
 * ktrace.ko does everything else.
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

/* The version of all interfaces between ktrace.ko and modules with probes. */
#define KTRACE_PROBE_VERSION	5

struct ktrace_ring;
struct ktrace_scope_conditions;

/*
 * The next three structures are the parts of ktrace.ko's structures that probes know.  Each is the
 * first member, called `probe`, of struct ktrace_scope, ktrace_event_cpu and ktrace_event
 * (kmod/filter/scope.h, kmod/capture/capture.h).
 */

/* The state of a session, and the tasks that it records. */
struct ktrace_probe_scope {
	bool running;			/* the gate; while false, firings are not even counted */
	bool open;			/* running, and there are no conditions */
	bool partial;			/* some CPUs are not in the session */
	bool wide;			/* open, and not partial */
	bool frozen;			/* not running: firings are counted as lost */
	/*
	 * The process with this signal_struct is not recorded, except for interrupts; NULL: there
	 * is no such process.
	 */
	const struct signal_struct *self;
	/* Only tasks with their bit, by thread id, are recorded; NULL: every task is. */
	const unsigned long *tasks;
	/* Further conditions that a task has to meet; NULL: there are none. */
	struct ktrace_scope_conditions *conditions;
};

/* An event on one CPU.  Only contexts of that CPU write it. */
struct ktrace_probe_cpu {
	struct ktrace_ring *ring;	/* NULL: the CPU is not in the session */
	local_t filtered;		/* rejected by the filter, or omitted by sampling */
	local_t out_of_scope;
};

struct ktrace_probe_event {
	const struct ktrace_probe_scope *scope;
	struct ktrace_probe_cpu __percpu *cpu;
	/*
	 * The filter, if the probe can run it: it reads at least one of the event's own fields, and
	 * only bytes that every sample has, besides fields of the task; otherwise NULL.
	 */
	bpf_func_t run;
	/* The same event in the next session that records it; NULL: there is none. */
	struct ktrace_probe_event *next;
};

/* The argument of a template probe: the event in all sessions that record it. */
struct ktrace_probe_tap {
	struct ktrace_probe_event *first;	/* there is one while the probe is registered */
};

/*
 * The guard: the contexts of this CPU in which a sample, of any session, is in progress; 0: none.
 * Building a sample can itself fire events: an assignment may call any function, and the walk of a
 * user stack faults.  If such an event were recorded likewise, it could fire itself again without
 * end.  So each context (task, softirq, hardirq, NMI) builds one sample at a time.
 *
 * The word is the exclusive or of the preempt_count() of each sample in progress.  Contexts
 * interrupt each other in one order only, and each sets bits of preempt_count() that are clear in
 * those below it.  So the highest bits identify the innermost context.
 */
DECLARE_PER_CPU(u32, ktrace_guard);

/*
 * The value that a sample adds to the word.  It is not 0, and is the same when the sample begins
 * and when it ends.  The caller has preemption disabled.
 */
#define KTRACE_GUARD_EXTRA	(IS_ENABLED(CONFIG_PREEMPT_COUNT) ? 0 : BIT(30))

static __always_inline u32 ktrace_guard_count(void)
{
	return preempt_count() | KTRACE_GUARD_EXTRA;
}

static __always_inline u32 ktrace_guard_level(u32 count)
{
	return count & NMI_MASK ? 3 : count & HARDIRQ_MASK ? 2 : !!(count & SOFTIRQ_OFFSET);
}

/* Begins a sample.  Returns false if one is in progress in this context already. */
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

/*
 * The fast case of the same.  Returns false if a sample is in progress in any context of this CPU.
 */
static __always_inline bool ktrace_guard_enter_alone(void)
{
	if (unlikely(__this_cpu_read(ktrace_guard)))
		return false;
	__this_cpu_write(ktrace_guard, ktrace_guard_count());
	barrier();
	return true;
}

/* Is the present sample, with this count, the only one on this CPU? */
static __always_inline bool ktrace_guard_is_alone(u32 count)
{
	return likely(__this_cpu_read(ktrace_guard) == count);
}

/* Ends the only sample of this CPU. */
static __always_inline void ktrace_guard_leave_alone(void)
{
	barrier();
	__this_cpu_write(ktrace_guard, 0);
}

/*
 * Scratch memory holds samples that a filter has to see before they go into the ring.  On each CPU
 * it is a stack for the contexts that interrupt each other there.  It has room for four of the
 * largest samples of perf.
 */
#define KTRACE_SCRATCH_SIZE	(4 * (8192 + KTRACE_SCRATCH_APART))

/* Extra bytes of each sample that is not the only one of its CPU, to tell it from that one. */
#define KTRACE_SCRATCH_APART	8

struct ktrace_scratch {
	u32 used;
	u8 bytes[KTRACE_SCRATCH_SIZE] __aligned(8);
};

DECLARE_PER_CPU(struct ktrace_scratch *, ktrace_scratch_cpu);

/*
 * Allocates @size bytes, which is 4 less than a multiple of 8.  They begin 4 bytes beyond a
 * multiple of 8.  Returns NULL if there is not enough room.  The caller has preemption disabled
 * until it returns them.
 */
static __always_inline void *ktrace_scratch_get(u32 size)
{
	struct ktrace_scratch *scratch = __this_cpu_read(ktrace_scratch_cpu);
	u32 used = scratch->used;

	/* A context that interrupts us has returned its bytes when we continue. */
	if (unlikely(size > KTRACE_SCRATCH_SIZE - 4 - KTRACE_SCRATCH_APART - used))
		return NULL;
	WRITE_ONCE(scratch->used, used + 4 + size + KTRACE_SCRATCH_APART);
	barrier();
	return scratch->bytes + used + 4;
}

/* Is there room for a sample of @size bytes that is the only one of its CPU? */
static __always_inline bool ktrace_scratch_fits_alone(u32 size)
{
	return likely(size <= KTRACE_SCRATCH_SIZE - 4);
}

/* The same for a caller with the only sample of this CPU, which is known to fit. */
static __always_inline void *ktrace_scratch_get_alone(u32 size)
{
	struct ktrace_scratch *scratch = __this_cpu_read(ktrace_scratch_cpu);

	WRITE_ONCE(scratch->used, 4 + size);
	barrier();
	return scratch->bytes + 4;
}

/* Did ktrace_scratch_get_alone() allocate the last @size bytes on this CPU? */
static __always_inline bool ktrace_scratch_is_alone(const struct ktrace_scratch *scratch, u32 size)
{
	return scratch->used == 4 + size;
}

/* Returns the bytes that were allocated last on this CPU.  @size is the same as then. */
static __always_inline void ktrace_scratch_put(u32 size)
{
	struct ktrace_scratch *scratch = __this_cpu_read(ktrace_scratch_cpu);

	barrier();
	WRITE_ONCE(scratch->used, ktrace_scratch_is_alone(scratch, size) ? 0 :
				  scratch->used - 4 - size - KTRACE_SCRATCH_APART);
}

static __always_inline void ktrace_scratch_put_alone(void)
{
	struct ktrace_scratch *scratch = __this_cpu_read(ktrace_scratch_cpu);

	barrier();
	WRITE_ONCE(scratch->used, 0);
}

/*
 * To be called, in any context, when @event fires.  @size is the size of its raw data, a
 * KTRACE_RECORD_SIZE().  Returns the memory for the raw data, with preemption disabled until one of
 * the ends below is called.  Returns NULL if scope, sampling, or a filter that reads only the task
 * rejects the sample, or if it was lost.  @period is perf's.
 */
void *ktrace_capture_begin(struct ktrace_probe_event *event, u32 size, u64 period);
/*
 * The fast case of the same.  Returns KTRACE_CAPTURE_UNUSUAL if it cannot decide and
 * ktrace_capture_begin() has to be called.
 */
#define KTRACE_CAPTURE_UNUSUAL	((void *)1)
void *ktrace_capture_begin_plain(struct ktrace_probe_event *event, u32 size, u64 period);
/*
 * Stores a sample, unless a filter or sampling rejects it that has to see its fields.  All of
 * @entry is assigned except for the common part, struct trace_entry.  @ip is where the event fired,
 * and
 * @period is the same as at the beginning.
 */
void ktrace_capture_end(struct ktrace_probe_event *event, void *entry, u32 size,
			unsigned long ip, u64 period);
/*
 * The same for an event that other sessions record, too: @event->next is not NULL.  Copies the
 * finished sample to the following events that can take it unchanged.  Returns the first event that
 * needs its own pass, or NULL.
 */
struct ktrace_probe_event *ktrace_capture_end_shared(struct ktrace_probe_event *event, void *entry,
						     u32 size, unsigned long ip, u64 period);
/* The same for a sample that the filter has already accepted. */
void ktrace_capture_end_wanted(struct ktrace_probe_event *event, void *entry, u32 size,
			       unsigned long ip, u64 period);

/*
 * Is the current task, or the interrupt that runs in its place, to be recorded?  The caller
 * has preemption disabled.
 */
bool ktrace_capture_covers(const struct ktrace_probe_event *event);
/* Ends a sample in scratch memory that the filter has rejected. */
void ktrace_capture_reject(const struct ktrace_probe_event *event, u32 size);
/* To be called when the gate is closed: if the session is frozen, counts the firing as lost. */
void ktrace_capture_shut_out(const struct ktrace_probe_event *event);
/* Counts a sample of @size bytes as lost, because scratch memory had no room for it. */
void ktrace_capture_lose(const struct ktrace_probe_event *event, u32 size);

/* Is the current task recorded? */
static __always_inline bool ktrace_scope_has_task(const struct ktrace_probe_scope *scope)
{
	const unsigned long *tasks = READ_ONCE(scope->tasks);

	return !tasks || test_bit(current->pid, tasks);
}

/* Opens or closes the gate.  Probes that find @open false check @running, so that it decides. */
static __always_inline void ktrace_scope_run(struct ktrace_probe_scope *scope, bool running)
{
	if (!running) {
		WRITE_ONCE(scope->wide, false);
		WRITE_ONCE(scope->open, false);
	}
	WRITE_ONCE(scope->running, running);
	if (running) {
		WRITE_ONCE(scope->open, !scope->conditions);
		WRITE_ONCE(scope->wide, !scope->conditions && !scope->partial);
	}
}

/* Does the session run, and is ktrace_scope_has_task() the only further condition? */
static __always_inline bool ktrace_scope_is_plain(const struct ktrace_probe_scope *scope)
{
	/* Plain loads, because the compiler can compare them in memory; each is the only one. */
	return data_race(scope->open) && current->signal != data_race(scope->self);
}

/*
 * Runs a filter that is machine code.  Its arguments are the raw data (or a struct
 * ktrace_filter_record, see filter.h) and the current task, from which it reads the task's fields.
 * The task replaces the instructions, which only the kernel's interpreter would need; that never
 * runs the filter.
 */
static __always_inline bool ktrace_probe_accepts(bpf_func_t run, const void *raw)
{
	return bpf_dispatcher_nop_func(raw, (const struct bpf_insn *)current, run);
}

/* Counts a sample that the filter has rejected. */
static __always_inline void ktrace_probe_count_filtered(const struct ktrace_probe_event *event)
{
	/* Shorter than local_inc() on this_cpu_ptr(). */
	static_assert(sizeof(local_t) == sizeof(unsigned long));
	this_cpu_inc(*(unsigned long __percpu *)&event->cpu->filtered);
}

/*
 * Is the current task recorded?  The caller has preemption disabled.  May also return true on a CPU
 * that was added after a session with @wide began, and that is not in the session.
 */
static __always_inline bool ktrace_probe_covers(struct ktrace_probe_event *event)
{
	const struct ktrace_probe_scope *scope = event->scope;
	struct ktrace_probe_cpu *cpu;

	/* As in ktrace_scope_is_plain(). */
	if (likely(data_race(scope->wide) && current->signal != data_race(scope->self) &&
		   ktrace_scope_has_task(scope)))
		return true;
	cpu = this_cpu_ptr(event->cpu);
	if (!READ_ONCE(scope->running)) {
		ktrace_capture_shut_out(event);
		return false;
	}
	if (!cpu->ring)
		return false;
	if (ktrace_capture_covers(event))
		return true;
	local_inc(&cpu->out_of_scope);
	return false;
}

/*
 * ktrace_capture_begin(), with the parts inline that save time when a filter follows.  Returns
 * false in place of NULL, because the compiler does not know that scratch memory is never NULL.
 */
static __always_inline bool ktrace_probe_begin(struct ktrace_probe_event *event, u32 size,
					       u64 period, void **ret)
{
	void *entry;

	if (likely(!event->run)) {
		entry = ktrace_capture_begin_plain(event, size, period);
		if (unlikely(entry <= KTRACE_CAPTURE_UNUSUAL)) {
			entry = entry ? ktrace_capture_begin(event, size, period) : NULL;
			if (!entry)
				return false;
		}
		goto zero_padding;
	}

	preempt_disable_notrace();
	if (unlikely(!ktrace_probe_covers(event)))
		goto err_enable;
	if (unlikely(!ktrace_guard_enter_alone())) {
		preempt_enable_notrace();
		entry = ktrace_capture_begin(event, size, period);
		if (!entry)
			return false;
		goto zero_padding;
	}
	if (unlikely(!ktrace_scratch_fits_alone(size))) {
		ktrace_guard_leave_alone();
		ktrace_capture_lose(event, size);
		goto err_enable;
	}
	entry = ktrace_scratch_get_alone(size);
zero_padding:
	/* The padding is in this word; the caller writes the other bytes afterwards. */
	*(u64 *)(entry + size - sizeof(u64)) = 0;
	*ret = entry;
	return true;

err_enable:
	preempt_enable_notrace();
	return false;
}

static __always_inline void ktrace_probe_reject(struct ktrace_probe_event *event, u32 size)
{
	struct ktrace_scratch *scratch = __this_cpu_read(ktrace_scratch_cpu);

	/* Then no other sample is in progress on this CPU. */
	if (likely(ktrace_scratch_is_alone(scratch, size))) {
		ktrace_probe_count_filtered(event);
		barrier();
		WRITE_ONCE(scratch->used, 0);
		ktrace_guard_leave_alone();
		preempt_enable_notrace();
	} else {
		ktrace_capture_reject(event, size);
	}
}

/* Is there no other session with this event?  This is almost always so. */
static __always_inline bool ktrace_probe_is_last(const struct ktrace_probe_event *event)
{
	/* A plain load, because the compiler can compare it in memory; it is the only one. */
	return likely(!data_race(event->next));
}

/* The event of the next session, or NULL. */
static __always_inline struct ktrace_probe_event *
ktrace_probe_next(const struct ktrace_probe_event *event)
{
	return ktrace_probe_is_last(event) ? NULL : READ_ONCE(event->next);
}

/* Is there another session?  The probability keeps the compiler from optimizing for a loop. */
#ifdef __CHECKER__	/* which does not know that function */
#define ktrace_probe_goes_on(event)	(!!(event))
#else
#define ktrace_probe_goes_on(event)	__builtin_expect_with_probability(!!(event), 0, 1.0)
#endif

/*
 * ktrace_capture_end(), with parts inline as well.  Returns the event of the next session that
 * needs its own pass, or NULL.  A macro, so that @ip is evaluated where it is used, and the
 * compiler need not keep it while the filter runs.
 */
#define ktrace_probe_end(event, entry, size, ip, period)			\
	({									\
		struct ktrace_probe_event *__ended = (event), *__next = NULL;	\
										\
		if (unlikely(__ended->run)) {					\
			if (ktrace_probe_accepts(__ended->run, entry))		\
				ktrace_capture_end_wanted(__ended, entry, size, ip, period); \
			else							\
				ktrace_probe_reject(__ended, size);		\
			__next = ktrace_probe_next(__ended);			\
		} else if (ktrace_probe_is_last(__ended)) {				\
			ktrace_capture_end(__ended, entry, size, ip, period);	\
		} else {							\
			__next = ktrace_capture_end_shared(__ended, entry, size, ip, period); \
		}								\
		__next;								\
	})

#endif
