// SPDX-License-Identifier: GPL-2.0
#include "recorder/plan.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "capture/choose.h"
#include "capture/event_attr.h"
#include "capture/feature.h"
#include "capture/pid_namespace.h"
#include "capture/synthesize.h"
#include "format/function_events.h"
#include "lib/array.h"
#include "lib/cleanup.h"
#include "lib/log.h"
#include "lib/strbuf.h"
#include "spec/event_names.h"
#include "terminal/progress.h"

/*
 * The bytes of the user's stack to copy while call chains are tried, which is perf's default, and
 * the bytes if these are too few.
 */
#define CHAINS_TRIED_BYTES	8192
#define CHAINS_WIDE_BYTES	32768

/* Descriptors for other purposes than events. */
#define CHAINS_OTHER_FDS	256

struct chooser {
	uint64_t max_freq;	/* the kernel's limit, samples per second */
	bool told_freq;		/* the notice about a lowered rate was printed */
	bool told_cycles;	/* the notice that cpu-clock replaces cycles was printed */
	const struct plan_options *options;
	const struct event_specs *specs;
	const struct record_target *target;
	struct event_filters *filters;
	struct capture_choice choice;
	bool cgroups_differ;	/* the tracepoints do not all have the same cgroup */
	bool tries_chains;	/* each event is opened in several ways */
	bool has_strings;	/* strings can be recorded; checked before */
	size_t nr_refused;	/* functions that the kernel does not permit to probe */
};

static struct error *plan_check_fields(const struct chooser *c)
{
	if (!c->options->fields || capture_choice_can(&c->choice, CAPTURE_FIELDS))
		return NULL;
	return error_hint(error_new(EOPNOTSUPP, "--fields needs the ktrace module, which is not in "
				    "use here"), "'ktrace doctor' shows how to get it");
}

static struct error *plan_check_strings(struct chooser *c, const struct event *event)
{
	const struct capture_backend *backend = capture_backend_of(event);
	struct error *err;

	if (!event->user_strings || (c->has_strings && backend->check_strings))
		return NULL;
	if (backend->check_strings) {
		err = backend->check_strings();
		c->has_strings = !err;
		return err;
	}
	return error_hint(error_new(EOPNOTSUPP, "The strings of %s (--user-strings) need the ktrace "
				    "module, which does not record it here", event->name),
			  "'ktrace doctor' shows how to get the module");
}

/*
 * Without a period, the weight of a sample is unknown.  If there is only one event, records need no
 * id.
 */
static struct error *plan_make_compact(const struct plan_options *options,
				       struct event_list *events)
{
	struct event *first = events->nr ? events->items[0] : NULL;
	bool any = false;

	for (size_t i = 0; i < events->nr; i++) {
		const struct event *event = events->items[i];

		if (!event->is_compact)
			continue;
		any = true;
		if (event->attr.freq || event->attr.sample_period > 1)
			return error_hint(error_new(EINVAL, "--compact leaves out the number of "
						    "events that a sample of %s stands for, and "
						    "with -c or -F it is not 1", event->name),
					  "Leave out one of them");
	}
	if (options->compact && !any)
		return error_hint(error_new(EOPNOTSUPP, "--compact needs the ktrace module, which "
					    "cannot record these events"),
				  "-v shows the reasons; 'ktrace doctor' shows how to get the "
				  "module; -z makes any recording smaller");
	if (!any || events->nr != 1)
		return NULL;
	first->attr.sample_type &= ~(uint64_t)PERF_SAMPLE_IDENTIFIER;
	event_finish(first);
	return NULL;
}

/* perf would create a recording without any samples. */
static struct error *plan_check_tool(const struct event_spec *spec)
{
	if (!event_names_tool(spec->type, spec->config, spec->text))
		return NULL;
	return error_hint(error_new(EINVAL, "%s is measured, not counted by the kernel, so it has no "
				    "samples to record", spec->text),
			  "'ktrace stat -e %s' shows it", spec->text);
}

static const char *cgroup_of(const struct event_spec *spec)
{
	return spec->cgroup ? spec->cgroup : "";
}

static bool cgroups_differ(const struct event_specs *specs)
{
	const struct event_spec *before = NULL;

	for (size_t i = 0; i < specs->nr; i++) {
		const struct event_spec *spec = &specs->items[i];

		if (spec->type != PERF_TYPE_TRACEPOINT)
			continue;
		if (before && strcmp(cgroup_of(before), cgroup_of(spec)))
			return true;
		before = spec;
	}
	return false;
}

