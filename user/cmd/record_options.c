// SPDX-License-Identifier: GPL-2.0
#include "cmd/record_options.h"

#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>
#include <unistd.h>

#include "capture/choose.h"
#include "capture/sample_parts.h"
#include "cmd/command.h"
#include "cmd/event_words.h"
#include "lib/array.h"
#include "lib/log.h"
#include "lib/number.h"
#include "lib/strbuf.h"
#include "record/common_field.h"
#include "recorder/recorder.h"
#include "terminal/word_list.h"

struct error *record_add_event(void *data, const char *text)
{
	return event_words_add_recorded(data, text);
}

/* Events of --snapshot-on are recorded like those of -e. */
static struct error *add_trigger(void *data, const char *text)
{
	struct record_options *options = data;
	size_t first = options->specs.nr;
	struct error *err;

	options->snapshot_on = true;
	err = event_words_add_recorded(&options->specs, text);
	for (size_t i = first; !err && i < options->specs.nr; i++)
		options->specs.items[i].trigger = true;
	return err;
}

/*
 * EVENT/FILTER/ of a tracepoint.  The location of a probe and the terms of a PMU may have slashes,
 * too.  The filter itself may have slashes, so it ends at the last one.
 */
static const char *find_own_filter(const char *text)
{
	const char *slash = strncmp(text, "u:", 2) ? strchr(text, '/') : NULL;

	return slash && slash[1] && text[strlen(text) - 1] == '/' &&
	       memchr(text, ':', slash - text) ? slash : NULL;
}

/* The source of these events, the module or perf_event, is known when all events are chosen. */
static struct error *add_on(void *data, const char *text)
{
	struct record_options *o = data;
	size_t first = o->specs.nr, len = strlen(text);
	const char *slash = find_own_filter(text);
	_cleanup_free_ char *event = strndup(text, slash ? (size_t)(slash - text) : len);
	_cleanup_free_ char *filter = slash ? strndup(slash + 1, text + len - slash - 2) : NULL;
	struct error *err;

	if (!event || (slash && !filter))
		return &error_no_memory;
	o->on = true;
	err = event_words_add_recorded(&o->specs, event);
	if (!err && filter)
		err = event_words_set_filter(&o->specs, filter);
	for (size_t i = first; !err && i < o->specs.nr; i++) {
		struct event_spec *spec = &o->specs.items[i];

		/* Each firing counts, with any -F and -c for recorded events. */
		spec->trigger = spec->any_trigger = true;
		spec->period = spec->type == PERF_TYPE_TRACEPOINT ? 1 : spec->period;
	}
	return err;
}

static struct error *parse_span(const char *option, const char *text, uint64_t *ret)
{
	static const struct time_unit units[] = {
		{ "ms", 1000000 }, { "s", 1000000000 }, { "m", 60000000000 }, { "h", 3600000000000 },
	};

	if (parse_time_unit(text, units, ARRAY_SIZE(units), ret))
		return NULL;
	return error_hint(error_new(EINVAL, "%s takes a time with its unit, not '%s'", option, text),
			  "As in %s 30s; ms, s, m and h are units", option);
}

static struct error *parse_last(void *data, const char *text)
{
	uint64_t *last = data;
	struct error *err = parse_span("--last", text, last);

	return err || *last ? err : error_hint(error_new(EINVAL, "--last 0 keeps nothing"),
					       "As in --last 30s");
}

static struct error *add_keep(void *data, const char *text)
{
	return keep_options_add(data, text);
}

static struct error *parse_keep_context(void *data, const char *text)
{
	static const struct time_unit units[] = {
		{ "ns", 1 }, { "us", 1000 }, { "ms", 1000000 }, { "s", 1000000000 },
	};

	if (parse_time_unit(text, units, ARRAY_SIZE(units), data))
		return NULL;
	return error_hint(error_new(EINVAL, "--keep-context takes a time with its unit, not '%s'", text),
			  "As in --keep-context 2ms; ns, us, ms and s are units");
}

static struct error *parse_gap(void *data, const char *text)
{
	return parse_span("--gap", text, data);
}

/* These events are not recorded. */
static struct error *add_switch_event(void *data, const char *text)
{
	struct record_options *options = data;

	options->in_parts = true;
	return event_words_add(&options->switch_on, text);
}

struct error *record_add_filter(void *data, const char *text)
{
	return event_words_set_filter(data, text);
}

