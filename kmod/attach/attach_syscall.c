// SPDX-License-Identifier: GPL-2.0
/*
 * syscalls:sys_enter_* and sys_exit_* have no tracepoints of their own.  A session has one probe on
 * raw_syscalls:sys_enter and one on sys_exit, and for each of the two a table of events by the
 * number of the system call.
 */
#include <generated/utsversion.h>
#include <linux/err.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/trace_events.h>
#include <linux/tracepoint.h>
#include <linux/utsname.h>
#include <asm/syscall.h>
#include <trace/events/syscalls.h>
#include <trace/syscall.h>

#include "attach/attach.h"
#include "attach/btf.h"
#include "attach/user_data.h"
#include "capture/capture.h"
#include "capture/scratch.h"
#include "probes/ktrace/templates.h"

#if defined(CONFIG_HAVE_SYSCALL_TRACEPOINTS) && defined(CONFIG_FTRACE_SYSCALLS)

/* The events' raw data, as their format files describe it. */
struct enter_entry {
	struct trace_entry ent;
	int nr;
	unsigned long args[];
};

struct exit_entry {
	struct trace_entry ent;
	int nr;
	long ret;
};

static_assert(offsetof(struct enter_entry, args) == 16);
static_assert(offsetof(struct exit_entry, ret) == 16);

struct attachment {
	struct attachment *next;	/* the next one of the same system call */
	struct ktrace_event *event;
	struct table *table;
	struct trace_event_file *file;
	u32 nr;
	u32 nr_args;
	/* Set if the kernel's own event stores the memory that some of the arguments point to. */
	const struct syscall_metadata *user_data;
	u32 user_strings;		/* otherwise, bits of arguments whose strings we store */
	u32 nr_user;			/* arguments of either kind */
	u32 size;			/* of the raw data, without the data from user memory */
	bool enabled;
};

/* The events of one session, either on entry or on exit. */
struct table {
	struct list_head node;
	const struct ktrace_probe_scope *scope;	/* the session's */
	struct trace_event_file *raw;	/* the event of raw_syscalls */
	bool is_exit;
	u32 users;			/* attachments */
	u32 enabled;			/* attachments that are enabled */
	struct attachment *first[NR_syscalls];
};

static LIST_HEAD(tables);
static DEFINE_MUTEX(lock);

/* System calls of other ABIs have numbers of their own, but no events. */
static __always_inline long number_of(struct pt_regs *regs)
{
#ifdef ARCH_TRACE_IGNORE_COMPAT_SYSCALLS
	if (unlikely(arch_trace_is_compat_syscall(regs)))
		return -1;
#endif
	return syscall_get_nr(current, regs);
}

static __always_inline void store_args(struct enter_entry *entry, struct pt_regs *regs, u32 nr)
{
	unsigned long args[6];
	u32 i;

	syscall_get_arguments(current, regs, args);
	for (i = 0; i < nr; i++)
		entry->args[i] = args[i];
}

static __always_inline void *begin(const struct attachment *attachment, long nr, u32 size)
{
	struct enter_entry *entry;

	if (unlikely(!ktrace_probe_begin(&attachment->event->probe, size, 1, (void **)&entry)))
		return NULL;
	/* This also clears the hole behind nr. */
	*(u64 *)&entry->nr = 0;
	entry->nr = nr;
	return entry;
}

static notrace bool covers(const struct attachment *attachment)
{
	bool ret;

	preempt_disable_notrace();
	ret = READ_ONCE(attachment->event->probe.scope->running) &&
	      ktrace_capture_covers(&attachment->event->probe);
	preempt_enable_notrace();
	return ret;
}

/*
 * Like the kernel's own events, this may sleep while it reads user memory.  Kernels that store user
 * memory call the probes of system calls where sleeping is possible, and
 * tracepoint_synchronize_unregister() waits for probes that sleep.
 */
static noinline notrace void capture_with_user_data(const struct attachment *attachment,
						    struct pt_regs *regs, long nr)
{
	const u32 fixed = offsetof(struct enter_entry, args) +
			  attachment->nr_args * sizeof(unsigned long);
	struct ktrace_user_data data;
	struct enter_entry *entry;
	unsigned long args[6];
	u32 size;

