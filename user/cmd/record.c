// SPDX-License-Identifier: GPL-2.0
#include "recorder/recorder.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "capture/synthesize.h"
#include "capture/task_events.h"
#include "cmd/command.h"
#include "lib/cleanup.h"
#include "lib/file.h"
#include "lib/interrupt.h"
#include "lib/log.h"
#include "lib/options.h"

#ifndef KTRACE_VERSION
#define KTRACE_VERSION "unknown"
#endif

/* The notice about the recorder's own work is printed only for at least so many samples. */
#define OWN_WORK_AT_END 100

static struct error *add_event(void *data, const char *text)
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

	options->callchain = true;
	if (!strcmp(text, "fp"))
		return NULL;
	if (strncmp(text, "dwarf", 5) || (text[5] && text[5] != ','))
		return error_hint(error_new(EINVAL, "--call-graph takes fp or dwarf, not '%s'", text),
				  "As in --call-graph dwarf,16384");
	if (text[5] && (!parse_u64(text + 6, &bytes) || !bytes || bytes % 8 || bytes > 65528))
		return error_new(EINVAL, "--call-graph dwarf copies a multiple of 8 bytes, "
				 "at most 65528, not '%s'", text + 6);
	options->stack_bytes = bytes;
	return NULL;
}

static struct error *parse_path(const char *text, enum capture_path *ret)
{
	*ret = CAPTURE_PATH_TEMPLATE;
	if (!text || !strcmp(text, "auto") || !strcmp(text, "template"))
		return NULL;
	if (!strcmp(text, "counter"))
		*ret = CAPTURE_PATH_COUNTER;
	else
		return error_new(EINVAL, "--path takes auto, counter or template, not '%s'", text);
	return NULL;
}

static struct error *parse_clock(const char *text, int32_t *ret)
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

	*ret = -1;
	if (!text)
		return NULL;
	if (!strncasecmp(text, "CLOCK_", 6))
		text += 6;
	for (size_t i = 0; i < sizeof(clocks) / sizeof(clocks[0]); i++)
		if (!strcasecmp(text, clocks[i].name) ||
		    (parse_u64(text, &number) && number == (unsigned int)clocks[i].clockid))
			*ret = clocks[i].clockid;
	if (*ret < 0)
		return error_hint(error_new(EINVAL, "-k knows no clock '%s'", text),
				  "It takes monotonic, monotonic_raw, boottime or realtime");
	return NULL;
}

static struct error *add_cgroups(void *data, const char *text)
{
	return event_specs_set_cgroups(data, text);
}

