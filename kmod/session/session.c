// SPDX-License-Identifier: GPL-2.0
#include "session/session.h"

#include <linux/bitmap.h>
#include <linux/build_bug.h>
#include <linux/capability.h>
#include <linux/cpu.h>
#include <linux/cpumask.h>
#include <linux/err.h>
#include <linux/kref.h>
#include <linux/list.h>
#include <linux/log2.h>
#include <linux/minmax.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/nospec.h>
#include <linux/percpu.h>
#include <linux/rculist.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/smp.h>
#include <linux/string.h>
#include <linux/timekeeping.h>
#include <linux/tracepoint.h>
#include <linux/uaccess.h>
#include <linux/vmalloc.h>
#include <linux/xarray.h>
#include <uapi/linux/perf_event.h>

#include "attach/attach.h"
#include "attach/attach_args.h"
#include "capture/capture.h"
#include "capture/ledger.h"
#include "capture/scratch.h"
#include "chain/callchain.h"
#include "compat/compat.h"
#include "count/counting.h"
#include "crash/last_words.h"
#include "crash/vmcore.h"
#include "fields/common_fields.h"
#include "fields/counter_deltas.h"
#include "fields/cpu_counters.h"
#include "filter/filter.h"
#include "filter/gate.h"
#include "filter/scope.h"
#include "lib/clock.h"
#include "lib/memlock.h"
#include "lib/permission.h"
#include "machine/court.h"
#include "machine/judge.h"
#include "ring/ring.h"
#include "session/kept.h"

enum state {
	NEW,
	READY,
	RUNNING,
	STOPPED,
};

struct ktrace_session {
	struct kref ref;
	struct list_head node;		/* in `sessions` */
	struct mutex lock;		/* protects all members below, unless they say otherwise */
	enum state state;		/* can be read without the lock; never goes back to NEW */
	struct ktrace_scope scope;
	struct xarray events;		/* the events by their index */
	struct xarray ids;		/* the same events by their id */
	u32 nr_events;
	u64 sample_type;		/* that of the first event, without call chains */
	struct ktrace_counter_deltas *deltas; /* NULL: no event has a field that is counted */
	bool kept;
	bool told_frozen;		/* the reader was woken since START; without the lock */
	struct ktrace_court court;
	struct ktrace_memlock memlock;	/* for the rings and all that was added */

	/* Constant from READY on. */
	cpumask_var_t cpus;
	int clockid;
	struct ktrace_ring **rings;	/* by CPU; NULL where there is none */
	struct ktrace_vmcore vmcore;
	struct ktrace_ring_waiters waiters;
};

static LIST_HEAD(sessions);		/* consistent at every instant, for a kernel that dies */
static DEFINE_MUTEX(sessions_lock);	/* taken before a session's own lock */

/* The largest ring: the regions of a CPU are this many bytes apart in the file. */
#define MAX_RING_BYTES	BIT(30)
/* An upper bound of the size of a machine. */
#define MAX_PROGRAM_BYTES	BIT(19)
/* The largest mask of CPUs, which no computer exceeds. */
#define MAX_CPUS_BYTES	4096

/* The most pages of one ring: all rings of a session may use up to half of the memory. */
static u32 max_pages(void)
{
	unsigned long share = totalram_pages() / 2 / num_present_cpus();

	return rounddown_pow_of_two(clamp(share, 16UL, MAX_RING_BYTES >> PAGE_SHIFT));
}

static enum state state_of(const struct ktrace_session *session)
{
	/*
	 * Pairs with the release in ktrace_session_setup(): a caller that sees READY sees
	 * the rings.
	 */
	return smp_load_acquire(&session->state);
}

static bool is_frozen(const struct ktrace_session *session)
{
	return READ_ONCE(session->scope.probe.frozen);
}

static void wake_at_once(struct ktrace_session *session)
{
	WRITE_ONCE(session->waiters.triggered, true);
	wake_up_all(&session->waiters.queue);
}

/* Wakes the readers of frozen sessions of the court's owner, once for each freeze. */
static void wake_frozen(struct ktrace_court *court)
{
	struct ktrace_session *session;

	rcu_read_lock();
	list_for_each_entry_rcu(session, &sessions, node) {
		if (!uid_eq(session->scope.owner, court->scope->owner) || !is_frozen(session) ||
		    xchg(&session->told_frozen, true))
			continue;
		wake_at_once(session);
	}
	rcu_read_unlock();
}

static void wake_own(struct ktrace_court *court)
{
	wake_at_once(container_of(court, struct ktrace_session, court));
}

static const struct ktrace_court_ops court_ops = {
	.wake = wake_own,
	.wake_frozen = wake_frozen,
};

struct ktrace_session *ktrace_session_create(void)
{
	struct ktrace_session *session;

	session = kzalloc(sizeof(*session), GFP_KERNEL_ACCOUNT);
	if (!session)
		return ERR_PTR(-ENOMEM);
	if (!zalloc_cpumask_var(&session->cpus, GFP_KERNEL_ACCOUNT))
		goto err_free_session;

	kref_init(&session->ref);
	mutex_init(&session->lock);
	xa_init(&session->events);
	xa_init(&session->ids);
	init_waitqueue_head(&session->waiters.queue);
	ktrace_scope_init(&session->scope, current);
	session->scope.clockid = KTRACE_CLOCK_PERF;
	ktrace_court_init(&session->court, &session->scope, &court_ops);
	mutex_lock(&sessions_lock);
	list_add_rcu(&session->node, &sessions);
	mutex_unlock(&sessions_lock);
	return session;

err_free_session:
	kfree(session);
	return ERR_PTR(-ENOMEM);
}

static void free_rings(struct ktrace_session *session)
{
	unsigned int cpu;

	if (!session->rings)
		return;
	for_each_possible_cpu(cpu)
		if (session->rings[cpu])
			ktrace_ring_destroy(session->rings[cpu]);
	kfree(session->rings);
	session->rings = NULL;
	ktrace_memlock_end(&session->memlock);
}

static void free_event(struct ktrace_event *event)
{
	struct ktrace_judge_tap *tap;

	/* The filter of an event with taps belongs to the machine. */
	if (event->taps)
		event->filter = NULL;
	while ((tap = event->taps)) {
		event->taps = tap->next;
		ktrace_filter_budget_drop(&tap->claim);
		kfree(tap);
	}
	ktrace_counting_destroy(event->counting);
	ktrace_filter_budget_drop(&event->claim);
	ktrace_filter_destroy(event->filter);
	free_percpu(event->probe.cpu);
	kfree(event->name);
	kfree(event);
}

/*
 * Waits for captures and probes that have begun.  Grace periods are expedited, because the caller
 * may end many sessions, one after the other.
 */
static void wait_for_captures(void)
{
	rcu_expedite_gp();
	tracepoint_synchronize_unregister();
	rcu_unexpedite_gp();
}