	syscall_get_arguments(current, regs, args);
	if (!covers(attachment)) {
		/* No memory is read for tasks whose samples are only counted as out of scope. */
		data.nr = attachment->nr_user;
		memset(data.size, 0, sizeof(data.size));
	} else if (attachment->user_data) {
		ktrace_user_data_read(&data, attachment->user_data, args);
	} else {
		ktrace_user_data_read_strings(&data, attachment->user_strings, args);
	}
	size = KTRACE_RECORD_SIZE(fixed + ktrace_user_data_size(&data));
	entry = begin(attachment, nr, size);
	if (!entry)
		return;
	memcpy(entry->args, args, attachment->nr_args * sizeof(unsigned long));
	ktrace_user_data_store(&data, entry, fixed);
	ktrace_probe_end(&attachment->event->probe, entry, size, instruction_pointer(regs), 1);
}

static notrace void probe_enter(void *data, struct pt_regs *regs, long id)
{
	const struct attachment *attachment;
	const struct table *table = data;
	struct enter_entry *entry;
	long nr = number_of(regs);
	u32 size;

	if (unlikely((unsigned long)nr >= NR_syscalls))
		return;
	for (attachment = READ_ONCE(table->first[nr]); attachment;
	     attachment = READ_ONCE(attachment->next)) {
		if (attachment->nr_user) {
			capture_with_user_data(attachment, regs, nr);
			continue;
		}
		size = attachment->size;
		entry = begin(attachment, nr, size);
		if (unlikely(!entry))
			continue;
		if (attachment->nr_args)
			store_args(entry, regs, attachment->nr_args);
		ktrace_probe_end(&attachment->event->probe, entry, size,
				 instruction_pointer(regs), 1);
	}
}

static notrace void probe_exit(void *data, struct pt_regs *regs, long ret)
{
	const u32 size = KTRACE_RECORD_SIZE(sizeof(struct exit_entry));
	const struct attachment *attachment;
	const struct table *table = data;
	struct exit_entry *entry;
	long nr = number_of(regs);

	if (unlikely((unsigned long)nr >= NR_syscalls))
		return;
	for (attachment = READ_ONCE(table->first[nr]); attachment;
	     attachment = READ_ONCE(attachment->next)) {
		entry = begin(attachment, nr, size);
		if (unlikely(!entry))
			continue;
		entry->ret = syscall_get_return_value(current, regs);
		ktrace_probe_end(&attachment->event->probe, entry, size,
				 instruction_pointer(regs), 1);
	}
}

static struct table *get_table(const struct ktrace_probe_scope *scope, bool is_exit)
{
	struct table *table;

	lockdep_assert_held(&lock);

	list_for_each_entry(table, &tables, node)
		if (table->scope == scope && table->is_exit == is_exit)
			goto found;

	table = kzalloc(sizeof(*table), GFP_KERNEL_ACCOUNT);
	if (!table)
		return ERR_PTR(-ENOMEM);
	table->raw = trace_get_event_file(NULL, "raw_syscalls",
					  is_exit ? "sys_exit" : "sys_enter");
	if (IS_ERR(table->raw)) {
		kfree(table);
		return ERR_PTR(-ENODEV);
	}
	table->scope = scope;
	table->is_exit = is_exit;
	list_add(&table->node, &tables);
found:
	table->users++;
	return table;
}

static void put_table(struct table *table)
{
	lockdep_assert_held(&lock);

	if (--table->users)
		return;
	list_del(&table->node);
	trace_put_event_file(table->raw);
	kfree(table);
}

/*
 * Is the layout of the event the one that we fill in?  It is if the event's fields are its number,
 * one for each argument, and one for each argument whose memory is read (or, on exit, the result).
 */
