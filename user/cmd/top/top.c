// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "browser/screen.h"
#include "capture/choose.h"
#include "capture/task_events.h"
#include "cmd/command.h"
#include "cmd/live_run.h"
#include "cmd/record_options.h"
#include "cmd/recording.h"
#include "lib/cleanup.h"
#include "lib/color.h"
#include "lib/error.h"
#include "lib/interrupt.h"
#include "lib/log.h"
#include "lib/monotonic.h"
#include "session/callchain.h"
#include "symbol/symbol_files.h"
#include "table/profile/histogram_text.h"
#include "terminal/pager.h"

/* The options of `ktrace top`. */
struct top_options {
	struct record_options record;	/* for recording */
	struct report_options report;	/* how it is counted and shown */
	struct symbol_options symbols;
	const char *keys, *limit, *graph;
	unsigned int delay;		/* seconds between two refreshes */
	unsigned int entries;		/* lines of text; 0: as many as fit */
	bool zero, stdio, tui;
	bool hide_kernel, hide_user;
	bool samples;			/* -n */
	bool chains;			/* -g */
	bool children, no_children;
};

/* perf's keys: where samples are, whichever task runs there. */
#define TOP_DEFAULT_KEYS	"dso,sym"

/* perf's, in seconds. */
#define TOP_DEFAULT_DELAY	2

static struct error *top_parse_command_line(int argc, char **argv, struct top_options *o,
					    int *ret_index)
{
	struct record_options *r = &o->record;
	struct plan_options *p = &r->plan;
	struct target_options *t = &p->target;
	const struct option_spec options[] = {
		OPT_CALL("event", &r->specs, record_add_event),
		OPT_CALL("filter", &r->specs, record_add_filter),
		OPT_FLAG("all-cpus", &t->all_cpus),
		OPT_STRING("cpu", &t->cpus),
		OPT_STRING("pid", &t->pids),
		OPT_STRING("tid", &t->tids),
		OPT_STRING("uid", &t->user),
		OPT_FLAG("no-inherit", &t->no_inherit),
		OPT_UINT("count", &p->period),
		OPT_CALL("freq", &p->freq, record_parse_freq),
		OPT_CALL("mmap-pages", &p->pages, record_parse_pages),
		OPT_FLAG(NULL, &o->chains, .letter = 'g'),
		OPT_CALL("call-graph", r, record_parse_call_graph),
		OPT_FLAG("children", &o->children),
		OPT_FLAG("no-children", &o->no_children),
		OPT_STRING("sort", &o->keys),
		OPT_FLAG("show-nr-samples", &o->samples),
		OPT_FLAG("hide_kernel_symbols", &o->hide_kernel),
		OPT_FLAG("hide_user_symbols", &o->hide_user),
		OPT_STRING("percent-limit", &o->limit),
		OPT_STRING("comms", &o->report.histogram.comms),
		OPT_STRING("dsos", &o->report.histogram.dsos),
		OPT_STRING("symbols", &o->report.histogram.symbols),
		OPT_UINT("delay", &o->delay),
		OPT_FLAG("zero", &o->zero),
		OPT_UINT("entries", &o->entries),
		OPT_FLAG("stdio", &o->stdio),
		OPT_FLAG("tui", &o->tui),
		OPT_STRING("via", &p->via, .help = capture_choice_help()),
		RECORDING_SYMBOL_OPTIONS(o->symbols),
		OPT_FLAG("quiet", &log_quiet),
		OPT_COUNT("verbose", &log_verbosity),
		{ 0 },
	};
	static const struct option_values values[] = {
		{ .option = "sort", .add = histogram_keys_add_names },
		{ .option = "call-graph", .words = "auto,fp,dwarf,lbr" },
		{ .option = "via", .add = capture_choice_add_names },
		{ 0 },
	};
	const struct command_usage usage = {
		.name = "top",
		.synopsis = "[OPTIONS]",
		.details = ", refreshed every two seconds",
		.options = options,
		.values = values,
	};
	struct error *err = command_parse(&usage, argc, argv, ret_index);

	return err || *ret_index < 0 ? err : options_no_argument(&usage, argc, argv, *ret_index);
}