static bool has_modifier(const struct event_spec *spec, char modifier)
{
	return strchr(spec->modifiers, modifier);
}

/*
 * Append the filter of an event: its own, that of --exclude-perf as in perf, and that of all
 * tracepoints.  Nothing is appended if there is none.
 */
static void add_own_filter(const struct chooser *c, const struct event_spec *spec,
			   struct strbuf *text)
{
	bool is_tracepoint = spec->type == PERF_TYPE_TRACEPOINT;
	bool exclude_self = c->options->exclude_self && is_tracepoint;
	const char *without = is_tracepoint ? c->options->without : NULL;
	bool several = (spec->filter != NULL) + exclude_self + (without != NULL) > 1;

	if (spec->filter)
		strbuf_addf(text, several ? "(%s)" : "%s", spec->filter);
	if (exclude_self)
		strbuf_addf(text, "%scommon_pid != %d", text->len ? " && " : "", getpid());
	if (without)
		strbuf_addf(text, "%s%s", text->len ? " && " : "", without);
}

/* Parse the filter here, so that a bad one is reported before any event is opened. */
static struct error *plan_set_filter(struct chooser *c, struct event *event,
				     const struct strbuf *text)
{
	if (text->failed)
		return &error_no_memory;
	if (!text->len)
		return NULL;
	free(event->filter);
	event->filter = strdup(text->data);
	if (!event->filter)
		return &error_no_memory;
	return event_filters_add(c->filters, event);
}

/* If the backend cannot select tasks by their names, a filter does it. */
static struct error *plan_filter_comms(struct chooser *c, struct event *event)
{
	_cleanup_(strbuf) struct strbuf text = STRBUF_INIT;

	if (event->attr.type != PERF_TYPE_TRACEPOINT)
		return error_hint(error_new(EOPNOTSUPP, "%s cannot be limited to tasks by their "
					    "names (--comm)",
					    event->name),
				  "Only tracepoints can be limited so; -p and -t record given "
				  "tasks");
	if (event->filter)
		strbuf_addf(&text, "(%s) && (", event->filter);
	for (size_t i = 0; i < c->target->nr_comms; i++)
		strbuf_addf(&text, "%sCOMM == \"%s\"", i ? " || " : "", c->target->comms[i]);
	if (event->filter)
		strbuf_addstr(&text, ")");
	return plan_set_filter(c, event, &text);
}

/*
 * Lower the rate to the kernel's limit.  Even the default of 4000 can be above it, if the kernel
 * has lowered it by itself.
 */
static struct error *lower_freq(struct chooser *c, const char *name,
				struct perf_event_attr *attr)
{
	if (!attr->freq || attr->sample_freq <= c->max_freq)
		return NULL;
	if (c->options->strict_freq && attr->sample_freq != UINT32_MAX)
		return error_hint(error_new(EINVAL, "%llu samples a second of %s are more than the "
					    "%llu that kernel.perf_event_max_sample_rate allows "
					    "(--strict-freq)",
					    (unsigned long long)attr->sample_freq, name,
					    (unsigned long long)c->max_freq),
				  "Record with a lower -F, or without --strict-freq");
	if (!c->told_freq)
		log_warning("Recording %llu samples a second of %s, as many as "
			    "kernel.perf_event_max_sample_rate allows.",
			    (unsigned long long)c->max_freq, name);
	c->told_freq = true;
	attr->sample_freq = c->max_freq;
	return NULL;
}

/*
 * If the module cannot record a function, a probe with the same fields replaces it. *refused: the
 * kernel does not permit it, and it may be left out.
 */
static struct error *plan_make_probe(struct chooser *c, const struct capture_backend *backend,
				     struct event *event, struct event_spec *spec, bool *refused)
{
	const struct function_event *function = function_events_find(event->attr.config);
	struct error *err;

	if (event->attr.type != PERF_TYPE_TRACEPOINT || !function ||
	    (backend->can & CAPTURE_FUNCTIONS && c->options->path != CAPTURE_PATH_COUNTER))
		return NULL;
	err = function_event_make_probe(function, &spec->config);
	if (err && event->optional && !err->code) {
		log_debug("%s.", err->message);
		error_free(err);
		c->nr_refused++;
		*refused = true;
		return NULL;
	}
	event->attr.config = spec->config;
	free(event->format_text);
	event->format_text = NULL;
	return err;
}