static bool is_known_layout(const struct trace_event_call *call, bool is_exit)
{
	const struct syscall_metadata *meta = call->data;
	const struct trace_event_fields *field = call->class->fields_array;
	struct list_head *at;
	u32 nr = 0, nr_user;

	if (is_exit)
		return field && field[0].type && !strcmp(field[0].name, "__syscall_nr") &&
		       field[0].size == sizeof(int) && field[1].type &&
		       !strcmp(field[1].name, "ret") && field[1].size == sizeof(long) &&
		       !field[2].type;

	nr_user = hweight32(ktrace_user_data_mask(meta));
	list_for_each(at, trace_get_fields((struct trace_event_call *)call))
		nr++;
	if (meta->nb_args < 0 || meta->nb_args > 6 || nr_user > KTRACE_USER_DATA_ARGS)
		return false;
	return nr == 1 + meta->nb_args + nr_user;
}

/* Do the tracepoints of the probes have the arguments that the headers declare? */
static bool is_known_prototype(bool is_exit)
{
	static bool known[2];

	if (!READ_ONCE(known[is_exit]))
		WRITE_ONCE(known[is_exit],
			   ktrace_btf_compare(NULL, is_exit ? "sys_exit" : "sys_enter",
					      "struct pt_regs *, long") != KTRACE_BTF_OTHER);
	return READ_ONCE(known[is_exit]);
}

/* Can the samples also store the strings that these arguments point to? */
static bool can_read_strings(const struct syscall_metadata *meta, bool is_exit, u32 args)
{
	return !is_exit && !ktrace_user_data_mask(meta) && !(args >> meta->nb_args) &&
	       hweight32(args) <= KTRACE_USER_DATA_ARGS;
}

/* Finds the event of @target.  If the answer is READY, the caller has to put *ret. */
static enum ktrace_template_state find_file(const struct ktrace_attach_target *target,
					    bool *is_exit, struct trace_event_file **ret)
{
	enum ktrace_template_state status = KTRACE_TEMPLATE_NONE;
	const struct trace_event_call *call;
	const struct syscall_metadata *meta;
	struct trace_event_file *file;

	if (target->type != PERF_TYPE_TRACEPOINT || !target->name ||
	    strcmp(target->system, "syscalls") || strcmp(UTS_VERSION, init_utsname()->version))
		return status;
	file = trace_get_event_file(NULL, target->system, target->name);
	if (IS_ERR(file))
		return status;
	call = file->event_call;
	meta = call->data;
	if (call->event.type != target->config || call->flags & TRACE_EVENT_FL_DYNAMIC || !meta ||
	    (call != meta->enter_event && call != meta->exit_event))
		goto err_put_file;
	*is_exit = call == meta->exit_event;
	if (meta->syscall_nr < 0 || meta->syscall_nr >= NR_syscalls ||
	    !is_known_layout(call, *is_exit)) {
		status = KTRACE_TEMPLATE_LAYOUT;
		goto err_put_file;
	}
	if (!is_known_prototype(*is_exit)) {
		status = KTRACE_TEMPLATE_PROTOTYPE;
		goto err_put_file;
	}
	if (target->user_strings && !can_read_strings(meta, *is_exit, target->user_strings))
		goto err_put_file;
	*ret = file;
	return KTRACE_TEMPLATE_READY;

err_put_file:
	trace_put_event_file(file);
	return status;
}

static enum ktrace_template_state look(const struct ktrace_attach_target *target)
{
	enum ktrace_template_state status;
	struct trace_event_file *file;
	bool is_exit;

	status = find_file(target, &is_exit, &file);
	if (status == KTRACE_TEMPLATE_READY)
		trace_put_event_file(file);
	return status;
}

