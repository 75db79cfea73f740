// SPDX-License-Identifier: GPL-2.0
/*
 * Functions of the kernel, at their entry and their return.  All functions of a session share one
 * ftrace_ops with a filter, so that the kernel's code is changed once for all of them.  One kprobe
 * for each function takes a thousand times as long.
 *
 * One kretprobe, which is never armed, handles the returns.  It has the two parts that a return
 * needs.  One is the pool of nodes in which the kernel remembers return addresses (rethook).  The
 * other one is its pre_handler, which replaces the return address at regs->sp.  We call this when
 * ftrace reports an entry, as the kernel does for a kretprobe on ftrace.
 *
 * At an entry, ftrace alone decides whether a function may be traced.  The kernel's own tracers
 * record the same functions.  But returns must not be replaced in the functions that implement
 * kprobes, and only kprobes knows these.  So each function whose return is an event has a kprobe
 * that is never armed; the kernel refuses it where a function must not be probed.  Functions of
 * modules have one, too, because the kernel marks it when the module is unloaded.  Afterwards
 * another module may have a function at this address, and ftrace cannot tell the two apart.
 *
 * This does not find all functions that the kernel calls at each return.  In a kernel that checks
 * locks, RCU's checks are among them.  If the return of such a function is hooked, it leads to
 * itself, until the stack is full.  leads_to_itself() finds such a function by the calls that wait
 * on the stack, and its return is not hooked any more.
 */
#include <linux/compiler.h>
#include <linux/err.h>
#include <linux/errno.h>
#include <linux/ftrace.h>
#include <linux/hash.h>
#include <linux/kernel.h>
#include <linux/kprobes.h>
#include <linux/list.h>
#include <linux/llist.h>
#include <linux/minmax.h>
#include <linux/mm.h>
#include <linux/mutex.h>
#include <linux/overflow.h>
#include <linux/percpu.h>
#include <linux/preempt.h>
#include <linux/ptrace.h>
#include <linux/rcupdate.h>
#include <linux/rethook.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/thread_info.h>
#include <linux/trace_events.h>
#include <linux/trace_recursion.h>
#include <linux/workqueue.h>
#include <asm/pgtable.h>

#include "attach/attach.h"
#include "attach/attach_args.h"
#include "capture/capture.h"
#include "capture/entry.h"
#include "compat/compat.h"
#include "lib/memlock.h"

#ifdef KTRACE_ATTACH_FUNCTIONS

/*
 * The most calls that may wait for their return, for each function and for all functions of a
 * session together; more are lost.  Then the size of the kernel's node for a call.
 */
#define CALLS_OF_FUNCTION 512
#define MAX_CALLS	4096
#define CALL_BYTES	(sizeof(struct kretprobe_instance) + sizeof(unsigned long))
#define GUARDS_AT_ONCE	64
/* The number of waiting calls that are checked, and how many of them may be of one function. */
#define CALLS_LOOKED_AT	64
#define MAX_SAME_CALLS	6
/* Bytes of the instruction at the beginning of functions where indirect calls are checked. */
#define ENDBR_SIZE	4

/* The functions of a session are in 1 << TABLE_BITS lists, by their address. */
#define TABLE_BITS	10
/* Ops that may wait until the kernel has forgotten them; with more, ending a session waits. */
#define MAX_RETIRED	64

/* The attachment of an event. */
struct hook {
	struct hook *next;		/* of the same function */
	struct ktrace_event *event;
	struct functions *all;
	const struct ktrace_attach_args *args;
	bool at_return;
};

struct function {
	struct hlist_node node;		/* in the table of its session */
	unsigned long address;		/* at which ftrace calls */
	struct hook *hooks;
	bool returns;			/* one of the hooks is at the return */
	bool unhookable;		/* its return leads to itself */
	struct kprobe *guard;		/* NULL: it has none */
};