/* A number of pages, or a size with a unit, rounded up to a power of two of pages. */
struct error *record_parse_pages(void *data, const char *text)
{
	static const char units[] = "BKMG";
	unsigned int *pages = data;
	unsigned long long number, wanted;
	size_t len = strlen(text), page_size = sysconf(_SC_PAGESIZE);
	const char *unit = len ? strchr(units, text[len - 1]) : NULL;
	_cleanup_free_ char *digits = strndup(text, len - (unit != NULL));

	if (!digits)
		return &error_no_memory;
	if (!parse_u64(digits, &number) || !number || number > UINT32_MAX)
		return error_hint(error_new(EINVAL, "-m takes a number of pages or a size, not '%s'",
					    text), "As in -m 1024 or -m 4M");
	wanted = number;
	if (unit)
		wanted = ((number << 10 * (unit - units)) + page_size - 1) / page_size;
	for (*pages = 1; *pages < wanted && *pages < 1U << 31; *pages *= 2)
		;
	if (*pages != wanted)
		log_notice("Rounding the ring size up to %u pages.", *pages);
	return NULL;
}

struct error *record_parse_freq(void *data, const char *text)
{
	unsigned int *freq = data;
	unsigned long long number;

	*freq = UINT32_MAX;
	if (!strcmp(text, "max"))
		return NULL;
	if (!parse_u64(text, &number) || !number || number >= UINT32_MAX)
		return error_new(EINVAL, "-F takes a frequency in Hz or 'max', not '%s'", text);
	*freq = number;
	return NULL;
}

static struct error *parse_compression(void *data, const char *text)
{
	unsigned long long level = 1;

	if (text && (!parse_u64(text, &level) || !level || level > 22))
		return error_new(EINVAL, "-z takes a level from 1 to 22, not '%s'", text);
	*(int *)data = level;
	return NULL;
}

struct error *record_parse_delay(void *data, const char *text)
{
	struct record_options *o = data;
	unsigned long long ms = RECORDER_UNTIL_TOLD;

	if (strcmp(text, "-1") && (!parse_u64(text, &ms) || ms >= RECORDER_UNTIL_TOLD))
		return error_hint(error_new(EINVAL, "-D takes a number of milliseconds, not '%s'", text),
				  "As in -D 1500");
	o->delay = ms;
	o->plan.delayed = ms;
	return NULL;
}

/* A size with a unit, as in perf; without one, bytes. */
static struct error *parse_max_size(void *data, const char *text)
{
	static const char units[] = "BKMGT";
	size_t len = strlen(text);
	const char *unit = len ? strchr(units, text[len - 1]) : NULL;
	_cleanup_free_ char *digits = strndup(text, len - (unit != NULL));
	unsigned long long number;

	if (!digits)
		return &error_no_memory;
	if (!parse_u64(digits, &number) || !number || number > UINT32_MAX)
		return error_hint(error_new(EINVAL, "--max-size takes a size, not '%s'", text),
				  "As in --max-size 100M");
	*(uint64_t *)data = number << 10 * (unit ? unit - units : 0);
	return NULL;
}

/* "signal", a size, or a time.  As with perf, the unit decides: M are megabytes, m minutes. */
static struct error *parse_switch_output(void *data, const char *text)
{
	static const struct {
		char unit;
		uint64_t bytes, ms;
	} units[] = {
		{ 'B', 1, 0 }, { 'K', 1 << 10, 0 }, { 'M', 1 << 20, 0 }, { 'G', 1 << 30, 0 },
		{ 's', 0, 1000 }, { 'm', 0, 60 * 1000 }, { 'h', 0, 3600 * 1000 },
		{ 'd', 0, 24 * 3600 * 1000 },
	};
	struct record_options *o = data;
	size_t len = text ? strlen(text) : 0;
	_cleanup_free_ char *digits = len ? strndup(text, len - 1) : NULL;
	unsigned long long number;

	o->in_parts = true;
	o->part = (struct parts_limit){ 0 };
	if (!len || !strcmp(text, "signal"))
		return NULL;
	if (!digits)
		return &error_no_memory;
	for (size_t i = 0; i < ARRAY_SIZE(units); i++) {
		if (units[i].unit != text[len - 1] || !parse_u64(digits, &number) || !number ||
		    number > UINT32_MAX)
			continue;
		o->part = (struct parts_limit){ number * units[i].bytes, number * units[i].ms };
		return NULL;
	}
	return error_hint(error_new(EINVAL, "--switch-output takes signal, a size or a time, not '%s'",
				    text), "As in --switch-output=100M, or 30s, or 5m for minutes");
}

/* auto, fp, lbr, or dwarf[,BYTES]. */
struct error *record_parse_call_graph(void *data, const char *text)
{
	struct record_options *options = data;
	unsigned long long bytes = 8192;

