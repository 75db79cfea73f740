// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd/command.h"
#include "cmd/output_file.h"
#include "cmd/recording.h"
#include "cmd/report/report_parts.h"
#include "cmd/report/report_words.h"
#include "lib/array.h"
#include "lib/file.h"
#include "lib/log.h"
#include "lib/spawn.h"
#include "output/outputs.h"
#include "perfdata/reader.h"
#include "session/callchain.h"
#include "session/selection.h"
#include "states/known_events.h"
#include "states/wall_time.h"
#include "terminal/pager.h"
#include "terminal/terminal.h"

/* As much of the output of a script is shown. */
#define SCRIPT_OUTPUT_MAX	(4 << 20)

struct report_command {
	struct report_words words;
	struct selection selection;
	struct cpumap cpus;
	struct reader *reader;
	struct machine *machine;
	struct report_source source;	/* for a browser */
	int signal;		/* that ended the browser; 0: none */
};

static struct error *report_print_as(struct report_command *c, const char *name)
{
	const char *recording = recording_first(&c->words.inputs);
	const struct rendering_request request = {
		.out = stdout, .events = reader_events(c->reader),
		.recording = recording ? recording : RECORDING_DEFAULT,
		.header = reader_header(c->reader), .report = &c->words.report,
	};
	_cleanup_(rendering) struct rendering *rendering = NULL;
	const struct output_format *format;
	struct error *err = output_format_find(name, &format);

	if (!err)
		err = output_format_open(format, &request, &rendering);
	return err ? err : recording_render(c->reader, c->machine, &c->selection, format,
					    rendering);
}

static void report_close(struct report_command *c)
{
	selection_deinit(&c->selection);
	cpumap_deinit(&c->cpus);
	machine_destroy(take_ptr(c->machine));
	reader_close(take_ptr(c->reader));
}

/* The events of a pipe can come later. */
static struct error *report_check_off_cpu(struct reader *reader, bool clock)
{
	struct error *err = reader_read_header(reader);

	if (err || reader_header(reader)->is_pipe)
		return err;
	return clock ? wall_time_check(reader_events(reader)) :
		       needed_events_check(NEEDED_SLEEPS, reader_events(reader));
}

static struct error *report_open(struct report_command *c)
{
	const struct report_words *words = &c->words;
	struct error *err = recording_open_all(&words->inputs, &c->reader);

	if (err)
		return err;
	c->selection.switch_on = words->switch_on;
	c->selection.switch_off = words->switch_off;
	c->selection.show_switches = words->show_switches;
	c->selection.off_cpu = words->off_cpu;
	c->selection.wall_time = words->wall_time;
	c->words.report.times = words->selection.times;
	if (words->off_cpu && words->wall_time)
		err = error_new(EINVAL, "report --wall-time also shows where tasks slept, so it "
				"replaces --off-cpu");
	if (!err && (words->off_cpu || words->wall_time))
		err = report_check_off_cpu(c->reader, words->wall_time);
	if (err)
		return err;
	return selection_words_parse(&words->selection, reader_header(c->reader), &c->cpus,
				     &c->selection);
}

static struct error *report_reopen_source(struct report_source *source, const char *times,
					  const char *path)
{
	struct report_command *c = container_of(source, struct report_command, source);
	struct recording_inputs *inputs = &c->words.inputs;
	struct error *err;

	report_close(c);
	c->words.selection.times = *times ? times : NULL;
	if (path) {
		inputs->nr = 0;
		if (!array_push(inputs, path))
			return &error_no_memory;
	}
	err = report_open(c);
	/* Another recording may have call chains, or none. */
	if (!err && path)
		err = report_words_finish(&c->words, c->reader);
	if (!err)
		err = recording_machine(c->reader, &c->words.symbols, &c->machine);
	source->reader = c->reader;
	source->machine = c->machine;
	return err;
}

static struct error *report_add_sample_context(struct report_source *source,
					       const struct entry_sample *sample,
					       struct strbuf *ret, size_t *ret_line)
{
	struct report_command *c = container_of(source, struct report_command, source);

	return sample_context_add(&c->words.inputs, &c->words.symbols, sample, ret, ret_line);
}

/* Read all that comes, but not more than a page can have. */
static struct error *report_take_output(int fd, pid_t pid, struct strbuf *ret)
{
	char part[64 * 1024];
	ssize_t n;