static struct error *top_parse_limit(struct top_options *o)
{
	char *end;

	if (!o->limit)
		return NULL;
	o->report.limit = strtod(o->limit, &end);
	if (end == o->limit || *end || !(o->report.limit >= 0 && o->report.limit <= 100))
		return error_new(EINVAL, "--percent-limit takes a number from 0 to 100, not '%s'",
				 o->limit);
	return NULL;
}

/*
 * Parse the command line.  *ret_index is below 0 if nothing is left to do, as after --help.  @ret
 * must not move afterwards.  On error it has to be released, too.
 */
static struct error *top_options_parse(int argc, char **argv, struct top_options *o, int *ret_index)
{
	struct record_options *r = &o->record;
	struct target_options *target = &r->plan.target;
	struct histogram_options *histogram = &o->report.histogram;
	struct error *err;

	*o = (struct top_options){
		.record = { .plan = { .specs = &r->specs, .clockid = -1 } },
		.delay = TOP_DEFAULT_DELAY,
		.report.histogram.max_stack = CALLCHAIN_DEPTH,
	};
	err = top_parse_command_line(argc, argv, o, ret_index);
	if (err || *ret_index < 0)
		return err;
	if (!target->cpus && !target->pids && !target->tids && !target->user)
		target->all_cpus = true;
	r->plan.sample_cpu = true;
	if (!o->delay)
		return error_hint(error_new(EINVAL, "-d takes a number of seconds, not 0"),
				  "The browser also reacts to keys at once");
	/* -g: the chains shall be right, by the cheapest way. */
	if (o->chains && !r->plan.callchain)
		r->plan.callchain = r->plan.auto_callchain = true;
	err = call_graph_options_parse(&histogram->graph, r->plan.callchain ? NULL : "none");
	if (!err)
		err = top_parse_limit(o);
	if (!err)
		err = histogram_keys_parse(histogram, o->keys ? o->keys : TOP_DEFAULT_KEYS);
	histogram->children = r->plan.callchain && !o->no_children;
	return err;
}

static void top_options_deinit(struct top_options *o)
{
	record_options_deinit(&o->record);
}
DEFINE_CLEANUP(top_options, struct top_options, top_options_deinit)

/* Interval between marks, after which records are counted. */
#define TOP_ROUND_MS	200

/* After this time the first rows are shown, however few they are. */
#define TOP_FIRST_MS	500

/* The size of a text that goes to no terminal, as perf has it. */
#define TEXT_LINES	25
#define TEXT_CELLS	80

/* The lines above the rows of a text. */
#define TEXT_HEAD	3

struct top {
	const struct top_options *options;
	struct live_run run;
	/* Samples go into the first; with --zero, the second is shown until the next refresh. */
	struct histograms *counted, *shown;
	struct session_consumer consumer, *inner;
	/* For annotations: of all samples since the start; NULL: text is printed. */
	struct function_counts *functions;
	struct source_texts *texts;
	struct browser browser;
	struct screen *screen;		/* NULL: text is printed */
	int input;			/* a copy of standard input, to wait for keys; -1 */
	bool zero;
	uint64_t refresh_at, refreshed_at;	/* ms */
	uint64_t kernel, user;		/* samples since the last refresh */
	uint64_t lost_before, dropped_before;	/* at the last refresh */
};

static void top_deinit(struct top *t)
{
	screen_close(t->screen);
	browser_deinit(&t->browser);
	histograms_destroy(t->counted);
	histograms_destroy(t->shown);
	function_counts_destroy(t->functions);
	source_texts_destroy(t->texts);
	live_run_deinit(&t->run);
	if (t->input >= 0)
		close(t->input);
}

DEFINE_CLEANUP(top, struct top, top_deinit)

static struct error *top_take_sample(struct session_consumer *consumer,
				     const struct session_record *r)
{
	struct top *t = container_of(consumer, struct top, consumer);
	bool kernel = r->sample.cpumode == PERF_RECORD_MISC_KERNEL;
	struct error *err = NULL;

	t->kernel += kernel;
	t->user += !kernel;
	if (kernel ? t->options->hide_kernel : t->options->hide_user)
		return NULL;
	if (t->functions)
		err = function_counts_add(t->functions, r);
	return err ? err : t->inner->sample(t->inner, r);
}