	options->plan.callchain = true;
	options->plan.stack_bytes = 0;
	options->plan.auto_callchain = !strcmp(text, "auto");
	if (options->plan.auto_callchain || !strcmp(text, "fp"))
		return NULL;
	if (!strcmp(text, "lbr")) {
		options->plan.parts.branches = PERF_SAMPLE_BRANCH_USER |
			PERF_SAMPLE_BRANCH_CALL_STACK | PERF_SAMPLE_BRANCH_NO_CYCLES |
			PERF_SAMPLE_BRANCH_NO_FLAGS | PERF_SAMPLE_BRANCH_HW_INDEX;
		return NULL;
	}
	if (strncmp(text, "dwarf", 5) || (text[5] && text[5] != ','))
		return error_hint(error_new(EINVAL, "--call-graph takes auto, fp, dwarf or lbr, not '%s'", text),
				  "As in --call-graph dwarf,16384");
	if (text[5] && (!parse_u64(text + 6, &bytes) || !bytes || bytes % 8 || bytes > 65528))
		return error_new(EINVAL, "--call-graph dwarf copies a multiple of 8 bytes, "
				 "at most 65528, not '%s'", text + 6);
	options->plan.stack_bytes = bytes;
	return NULL;
}

/* As in perf, -g beside another way leaves that; but where auto is to choose, it is the choice. */
static struct error *ask_frame_pointers(void *data, const char *text)
{
	struct plan_options *options = data;

	options->callchain = true;
	options->auto_callchain = false;
	return NULL;
}

static struct error *set_sample_parts(void *data, uint64_t sample_type)
{
	((struct sample_parts *)data)->sample_type |= sample_type;
	return NULL;
}

static struct error *ask_weight(void *data, const char *text)
{
	/* As perf does: on x86, the weight is a struct with the latency of the instruction. */
#if defined(__x86_64__)
	return set_sample_parts(data, PERF_SAMPLE_WEIGHT_STRUCT);
#else
	return set_sample_parts(data, PERF_SAMPLE_WEIGHT);
#endif
}

static struct error *ask_phys_addr(void *data, const char *text)
{
	return set_sample_parts(data, PERF_SAMPLE_PHYS_ADDR);
}

static struct error *ask_data_page_size(void *data, const char *text)
{
	return set_sample_parts(data, PERF_SAMPLE_DATA_PAGE_SIZE);
}

static struct error *ask_code_page_size(void *data, const char *text)
{
	return set_sample_parts(data, PERF_SAMPLE_CODE_PAGE_SIZE);
}

static struct error *ask_transaction(void *data, const char *text)
{
	return set_sample_parts(data, PERF_SAMPLE_TRANSACTION);
}

static struct error *ask_any_branch(void *data, const char *text)
{
	return sample_parts_parse_branches("any", data);
}

static struct error *parse_branches(void *data, const char *text)
{
	return sample_parts_parse_branches(text, data);
}

/* -I? prints the registers, as perf does. */
static struct error *parse_registers(void *data, const char *text)
{
	_cleanup_(strbuf) struct strbuf names = STRBUF_INIT;

	if (!text || strcmp(text, "?"))
		return sample_parts_parse_registers(text, data);
	sample_parts_add_register_names(&names);
	printf("available registers: %s\n", strbuf_str(&names));
	exit(EXIT_SUCCESS);
}

static struct error *parse_path(void *data, const char *text)
{
	enum capture_path *path = data;

	*path = CAPTURE_PATH_TEMPLATE;
	if (!strcmp(text, "auto") || !strcmp(text, "template"))
		return NULL;
	if (!strcmp(text, "counter"))
		*path = CAPTURE_PATH_COUNTER;
	else
		return error_new(EINVAL, "--path takes auto, counter or template, not '%s'", text);
	return NULL;
}

static const struct {
	const char *name;
	int32_t clockid;
} clock_words[] = {
	{ "monotonic|mono", CLOCK_MONOTONIC }, { "monotonic_raw|raw", CLOCK_MONOTONIC_RAW },
	{ "boottime|boot", CLOCK_BOOTTIME }, { "realtime|real", CLOCK_REALTIME },
	{ "tai", CLOCK_TAI },
};

static struct error *parse_clock(void *data, const char *text)
{
	unsigned long long number;
	unsigned int row;
	bool is_number;

