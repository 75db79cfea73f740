// SPDX-License-Identifier: GPL-2.0
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include "session/first_session.h"

#include <linux/bitmap.h>
#include <linux/err.h>
#include <linux/glob.h>
#include <linux/limits.h>
#include <linux/module.h>
#include <linux/moduleparam.h>
#include <linux/notifier.h>
#include <linux/perf_event.h>
#include <linux/printk.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/trace_events.h>
#include <linux/tracepoint.h>
#include <linux/ktrace.h>

#include "fields/common_fields.h"
#include "lib/permission.h"
#include "session/kept.h"
#include "session/session.h"

static char *session;
module_param(session, charp, 0444);
MODULE_PARM_DESC(session, "Begin a session of this name as soon as the module is loaded; 'ktrace session' reads it (default: none)");

static char *events;
module_param(events, charp, 0444);
MODULE_PARM_DESC(events, "Events that this session records: SYSTEM:EVENT, separated by commas; EVENT can have the wildcards * and ?");

static char *fields;
module_param(fields, charp, 0444);
MODULE_PARM_DESC(fields, "Common fields that this session stores with each event, separated by commas, such as comm (default: none)");

static unsigned int pages = 128;
module_param(pages, uint, 0444);
MODULE_PARM_DESC(pages, "Pages of the session's ring on each CPU, a power of two (default: 128)");

static bool overwrite;
module_param(overwrite, bool, 0444);
MODULE_PARM_DESC(overwrite, "The session's rings keep the newest events instead of the oldest (default: no)");

static const char *const field_names[] = {
#define KTRACE_STORED_FIELD(number, NAME, name, type, sign, operand, help) \
	[number] = #name,
#define KTRACE_FILTER_FIELD(number, NAME, name, type, sign, operand, help)
#include <linux/ktrace_fields.def>
#undef KTRACE_STORED_FIELD
#undef KTRACE_FILTER_FIELD
};

/* Holds a reference while the module is being loaded; NULL: no session is wanted. */
static struct ktrace_session *first;

/* An item of the parameter `events`, and its result. */
struct wanted {
	const char *system, *name;	/* @name may have wildcards */
	u64 fields;
	unsigned long *known;		/* the ids of the events that were added */
	u32 nr;				/* events that the session has */
	int err;
};

/* Ids of events are their types in the raw data, which have 16 bits. */
#define MAX_IDS	(U16_MAX + 1)

/* Adds the event of this name.  Returns false if there is none. */
static bool add_named(struct wanted *wanted, const char *name)
{
	struct trace_event_file *file = trace_get_event_file(NULL, wanted->system, name);
	struct ktrace_event_add add = {
		.type = PERF_TYPE_TRACEPOINT,
		.path = KTRACE_PATH_AUTO,
		.id = KTRACE_ID_BASE + wanted->nr,
		.sample_type = KTRACE_SAMPLE_TYPE,
		.fields = wanted->fields,
	};

	if (IS_ERR(file))
		return false;
	add.config = file->event_call->event.type;
	wanted->err = add.config >= MAX_IDS ? -ENODEV : 0;
	if (!wanted->err && !test_bit(add.config, wanted->known)) {
		wanted->err = ktrace_session_event_add_named(first, &add, wanted->system, name);
		if (!wanted->err) {
			__set_bit(add.config, wanted->known);
			wanted->nr++;
		}
	}
	trace_put_event_file(file);
	return true;
}

static void add_matching(struct wanted *wanted, const char *name, bool *found)
{
	if (wanted->err || !glob_match(wanted->name, name) || !add_named(wanted, name))
		return;
	/* A pattern that matches many events skips the ones that nobody can capture. */
	if (wanted->err == -ENODEV || wanted->err == -EPERM)
		wanted->err = 0;
	else
		*found = true;
}

struct search {
	struct notifier_block notifier;
	struct wanted *wanted;
	bool found;
};

static void look_at_tracepoint(struct tracepoint *tp, void *data)
{
	struct search *search = data;

	add_matching(search->wanted, tp->name, &search->found);
}

static int look_at_module(struct notifier_block *notifier, unsigned long action, void *data)
{
	struct search *search = container_of(notifier, struct search, notifier);
	const struct tp_module *tp_module = data;
	struct module *module = tp_module->mod;
	int i;

	for (i = 0; action == MODULE_STATE_COMING && i < module->num_tracepoints; i++)
		look_at_tracepoint(tracepoint_ptr_deref(&module->tracepoints_ptrs[i]), search);
	return NOTIFY_OK;
}

/* Adds the matching events that have a tracepoint of the same name. */
static bool add_all_matching(struct wanted *wanted)
{
	struct search search = { .notifier.notifier_call = look_at_module, .wanted = wanted };

	for_each_kernel_tracepoint(look_at_tracepoint, &search);
	/* Registering calls the notifier for each module that is loaded already. */
	if (!register_tracepoint_module_notifier(&search.notifier))
		unregister_tracepoint_module_notifier(&search.notifier);
	return search.found;
}