/*
 * As in perf, record cpu-clock if no PMU counts cycles.  *ret_text, which the caller owns, is then
 * the name of @spec; NULL: @spec is not changed.
 */
static struct error *plan_replace_cycles(struct chooser *c, struct event_spec *spec,
					 char **ret_text)
{
	char *precise;

	if (spec->type != PERF_TYPE_HARDWARE || spec->config != PERF_COUNT_HW_CPU_CYCLES ||
	    feature_perf(FEATURE_PERF_CYCLES))
		return NULL;
	if (!c->told_cycles)
		log_notice("This machine has no PMU to count cycles with; recording cpu-clock "
			   "instead.");
	c->told_cycles = true;
	/* No sample of a clock is precise, so P, as precise as possible, has no effect. */
	precise = strchr(spec->modifiers, 'P');
	if (precise) {
		if ((size_t)(precise - spec->modifiers) < spec->nr_own_modifiers)
			spec->nr_own_modifiers--;
		memmove(precise, precise + 1, strlen(precise));
	}
	spec->type = PERF_TYPE_SOFTWARE;
	spec->config = PERF_COUNT_SW_CPU_CLOCK;
	if (asprintf(ret_text, "cpu-clock%s%.*s", spec->nr_own_modifiers ? ":" : "",
		     (int)spec->nr_own_modifiers, spec->modifiers) < 0) {
		*ret_text = NULL;
		return &error_no_memory;
	}
	spec->text = *ret_text;
	return NULL;
}

/*
 * With a wakeup tracepoint, the records of the woken task are among those of the waker, in another
 * order, so that pairs of one firing cannot be recognized (capture_backend.hold).
 */
static bool plan_is_for_two_tasks(const struct event *event)
{
	return !strncmp(event->name, "sched:sched_wak", 15) ||
	       !strncmp(event->name, "sched:sched_stat_", 17);
}

/* Add the events that can replace an event whose call chains are tried. */
static struct error *plan_try_chains(struct event_list *events, struct event *tried)
{
	struct error *err = NULL;

	if (tried->group || tried->optional || tried->attr.exclude_user ||
	    !(tried->attr.sample_type & PERF_SAMPLE_STACK_USER) || plan_is_for_two_tasks(tried))
		return NULL;
	tried->is_tried = true;
	tried->attr.exclude_callchain_user = 0;
	for (int wide = 0; wide < 2 && !err; wide++) {
		struct event *event;
		struct perf_event_attr *attr;

		err = event_list_add_copy(events, tried, &event);
		if (err)
			break;
		event->replaces = tried;
		event->held = true;
		attr = &event->attr;
		attr->disabled = 1;
		attr->enable_on_exec = 0;
		if (wide) {
			attr->sample_stack_user = CHAINS_WIDE_BYTES;
			attr->exclude_callchain_user = 1;
		} else {
			attr->sample_type &= ~(uint64_t)PERF_SAMPLE_STACK_USER;
			attr->sample_type &= ~(uint64_t)PERF_SAMPLE_REGS_USER;
			attr->sample_stack_user = 0;
			attr->sample_regs_user = 0;
		}
		event_finish(event);
	}
	return err;
}

static struct error *plan_add_event(struct chooser *c, const struct event_spec *named,
				    struct event_attr_options *attr_options,
				    struct event_list *events)
{
	struct event_spec own = *named, *spec = &own;
	_cleanup_free_ char *replaced = NULL;
	const struct capture_request request = { spec, attr_options, c->cgroups_differ };
	struct perf_event_attr attr = { 0 };
	_cleanup_(strbuf) struct strbuf filter = STRBUF_INIT;
	const struct capture_backend *backend;
	struct event *event, *before;
	bool refused = false;
	struct error *err;

	before = events->nr ? events->items[events->nr - 1] : NULL;
	err = plan_check_tool(spec);
	if (!err)
		err = plan_replace_cycles(c, spec, &replaced);
	attr.type = spec->type;
	attr.config = spec->config;
	if (!err)
		err = event_list_add(events, &attr, spec->text, &event);
	if (err)
		return err;
	event->group = spec->group;
	event->optional = spec->from_glob && !spec->group;
	if (spec->cgroup && !(event->cgroup = strdup(spec->cgroup)))
		return &error_no_memory;
	if (c->options->user_strings && spec->type == PERF_TYPE_TRACEPOINT)
		err = event_filters_add_strings(c->filters, event);
	add_own_filter(c, spec, &filter);
	if (!err)
		err = plan_set_filter(c, event, &filter);
	if (!err)
		err = capture_choose(&c->choice, &request, event);
	if (!err)
		err = plan_check_strings(c, event);
	if (!err)
		err = plan_make_probe(c, capture_backend_of(event), event, spec, &refused);
	if (err)
		return err;
	if (refused) {
		event_list_remove(events, event);
		return NULL;
	}