	if (!strncasecmp(text, "CLOCK_", 6))
		text += 6;
	is_number = parse_u64(text, &number);
	row = word_find(WORDS(clock_words), text);
	for (size_t i = 0; i < ARRAY_SIZE(clock_words) && is_number; i++)
		if (number == (unsigned int)clock_words[i].clockid)
			row = i;
	if (row == WORD_NONE)
		return word_unknown(WORDS(clock_words), "-k does not know the clock", text);
	*(int32_t *)data = clock_words[row].clockid;
	return NULL;
}

static struct error *parse_fields(void *data, const char *text)
{
	_cleanup_free_ char *copy = strdup(text);
	uint64_t *fields = data;
	char *save, *word;

	if (!copy)
		return &error_no_memory;
	*fields = 0;
	for (word = strtok_r(copy, ",", &save); word; word = strtok_r(NULL, ",", &save)) {
		_cleanup_(strbuf) struct strbuf names = STRBUF_INIT;
		const struct common_field_info *info = common_field_find(word);

		if (!strcmp(word, "all")) {
			*fields |= common_field_uncounted_mask();
			continue;
		}
		if (info && info->stored) {
			*fields |= 1ULL << info->number;
			continue;
		}
		common_field_add_names(&names);
		return error_hint(error_new(EINVAL, "There is no common field '%s'", word),
				  "--fields takes a list of: %s, or all", strbuf_str(&names));
	}
	return NULL;
}

static struct error *parse_snapshot_status(void *data, const char *text)
{
	struct record_options *options = data;
	unsigned long long status;

	options->snapshot_on_exit = true;
	options->snapshot_status = -1;
	if (!strcmp(text, "fail"))
		return NULL;
	if (!parse_u64(text, &status) || status > 255)
		return error_hint(error_new(EINVAL, "--snapshot-on-exit takes an exit status or 'fail', "
					    "not '%s'", text), "'fail' is any status but 0");
	options->snapshot_status = status;
	return NULL;
}

static struct error *add_cgroups(void *data, const char *text)
{
	return event_specs_set_cgroups(data, text);
}

static const struct {
	const char *name;
	unsigned int parts;
} synth_words[] = {
	{ "all", PLAN_ALL }, { "task", PLAN_TASKS }, { "mmap", PLAN_TASKS | PLAN_MAPS },
	{ "cgroup", PLAN_CGROUPS }, { "no|none", 0 },
};

static struct error *parse_synthesized(void *data, const char *text)
{
	unsigned int rows[ARRAY_SIZE(synth_words)], stored = 0;
	size_t nr = 0;
	struct error *err = word_parse_list(WORDS(synth_words), "--synth does not know", text,
					    rows, &nr);

	for (size_t i = 0; i < nr; i++)
		stored |= synth_words[rows[i]].parts;
	*(unsigned int *)data = PLAN_ALL & ~stored;
	return err;
}

static struct error *parse_priority(void *data, const char *text)
{
	unsigned int least = sched_get_priority_min(SCHED_FIFO);
	unsigned int most = sched_get_priority_max(SCHED_FIFO);
	unsigned long long number;

	if (!parse_u64(text, &number) || number < least || number > most)
		return error_new(EINVAL, "-r takes a priority from %u to %u, not '%s'", least, most,
				 text);
	*(unsigned int *)data = number;
	return NULL;
}

