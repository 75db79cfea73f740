// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "cmd/command.h"
#include "cmd/embedding.h"
#include "cmd/event_words.h"
#include "cmd/record/keep.h"
#include "cmd/record_options.h"
#include "lib/array.h"
#include "lib/color.h"
#include "lib/file.h"
#include "lib/interrupt.h"
#include "lib/log.h"
#include "lib/socket_address.h"
#include "lib/strbuf.h"
#include "perfdata/greeting.h"
#include "recorder/own_cost.h"
#include "recorder/parts.h"
#include "recorder/perf_file.h"
#include "recorder/recorder.h"
#include "recorder/snapshot.h"
#include "recorder/switch_events.h"
#include "recorder/window.h"

/* The lines that `ktrace record` prints on standard error at the end, and for each snapshot. */

struct summary {
	const struct event_list *events;
	const struct recorder *recorder;
	const struct ledger *ledger;
	const struct perf_file *file;
};

/* Losses on more CPUs than this are printed as a sum. */
#define MAX_CPUS_NAMED 8

static void summary_add_number(struct strbuf *text, const char *what, uint64_t number)
{
	if (number == LEDGER_NOT_KNOWN)
		strbuf_addf(text, ", %s not known", what);
	else
		strbuf_addf(text, ", %s %llu", what, (unsigned long long)number);
}

static void summary_add_lost(struct strbuf *text, uint64_t number)
{
	enum color_role role = number ? COLOR_ERROR : COLOR_NONE;

	if (number == LEDGER_NOT_KNOWN)
		strbuf_addstr(text, ", lost not known");
	else
		strbuf_addf(text, ", %slost %llu%s", color_message_on(role),
			    (unsigned long long)number, color_message_off(role));
}

static bool is_of(const struct summary *s, const struct ledger_row *row,
		  const struct capture *capture)
{
	const struct event *event;

	if (row->event == UINT32_MAX)
		return row->source == capture->backend->source;
	event = s->events->items[row->event];
	return capture_backend_has(capture->backend, event) && !event_is_dummy(event);
}

/* Returns the sum of the rows of one source, over all of its events. */
static struct ledger_row sum_of(const struct summary *s, const struct capture *capture)
{
	struct ledger part = { 0 };
	struct ledger_row sum = { .proof = LEDGER_UNKNOWN };

	for (size_t i = 0; i < s->ledger->nr; i++)
		if (is_of(s, &s->ledger->items[i], capture) &&
		    ledger_add(&part, &s->ledger->items[i]))
			goto out;
	sum = ledger_sum(&part, UINT32_MAX);
out:
	ledger_deinit(&part);
	return sum;
}

/* Append ", template for 12 events, counter for 1": the paths, and how many events use each. */
static void add_paths(struct strbuf *text, const struct summary *s, struct capture *capture)
{
	const char *first = NULL, *second = NULL;
	size_t nr[2] = { 0 };

	for (size_t i = 0; capture->backend->path && i < s->events->nr; i++) {
		const struct event *event = s->events->items[i];
		const char *path;

		if (!capture_backend_has(capture->backend, event) || event_is_dummy(event))
			continue;
		path = capture->backend->path(capture, event);
		if (!first || !strcmp(path, first)) {
			first = path;
			nr[0]++;
		} else {
			second = path;
			nr[1]++;
		}
	}
	if (second)
		strbuf_addf(text, ", %s for %zu events, %s for %zu", first, nr[0], second, nr[1]);
	else if (first)
		strbuf_addf(text, ", %s", first);
}

enum { MAX_EVENTS_NAMED = 4 };

