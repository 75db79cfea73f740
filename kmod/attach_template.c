// SPDX-License-Identifier: GPL-2.0
/*
 * Template probes, which modules register: ktrace_probes.ko for the events of
 * the kernel's headers, others for their own.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/err.h>
#include <linux/list.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/printk.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/trace_events.h>
#include <linux/tracepoint.h>
#include <linux/utsname.h>

#include "attach.h"
#include "capture.h"
#include "probes/ktrace/templates.h"
#include "scratch.h"

/* Here and not where they are, because the unit tests include that. */
EXPORT_SYMBOL_GPL(ktrace_capture_begin);
EXPORT_SYMBOL_GPL(ktrace_capture_begin_plain);
EXPORT_SYMBOL_GPL(ktrace_capture_end);
EXPORT_SYMBOL_GPL(ktrace_capture_end_wanted);
EXPORT_SYMBOL_GPL(ktrace_capture_covers);
EXPORT_SYMBOL_GPL(ktrace_capture_lose);

static LIST_HEAD(sets);
static DEFINE_MUTEX(sets_lock);

struct attachment {
	struct trace_event_file *file;	/* keeps the event's module */
	struct module *owner;		/* of the template */
	void *probe;
	bool registered;
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
	/* Attachments are gone; a probe that had begun may not be. */
	tracepoint_synchronize_unregister();
}
EXPORT_SYMBOL_GPL(ktrace_template_unregister);

static const struct ktrace_template *find_template(const struct ktrace_attach_target *target,
						   struct module **owner)
{
	const struct ktrace_template *template;
	struct ktrace_template_set *set;

	lockdep_assert_held(&sets_lock);

	list_for_each_entry(set, &sets, node) {
		list_for_each_entry(template, &set->templates, node) {
			if (!strcmp(template->name, target->name) &&
			    !strcmp(template->system, target->system)) {
				*owner = set->owner;
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

/* What is to be put with put() if it is READY. */
static enum ktrace_template_state get(const struct ktrace_attach_target *target,
				struct attachment *attachment)
{
	enum ktrace_template_state status = KTRACE_TEMPLATE_NONE;
	const struct ktrace_template *template;
	struct trace_event_call *call;

	if (target->type != PERF_TYPE_TRACEPOINT || !target->name)
		return KTRACE_TEMPLATE_NONE;

	mutex_lock(&sets_lock);
	template = find_template(target, &attachment->owner);
	if (!template) {
		status = list_empty(&sets) ? KTRACE_TEMPLATE_NO_MODULE : KTRACE_TEMPLATE_NONE;
		goto err_unlock;
	}
	if (!try_module_get(attachment->owner))
		goto err_unlock;
	attachment->probe = template->probe;
	attachment->file = trace_get_event_file(NULL, target->system, target->name);
	if (IS_ERR(attachment->file))
		goto err_put_module;
	call = attachment->file->event_call;
	/* Another of this name, loaded meanwhile. */
	if (call->event.type != target->config || !(call->flags & TRACE_EVENT_FL_TRACEPOINT))
		goto err_put_file;
	if (!is_same_layout(template->fields, call->class->fields_array)) {
		pr_notice_once("%s knows %s:%s with other fields than it has: kernel counters capture it; rebuild the module\n",
			       module_name(attachment->owner), target->system, target->name);
		status = KTRACE_TEMPLATE_LAYOUT;
		goto err_put_file;
	}
	mutex_unlock(&sets_lock);
	return KTRACE_TEMPLATE_READY;

err_put_file:
	trace_put_event_file(attachment->file);
err_put_module:
	module_put(attachment->owner);
err_unlock:
	mutex_unlock(&sets_lock);
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
	err = ktrace_scratch_prepare();
	if (err)
		goto err_put_attachment;
	event->type = target->config;
	event->misc = PERF_RECORD_MISC_KERNEL;
	event->attachment = attachment;
	return 0;

err_put_attachment:
	put(attachment);
err_free_attachment:
	kfree(attachment);
	return err;
}

static int enable(struct ktrace_event *event)
{
	struct attachment *attachment = event->attachment;
	int err;

	err = tracepoint_probe_register(attachment->file->event_call->tp, attachment->probe,
					event);
	attachment->registered = !err;
	return err;
}

static void disable(struct ktrace_event *event)
{
	struct attachment *attachment = event->attachment;

	if (!attachment->registered)
		return;
	tracepoint_probe_unregister(attachment->file->event_call->tp, attachment->probe, event);
	attachment->registered = false;
}

static void destroy(struct ktrace_event *event)
{
	struct attachment *attachment = event->attachment;

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
