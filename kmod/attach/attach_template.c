// SPDX-License-Identifier: GPL-2.0
/*
 * Template probes.  Modules register them: ktrace_probes.ko for the events of the kernel's headers,
 * and other modules for their own events.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/err.h>
#include <linux/list.h>
#include <linux/module.h>
#include <linux/moduleparam.h>
#include <linux/mutex.h>
#include <linux/perf_event.h>
#include <linux/printk.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/trace_events.h>
#include <linux/tracepoint.h>
#include <linux/utsname.h>

#include "attach/attach.h"
#include "attach/btf.h"
#include "capture/capture.h"
#include "capture/scratch.h"
#include "probes/ktrace/templates.h"

/* Exported here and not in their files, because the unit tests include those files. */
EXPORT_SYMBOL_GPL(ktrace_capture_begin);
EXPORT_SYMBOL_GPL(ktrace_capture_begin_plain);
EXPORT_SYMBOL_GPL(ktrace_capture_end);
EXPORT_SYMBOL_GPL(ktrace_capture_end_shared);
EXPORT_SYMBOL_GPL(ktrace_capture_end_wanted);
EXPORT_SYMBOL_GPL(ktrace_capture_covers);
EXPORT_SYMBOL_GPL(ktrace_capture_lose);
EXPORT_SYMBOL_GPL(ktrace_capture_reject);
EXPORT_SYMBOL_GPL(ktrace_capture_shut_out);

static bool unchecked_templates;
module_param(unchecked_templates, bool, 0644);
MODULE_PARM_DESC(unchecked_templates, "Use a template even without BTF that confirms the arguments of its event; if the event has other arguments, the kernel crashes (default: no)");

static LIST_HEAD(sets);
static DEFINE_MUTEX(sets_lock);

/* A template in use. */
struct tap {
	struct ktrace_probe_tap probe;
	struct list_head node;
	struct tracepoint *tp;
	void *fn;			/* the template's probe */
	u32 users;			/* attachments */
	u32 enabled;			/* events from probe.first on */
};

static LIST_HEAD(taps);
static DEFINE_MUTEX(taps_lock);

struct attachment {
	struct trace_event_file *file;	/* keeps the event's module loaded */
	struct module *owner;		/* of the template */
	const struct ktrace_template *template;
	struct tap *tap;
	bool enabled;
};

int ktrace_template_register(struct ktrace_template_set *set)
{
	if (strcmp(set->kernel, init_utsname()->version)) {
		pr_err("%s was built for another kernel (%s) than the one that runs (%s): rebuild it; until then kernel counters capture its events\n",
		       module_name(set->owner), set->kernel, init_utsname()->version);
		return -ENOEXEC;
	}
	if (set->version != KTRACE_PROBE_VERSION) {
		pr_err("%s was built with the header of another ktrace (its probes are of version %u, ours of %u): rebuild it; until then kernel counters capture its events\n",
		       module_name(set->owner), set->version, KTRACE_PROBE_VERSION);
		return -ENOEXEC;
	}
	mutex_lock(&sets_lock);
	list_add_tail(&set->node, &sets);
	mutex_unlock(&sets_lock);
	return 0;
}
EXPORT_SYMBOL_GPL(ktrace_template_register);

void ktrace_template_unregister(struct ktrace_template_set *set)
{
	mutex_lock(&sets_lock);
	list_del(&set->node);
	mutex_unlock(&sets_lock);
	/* No attachment uses the set any more, but a probe that has begun may still run. */
	tracepoint_synchronize_unregister();
}
EXPORT_SYMBOL_GPL(ktrace_template_unregister);

static struct ktrace_template *find_template(const struct ktrace_attach_target *target,
					     const struct ktrace_template_set **ret_set)
{
	struct ktrace_template *template;
	struct ktrace_template_set *set;

	lockdep_assert_held(&sets_lock);

	list_for_each_entry(set, &sets, node) {
		list_for_each_entry(template, &set->templates, node) {
			if (!strcmp(template->name, target->name) &&
			    !strcmp(template->system, target->system)) {
				*ret_set = set;
				return template;
			}
		}
	}
	return NULL;
}

static bool is_same_layout(const struct trace_event_fields *ours,
			   const struct trace_event_fields *theirs)
{
	for (; ours->type && theirs->type; ours++, theirs++)
		if (theirs->type == TRACE_FUNCTION_TYPE || strcmp(ours->type, theirs->type) ||
		    strcmp(ours->name, theirs->name) || ours->size != theirs->size ||
		    ours->align != theirs->align || ours->is_signed != theirs->is_signed)
			return false;
	return !ours->type && !theirs->type;
}