/* Print which events are not captured by the path asked for, and why. */
static void print_fallbacks(const struct summary *s, struct capture *capture)
{
	_cleanup_(strbuf) struct strbuf text = STRBUF_INIT;
	const char *why = NULL;
	size_t nr = 0;

	for (size_t i = 0; capture->backend->fallback && i < s->events->nr; i++) {
		const struct event *event = s->events->items[i];
		const char *reason;

		if (!capture_backend_has(capture->backend, event) || event_is_dummy(event))
			continue;
		reason = capture->backend->fallback(capture, event);
		if (!reason)
			continue;
		if (!why)
			why = reason;
		if (nr++ < MAX_EVENTS_NAMED)
			strbuf_addf(&text, "%s%s%s%s", nr > 1 ? ", " : "", event->name,
				    reason == why ? "" : ": ", reason == why ? "" : reason);
	}
	if (nr > MAX_EVENTS_NAMED)
		strbuf_addf(&text, " and %zu more", nr - MAX_EVENTS_NAMED);
	if (nr)
		log_notice("  captured by counters instead of templates: %s; %s.",
			   strbuf_str(&text), why);
}

static void add_lost(struct strbuf *text, const char *before, uint32_t cpu, uint64_t lost)
{
	/* The rings of tasks are of no CPU. */
	if (cpu == UINT32_MAX)
		strbuf_addf(text, "%s %llu", before, (unsigned long long)lost);
	else
		strbuf_addf(text, "%s CPU %u %llu", before, cpu, (unsigned long long)lost);
}

/*
 * Whether records of @reason were lost because the ring was paused, and not because it was full: a
 * ring of perf_event that is overwritten never is.  Larger rings only make the pauses longer.
 */
static bool was_paused(const struct summary *s, const struct capture *capture, int reason)
{
	return reason == LEDGER_LOST_FULL && s->recorder->plan->config.overwrite &&
		capture->backend->source == EVENT_SOURCE_PERF;
}

/* Print the losses by CPU and reason, each with advice. */
static void print_losses(const struct summary *s, const struct capture *capture)
{
	for (int reason = 0; reason < LEDGER_LOST_NR; reason++) {
		_cleanup_(strbuf) struct strbuf text = STRBUF_INIT;
		bool paused = was_paused(s, capture, reason);
		const char *advice = paused ? "the module captures meanwhile" :
			ledger_reason_advice(reason);
		struct { uint32_t cpu; uint64_t lost; } cpus[MAX_CPUS_NAMED];
		uint64_t rest = 0;
		size_t nr = 0;

		for (size_t i = 0; i < s->ledger->nr; i++) {
			const struct ledger_row *row = &s->ledger->items[i];
			size_t n;

			if (!is_of(s, row, capture) || !row->lost[reason] ||
			    row->lost[reason] == LEDGER_NOT_KNOWN)
				continue;
			for (n = 0; n < nr && cpus[n].cpu != row->cpu; n++)
				;
			if (n == MAX_CPUS_NAMED) {
				rest += row->lost[reason];
				continue;
			}
			if (n == nr) {
				cpus[nr].cpu = row->cpu;
				cpus[nr++].lost = 0;
			}
			cpus[n].lost += row->lost[reason];
		}
		if (!nr)
			continue;
		strbuf_addf(&text, " (%s):", paused ? "ring paused while a file was written" :
			    ledger_reason_text(reason));
		for (size_t n = 0; n < nr; n++)
			add_lost(&text, n ? "," : "", cpus[n].cpu, cpus[n].lost);
		if (rest)
			strbuf_addf(&text, ", others %llu", (unsigned long long)rest);
		if (advice)
			strbuf_addf(&text, "; %s", advice);
		log_notice("  %slost%s%s.", color_message_on(COLOR_ERROR),
			   color_message_off(COLOR_ERROR), strbuf_str(&text));
	}
}

static void print_source(const struct summary *s, struct capture *capture)
{
	_cleanup_(strbuf) struct strbuf text = STRBUF_INIT;
	struct ledger_row sum = sum_of(s, capture);

	strbuf_addstr(&text, capture->backend->title);
	add_paths(&text, s, capture);
	strbuf_addf(&text, ": recorded %llu", (unsigned long long)sum.recorded);
	summary_add_number(&text, "filtered", sum.filtered);
	/* If all tasks are recorded, only the recorder itself can be out of scope. */
	if (sum.out_of_scope && plan_has_every_task(s->recorder->plan))
		summary_add_number(&text, "left out as ktrace's own", sum.out_of_scope);
	summary_add_lost(&text, ledger_row_lost(&sum));
	log_notice("%s; %s.", strbuf_str(&text), ledger_proof_text(sum.proof));
	print_fallbacks(s, capture);
	print_losses(s, capture);
}