static struct error *parse_command_line(int argc, char **argv, struct record_options *o,
					int *ret_index)
{
	struct plan_options *p = &o->plan;
	struct target_options *t = &p->target;
	bool ignored;
	const struct option_spec options[] = {
		OPT_CALL("event", &o->specs, record_add_event),
		OPT_CALL("filter", &o->specs, record_add_filter),
		OPT_FLAG("all-cpus", &t->all_cpus),
		OPT_STRING("cpu", &t->cpus),
		OPT_STRING("pid", &t->pids),
		OPT_STRING("tid", &t->tids),
		OPT_STRING("uid", &t->user),
		OPT_STRING("comm", &t->comms),
		OPT_CALL("cgroup", &o->specs, add_cgroups),
		OPT_FLAG("no-inherit", &t->no_inherit),
		OPT_FLAG("per-thread", &t->per_task),
		OPT_UINT("count", &p->period),
		OPT_CALL("freq", &p->freq, record_parse_freq),
		OPT_CALL("mmap-pages", &p->pages, record_parse_pages),
		OPT_UINT("latency", &o->latency),
		OPT_STRING("output", &o->output),
		OPT_STRING("token", &o->token),
		OPT_CALL("delay", o, record_parse_delay),
		OPT_STRING("control", &o->control),
		OPT_CALL("max-size", &o->max_bytes, parse_max_size),
		OPT_CALL("switch-output", o, parse_switch_output),
		OPT_CALL("switch-output-event", o, add_switch_event),
		OPT_UINT("switch-max-files", &o->max_files),
		OPT_UINT("max-files", &o->max_files),
		OPT_FLAG("embed", &o->embed),
		OPT_FLAG("timestamp-filename", &o->timed_name),
		OPT_CALL("clockid", &p->clockid, parse_clock),
		OPT_CALL("compression-level", &o->compression, parse_compression),
		OPT_FLAG("page-cache", &o->page_cache),
		OPT_CALL(NULL, p, ask_frame_pointers, .letter = 'g'),
		OPT_CALL("call-graph", o, record_parse_call_graph),
		OPT_FLAG("kernel-callchains", &p->kernel_callchains),
		OPT_FLAG("user-callchains", &p->user_callchains),
		OPT_FLAG("all-user", &p->only_user),
		OPT_FLAG("all-kernel", &p->only_kernel),
		OPT_FLAG("switch-events", &p->switches),
		OPT_FLAG("off-cpu", &o->off_cpu),
		OPT_FLAG("exclude-perf", &p->exclude_self),
		OPT_FLAG("data", &p->addr),
		OPT_FLAG("period", &p->sample_period),
		OPT_FLAG("raw-samples", &p->raw),
		OPT_FLAG("sample-cpu", &p->sample_cpu),
		OPT_CALL("branch-any", &p->parts.branches, ask_any_branch),
		OPT_CALL("branch-filter", &p->parts.branches, parse_branches),
		OPT_CALL("weight", &p->parts, ask_weight),
		OPT_CALL("phys-data", &p->parts, ask_phys_addr),
		OPT_CALL("data-page-size", &p->parts, ask_data_page_size),
		OPT_CALL("code-page-size", &p->parts, ask_code_page_size),
		OPT_CALL("transaction", &p->parts, ask_transaction),
		OPT_CALL("intr-regs", &p->parts.intr_regs, parse_registers),
		OPT_CALL("user-regs", &p->parts.user_regs, parse_registers),
		OPT_FLAG("stat", &p->thread_counts),
		OPT_FLAG("namespaces", &p->namespaces),
		OPT_FLAG("all-cgroups", &p->cgroups),
		OPT_FLAG("no-bpf-event", &p->no_bpf),
		OPT_FLAG("buildid-all", &o->all_build_ids),
		OPT_FLAG("buildid-mmap", &p->build_ids),
		OPT_FLAG("no-buildid-mmap", &p->no_build_ids),
		OPT_CALL("synth", &p->left_out, parse_synthesized),
		OPT_CALL("realtime", &o->priority, parse_priority),
		OPT_FLAG("no-buffering", &p->no_buffering),
		OPT_FLAG("dry-run", &o->dry_run),
		OPT_FLAG("strict-freq", &p->strict_freq),
		OPT_FLAG("overwrite", &o->overwrite),
		OPT_FLAG("freezable", &p->freezable),
		OPT_FLAG("snapshot", &o->snapshot),
		OPT_CALL("last", &o->last, parse_last),
		OPT_CALL("on", o, add_on),
		OPT_CALL("gap", &o->gap, parse_gap),
		OPT_CALL("keep", &o->keep, add_keep),
		OPT_CALL("keep-context", &o->keep.context, parse_keep_context),
		OPT_CALL("snapshot-on", o, add_trigger),
		OPT_CALL("snapshot-on-exit", o, parse_snapshot_status),
		OPT_STRING("via", &p->via, .help = capture_choice_help()),
		OPT_CALL("path", &p->path, parse_path),
		OPT_CALL("fields", &p->fields, parse_fields),
		OPT_FLAG("compact", &p->compact),
		OPT_FLAG("user-strings", &p->user_strings),
		OPT_STRING("detach", &o->detach),
		OPT_FLAG("require-complete", &o->require_complete),
		OPT_FLAG("quiet", &log_quiet),
		OPT_COUNT("verbose", &log_verbosity),
		/* These are for a parent that runs us and reads our output. */
		OPT_UINT("ready", &o->ready, .argument = "FD", .hidden = true),
		OPT_UINT("command-output", &o->command_output, .argument = "FD", .hidden = true),
		/*
		 * These options of perf have no effect: there is no build-id cache, and all
		 * samples have times.
		 */
		OPT_FLAG("no-buildid-cache", &ignored, .letter = 'N', .hidden = true),
		OPT_FLAG("no-buildid", &ignored, .letter = 'B', .hidden = true),
		OPT_FLAG("timestamp", &ignored, .letter = 'T', .hidden = true),
		{ 0 },
	};
	const struct option_values values[] = {
		{ .option = "via", .add = capture_choice_add_names },
		{ .option = "path", .words = "auto,counter,template" },
		{ .option = "call-graph", .words = "auto,fp,dwarf,lbr" },
		{ .option = "branch-filter", .table = &sample_parts_branches },
		{ .option = "clockid", .table = WORDS(clock_words) },
		{ .option = "fields", .add = common_field_add_names },
		{ .option = "snapshot-on-exit", .words = "fail" },
		{ .option = "switch-output", .words = "signal" },
		{ .option = "synth", .table = WORDS(synth_words) },
		{ 0 },
	};
	const struct command_usage usage = {
		.name = "record",
		.synopsis = "[OPTIONS] [--] [COMMAND [ARGS]]",
		.details = ", until COMMAND ends or ^C",
		.options = options,
		.values = values,
		.stop_at_argument = true,
	};

	return command_parse(&usage, argc, argv, ret_index);
}

