// SPDX-License-Identifier: GPL-2.0
#include "cmd/record_options.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>
#include <unistd.h>

#include "capture/choose.h"
#include "cmd/command.h"
#include "lib/log.h"
#include "lib/strbuf.h"
#include "record/common_field.h"

static struct error *record_add_event(void *data, const char *text)
{
	return event_specs_add(data, text);
}

/* Events of --snapshot-on are recorded like those of -e. */
static struct error *add_trigger(void *data, const char *text)
{
	struct record_options *options = data;
	size_t first = options->specs.nr;
	struct error *err;

	options->snapshot_on = true;
	err = event_specs_add(&options->specs, text);
	for (size_t i = first; !err && i < options->specs.nr; i++)
		options->specs.items[i].trigger = true;
	return err;
}

static struct error *add_filter(void *data, const char *text)
{
	return event_specs_set_filter(data, text);
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

static struct error *parse_freq(void *data, const char *text)
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

/* fp, or dwarf[,BYTES]. */
static struct error *parse_call_graph(void *data, const char *text)
{
	struct record_options *options = data;
	unsigned long long bytes = 8192;

	options->plan.callchain = true;
	if (!strcmp(text, "fp"))
		return NULL;
	if (strncmp(text, "dwarf", 5) || (text[5] && text[5] != ','))
		return error_hint(error_new(EINVAL, "--call-graph takes fp or dwarf, not '%s'", text),
				  "As in --call-graph dwarf,16384");
	if (text[5] && (!parse_u64(text + 6, &bytes) || !bytes || bytes % 8 || bytes > 65528))
		return error_new(EINVAL, "--call-graph dwarf copies a multiple of 8 bytes, "
				 "at most 65528, not '%s'", text + 6);
	options->plan.stack_bytes = bytes;
	return NULL;
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

static struct error *parse_clock(void *data, const char *text)
{
	static const struct {
		const char *name;
		int32_t clockid;
	} clocks[] = {
		{ "monotonic", CLOCK_MONOTONIC }, { "mono", CLOCK_MONOTONIC },
		{ "monotonic_raw", CLOCK_MONOTONIC_RAW }, { "raw", CLOCK_MONOTONIC_RAW },
		{ "boottime", CLOCK_BOOTTIME }, { "boot", CLOCK_BOOTTIME },
		{ "realtime", CLOCK_REALTIME }, { "real", CLOCK_REALTIME },
	};
	unsigned long long number;
	int32_t *ret = data;

