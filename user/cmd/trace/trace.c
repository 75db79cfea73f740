// SPDX-License-Identifier: GPL-2.0
#include "cmd/trace/trace.h"

#include <errno.h>
#include <fnmatch.h>
#include <stdlib.h>

#include "cmd/command.h"
#include "cmd/recording.h"
#include "cmd/selection_words.h"
#include "cmd/trace/trace_strings.h"
#include "lib/interrupt.h"
#include "table/trace/trace_summary.h"
#include "terminal/pager.h"
#include "terminal/words.h"

/* A message is better than an empty trace if nothing in the recording can be shown. */
static struct error *trace_check_recording(const struct trace_options *o, struct reader *reader)
{
	const struct event_list *events = reader_events(reader);
	bool faults = false;

	/* The events of a pipe can come later. */
	if (reader_header(reader)->is_pipe)
		return NULL;
	for (size_t i = 0; i < o->nr_words; i++) {
		bool found = !o->words[i].is_event;

		for (size_t k = 0; k < events->nr && !found; k++)
			found = !fnmatch(o->words[i].text, events->items[k]->name, 0);
		if (!found)
			return error_hint(error_new(ENODATA, "The recording has no event '%s'",
						    o->words[i].text),
					  "'ktrace evlist' lists its events");
	}
	for (size_t i = 0; i < events->nr; i++)
		faults |= event_tells_data(events->items[i]);
	if (o->has_events || faults || (o->syscalls && syscall_states_recorded(events)))
		return NULL;
	return trace_no_calls();
}

static struct error *trace_read(struct trace *t, struct reader *reader)
{
	const struct target_options *target = &t->options->record.plan.target;
	const struct selection_words words = {
		.cpus = target->cpus, .pids = target->pids, .tids = target->tids,
	};
	_cleanup_(machine) struct machine *machine = NULL;
	_cleanup_(selection) struct selection selection = { 0 };
	struct cpumap cpus = { 0 };
	struct error *err = trace_check_recording(t->options, reader);

	if (!err && !reader_header(reader)->is_pipe)
		err = trace_check_switches(t->options, reader_events(reader));
	/* The maps show which tasks have 32-bit programs. */
	if (!err)
		err = recording_machine(reader, &t->options->symbols, &machine);
	if (!err)
		err = selection_words_parse(&words, reader_header(reader), &cpus, &selection);
	if (!err && t->out == stdout)
		pager_start();
	if (!err)
		err = recording_run(reader, machine, &selection, &t->consumer,
				    t->text_options.lines, &t->stop);
	if (!err)
		err = trace_finish(t);
	cpumap_deinit(&cpus);
	return err;
}

static struct error *trace_recording(struct trace_options *o)
{
	_cleanup_(trace) struct trace t = { 0 };
	_cleanup_fclose_ FILE *file = NULL;
	struct reader *reader = NULL;
	struct error *err = recording_open(o->input, &reader);

	if (!err)
		err = reader_read_header(reader);
	if (!err && o->output)
		err = trace_open_output(o->output, &file);
	if (!err)
		err = trace_init(&t, o, reader_header(reader)->arch, false, file ? file : stdout);
	if (!err)
		err = trace_read(&t, reader);
	reader_close(reader);
	if (err && !file && ferror(stdout)) {
		/* main() reports it. */
		error_free(err);
		return NULL;
	}
	return err;
}

/* ---- trace record --------------------------------------------------------- */

static struct error *trace_record(struct trace_options *o, int *ret_status)
{
	_cleanup_(trace_strings) struct trace_strings strings = { 0 };
	_cleanup_(words) struct words words = { 0 };
	const struct target_options *t = &o->record.plan.target;
	_cleanup_(syscalls) struct syscalls *syscalls = NULL;
	struct error *err = syscalls_create(NULL, &syscalls);

	if (!err)
		err = trace_options_resolve(o, syscalls);
	if (!err && o->without.len)
		err = error_hint(error_new(EINVAL, "trace record takes no --filter-pids"),
				 "--filter 'common_pid != 123' behind 'record' is for the events before it");
	if (err)
		return err;
	words_add(&words, "record");
	words_add_option(&words, "-m", "1024");
	words_add_option(&words, "-c", "1");
	words_add(&words, "-R");
	if (o->syscalls)
		err = trace_strings_find(syscalls, trace_options_wanted(o), o->record.plan.via,
					 &strings);
	if (err)
		return err;
	/* These come first, so that their samples do, too, and have the strings. */
	for (size_t i = 0; i < strings.nr; i++)
		words_add_option(&words, "-e", strings.items[i]);
	if (strings.ask)
		words_add(&words, "--user-strings");
	if (o->syscalls) {
		words_add_option(&words, "-e", "raw_syscalls:sys_enter");
		words_add_option(&words, "-e", "raw_syscalls:sys_exit");
	}
	if (o->major)
		words_add_option(&words, "-e", "major-faults");
	if (o->minor)
		words_add_option(&words, "-e", "minor-faults");
	if (o->major || o->minor)
		words_add(&words, "-d");
	if (o->sched)
		words_add_option(&words, "-e", "sched:sched_stat_runtime");
	for (size_t i = 0; i < o->nr_words; i++) {
		if (!o->words[i].is_event)
			continue;
		words_add_option(&words, "-e", o->words[i].text);
		words_add_option(&words, "--filter", o->words[i].filter);
	}
	words_add_option(&words, "-G", o->cgroup);
	words_add_option(&words, "-D", o->delay);
	words_add_option(&words, "-p", t->pids);
	words_add_option(&words, "-t", t->tids);
	words_add_option(&words, "-C", t->cpus);
	words_add_option(&words, "-u", t->user);
	words_add_option(&words, "-o", o->output);
	words_add_option(&words, "--via", o->record.plan.via);
	if (t->no_inherit)
		words_add(&words, "--no-inherit");
	words_add_all(&words, o->record_argv + 1);
	return command_call(&words, ret_status);
}

struct error *cmd_trace(int argc, char **argv, int *ret_status)
{
	_cleanup_(trace_options) struct trace_options options;
	struct error *err;
	int index;

	err = trace_options_parse(argc, argv, &options, &index);
	if (err || index < 0)
		return err;
	if (options.record_argv)
		return trace_record(&options, ret_status);
	if (options.input)
		return trace_recording(&options);
	interrupt_begin();
	return trace_live(&options, argc, argv);
}