/*
 * For report --off-cpu: add the events of task switches and wakeups, and record call chains and
 * switch records.
 */
static struct error *record_add_off_cpu(struct record_options *o)
{
	struct error *err = o->specs.nr ? NULL :
			    event_specs_add(&o->specs, PLAN_DEFAULT_EVENT);
	size_t first = o->specs.nr;

	if (!err)
		err = event_specs_add(&o->specs, "sched:sched_switch");
	if (!err)
		err = event_specs_add(&o->specs, "sched:sched_waking");
	if (!err)
		err = event_specs_add(&o->specs, "sched:sched_wakeup_new");
	/* Switches are all recorded, with any -F and -c: a missing one makes times wrong. */
	for (size_t i = first; i < o->specs.nr; i++)
		o->specs.items[i].period = 1;
	o->plan.callchain = o->plan.switches = true;
	return err;
}

/* The bounds of --last where no option sets them. */
#define LAST_GAP	10000000000ULL
#define LAST_FILES	10
#define LAST_BYTES	(1ULL << 30)
#define LAST_RINGS	(64ULL << 20)	/* of all CPUs, at most a 16th of the memory */

#define GAP_NONE	UINT64_MAX

/* Pairs of --keep are judged so often. */
#define KEEP_ROUND_MS	100

/* Users who may lock little memory keep the default, which fits their limit. */
static unsigned int last_pages(void)
{
	uint64_t page = sysconf(_SC_PAGESIZE), bytes = sysconf(_SC_PHYS_PAGES) * page / 16;
	uint64_t cpus = sysconf(_SC_NPROCESSORS_ONLN);
	unsigned int pages = 128;

	if (geteuid())
		return 0;
	bytes = bytes < LAST_RINGS ? bytes : LAST_RINGS;
	while (pages * 2 * page * cpus <= bytes)
		pages *= 2;
	return pages;
}

static struct error *record_check_last(struct record_options *o)
{
	struct event_specs *specs = &o->specs;
	bool only_on = true;

	if (o->in_parts || o->timed_name)
		return error_hint(error_new(EINVAL, "--last writes files of its own, each of the last "
					    "seconds, and does not go with %s",
					    o->timed_name ? "--timestamp-filename" : "--switch-output"),
				  "Leave out one of them; --on says by which event a file is written");
	o->snapshot = true;
	o->overwrite |= !o->snapshot_on_exit;
	o->gap = o->gap == GAP_NONE ? LAST_GAP : o->gap;
	o->max_files = o->max_files ? o->max_files : LAST_FILES;
	o->max_bytes = o->max_bytes ? o->max_bytes : LAST_BYTES;
	o->plan.pages = o->plan.pages ? o->plan.pages : last_pages();
	for (size_t i = 0; i < specs->nr; i++)
		only_on &= specs->items[i].any_trigger;
	return specs->nr && only_on ? event_specs_add(specs, PLAN_DEFAULT_EVENT) : NULL;
}

/* Each of these options selects the written records by itself, and so does --keep. */
static struct error *record_check_keep(struct record_options *o)
{
	const struct { bool given; const char *option; } refused[] = {
		{ o->last, "--last" }, { o->on, "--on" }, { o->overwrite, "--overwrite" },
		{ record_options_want_snapshots(o), "--snapshot" },
		{ o->in_parts, "--switch-output" }, { o->detach, "--detach" },
		{ o->off_cpu, "--off-cpu" }, { o->plan.target.per_task, "--per-thread" },
		{ o->plan.auto_callchain, "--call-graph auto" },
	};
	struct error *err = NULL;