	while ((n = fd_read_pipe(fd, part, sizeof(part))) > 0) {
		strbuf_add(ret, part, n);
		if (ret->len < SCRIPT_OUTPUT_MAX)
			continue;
		kill(pid, SIGTERM);
		strbuf_addf(ret, "\n(There is more; only %d MiB are shown.)\n",
			    SCRIPT_OUTPUT_MAX >> 20);
		return NULL;
	}
	return n < 0 ? error_errno(-n, "Cannot read the output of the script") : NULL;
}

static struct error *report_run_script(struct report_source *source, const char *name,
				       struct strbuf *ret)
{
	struct report_command *c = container_of(source, struct report_command, source);
	const struct recording_inputs *inputs = &c->words.inputs;
	_cleanup_free_ const char **argv = calloc(2 * inputs->nr + 8, sizeof(*argv));
	struct spawn child = { .program = "/proc/self/exe" };
	struct error *err;
	int fds[2], status;
	size_t nr = 0;
	pid_t pid;

	if (!argv)
		return &error_no_memory;
	argv[nr++] = "ktrace";
	argv[nr++] = "script";
	argv[nr++] = "report";
	argv[nr++] = name;
	for (size_t i = 0; i < inputs->nr || !i; i++) {
		argv[nr++] = "-i";
		argv[nr++] = inputs->nr ? inputs->items[i] : RECORDING_DEFAULT;
	}
	if (pipe2(fds, O_CLOEXEC))
		return error_errno(errno, "Cannot make a pipe for the script");
	child.argv = (char *const *)argv;
	child.out = child.errors = fds[1];
	err = spawn(&child, &pid);
	close(fds[1]);
	if (!err) {
		err = report_take_output(fds[0], pid, ret);
		status = spawn_wait(pid);
		if (!err && status && ret->len < SCRIPT_OUTPUT_MAX)
			strbuf_addf(ret, "\n(The script ended with status %d.)\n", status);
	}
	close(fds[0]);
	return err;
}

/* As in perf, a browser is used on a terminal, unless text is asked for or a pipe is read. */
static bool report_wants_browser(const struct report_command *c)
{
	const struct report_words *words = &c->words;

	if (words->tui || words->stdio)
		return words->tui;
	/* The browser has no such columns. */
	if (words->report.histogram.verbose || words->separator || words->columns.fields ||
	    words->columns.period || words->columns.cpu_use || words->widths ||
	    histogram_needs_switches(&words->report.histogram) ||
	    words->report.threads || words->report.group ||
	    words->report.sort_event || words->report.histogram.branch_history)
		return false;
	return !words->report.after_header && pager_mode != PAGER_ALWAYS &&
	       screen_is_possible() && !reader_header(c->reader)->is_pipe;
}

/* *ret: whether the browser was there; without one, the report is printed. */
static struct error *report_show_browser(struct report_command *c, bool *ret)
{
	_cleanup_(screen) struct screen *screen = NULL;
	struct error *err;

	*ret = false;
	if (c->words.tui && !screen_is_possible())
		return error_hint(error_new(ENOTTY, "The browser needs a terminal as standard input "
					    "and output"), "--stdio prints the report");
	err = screen_open(true, &screen);
	if (err && !c->words.tui) {
		log_notice("%s. The report is printed instead.", err->message);
		error_free(err);
		return NULL;
	}
	if (err)
		return err;
	*ret = true;
	if (call_graph_lists_chains(&c->words.report.histogram.graph))
		c->words.report.histogram.graph.mode = CALL_GRAPH_ABSOLUTE;
	c->source = (struct report_source){
		.reader = c->reader, .machine = c->machine, .selection = &c->selection,
		.report = &c->words.report, .samples = c->words.columns.samples,
		.reopen = report_reopen_source, .context = report_add_sample_context,
		.script = report_run_script,
	};
	err = report_browse(&c->source, screen);
	c->signal = screen_signal();
	return err;
}

static struct error *report_show(struct report_command *c)
{
	bool shown = false;
	struct error *err = NULL;

	if (report_wants_browser(c))
		err = report_show_browser(c, &shown);
	/* ^C in a browser is a way to quit. */
	if (!err && c->signal && c->signal != SIGINT)
		raise(c->signal);
	if (!err && !shown && c->words.report.histogram.kept_samples)
		log_notice("--samples has no effect on a printed report: its menus are in the "
			   "browser (--tui). 'ktrace script --time' prints the events of an "
			   "interval.");
	return err || shown ? err : report_print_as(c, "report");
}