static bool has_events(const struct summary *s, const struct capture *capture)
{
	return array_any(s->events, it, capture_backend_has(capture->backend, *it) &&
					!event_is_dummy(*it));
}

static void print_side_band(const struct summary *s)
{
	uint64_t lost = 0;

	for (size_t i = 0; i < s->ledger->nr; i++) {
		const struct ledger_row *row = &s->ledger->items[i];

		if (row->event != UINT32_MAX && event_is_dummy(s->events->items[row->event]) &&
		    ledger_row_lost(row) != LEDGER_NOT_KNOWN)
			lost += ledger_row_lost(row);
	}
	if (lost)
		log_notice("%llu records about tasks and maps were lost, so some names may be "
			   "missing; %s.", (unsigned long long)lost,
			   ledger_reason_advice(LEDGER_LOST_FULL));
}

static void print_why_empty(const struct summary *s)
{
	struct ledger_row sum = ledger_sum(s->ledger, UINT32_MAX);
	bool filters = false;

	for (size_t i = 0; i < s->events->nr; i++)
		filters |= s->events->items[i]->filter != NULL;
	if (ledger_row_lost(&sum) && ledger_row_lost(&sum) != LEDGER_NOT_KNOWN)
		log_notice("Nothing was recorded: all events were lost.");
	else if (filters && sum.filtered == LEDGER_NOT_KNOWN)
		log_notice("Nothing was recorded: the events did not occur%s, or the filter "
			   "rejected all of them; perf_event does not report which.",
			   s->recorder->loop.has_tasks ? " in the recorded tasks" : "");
	else if (filters && sum.filtered)
		log_notice("Nothing was recorded: the filter rejected all events.");
	else if (s->recorder->loop.has_tasks)
		log_notice("Nothing was recorded: the events did not occur in the recorded tasks. "
			   "-a records all tasks.");
	else
		log_notice("Nothing was recorded: the events did not occur.");
}

/* @file is the finished recording. */
static void record_summary_print(struct recorder *recorder, const struct perf_file *file)
{
	const struct summary s = {
		.events = plan_seen(recorder->plan), .recorder = recorder,
		.ledger = &recorder->ledger, .file = file,
	};
	_cleanup_(strbuf) struct strbuf cost = STRBUF_INIT;

	if (log_quiet)
		return;
	fprintf(stderr, "[ ktrace record: Woken up %lu times to write data ]\n",
		recorder->loop.wakeups);
	fprintf(stderr, "[ ktrace record: Captured and wrote %.3f MB %s", file->bytes / 1024.0 / 1024.0,
		file->path);
	if (file->samples)
		fprintf(stderr, " (%llu samples)", (unsigned long long)file->samples);
	if (file->uncompressed_bytes != file->bytes)
		fprintf(stderr, ", compressed (original %.3f MB, ratio is %.3f)",
			file->uncompressed_bytes / 1024.0 / 1024.0,
			(double)file->uncompressed_bytes / file->bytes);
	fprintf(stderr, " ]\n");
	for (size_t i = 0; i < recorder->captures.nr; i++)
		if (has_events(&s, recorder->captures.items[i]))
			print_source(&s, recorder->captures.items[i]);
	print_side_band(&s);
	captures_print_chains(&recorder->captures);
	/* With --keep, a line has said that no pair was slow. */
	if (!file->samples && !recorder->plan->config.keeps)
		print_why_empty(&s);
	own_cost_add(&recorder->captures, &cost);
	log_notice("The recorder took %s.", strbuf_str(&cost));
}

/* "12:30:01.250": by the wall clock. */
static void summary_add_wall(struct strbuf *text, uint64_t wall)
{
	time_t seconds = wall / 1000000000;
	char when[32] = "";
	struct tm tm;

	if (localtime_r(&seconds, &tm))
		strftime(when, sizeof(when), "%T", &tm);
	strbuf_addf(text, "%s.%03llu", when, (unsigned long long)wall % 1000000000 / 1000000);
}

