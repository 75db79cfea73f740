// SPDX-License-Identifier: GPL-2.0
/*
 * ktrace_test: fires its own tracepoints on demand and counts every firing
 *
 * This module knows independently which events a tracer under test should see. It counts how often
 * each was emitted, where and in which context, and defines their bytes. ktrace_test_events.h has
 * the events, ktrace_test_values.h their values.
 *
 * Files in /sys/kernel/debug/ktrace_test/:
 *
 *   fire (write)     "EVENT CONTEXT COUNT [CPU [START_SEQ]]"
 *     EVENT      a name out of `events`
 *     CONTEXT    task      the writer itself, or a thread bound to the CPU
 *                softirq   a timer in its soft mode
 *                hardirq   a timer interrupt
 *                irq_work  an irq_work, queued by a timer interrupt
 *                nmi       a real NMI, sent from another CPU where there is
 *                          one (x86 only, else -EOPNOTSUPP)
 *     COUNT      1 to 10000000
 *     CPU        a number; `all`: every online CPU fires COUNT, all at the
 *                same time; `self` (default): the CPU the writer is on
 *     START_SEQ  the seq of the first; default: where the stream stopped
 *     The write returns when all have fired; a signal ends it early with
 *     -EINTR. CPUs go offline only afterwards (NMIs: -ENODEV then). Writes
 *     from several processes run at the same time. Timers come in small
 *     batches with pauses, at any instruction of the interrupted code.
 *   rate (write)     "EVENT CONTEXT PER_SECOND SECONDS [CPU [START_SEQ]]"
 *                    the same, spread over SECONDS (1 to 3600), in steps of
 *                    about a millisecond; PER_SECOND (1 to 1000000) on each CPU
 *   counts (read)    "EVENT CPU CONTEXT COUNT LAST_SEQ" for all that ever fired
 *   die (write)      "hardirq": a NULL pointer is followed in an interrupt;
 *                    "hang": the writer sleeps for ever, uninterruptibly
 *   reset (write)    anything: all counts and streams begin at 0 again; -EBUSY
 *                    while something fires
 *   events (read)    the names, one per line
 *   attached (read)  "EVENT PROBES": how many probes each tracepoint has;
 *                    last line "fn_registered 0|1": fn's own reg/unreg callbacks
 *   addresses (read) "words 0x..." and "landmark 0x...": see event `pointers`
 *
 * COUNT in `counts` is the number of trace_EVENT() calls, whether or not the
 * event was enabled. It is incremented right beside each call, on
 * the same CPU, even if an interrupt comes between; tasks fire with migration
 * disabled, as common_preempt_count shows. A stream is one event in one context on one CPU;
 * its seqs are consecutive from 0 unless START_SEQ says otherwise.
 * Exceptions: `cond` takes every seq and is emitted and counted at even ones;
 * `nest_inner` is also fired by each probe of `nest_outer`, with outer's seq.
 *
 * An order that cannot be carried out is refused with -EINVAL and a sentence in the kernel log.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/atomic.h>
#include <linux/cpu.h>
#include <linux/debugfs.h>
#include <linux/delay.h>
#include <linux/hrtimer.h>
#include <linux/irq_work.h>
#include <linux/kthread.h>
#include <linux/module.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/string_helpers.h>
#include <linux/uaccess.h>

#ifdef CONFIG_X86_LOCAL_APIC
#include <asm/apic.h>
#include <asm/irq_vectors.h>
#include <asm/nmi.h>
#endif

#define CREATE_TRACE_POINTS
#include "ktrace_test_events.h"

#define MAX_COUNT 10000000
#define MAX_RATE 1000000
#define MAX_SECONDS 3600
#define TASK_BATCH 256
/*
 * The number of events that a timer fires at once: few enough for the watchdogs of a slow machine,
 * with the largest event and with perf listening.
 */
#define IRQ_BATCH 64
#define NMI_BATCH 4
#define PAUSE_NS 50000
#define RATE_STEP_NS NSEC_PER_MSEC
/* On a loaded machine, a CPU of a guest may not run for a long time. */
#define NMI_TIMEOUT_NS (60 * NSEC_PER_SEC)
#define NR_MASKS 16