static struct error *parse_options(int argc, char **argv, struct record_options *o, int *ret_index)
{
	bool ignored;
	const struct option_spec options[] = {
		{ OPTION_CALLBACK, 'e', "event", "EVENT", "event to record; 'ktrace list' lists them",
		  &o->specs, add_event },
		{ OPTION_CALLBACK, 0, "filter", "FILTER", "record only what matches, of the last event",
		  &o->specs, add_filter },
		{ OPTION_FLAG, 'a', "all-cpus", NULL, "record all tasks on all CPUs", &o->all_cpus, 0 },
		{ OPTION_STRING, 'C', "cpu", "LIST", "record all tasks on these CPUs", &o->cpus, 0 },
		{ OPTION_STRING, 'p', "pid", "LIST", "record these processes", &o->pids, 0 },
		{ OPTION_STRING, 't', "tid", "LIST", "record these threads", &o->tids, 0 },
		{ OPTION_STRING, 'u', "uid", "USER", "record the tasks of a user", &o->user, 0 },
		{ OPTION_STRING, 0, "comm", "LIST", "record only tasks of these names", &o->comms, 0 },
		{ OPTION_CALLBACK, 'G', "cgroup", "LIST", "record only this cgroup, of the events before",
		  &o->specs, add_cgroups },
		{ OPTION_FLAG, 'i', "no-inherit", NULL, "leave out what the tasks fork",
		  &o->no_inherit, 0 },
		{ OPTION_UINT, 'c', "count", "N", "record every Nth event", &o->period, 0 },
		{ OPTION_CALLBACK, 'F', "freq", "HZ", "record so many events a second, or 'max'",
		  &o->freq, parse_freq },
		{ OPTION_CALLBACK, 'm', "mmap-pages", "PAGES",
		  "pages of each CPU's ring, or its size as in 4M", &o->pages, record_parse_pages },
		{ OPTION_UINT, 0, "latency", "MS",
		  "let a live reader have records after about so long (500)", &o->latency, 0 },
		{ OPTION_STRING, 'o', "output", "FILE", "file to write, '-' for standard output (perf.data)",
		  &o->output, 0 },
		{ OPTION_STRING, 'k', "clockid", "CLOCK", "stamp records with this clock", &o->clock, 0 },
		{ OPTION_CALLBACK, 'z', "compression-level", "[LEVEL]",
		  "compress the file, from 1 (fastest, default) to 22", &o->compression,
		  parse_compression },
		{ OPTION_FLAG, 0, "page-cache", NULL, "write through the page cache, to be read soon",
		  &o->page_cache, 0 },
		{ OPTION_FLAG, 'g', NULL, NULL, "record call chains", &o->callchain, 0 },
		{ OPTION_CALLBACK, 0, "call-graph", "MODE",
		  "record call chains by frame pointers (fp) or the stack (dwarf[,BYTES])", o,
		  parse_call_graph },
		{ OPTION_FLAG, 0, "all-user", NULL, "leave out the kernel", &o->only_user, 0 },
		{ OPTION_FLAG, 0, "all-kernel", NULL, "leave out user space", &o->only_kernel, 0 },
		{ OPTION_FLAG, 0, "switch-events", NULL, "record context switches of the tasks",
		  &o->switches, 0 },
		{ OPTION_FLAG, 0, "exclude-perf", NULL, "leave out events of the recorder itself",
		  &o->exclude_self, 0 },
		{ OPTION_FLAG, 'd', "data", NULL, "record addresses", &o->addr, 0 },
		{ OPTION_FLAG, 'P', "period", NULL, "record the period of every sample",
		  &o->sample_period, 0 },
		{ OPTION_FLAG, 'R', "raw-samples", NULL, "record raw data of all events", &o->raw, 0 },
		{ OPTION_FLAG, 0, "sample-cpu", NULL, "record the CPU of every sample", &o->sample_cpu, 0 },
		{ OPTION_FLAG, 0, "overwrite", NULL, "keep the newest records in the rings, write them at the end",
		  &o->overwrite, 0 },
		{ OPTION_FLAG, 0, "snapshot", NULL,
		  "keep the newest records, write them when SIGUSR2 comes", &o->snapshot, 0 },
		{ OPTION_CALLBACK, 0, "snapshot-on", "EVENT",
		  "keep the newest records, write them when this event comes", o, add_trigger },
		{ OPTION_STRING, 0, "snapshot-on-exit", "STATUS",
		  "keep the newest records, write them if the command ends so, or 'fail'",
		  &o->snapshot_on_exit, 0 },
		{ OPTION_STRING, 0, "via", "SOURCE", "auto, ktrace (the module) or perf (perf_event)",
		  &o->via, 0 },
		{ OPTION_STRING, 0, "path", "PATH",
		  "how the module gets at events: auto, counter or template", &o->path, 0 },
		{ OPTION_STRING, 0, "fields", "LIST", "common fields to store with every record",
		  &o->fields, 0 },
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
		{ "via", "auto,ktrace,perf", NULL },
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
		.summary = "Record events into a perf.data file, until COMMAND ends or ^C",
		.options = options,
		.values = values,
		.stop_at_argument = true,
	};

	return options_parse(&usage, argc, argv, ret_index);
}

static void record_options_deinit(struct record_options *options)
{
	event_specs_deinit(&options->specs);
}

DEFINE_CLEANUP(record_options, struct record_options, record_options_deinit)
DEFINE_CLEANUP(record_target, struct record_target, record_target_deinit)
DEFINE_CLEANUP(event_list, struct event_list, event_list_deinit)
DEFINE_CLEANUP(ledger, struct ledger, ledger_deinit)
DEFINE_CLEANUP(workload, struct workload, workload_finish)
DEFINE_CLEANUP(snapshots, struct snapshots, snapshots_deinit)

static void recording_deinit(struct recording *r)
{
	while (r->nr_captures) {
		struct capture *capture = r->captures[--r->nr_captures];

		capture->backend->close(capture);
	}
	writer_abort(take_ptr(r->writer));
}

DEFINE_CLEANUP(recording, struct recording, recording_deinit)

static bool has_source(const struct event_list *events, enum event_source source)
{
	for (size_t i = 0; i < events->nr; i++)
		if (events->items[i]->source == source)
			return true;
	return false;
}

/* Open the device first, because its clock pairs are the better ones in a mixed recording. */
static struct error *open_captures(struct event_list *events, struct capture_config *config,
				   struct recording *r)
{
	static const struct capture_backend *const order[] = {
		&backend_ktrace, &backend_fake, &backend_perf,
	};
	bool fake = has_source(events, EVENT_SOURCE_FAKE);
	size_t nr = events->nr, side = 0;
	struct error *err = NULL;

