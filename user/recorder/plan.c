// SPDX-License-Identifier: GPL-2.0
/*
 * Turns the arguments of -e into the event list: which backend captures each event, and with
 * which attr.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "capture/event_attr.h"
#include "capture/event_filter.h"
#include "capture/feature.h"
#include "capture/filter_encode.h"
#include "lib/cleanup.h"
#include "lib/log.h"
#include "lib/options.h"
#include "lib/strbuf.h"
#include "record/common_field.h"
#include "recorder/recorder.h"

struct chooser {
	uint64_t max_freq;	/* highest rate of samples a second that the kernel accepts */
	bool told_freq;		/* the user was told that a rate was lowered to it */
	const struct record_options *options;
	const struct record_target *target;
	enum { VIA_AUTO, VIA_DEVICE, VIA_PERF, VIA_FAKE } via;
	bool device;		/* the device can be used */
	uint64_t fields;
};

static struct error *parse_via(struct chooser *c)
{
	const char *via = c->options->via;
	struct error *err;

	if (!via || !strcmp(via, "auto"))
		c->via = VIA_AUTO;
	else if (!strcmp(via, "ktrace"))
		c->via = VIA_DEVICE;
	else if (!strcmp(via, "perf"))
		c->via = VIA_PERF;
	else if (!strcmp(via, "fake"))
		c->via = VIA_FAKE;
	else
		return error_hint(error_new(EINVAL, "--via takes auto, ktrace or perf, not '%s'", via),
				  "auto uses the ktrace module where it is loaded");
	if (c->via == VIA_PERF || c->via == VIA_FAKE)
		return NULL;
	err = backend_ktrace.available();
	c->device = !err;
	if (c->via == VIA_DEVICE)
		return err;
	if (err && err->code != ENOENT)
		log_notice("%s; recording with perf_event instead.", err->message);
	error_free(err);
	return NULL;
}

static struct error *parse_fields(struct chooser *c)
{
	_cleanup_free_ char *copy = c->options->fields ? strdup(c->options->fields) : NULL;
	char *save, *word;

	for (word = copy ? strtok_r(copy, ",", &save) : NULL; word; word = strtok_r(NULL, ",", &save)) {
		_cleanup_(strbuf) struct strbuf names = STRBUF_INIT;
		const struct common_field_info *info = common_field_find(word);

		if (!strcmp(word, "all")) {
			c->fields = common_field_mask();
			continue;
		}
		if (info && info->stored) {
			c->fields |= 1ULL << info->number;
			continue;
		}
		common_field_add_names(&names);
		return error_hint(error_new(EINVAL, "There is no common field '%s'", word),
				  "--fields takes a list of: %s, or all", strbuf_str(&names));
	}
	if (c->fields && !c->device)
		return error_hint(error_new(EOPNOTSUPP, "--fields needs the ktrace module, which "
					    "is not in use here"),
				  "'ktrace doctor' tells how to get it");
	return NULL;
}

static const char *cgroup_of(const struct event_spec *spec)
{
	return spec->cgroup ? spec->cgroup : "";
}

/* The scope of the device is the same for all events, so they must have the same cgroup. */
static bool is_only_cgroup(const struct chooser *c, const struct event_spec *spec)
{
	const struct event_specs *specs = &c->options->specs;

	for (size_t i = 0; i < specs->nr; i++)
		if (specs->items[i].type == PERF_TYPE_TRACEPOINT &&
		    strcmp(cgroup_of(&specs->items[i]), cgroup_of(spec)))
			return false;
	return true;
}

/* Returns an error that says why the device cannot capture a tracepoint, or NULL if it can. */
static struct error *device_refuses(const struct chooser *c, const struct event_spec *spec,
				    const struct event *event)
{
	_cleanup_(filter_program) struct filter_program program = { .pool = STRBUF_INIT };
	_cleanup_(event_filter) struct event_filter filter = { 0 };
	const char *what = NULL;
	struct error *err;

	if (c->options->stack_bytes)
		what = "copies of stacks (--call-graph dwarf)";
	else if (spec->group)
		what = "groups";
	else if (*spec->modifiers || c->options->only_user || c->options->only_kernel)
		what = "the kernel or user space alone";
	else if (c->options->addr)
		what = "addresses (-d)";
	else if (!is_only_cgroup(c, spec))
		what = "different cgroups (-G)";
	if (what)
		return error_hint(error_new(EOPNOTSUPP, "The ktrace module does not record %s, "
					    "which %s asks for", what, spec->text),
				  "Record with --via=perf");
	if (!event->filter)
		return NULL;
	err = event_filter_init(event, &filter);
	return err ? err : filter_encode(filter.tree, &program);
}

static struct error *choose(const struct chooser *c, const struct event_spec *spec,
			    struct event *event)
{
	struct error *err;

	event->source = EVENT_SOURCE_PERF;
	if (c->via == VIA_FAKE)
		event->source = EVENT_SOURCE_FAKE;
	if (spec->type != PERF_TYPE_TRACEPOINT || !c->device)
		return NULL;
	err = device_refuses(c, spec, event);
	if (err && (c->via == VIA_DEVICE || err->code != EOPNOTSUPP))
		return err;
	if (err)
		log_debug("%s.", err->message);
	else
		event->source = EVENT_SOURCE_DEVICE;
	error_free(err);
	return NULL;
}

static bool has_modifier(const struct event_spec *spec, char modifier)
{
	return strchr(spec->modifiers, modifier);
}

/* As in perf, --exclude-perf adds a filter, which is joined to the event's own. */
static struct error *exclude_self(struct event_spec *spec)
{
	char *filter;