/*
 * Print the line of a file of --last.  @triggers is the number of events of --on so far, with this
 * one; 0: it is not printed.
 */
static void record_summary_print_window(const struct perf_file *file, const struct window *window,
					const struct snapshot_cause *cause, uint64_t triggers)
{
	_cleanup_(strbuf) struct strbuf text = STRBUF_INIT, rings = STRBUF_INIT;

	if (window->end)
		strbuf_addf(&text, "Wrote %s: %.1f s before %s at ", file->path, window->held / 1e9,
			    cause->name);
	else
		strbuf_addf(&text, "Wrote %s: the rings' contents before %s at ", file->path,
			    cause->name);
	summary_add_wall(&text, cause->wall);
	strbuf_addf(&text, "; %llu samples, %.1f MB", (unsigned long long)file->samples,
		    file->bytes / 1024.0 / 1024.0);
	if (cause->is_event && triggers)
		strbuf_addf(&text, "; event %llu of --on", (unsigned long long)triggers);
	log_notice("%s.", strbuf_str(&text));
	if (!window->too_small)
		return;
	window_add_short_rings(window, &rings);
	strbuf_addstr(&rings, ": use -m ");
	window_add_advice(window->ring_size, window->held, window->asked, &rings);
	log_notice("  holds %.1f s of the %g s asked; %s.", window->held / 1e9, window->asked / 1e9,
		   strbuf_str(&rings));
}

/* The notice about the recorder's own work is printed only for at least so many samples. */
#define OWN_WORK_AT_END 100

/* One run of the command; `file` is not created if snapshots are written. */
struct record_run {
	const struct record_options *options;
	const char *output;
	struct writer_info info;
	struct plan plan;
	struct recorder recorder;
	struct perf_file file;
	struct parts parts;		/* with --switch-output, instead of `file` */
	struct snapshots snapshots;
	struct keep keep;		/* with --keep, writes into `file` */
	struct switch_events switches;	/* --switch-output-event, and --on without the module */
	struct event_specs on;		/* of --on, watched by perf_event; borrows all */
	char *timed_path;		/* with --timestamp-filename */
	char *token;			/* for the listener of -o; NULL: none */
	struct control control;
	bool started;
};

static void record_run_deinit(struct record_run *run)
{
	switch_events_close(&run->switches);
	snapshots_deinit(&run->snapshots);
	keep_deinit(&run->keep);
	parts_deinit(&run->parts);
	perf_file_deinit(&run->file);
	recorder_close(&run->recorder);
	plan_deinit(&run->plan);
	free(run->on.items);
	free(run->timed_path);
	free(run->token);
	control_close(&run->control);
}

DEFINE_CLEANUP(record_run, struct record_run, record_run_deinit)

/* Nobody reads a recording in the log of a CI job, so a pipe gets it only if it is asked for. */
static const char *output_path(const struct record_options *options)
{
	struct stat st;

	if (options->output)
		return options->output;
	/* perf writes into the pipe, and some expect that. */
	if (!record_options_want_snapshots(options) && !fstat(STDOUT_FILENO, &st) &&
	    S_ISFIFO(st.st_mode))
		log_notice("The recording goes into perf.data; -o - writes it to standard output, "
			   "which is a pipe.");
	return "perf.data";
}

/* A command that is recorded must not find the token in its environment, so it is read early. */
static struct error *read_token(struct record_run *run)
{
	const char *file = run->options->token;

	if (file && !socket_address_is_one(run->output))
		return error_hint(error_new(EINVAL, "--token is for a listener, not for %s",
					    run->output), "-o tcp:127.0.0.1:PORT sends to a "
				  "listener");
	return token_read(file, &run->token);
}

/* As with perf, return the command's status. */
static int exit_status(const struct record_run *run)
{
	return run->options->command ? workload_status(&run->recorder.workload) : 0;
}