	for (size_t i = 0; !err && i < sizeof(order) / sizeof(order[0]); i++) {
		config->side_band = order[i] == &backend_perf && !fake;
		if (!config->side_band && !has_source(events, order[i]->source))
			continue;
		err = order[i]->open(events, config, &r->captures[r->nr_captures]);
		if (!err)
			r->nr_captures++;
	}
	if (err)
		return err;
	for (size_t i = 0; i < events->nr; i++)
		side += task_events_is(events->items[i]);
	nr = nr + side - events->nr;
	if (events->nr == side)
		return error_hint(error_new(ENODEV, "None of the events can be recorded here"),
				  "-v tells why");
	if (nr)
		log_notice("%zu of the events that globs name cannot be recorded here; -v names them.",
			   nr);
	return event_list_index(events);
}

struct error *record_synthesize(const struct event_list *events, const struct record_target *target,
				struct record_sink *sink)
{
	struct error *err = synthesize_kernel(events, sink);

	if (err)
		return err;
	if (target->is_command)
		return synthesize_comm(events, target->tasks[0], "ktrace-exec", sink);
	return synthesize_tasks(events, target->tasks, target->nr_tasks, sink);
}

static bool wants_snapshots(const struct record_options *options)
{
	return options->snapshot || options->snapshot_on || options->snapshot_on_exit;
}

/* As with perf, a pipe on standard output gets the data; snapshots are always files. */
static const char *output_path(const struct record_options *options)
{
	struct stat st;

	if (options->output)
		return options->output;
	if (wants_snapshots(options) || fstat(STDOUT_FILENO, &st) || !S_ISFIFO(st.st_mode))
		return "perf.data";
	/* Under CI or ssh, users often do not know that standard output is a pipe. */
	log_notice("Standard output is a pipe, so the recording goes into it; "
		   "-o FILE records into a file.");
	return "-";
}

static struct error *start(struct recording *r, const struct record_options *options)
{
	struct error *err = NULL;

	for (size_t i = 0; !err && i < r->nr_captures; i++)
		err = r->captures[i]->backend->start(r->captures[i]);
	if (!err && options->command)
		err = workload_exec(r->workload, options->command[0]);
	return err;
}

/* End by the signal that came, so that the sender sees that it had its effect. */
static void end_by_signal(void)
{
	int signal = interrupt_signal();

	if (!signal)
		return;
	interrupt_end();
	raise(signal);
}

/* As with perf, return the command's status; if a signal ended the recording, we end by it. */
static int exit_status(const struct recording *r, const struct record_options *options)
{
	end_by_signal();
	if (!options->command)
		return 0;
	if (WIFSIGNALED(r->workload->wait_status))
		return 128 + WTERMSIG(r->workload->wait_status);
	return WEXITSTATUS(r->workload->wait_status);
}

/* Returns the cgroup, which record_events_init() makes sure is the same for all device events. */
static const char *device_cgroup(const struct event_list *events)
{
	for (size_t i = 0; i < events->nr; i++)
		if (events->items[i]->source == EVENT_SOURCE_DEVICE && events->items[i]->cgroup)
			return *events->items[i]->cgroup ? events->items[i]->cgroup : NULL;
	return NULL;
}

/* Create the output.  With snapshots, nothing is written yet. */
static struct error *begin_output(const struct record_options *options,
				  const struct record_summary *summary,
				  const struct writer_info *info, struct snapshots *snapshots,
				  struct recording *r)
{
	struct error *err;

	snapshots->every_task = summary->every_task;
	if (wants_snapshots(options)) {
		r->snapshots = snapshots;
		return snapshots_init(snapshots, options);
	}
	err = writer_create(summary->output, summary->events, info, &r->writer);
	return err ? err : record_synthesize(summary->events, snapshots->target,
					     writer_sink(r->writer));
}

static struct error *finish_output(struct record_summary *summary, struct recording *r)
{
	struct error *err;

	summary->bytes = writer_bytes(r->writer);
	summary->uncompressed_bytes = writer_uncompressed_bytes(r->writer);
	summary->samples = writer_samples(r->writer);
	err = writer_finish(take_ptr(r->writer), summary->ledger);
	if (!err) {
		record_summary_print(summary);
		record_loop_tell_own_work(r, OWN_WORK_AT_END);
	}
	return err;
}

/* Our parent waits until these descriptors are closed, so a command must not inherit them. */
static void keep_descriptors(const struct record_options *options)
{
	if (options->ready)
		fcntl(options->ready, F_SETFD, FD_CLOEXEC);
	if (options->command_output)
		fcntl(options->command_output, F_SETFD, FD_CLOEXEC);
}