static void session_destroy(struct kref *ref)
{
	struct ktrace_session *session = container_of(ref, struct ktrace_session, ref);
	struct ktrace_event *event;
	unsigned long i;

	/* After this nobody else can find the session. */
	mutex_lock(&sessions_lock);
	list_del_rcu(&session->node);
	mutex_unlock(&sessions_lock);
	ktrace_vmcore_hide(&session->vmcore);

	/*
	 * First we disable the events, then we wait, and only then we release and free.  A handler
	 * that has begun uses the scope, the event, its attachment and its ring until it returns.
	 * It may also queue a wakeup, which ktrace_ring_destroy() waits for.
	 */
	ktrace_scope_run(&session->scope.probe, false);
	if (session->state == RUNNING)
		xa_for_each(&session->events, i, event)
			event->ops->disable(event);
	ktrace_scope_stop(&session->scope);
	ktrace_gate_remove(&session->scope);
	ktrace_court_leave(&session->court);
	if (session->deltas)
		ktrace_counter_deltas_stop(session->deltas);
	wait_for_captures();

	xa_for_each(&session->events, i, event)
		event->ops->destroy(event);
	ktrace_scope_deinit(&session->scope);
	ktrace_counter_deltas_destroy(session->deltas);
	ktrace_court_deinit(&session->court);
	free_rings(session);
	xa_for_each(&session->events, i, event)
		free_event(event);
	xa_destroy(&session->events);
	xa_destroy(&session->ids);
	free_cpumask_var(session->cpus);
	mutex_destroy(&session->lock);
	kfree(session);
}

struct ktrace_session *ktrace_session_get(struct ktrace_session *session)
{
	kref_get(&session->ref);
	return session;
}

void ktrace_session_put(struct ktrace_session *session)
{
	kref_put(&session->ref, session_destroy);
}

bool ktrace_session_is_running(const struct ktrace_session *session)
{
	return state_of(session) == RUNNING;
}

void ktrace_session_change_reader(struct ktrace_session *session)
{
	mutex_lock(&session->lock);
	ktrace_scope_change_self(&session->scope, current);
	mutex_unlock(&session->lock);
}

void ktrace_session_follow_cpus(void)
{
	struct ktrace_session *session;
	struct ktrace_event *event;
	unsigned long i;

	mutex_lock(&sessions_lock);
	list_for_each_entry(session, &sessions, node) {
		mutex_lock(&session->lock);
		xa_for_each(&session->events, i, event)
			if (event->ops->follow)
				event->ops->follow(event);
		mutex_unlock(&session->lock);
	}
	mutex_unlock(&sessions_lock);
}

static void close_all_gates(void)
{
	struct ktrace_session *session;

	list_for_each_entry_rcu(session, &sessions, node, true)
		ktrace_scope_run(&session->scope.probe, false);
}

static void view_all(void (*look)(const struct ktrace_last_words_view *view))
{
	struct ktrace_session *session;

	list_for_each_entry_rcu(session, &sessions, node, true) {
		struct ktrace_last_words_view view = {
			.rings = session->rings,
			.cpus = session->cpus,
			.events = &session->events,
			.ids = &session->ids,
			.clockid = session->clockid,
		};

		if (state_of(session) == NEW)
			continue;
		view.pid = session->vmcore.shown->pid;
		look(&view);
	}
}

const struct ktrace_last_words_sessions ktrace_session_last_words = {
	.close_all_gates = close_all_gates,
	.view_all = view_all,
};

int ktrace_session_info(struct ktrace_session *session, struct ktrace_info *info)
{
	info->abi_major = KTRACE_ABI_MAJOR;
	info->abi_minor = KTRACE_ABI_MINOR;
	info->schema = KTRACE_SCHEMA;
	info->features = ktrace_attach_features() | KTRACE_FEATURE_COMPACT |
		KTRACE_FEATURE_COUNT_CHAINS | KTRACE_FEATURE_ACTIONS |
		(IS_ENABLED(CONFIG_ARM64) ? KTRACE_FEATURE_REGS_USER : 0) |
		(ktrace_filter_jit_works() ? KTRACE_FEATURE_FILTER_JIT : 0);
	info->fields = ktrace_common_fields_mask();
	info->nr_cpu_ids = nr_cpu_ids;
	info->max_pages = max_pages();
	strscpy_pad(info->version, THIS_MODULE->version, sizeof(info->version));
	return 0;
}

/* Sets the requested CPUs that are online or, with KTRACE_SETUP_HOTPLUG, present. */
static int get_cpus(struct cpumask *cpus, const struct ktrace_setup *setup)
{
	const struct cpumask *all = setup->flags & KTRACE_SETUP_HOTPLUG ?
				    cpu_present_mask : cpu_online_mask;
	unsigned int word, bit, cpu;
	u64 bits;

	if (!setup->cpus) {
		cpumask_copy(cpus, all);
		return setup->cpus_bytes ? -EINVAL : 0;
	}
	if (!setup->cpus_bytes || setup->cpus_bytes % sizeof(u64) ||
	    setup->cpus_bytes > MAX_CPUS_BYTES)
		return -EINVAL;

	for (word = 0; word < setup->cpus_bytes / sizeof(u64); word++) {
		if (get_user(bits, (u64 __user *)u64_to_user_ptr(setup->cpus) + word))
			return -EFAULT;
		for (bit = 0; bit < 64; bit++) {
			cpu = 64 * word + bit;
			if (bits & BIT_ULL(bit) && cpu < nr_cpu_ids && cpumask_test_cpu(cpu, all))
				cpumask_set_cpu(cpu, cpus);
		}
	}
	return cpumask_empty(cpus) ? -EINVAL : 0;
}

static int create_rings(struct ktrace_session *session, u32 pages, u64 wakeup_bytes,
			bool overwrite)
{
	struct ktrace_ring *ring;
	unsigned int cpu;
	int err;

	lockdep_assert_held(&session->lock);

	session->rings = kcalloc(nr_cpu_ids, sizeof(*session->rings), GFP_KERNEL_ACCOUNT);
	if (!session->rings)
		return -ENOMEM;
	err = ktrace_memlock_charge(&session->memlock, ((u64)pages + KTRACE_RING_OTHER_PAGES) *
				    cpumask_weight(session->cpus) << PAGE_SHIFT);
	if (err) {
		free_rings(session);
		return err;
	}
	for_each_cpu(cpu, session->cpus) {
		ring = ktrace_ring_create(cpu, pages, wakeup_bytes, session->clockid,
					  &session->waiters);
		if (IS_ERR(ring)) {
			free_rings(session);
			return PTR_ERR(ring);
		}
		if (overwrite)
			ktrace_ring_overwrite(ring);
		session->rings[cpu] = ring;
	}
	return 0;
}