static struct error *top_take_other(struct session_consumer *consumer,
				    const struct session_record *r)
{
	struct top *t = container_of(consumer, struct top, consumer);

	return t->inner->other ? t->inner->other(t->inner, r) : NULL;
}

/* "4000Hz cpu-clock", and how the CPUs or tasks are called. */
static void top_add_source(const struct top *t, struct strbuf *out)
{
	const struct histogram *histogram = browser_histogram(&t->browser);
	const struct event *event = histogram ? histogram->event : NULL;
	const struct target_options *target = &t->options->record.plan.target;
	size_t cpus = t->run.plan.target.cpus.nr;

	for (size_t i = 0; i < t->run.plan.events.nr && !event; i++)
		if (!task_events_is(t->run.plan.events.items[i]))
			event = t->run.plan.events.items[i];
	strbuf_addch(out, '[');
	if (event && event->attr.freq)
		strbuf_addf(out, "%lluHz ", event->attr.sample_freq);
	else if (event)
		strbuf_addf(out, "%llu ", event->attr.sample_period);
	strbuf_addf(out, "%s], ", event ? event->name : "");
	if (target->pids)
		strbuf_addf(out, " (target_pid: %s", target->pids);
	else if (target->tids)
		strbuf_addf(out, " (target_tid: %s", target->tids);
	else if (target->user)
		strbuf_addf(out, " (uid: %s", target->user);
	else
		strbuf_addstr(out, target->cpus ? " (" : " (all");
	if (target->cpus)
		strbuf_addf(out, "CPU%s: %s)", cpus > 1 ? "s" : "", target->cpus);
	else
		strbuf_addf(out, ", %zu CPU%s)", cpus, cpus > 1 ? "s" : "");
}

/* The numbers of the time since the last refresh. */
struct top_rates {
	double samples;		/* a second */
	double kernel;		/* percent of them */
	uint64_t lost, dropped;	/* lost by the kernel; of no known event */
};

static struct top_rates top_take_rates(struct top *t, uint64_t now)
{
	uint64_t ms = now > t->refreshed_at ? now - t->refreshed_at : 1;
	uint64_t samples = t->kernel + t->user;
	const struct top_rates rates = {
		.samples = samples * 1000.0 / ms,
		.kernel = samples ? 100.0 * t->kernel / samples : 0,
		.lost = t->run.live.lost - t->lost_before,
		.dropped = t->run.session.corrupt - t->dropped_before,
	};

	t->kernel = t->user = 0;
	t->lost_before = t->run.live.lost;
	t->dropped_before = t->run.session.corrupt;
	t->refreshed_at = now;
	return rates;
}

/* How many rows are printed. */
static size_t top_text_lines(const struct top *t, size_t *ret_cells)
{
	struct winsize size;
	size_t lines = TEXT_LINES;

	*ret_cells = TEXT_CELLS;
	if (!ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) && size.ws_row && size.ws_col) {
		lines = size.ws_row;
		*ret_cells = size.ws_col;
	}
	if (t->options->entries)
		return t->options->entries;
	return lines > TEXT_HEAD + 1 ? lines - TEXT_HEAD - 1 : 1;
}

