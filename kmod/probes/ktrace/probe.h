/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What a template probe does by itself: it begins a sample and, where the event has a filter
 * that is machine code, it runs the filter and drops a sample that the filter rejects.
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

/* The version of everything that ktrace.ko and modules with probes have to agree about. */
#define KTRACE_PROBE_VERSION	4

struct ktrace_ring;
struct ktrace_scope_conditions;

/*
 * The following three are what probes know of ktrace.ko's structures: each is the first
 * member, called `probe`, of struct ktrace_scope, ktrace_event_cpu and ktrace_event
 * (kmod/scope.h, kmod/capture.h).
 */

/* Whether a session records, and which tasks. */
struct ktrace_probe_scope {
	bool running;			/* the gate; while false, firings are not even counted */
	bool open;			/* running, and there are no conditions */
	/*
	 * The process with this signal_struct is not recorded, except for interrupts; NULL:
	 * there is no such process.
	 */
	const struct signal_struct *self;
	/* Only tasks with their bit, by thread id, are recorded; NULL: every task is. */
	const unsigned long *tasks;
	/* Further conditions that a task has to meet; NULL: there are none. */
	struct ktrace_scope_conditions *conditions;
};

/* An event on one CPU, written only by contexts of that CPU. */
struct ktrace_probe_cpu {
	struct ktrace_ring *ring;	/* NULL: the CPU is not in the session */
	local_t filtered;		/* rejected by the filter, or left out by sampling */
	local_t out_of_scope;
};

struct ktrace_probe_event {
	const struct ktrace_probe_scope *scope;
	struct ktrace_probe_cpu __percpu *cpu;
	/*
	 * The filter, if it is decided by the event's own fields, with or without those of the
	 * task; otherwise NULL.
	 */
	const struct bpf_prog *prog;
	u32 prog_min_size;		/* of the smallest raw data that it can take */
};

/*
 * The guard: which contexts of this CPU are making a sample, in whatever session; 0: none
 * is.  Making a sample can itself fire events: an assignment may call any function, and the
 * walk of a user stack faults.  If such an event were recorded likewise, it could fire
 * itself again without end.  So each context (task, softirq, hardirq, NMI) makes one sample
 * at a time.
 *
 * The word is the exclusive or of the preempt_count() of each sample that is being made.
 * Contexts interrupt each other in one order only, and each sets bits of preempt_count()
 * that are clear in those below it, so the highest bits tell which context is the innermost.
 */
DECLARE_PER_CPU(u32, ktrace_guard);

/*
 * What a sample that is made now adds to the word.  It is not 0, and is the same when the
 * sample begins and when it ends.  The caller has preemption disabled.
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

/* Begins a sample.  Returns false if one is being made in this context already. */
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

/* The quick case of the same.  Returns false if any context of this CPU is making a sample. */
static __always_inline bool ktrace_guard_enter_alone(void)
{
	if (unlikely(__this_cpu_read(ktrace_guard)))
		return false;
	__this_cpu_write(ktrace_guard, ktrace_guard_count());
	barrier();
	return true;
}

/* Is the sample that is being made here, with this count, the only one on this CPU? */
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
 * Scratch memory, in which samples are made that a filter has to see before they go into the
 * ring.  On each CPU it is a stack for the contexts that interrupt each other there.  It has
 * room for four of the largest samples that perf knows.
 */
#define KTRACE_SCRATCH_SIZE	32768

struct ktrace_scratch {
	u32 used;
	u8 bytes[KTRACE_SCRATCH_SIZE] __aligned(8);
};

DECLARE_PER_CPU(struct ktrace_scratch *, ktrace_scratch_cpu);

/*
 * Takes @size bytes, which is 4 less than a multiple of 8.  They begin 4 bytes beyond a
 * multiple of 8.  Returns NULL if there is not enough room.  The caller has preemption
 * disabled until it puts them back.
 */
static __always_inline void *ktrace_scratch_get(u32 size)
{
	struct ktrace_scratch *scratch = __this_cpu_read(ktrace_scratch_cpu);
	u32 used = scratch->used;

	/* A context that interrupts us has put back what it got when we go on. */
	if (unlikely(size > KTRACE_SCRATCH_SIZE - 4 - used))
		return NULL;
	WRITE_ONCE(scratch->used, used + 4 + size);
	barrier();
	return scratch->bytes + used + 4;
}

/* The same for a caller that makes the only sample of this CPU. */
static __always_inline void *ktrace_scratch_get_alone(u32 size)
{
	struct ktrace_scratch *scratch = __this_cpu_read(ktrace_scratch_cpu);

	if (unlikely(size > KTRACE_SCRATCH_SIZE - 4))
		return NULL;
	WRITE_ONCE(scratch->used, 4 + size);
	barrier();
	return scratch->bytes + 4;
}

/* Puts back what was taken last on this CPU.  @size is what it was then. */
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
 * To be called, in any context, when @event fires.  @size is the size of its raw data, a
 * KTRACE_RECORD_SIZE().  Returns where the raw data is to be assigned, with preemption
 * disabled until one of the ends below is called; or NULL if no sample is to be made, as
 * scope, sampling and filters that look at the task alone decide.  @period is what perf calls
 * so.
 */