/* A byte says that recording has begun.  Closing the descriptor without it says that it failed. */
static struct error *tell_ready(int fd)
{
	int code = fd_write_all(fd, "", 1);

	close(fd);
	/* It is no error if nobody reads it. */
	return code && code != -EPIPE ? error_errno(-code, "Cannot tell that it records") : NULL;
}

static struct error *record(int argc, char **argv, struct record_options *options, int *ret_status)
{
	_cleanup_(record_target) struct record_target target = { 0 };
	_cleanup_(event_list) struct event_list events = { 0 };
	_cleanup_(ledger) struct ledger ledger = { 0 };
	_cleanup_(workload) struct workload workload = { 0 };
	struct capture_config config = {
		.pages = options->pages,
		.overwrite = options->overwrite || wants_snapshots(options),
		.switches = options->switches,
		/* If perf_event took an event instead, the condition on names would be lost. */
		.strict = options->comms || (options->via && !strcmp(options->via, "ktrace")),
	};
	_cleanup_(recording) struct recording r = {
		.workload = &workload, .latency = options->latency, .overwrite = config.overwrite,
	};
	struct writer_info info = { .version = KTRACE_VERSION, .argc = argc, .argv = argv };
	struct record_summary summary = {
		.events = &events, .recording = &r, .ledger = &ledger,
		.output = output_path(options),
	};
	_cleanup_(snapshots) struct snapshots snapshots = {
		.events = &events, .target = &target, .info = &info, .output = summary.output,
	};
	struct error *err;
	bool started;

	keep_descriptors(options);
	err = parse_clock(options->clock, &config.clockid);
	if (!err)
		err = parse_path(options->path, &config.path);
	if (!err)
		err = record_target_init(options, &target);
	if (!err)
		err = record_events_init(options, &target, config.clockid, &events);
	if (err)
		return err;

	if (options->command) {
		const struct workload_output output = {
			.to_errors = !strcmp(summary.output, "-"),
			.errors_fd = options->command_output,
		};

		err = workload_fork(options->command, &output, &workload);
		if (err)
			return err;
		if (target.is_command)
			target.tasks[0] = workload.pid;
	}
	config.target = (struct capture_target){
		.cpus = &target.cpus,
		.hotplug = !options->cpus,
		.tasks = target.tasks,
		.nr_tasks = target.nr_tasks,
		.inherit = !options->no_inherit,
		.on_exec = target.is_command,
		.comms = (const char *const *)target.comms,
		.nr_comms = target.nr_comms,
		.cgroup = device_cgroup(&events),
	};
	r.has_tasks = target.tasks;
	info.clockid = config.clockid;
	info.compression = options->compression;
	/* Direct I/O uses a thread, which the filter of --exclude-perf would not leave out. */
	info.direct = !options->page_cache && !config.overwrite && !options->exclude_self;

	err = open_captures(&events, &config, &r);
	/* Up to here, which can take a while, ^C simply ends the process. */
	interrupt_block();
	summary.every_task = !target.tasks && !target.comms && !config.target.cgroup;
	if (!err)
		err = begin_output(options, &summary, &info, &snapshots, &r);
	if (!err)
		err = start(&r, options);
	started = !err;
	if (started && options->ready)
		err = tell_ready(options->ready);
	if (!err)
		err = record_loop(&r, &ledger);
	workload_finish(&workload);
	if (err && r.writer && started)
		err = writer_give_up(take_ptr(r.writer), err);
	if (!err && r.writer)
		err = finish_output(&summary, &r);
	if (err && interrupt_signal()) {
		error_report(err);
		recording_deinit(&r);
		end_by_signal();
	}
	if (err)
		return err;
	if (r.snapshots && !snapshots.taken)
		log_notice("No snapshot was asked for, so nothing was written.");
	*ret_status = exit_status(&r, options);
	if (!*ret_status && options->require_complete && !ledger_is_complete(&ledger)) {
		log_error("The recording is not known to be complete (--require-complete).");
		*ret_status = EXIT_FAILURE;
	}
	return NULL;
}

struct error *cmd_record(int argc, char **argv, int *ret_status)
{
	_cleanup_(record_options) struct record_options options = { 0 };
	struct error *err;
	int index;

	interrupt_begin();
	err = parse_options(argc, argv, &options, &index);
	if (err || index < 0)
		return err;
	if (index < argc) {
		options.command = argv + index;
		options.command_argc = argc - index;
	} else if (!options.cpus && !options.pids && !options.tids && !options.user) {
		options.all_cpus = true;
	}
	return record(argc, argv, &options, ret_status);
}