/* The text of perf top --stdio. */
static void top_print(struct top *t, const struct top_rates *rates)
{
	struct browser *b = &t->browser;
	_cleanup_(strbuf) struct strbuf out = STRBUF_INIT, line = STRBUF_INIT;
	size_t cells, lines = top_text_lines(t, &cells);

	strbuf_addf(&out, "   PerfTop:%8.0f irqs/sec  kernel:%4.1f%%  exact:  0.0%% "
		    "lost: %" PRIu64 "/%" PRIu64 " drop: %" PRIu64 "/%" PRIu64 " ",
		    rates->samples, rates->kernel, rates->lost, t->run.live.lost, rates->dropped,
		    t->run.session.corrupt);
	top_add_source(t, &out);
	strbuf_addch(&out, '\n');
	for (size_t i = 0; i + 1 < cells; i++)
		strbuf_addch(&out, '-');
	strbuf_addstr(&out, "\n\n");
	row_columns_fit(&b->columns, &b->rows, &b->view, cells);
	for (size_t i = 0; i < b->rows.nr && i < lines; i++) {
		struct row_part part;

		strbuf_reset(&line);
		row_text_add(&line, &b->columns, &b->rows, &b->view, &b->rows.items[i], &part);
		strbuf_add(&out, strbuf_str(&line), part.from);
		strbuf_addstr(&out, color_on(part.role));
		strbuf_add(&out, strbuf_str(&line) + part.from, part.len);
		strbuf_addstr(&out, color_off(part.role));
		strbuf_addf(&out, "%s\n", strbuf_str(&line) + part.from + part.len);
	}
	/* Printed text is escaped, but these control sequences are ours. */
	fflush(stdout);
	if (pager_is_terminal() && write(STDOUT_FILENO, "\033[H\033[2J", 7) < 0)
		return;
	fwrite(strbuf_str(&out), 1, out.len, stdout);
	fflush(stdout);
}

static void top_tell_rates(struct top *t, const struct top_rates *rates)
{
	struct strbuf *state = &t->browser.state;

	strbuf_reset(state);
	strbuf_addf(state, "%.0f/s, kernel %.1f%%, lost %" PRIu64 "/%" PRIu64 ", drop %" PRIu64
		    "/%" PRIu64 " ", rates->samples, rates->kernel, rates->lost, t->run.live.lost,
		    rates->dropped, t->run.session.corrupt);
	top_add_source(t, state);
	t->browser.lost = t->run.live.lost;
}

static struct error *top_begin_at_zero(struct top *t)
{
	struct histograms *counted = t->counted;
	struct error *err = NULL;

	if (!t->shown)
		err = histograms_create(&t->options->report.histogram, &t->shown);
	if (!err)
		err = histograms_clear(t->shown);
	if (err)
		return err;
	t->counted = t->shown;
	t->shown = counted;
	t->inner = histograms_consumer(t->counted);
	return browser_swap_histograms(&t->browser, t->shown);
}

static struct error *top_refresh(struct top *t, uint64_t now)
{
	struct top_rates rates = top_take_rates(t, now);
	struct error *err;

	t->refresh_at = now + t->options->delay * 1000;
	top_tell_rates(t, &rates);
	if (t->zero)
		err = top_begin_at_zero(t);
	else
		err = browser_swap_histograms(&t->browser, t->counted);
	if (err)
		return err;
	if (t->screen)
		screen_show(t->screen, &t->browser);
	else
		top_print(t, &rates);
	if (t->zero)
		return NULL;
	err = histograms_decay(t->counted);
	if (err)
		return err;
	/* Keys may show rows at any time, so that all counts must be there again. */
	return t->screen ? browser_refresh(&t->browser) : NULL;
}

static struct error *top_turn(struct loop_consumer *consumer, bool *ret_end)
{
	struct top *t = container_of(consumer, struct top, run.live.consumer);
	struct error *err = live_run_take(&t->run, &t->consumer, NULL);
	uint64_t now = monotonic_ms();

	if (err)
		return err;
	if (t->screen && screen_take_keys(t->screen, &t->browser))
		screen_show(t->screen, &t->browser);
	*ret_end = t->browser.ended || ferror(stdout);
	if (*ret_end || t->browser.frozen || now < t->refresh_at)
		return NULL;
	return top_refresh(t, now);
}

static void top_set_zero(void *data, bool zero)
{
	struct top *t = data;

	t->zero = zero;
}

static struct error *top_write(void *data, struct strbuf *ret_message)
{
	struct top *t = data;
	_cleanup_free_ char *path = perf_file_timed_path("perf.data");
	double seconds = live_records_kept_ms(&t->run.live) / 1000.0;
	struct perf_file file = { 0 };
	struct error *err;

	if (!path)
		return &error_no_memory;
	err = live_records_write(&t->run.live, path, &file);
	if (!err)
		strbuf_addf(ret_message, "Wrote the last %.1f s, %" PRIu64 " samples, to %s.",
			    seconds, file.samples, path);
	return err;
}

