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

/* A size with a unit, as perf takes it; without one, bytes. */
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

/* "signal", a size, or a time; as with perf, the units tell which: M are megabytes, m minutes. */
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

/* fp, lbr, or dwarf[,BYTES]. */
struct error *record_parse_call_graph(void *data, const char *text)
{
	struct record_options *options = data;
	unsigned long long bytes = 8192;

	options->plan.callchain = true;
	if (!strcmp(text, "fp"))
		return NULL;
	if (!strcmp(text, "lbr")) {
		options->plan.parts.branches = PERF_SAMPLE_BRANCH_USER |
			PERF_SAMPLE_BRANCH_CALL_STACK | PERF_SAMPLE_BRANCH_NO_CYCLES |
			PERF_SAMPLE_BRANCH_NO_FLAGS | PERF_SAMPLE_BRANCH_HW_INDEX;
		return NULL;
	}
	if (strncmp(text, "dwarf", 5) || (text[5] && text[5] != ','))
		return error_hint(error_new(EINVAL, "--call-graph takes fp, dwarf or lbr, not '%s'", text),
				  "As in --call-graph dwarf,16384");
	if (text[5] && (!parse_u64(text + 6, &bytes) || !bytes || bytes % 8 || bytes > 65528))
		return error_new(EINVAL, "--call-graph dwarf copies a multiple of 8 bytes, "
				 "at most 65528, not '%s'", text + 6);
	options->plan.stack_bytes = bytes;
	return NULL;
}

static struct error *set_sample_parts(void *data, uint64_t sample_type)
{
	((struct sample_parts *)data)->sample_type |= sample_type;
	return NULL;
}

static struct error *ask_weight(void *data, const char *text)
{
	(void)text;
	/* As perf does: on x86, the weight is a struct with the latency of the instruction. */
#if defined(__x86_64__)
	return set_sample_parts(data, PERF_SAMPLE_WEIGHT_STRUCT);
#else
	return set_sample_parts(data, PERF_SAMPLE_WEIGHT);
#endif
}

static struct error *ask_phys_addr(void *data, const char *text)
{
	(void)text;
	return set_sample_parts(data, PERF_SAMPLE_PHYS_ADDR);
}

static struct error *ask_data_page_size(void *data, const char *text)
{
	(void)text;
	return set_sample_parts(data, PERF_SAMPLE_DATA_PAGE_SIZE);
}

static struct error *ask_code_page_size(void *data, const char *text)
{
	(void)text;
	return set_sample_parts(data, PERF_SAMPLE_CODE_PAGE_SIZE);
}

static struct error *ask_transaction(void *data, const char *text)
{
	(void)text;
	return set_sample_parts(data, PERF_SAMPLE_TRANSACTION);
}