	if (spec->type != PERF_TYPE_TRACEPOINT)
		return NULL;
	if (spec->filter ? asprintf(&filter, "(%s) && common_pid != %d", spec->filter, getpid()) < 0 :
			   asprintf(&filter, "common_pid != %d", getpid()) < 0)
		return &error_no_memory;
	free(spec->filter);
	spec->filter = filter;
	return NULL;
}

/* Check the filter here, so that a bad one is reported before anything is opened. */
static struct error *set_filter(struct event *event, const char *text)
{
	_cleanup_(event_filter) struct event_filter filter = { 0 };

	event->filter = strdup(text);
	if (!event->filter)
		return &error_no_memory;
	return event_filter_init(event, &filter);
}

/* For perf_event, the names of tasks become a filter; the device has them in its scope. */
static struct error *filter_comms(const struct record_target *target, struct event *event)
{
	_cleanup_(strbuf) struct strbuf text = STRBUF_INIT;

	if (event->attr.type != PERF_TYPE_TRACEPOINT)
		return error_hint(error_new(EOPNOTSUPP, "%s cannot be recorded by names of tasks (--comm)",
					    event->name),
				  "Only tracepoints can; -p and -t record given tasks");
	if (event->filter)
		strbuf_addf(&text, "(%s) && (", event->filter);
	for (size_t i = 0; i < target->nr_comms; i++)
		strbuf_addf(&text, "%sCOMM == \"%s\"", i ? " || " : "", target->comms[i]);
	if (event->filter)
		strbuf_addstr(&text, ")");
	if (text.failed)
		return &error_no_memory;
	free(event->filter);
	return set_filter(event, text.data);
}

/*
 * Lower the rate to the kernel's limit.  Even the default of 4000 can be above that, if the
 * kernel has lowered it by itself.
 */
static void lower_freq(struct chooser *c, const char *name, struct perf_event_attr *attr)
{
	if (!attr->freq || attr->sample_freq <= c->max_freq)
		return;
	if (!c->told_freq)
		log_warning("Recording %llu samples a second of %s, as many as "
			    "kernel.perf_event_max_sample_rate allows.",
			    (unsigned long long)c->max_freq, name);
	c->told_freq = true;
	attr->sample_freq = c->max_freq;
}

static struct error *add_event(struct chooser *c, const struct event_spec *spec,
			       struct event_attr_options *attr_options, struct event_list *events)
{
	struct perf_event_attr attr;
	struct event *event, *before;
	struct error *err;

	before = events->nr ? events->items[events->nr - 1] : NULL;
	attr_options->leader = !spec->group || !before || before->group != spec->group;
	attr_options->sample_read = has_modifier(spec, 'S');
	event_attr_init(spec, attr_options, &attr);
	lower_freq(c, spec->text, &attr);
	err = event_list_add(events, &attr, spec->text, &event);
	if (err)
		return err;
	event->group = spec->group;
	event->optional = spec->from_glob && !spec->group;
	if (spec->cgroup && !(event->cgroup = strdup(spec->cgroup)))
		return &error_no_memory;
	if (spec->filter)
		err = set_filter(event, spec->filter);
	if (!err)
		err = choose(c, spec, event);
	if (!err && event->source == EVENT_SOURCE_PERF && c->target->nr_comms)
		err = filter_comms(c->target, event);
	if (!err && spec->trigger && event->source != EVENT_SOURCE_DEVICE)
		err = error_hint(error_new(EOPNOTSUPP, "Only tracepoints that the ktrace module "
					   "records can ask for a snapshot, not %s here", spec->text),
				 "'ktrace doctor' tells how to get the module; SIGUSR2 asks for a "
				 "snapshot in any case (--snapshot)");
	if (err || event->source != EVENT_SOURCE_DEVICE)
		return err;
	event->trigger = spec->trigger;
	event_attr_init_device(spec, attr_options, &event->attr);
	lower_freq(c, spec->text, &event->attr);
	event_finish(event);
	return common_layout_set(&event->common, c->fields);
}

static struct error *add_default(struct event_specs *specs)
{
	if (feature_perf_cycles())
		return event_specs_add(specs, "cycles");
	log_notice("This machine has no PMU to count cycles with; recording cpu-clock.");
	return event_specs_add(specs, "cpu-clock");
}


struct error *record_events_init(const struct record_options *options,
				 const struct record_target *target, int32_t clockid,
				 struct event_list *events)
{
	struct event_specs *specs = (struct event_specs *)&options->specs;
	struct chooser chooser = { .options = options, .target = target };
	struct event_attr_options attr_options = {
		.period = options->period,
		.freq = options->freq,
		.clockid = clockid,
		.system_wide = options->all_cpus || options->cpus,
		.inherit = !options->no_inherit,
		.on_exec = target->is_command,
		.callchain = options->callchain,
		.stack_bytes = options->stack_bytes,
		.only_user = options->only_user,
		.only_kernel = options->only_kernel,
		.addr = options->addr,
		.sample_cpu = options->sample_cpu,
		.sample_period = options->sample_period,
		.raw = options->raw,
	};
	struct error *err;

	chooser.max_freq = feature_perf_max_rate();
	err = specs->nr ? NULL : add_default(specs);
	if (!err)
		err = parse_via(&chooser);
	if (!err)
		err = parse_fields(&chooser);
	for (size_t i = 0; !err && options->exclude_self && i < specs->nr; i++)
		err = exclude_self(&specs->items[i]);
	for (size_t i = 0; !err && i < specs->nr; i++)
		if (specs->items[i].group && has_modifier(&specs->items[i], 'S'))
			attr_options.read_group = true;
	for (size_t i = 0; !err && i < specs->nr; i++)
		err = add_event(&chooser, &specs->items[i], &attr_options, events);
	return err;
}