static struct error *top_write_requested(struct loop_consumer *consumer)
{
	struct top *t = container_of(consumer, struct top, run.live.consumer);
	_cleanup_(strbuf) struct strbuf message = STRBUF_INIT;
	struct error *err = top_write(t, &message);

	if (!err)
		log_notice("%s", strbuf_str(&message));
	return err;
}

static struct error *top_open_screen(struct top *t)
{
	const struct top_options *o = t->options;
	struct error *err;

	if (o->tui && !screen_is_possible())
		return error_hint(error_new(ENOTTY, "The browser needs a terminal as standard input "
					    "and output"), "--stdio prints text");
	if ((o->stdio && !o->tui) || !screen_is_possible())
		return NULL;
	err = screen_open(false, &t->screen);
	if (err && !o->tui) {
		log_notice("%s. Text is printed instead.", err->message);
		error_free(err);
		return NULL;
	}
	if (!err)
		err = function_counts_create(&t->functions);
	if (!err)
		err = source_texts_create(NULL, 0, &t->texts);
	t->browser.listings.source = (struct listing_source){
		.machine = t->run.machine, .functions = t->functions, .texts = t->texts,
		.events = plan_seen(&t->run.plan),
	};
	if (!err)
		t->input = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3);
	return err;
}

static struct error *top_begin(struct top *t)
{
	const struct top_options *o = t->options;
	struct error *err = histograms_create(&o->report.histogram, &t->counted);

	if (!err)
		err = formats_create(&t->run.formats);
	if (err)
		return err;
	t->inner = histograms_consumer(t->counted);
	t->consumer = (struct session_consumer){
		.sample = top_take_sample, .other = top_take_other,
	};
	browser_init(&t->browser, &o->report, plan_seen(&t->run.plan), t->counted);
	t->browser.live = true;
	t->browser.zero = t->zero = o->zero;
	t->browser.view.samples = o->samples;
	t->browser.hooks = (struct browser_hooks){
		.data = t, .write = top_write, .zero = top_set_zero,
	};
	return live_run_begin(&t->run, &o->symbols);
}

static struct error *top_run(struct top *t)
{
	struct error *err;

	/* The tasks of the machine are read before the browser opens. */
	err = live_run_take(&t->run, &t->consumer, NULL);
	if (!err)
		err = top_open_screen(t);
	if (err)
		return err;
	if (!t->screen)
		expansions_set_all(&t->browser.view.expansions, true);
	t->run.live.consumer.turn = top_turn;
	t->run.live.consumer.requested = top_write_requested;
	t->run.live.consumer.input = t->input >= 0 ? t->input : 0;
	t->run.recorder.loop.latency_ms = TOP_ROUND_MS;
	t->refreshed_at = monotonic_ms();
	t->refresh_at = t->refreshed_at + (t->screen ? TOP_FIRST_MS : t->options->delay * 1000);
	err = recorder_start(&t->run.recorder);
	if (!err && t->screen)
		screen_show(t->screen, &t->browser);
	return err ? err : live_run_loop(&t->run);
}

static struct error *top_with(const struct top_options *options, int argc, char **argv)
{
	const struct workload_options no_command = { 0 };
	_cleanup_(top) struct top t = { .options = options, .input = -1 };
	struct error *err;

	t.run.info.argc = argc;
	t.run.info.argv = argv;
	err = plan_init(&options->record.plan, &t.run.plan);
	if (!err)
		err = recorder_open(&t.run.plan, &no_command, &t.run.recorder);
	if (!err)
		err = top_begin(&t);
	if (!err)
		err = top_run(&t);
	if (err)
		return err;
	screen_close(take_ptr(t.screen));
	captures_print_chains(&t.run.recorder.captures);
	live_run_tell_lost(&t.run, "samples", "or fewer samples (-F) help");
	return NULL;
}

struct error *cmd_top(int argc, char **argv, int *ret_status)
{
	_cleanup_(top_options) struct top_options options;
	struct error *err;
	int index;

	interrupt_begin();
	err = top_options_parse(argc, argv, &options, &index);
	if (err || index < 0)
		return err;
	err = top_with(&options, argc, argv);
	return interrupt_quit(err);
}