/* The functions of a session.  Only `scope` and `node` may change while one is enabled. */
struct functions {
	struct list_head node;		/* in `sessions` */
	const struct ktrace_probe_scope *scope;	/* of the session, which identifies it */
	u32 nr_hooks, nr;
	u32 calls;			/* calls that may wait for their return */
	bool enabled;
	bool registered;		/* `ops` is registered; remains so until the session ends */
	unsigned long idle;		/* an address that nobody calls; 0: there is none */
	bool hooks_returns;		/* `back` is registered */
	bool ended;			/* no return can come any more */
	struct ftrace_ops ops;
	struct ftrace_ops asked;	/* never registered: its filter is for queries */
	struct kretprobe back;
	struct hlist_head *found;	/* `lists`; in the end `no_functions` */
	struct hlist_head lists[1 << TABLE_BITS];
};

/* The raw data, with the layout of the kernel's own events of kprobes and kretprobes. */
struct entered {
	struct trace_entry ent;
	unsigned long ip;
	u8 args[KTRACE_MAX_FUNCTION_ARGS * sizeof(u64)];
};

struct returned {
	struct trace_entry ent;
	unsigned long func, ret_ip;
	union {
		u64 ret;
		u8 args[KTRACE_MAX_FUNCTION_ARGS * sizeof(u64)];
	};
};

/* Zeroing the unused bytes would cost as much as the rest. */
#define UNINITIALIZED	__attribute__((__uninitialized__))

static LIST_HEAD(sessions);
static DEFINE_MUTEX(sessions_lock);

/* The sessions that have ended, whose ops the kernel still knows. */
static LIST_HEAD(retired);
static u32 nr_retired;
static DEFINE_SPINLOCK(retired_lock);	/* protects both */

static struct hlist_head no_functions[1 << TABLE_BITS];

/* The function whose return is being hooked on this CPU; 0: none, or it was hooked. */
static DEFINE_PER_CPU(unsigned long, hooking);

/* Was its module unloaded? */
static __always_inline bool is_gone(const struct function *function)
{
	return unlikely(function->guard) && READ_ONCE(function->guard->flags) & KPROBE_FLAG_GONE;
}

static __always_inline struct function *find_function(struct functions *all, unsigned long address)
{
	struct function *function;

	hlist_for_each_entry(function, &READ_ONCE(all->found)[hash_long(address, TABLE_BITS)], node)
		if (function->address == address && !is_gone(function))
			return function;
	return NULL;
}

/* The preempt_count() of the traced function, if preemption was disabled @times since then. */
static __always_inline u32 count_before(u32 times)
{
	return preempt_count() - times * PREEMPT_DISABLE_OFFSET;
}

static __always_inline void record_entry(const struct function *function, struct pt_regs *regs)
{
	struct entered raw UNINITIALIZED;
	const struct hook *hook;
	u32 size;

	raw.ip = function->address;
	for (hook = function->hooks; hook; hook = hook->next) {
		if (hook->at_return)
			continue;
		size = offsetof(struct entered, args);
		if (hook->args) {
			ktrace_attach_args_read(hook->args, regs, raw.args);
			size += hook->args->size;
		}
		ktrace_entry_fill(&raw.ent, hook->event->type, count_before(1));
		ktrace_capture_record(hook->event, &raw, size, 1, regs);
	}
}

/*
 * Is this function called again and again while its own returns are handled?  The kernel disables
 * preemption once more for each return that it handles; where it calls the function before that,
 * the stack fills.  The waiting calls are checked only in these two cases.
 */
static notrace bool leads_to_itself(const struct functions *all, const struct function *function)
{
	const struct kretprobe_instance *call;
	struct llist_node *node;
	u32 looked_at, same = 0;

	if (likely((preempt_count() & PREEMPT_MASK) <= (MAX_SAME_CALLS << PREEMPT_SHIFT) &&
		   (current_stack_pointer & (THREAD_SIZE - 1)) >= THREAD_SIZE / 2))
		return false;
	node = READ_ONCE(current->rethooks.first);
	for (looked_at = 0; node && looked_at < CALLS_LOOKED_AT; looked_at++) {
		call = container_of(container_of(node, struct rethook_node, llist),
				    struct kretprobe_instance, node);
		same += call->node.rethook == all->back.rh &&
			*(const unsigned long *)call->data == function->address;
		node = node->next;
	}
	return same >= MAX_SAME_CALLS;
}