void *ktrace_capture_begin(struct ktrace_probe_event *event, u32 size, u64 period);
/*
 * The quick case of the same.  Returns KTRACE_CAPTURE_UNUSUAL where it cannot decide and
 * ktrace_capture_begin() has to be called.
 */
#define KTRACE_CAPTURE_UNUSUAL	((void *)1)
void *ktrace_capture_begin_plain(struct ktrace_probe_event *event, u32 size, u64 period);
/*
 * Stores a sample, unless a filter or sampling that have to see its fields decide otherwise.
 * All of @entry is assigned but for the common part, struct trace_entry.  @ip is where the
 * event fired, and @period is the same as at the beginning.
 */
void ktrace_capture_end(struct ktrace_probe_event *event, void *entry, u32 size,
			unsigned long ip, u64 period);
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
/* Counts a sample of @size bytes as lost, because scratch memory had no room for it. */
void ktrace_capture_lose(const struct ktrace_probe_event *event, u32 size);

/* Is the current task one of those that are recorded? */
static __always_inline bool ktrace_scope_has_task(const struct ktrace_probe_scope *scope)
{
	const unsigned long *tasks = READ_ONCE(scope->tasks);

	return !tasks || test_bit(current->pid, tasks);
}

/*
 * Opens or closes the gate.  Probes that find @open false ask for @running, so that it alone
 * decides.
 */
static __always_inline void ktrace_scope_run(struct ktrace_probe_scope *scope, bool running)
{
	if (!running)
		WRITE_ONCE(scope->open, false);
	WRITE_ONCE(scope->running, running);
	if (running)
		WRITE_ONCE(scope->open, !scope->conditions);
}

/* Does the session run, and is ktrace_scope_has_task() all that has to be asked? */
static __always_inline bool ktrace_scope_is_plain(const struct ktrace_probe_scope *scope)
{
	/* Plain loads, because the compiler can compare them in place; each is the only one. */
	return data_race(scope->open) && current->signal != data_race(scope->self);
}

/*
 * Runs a filter that is machine code.  It gets the raw data, or what filter.h says, and the
 * current task, by which it reads the task's fields.  The kernel's interpreter, which would
 * need the instructions in its place, never runs it.
 */
static __always_inline bool ktrace_probe_accepts(const struct bpf_prog *prog, const void *raw)
{
	return bpf_dispatcher_nop_func(raw, (const struct bpf_insn *)current, prog->bpf_func);
}

/* ktrace_capture_begin(), inline as far as that saves time when a filter follows. */
static __always_inline void *ktrace_probe_begin(struct ktrace_probe_event *event, u32 size,
						u64 period)
{
	struct ktrace_probe_cpu *cpu;
	void *entry;

	if (likely(!event->prog)) {
		entry = ktrace_capture_begin_plain(event, size, period);
		if (unlikely(entry <= KTRACE_CAPTURE_UNUSUAL)) {
			entry = entry ? ktrace_capture_begin(event, size, period) : NULL;
			if (!entry)
				return NULL;
		}
		goto zero_padding;
	}

	preempt_disable_notrace();
	cpu = this_cpu_ptr(event->cpu);
	if (unlikely(!cpu->ring))
		goto err_enable;
	if (unlikely(!ktrace_scope_is_plain(event->scope) ||
		     !ktrace_scope_has_task(event->scope))) {
		if (!READ_ONCE(event->scope->running))
			goto err_enable;
		if (!ktrace_capture_covers(event)) {
			local_inc(&cpu->out_of_scope);
			goto err_enable;
		}
	}
	if (unlikely(!ktrace_guard_enter_alone())) {
		preempt_enable_notrace();
		entry = ktrace_capture_begin(event, size, period);
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
	/* The padding is in this word, of which the caller then writes the rest. */
	*(u64 *)(entry + size - sizeof(u64)) = 0;
	return entry;

err_enable:
	preempt_enable_notrace();
	return NULL;
}

/*
 * ktrace_capture_end(), inline likewise.  A macro, so that @ip is evaluated where it is used: the
 * compiler then need not keep it while the filter runs.
 */
#define ktrace_probe_end(event, entry, size, ip, period)			\
	do {									\
		struct ktrace_probe_event *__event = (event);			\
										\
		if (likely(!__event->prog) || unlikely((size) < __event->prog_min_size)) \
			ktrace_capture_end(__event, entry, size, ip, period);	\
		else if (ktrace_probe_accepts(__event->prog, entry))		\
			ktrace_capture_end_wanted(__event, entry, size, ip, period); \
		else								\
			ktrace_probe_reject(__event, size);			\
	} while (0)

static __always_inline void ktrace_probe_reject(struct ktrace_probe_event *event, u32 size)
{
	if (ktrace_guard_is_alone(ktrace_guard_count())) {
		local_inc(&this_cpu_ptr(event->cpu)->filtered);
		ktrace_scratch_put_alone();
		ktrace_guard_leave_alone();
		preempt_enable_notrace();
	} else {
		ktrace_capture_reject(event, size);
	}
}

#endif