static int add_wanted(struct wanted *wanted, char *text)
{
	char *name = strchr(text, ':');
	bool found;

	if (!name || name == text || !name[1]) {
		pr_err("events=%s: '%s' is not of the form SYSTEM:EVENT\n", events, text);
		return -EINVAL;
	}
	*name++ = '\0';
	wanted->system = text;
	wanted->name = name;
	found = strpbrk(name, "*?[") ? add_all_matching(wanted) : add_named(wanted, name);
	if (wanted->err) {
		pr_err("events=%s: %s:%s cannot be captured (error %d)\n", events, text, name,
		       wanted->err);
		return wanted->err;
	}
	if (!found) {
		pr_err("events=%s: there is no event %s:%s; a module that defines it has to be loaded before ktrace\n",
		       events, text, name);
		return -ENOENT;
	}
	return 0;
}

/* Calls @add for each part of @list. */
static int add_parts(const char *list, int (*add)(struct wanted *wanted, char *part),
		     struct wanted *wanted)
{
	char *copy = kstrdup(list, GFP_KERNEL), *rest = copy, *part;
	int err = copy ? 0 : -ENOMEM;

	while (!err && (part = strsep(&rest, ",")))
		if (*part)
			err = add(wanted, part);
	kfree(copy);
	return err;
}

static int add_field(struct wanted *wanted, char *name)
{
	int i;

	for (i = 0; i < ARRAY_SIZE(field_names); i++) {
		if (strcmp(field_names[i], name))
			continue;
		wanted->fields |= BIT_ULL(i);
		return 0;
	}
	pr_err("fields=%s: there is no common field '%s' that can be stored\n", fields, name);
	return -EINVAL;
}

static int add_events(void)
{
	struct wanted wanted = { .known = bitmap_zalloc(MAX_IDS, GFP_KERNEL) };
	int err;

	if (!wanted.known)
		return -ENOMEM;
	err = add_parts(fields ?: "", add_field, &wanted);
	if (!err)
		err = add_parts(events, add_wanted, &wanted);
	bitmap_free(wanted.known);
	if (!err && !wanted.nr) {
		pr_err("session=%s: events= names nothing that it could record\n", session);
		err = -EINVAL;
	}
	return err;
}

static int set_up_first(void)
{
	struct ktrace_setup setup = {
		/* A process that loads modules one after the other is of interest, too. */
		.flags = KTRACE_SETUP_TRACE_SELF | KTRACE_SETUP_HOTPLUG |
			 (overwrite ? KTRACE_SETUP_OVERWRITE : 0),
		.pages = pages,
		.clockid = KTRACE_CLOCK_PERF,
	};
	int err = ktrace_session_setup(first, &setup);

	if (err == -EINVAL)
		pr_err("pages=%u is no power of two, or more than this machine has room for\n",
		       pages);
	else if (err)
		pr_err("session=%s: rings of %u pages cannot be allocated (error %d)\n",
		       session, pages, err);
	return err;
}

static int keep_first(void)
{
	struct ktrace_keep keep = { };
	int err = -EINVAL;

	if (strlen(session) < sizeof(keep.name)) {
		memcpy(keep.name, session, strlen(session));
		err = ktrace_kept_add(first, &keep);
	}
	if (err == -EINVAL)
		pr_err("session=%s is not a possible name: it has up to %d letters, digits, '_', '-' and '.', and does not begin with '-' or '.'\n",
		       session, KTRACE_KEEP_NAME - 1);
	else if (err)
		pr_err("session=%s: it cannot be kept (error %d)\n", session, err);
	if (err)
		return err;
	/* No file of it is open yet. */
	ktrace_kept_leave(first);
	err = ktrace_session_start(first);
	if (err) {
		pr_err("session=%s: it cannot be started (error %d)\n", session, err);
		ktrace_kept_forget(first);
	}
	return err;
}

int ktrace_first_session_begin(void)
{
	int err;

	if (!session && !events)
		return 0;
	if (!session || !events) {
		pr_err("session= and events= go together: session= is the name of a session, events= names its events\n");
		return -EINVAL;
	}
	first = ktrace_session_create();
	if (IS_ERR(first))
		return PTR_ERR(first);
	err = ktrace_permission_check();
	if (err)
		pr_err("session=%s: this kernel forbids tracing, or the process that loads the module may not trace (error %d)\n",
		       session, err);
	if (!err)
		err = set_up_first();
	if (!err)
		err = add_events();
	if (!err)
		err = keep_first();
	if (err) {
		ktrace_session_put(first);
		return err;
	}
	pr_info("the session %s records\n", session);
	return 0;
}

void ktrace_first_session_end(void)
{
	if (!first)
		return;
	ktrace_kept_forget(first);
	ktrace_session_put(first);
}

void ktrace_first_session_leave(void)
{
	if (first)
		ktrace_session_put(first);
	first = NULL;
}