	backend = capture_backend_of(event);
	if (spec->trigger && !spec->any_trigger && !(backend->can & CAPTURE_TRIGGERS))
		return error_hint(error_new(EOPNOTSUPP, "Only tracepoints that the ktrace module "
					    "records can trigger a snapshot, not %s here",
					    spec->text),
				  "'ktrace doctor' shows how to get the module; SIGUSR2 triggers a "
				  "snapshot in any case (--snapshot)");
	event->trigger = spec->trigger && backend->can & CAPTURE_TRIGGERS;
	event->judged = spec->judged;
	attr_options->leader = !spec->group || !before || before->group != spec->group;
	attr_options->sample_read = has_modifier(spec, 'S');
	backend->init_attr(spec, attr_options, &event->attr);
	err = lower_freq(c, spec->text, &event->attr);
	event_finish(event);
	if (!err && c->target->nr_comms && !(backend->can & CAPTURE_COMMS))
		err = plan_filter_comms(c, event);
	if (!err && backend->can & CAPTURE_FIELDS)
		err = common_layout_set(&event->common, c->options->fields);
	if (!err && c->tries_chains)
		err = plan_try_chains(events, event);
	return err;
}

/*
 * Whether an event of --on, which is recorded anyway, equals this one: it would be recorded twice.
 */
static bool plan_is_of_on(const struct chooser *c, const struct event_spec *spec)
{
	if (spec->any_trigger || spec->type != PERF_TYPE_TRACEPOINT || spec->filter ||
	    spec->cgroup || spec->group || spec->period > 1 || spec->freq ||
	    c->options->period > 1 || c->options->freq)
		return false;
	for (size_t i = 0; i < c->specs->nr; i++) {
		const struct event_spec *on = &c->specs->items[i];

		if (on->any_trigger && on->type == spec->type && on->config == spec->config &&
		    !on->filter && !on->cgroup && !strcmp(on->text, spec->text))
			return true;
	}
	return false;
}

static struct error *plan_add_events(struct chooser *c, struct event_attr_options *attr_options,
				     struct event_list *events)
{
	const struct event_specs *specs = c->specs;
	struct error *err;

	c->cgroups_differ = cgroups_differ(specs);
	err = capture_choice_init(&c->choice, c->options->via);
	if (!err)
		err = plan_check_fields(c);
	for (size_t i = 0; !err && i < specs->nr; i++)
		if (specs->items[i].group && has_modifier(&specs->items[i], 'S'))
			attr_options->read_group = true;
	/* Events that have to become probes take time. */
	progress_begin_count("Choosing events", specs->nr);
	for (size_t i = 0; !err && i < specs->nr; i++) {
		if (!plan_is_of_on(c, &specs->items[i]))
			err = plan_add_event(c, &specs->items[i], attr_options, events);
		progress_advance(1);
	}
	progress_end();
	if (!err && c->nr_refused)
		log_notice("%zu probes were refused by the kernel: their functions must not be traced.",
			   c->nr_refused);
	return err;
}

/* Whether the backend of --via cannot copy stacks. */
static bool plan_has_no_stacks(const char *via)
{
	const struct capture_backend *named = via ? capture_backend_find(via) : NULL;

	return named && !(named->can & CAPTURE_STACKS);
}

/*
 * Whether the call chains of samples can be tried.  If not, *ret_bytes of stacks are copied, or
 * with 0 frame pointers are used, and *ret_told is the reason.
 */