#ifndef KTEST_HAVE_HRTIMER_SETUP
static void hrtimer_setup(struct hrtimer *timer, enum hrtimer_restart (*function)(struct hrtimer *),
			  clockid_t clock, enum hrtimer_mode mode)
{
	hrtimer_init(timer, clock, mode);
	timer->function = function;
}
#endif

/* One write to `fire` or `rate`. */
struct job {
	const struct event *event;
	unsigned int ctx;
	u64 count;
	u64 rate;
	bool has_start;
	u64 start;
	struct task_struct *owner;
	bool stop;
};

/* The share of one CPU in a job. */
struct part {
	struct job *job;
	int cpu;
	u64 left;
	u64 began;
	int ret;
	struct hrtimer timer;
	struct irq_work work;
	bool nmi_done;
	struct completion ready;
	struct completion go;
	struct completion fired;
	struct completion done;
	struct task_struct *thread;
};

struct event {
	const char *name;
	struct tracepoint *tp;
	void (*fire)(struct part *part, unsigned int n);
};

struct stream {
	unsigned long count;
	u64 next;
	u64 last;
};

#define EVENTS(X)							\
	X(seq) X(ints) X(arrays) X(strings) X(hostile) X(vstrings)	\
	X(sock) X(pointers) X(dyn) X(rel) X(masks) X(holes) X(big)	\
	X(huge) X(counted) X(tasky) X(class_a) X(class_b) X(cond)	\
	X(fn) X(odd) X(nest_outer) X(nest_inner)

enum {
#define X(name) EVENT_##name,
	EVENTS(X)
#undef X
	NR_EVENTS,
};

struct streams {
	struct stream s[NR_EVENTS][KTEST_NR_CTX];
};

static const char * const ctx_names[KTEST_NR_CTX] = {
	[KTEST_TASK] = "task",
	[KTEST_SOFTIRQ] = "softirq",
	[KTEST_HARDIRQ] = "hardirq",
	[KTEST_IRQ_WORK] = "irq_work",
	[KTEST_NMI] = "nmi",
};

static const char ktest_words[KTEST_WORDS][KTEST_WORD_SIZE] = KTEST_WORD_LIST;
static u64 ktest_pool[KTEST_POOL_WORDS];
static struct cpumask *masks;
static struct streams __percpu *streams;
static struct dentry *dir;
static bool fn_registered;

/* Held for reading by all that fire, for writing by `reset`. */
static DECLARE_RWSEM(firing);

int ktest_fn_reg(void)
{
	WARN_ON(fn_registered);
	fn_registered = true;
	return 0;
}

void ktest_fn_unreg(void)
{
	WARN_ON(!fn_registered);
	fn_registered = false;
}

static noinline void ktest_landmark(void)
{
	barrier();
}

static const char *tail(const char *s, size_t len, u64 seq)
{
	return s + len - seq % (len + 1);
}

#define TAIL(s, seq) tail(s, sizeof(s) - 1, seq)

static const char *word(u64 seq)
{
	return ktest_words[seq % KTEST_WORDS];
}

static const u8 *slice(u64 seq, unsigned int field)
{
	return (const u8 *)ktest_pool + ktest_slice_start(seq, field);
}

static void count(unsigned int event, unsigned int ctx, u64 seq)
{
	this_cpu_inc(streams->s[event][ctx].count);
	this_cpu_write(streams->s[event][ctx].last, seq);
}

static __printf(3, 4) void call_vstrings(u64 seq, u32 ctx, const char *fmt, ...)
{
	struct va_format vaf = { .fmt = fmt };
	va_list args;

	va_start(args, fmt);
	vaf.va = &args;
	trace_vstrings(seq, ctx, KTEST_TEXT, seq % sizeof(KTEST_TEXT), &vaf);
	va_end(args);
}