int ktrace_session_setup(struct ktrace_session *session, struct ktrace_setup *setup)
{
	u64 ring_bytes = (u64)setup->pages << PAGE_SHIFT;
	u64 wakeup_bytes = setup->wakeup_bytes ?: ring_bytes / 2;
	cpumask_var_t cpus;
	int err;

	if (setup->flags & ~KTRACE_SETUP_ALL || !ktrace_clock_is_known(setup->clockid) ||
	    !is_power_of_2(setup->pages) || setup->pages > max_pages() ||
	    wakeup_bytes > ring_bytes)
		return -EINVAL;

	if (!zalloc_cpumask_var(&cpus, GFP_KERNEL_ACCOUNT))
		return -ENOMEM;
	err = get_cpus(cpus, setup);
	if (err)
		goto out_free_cpus;

	mutex_lock(&session->lock);
	err = -EBUSY;
	if (session->state != NEW)
		goto out_unlock;

	cpumask_copy(session->cpus, cpus);
	session->scope.probe.partial = !cpumask_subset(cpu_present_mask, cpus);
	session->clockid = setup->clockid;
	session->scope.clockid = setup->clockid;
	if (setup->flags & KTRACE_SETUP_FREEZABLE) {
		err = ktrace_gate_add(&session->scope);
		if (err)
			goto out_unlock;
	}
	err = create_rings(session, setup->pages, wakeup_bytes,
			   setup->flags & KTRACE_SETUP_OVERWRITE);
	if (err)
		goto err_remove_gate;
	err = ktrace_vmcore_show(&session->vmcore, session->rings, session->cpus,
				 session->clockid);
	if (err) {
		free_rings(session);
		goto err_remove_gate;
	}
	if (setup->flags & KTRACE_SETUP_TRACE_SELF)
		ktrace_scope_include_self(&session->scope);
	/* The rings have to be visible before the state, because mmap and poll take no lock. */
	smp_store_release(&session->state, READY);
	goto out_unlock;

err_remove_gate:
	ktrace_gate_remove(&session->scope);
out_unlock:
	mutex_unlock(&session->lock);
out_free_cpus:
	free_cpumask_var(cpus);
	return err;
}

/* Creates the event without its attachment. */
static struct ktrace_event *create_event(struct ktrace_session *session,
					 const struct ktrace_event_add *add,
					 struct ktrace_filter *filter)
{
	struct ktrace_event_cpu __percpu *cpus;
	struct ktrace_event *event;
	unsigned int cpu;

	lockdep_assert_held(&session->lock);

	event = kzalloc(sizeof(*event), GFP_KERNEL_ACCOUNT);
	if (!event)
		return NULL;
	cpus = alloc_percpu_gfp(struct ktrace_event_cpu, GFP_KERNEL_ACCOUNT | __GFP_ZERO);
	if (!cpus) {
		kfree(event);
		return NULL;
	}
	event->probe.cpu = &cpus->probe;
	event->sample_type = add->sample_type;
	for_each_cpu(cpu, session->cpus)
		ktrace_capture_bind(event, cpu, session->rings[cpu]);
	event->probe.scope = &session->scope.probe;
	event->trigger = add->flags & KTRACE_EVENT_TRIGGER;
	event->callchain = add->sample_type & PERF_SAMPLE_CALLCHAIN;
	event->regs = add->sample_type & PERF_SAMPLE_REGS_USER;
	event->deltas = add->fields & KTRACE_CPU_COUNTERS_FIELDS ? session->deltas : NULL;
	ktrace_capture_choose(event, filter, add->fields);
	event->id = add->id;
	event->config = add->config;
	event->address = add->address;
	event->user_strings = add->user_strings;
	event->index = session->nr_events;
	return event;
}

/* More than the names of a system and an event have together. */
#define MAX_EVENT_NAME	256

/*
 * Splits "system:event" into the names of @target.  Sets *text to their memory, which the caller
 * frees.
 */
static int get_target(struct ktrace_attach_target *target, u64 user, char **text)
{
	char *name, *colon;

	*text = NULL;
	if (!user)
		return 0;
	name = strndup_user(u64_to_user_ptr(user), MAX_EVENT_NAME);
	if (IS_ERR(name))
		return PTR_ERR(name);
	colon = strchr(name, ':');
	if (!colon || colon == name || !colon[1]) {
		kfree(name);
		return -EINVAL;
	}
	*colon = '\0';
	target->system = name;
	target->name = colon + 1;
	*text = name;
	return 0;
}

/* Starts counters for the counted ones of @fields.  On failure, started ones keep running. */
static int want_counters(struct ktrace_session *session, u64 fields)
{
	int err;

	lockdep_assert_held(&session->lock);

	fields &= KTRACE_CPU_COUNTERS_FIELDS;
	if (!fields)
		return 0;
	if (!session->deltas) {
		err = ktrace_memlock_charge_event(&session->memlock, ktrace_counter_deltas_bytes());
		if (err)
			return err;
		session->deltas = ktrace_counter_deltas_create();
		if (!session->deltas) {
			ktrace_memlock_uncharge(&session->memlock, ktrace_counter_deltas_bytes());
			return -ENOMEM;
		}
	}
	return ktrace_counter_deltas_want(session->deltas, fields);
}

/* The bytes that an event takes by itself. */
static u64 bytes_of(const struct ktrace_session *session, const struct ktrace_filter *filter)
{
	return sizeof(struct ktrace_event) + (filter ? ktrace_filter_bytes(filter) : 0) +
	       num_possible_cpus() * sizeof(struct ktrace_event_cpu) +
	       sizeof(struct ktrace_vmcore_event) + cpumask_weight(session->cpus) * 2 * sizeof(u64);
}

/* The parts of a sample_type that have to be the same for all events of a session. */
static u64 layout_of(u64 sample_type)
{
	return sample_type & ~(PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_REGS_USER);
}

/* Can an event with such samples be added to the present events? */
static bool fits_beside(const struct ktrace_session *session, u64 sample_type)
{
	return !session->nr_events ||
	       (session->sample_type == layout_of(sample_type) &&
		sample_type & PERF_SAMPLE_IDENTIFIER);
}

/* Before the first event, nobody writes to the rings. */
static void lay_out_rings(struct ktrace_session *session, u64 sample_type)
{
	unsigned int cpu;

	lockdep_assert_held(&session->lock);

	if (session->nr_events)
		return;
	for_each_cpu(cpu, session->cpus)
		ktrace_ring_lay_out(session->rings[cpu], sample_type);
}