static notrace void hook_return(struct functions *all, struct function *function,
				struct pt_regs *regs)
{
	unsigned long outer = __this_cpu_read(hooking);
	const struct hook *hook;
	bool missed = true;

	if (!in_nmi() && unlikely(leads_to_itself(all, function)))
		WRITE_ONCE(function->unhookable, true);
	/*
	 * The handlers of kretprobes set current_kprobe to NULL, which would break a kprobe based
	 * on a breakpoint.  The handlers of such a kprobe run like those of an NMI.
	 */
	if (!in_nmi() && !READ_ONCE(function->unhookable)) {
		__this_cpu_write(hooking, function->address);
		all->back.kp.pre_handler(&all->back.kp, regs);
		missed = __this_cpu_read(hooking);
		__this_cpu_write(hooking, outer);
	}
	if (likely(!missed))
		return;
	for (hook = function->hooks; hook; hook = hook->next)
		if (hook->at_return)
			ktrace_capture_miss(hook->event);
}

/* The kernel has allocated a node for the call. */
static notrace int take_call(struct kretprobe_instance *instance, struct pt_regs *regs)
{
	*(unsigned long *)instance->data = __this_cpu_read(hooking);
	__this_cpu_write(hooking, 0);
	return 0;
}

static notrace void function_entered(unsigned long ip, unsigned long parent,
				     struct ftrace_ops *ops, struct ftrace_regs *fregs)
{
	struct functions *all = container_of(ops, struct functions, ops);
	struct pt_regs *regs = ftrace_get_regs(fregs);
	struct function *function;
	int bit;

	if (unlikely(!regs || !rcu_is_watching()))
		return;
	bit = ftrace_test_recursion_trylock(ip, parent);
	if (unlikely(bit < 0))
		return;
	function = find_function(all, ip);
	if (likely(function)) {
		record_entry(function, regs);
		if (function->returns)
			hook_return(all, function, regs);
	}
	ftrace_test_recursion_unlock(bit);
}

static notrace int function_returned(struct kretprobe_instance *instance, struct pt_regs *regs)
{
	struct kretprobe *back = get_kretprobe(instance);
	struct functions *all = container_of(back, struct functions, back);
	struct returned raw UNINITIALIZED;
	const struct function *function;
	const struct hook *hook = NULL;
	u32 size;
	int bit;

	raw.func = *(unsigned long *)instance->data;
	raw.ret_ip = get_kretprobe_retaddr(instance);
	/* Without this, a function that recording calls could return into itself for ever. */
	bit = ftrace_test_recursion_trylock(raw.func, raw.ret_ip);
	if (unlikely(bit < 0))
		return 0;
	function = find_function(all, raw.func);
	if (likely(function))
		hook = function->hooks;
	for (; hook; hook = hook->next) {
		if (!hook->at_return)
			continue;
		size = offsetof(struct returned, args);
		if (hook->args) {
			ktrace_attach_args_read(hook->args, regs, raw.args);
			size += hook->args->size;
		} else {
			raw.ret = regs_return_value(regs);
			size += sizeof(raw.ret);
		}
		/* rethook has also disabled preemption. */
		ktrace_entry_fill(&raw.ent, hook->event->type, count_before(2));
		ktrace_capture_record(hook->event, &raw, size, 1, regs);
	}
	ftrace_test_recursion_unlock(bit);
	return 0;
}

/* The kretprobe's address. */
static noinline void never_called(void)
{
	barrier();
}

/* Does ftrace find a call for this address? */
static bool finds_call(struct functions *all, unsigned long address)
{
	return !ftrace_set_filter_ip(&all->asked, address, 0, 1);
}

/*
 * Does ftrace have a call at this address?  ftrace also finds calls for the bytes behind it, and
 * for the address of a function that has its call later.
 */