/*
 * A probe that was built for other arguments than the event's would mistake one for another, such
 * as a number for an address.  The kernel's own events are checked only once.  Events of modules
 * are checked each time, because another module may have been loaded.
 */
static enum ktrace_template_state check_prototype(struct ktrace_template *template,
						  const struct ktrace_template_set *set,
						  const struct trace_event_call *call)
{
	if (!call->module && READ_ONCE(template->is_checked))
		return KTRACE_TEMPLATE_READY;
	switch (ktrace_btf_compare(call->module, call->tp->name, template->prototype)) {
	case KTRACE_BTF_SAME:
		if (!call->module)
			WRITE_ONCE(template->is_checked, true);
		return KTRACE_TEMPLATE_READY;
	case KTRACE_BTF_OTHER:
		pr_notice_once("%s has a template of %s:%s for other arguments: kernel counters capture it; rebuild the module\n",
			       module_name(set->owner), template->system, template->name);
		return KTRACE_TEMPLATE_PROTOTYPE;
	default:
		/* The set was registered, so it was built from the headers of this very kernel. */
		if (set->is_kernels && !call->module)
			return KTRACE_TEMPLATE_READY;
		return READ_ONCE(unchecked_templates) ? KTRACE_TEMPLATE_READY :
							KTRACE_TEMPLATE_UNCHECKED;
	}
}

static enum ktrace_template_state check(struct ktrace_template *template,
					const struct ktrace_template_set *set,
					const struct trace_event_call *call,
					const struct ktrace_attach_target *target)
{
	/* Otherwise it is another event of the same name, which was loaded meanwhile. */
	if (call->event.type != target->config || !(call->flags & TRACE_EVENT_FL_TRACEPOINT))
		return KTRACE_TEMPLATE_NONE;
	if (!is_same_layout(template->fields, call->class->fields_array)) {
		pr_notice_once("%s has a template of %s:%s for other fields: kernel counters capture it; rebuild the module\n",
			       module_name(set->owner), target->system, target->name);
		return KTRACE_TEMPLATE_LAYOUT;
	}
	return check_prototype(template, set, call);
}

/*
 * Finds the template of @target.  If the answer is READY, the caller has to put()
 * @attachment.
 */
static enum ktrace_template_state get(const struct ktrace_attach_target *target,
				      struct attachment *attachment)
{
	enum ktrace_template_state status = KTRACE_TEMPLATE_NONE;
	const struct ktrace_template_set *set;
	struct ktrace_template *template;

	if (target->type != PERF_TYPE_TRACEPOINT || !target->name)
		return KTRACE_TEMPLATE_NONE;

	mutex_lock(&sets_lock);
	template = find_template(target, &set);
	if (!template && list_empty(&sets))
		status = KTRACE_TEMPLATE_NO_MODULE;
	/* The template exists while we hold its owner. */
	if (template && !try_module_get(set->owner))
		template = NULL;
	mutex_unlock(&sets_lock);
	if (!template)
		return status;

	attachment->owner = set->owner;
	attachment->template = template;
	attachment->file = trace_get_event_file(NULL, target->system, target->name);
	if (IS_ERR(attachment->file))
		goto err_put_module;
	status = check(template, set, attachment->file->event_call, target);
	if (status != KTRACE_TEMPLATE_READY)
		goto err_put_file;
	return KTRACE_TEMPLATE_READY;

err_put_file:
	trace_put_event_file(attachment->file);
err_put_module:
	module_put(attachment->owner);
	return status;
}

static void put(struct attachment *attachment)
{
	trace_put_event_file(attachment->file);
	module_put(attachment->owner);
}

static enum ktrace_template_state look(const struct ktrace_attach_target *target)
{
	struct attachment attachment;
	enum ktrace_template_state status;

	status = get(target, &attachment);
	if (status == KTRACE_TEMPLATE_READY)
		put(&attachment);
	return status;
}

/*
 * Some events refuse anybody who registers a callback for every firing, because the callback fires
 * them again (TRACE_EVENT_PERF_PERM).  Of our samples, only a trigger's wake somebody each time.
 * For such an event, all other captures are like a counter that is only read.
 */
static int ask_permission(struct trace_event_call *call, const struct ktrace_event *event)
{
	struct perf_event *as_perf;
	int err;

	if (!call->perf_perm)
		return 0;
	as_perf = kzalloc(sizeof(*as_perf), GFP_KERNEL);
	if (!as_perf)
		return -ENOMEM;
	as_perf->attr.type = PERF_TYPE_TRACEPOINT;
	as_perf->attr.config = call->event.type;
	as_perf->attr.sample_period = event->trigger;
	err = call->perf_perm(call, as_perf);
	kfree(as_perf);
	return err ? -ENODEV : 0;
}