static int add_event(struct ktrace_session *session, struct ktrace_event_add *add,
		     const struct ktrace_attach_target *target, struct ktrace_filter *filter)
{
	struct ktrace_vmcore_event *shown;
	struct ktrace_event *event;
	u64 bytes = bytes_of(session, filter);
	int err;

	lockdep_assert_held(&session->lock);

	if (session->state != READY || session->kept)
		return -EBUSY;
	if (session->nr_events == KTRACE_MAX_EVENTS)
		return -E2BIG;
	if (!fits_beside(session, add->sample_type))
		return -EINVAL;
	if (xa_load(&session->ids, add->id))
		return -EEXIST;

	if (add->sample_type & PERF_SAMPLE_CALLCHAIN) {
		err = ktrace_scratch_prepare();
		if (!err)
			err = ktrace_callchain_prepare();
		if (err)
			return err;
	}
	err = want_counters(session, add->fields);
	if (err)
		return err;
	err = ktrace_memlock_charge_event(&session->memlock, bytes);
	if (err)
		return err;
	lay_out_rings(session, add->sample_type);
	event = create_event(session, add, filter);
	err = -ENOMEM;
	if (!event)
		goto err_uncharge;
	if (filter) {
		err = ktrace_filter_budget_claim(&event->claim, add->address, add->config,
						 filter->cost);
		if (err)
			goto err_free_event;
		err = -ENOMEM;
	}
	if (target->name) {
		event->name = kasprintf(GFP_KERNEL_ACCOUNT, "%s:%s", target->system, target->name);
		if (!event->name)
			goto err_free_event;
	}
	err = xa_insert(&session->ids, event->id, event, GFP_KERNEL_ACCOUNT);
	if (err)
		goto err_free_event;
	err = xa_insert(&session->events, event->index, event, GFP_KERNEL_ACCOUNT);
	if (err)
		goto err_erase_id;
	err = -ENOMEM;
	shown = ktrace_vmcore_event_create(event, session->cpus);
	if (!shown)
		goto err_erase_event;
	err = ktrace_attach_create(event, add->path, target, session->cpus);
	if (err)
		goto err_destroy_shown;

	ktrace_vmcore_event_add(&session->vmcore, shown, event->ops->stats_flags);
	session->sample_type = layout_of(add->sample_type);
	session->nr_events++;
	add->index = event->index;
	add->path = event->ops->path;
	return 0;

err_destroy_shown:
	ktrace_vmcore_event_destroy(shown);
err_erase_event:
	xa_erase(&session->events, event->index);
err_erase_id:
	xa_erase(&session->ids, event->id);
err_free_event:
	/* The caller keeps the filter on failure. */
	event->filter = NULL;
	free_event(event);
err_uncharge:
	ktrace_memlock_uncharge(&session->memlock, bytes);
	return err;
}

/* Is this a valid violation event?  The kernel does not fire it, so it has no options. */
static bool is_violation(const struct ktrace_event_add *add)
{
	return !(add->flags & ~(KTRACE_EVENT_VIOLATION | KTRACE_EVENT_TRIGGER)) &&
	       add->config <= U16_MAX && !add->fields && !add->filter && !add->filter_insns &&
	       !add->pool && !add->pool_bytes && !add->user_strings && !add->address &&
	       !add->args && !add->nr_args && layout_of(add->sample_type) == add->sample_type &&
	       (add->path == KTRACE_PATH_AUTO || add->path == KTRACE_PATH_MACHINE);
}

/* Does it name either a function with an address, or an event without one? */
static bool names_one_thing(const struct ktrace_event_add *add)
{
	if (add->flags & KTRACE_EVENT_VIOLATION)
		return is_violation(add);
	if (!(add->flags & KTRACE_EVENT_FUNCTION))
		return !add->address && !(add->flags & KTRACE_EVENT_RETURN) && !add->args &&
		       !add->nr_args;
	return add->address && add->address <= ULONG_MAX && add->config <= U16_MAX &&
	       !add->user_strings &&
	       (add->path == KTRACE_PATH_AUTO || add->path == KTRACE_PATH_FUNCTION);
}

static bool is_sample_type(u64 sample_type)
{
	u64 layout = layout_of(sample_type);

	/* Registers serve call chains, which need none on other machines. */
	if (sample_type & PERF_SAMPLE_REGS_USER &&
	    !(IS_ENABLED(CONFIG_ARM64) && sample_type & PERF_SAMPLE_CALLCHAIN))
		return false;
	return layout == KTRACE_SAMPLE_TYPE || layout == KTRACE_SAMPLE_TYPE_COMPACT ||
	       layout == KTRACE_SAMPLE_TYPE_ALONE;
}

static int check_add_event(const struct ktrace_event_add *add)
{
	int err;

	/* We check again, because the file may have been passed on to another process. */
	err = ktrace_permission_check();
	if (err)
		return err;

	if (add->flags & ~KTRACE_EVENT_ALL || add->type != PERF_TYPE_TRACEPOINT ||
	    add->path > KTRACE_PATH_MACHINE || add->id < KTRACE_ID_BASE ||
	    !is_sample_type(add->sample_type) ||
	    add->fields & ~ktrace_common_fields_mask() || add->reserved || !names_one_thing(add))
		return -EINVAL;
	/* Compact samples have no room for more CPU numbers. */
	if (!(add->sample_type & PERF_SAMPLE_CPU) && nr_cpu_ids > KTRACE_MISC_CPUS)
		return -ERANGE;
	return 0;
}

int ktrace_session_event_add(struct ktrace_session *session, struct ktrace_event_add *add)
{
	struct ktrace_attach_target target = {
		.memlock = &session->memlock,
		.type = add->type,
		.config = add->config,
		.user_strings = add->user_strings,
		.address = add->address,
		.at_return = add->flags & KTRACE_EVENT_RETURN,
		.is_violation = add->flags & KTRACE_EVENT_VIOLATION,
	};
	struct ktrace_attach_args *args;
	struct ktrace_filter *filter = NULL;
	char *name;
	int err;

	err = check_add_event(add);
	if (err)
		return err;

	if (add->filter) {
		filter = ktrace_filter_create(u64_to_user_ptr(add->filter), add->filter_insns,
					      u64_to_user_ptr(add->pool), add->pool_bytes);
		if (IS_ERR(filter))
			return PTR_ERR(filter);
	} else if (add->filter_insns || add->pool || add->pool_bytes) {
		return -EINVAL;
	}

	args = ktrace_attach_args_create(u64_to_user_ptr(add->args), add->nr_args);
	err = PTR_ERR_OR_ZERO(args);
	if (err)
		goto out_filter;
	target.args = args;
	err = get_target(&target, add->name, &name);
	if (err)
		goto out_args;
	mutex_lock(&session->lock);
	err = add_event(session, add, &target, filter);
	mutex_unlock(&session->lock);
	kfree(name);
out_args:
	kfree(args);
out_filter:
	if (err)
		ktrace_filter_destroy(filter);
	return err;
}