	if (!o->keep.pairs.nr && o->keep.context)
		return error_hint(error_new(EINVAL, "--keep-context is about the slow pairs of --keep, which "
					    "is missing"),
				  "As in --keep 'irq_handler_entry..irq_handler_exit by irq,cpu > 1ms'");
	if (!o->keep.pairs.nr)
		return NULL;
	for (size_t i = 0; i < ARRAY_SIZE(refused); i++)
		if (refused[i].given)
			return error_hint(error_new(EINVAL, "--keep decides which records are written, and "
						    "does not go with %s", refused[i].option),
					  "Leave out one of them");
	if (!o->specs.nr)
		err = event_specs_add(&o->specs, PLAN_DEFAULT_EVENT);
	if (!err)
		err = keep_options_add_events(&o->keep, &o->specs);
	o->plan.overwrite = o->plan.keeps = true;
	o->plan.pages = o->plan.pages ? o->plan.pages : last_pages();
	o->latency = o->latency ? o->latency : KEEP_ROUND_MS;
	return err;
}

static struct error *record_check_parts(struct record_options *o)
{
	bool limited = o->part.bytes || o->part.ms;

	if (o->last)
		return record_check_last(o);
	if (o->on || o->gap != GAP_NONE)
		return error_hint(error_new(EINVAL, "%s is about the files of --last, which is missing",
					    o->on ? "--on" : "--gap"),
				  "As in --last 30s --on sched:sched_process_exit; --snapshot-on and "
				  "--switch-output-event are for other recordings");
	if (o->max_files && !o->in_parts && !record_options_want_snapshots(o))
		return error_hint(error_new(EINVAL, "--switch-max-files is the number of files that "
					    "--switch-output or --snapshot keeps, which is missing"),
				  "As in --switch-output=100M --switch-max-files=10");
	if (!o->in_parts)
		return NULL;
	if (limited && o->switch_on.nr)
		return error_hint(error_new(EINVAL, "--switch-output-event begins a file by an event, "
					    "not after a size or a time (--switch-output)"),
				  "Leave out one of them");
	if (o->max_bytes)
		return error_hint(error_new(EINVAL, "--max-size ends a recording of one file, which "
					    "--switch-output would divide"),
				  "--switch-max-files limits the files that are kept");
	if (!o->overwrite && !record_options_want_snapshots(o))
		return NULL;
	if (limited)
		return error_hint(error_new(EINVAL, "With rings that overwrite, a file is written "
					    "when it is asked for, not after a size or a time"),
				  "--switch-output=signal --overwrite is the same as --snapshot "
				  "--overwrite");
	/* perf's name for it. */
	o->in_parts = false;
	o->snapshot = true;
	return NULL;
}

static struct error *record_check_callchains(const struct record_options *o)
{
	const struct plan_options *p = &o->plan;
	const char *option = p->kernel_callchains ? "--kernel-callchains" : "--user-callchains";

	if (p->kernel_callchains && p->user_callchains)
		return error_hint(error_new(EINVAL, "--kernel-callchains and --user-callchains "
					    "together leave no call chains"),
				  "Leave out one of them");
	if ((p->kernel_callchains || p->user_callchains) && !p->callchain)
		return error_hint(error_new(EINVAL, "%s selects parts of call chains, and no call "
					    "chains are recorded", option), "Add -g");
	return NULL;
}

/* Only a recording that is one file at the end can have embedded files. */
static struct error *record_check_embed(const struct record_options *o)
{
	if (!o->embed || (!o->in_parts && !record_options_want_snapshots(o)))
		return NULL;
	return error_hint(error_new(EINVAL, "--embed completes a recording of one file, not several"),
			  "'ktrace inject --embed -i FILE -o COPY' does so for one of them");
}

