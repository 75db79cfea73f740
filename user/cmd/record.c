// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cmd/command.h"
#include "cmd/record_options.h"
#include "cmd/record_summary.h"
#include "lib/file.h"
#include "lib/interrupt.h"
#include "lib/log.h"
#include "recorder/perf_file.h"
#include "recorder/recorder.h"
#include "recorder/snapshot.h"

#ifndef KTRACE_VERSION
#define KTRACE_VERSION "unknown"
#endif

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
	struct snapshots snapshots;
	bool started;
};

static void record_run_deinit(struct record_run *run)
{
	snapshots_deinit(&run->snapshots);
	perf_file_deinit(&run->file);
	recorder_close(&run->recorder);
	plan_deinit(&run->plan);
}

DEFINE_CLEANUP(record_run, struct record_run, record_run_deinit)

/* As with perf, a pipe on standard output gets the data; snapshots are always files. */
static const char *output_path(const struct record_options *options)
{
	struct stat st;

	if (options->output)
		return options->output;
	if (record_options_want_snapshots(options) || fstat(STDOUT_FILENO, &st) ||
	    !S_ISFIFO(st.st_mode))
		return "perf.data";
	/* Under CI or ssh, users often do not know that standard output is a pipe. */
	log_notice("Standard output is a pipe, so the recording goes into it; "
		   "-o FILE records into a file.");
	return "-";
}

/* End by the signal that came, so that the sender sees that it had its effect. */
static void record_end_by_signal(void)
{
	int signal = interrupt_signal();

	if (!signal)
		return;
	interrupt_end();
	raise(signal);
}

/* As with perf, return the command's status; if a signal ended the recording, we end by it. */
static int exit_status(const struct record_run *run)
{
	record_end_by_signal();
	return run->options->command ? workload_status(&run->recorder.workload) : 0;
}

static void print_snapshot(void *data, const struct perf_file *file)
{
	const struct record_run *run = data;

	record_summary_print(&run->recorder, file);
}

static struct error *begin_snapshots(struct record_run *run)
{
	const struct record_options *options = run->options;

	if (options->snapshot_on_exit && !options->command)
		return error_hint(error_new(EINVAL, "--snapshot-on-exit needs a command, whose "
					    "exit status it looks at"),
				  "Put the command behind the options");
	run->snapshots = (struct snapshots){
		.plan = &run->plan, .captures = &run->recorder.captures, .info = &run->info,
		.output = run->output, .at_end = options->overwrite,
		.only_if_status = options->snapshot_on_exit, .status = options->snapshot_status,
		.ledger = &run->recorder.ledger, .written = print_snapshot, .data = run,
	};
	return snapshots_init(&run->snapshots);
}

/* Create the output.  With snapshots, nothing is written yet. */
static struct error *begin_output(struct record_run *run, struct loop_consumer **ret)
{
	struct error *err;

	if (record_options_want_snapshots(run->options)) {
		*ret = &run->snapshots.consumer;
		return begin_snapshots(run);
	}
	*ret = &run->file.consumer;
	err = perf_file_create(run->output, &run->plan.events, &run->info, &run->file);
	return err ? err : plan_synthesize(&run->plan, run->file.consumer.sink);
}

static struct error *finish_output(struct record_run *run)
{
	struct error *err;

	if (!run->file.writer)
		return NULL;
	err = perf_file_finish(&run->file, &run->recorder.ledger);
	if (!err) {
		record_summary_print(&run->recorder, &run->file);
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

/* A byte says that recording has begun.  Closing the descriptor without it says that it failed. */
static struct error *tell_ready(int fd)
{
	int code = fd_write_all(fd, "", 1);

	close(fd);
	/* It is no error if nobody reads it. */
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
	return err;
}

static struct error *record_to(struct record_run *run, struct loop_consumer *consumer)
{
	struct error *err = recorder_start(&run->recorder);

	run->started = !err;
	if (run->started && run->options->ready)
		err = tell_ready(run->options->ready);
	if (!err)
		err = recorder_run(&run->recorder, consumer);
	if (err)
		return err;
	return run->file.writer ? recorder_ledger(&run->recorder, consumer) :
				  snapshots_finish(&run->snapshots, &run->recorder.workload);
}

static struct error *record_all(struct record_run *run)
{
	struct loop_consumer *consumer;
	struct error *err;

	err = open_recorder(run);
	if (!err)
		err = begin_output(run, &consumer);
	if (!err)
		err = record_to(run, consumer);
	workload_finish(&run->recorder.workload);
	if (err && run->file.writer && run->started)
		return perf_file_give_up(&run->file, err);
	return err ? err : finish_output(run);
}

static struct error *record_with(const struct record_options *options, int argc, char **argv,
				 int *ret_status)
{
	_cleanup_(record_run) struct record_run run = { .options = options };
	struct error *err;

	run.output = output_path(options);
	run.info = (struct writer_info){
		.version = KTRACE_VERSION, .argc = argc, .argv = argv,
		.clockid = options->plan.clockid,
		.compression = options->compression,
		/* Direct I/O uses a thread, which --exclude-perf's filter would not leave out. */
		.direct = !options->page_cache && !options->plan.overwrite &&
			  !options->plan.exclude_self,
	};
	keep_descriptors(options);
	err = plan_init(&options->plan, &run.plan);
	if (err)
		return err;
	err = record_all(&run);
	if (err && interrupt_signal()) {
		error_report(err);
		record_run_deinit(&run);
		record_end_by_signal();
	}
	if (err)
		return err;
	if (record_options_want_snapshots(options) && !run.snapshots.taken)
		log_notice("No snapshot was asked for, so nothing was written.");
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
	return err || index < 0 ? err : record_with(&options, argc, argv, ret_status);
}