static bool plan_can_try_chains(const struct plan_options *options, unsigned int *ret_bytes,
				const char **ret_told)
{
	const struct {
		bool given;
		unsigned int bytes;
		const char *told;
	} refusals[] = {
		{ !sample_parts_all_registers(), 0,
		  "frame pointers, because ktrace unwinds no copied stacks of this architecture" },
		{ options->only_kernel || options->kernel_callchains, 0,
		  "those of the kernel, because the frames of user space were not requested" },
		{ plan_has_no_stacks(options->via), 0,
		  "frame pointers, because the backend of --via copies no stacks" },
		{ options->fields || options->compact || options->user_strings || options->kept, 0,
		  "frame pointers, because the requested ktrace module copies no stacks" },
		{ sample_parts_chain_registers(), CHAINS_TRIED_BYTES,
		  "copied stacks of 8 KiB, because frame pointers alone lead past callers on arm64" },
		{ options->parts.user_regs, CHAINS_TRIED_BYTES,
		  "copied stacks of 8 KiB, because the registers of user space were requested" },
		{ options->overwrite, CHAINS_TRIED_BYTES,
		  "copied stacks of 8 KiB, because rings that keep the newest samples cannot be read "
		  "meanwhile to choose" },
		{ options->thread_counts, CHAINS_TRIED_BYTES,
		  "copied stacks of 8 KiB, because the counts of -s would come several times" },
	};

	*ret_bytes = CHAINS_TRIED_BYTES;
	for (size_t i = 0; i < ARRAY_SIZE(refusals); i++) {
		if (!refusals[i].given)
			continue;
		*ret_bytes = refusals[i].bytes;
		*ret_told = refusals[i].told;
		return false;
	}
	return true;
}

/* An unprivileged process has a limit of descriptors, and each event needs some on each CPU. */
static void plan_limit_chains(struct plan *plan, const struct record_target *target)
{
	size_t per_event = target->cpus.nr * (target->tasks ? target->nr_tasks : 1);
	struct rlimit limit;

	if (!geteuid() || getrlimit(RLIMIT_NOFILE, &limit) ||
	    (plan->events.nr + 2) * per_event + CHAINS_OTHER_FDS <= limit.rlim_max)
		return;
	for (size_t i = plan->events.nr; i-- > 0; ) {
		struct event *event = plan->events.items[i];

		if (event->replaces) {
			event_list_remove(&plan->events, event);
		} else if (event->is_tried) {
			event->is_tried = false;
			event->attr.exclude_callchain_user = 1;
			plan->chains_told = "copied stacks of 8 KiB, because there are not enough file "
					    "descriptors to try frame pointers beside them (ulimit -n)";
		}
	}
}

static struct error *plan_choose_events(const struct plan_options *options, struct plan *plan)
{
	unsigned int stack_bytes = options->stack_bytes;
	bool tries = options->auto_callchain &&
		     plan_can_try_chains(options, &stack_bytes, &plan->chains_told);
	bool whole_cpus = target_options_whole_cpus(&options->target);
	struct event_specs specs = { 0 };
	struct chooser chooser = {
		.options = options,
		.specs = options->specs->nr ? options->specs : &specs,
		.target = &plan->target,
		.filters = &plan->filters,
		.max_freq = feature_perf_max_rate(),
		.tries_chains = tries,
	};
	struct event_attr_options attr_options = {
		.period = options->period,
		.freq = options->freq,
		.clockid = options->clockid,
		.system_wide = whole_cpus,
		.inherit = !options->target.no_inherit,
		.on_exec = plan->target.is_command && !options->delayed,
		.callchain = options->callchain,
		.kernel_callchains = options->kernel_callchains,
		.user_callchains = options->user_callchains,
		.stack_bytes = stack_bytes,
		.only_user = options->only_user,
		.only_kernel = options->only_kernel,
		.addr = options->addr,
		.sample_cpu = options->sample_cpu,
		.sample_period = options->sample_period,
		.raw = options->raw,
		.parts = options->parts,
		.thread_counts = options->thread_counts,
		.cgroups = options->cgroups,
		.compact = options->compact,
	};
	struct error *err;

	plan->tries_chains = tries;
	err = options->specs->nr ? NULL : event_specs_add(&specs, PLAN_DEFAULT_EVENT);
	if (!err)
		err = plan_add_events(&chooser, &attr_options, &plan->events);
	if (!err)
		err = plan_make_compact(options, &plan->events);
	if (!err && tries)
		plan_limit_chains(plan, &plan->target);
	event_specs_deinit(&specs);
	return err;
}

static struct error *plan_check_build_ids(const struct plan_options *options)
{
	if (!options->build_ids || feature_perf(FEATURE_PERF_BUILD_ID))
		return NULL;
	return error_hint(error_new(EOPNOTSUPP, "This kernel does not record build ids with maps "
				    "(--buildid-mmap)"),
			  "Linux 5.12 and later do; without the option the header has them");
}