static bool is_call(struct functions *all, unsigned long address)
{
	return finds_call(all, address) && !finds_call(all, address - 1);
}

static struct functions *create_functions(const struct ktrace_probe_scope *scope)
{
	struct functions *all;

	all = kvzalloc(sizeof(*all), GFP_KERNEL_ACCOUNT);
	if (!all)
		return ERR_PTR(-ENOMEM);
	all->scope = scope;
	all->found = all->lists;
	all->ops.func = function_entered;
	/* Permanent: refused while sysctl kernel.ftrace_enabled is 0, which then cannot be set. */
	all->ops.flags = FTRACE_OPS_FL_SAVE_REGS | FTRACE_OPS_FL_PERMANENT;
	all->back.kp.addr = (kprobe_opcode_t *)never_called;
	all->back.kp.flags = KPROBE_FLAG_DISABLED;
	all->back.handler = function_returned;
	all->back.entry_handler = take_call;
	all->back.data_size = sizeof(unsigned long);
	if (finds_call(all, (unsigned long)never_called))
		all->idle = (unsigned long)never_called;
	list_add(&all->node, &sessions);
	return all;
}

static struct functions *get_functions(const struct ktrace_probe_scope *scope)
{
	struct functions *all;

	lockdep_assert_held(&sessions_lock);

	list_for_each_entry(all, &sessions, node)
		if (all->scope == scope)
			return all;
	return create_functions(scope);
}

#define for_each_function(all, bucket, function)					\
	for (bucket = 0; bucket < ARRAY_SIZE((all)->lists); bucket++)		\
		hlist_for_each_entry(function, &(all)->lists[bucket], node)

/*
 * Unregisters several at once, because the kernel waits for a grace period each time.  It does not
 * unregister all at once, because the kernel runs no other task here meanwhile.
 */
static void unregister_guards(struct functions *all)
{
	struct kprobe *guards[GUARDS_AT_ONCE];
	struct function *function;
	unsigned int bucket;
	u32 nr = 0;

	for_each_function(all, bucket, function) {
		if (!function->guard)
			continue;
		guards[nr++] = function->guard;
		if (nr < GUARDS_AT_ONCE)
			continue;
		unregister_kprobes(guards, nr);
		nr = 0;
		cond_resched();
	}
	if (nr)
		unregister_kprobes(guards, nr);
}

/* Afterwards calls that were entered return as if they had not been hooked. */
static void end_functions(struct functions *all)
{
	if (all->ended)
		return;
	all->ended = true;
	list_del(&all->node);
	rcu_expedite_gp();
	/* Entries that still come find none of the functions, whose memory will be freed. */
	WRITE_ONCE(all->found, no_functions);
	synchronize_rcu();
	if (all->hooks_returns)
		unregister_kretprobe(&all->back);
	unregister_guards(all);
	rcu_unexpedite_gp();
}

static void forget_ops(struct work_struct *work)
{
	struct functions *all;

	for (;;) {
		spin_lock(&retired_lock);
		all = list_first_entry_or_null(&retired, struct functions, node);
		if (all) {
			list_del(&all->node);
			nr_retired--;
		}
		spin_unlock(&retired_lock);
		if (!all)
			break;
		unregister_ftrace_function(&all->ops);
		ftrace_free_filter(&all->ops);
		kvfree(all);
	}
}

static DECLARE_WORK(forget_work, forget_ops);

/*
 * The kernel needs a tenth of a second until no task can be in the trampoline that calls the ops.
 * Nobody needs to wait for this, because the ops find no function any more.
 */
static void retire(struct functions *all)
{
	if (!all->registered) {
		ftrace_free_filter(&all->ops);
		kvfree(all);
		return;
	}
	spin_lock(&retired_lock);
	list_add_tail(&all->node, &retired);
	nr_retired++;
	spin_unlock(&retired_lock);
	queue_work(system_dfl_wq, &forget_work);
}