static struct error *ask_any_branch(void *data, const char *text)
{
	(void)text;
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
	{ "no|none", 0 }, { "all", PLAN_ALL }, { "task", PLAN_TASKS },
	{ "mmap", PLAN_TASKS | PLAN_MAPS }, { "cgroup", PLAN_CGROUPS },
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
		{ OPTION_CALLBACK, 'e', "event", "EVENT", "event to record; 'ktrace list' lists them",
		  &o->specs, record_add_event },
		{ OPTION_CALLBACK, 0, "filter", "FILTER",
		  "record only what matches; applies to the event before it",
		  &o->specs, record_add_filter },
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
		{ OPTION_FLAG, 0, "per-thread", NULL,
		  "give each task a ring of its own, and leave out what the tasks fork",
		  &t->per_task, 0 },
		{ OPTION_UINT, 'c', "count", "N", "record every Nth event", &p->period, 0 },
		{ OPTION_CALLBACK, 'F', "freq", "HZ",
		  "record about this many samples a second, or 'max'",
		  &p->freq, record_parse_freq },
		{ OPTION_CALLBACK, 'm', "mmap-pages", "PAGES",
		  "pages of each CPU's ring, or its size as in 4M", &p->pages, record_parse_pages },
		{ OPTION_UINT, 0, "latency", "MS",
		  "hand records to a live reader after about this time (500)", &o->latency, 0 },
		{ OPTION_STRING, 'o', "output", "FILE",
		  "file to write, - for standard output, or a listener, tcp:127.0.0.1:PORT or "
		  "unix:PATH (perf.data)", &o->output, 0 },
		{ OPTION_STRING, 0, "token", "FILE",
		  "the listener of -o wants the token in this file", &o->token, 0 },
		{ OPTION_CALLBACK, 'D', "delay", "MS",
		  "let the command run for this time before recording starts; -1: until --control says "
		  "so", o, record_parse_delay },
		{ OPTION_STRING, 0, "control", "fd:CTL[,ACK]|fifo:CTL[,ACK]",
		  "take commands from CTL: enable, disable, ping, snapshot, stop; write ack to ACK",
		  &o->control, 0 },
		{ OPTION_CALLBACK, 0, "max-size", "SIZE",
		  "end when the file has this size, as in 100M", &o->max_bytes, parse_max_size },
		{ OPTION_CALLBACK, 0, "switch-output", "[LIMIT]",
		  "begin a new file when SIGUSR2 comes (signal), or after a size or a time, as in "
		  "100M or 30s", o, parse_switch_output },
		{ OPTION_CALLBACK, 0, "switch-output-event", "EVENT",
		  "begin a new file when this event comes, which is not recorded", o,
		  add_switch_event },
		{ OPTION_UINT, 0, "switch-max-files", "N",
		  "keep the newest N files of --switch-output", &o->max_files, 0 },
		{ OPTION_UINT, 0, "max-files", "N", "the same as --switch-max-files", &o->max_files, 0 },
		{ OPTION_FLAG, 0, "embed", NULL,
		  "keep the symbols, lines, code and unwind tables that the recording needs in it, "
		  "for machines without the binaries", &o->embed, 0 },
		{ OPTION_FLAG, 0, "timestamp-filename", NULL,
		  "append the time of its end to the name of the file", &o->timed_name, 0 },
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
		  "record call chains by frame pointers (fp), the stack (dwarf[,BYTES]) or "
		  "branches (lbr)", o,
		  record_parse_call_graph },
		{ OPTION_FLAG, 0, "kernel-callchains", NULL,
		  "leave the frames of user space out of call chains", &p->kernel_callchains, 0 },
		{ OPTION_FLAG, 0, "user-callchains", NULL,
		  "leave the frames of the kernel out of call chains", &p->user_callchains, 0 },
		{ OPTION_FLAG, 0, "all-user", NULL, "do not record what happens in the kernel",
		  &p->only_user, 0 },
		{ OPTION_FLAG, 0, "all-kernel", NULL, "do not record what happens in user space",
		  &p->only_kernel, 0 },
		{ OPTION_FLAG, 0, "switch-events", NULL, "record context switches of the tasks",
		  &p->switches, 0 },
		{ OPTION_FLAG, 0, "off-cpu", NULL,
		  "also record where tasks sleep, and who wakes them: 'report --off-cpu'",
		  &o->off_cpu, 0 },
		{ OPTION_FLAG, 0, "exclude-perf", NULL, "leave out events of the recorder itself",
		  &p->exclude_self, 0 },
		{ OPTION_FLAG, 'd', "data", NULL, "record the address that each sample accesses",
		  &p->addr, 0 },
		{ OPTION_FLAG, 'P', "period", NULL, "record the period of every sample",
		  &p->sample_period, 0 },
		{ OPTION_FLAG, 'R', "raw-samples", NULL, "record raw data of all events", &p->raw, 0 },
		{ OPTION_FLAG, 0, "sample-cpu", NULL, "record the CPU of every sample", &p->sample_cpu, 0 },
		{ OPTION_CALLBACK, 'b', "branch-any", NULL,
		  "record the branches before each sample, as the PMU knows them",
		  &p->parts.branches, ask_any_branch },
		{ OPTION_CALLBACK, 'j', "branch-filter", "LIST",
		  "record such branches before each sample: any, any_call, u ...",
		  &p->parts.branches, parse_branches },
		{ OPTION_CALLBACK, 'W', "weight", NULL, "record the weight of each sample",
		  &p->parts, ask_weight },
		{ OPTION_CALLBACK, 0, "phys-data", NULL,
		  "record the physical address that each sample accesses", &p->parts,
		  ask_phys_addr },
		{ OPTION_CALLBACK, 0, "data-page-size", NULL,
		  "record the size of the page that each sample accesses", &p->parts,
		  ask_data_page_size },
		{ OPTION_CALLBACK, 0, "code-page-size", NULL,
		  "record the size of the page that the code of each sample is in", &p->parts,
		  ask_code_page_size },
		{ OPTION_CALLBACK, 0, "transaction", NULL,
		  "record the flags of memory transactions", &p->parts, ask_transaction },
		{ OPTION_CALLBACK, 'I', "intr-regs", "[LIST]",
		  "record registers at each sample, all or these; -I? lists them",
		  &p->parts.intr_regs, parse_registers },
		{ OPTION_CALLBACK, 0, "user-regs", "[LIST]",
		  "record the registers of user space at each sample, all or these",
		  &p->parts.user_regs, parse_registers },
		{ OPTION_FLAG, 's', "stat", NULL, "record what each thread counted of each event",
		  &p->thread_counts, 0 },
		{ OPTION_FLAG, 0, "namespaces", NULL, "record the namespaces of the tasks",
		  &p->namespaces, 0 },
		{ OPTION_FLAG, 0, "all-cgroups", NULL,
		  "record the cgroup of every sample, and the paths of cgroups", &p->cgroups, 0 },
		{ OPTION_FLAG, 0, "no-bpf-event", NULL,
		  "do not record which BPF programs are loaded", &p->no_bpf, 0 },
		{ OPTION_FLAG, 0, "buildid-all", NULL,
		  "store the build ids of all binaries that were mapped, whatever is recorded",
		  &o->all_build_ids, 0 },
		{ OPTION_FLAG, 0, "buildid-mmap", NULL,
		  "record the build id of a binary when it is mapped, as by default, or fail",
		  &p->build_ids, 0 },
		{ OPTION_FLAG, 0, "no-buildid-mmap", NULL,
		  "record the numbers of device and inode of a mapped binary, not its build id",
		  &p->no_build_ids, 0 },
		{ OPTION_CALLBACK, 0, "synth", "no|all|task|mmap|cgroup",
		  "store only these of the tasks, their maps and the cgroups that are there before",
		  &p->left_out, parse_synthesized },
		{ OPTION_CALLBACK, 'r', "realtime", "PRIORITY",
		  "let the recorder run with this real-time priority (SCHED_FIFO)", &o->priority,
		  parse_priority },
		{ OPTION_FLAG, 0, "no-buffering", NULL,
		  "read the rings after every record, not when they are half full",
		  &p->no_buffering, 0 },
		{ OPTION_FLAG, 0, "dry-run", NULL,
		  "check the options, events and filters, and record nothing", &o->dry_run, 0 },
		{ OPTION_FLAG, 0, "strict-freq", NULL,
		  "fail if the kernel does not allow the rate of -F", &p->strict_freq, 0 },
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
		{ OPTION_FLAG, 0, "compact", NULL,
		  "keep the samples of the module short: no address, no period, and the CPU where "
		  "only ktrace looks for it",
		  &p->compact, 0 },
		{ OPTION_FLAG, 0, "user-strings", NULL,
		  "record the strings that arguments of system calls point to, such as paths",
		  &p->user_strings, 0 },
		{ OPTION_STRING, 0, "detach", "NAME",
		  "leave the recording to the module, as a session with this name, and end", &o->detach, 0 },
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
	const struct option_values values[] = {
		{ .option = "via", .add = capture_choice_add_names },
		{ .option = "path", .words = "auto,counter,template" },
		{ .option = "call-graph", .words = "fp,dwarf,lbr" },
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

/* With the switches of tasks, and where they slept and were woken, report --off-cpu works. */
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
	/* Whatever -F and -c say of the others, a switch that is missing makes time wrong. */
	for (size_t i = first; i < o->specs.nr; i++)
		o->specs.items[i].period = 1;
	o->plan.callchain = o->plan.switches = true;
	return err;
}