static void call_sock(u64 seq, u32 ctx)
{
	union {
		struct sockaddr sa;
		struct sockaddr_in in;
		struct sockaddr_in6 in6;
	} addr = {};
	__be16 port = cpu_to_be16(ktest_bits(seq, KTEST_K(1, 0), 16));
	__be64 half[2];

	if (seq & 1) {
		half[0] = cpu_to_be64(ktest_bits(seq, KTEST_K(3, 0), 64));
		half[1] = cpu_to_be64(ktest_bits(seq, KTEST_K(3, 1), 64));
		addr.in6.sin6_family = AF_INET6;
		addr.in6.sin6_port = port;
		memcpy(&addr.in6.sin6_addr, half, sizeof(half));
		trace_sock(seq, ctx, &addr.sa, sizeof(addr.in6));
	} else {
		addr.in.sin_family = AF_INET;
		addr.in.sin_port = port;
		addr.in.sin_addr.s_addr = cpu_to_be32(ktest_bits(seq, KTEST_K(2, 0), 32));
		trace_sock(seq, ctx, &addr.sa, sizeof(addr.in));
	}
}

static void call_nest_inner(u64 seq, u32 ctx)
{
	trace_nest_inner(seq, ctx);
	count(EVENT_nest_inner, ctx, seq);
}