static void destroy_functions(struct functions *all)
{
	struct function *function;
	struct hlist_node *next;
	unsigned int bucket;

	end_functions(all);
	ftrace_free_filter(&all->asked);
	for (bucket = 0; bucket < ARRAY_SIZE(all->lists); bucket++)
		hlist_for_each_entry_safe(function, next, &all->lists[bucket], node) {
			kfree(function->guard);
			kfree(function);
		}
	retire(all);
}

static struct function *add_function(struct functions *all, unsigned long address)
{
	struct function *function;

	if (is_call(all, address + ENDBR_SIZE))
		address += ENDBR_SIZE;
	else if (!is_call(all, address))
		return ERR_PTR(-ENODEV);
	function = kzalloc(sizeof(*function), GFP_KERNEL_ACCOUNT);
	if (!function)
		return ERR_PTR(-ENOMEM);
	function->address = address;
	hlist_add_head(&function->node, &all->lists[hash_long(address, TABLE_BITS)]);
	all->nr++;
	return function;
}

/* A function has no hooks if its first event was refused. */
static void remove_unused(struct functions *all, struct function *function)
{
	if (function->hooks)
		return;
	hlist_del(&function->node);
	all->nr--;
	kfree(function);
}

/* The call may be behind the instruction with which the function begins. */
static struct function *get_function(struct functions *all, unsigned long address)
{
	struct function *function = find_function(all, address);

	if (!function)
		function = find_function(all, address + ENDBR_SIZE);
	return function ? function : add_function(all, address);
}

/* Lets the kernel decide whether the function may be probed, and mark when its module goes. */
static int guard_function(struct function *function)
{
	struct kprobe *guard;
	int err;

	guard = kzalloc(sizeof(*guard), GFP_KERNEL_ACCOUNT);
	if (!guard)
		return -ENOMEM;
	guard->addr = (kprobe_opcode_t *)function->address;
	guard->flags = KPROBE_FLAG_DISABLED;
	err = register_kprobe(guard);
	if (err) {
		kfree(guard);
		return err == -ENOMEM ? err : -ENODEV;
	}
	function->guard = guard;
	return 0;
}

static bool is_of_module(unsigned long address)
{
	return address >= MODULES_VADDR && address < MODULES_END;
}

static bool wants_guard(const struct function *function, const struct ktrace_attach_target *target)
{
	return !function->guard && (target->at_return || is_of_module(function->address));
}

/* The additional calls that may wait if the return of the function becomes an event. */
static u32 more_calls(const struct functions *all, const struct function *function,
		      const struct ktrace_attach_target *target)
{
	return target->at_return && !function->returns ?
		min_t(u32, CALLS_OF_FUNCTION, MAX_CALLS - all->calls) : 0;
}

/* The additional bytes of an event. */
static u64 bytes_for(const struct functions *all, const struct function *function,
		     const struct ktrace_attach_target *target)
{
	return (all->nr_hooks ? 0 : sizeof(*all)) + (function->hooks ? 0 : sizeof(*function)) +
	       (wants_guard(function, target) ? sizeof(*function->guard) : 0) +
	       sizeof(struct hook) +
	       (target->args ? struct_size(target->args, items, target->args->nr) : 0) +
	       more_calls(all, function, target) * CALL_BYTES;
}

static enum ktrace_template_state look(const struct ktrace_attach_target *target)
{
	return KTRACE_TEMPLATE_NONE;
}