static struct tap *get_tap(struct tracepoint *tp, void *fn)
{
	struct tap *tap;

	mutex_lock(&taps_lock);
	list_for_each_entry(tap, &taps, node)
		if (tap->tp == tp && tap->fn == fn)
			goto found;

	tap = kzalloc(sizeof(*tap), GFP_KERNEL_ACCOUNT);
	if (!tap)
		goto out_unlock;
	tap->tp = tp;
	tap->fn = fn;
	list_add(&tap->node, &taps);
found:
	tap->users++;
out_unlock:
	mutex_unlock(&taps_lock);
	return tap;
}

static void put_tap(struct tap *tap)
{
	mutex_lock(&taps_lock);
	if (!--tap->users) {
		list_del(&tap->node);
		kfree(tap);
	}
	mutex_unlock(&taps_lock);
}

/* The size of the smallest raw data that contains all of these fields. */
static u32 smallest_size(const struct trace_event_fields *field)
{
	u32 size = sizeof(struct trace_entry);

	for (; field->type; field++)
		size = ALIGN(size, field->align) + field->size;
	return KTRACE_RECORD_SIZE(size);
}

static int create(struct ktrace_event *event, const struct ktrace_attach_target *target,
		  const struct cpumask *cpus)
{
	struct attachment *attachment;
	int err;

	attachment = kzalloc(sizeof(*attachment), GFP_KERNEL_ACCOUNT);
	if (!attachment)
		return -ENOMEM;
	err = -ENODEV;
	if (get(target, attachment) != KTRACE_TEMPLATE_READY)
		goto err_free_attachment;
	err = ask_permission(attachment->file->event_call, event);
	if (err)
		goto err_put_attachment;
	err = ktrace_scratch_prepare();
	if (err)
		goto err_put_attachment;
	attachment->tap = get_tap(attachment->file->event_call->tp, attachment->template->probe);
	err = -ENOMEM;
	if (!attachment->tap)
		goto err_put_attachment;
	ktrace_capture_limit(event, smallest_size(attachment->template->fields));
	event->type = target->config;
	event->header.misc = PERF_RECORD_MISC_KERNEL;
	event->attachment = attachment;
	return 0;

err_put_attachment:
	put(attachment);
err_free_attachment:
	kfree(attachment);
	return err;
}

/* The link to the @nr-th event of @tap. */
static struct ktrace_probe_event **link_at(struct tap *tap, u32 nr)
{
	struct ktrace_probe_event **link = &tap->probe.first;

	lockdep_assert_held(&taps_lock);

	while (nr--)
		link = &(*link)->next;
	return link;
}

static int enable(struct ktrace_event *event)
{
	struct attachment *attachment = event->attachment;
	struct tap *tap = attachment->tap;
	int err = 0;

	mutex_lock(&taps_lock);
	event->probe.next = NULL;
	/*
	 * A running probe must see the event complete.  Its loads depend on this pointer, so that
	 * they need no barrier.
	 */
	smp_store_release(link_at(tap, tap->enabled), &event->probe);
	if (!tap->enabled)
		err = tracepoint_probe_register(tap->tp, tap->fn, &tap->probe);
	attachment->enabled = !err;
	tap->enabled += !err;
	mutex_unlock(&taps_lock);
	return err;
}

/*
 * A probe that has just reached the event still finds the next one.  The last event remains linked
 * until there is another one, because probes that have begun expect one.
 */
static void disable(struct ktrace_event *event)
{
	struct attachment *attachment = event->attachment;
	struct tap *tap = attachment->tap;
	u32 nr;

	mutex_lock(&taps_lock);
	if (!attachment->enabled)
		goto out_unlock;
	attachment->enabled = false;
	if (!--tap->enabled) {
		tracepoint_probe_unregister(tap->tp, tap->fn, &tap->probe);
		goto out_unlock;
	}
	for (nr = 0; *link_at(tap, nr) != &event->probe; nr++)
		;
	WRITE_ONCE(*link_at(tap, nr), event->probe.next);
out_unlock:
	mutex_unlock(&taps_lock);
}

static void destroy(struct ktrace_event *event)
{
	struct attachment *attachment = event->attachment;

	put_tap(attachment->tap);
	put(attachment);
	kfree(attachment);
}

const struct ktrace_attach_ops ktrace_attach_template_ops = {
	.path = KTRACE_PATH_TEMPLATE,
	.feature = KTRACE_FEATURE_TEMPLATE,
	.look = look,
	.create = create,
	.enable = enable,
	.disable = disable,
	.destroy = destroy,
};