	*ret = -1;
	if (!strncasecmp(text, "CLOCK_", 6))
		text += 6;
	for (size_t i = 0; i < sizeof(clocks) / sizeof(clocks[0]); i++)
		if (!strcasecmp(text, clocks[i].name) ||
		    (parse_u64(text, &number) && number == (unsigned int)clocks[i].clockid))
			*ret = clocks[i].clockid;
	if (*ret < 0)
		return error_hint(error_new(EINVAL, "-k does not know the clock '%s'", text),
				  "It takes monotonic, monotonic_raw, boottime or realtime");
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
			*fields = common_field_mask();
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

static struct error *parse_command_line(int argc, char **argv, struct record_options *o,
					int *ret_index)
{
	struct plan_options *p = &o->plan;
	struct target_options *t = &p->target;
	bool ignored;
	const struct option_spec options[] = {
		{ OPTION_CALLBACK, 'e', "event", "EVENT", "event to record; 'ktrace list' lists them",
		  &o->specs, record_add_event },
		{ OPTION_CALLBACK, 0, "filter", "FILTER",
		  "record only what matches; applies to the event before it",
		  &o->specs, add_filter },
		{ OPTION_FLAG, 'a', "all-cpus", NULL, "record all tasks on all CPUs", &t->all_cpus, 0 },
		{ OPTION_STRING, 'C', "cpu", "LIST", "record all tasks on these CPUs", &t->cpus, 0 },
		{ OPTION_STRING, 'p', "pid", "LIST", "record these processes", &t->pids, 0 },
		{ OPTION_STRING, 't', "tid", "LIST", "record these threads", &t->tids, 0 },
		{ OPTION_STRING, 'u', "uid", "USER", "record the tasks of a user", &t->user, 0 },
		{ OPTION_STRING, 0, "comm", "LIST", "record only tasks with these names",
		  &t->comms, 0 },
		{ OPTION_CALLBACK, 'G', "cgroup", "LIST",
		  "record only this cgroup; applies to the events before it",
		  &o->specs, add_cgroups },
		{ OPTION_FLAG, 'i', "no-inherit", NULL,
		  "do not record the children that the tasks fork",
		  &t->no_inherit, 0 },
		{ OPTION_UINT, 'c', "count", "N", "record every Nth event", &p->period, 0 },
		{ OPTION_CALLBACK, 'F', "freq", "HZ",
		  "record about this many samples a second, or 'max'",
		  &p->freq, parse_freq },
		{ OPTION_CALLBACK, 'm', "mmap-pages", "PAGES",
		  "pages of each CPU's ring, or its size as in 4M", &p->pages, record_parse_pages },
		{ OPTION_UINT, 0, "latency", "MS",
		  "hand records to a live reader after about this time (500)", &o->latency, 0 },
		{ OPTION_STRING, 'o', "output", "FILE", "file to write, '-' for standard output (perf.data)",
		  &o->output, 0 },
		{ OPTION_CALLBACK, 'k', "clockid", "CLOCK",
		  "take the times of records from this clock",
		  &p->clockid, parse_clock },
		{ OPTION_CALLBACK, 'z', "compression-level", "[LEVEL]",
		  "compress the file, from 1 (fastest, default) to 22", &o->compression,
		  parse_compression },
		{ OPTION_FLAG, 0, "page-cache", NULL,
		  "write through the page cache, so that it is fast to read soon",
		  &o->page_cache, 0 },
		{ OPTION_FLAG, 'g', NULL, NULL, "record call chains", &p->callchain, 0 },
		{ OPTION_CALLBACK, 0, "call-graph", "MODE",
		  "record call chains by frame pointers (fp) or the stack (dwarf[,BYTES])", o,
		  parse_call_graph },
		{ OPTION_FLAG, 0, "all-user", NULL, "do not record what happens in the kernel",
		  &p->only_user, 0 },
		{ OPTION_FLAG, 0, "all-kernel", NULL, "do not record what happens in user space",
		  &p->only_kernel, 0 },
		{ OPTION_FLAG, 0, "switch-events", NULL, "record context switches of the tasks",
		  &p->switches, 0 },
		{ OPTION_FLAG, 0, "exclude-perf", NULL, "leave out events of the recorder itself",
		  &p->exclude_self, 0 },
		{ OPTION_FLAG, 'd', "data", NULL, "record the address that each sample accesses",
		  &p->addr, 0 },
		{ OPTION_FLAG, 'P', "period", NULL, "record the period of every sample",
		  &p->sample_period, 0 },
		{ OPTION_FLAG, 'R', "raw-samples", NULL, "record raw data of all events", &p->raw, 0 },
		{ OPTION_FLAG, 0, "sample-cpu", NULL, "record the CPU of every sample", &p->sample_cpu, 0 },
		{ OPTION_FLAG, 0, "overwrite", NULL,
		  "keep the newest records in the rings, and write them at the end",
		  &o->overwrite, 0 },
		{ OPTION_FLAG, 0, "snapshot", NULL,
		  "keep the newest records, and write them when SIGUSR2 comes", &o->snapshot, 0 },
		{ OPTION_CALLBACK, 0, "snapshot-on", "EVENT",
		  "keep the newest records, and write them when this event comes", o, add_trigger },
		{ OPTION_CALLBACK, 0, "snapshot-on-exit", "STATUS",
		  "keep the newest records, and write them if the command ends with this status; "
		  "'fail': any but 0", o,
		  parse_snapshot_status },
		{ OPTION_STRING, 0, "via", "SOURCE", capture_choice_help(),
		  &p->via, 0 },
		{ OPTION_CALLBACK, 0, "path", "PATH",
		  "how the module captures events: auto, counter or template", &p->path,
		  parse_path },
		{ OPTION_CALLBACK, 0, "fields", "LIST", "common fields to store with every record",
		  &p->fields, parse_fields },
		{ OPTION_FLAG, 0, "require-complete", NULL,
		  "exit with status 1 if anything was or may have been lost", &o->require_complete, 0 },
		{ OPTION_FLAG, 'q', "quiet", NULL, "print no messages but errors", &log_quiet, 0 },
		{ OPTION_COUNT, 'v', "verbose", NULL, "print more", &log_verbosity, 0 },
		/* These are for a parent that runs us and reads our output. */
		{ OPTION_UINT, 0, "ready", "FD", NULL, &o->ready, 0 },
		{ OPTION_UINT, 0, "command-output", "FD", NULL, &o->command_output, 0 },
		/*
		 * These options of perf have no effect: there is no build-id cache, and all
		 * samples have times.
		 */
		{ OPTION_FLAG, 'N', "no-buildid-cache", NULL, NULL, &ignored, 0 },
		{ OPTION_FLAG, 'B', "no-buildid", NULL, NULL, &ignored, 0 },
		{ OPTION_FLAG, 'T', "timestamp", NULL, NULL, &ignored, 0 },
		{ 0 },
	};
	static const struct option_values values[] = {
		{ "via", NULL, capture_choice_add_names },
		{ "path", "auto,counter,template", NULL },
		{ "call-graph", "fp,dwarf", NULL },
		{ "clockid", "monotonic,monotonic_raw,boottime,realtime", NULL },
		{ "fields", NULL, common_field_add_names },
		{ "snapshot-on-exit", "fail", NULL },
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

bool record_options_want_snapshots(const struct record_options *o)
{
	return o->snapshot || o->snapshot_on || o->snapshot_on_exit;
}

struct error *record_options_parse(int argc, char **argv, struct record_options *o, int *ret_index)
{
	struct target_options *target = &o->plan.target;
	struct error *err;

	*o = (struct record_options){ .plan = { .specs = &o->specs, .clockid = -1 } };
	err = parse_command_line(argc, argv, o, ret_index);
	if (err || *ret_index < 0)
		return err;
	if (*ret_index < argc) {
		o->command = argv + *ret_index;
		target->command = true;
	} else if (!target->cpus && !target->pids && !target->tids && !target->user) {
		target->all_cpus = true;
	}
	o->plan.overwrite = o->overwrite || record_options_want_snapshots(o);
	return NULL;
}

void record_options_deinit(struct record_options *o)
{
	event_specs_deinit(&o->specs);
}