/*
 * Events of whole CPUs with build ids damage the records of other users' events (see
 * body_mmap2_has_build_id()), which crashes perf before 6.16.
 */
static bool plan_wants_build_ids(const struct plan_options *options)
{
	return options->build_ids ||
	       (!options->no_build_ids && !target_options_whole_cpus(&options->target) &&
		feature_perf(FEATURE_PERF_BUILD_ID));
}

static struct error *plan_check_cgroups(const struct plan_options *options)
{
	for (size_t i = 0; i < options->specs->nr; i++)
		if (options->specs->items[i].cgroup &&
		    !target_options_whole_cpus(&options->target))
			return error_hint(error_new(EINVAL, "-G needs whole CPUs"),
					  "Add -a or -C");
	return NULL;
}

struct error *plan_init(const struct plan_options *options, struct plan *plan)
{
	const struct record_target *target = &plan->target;
	struct error *err;

	err = plan_check_cgroups(options);
	if (!err)
		err = plan_check_build_ids(options);
	if (!err)
		err = record_target_init(&options->target, &plan->target);
	if (!err)
		err = plan_choose_events(options, plan);
	if (err)
		return err;
	if (options->exclude_self && !pid_namespace_is_first(""))
		log_warning("The recorder's own events are recorded, too: in this pid namespace it "
			    "does not know its pid in the kernel.");
	plan->delayed = options->delayed;
	plan->kept = options->kept;
	plan->left_out = options->left_out;
	plan->config = (struct capture_config){
		.target = {
			.cpus = &target->cpus,
			.hotplug = !options->target.cpus,
			.tasks = target->tasks,
			.nr_tasks = target->nr_tasks,
			.inherit = !options->target.no_inherit,
			.per_task = options->target.per_task,
			.on_exec = target->is_command && !options->delayed,
			.comms = (const char *const *)target->comms,
			.nr_comms = target->nr_comms,
			.cgroup = capture_only_cgroup(&plan->events),
		},
		.pages = options->pages,
		.clockid = options->clockid,
		.switches = options->switches,
		.namespaces = options->namespaces,
		.cgroups = options->cgroups,
		.no_bpf = options->no_bpf,
		.build_ids = plan_wants_build_ids(options),
		.wakeup_bytes = options->no_buffering,
		/* If perf_event captured an event instead, the condition on names would be lost. */
		.strict = target->comms || (options->via && strcmp(options->via, "auto")),
		.path = options->path,
		.overwrite = options->overwrite,
		.keeps = options->keeps,
		.freezable = options->freezable,
	};
	return NULL;
}

void plan_deinit(struct plan *plan)
{
	event_list_deinit(&plan->events);
	event_list_deinit(&plan->carrier);
	event_list_deinit(&plan->merged);
	event_filters_deinit(&plan->filters);
	record_target_deinit(&plan->target);
	*plan = (struct plan){ 0 };
}

struct event_list *plan_seen(struct plan *plan)
{
	return plan->merged.nr ? &plan->merged : &plan->events;
}

const struct event_list *plan_stored_events(const struct plan *plan)
{
	if (plan->carrier.nr)
		return &plan->carrier;
	return plan->merged.nr ? &plan->merged : &plan->events;
}

bool plan_has_every_task(const struct plan *plan)
{
	const struct capture_target *target = &plan->config.target;

	return !target->tasks && !target->comms && !target->cgroup;
}

struct error *plan_synthesize(const struct plan *plan, struct record_sink *sink)
{
	const struct record_target *target = &plan->target;
	struct error *err = synthesize_kernel(&plan->events, sink);

	if (!err)
		err = synthesize_bpf(&plan->events, sink);
	if (!err && !(plan->left_out & PLAN_CGROUPS))
		err = synthesize_cgroups(&plan->events, sink);
	if (err)
		return err;
	if (target->is_command && !plan->delayed)
		return synthesize_comm(&plan->events, target->tasks[0], "ktrace-exec", sink);
	if (plan->left_out & PLAN_TASKS)
		return NULL;
	/* A delayed command has run for a while, and so have its children. */
	return synthesize_tasks(&plan->events, target->is_command ? NULL : target->tasks,
				target->is_command ? 0 : target->nr_tasks,
				!(plan->left_out & PLAN_MAPS), sink);
}