int ktrace_session_event_add_named(struct ktrace_session *session, struct ktrace_event_add *add,
				   const char *system, const char *name)
{
	struct ktrace_attach_target target = {
		.memlock = &session->memlock,
		.type = add->type,
		.config = add->config,
		.system = system,
		.name = name,
	};
	int err;

	err = check_add_event(add);
	if (err)
		return err;
	mutex_lock(&session->lock);
	err = add_event(session, add, &target, NULL);
	mutex_unlock(&session->lock);
	return err;
}

int ktrace_session_event_info(struct ktrace_session *session, struct ktrace_event_info *info)
{
	u32 size = info->size, index = info->index;
	struct ktrace_event *event;
	int err = -EINVAL;

	if (state_of(session) == NEW)
		return -EBUSY;

	mutex_lock(&session->lock);
	event = xa_load(&session->events, index);
	if (event) {
		*info = (struct ktrace_event_info){
			.size = size,
			.index = index,
			.type = PERF_TYPE_TRACEPOINT,
			.path = event->ops->path,
			.config = event->config,
			.id = event->id,
			.sample_type = event->sample_type,
			.fields = event->fields,
			.user_strings = event->user_strings,
			.flags = event->counting ? KTRACE_EVENT_INFO_COUNTED : 0,
		};
		err = 0;
	}
	mutex_unlock(&session->lock);
	return err;
}

int ktrace_session_sample(struct ktrace_session *session, struct ktrace_sample *sample)
{
	struct ktrace_sampling sampling = { .every = sample->every };
	struct ktrace_event *event;
	int err = -EBUSY;

	if (sample->every > S32_MAX || sample->max_rate > NSEC_PER_SEC)
		return -EINVAL;
	if (sample->max_rate)
		sampling.interval_ns = NSEC_PER_SEC / sample->max_rate;

	mutex_lock(&session->lock);
	if (session->state == READY) {
		event = xa_load(&session->events, sample->index);
		/* Compact samples have no period to store the weight in. */
		err = event && !event->counting && !event->taps && !event->compact ? 0 : -EINVAL;
		if (!err)
			ktrace_capture_sample(event, &sampling);
	}
	mutex_unlock(&session->lock);
	return err;
}

static int add_counting(struct ktrace_session *session, struct ktrace_count_add *add,
			const struct ktrace_count_part *parts)
{
	struct ktrace_event *event, *start = NULL;
	struct ktrace_counting *counting;

	lockdep_assert_held(&session->lock);

	if (session->state != READY || session->kept)
		return -EBUSY;
	event = xa_load(&session->events, add->index);
	if (add->role == KTRACE_COUNT_END)
		start = xa_load(&session->events, add->start);
	if (!event || event->trigger || event->callchain || event->sampled || event->fields ||
	    event->taps ||
	    (add->role == KTRACE_COUNT_END && (!start || !start->counting)))
		return -EINVAL;
	if (event->counting)
		return -EEXIST;
	counting = ktrace_counting_create(add, parts, start ? start->counting : NULL,
					  session->clockid, session->cpus,
					  (u64)max_pages() << PAGE_SHIFT, &session->memlock);
	if (IS_ERR(counting))
		return PTR_ERR(counting);
	ktrace_capture_count(event, counting);
	return 0;
}

int ktrace_session_count_add(struct ktrace_session *session, struct ktrace_count_add *add)
{
	struct ktrace_count_part parts[KTRACE_COUNT_MAX_PARTS];
	int err;
	u32 i;

	if (!add->entries || add->entries > KTRACE_COUNT_MAX_ENTRIES ||
	    add->nr_parts > KTRACE_COUNT_MAX_PARTS || !add->nr_parts != !add->parts)
		return -EINVAL;
	if (copy_from_user(parts, u64_to_user_ptr(add->parts), add->nr_parts * sizeof(*parts)))
		return -EFAULT;
	/* Probes build counted samples in the scratch memory. */
	err = ktrace_scratch_prepare();
	for (i = 0; !err && i < add->nr_parts; i++)
		if (parts[i].form == KTRACE_COUNT_CHAIN)
			err = ktrace_callchain_prepare();
	if (err)
		return err;
	mutex_lock(&session->lock);
	err = add_counting(session, add, parts);
	mutex_unlock(&session->lock);
	return err;
}

static bool may_judge(const struct ktrace_event *event)
{
	return event && (event->taps || !event->filter) && !event->callchain && !event->sampled &&
	       !event->counting && !(event->ops->stats_flags & KTRACE_STATS_BOUNDED) &&
	       event->ops->path != KTRACE_PATH_MACHINE;
}

/* Does the session see all firings that concern the machine's keys? */
static bool sees_all(const struct ktrace_session *session, const struct ktrace_program *program)
{
	const struct ktrace_probe_scope *scope = &session->scope.probe;

	/* CLOCK_REALTIME can be set, so it gives no order. */
	return session->clockid != CLOCK_REALTIME && !scope->self && !scope->partial &&
	       !scope->conditions &&
	       (!scope->tasks || ktrace_program_is_of_own_tasks(program));
}

static void free_taps(struct ktrace_judge_tap **taps, u32 nr)
{
	while (nr) {
		ktrace_filter_budget_drop(&taps[--nr]->claim);
		kfree(taps[nr]);
	}
}

static struct ktrace_event *event_of_tap(struct ktrace_session *session,
					 const struct ktrace_judge_tap *tap)
{
	return xa_load(&session->events, tap->judge->program->sources[tap->first].event);
}

/* Creates a tap for each event of the machine. */
static int make_taps(struct ktrace_session *session, struct ktrace_judge *judge,
		     struct ktrace_judge_tap **taps, u32 *nr)
{
	const struct ktrace_program *program = judge->program;
	u32 nr_sources = program->head->nr_sources, first, end;
	u64 cost;
	int err;

	for (first = 0; first < nr_sources; first = end) {
		u32 index = program->sources[first].event;
		struct ktrace_event *event = xa_load(&session->events, index);

		end = first + 1;
		while (end < nr_sources && program->sources[end].event == index)
			end++;
		if (!may_judge(event))
			return -EINVAL;
		cost = ktrace_program_cost(program, first, end);
		if (cost > KTRACE_FILTER_MAX_COST)
			return -ENOSPC;
		taps[*nr] = kzalloc(sizeof(**taps), GFP_KERNEL_ACCOUNT);
		if (!taps[*nr])
			return -ENOMEM;
		*taps[*nr] = (struct ktrace_judge_tap){
			.judge = judge, .first = first, .end = end,
		};
		err = ktrace_filter_budget_claim(&taps[*nr]->claim, event->address, event->config,
						 cost);
		++*nr;
		if (err)
			return err;
	}
	return 0;
}

static int add_machine(struct ktrace_session *session, struct ktrace_machine_add *add,
		       struct ktrace_judge *judge)
{
	struct ktrace_judge_tap *taps[KTRACE_MACHINE_MAX_SOURCES] = { };
	struct ktrace_event *told = NULL;
	u64 bytes = judge->bytes + judge->program->head->nr_sources * sizeof(**taps);
	u32 nr = 0, i;
	int err;