static int create(struct ktrace_event *event, const struct ktrace_attach_target *target,
		  const struct cpumask *cpus)
{
	struct function *function;
	struct functions *all;
	struct hook *hook;
	u64 bytes;
	int err;

	hook = kzalloc(sizeof(*hook), GFP_KERNEL_ACCOUNT);
	if (!hook)
		return -ENOMEM;
	hook->args = ktrace_attach_args_copy(target->args);
	err = PTR_ERR_OR_ZERO(hook->args);
	if (err)
		goto err_free_hook;
	mutex_lock(&sessions_lock);
	all = get_functions(event->probe.scope);
	err = PTR_ERR_OR_ZERO(all);
	if (err)
		goto err_unlock;
	function = get_function(all, target->address);
	err = PTR_ERR_OR_ZERO(function);
	if (err)
		goto err_put;
	bytes = bytes_for(all, function, target);
	err = ktrace_memlock_charge_event(target->memlock, bytes);
	if (err)
		goto err_remove;
	if (wants_guard(function, target))
		err = guard_function(function);
	if (err)
		goto err_uncharge;
	all->calls += more_calls(all, function, target);
	hook->event = event;
	hook->all = all;
	hook->at_return = target->at_return;
	hook->next = function->hooks;
	function->hooks = hook;
	function->returns |= hook->at_return;
	all->nr_hooks++;
	mutex_unlock(&sessions_lock);
	event->type = target->config;
	event->attachment = hook;
	return 0;

err_uncharge:
	ktrace_memlock_uncharge(target->memlock, bytes);
err_remove:
	remove_unused(all, function);
err_put:
	if (!all->nr_hooks)
		destroy_functions(all);
err_unlock:
	mutex_unlock(&sessions_lock);
	kfree(hook->args);
err_free_hook:
	kfree(hook);
	return err;
}

/* Makes the kernel allocate its nodes for returns, when the session has all its events. */
static int prepare_returns(struct functions *all)
{
	int err;

	if (!all->calls || all->hooks_returns)
		return 0;
	all->back.maxactive = all->calls;
	err = register_kretprobe(&all->back);
	all->hooks_returns = !err;
	return err;
}

/* Enables all functions of the session. */
static int enable(struct ktrace_event *event)
{
	struct hook *hook = event->attachment;
	struct functions *all = hook->all;
	struct function *function;
	unsigned long *addresses;
	unsigned int bucket;
	u32 nr = 0;
	int err;

	if (all->enabled)
		return 0;
	err = prepare_returns(all);
	if (err)
		return err;
	addresses = kvmalloc_array(all->nr, sizeof(*addresses), GFP_KERNEL);
	if (!addresses)
		return -ENOMEM;
	/* An address of a module that has gone would make ftrace refuse all addresses. */
	for_each_function(all, bucket, function)
		if (!is_gone(function))
			addresses[nr++] = function->address;
	err = nr ? ftrace_set_filter_ips(&all->ops, addresses, nr, 0, 1) : -ENOENT;
	kvfree(addresses);
	if (!err && !all->registered)
		err = register_ftrace_function(&all->ops);
	all->registered |= !err;
	all->enabled = !err;
	return err;
}

/*
 * Disables all functions of the session.  Unregistering the ops takes a tenth of a second, so they
 * get a filter that matches no call instead.
 */
static void disable(struct ktrace_event *event)
{
	struct hook *hook = event->attachment;
	struct functions *all = hook->all;

	if (!all->enabled)
		return;
	all->enabled = false;
	if (all->idle && !ftrace_set_filter_ip(&all->ops, all->idle, 0, 1))
		return;
	unregister_ftrace_function(&all->ops);
	all->registered = false;
}

static void destroy(struct ktrace_event *event)
{
	struct hook *hook = event->attachment;
	struct functions *all = hook->all;

	mutex_lock(&sessions_lock);
	/* Before the first hook is freed: a call that was entered long ago may return now. */
	end_functions(all);
	if (!--all->nr_hooks)
		destroy_functions(all);
	mutex_unlock(&sessions_lock);
	kfree(hook->args);
	kfree(hook);
	if (READ_ONCE(nr_retired) > MAX_RETIRED)
		flush_work(&forget_work);
}

void ktrace_attach_exit(void)
{
	flush_work(&forget_work);
}

const struct ktrace_attach_ops ktrace_attach_function_ops = {
	.path = KTRACE_PATH_FUNCTION,
	.feature = KTRACE_FEATURE_FUNCTION | KTRACE_FEATURE_FUNCTION_ARGS,
	/* Neither ftrace nor we report firings while something is being recorded. */
	.stats_flags = KTRACE_STATS_BOUNDED,
	.takes_functions = true,
	.look = look,
	.create = create,
	.enable = enable,
	.disable = disable,
	.destroy = destroy,
};
#endif