static void print_snapshot(void *data, const struct perf_file *file, const struct window *window,
			   const struct snapshot_cause *cause)
{
	struct record_run *run = data;
	bool is_last = file->path == run->output;

	if (window)
		record_summary_print_window(file, window, cause,
					    is_last ? 0 : snapshots_triggers(&run->snapshots));
	if (!window || is_last)
		record_summary_print(&run->recorder, file);
}

/* Print the number of triggers that wrote no file, and the reason. */
static void print_triggers(const struct record_run *run)
{
	uint64_t triggers = snapshots_triggers(&run->snapshots), obeyed = run->snapshots.obeyed;

	if (run->options->on && !triggers)
		log_notice("None of the events of --on occurred.");
	else if (triggers > obeyed)
		log_notice("%llu events of --on occurred, and %llu of them wrote a file: files of events "
			   "are at least %g s apart (--gap).", (unsigned long long)triggers,
			   (unsigned long long)obeyed, run->options->gap / 1e9);
}

static struct error *begin_snapshots(struct record_run *run)
{
	const struct record_options *options = run->options;

	if (options->snapshot_on_exit && !options->command)
		return error_hint(error_new(EINVAL, "--snapshot-on-exit needs a command, whose "
					    "exit status it checks"),
				  "Put the command behind the options");
	run->snapshots = (struct snapshots){
		.plan = &run->plan, .captures = &run->recorder.captures, .info = &run->info,
		.output = run->output, .at_end = options->overwrite,
		.only_if_status = options->snapshot_on_exit, .status = options->snapshot_status,
		.ledger = &run->recorder.ledger, .written = print_snapshot, .data = run,
		.last = { .asked = options->last, .gap_ms = options->gap / 1000000 },
		.files = {
			.max_files = options->max_files, .max_bytes = options->max_bytes,
			.tells = options->last,
		},
		.switches = run->on.nr ? &run->switches : NULL,
	};
	return snapshots_init(&run->snapshots);
}

static void print_part(void *data, const char *path)
{
	if (!log_quiet)
		fprintf(stderr, "[ ktrace record: Dump %s ]\n", path);
}

static struct error *begin_parts(struct record_run *run)
{
	run->parts = (struct parts){
		.plan = &run->plan, .captures = &run->recorder.captures, .info = run->info,
		.output = run->output, .limit = run->options->part,
		.files.max_files = run->options->max_files, .written = print_part,
	};
	return parts_init(&run->parts);
}

static struct error *wait_delay(struct record_run *run)
{
	unsigned int delay = run->options->delay;

	return delay ? recorder_delay(&run->recorder, delay) : NULL;
}

/* Create the output.  With snapshots, nothing is written yet. */
static struct error *begin_output(struct record_run *run, struct loop_consumer **ret)
{
	struct error *err;

	if (record_options_want_snapshots(run->options)) {
		*ret = &run->snapshots.consumer;
		err = begin_snapshots(run);
		return err ? err : wait_delay(run);
	}
	if (run->options->in_parts) {
		*ret = &run->parts.consumer;
		err = begin_parts(run);
		if (!err)
			err = wait_delay(run);
		return err ? err : parts_begin(&run->parts);
	}
	*ret = &run->file.consumer;
	err = perf_file_create(run->output, plan_stored_events(&run->plan), &run->info, &run->file);
	run->file.max_bytes = run->options->max_bytes;
	if (!err)
		err = wait_delay(run);
	if (err || !run->options->keep.pairs.nr)
		return err ? err : plan_synthesize(&run->plan, run->file.consumer.sink);
	run->keep.options = &run->options->keep;
	run->keep.plan = &run->plan;
	run->keep.captures = &run->recorder.captures;
	run->keep.file = &run->file;
	*ret = &run->keep.consumer;
	return keep_begin(&run->keep, &run->info);
}

static struct error *record_name_by_time(struct record_run *run)
{
	if (!run->options->timed_name)
		return NULL;
	run->timed_path = perf_file_timed_path(run->output);
	if (!run->timed_path)
		return &error_no_memory;
	run->file.path = run->timed_path;
	return writer_set_path(run->file.writer, run->timed_path);
}