static struct error *record_check_parts(struct record_options *o)
{
	bool limited = o->part.bytes || o->part.ms;

	if (o->max_files && !o->in_parts)
		return error_hint(error_new(EINVAL, "--switch-max-files is the number of files that "
					    "--switch-output keeps, which is missing"),
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
				  "--switch-max-files limits what is kept");
	if (!o->overwrite && !record_options_want_snapshots(o))
		return NULL;
	if (limited || o->max_files)
		return error_hint(error_new(EINVAL, "With rings that overwrite, a file is written "
					    "when it is asked for, not after a size or a time"),
				  "--switch-output=signal --overwrite is the same as --snapshot "
				  "--overwrite");
	/* perf's words for it. */
	o->in_parts = false;
	o->snapshot = true;
	return NULL;
}

static struct error *record_check_callchains(const struct record_options *o)
{
	const struct plan_options *p = &o->plan;
	const char *option = p->kernel_callchains ? "--kernel-callchains" : "--user-callchains";

	if (p->kernel_callchains && p->user_callchains)
		return error_hint(error_new(EINVAL, "--kernel-callchains and --user-callchains leave "
					    "nothing of call chains together"), "Leave out one of them");
	if ((p->kernel_callchains || p->user_callchains) && !p->callchain)
		return error_hint(error_new(EINVAL, "%s says what call chains have, and none are "
					    "recorded", option), "Add -g");
	return NULL;
}