	lockdep_assert_held(&session->lock);

	if (session->state != READY || session->kept)
		return -EBUSY;
	if (add->violations != KTRACE_MACHINE_NO_SOURCE) {
		told = xa_load(&session->events, add->violations);
		if (!told || told->ops->path != KTRACE_PATH_MACHINE)
			return -EINVAL;
	}
	if (!sees_all(session, judge->program))
		return -EINVAL;
	err = ktrace_memlock_charge(&session->memlock, bytes);
	if (err)
		return err;
	judge->only = add->flags & KTRACE_MACHINE_ONLY;
	judge->actions = add->actions;
	judge->max_rate = add->max_rate ?: KTRACE_ACTION_RATE;
	strscpy(judge->name, add->name, sizeof(judge->name));
	judge->tell = ktrace_capture_tell;
	judge->tell_to = told;
	err = make_taps(session, judge, taps, &nr);
	if (!err)
		err = ktrace_court_add(&session->court, judge);
	if (err) {
		free_taps(taps, nr);
		ktrace_memlock_uncharge(&session->memlock, bytes);
		return err;
	}
	for (i = 0; i < nr; i++)
		ktrace_capture_judge(event_of_tap(session, taps[i]), taps[i]);
	add->number = judge->number;
	return 0;
}

/* A name for the kernel's log, maybe an empty one. */
static bool is_label(const char name[KTRACE_MACHINE_NAME])
{
	static_assert(KTRACE_MACHINE_NAME == KTRACE_KEEP_NAME);
	return name[0] ? ktrace_kept_is_name(name) : !memchr_inv(name, 0, KTRACE_MACHINE_NAME);
}

int ktrace_session_machine_add(struct ktrace_session *session, struct ktrace_machine_add *add)
{
	struct ktrace_program *program;
	struct ktrace_judge *judge;
	void *bytes;
	int err;

	if (add->flags & ~KTRACE_MACHINE_ONLY || add->actions & ~KTRACE_ACTION_ALL ||
	    add->max_rate > KTRACE_ACTION_MAX_RATE || add->reserved || !is_label(add->name) ||
	    add->program_bytes < sizeof(struct ktrace_machine) ||
	    add->program_bytes > MAX_PROGRAM_BYTES)
		return -EINVAL;
	/* As a process that writes to /dev/kmsg. */
	if (add->actions & KTRACE_ACTION_PRINTK && !capable(CAP_SYS_ADMIN))
		return -EPERM;
	bytes = kvmalloc(add->program_bytes, KTRACE_MEMLOCK_GFP);
	if (!bytes)
		return -ENOMEM;
	if (copy_from_user(bytes, u64_to_user_ptr(add->program), add->program_bytes)) {
		kvfree(bytes);
		return -EFAULT;
	}
	program = ktrace_program_create(bytes, add->program_bytes);
	if (IS_ERR(program))
		return PTR_ERR(program);
	if (ktrace_keys_bytes(program->head->max_keys, program->head->nr_parts,
			      program->head->nr_clocks) > (u64)max_pages() << PAGE_SHIFT) {
		ktrace_program_destroy(program);
		return -EINVAL;
	}
	judge = ktrace_judge_create(program);
	if (IS_ERR(judge))
		return PTR_ERR(judge);
	/* Probes build judged samples in the scratch memory. */
	err = ktrace_scratch_prepare();
	if (!err) {
		mutex_lock(&session->lock);
		err = add_machine(session, add, judge);
		mutex_unlock(&session->lock);
	}
	if (err)
		ktrace_judge_destroy(judge);
	return err;
}

int ktrace_session_machine_read(struct ktrace_session *session, struct ktrace_machine_read *read)
{
	int err = -EINVAL;

	if (state_of(session) == NEW)
		return -EBUSY;
	mutex_lock(&session->lock);
	if (read->number < session->court.nr) {
		ktrace_judge_read(session->court.judges[read->number], read);
		err = 0;
	}
	mutex_unlock(&session->lock);
	return err;
}

int ktrace_session_frozen(struct ktrace_session *session, struct ktrace_frozen *frozen)
{
	if (frozen->reserved)
		return -EINVAL;
	if (state_of(session) == NEW)
		return -EBUSY;
	mutex_lock(&session->lock);
	frozen->time = is_frozen(session) ? ktrace_gate_shut_at(&session->scope) : 0;
	mutex_unlock(&session->lock);
	return 0;
}

static int keep_description(struct ktrace_session *session, void *copy, u32 bytes)
{
	u64 charged = PAGE_ALIGN((u64)bytes);
	int err;

	lockdep_assert_held(&session->lock);

	if (session->state == NEW || session->kept)
		return -EBUSY;
	err = ktrace_memlock_charge(&session->memlock, charged);
	if (err)
		return err;
	err = ktrace_vmcore_describe(&session->vmcore, copy, bytes);
	if (err)
		ktrace_memlock_uncharge(&session->memlock, charged);
	return err;
}

int ktrace_session_describe(struct ktrace_session *session, struct ktrace_describe *describe)
{
	void *copy;
	int err;

	if (describe->reserved || !describe->bytes || describe->bytes > KTRACE_DESCRIBE_MAX)
		return -EINVAL;

	copy = __vmalloc(describe->bytes, KTRACE_MEMLOCK_GFP);
	if (!copy)
		return -ENOMEM;
	err = -EFAULT;
	if (copy_from_user(copy, u64_to_user_ptr(describe->data), describe->bytes))
		goto out_free;
	mutex_lock(&session->lock);
	err = keep_description(session, copy, describe->bytes);
	mutex_unlock(&session->lock);
out_free:
	if (err)
		vfree(copy);
	return err;
}

int ktrace_session_keep(struct ktrace_session *session)
{
	int err = -EBUSY;

	mutex_lock(&session->lock);
	if (session->state != NEW && !session->kept)
		err = ktrace_memlock_stay(&session->memlock);
	if (!err)
		session->kept = true;
	mutex_unlock(&session->lock);
	return err;
}

void ktrace_session_unkeep(struct ktrace_session *session)
{
	mutex_lock(&session->lock);
	session->kept = false;
	session->memlock.stays = false;
	mutex_unlock(&session->lock);
}

static int put_cpus(const struct cpumask *cpus, u64 __user *words, u32 bytes)
{
	u32 nr = bytes / sizeof(u64), i;
	unsigned int cpu;
	u64 word;

	if (bytes % sizeof(u64))
		return -EINVAL;
	if (cpumask_last(cpus) / 64 >= nr)
		return -ENOSPC;
	for (i = 0; i < nr; i++) {
		word = 0;
		for_each_cpu(cpu, cpus)
			if (cpu / 64 == i)
				word |= BIT_ULL(cpu % 64);
		if (put_user(word, words + i))
			return -EFAULT;
	}
	return 0;
}