/* Options for rows and columns of the printed table have no effect on a page. */
static struct error *check_page_options(const struct report_command *c)
{
	const struct histogram_options *histogram = &c->words.report.histogram;
	const struct { const char *name; bool given; } others[] = {
		{ "--sort", c->words.columns.keys }, { "--fields", c->words.columns.fields },
		{ "--comms", histogram->comms }, { "--dsos", histogram->dsos },
		{ "--symbols", histogram->symbols }, { "--symbol-filter", histogram->symbol_part },
		{ "--percent-limit", c->words.limit }, { "--call-graph", c->words.graph },
		{ "--field-separator", c->words.separator }, { "--tui", c->words.tui }, { "--stdio", c->words.stdio },
		{ "--header", c->words.report.after_header },
		{ "--branch-stack", c->words.branches }, { "--branch-history", histogram->branch_history }, { "--mem-mode", histogram->accesses },
		{ "--parent", c->words.parent }, { "--exclude-other", histogram->exclude_other },
		{ "--ignore-callees", histogram->ignored }, { "--max-stack", histogram->max_stack != CALLCHAIN_DEPTH },
		{ "--hide-unresolved", histogram->hide_unresolved },
		{ "--socket-filter", histogram->socket }, { "--samples", histogram->kept_samples },
		{ "--column-widths", c->words.widths },
	};

	for (size_t i = 0; i < ARRAY_SIZE(others); i++)
		if (others[i].given)
			return error_hint(error_new(EINVAL, "--html and %s cannot be combined",
						    others[i].name),
					  "The page shows all samples and chooses among them itself; "
					  "--cpu, --pid, --tid and --time are possible");
	return NULL;
}

/* Write the page of --html. */
static struct error *report_write_page(struct report_command *c)
{
	_cleanup_(report_diff) struct report_diff diff = { 0 };
	struct output_file output = {
		.selection = &c->selection,
		.request = {
			.recording = recording_first(&c->words.inputs),
			.report = &c->words.report,
			.view = c->words.view,
		},
	};
	struct error *err = check_page_options(c);

	if (!err && c->words.view && !word_in_list("graph,time,waits", c->words.view))
		err = error_new(EINVAL, "--view is graph, time or waits, not '%s'", c->words.view);
	if (!err)
		err = reader_read_header(c->reader);
	if (!err && c->words.others.nr)
		err = report_diff_read(&c->words, c->reader, &diff, &output.request.comparison);
	if (!err)
		err = recording_machine(c->reader, &c->words.symbols, &c->machine);
	if (!err)
		err = output_format_find("html", &output.format);
	output.reader = c->reader;
	output.machine = c->machine;
	if (!err)
		err = output_file_write(&output, c->words.html);
	if (!err && strcmp(c->words.html, "-"))
		log_notice("%s is complete: open it in a browser.", c->words.html);
	return err;
}

/* Print reports that need no counting.  *ret: whether such a report was requested. */
static struct error *report_print_other(struct report_command *c, bool *ret)
{
	const struct report_words *words = &c->words;
	const char *output = words->stats ? "stats" : words->dump ? "dump" :
			     words->tasks || words->report.task_maps ? "tasks" : NULL;
	const char *all = words->stats ? "--stats" : words->dump ? "-D" : NULL;

	*ret = output;
	if (all && !selection_is_everything(&c->selection))
		return error_hint(error_new(EINVAL, "%s shows all records, so that none can be "
					    "selected", all),
				  "Leave out %s, or --cpu, --pid, --tid and --time", all);
	if (words->report.task_maps && !words->stats && !words->dump) {
		struct error *err = recording_machine(c->reader, &words->symbols, &c->machine);

		if (err)
			return err;
	}
	return output ? report_print_as(c, output) : NULL;
}

static struct error *run_report(struct report_command *c)
{
	const struct report_words *words = &c->words;
	struct error *err = report_open(c);
	bool done;

	if (!err && (words->report.after_header || words->header_only))
		err = recording_print_header(c->reader, words->full_header);
	if (err || words->header_only)
		return err ? err : reader_take_failure(c->reader);
	err = report_print_other(c, &done);
	if (err || done)
		return err;
	if (words->html)
		return report_write_page(c);
	err = report_words_finish(&c->words, c->reader);
	if (err)
		return err;
	c->words.report.columns = terminal_columns();
	err = recording_machine(c->reader, &c->words.symbols, &c->machine);
	return err ? err : report_show(c);
}

struct error *cmd_report(int argc, char **argv, int *ret_status)
{
	struct report_command c = { .words.report.histogram.max_stack = CALLCHAIN_DEPTH };
	struct error *err;
	int index;

	err = report_words_parse(argc, argv, &c.words, &index);
	if (!err && index >= 0)
		err = run_report(&c);
	report_close(&c);
	report_words_deinit(&c.words);
	return err;
}