/* Only what is one file at the end can have something embedded. */
static struct error *record_check_embed(const struct record_options *o)
{
	if (!o->embed || (!o->in_parts && !record_options_want_snapshots(o)))
		return NULL;
	return error_hint(error_new(EINVAL, "--embed completes a recording of one file, not several"),
			  "'ktrace inject --embed -i FILE -o COPY' does so for one of them");
}

/* What a session without a process cannot do, because that process would have to do it. */
static struct error *record_check_detach(const struct record_options *o, bool has_command)
{
	const struct { bool given; const char *option, *instead; } refused[] = {
		{ has_command, "a command to record",
		  "Start the command when the session runs, or record it without --detach" },
		{ o->output, "-o", "'ktrace session attach NAME -o FILE' writes a file" },
		{ record_options_want_snapshots(o), "--snapshot",
		  "--overwrite keeps the newest records, and 'ktrace session snapshot' writes them" },
		{ o->in_parts, "--switch-output", "Each 'ktrace session attach' writes a file" },
		{ o->timed_name, "--timestamp-filename", "'ktrace session attach -o' names the file" },
		{ o->embed, "--embed", "'ktrace inject --embed' adds it to what was recorded" },
		{ o->max_bytes, "--max-size", "-m limits what the rings hold" },
		{ o->compression, "-z", "The rings are not compressed" },
		{ o->control, "--control", "'ktrace session stop' ends the session" },
		{ o->delay, "-D", "Start the session later" },
		{ o->require_complete, "--require-complete",
		  "'ktrace session stop' tells what was lost" },
		{ o->off_cpu, "--off-cpu", "Record it without --detach" },
		{ o->plan.exclude_self, "--exclude-perf", "Leave it out" },
		{ o->plan.switches, "--switch-events", "Record sched:sched_switch" },
		{ o->plan.namespaces, "--namespaces", "--fields pid_ns,net_ns,user_ns has them" },
		{ o->plan.cgroups, "--all-cgroups", "-G records one cgroup" },
		{ o->plan.thread_counts, "-s", "Leave it out" },
		{ o->plan.build_ids, "--buildid-mmap", "Leave it out" },
		{ o->plan.left_out, "--synth", "'ktrace session attach' looks at tasks" },
		{ o->all_build_ids, "--buildid-all", "Leave it out" },
		{ o->priority, "-r", "No process of it runs" },
	};

	for (size_t i = 0; o->detach && i < ARRAY_SIZE(refused); i++)
		if (refused[i].given)
			return error_hint(error_new(EINVAL, "--detach leaves no process behind, so it "
						    "does not go with %s", refused[i].option),
					  "%s", refused[i].instead);
	if (o->detach && o->plan.via && strcmp(o->plan.via, "ktrace"))
		return error_hint(error_new(EINVAL, "Only what the ktrace module captures goes on "
					    "without a process, not --via=%s", o->plan.via),
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

	*o = (struct record_options){ .plan = { .specs = &o->specs, .clockid = -1 } };
	err = parse_command_line(argc, argv, o, ret_index);
	if (err || *ret_index < 0)
		return err;
	if (o->max_bytes && (o->overwrite || record_options_want_snapshots(o)))
		return error_hint(error_new(EINVAL, "--max-size limits a file that grows while it is "
					    "recorded, not what the rings hold"),
				  "-m limits the rings of --overwrite and of snapshots");
	if (o->delay == RECORDER_UNTIL_TOLD && !o->control)
		return error_hint(error_new(EINVAL, "-D -1 begins without recording, and nothing would "
					    "begin it later"), "--control says who gives the command");
	err = record_check_parts(o);
	if (!err)
		err = record_check_embed(o);
	if (!err)
		err = record_check_callchains(o);
	if (err)
		return err;
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
	o->plan.overwrite = o->overwrite || record_options_want_snapshots(o);
	o->plan.kept = o->detach;
	if (o->detach && !o->plan.via)
		o->plan.via = "ktrace";
	return NULL;
}

void record_options_deinit(struct record_options *o)
{
	event_specs_deinit(&o->specs);
	event_specs_deinit(&o->switch_on);
}