static int create(struct ktrace_event *event, const struct ktrace_attach_target *target,
		  const struct cpumask *cpus)
{
	const struct syscall_metadata *meta;
	struct attachment *attachment;
	bool is_exit;
	int err;

	attachment = kzalloc(sizeof(*attachment), GFP_KERNEL_ACCOUNT);
	if (!attachment)
		return -ENOMEM;
	err = -ENODEV;
	if (find_file(target, &is_exit, &attachment->file) != KTRACE_TEMPLATE_READY)
		goto err_free_attachment;
	err = ktrace_scratch_prepare();
	if (err)
		goto err_put_file;

	mutex_lock(&lock);
	attachment->table = get_table(event->probe.scope, is_exit);
	mutex_unlock(&lock);
	err = PTR_ERR_OR_ZERO(attachment->table);
	if (err)
		goto err_put_file;

	meta = attachment->file->event_call->data;
	attachment->event = event;
	attachment->nr = meta->syscall_nr;
	attachment->nr_args = meta->nb_args;
	attachment->user_data = !is_exit && ktrace_user_data_mask(meta) ? meta : NULL;
	attachment->user_strings = target->user_strings;
	attachment->nr_user = hweight32(attachment->user_data ? ktrace_user_data_mask(meta) :
							       target->user_strings);
	attachment->size = KTRACE_RECORD_SIZE(sizeof(struct enter_entry) +
					      meta->nb_args * sizeof(long));
	ktrace_capture_limit(event, is_exit ? KTRACE_RECORD_SIZE(sizeof(struct exit_entry)) :
					      attachment->size);
	event->type = target->config;
	event->header.misc = PERF_RECORD_MISC_USER;
	event->attachment = attachment;
	return 0;

err_put_file:
	trace_put_event_file(attachment->file);
err_free_attachment:
	kfree(attachment);
	return err;
}

static void *probe_of(const struct table *table)
{
	check_trace_callback_type_sys_enter(probe_enter);
	check_trace_callback_type_sys_exit(probe_exit);
	return table->is_exit ? (void *)probe_exit : (void *)probe_enter;
}

static int enable(struct ktrace_event *event)
{
	struct attachment *attachment = event->attachment;
	struct table *table = attachment->table;
	int err = 0;

	mutex_lock(&lock);
	if (!table->enabled)
		err = tracepoint_probe_register(table->raw->event_call->tp, probe_of(table), table);
	if (!err) {
		table->enabled++;
		attachment->enabled = true;
		attachment->next = table->first[attachment->nr];
		/*
		 * A running probe must see the attachment complete.  Its loads depend on this
		 * pointer, so that they need no barrier.
		 */
		smp_store_release(&table->first[attachment->nr], attachment);
	}
	mutex_unlock(&lock);
	return err;
}

static void disable(struct ktrace_event *event)
{
	struct attachment *attachment = event->attachment, **at;
	struct table *table = attachment->table;

	mutex_lock(&lock);
	if (!attachment->enabled)
		goto out_unlock;
	/* A probe that has just reached it still finds the next one. */
	for (at = &table->first[attachment->nr]; *at != attachment; at = &(*at)->next)
		;
	WRITE_ONCE(*at, attachment->next);
	attachment->enabled = false;
	if (!--table->enabled)
		tracepoint_probe_unregister(table->raw->event_call->tp, probe_of(table), table);
out_unlock:
	mutex_unlock(&lock);
}

static void destroy(struct ktrace_event *event)
{
	struct attachment *attachment = event->attachment;

	mutex_lock(&lock);
	put_table(attachment->table);
	mutex_unlock(&lock);
	trace_put_event_file(attachment->file);
	kfree(attachment);
}

#else

static enum ktrace_template_state look(const struct ktrace_attach_target *target)
{
	return KTRACE_TEMPLATE_NONE;
}

static int create(struct ktrace_event *event, const struct ktrace_attach_target *target,
		  const struct cpumask *cpus)
{
	return -ENODEV;
}

static int enable(struct ktrace_event *event)
{
	return -ENODEV;
}

static void disable(struct ktrace_event *event)
{
}

static void destroy(struct ktrace_event *event)
{
}

#endif

const struct ktrace_attach_ops ktrace_attach_syscall_ops = {
	.path = KTRACE_PATH_TEMPLATE,
	.feature = KTRACE_FEATURE_TEMPLATE,
	.reads_strings = true,
	.look = look,
	.create = create,
	.enable = enable,
	.disable = disable,
	.destroy = destroy,
};