/* Counts are those of the CPU where the call is made, so nothing here may migrate. */
#define FIRE_IF(name, condition, call)						\
static void fire_##name(struct part *part, unsigned int n)			\
{										\
	unsigned int ctx = part->job->ctx;					\
	u64 seq;								\
										\
	while (n--) {								\
		seq = this_cpu_inc_return(streams->s[EVENT_##name][ctx].next) - 1;	\
		call;								\
		if (condition)							\
			count(EVENT_##name, ctx, seq);				\
	}									\
}

#define FIRE(name, call) FIRE_IF(name, true, call)

FIRE(seq, trace_seq(raw_smp_processor_id(), seq, ctx))
FIRE(ints, trace_ints(seq, ctx))
FIRE(arrays, trace_arrays(seq, ctx, word(seq)))
FIRE(strings, trace_strings(seq, ctx, TAIL(KTEST_TEXT, seq), "", NULL, TAIL(KTEST_RAW, seq)))
FIRE(hostile, trace_hostile(seq, ctx, TAIL(KTEST_HOSTILE, seq)))
FIRE(vstrings, call_vstrings(seq, ctx, "seq %llu ctx %u", seq, ctx))
FIRE(sock, call_sock(seq, ctx))
FIRE(pointers, trace_pointers(seq, ctx, word(seq), ktest_landmark))
FIRE(dyn, trace_dyn(seq, ctx, (const u8 *)ktest_pool))
FIRE(rel, trace_rel(seq, ctx, TAIL(KTEST_TEXT, seq), NULL, (const u8 *)ktest_pool))
FIRE(masks, trace_masks(seq, ctx, &masks[seq % NR_MASKS]))
FIRE(holes, trace_holes(seq, ctx))
FIRE(big, trace_big(seq, ctx, slice(seq, 1), ktest_len_big(seq)))
FIRE(huge, trace_huge(seq, ctx, slice(seq, 1), ktest_len_huge(seq)))
FIRE(counted, trace_counted(seq, ctx, ktest_period(seq)))
FIRE(tasky, trace_tasky(seq, ctx, part->job->owner))
FIRE(class_a, trace_class_a(seq, ctx, word(seq)))
FIRE(class_b, trace_class_b(seq, ctx, word(seq)))
FIRE_IF(cond, !(seq & 1), trace_cond(seq, ctx))
FIRE(fn, trace_fn(seq, ctx))
FIRE(odd, trace_odd(seq, ctx, word(seq)))
FIRE(nest_outer, trace_nest_outer(seq, ctx, call_nest_inner))
FIRE(nest_inner, trace_nest_inner(seq, ctx))

static const struct event events[NR_EVENTS] = {
#define X(n)	\
	[EVENT_##n] = { .name = #n, .tp = &__tracepoint_##n, .fire = fire_##n },
	EVENTS(X)
#undef X
};

/* How many events may be fired now. */
static unsigned int due(struct part *part, unsigned int batch)
{
	u64 n = part->left;
	u64 elapsed, goal, fired;

	if (part->job->rate) {
		elapsed = ktime_get_mono_fast_ns() - part->began;
		/* This is at most 3600 s * 10^6/s, so there is no overflow. */
		elapsed = min_t(u64, elapsed, (u64)MAX_SECONDS * NSEC_PER_SEC);
		goal = div_u64(elapsed * part->job->rate, NSEC_PER_SEC);
		fired = part->job->count - part->left;
		n = goal > fired ? min(n, goal - fired) : 0;
	}
	return min_t(u64, n, batch);
}

static void fire_batch(struct part *part, unsigned int batch)
{
	unsigned int n = due(part, batch);

	part->job->event->fire(part, n);
	WRITE_ONCE(part->left, part->left - n);
}

static bool over(struct part *part)
{
	return !READ_ONCE(part->left) || READ_ONCE(part->job->stop);
}

static void pause_rate(struct part *part)
{
	if (part->job->rate && !over(part))
		usleep_range(RATE_STEP_NS / NSEC_PER_USEC / 2, RATE_STEP_NS / NSEC_PER_USEC);
}

/*
 * The caller may not migrate, like hardly any task: recorders have a fast path for all other tasks.
 * A task that is allowed only one CPU remains there as well, unless that goes offline.  This only
 * tries the lock, since a CPU that is going offline waits until we may migrate.
 */
static bool begin_to_be_usual(void)
{
	if (current->nr_cpus_allowed != 1 || !cpus_read_trylock())
		return false;
	migrate_enable();
	return true;
}

static void end_to_be_usual(void)
{
	migrate_disable();
	cpus_read_unlock();
}

static int fire_in_task(struct part *part)
{
	bool usual = begin_to_be_usual();
	int ret = 0;

	while (!ret && !over(part)) {
		fire_batch(part, TASK_BATCH);
		if (signal_pending(current))
			ret = -EINTR;
		cond_resched();
		pause_rate(part);
	}
	if (usual)
		end_to_be_usual();
	return ret;
}

static void irq_work_fn(struct irq_work *work)
{
	struct part *part = container_of(work, struct part, work);

	fire_batch(part, IRQ_BATCH);
	if (over(part))
		complete(&part->fired);
}

static enum hrtimer_restart timer_fn(struct hrtimer *timer)
{
	struct part *part = container_of(timer, struct part, timer);
	u64 pause = part->job->rate ? RATE_STEP_NS : PAUSE_NS;

	if (over(part)) {
		complete(&part->fired);
		return HRTIMER_NORESTART;
	}
	if (part->job->ctx == KTEST_IRQ_WORK)
		irq_work_queue(&part->work);
	else
		fire_batch(part, IRQ_BATCH);
	hrtimer_forward_now(timer, ns_to_ktime(pause));
	return HRTIMER_RESTART;
}

static int fire_in_timer(struct part *part)
{
	enum hrtimer_mode mode = HRTIMER_MODE_REL_PINNED_HARD;
	int ret;

	if (part->job->ctx == KTEST_SOFTIRQ)
		mode = HRTIMER_MODE_REL_PINNED_SOFT;
	part->work = IRQ_WORK_INIT_HARD(irq_work_fn);
	hrtimer_setup(&part->timer, timer_fn, CLOCK_MONOTONIC, mode);
	hrtimer_start(&part->timer, ns_to_ktime(PAUSE_NS), mode);

	ret = wait_for_completion_interruptible(&part->fired) ? -EINTR : 0;

	hrtimer_cancel(&part->timer);
	irq_work_sync(&part->work);
	return ret;
}

#ifdef CONFIG_X86_LOCAL_APIC

/*
 * The part that the next NMI on the CPU has to fire.  The context that removes it from here fires
 * it.
 */
static DEFINE_PER_CPU(struct part *, nmi_part);
/* NMIs that are still on their way although nobody waits for them any more. */
static DEFINE_PER_CPU(atomic_t, nmi_late);

static int nmi_fn(unsigned int type, struct pt_regs *regs)
{
	struct part *part = xchg(this_cpu_ptr(&nmi_part), NULL);

	if (!part)
		return atomic_add_unless(this_cpu_ptr(&nmi_late), -1, 0) ? NMI_HANDLED : NMI_DONE;
	fire_batch(part, NMI_BATCH);
	/* This gives the part back; it pairs with the acquire in send_nmi(). */
	smp_store_release(&part->nmi_done, true);
	return NMI_HANDLED;
}

static int send_nmi(struct part *part)
{
	struct part **armed = per_cpu_ptr(&nmi_part, part->cpu);
	u64 sent;
	int ret;

	part->nmi_done = false;
	/* Another job may be firing on that CPU. */
	while (cmpxchg(armed, NULL, part)) {
		if (signal_pending(current))
			return -EINTR;
		cond_resched();
	}

	preempt_disable();
	apic->send_IPI_mask(cpumask_of(part->cpu), NMI_VECTOR);
	preempt_enable();

	sent = ktime_get_mono_fast_ns();
	/* Pairs with the release in nmi_fn(). */
	while (!smp_load_acquire(&part->nmi_done)) {
		ret = 0;
		if (signal_pending(current) || READ_ONCE(part->job->stop))
			ret = -EINTR;
		else if (ktime_get_mono_fast_ns() - sent > NMI_TIMEOUT_NS)
			ret = -EIO;
		if (ret && cmpxchg(armed, part, NULL) == part) {
			atomic_inc(per_cpu_ptr(&nmi_late, part->cpu));
			if (ret == -EIO)
				pr_warn("no NMI arrived on CPU %d\n", part->cpu);
			return ret;
		}
		cond_resched();
		cpu_relax();
	}
	return 0;
}

static int fire_in_nmi(struct part *part)
{
	int ret;

	while (!over(part)) {
		if (!cpu_online(part->cpu))
			return -ENODEV;
		ret = send_nmi(part);
		if (ret)
			return ret;
		if (signal_pending(current))
			return -EINTR;
		pause_rate(part);
	}
	return 0;
}

static int nmi_setup(void)
{
	return register_nmi_handler(NMI_LOCAL, nmi_fn, 0, KBUILD_MODNAME);
}

static void nmi_teardown(void)
{
	unregister_nmi_handler(NMI_LOCAL, KBUILD_MODNAME);
}

#else

static int fire_in_nmi(struct part *part)
{
	return -EOPNOTSUPP;
}

static int nmi_setup(void)
{
	return 0;
}

static void nmi_teardown(void)
{
}

#endif

/* Runs on the CPU that fires, which is part->cpu except for NMIs. */
static void fire_part(struct part *part)
{
	struct job *job = part->job;

	if (job->has_start)
		per_cpu_ptr(streams, part->cpu)->s[job->event - events][job->ctx].next = job->start;
	part->began = ktime_get_mono_fast_ns();

	switch (job->ctx) {
	case KTEST_TASK:
		part->ret = fire_in_task(part);
		break;
	case KTEST_NMI:
		part->ret = fire_in_nmi(part);
		break;
	default:
		part->ret = fire_in_timer(part);
		break;
	}
}

static void part_init(struct part *part, struct job *job, int cpu)
{
	part->job = job;
	part->cpu = cpu;
	part->left = job->count;
	init_completion(&part->ready);
	init_completion(&part->go);
	init_completion(&part->fired);
	init_completion(&part->done);
}

/* The writer fires itself, and stays on its CPU. */
static int fire_self(struct job *job)
{
	struct part *part;
	int ret;

	part = kzalloc(sizeof(*part), GFP_KERNEL);
	if (!part)
		return -ENOMEM;
	migrate_disable();
	part_init(part, job, smp_processor_id());
	fire_part(part);
	migrate_enable();
	ret = part->ret;
	kfree(part);
	return ret;
}

static int thread_fn(void *data)
{
	struct part *part = data;

	migrate_disable();
	complete(&part->ready);
	/* We wait until all threads are ready, so that they fire at the same time. */
	wait_for_completion_interruptible(&part->go);
	fire_part(part);
	migrate_enable();
	complete(&part->done);
	return 0;
}

/*
 * NMIs are sent by another CPU where there is one, because only then they interrupt
 * anything.
 */
static int thread_cpu(const struct job *job, int cpu)
{
	int other;

	if (job->ctx != KTEST_NMI)
		return cpu;
	other = cpumask_any_but(cpu_online_mask, cpu);
	return other < nr_cpu_ids ? other : cpu;
}

static int threads_create(struct job *job, struct part *parts, const struct cpumask *cpus)
{
	struct task_struct *thread;
	struct part *part = parts;
	int cpu;

	for_each_cpu(cpu, cpus) {
		part_init(part, job, cpu);
		thread = kthread_create_on_cpu(thread_fn, part, thread_cpu(job, cpu),
					       "ktrace_test/%u");
		if (IS_ERR(thread))
			return PTR_ERR(thread);
		part->thread = get_task_struct(thread);
		wake_up_process(thread);
		wait_for_completion(&part->ready);
		part++;
	}
	return 0;
}

static int fire_threads(struct job *job, const struct cpumask *cpus)
{
	unsigned int nr = cpumask_weight(cpus), i;
	struct part *parts;
	int ret;

	parts = kcalloc(nr, sizeof(*parts), GFP_KERNEL);
	if (!parts)
		return -ENOMEM;

	/* A thread that is ready keeps its CPU online, because it may not migrate. */
	cpus_read_lock();
	ret = cpumask_subset(cpus, cpu_online_mask) ? 0 : -EINVAL;
	if (!ret)
		ret = threads_create(job, parts, cpus);
	cpus_read_unlock();
	if (ret)
		job->stop = true;

	for (i = 0; i < nr && parts[i].thread; i++)
		complete(&parts[i].go);
	for (i = 0; i < nr && parts[i].thread; i++) {
		if (!ret && wait_for_completion_interruptible(&parts[i].done)) {
			ret = -EINTR;
			WRITE_ONCE(job->stop, true);
		}
	}
	/* This waits until the thread is really gone: its code may be unloaded afterwards. */
	for (i = 0; i < nr && parts[i].thread; i++) {
		kthread_stop(parts[i].thread);
		put_task_struct(parts[i].thread);
		if (!ret)
			ret = parts[i].ret;
	}
	kfree(parts);
	return ret;
}

struct words {
	char *word[7];
	unsigned int nr;
};

static int parse_u64(const char *what, const char *s, u64 min, u64 max, u64 *value)
{
	if (kstrtou64(s, 0, value) || *value < min || *value > max) {
		pr_warn("%s '%*pE' is not a number from %llu to %llu\n",
			what, (int)strlen(s), s, min, max);
		return -EINVAL;
	}
	return 0;
}

static int parse_event_ctx(struct job *job, const struct words *w)
{
	const char *s = w->word[0];
	int i;

	for (i = 0; i < NR_EVENTS && strcmp(events[i].name, s); i++)
		;
	if (i == NR_EVENTS) {
		pr_warn("there is no event '%*pE'\n", (int)strlen(s), s);
		return -EINVAL;
	}
	job->event = &events[i];

	s = w->word[1];
	i = match_string(ctx_names, KTEST_NR_CTX, s);
	if (i < 0) {
		pr_warn("there is no context '%*pE'\n", (int)strlen(s), s);
		return -EINVAL;
	}
	job->ctx = i;
	if (i == KTEST_NMI && !IS_ENABLED(CONFIG_X86_LOCAL_APIC)) {
		pr_warn("no NMIs can be sent on this machine\n");
		return -EOPNOTSUPP;
	}
	return 0;
}

/* Returns 1 if the writer itself is to fire. */
static int parse_cpus(struct cpumask *cpus, const char *s)
{
	unsigned int cpu;

	if (!s || !strcmp(s, "self"))
		return 1;
	if (!strcmp(s, "all")) {
		cpumask_copy(cpus, cpu_online_mask);
		return 0;
	}
	if (kstrtouint(s, 0, &cpu) || cpu >= nr_cpu_ids || !cpu_online(cpu)) {
		pr_warn("'%*pE' is not an online CPU, nor all, nor self\n", (int)strlen(s), s);
		return -EINVAL;
	}
	cpumask_clear(cpus);
	cpumask_set_cpu(cpu, cpus);
	return 0;
}

static int split(struct words *w, char *text)
{
	char *s;

	w->nr = 0;
	while ((s = strsep(&text, " \t\n"))) {
		if (!*s)
			continue;
		if (w->nr == ARRAY_SIZE(w->word))
			return -EINVAL;
		w->word[w->nr++] = s;
	}
	return 0;
}

/* @fixed is the number of arguments before CPU and START_SEQ, which are all mandatory. */
static int run_job(struct job *job, const struct words *w, unsigned int fixed)
{
	cpumask_var_t cpus;
	int ret;

	if (w->nr == fixed + 2) {
		ret = parse_u64("START_SEQ", w->word[fixed + 1], 0, U64_MAX, &job->start);
		if (ret)
			return ret;
		job->has_start = true;
	}
	if (!zalloc_cpumask_var(&cpus, GFP_KERNEL))
		return -ENOMEM;
	ret = parse_cpus(cpus, w->nr > fixed ? w->word[fixed] : NULL);
	if (ret < 0)
		goto out;

	job->owner = current;
	down_read(&firing);
	ret = ret ? fire_self(job) : fire_threads(job, cpus);
	up_read(&firing);
out:
	free_cpumask_var(cpus);
	return ret;
}

static int fire_write_words(struct words *w)
{
	struct job job = {};
	int ret;

	if (w->nr < 3 || w->nr > 5) {
		pr_warn("fire takes: EVENT CONTEXT COUNT [CPU [START_SEQ]]\n");
		return -EINVAL;
	}
	ret = parse_event_ctx(&job, w);
	if (!ret)
		ret = parse_u64("COUNT", w->word[2], 1, MAX_COUNT, &job.count);
	if (ret)
		return ret;
	return run_job(&job, w, 3);
}

static int rate_write_words(struct words *w)
{
	struct job job = {};
	u64 seconds;
	int ret;

	if (w->nr < 4 || w->nr > 6) {
		pr_warn("rate takes: EVENT CONTEXT PER_SECOND SECONDS [CPU [START_SEQ]]\n");
		return -EINVAL;
	}
	ret = parse_event_ctx(&job, w);
	if (!ret)
		ret = parse_u64("PER_SECOND", w->word[2], 1, MAX_RATE, &job.rate);
	if (!ret)
		ret = parse_u64("SECONDS", w->word[3], 1, MAX_SECONDS, &seconds);
	if (ret)
		return ret;
	job.count = job.rate * seconds;
	return run_job(&job, w, 4);
}

static ssize_t write_words(const char __user *buf, size_t len, int (*run)(struct words *w))
{
	struct words w;
	char *text;
	int ret;

	if (len > 256) {
		pr_warn("more than 256 bytes are no order\n");
		return -EINVAL;
	}
	text = memdup_user_nul(buf, len);
	if (IS_ERR(text))
		return PTR_ERR(text);
	ret = split(&w, text);
	if (ret)
		pr_warn("too many words\n");
	else
		ret = run(&w);
	kfree(text);
	return ret ?: len;
}

static ssize_t fire_write(struct file *file, const char __user *buf, size_t len, loff_t *pos)
{
	return write_words(buf, len, fire_write_words);
}

static ssize_t rate_write(struct file *file, const char __user *buf, size_t len, loff_t *pos)
{
	return write_words(buf, len, rate_write_words);
}

static int *nowhere;

static void die_in_interrupt(struct irq_work *work)
{
	WRITE_ONCE(*READ_ONCE(nowhere), 0);
}

static DEFINE_PER_CPU(struct irq_work, dying) = IRQ_WORK_INIT_HARD(die_in_interrupt);

static int die_write_words(struct words *w)
{
	if (w->nr == 1 && !strcmp(w->word[0], "hardirq")) {
		migrate_disable();
		irq_work_queue(this_cpu_ptr(&dying));
		irq_work_sync(this_cpu_ptr(&dying));
		migrate_enable();
	} else if (w->nr == 1 && !strcmp(w->word[0], "hang")) {
		for (;;)
			schedule_timeout_uninterruptible(MAX_SCHEDULE_TIMEOUT);
	}
	pr_warn("die takes: hardirq or hang\n");
	return -EINVAL;
}

static ssize_t die_write(struct file *file, const char __user *buf, size_t len, loff_t *pos)
{
	return write_words(buf, len, die_write_words);
}

static ssize_t reset_write(struct file *file, const char __user *buf, size_t len, loff_t *pos)
{
	int cpu;

	if (!down_write_trylock(&firing))
		return -EBUSY;
	for_each_possible_cpu(cpu)
		memset(per_cpu_ptr(streams, cpu), 0, sizeof(*streams));
	up_write(&firing);
	return len;
}

static int counts_show(struct seq_file *m, void *unused)
{
	const struct stream *s;
	int event, cpu, ctx;

	for (event = 0; event < NR_EVENTS; event++) {
		for_each_possible_cpu(cpu) {
			for (ctx = 0; ctx < KTEST_NR_CTX; ctx++) {
				s = &per_cpu_ptr(streams, cpu)->s[event][ctx];
				if (READ_ONCE(s->count))
					seq_printf(m, "%s %d %s %lu %llu\n", events[event].name,
						   cpu, ctx_names[ctx], READ_ONCE(s->count),
						   READ_ONCE(s->last));
			}
		}
	}
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(counts);

static int events_show(struct seq_file *m, void *unused)
{
	int event;

	for (event = 0; event < NR_EVENTS; event++)
		seq_printf(m, "%s\n", events[event].name);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(events);

static unsigned int probes(struct tracepoint *tp)
{
	struct tracepoint_func *func;
	unsigned int n = 0;

	rcu_read_lock_sched();
	func = rcu_dereference_sched(tp->funcs);
	while (func && func[n].func)
		n++;
	rcu_read_unlock_sched();
	return n;
}

static int attached_show(struct seq_file *m, void *unused)
{
	int event;

	for (event = 0; event < NR_EVENTS; event++)
		seq_printf(m, "%s %u\n", events[event].name, probes(events[event].tp));
	seq_printf(m, "fn_registered %d\n", fn_registered);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(attached);

static int addresses_show(struct seq_file *m, void *unused)
{
	seq_printf(m, "words 0x%px\nlandmark 0x%px\n", ktest_words, ktest_landmark);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(addresses);

static const struct file_operations fire_fops = {
	.owner = THIS_MODULE,
	.open = simple_open,
	.write = fire_write,
};

static const struct file_operations rate_fops = {
	.owner = THIS_MODULE,
	.open = simple_open,
	.write = rate_write,
};

static const struct file_operations die_fops = {
	.owner = THIS_MODULE,
	.open = simple_open,
	.write = die_write,
};

static const struct file_operations reset_fops = {
	.owner = THIS_MODULE,
	.open = simple_open,
	.write = reset_write,
};

static int values_setup(void)
{
	unsigned int i, cpu;

	for (i = 0; i < KTEST_POOL_WORDS; i++)
		ktest_pool[i] = ktest_mix(i);

	masks = kcalloc(NR_MASKS, sizeof(*masks), GFP_KERNEL);
	if (!masks)
		return -ENOMEM;
	for (i = 0; i < NR_MASKS; i++) {
		u64 bits = ktest_bits(i, KTEST_K(2, 0), 64);

		for (cpu = 0; cpu < nr_cpu_ids; cpu++)
			if (bits >> cpu % 64 & 1)
				cpumask_set_cpu(cpu, &masks[i]);
	}
	return 0;
}

static int __init ktrace_test_init(void)
{
	int ret;

	BUILD_BUG_ON(8 * 1023 + ktest_len_huge(199) > sizeof(ktest_pool));

	streams = alloc_percpu(struct streams);
	if (!streams)
		return -ENOMEM;
	ret = values_setup();
	if (ret)
		goto err_streams;
	ret = nmi_setup();
	if (ret)
		goto err_masks;

	dir = debugfs_create_dir("ktrace_test", NULL);
	debugfs_create_file("fire", 0200, dir, NULL, &fire_fops);
	debugfs_create_file("rate", 0200, dir, NULL, &rate_fops);
	debugfs_create_file("die", 0200, dir, NULL, &die_fops);
	debugfs_create_file("reset", 0200, dir, NULL, &reset_fops);
	debugfs_create_file("counts", 0400, dir, NULL, &counts_fops);
	debugfs_create_file("events", 0400, dir, NULL, &events_fops);
	debugfs_create_file("attached", 0400, dir, NULL, &attached_fops);
	debugfs_create_file("addresses", 0400, dir, NULL, &addresses_fops);
	return 0;

err_masks:
	kfree(masks);
err_streams:
	free_percpu(streams);
	return ret;
}

static void __exit ktrace_test_exit(void)
{
	/* Nobody fires any more, because an open file holds the module. */
	debugfs_remove_recursive(dir);
	nmi_teardown();
	/* A probe may have been removed and still be running. */
	tracepoint_synchronize_unregister();
	kfree(masks);
	free_percpu(streams);
}

module_init(ktrace_test_init);
module_exit(ktrace_test_exit);

MODULE_DESCRIPTION("Tracepoints with known values, fired on demand and counted");
MODULE_LICENSE("GPL");