int ktrace_session_recall(struct ktrace_session *session, struct ktrace_recall *recall)
{
	const struct ktrace_ring *ring;
	const void *description;
	u32 room = recall->bytes;
	int err;

	if (recall->reserved || recall->cpus_bytes > MAX_CPUS_BYTES)
		return -EINVAL;
	if (state_of(session) == NEW)
		return -EBUSY;

	mutex_lock(&session->lock);
	description = ktrace_vmcore_description(&session->vmcore, &recall->bytes);
	recall->nr_events = session->nr_events;
	recall->flags = session->state == RUNNING ? KTRACE_RECALL_RUNNING : 0;
	mutex_unlock(&session->lock);

	/* The rest is constant, and user space decides how long a fault takes: no lock is held. */
	err = put_cpus(session->cpus, u64_to_user_ptr(recall->cpus), recall->cpus_bytes);
	if (err)
		return err;
	if (room && room < recall->bytes)
		return -ENOSPC;
	if (room && copy_to_user(u64_to_user_ptr(recall->data), description, recall->bytes))
		return -EFAULT;
	ring = session->rings[cpumask_first(session->cpus)];
	recall->flags |= ring->overwrites ? KTRACE_RECALL_OVERWRITE : 0;
	recall->pages = ring->nr_pages;
	recall->clockid = session->clockid;
	return 0;
}

int ktrace_session_event_path(struct ktrace_session *session, struct ktrace_event_path *path)
{
	struct ktrace_attach_target target = { .type = path->type, .config = path->config };
	enum ktrace_template_state template;
	enum ktrace_path found;
	char *name;
	int err;

	if (!path->name)
		return -EINVAL;
	err = get_target(&target, path->name, &name);
	if (err)
		return err;
	ktrace_attach_look(&target, &found, &template);
	path->path = found;
	path->template_state = template;
	kfree(name);
	return 0;
}

static int add_task(struct ktrace_session *session, const struct ktrace_task_add *add)
{
	u64 bytes = session->scope.tasks ? 0 : sizeof(*session->scope.tasks);
	int err;

	lockdep_assert_held(&session->lock);

	if (session->state == NEW)
		return -EBUSY;
	if (session->court.needs_all)
		return -EINVAL;
	err = ktrace_memlock_charge(&session->memlock, bytes);
	if (err)
		return err;
	err = ktrace_scope_add(&session->scope, add->pid, add->flags);
	if (!session->scope.tasks)
		ktrace_memlock_uncharge(&session->memlock, bytes);
	return err;
}

int ktrace_session_task_add(struct ktrace_session *session, struct ktrace_task_add *add)
{
	int err;

	if (add->flags & ~KTRACE_TASK_ALL || add->reserved)
		return -EINVAL;

	mutex_lock(&session->lock);
	err = add_task(session, add);
	mutex_unlock(&session->lock);
	return err;
}

static int add_to_scope(struct ktrace_scope *scope, const struct ktrace_scope_add *add)
{
	switch (add->kind) {
	case KTRACE_SCOPE_COMM:
		return add->cgroup ? -EINVAL : ktrace_scope_add_comm(scope, add->comm);
	case KTRACE_SCOPE_CGROUP:
		return memchr_inv(add->comm, 0, sizeof(add->comm)) ? -EINVAL :
			ktrace_scope_add_cgroup(scope, add->cgroup);
	default:
		return -EINVAL;
	}
}

int ktrace_session_scope_add(struct ktrace_session *session, struct ktrace_scope_add *add)
{
	int err;

	if (add->reserved)
		return -EINVAL;

	mutex_lock(&session->lock);
	if (session->state != READY)
		err = -EBUSY;
	else if (session->court.nr)
		err = -EINVAL;
	else
		err = add_to_scope(&session->scope, add);
	mutex_unlock(&session->lock);
	return err;
}

static void disable_events(struct ktrace_session *session)
{
	struct ktrace_event *event;
	unsigned long i;

	lockdep_assert_held(&session->lock);

	xa_for_each(&session->events, i, event)
		event->ops->disable(event);
	if (session->deltas)
		ktrace_counter_deltas_stop(session->deltas);
}

static int enable_events(struct ktrace_session *session)
{
	struct ktrace_event *event;
	unsigned long i;
	int err;

	lockdep_assert_held(&session->lock);

	if (session->deltas) {
		err = ktrace_counter_deltas_start(session->deltas, session->scope.tasks);
		if (err)
			return err;
	}
	xa_for_each(&session->events, i, event) {
		err = event->ops->enable(event);
		if (err) {
			disable_events(session);
			/* As after a stop: no probe of these events is still running. */
			tracepoint_synchronize_unregister();
			return err;
		}
	}
	return 0;
}

int ktrace_session_start(struct ktrace_session *session)
{
	int err = -EBUSY;

	mutex_lock(&session->lock);
	if (session->state == NEW || session->state == RUNNING)
		goto out_unlock;
	err = enable_events(session);
	if (err)
		goto out_unlock;
	ktrace_court_open(&session->court);
	WRITE_ONCE(session->told_frozen, false);
	/* We open the gate last, so that all events begin at one instant. */
	ktrace_gate_open(&session->scope);
	ktrace_court_start(&session->court);
	WRITE_ONCE(session->state, RUNNING);
out_unlock:
	mutex_unlock(&session->lock);
	return err;
}

int ktrace_session_stop(struct ktrace_session *session)
{
	int err = 0;
	u64 mark;

	mutex_lock(&session->lock);
	if (session->state == NEW)
		err = -EBUSY;
	if (session->state != RUNNING)
		goto out_unlock;
	mark = ktrace_gate_close(&session->scope);
	disable_events(session);
	/* We wait for captures that found the gate open. */
	wait_for_captures();
	ktrace_court_stop(&session->court, mark);
	WRITE_ONCE(session->state, STOPPED);
	wake_up_all(&session->waiters.queue);
out_unlock:
	mutex_unlock(&session->lock);
	return err;
}

/*
 * Returns the ring of a CPU that user space names, or NULL.  Afterwards *cpu is below
 * nr_cpu_ids for speculation as well.
 */
static struct ktrace_ring *find_ring(const struct ktrace_session *session, u32 *cpu)
{
	if (*cpu >= nr_cpu_ids)
		return NULL;
	*cpu = array_index_nospec(*cpu, nr_cpu_ids);
	return session->rings[*cpu];
}

static int read_stats(struct ktrace_session *session, struct ktrace_stats *stats,
		      void (*read)(const struct ktrace_event *event, unsigned int cpu,
				   struct ktrace_stats *stats))
{
	struct ktrace_event *event;
	u32 index = stats->index, cpu = stats->cpu, size = stats->size;