static struct error *finish_output(struct record_run *run)
{
	const struct perf_file *last = &run->file;
	struct error *err;

	if (run->parts.file.writer) {
		err = parts_finish(&run->parts, &run->recorder.ledger);
		run->parts.file.samples += run->parts.samples;
		last = &run->parts.file;
	} else if (run->file.writer) {
		err = record_name_by_time(run);
		err = err ? perf_file_give_up(&run->file, err) :
			    perf_file_finish(&run->file, &run->recorder.captures,
					     &run->recorder.ledger);
	} else {
		return NULL;
	}
	if (!err) {
		if (run->keep.slow)
			keep_print(&run->keep, &run->recorder.ledger);
		record_summary_print(&run->recorder, last);
		loop_tell_own_work(&run->recorder.loop, OWN_WORK_AT_END);
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

/* A byte reports that recording has begun.  Closing the descriptor without it reports a failure. */
static struct error *tell_ready(int fd)
{
	int code = fd_write_all(fd, "", 1);

	close(fd);
	/* A reader that is gone is no error. */
	return code && code != -EPIPE ? error_errno(-code, "Cannot report that the recording has "
						    "begun") : NULL;
}

static struct error *open_recorder(struct record_run *run)
{
	const struct record_options *options = run->options;
	const struct workload_options command = {
		.argv = options->command,
		.to_errors = !strcmp(run->output, "-"),
		.errors_fd = options->command_output,
	};
	struct error *err = recorder_open(&run->plan, &command, &run->recorder);

	run->recorder.loop.latency_ms = options->latency;
	run->recorder.loop.control = options->control ? &run->control : NULL;
	return err;
}

static struct error *record_to(struct record_run *run, struct loop_consumer *consumer)
{
	struct error *err = switch_events_start(&run->switches);

	if (!err)
		err = recorder_start(&run->recorder);
	run->started = !err;
	if (run->started && run->options->ready)
		err = tell_ready(run->options->ready);
	if (!err)
		err = recorder_run(&run->recorder, consumer);
	if (err)
		return err;
	err = switch_events_stop(&run->switches);
	if (err)
		return err;
	if (run->keep.slow)
		return keep_finish(&run->keep, &run->recorder.ledger);
	if (run->file.writer || run->parts.file.writer)
		return recorder_ledger(&run->recorder, consumer);
	return snapshots_finish(&run->snapshots, &run->recorder.workload);
}

/* The command waits already, and threads that are created later inherit the priority. */
static struct error *set_priority(const struct record_options *options)
{
	const struct sched_param param = { .sched_priority = options->priority };

	if (!options->priority || !sched_setscheduler(0, SCHED_FIFO, &param))
		return NULL;
	return error_hint(error_errno(errno, "Cannot run with the real-time priority %u (-r)",
				      options->priority),
			  "Run as root, or raise the limit of 'ulimit -r'");
}

static bool module_tells_of(const struct record_run *run, const struct event_spec *spec)
{
	const struct event_list *events = &run->plan.events;

	return array_any(events, it, (*it)->trigger && !strcmp((*it)->name, spec->text));
}

/* Events that request a file and are not recorded by the module are watched by perf_event. */
static struct error *open_switches(struct record_run *run)
{
	const struct record_options *options = run->options;
	const struct event_specs *named = &options->specs;
	const struct event_specs *watched = options->on ? &run->on : &options->switch_on;

	for (size_t i = 0; i < named->nr; i++)
		if (named->items[i].any_trigger && !module_tells_of(run, &named->items[i]) &&
		    !array_push(&run->on, named->items[i]))
			return &error_no_memory;
	run->switches.asks_once = options->last;
	return switch_events_open(&run->switches, watched, &options->plan.target,
				  options->on ? options->plan.clockid : -1,
				  run->recorder.workload.pid);
}

static struct error *record_all(struct record_run *run)
{
	struct loop_consumer *consumer;
	struct error *err;

	err = open_recorder(run);
	if (!err)
		err = open_switches(run);
	if (!err)
		err = set_priority(run->options);
	if (!err)
		err = captures_describe(&run->recorder.captures, plan_stored_events(&run->plan),
					&run->info);
	if (!err)
		err = begin_output(run, &consumer);
	if (!err)
		err = record_to(run, consumer);
	/* Its signals would end us once they are no longer handled. */
	switch_events_close(&run->switches);
	workload_finish(&run->recorder.workload);
	if (err && run->parts.file.writer && run->started)
		return parts_give_up(&run->parts, err);
	if (err && run->file.writer && run->started)
		return perf_file_give_up(&run->file, err);
	return err ? err : finish_output(run);
}

/* Leave the recording to the module. */
static struct error *record_detached(struct record_run *run)
{
	const char *name = run->options->detach;
	struct error *err;

	err = open_recorder(run);
	if (!err)
		err = captures_describe(&run->recorder.captures, plan_stored_events(&run->plan),
					&run->info);
	if (!err)
		err = captures_keep(&run->recorder.captures, &run->plan.events, name);
	if (err)
		return err;
	err = recorder_start(&run->recorder);
	if (err || interrupt_signal()) {
		error_free(captures_keep(&run->recorder.captures, &run->plan.events, NULL));
		return err;
	}
	log_notice("The session %s records. 'ktrace session attach %s' reads it, 'ktrace session stop "
		   "%s' ends it.", name, name, name);
	return NULL;
}

static struct error *record_with(const struct record_options *options, int argc, char **argv,
				 int *ret_status)
{
	_cleanup_(record_run) struct record_run run = {
		.options = options, .control = CONTROL_INIT,
	};
	struct error *err;

	run.output = options->detach ? "" : output_path(options);
	err = read_token(&run);
	if (!err && options->embed && (!strcmp(run.output, "-") || socket_address_is_one(run.output)))
		err = error_hint(error_new(EINVAL, "--embed adds to a file, and cannot add to a "
					   "recording that is sent"),
				 "-o FILE records into a file");
	if (err)
		return err;
	run.info = (struct writer_info){
		.version = KTRACE_VERSION, .argc = argc, .argv = argv,
		.clockid = options->plan.clockid,
		.compression = options->compression, .token = run.token,
		.all_build_ids = options->all_build_ids,
		/* Direct I/O uses a thread, which --exclude-perf's filter would not leave out. */
		.direct = !options->page_cache && !options->plan.overwrite &&
			  !options->plan.exclude_self,
	};
	keep_descriptors(options);
	err = options->control && !options->dry_run ?
		control_open(options->control, &run.control) : NULL;
	if (!err)
		err = plan_init(&options->plan, &run.plan);
	if (err || options->dry_run)
		return err;
	err = options->detach ? record_detached(&run) : record_all(&run);
	if (!err && options->embed)
		err = embedding_make(run.file.path, &(struct symbol_options){ .vmlinux = NULL });
	if (err || options->detach)
		return err;
	if (options->last)
		print_triggers(&run);
	if (record_options_want_snapshots(options) && !run.snapshots.taken)
		log_notice("No snapshot was asked for, so nothing was written.");
	/* By which the caller ends then. */
	if (interrupt_signal())
		return NULL;
	*ret_status = exit_status(&run);
	if (!*ret_status && options->require_complete &&
	    !ledger_is_complete(&run.recorder.ledger)) {
		log_error("The recording is not known to be complete (--require-complete).");
		*ret_status = EXIT_FAILURE;
	}
	return NULL;
}

struct error *cmd_record(int argc, char **argv, int *ret_status)
{
	_cleanup_(record_options) struct record_options options;
	struct error *err;
	int index;

	interrupt_begin();
	err = record_options_parse(argc, argv, &options, &index);
	if (!err && index >= 0)
		err = record_with(&options, argc, argv, ret_status);
	/* When another process sees that a signal has ended us, our probes are already removed. */
	event_words_end();
	if (err && interrupt_signal()) {
		error_report(err);
		err = NULL;
	}
	if (!err)
		interrupt_end_by_signal();
	return err;
}