/* Options that a session without a process cannot have, because a process would carry them out. */
static struct error *record_check_detach(const struct record_options *o, bool has_command)
{
	const struct { bool given; const char *option, *instead; } refused[] = {
		{ has_command, "a command to record",
		  "Start the command when the session runs, or record it without --detach" },
		{ o->output, "-o", "'ktrace session attach NAME -o FILE' writes a file" },
		{ o->last, "--last",
		  "--overwrite keeps the newest records, and 'ktrace session snapshot' writes them" },
		{ record_options_want_snapshots(o), "--snapshot",
		  "--overwrite keeps the newest records, and 'ktrace session snapshot' writes them" },
		{ o->in_parts, "--switch-output", "Each 'ktrace session attach' writes a file" },
		{ o->timed_name, "--timestamp-filename", "'ktrace session attach -o' names the file" },
		{ o->embed, "--embed", "'ktrace inject --embed' adds it to the recording" },
		{ o->max_bytes, "--max-size", "-m limits the size of the rings" },
		{ o->compression, "-z", "The rings are not compressed" },
		{ o->control, "--control", "'ktrace session stop' ends the session" },
		{ o->delay, "-D", "Start the session later" },
		{ o->require_complete, "--require-complete",
		  "'ktrace session stop' reports lost records" },
		{ o->off_cpu, "--off-cpu", "Record it without --detach" },
		{ o->plan.exclude_self, "--exclude-perf", "Leave it out" },
		{ o->plan.switches, "--switch-events", "Record sched:sched_switch" },
		{ o->plan.namespaces, "--namespaces", "--fields pid_ns,net_ns,user_ns has them" },
		{ o->plan.cgroups, "--all-cgroups", "-G records one cgroup" },
		{ o->plan.thread_counts, "-s", "Leave it out" },
		{ o->plan.build_ids, "--buildid-mmap", "Leave it out" },
		{ o->plan.left_out, "--synth", "'ktrace session attach' reads the tasks" },
		{ o->all_build_ids, "--buildid-all", "Leave it out" },
		{ o->priority, "-r", "No process of it runs" },
	};

	for (size_t i = 0; o->detach && i < ARRAY_SIZE(refused); i++)
		if (refused[i].given)
			return error_hint(error_new(EINVAL, "--detach leaves no process behind, so it "
						    "does not go with %s", refused[i].option),
					  "%s", refused[i].instead);
	if (o->detach && o->plan.via && strcmp(o->plan.via, "ktrace"))
		return error_hint(error_new(EINVAL, "Only the ktrace module captures without a "
					    "process, so --via=%s cannot be detached", o->plan.via),
				  "Leave out --via");
	return NULL;
}

bool record_options_want_snapshots(const struct record_options *o)
{
	return o->snapshot || o->snapshot_on || o->snapshot_on_exit;
}

struct error *record_options_parse(int argc, char **argv, struct record_options *o, int *ret_index)
{
	struct target_options *target = &o->plan.target;
	struct error *err;

	*o = (struct record_options){
		.plan = { .specs = &o->specs, .clockid = -1 }, .gap = GAP_NONE,
	};
	err = parse_command_line(argc, argv, o, ret_index);
	if (err || *ret_index < 0)
		return err;
	if (o->max_bytes && !o->last && (o->overwrite || record_options_want_snapshots(o)))
		return error_hint(error_new(EINVAL, "--max-size limits a file that grows while it "
					    "is recorded, not the rings"),
				  "-m limits the rings of --overwrite and of snapshots");
	if (o->delay == RECORDER_UNTIL_TOLD && !o->control)
		return error_hint(error_new(EINVAL, "-D -1 begins without recording, and nothing "
					    "would start the recording later"),
				  "--control names the source of the command that starts it");
	err = record_check_keep(o);
	if (!err)
		err = record_check_parts(o);
	if (!err)
		err = record_check_embed(o);
	if (!err)
		err = record_check_callchains(o);
	if (err)
		return err;
	if (o->plan.freezable && o->plan.via && strcmp(o->plan.via, "ktrace"))
		return error_new(EINVAL, "Only the module can freeze a recorder, so --via=%s does not "
				 "go with --freezable", o->plan.via);
	err = record_check_detach(o, *ret_index < argc);
	if (err)
		return err;
	if (o->off_cpu) {
		err = record_add_off_cpu(o);
		if (err)
			return err;
	}
	if (*ret_index < argc) {
		o->command = argv + *ret_index;
		target->command = true;
	} else if (!target->cpus && !target->pids && !target->tids && !target->user) {
		target->all_cpus = true;
	}
	if (target->per_task && target_options_whole_cpus(target)) {
		log_notice("Whole CPUs are recorded, so --per-thread has no effect.");
		target->per_task = false;
	}
	target->no_inherit |= target->per_task;
	o->plan.overwrite |= o->overwrite || record_options_want_snapshots(o);
	o->plan.kept = o->detach;
	if ((o->detach || o->plan.freezable) && !o->plan.via)
		o->plan.via = "ktrace";
	return NULL;
}

void record_options_deinit(struct record_options *o)
{
	event_specs_deinit(&o->specs);
	event_specs_deinit(&o->switch_on);
	keep_options_deinit(&o->keep);
}