	if (state_of(session) == NEW)
		return -EBUSY;
	if (!find_ring(session, &cpu))
		return -EINVAL;

	mutex_lock(&session->lock);
	event = xa_load(&session->events, index);
	if (event) {
		*stats = (struct ktrace_stats){
			.size = size,
			.index = index,
			.cpu = cpu,
			.flags = event->ops->stats_flags,
		};
		read(event, cpu, stats);
	}
	mutex_unlock(&session->lock);
	return event ? 0 : -EINVAL;
}

int ktrace_session_stats(struct ktrace_session *session, struct ktrace_stats *stats)
{
	return read_stats(session, stats, ktrace_ledger_read);
}

int ktrace_session_snapshot_stats(struct ktrace_session *session, struct ktrace_stats *stats)
{
	return read_stats(session, stats, ktrace_ledger_read_kept);
}

int ktrace_session_count_read(struct ktrace_session *session, struct ktrace_count_read *read)
{
	const struct ktrace_counting *counting;
	struct ktrace_event *event;
	u32 cpu = read->cpu;

	if (state_of(session) == NEW)
		return -EBUSY;
	if (!find_ring(session, &cpu))
		return -EINVAL;

	mutex_lock(&session->lock);
	event = xa_load(&session->events, read->index);
	counting = event ? event->counting : NULL;
	mutex_unlock(&session->lock);
	/*
	 * An event's counting lives as long as the session, and user space decides how long a fault
	 * takes: no lock is held.
	 */
	return counting ? ktrace_counting_read(counting, cpu, read) : -EINVAL;
}

int ktrace_session_chain_read(struct ktrace_session *session, struct ktrace_chain_read *read)
{
	const struct ktrace_counting *counting;
	struct ktrace_event *event;

	if (state_of(session) == NEW)
		return -EBUSY;

	mutex_lock(&session->lock);
	event = xa_load(&session->events, read->index);
	counting = event ? event->counting : NULL;
	mutex_unlock(&session->lock);
	/* As in ktrace_session_count_read(). */
	return counting ? ktrace_counting_read_chains(counting, session->cpus, read) : -EINVAL;
}

struct snapshot_of_cpu {
	struct ktrace_session *session;
	unsigned int cpu;
	bool taken;
};

static void keep_counts(void *data)
{
	const struct snapshot_of_cpu *s = data;
	struct ktrace_event *event;
	unsigned long i;

	xa_for_each(&s->session->events, i, event)
		ktrace_ledger_keep(event, s->cpu);
}

static void snapshot_here(void *data)
{
	struct snapshot_of_cpu *s = data;

	s->taken = ktrace_ring_snapshot(s->session->rings[s->cpu], keep_counts, s);
}

static int snapshot_cpu(struct ktrace_session *session, unsigned int cpu)
{
	struct snapshot_of_cpu s = { .session = session, .cpu = cpu };
	unsigned long flags;

	lockdep_assert_held(&session->lock);

	/* We repeat this until it interrupts no writer. */
	for (;;) {
		cpus_read_lock();
		if (smp_call_function_single(cpu, snapshot_here, &s, true)) {
			/* The CPU is offline, so nobody writes. */
			local_irq_save(flags);
			snapshot_here(&s);
			local_irq_restore(flags);
		}
		cpus_read_unlock();
		if (s.taken)
			return 0;
		if (signal_pending(current))
			return -EINTR;
		cond_resched();
	}
}

int ktrace_session_snapshot(struct ktrace_session *session, struct ktrace_snapshot *snapshot)
{
	unsigned int cpu;
	int err = 0;

	if (snapshot->reserved)
		return -EINVAL;
	if (state_of(session) == NEW)
		return -EBUSY;

	mutex_lock(&session->lock);
	/*
	 * A sample that triggers from here on may come too late for this snapshot, and requests
	 * another one.
	 */
	WRITE_ONCE(session->waiters.triggered, false);
	preempt_disable();
	snapshot->time = ktrace_clock_read(session->clockid);
	preempt_enable();
	for_each_cpu(cpu, session->cpus) {
		err = snapshot_cpu(session, cpu);
		if (err)
			break;
	}
	mutex_unlock(&session->lock);
	return err;
}

int ktrace_session_mark(struct ktrace_session *session, struct ktrace_mark *mark)
{
	if (mark->reserved)
		return -EINVAL;
	if (state_of(session) == NEW)
		return -EBUSY;

	preempt_disable();
	mark->time = ktrace_clock_read(session->clockid);
	preempt_enable();
	/*
	 * A writer has preemption disabled from before it reads the clock until its record is
	 * published, also in interrupts and NMIs.  So a writer that read an earlier time is done
	 * when this returns.
	 */
	synchronize_rcu();
	return 0;
}

int ktrace_session_clock(struct ktrace_session *session, struct ktrace_clock *clock)
{
	unsigned long flags;

	if (clock->reserved)
		return -EINVAL;
	if (state_of(session) == NEW)
		return -EBUSY;

	local_irq_save(flags);
	clock->trace = ktrace_clock_read(session->clockid);
	clock->monotonic = ktrace_clock_read(CLOCK_MONOTONIC);
	clock->raw = ktrace_clock_read(CLOCK_MONOTONIC_RAW);
	clock->boottime = ktrace_clock_read(CLOCK_BOOTTIME);
	clock->realtime = ktrace_clock_read(CLOCK_REALTIME);
	local_irq_restore(flags);
	return 0;
}

int ktrace_session_mmap(struct ktrace_session *session, unsigned int cpu,
			unsigned int region, struct vm_area_struct *vma)
{
	struct ktrace_ring *ring;

	/* We do not take the lock here, because everything that we read is constant. */
	if (state_of(session) == NEW)
		return -EBUSY;
	ring = find_ring(session, &cpu);
	return ring ? ktrace_ring_mmap(ring, region, vma) : -EINVAL;
}

__poll_t ktrace_session_poll(struct ktrace_session *session, struct file *file,
			     poll_table *wait)
{
	enum state state = state_of(session);
	__poll_t ready = 0;
	unsigned int cpu;
	u64 enough;

	if (state == NEW)
		return EPOLLERR;

	poll_wait(file, &session->waiters.queue, wait);
	WRITE_ONCE(session->waiters.armed, true);
	/* Pairs with the barrier in ktrace_ring_wake(). */
	smp_mb();
	if (READ_ONCE(session->waiters.triggered))
		ready |= EPOLLPRI;
	for_each_cpu(cpu, session->cpus) {
		enough = state == RUNNING && !is_frozen(session) ?
			 session->rings[cpu]->wakeup_bytes : 1;
		if (ktrace_ring_held(session->rings[cpu]) >= enough)
			return ready | EPOLLIN | EPOLLRDNORM;
	}
	return ready;
}
