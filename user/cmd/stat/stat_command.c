// SPDX-License-Identifier: GPL-2.0
#include "cmd/stat/stat_command.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "capture/feature.h"
#include "cmd/command.h"
#include "cmd/stat/stat_record.h"
#include "counts/stat_metric.h"
#include "lib/array.h"
#include "lib/escape.h"
#include "lib/file.h"
#include "lib/interrupt.h"
#include "lib/log.h"
#include "lib/new_file.h"
#include "recorder/counters.h"
#include "table/stat/stat_text.h"

/* As in perf, the names of columns are repeated after so many intervals. */
#define HEADING_EVERY	25

void stat_command_deinit(struct stat_command *c)
{
	stat_recording_deinit(&c->recording);
	stat_table_deinit(&c->table);
	counters_deinit(&c->counters);
	free(c->elapsed.items);
	if (c->out && c->close_out)
		fclose(c->out);
}

/* ---- the output ------------------------------------------------------------- */

struct error *stat_command_open(struct stat_command *c)
{
	const struct stat_options *o = c->options;
	const char *mode = o->append ? "ae" : "we";
	time_t now = time(NULL);
	struct error *err;

	c->out = stderr;
	if (o->quiet)
		return NULL;
	if (o->log_fd) {
		int fd = fcntl(o->log_fd, F_DUPFD_CLOEXEC, 3);

		c->out = fd < 0 ? NULL : fdopen(fd, mode);
		c->close_out = true;
		return c->out ? NULL : error_errno(errno, "Cannot write to descriptor %u (--log-fd)",
						   o->log_fd);
	}
	if (!o->output || o->record || !strcmp(o->output, "-"))
		return NULL;
	err = new_file_check(o->output);
	if (err)
		return err;
	c->out = fopen(o->output, mode);
	c->close_out = true;
	if (!c->out)
		return error_errno(errno, "Cannot write %s", o->output);
	/* Programs that read folded lines know no comments. */
	if (o->layout.form != STAT_FORM_FOLDED)
		fprintf(c->out, "# started on %s\n", ctime(&now));
	return NULL;
}

struct error *stat_command_write(struct stat_command *c, const struct strbuf *text)
{
	if (text->failed)
		return &error_no_memory;
	/* Flush the command's output first, because the counts go to the same destination. */
	fflush(stdout);
	if (fwrite(strbuf_str(text), 1, text->len, c->out) < text->len || fflush(c->out))
		return error_errno(errno, "Cannot write the counts");
	return NULL;
}

void stat_command_add_title(const struct stat_command *c, struct strbuf *out)
{
	const struct stat_options *o = c->options;
	const struct target_options *t = &o->counters.target;
	size_t from;

	strbuf_addstr(out, "\n Performance counter stats for ");
	from = out->len;
	if (t->all_cpus || t->every_thread)
		strbuf_addstr(out, "'system wide");
	else if (t->cpus)
		strbuf_addf(out, "'CPU(s) %s", t->cpus);
	else if (t->pids)
		strbuf_addf(out, "process id '%s", t->pids);
	else if (t->tids)
		strbuf_addf(out, "thread id '%s", t->tids);
	else if (t->user)
		strbuf_addf(out, "user '%s", t->user);
	else
		for (int i = 0; i < o->argc; i++)
			strbuf_addf(out, "%s%s", i ? " " : "'", o->command[i]);
	escape_controls(out, from);
	strbuf_addstr(out, "'");
	if (c->table.elapsed.nr > 1)
		strbuf_addf(out, " (%zu runs)", c->table.elapsed.nr);
	strbuf_addstr(out, ":\n\n");
}

/* The sums over all CPUs and threads, before any scaling. */
static void stat_add_raw(const struct stat_table *t, struct strbuf *out)
{
	for (size_t e = 0; e < t->nr_events; e++) {
		struct stat_count sum = { 0 };

		for (size_t i = 0; i < t->nr_places; i++) {
			const struct stat_count *count = &t->now[e * t->nr_places + i];

			sum.value += count->value;
			sum.enabled += count->enabled;
			sum.running += count->running;
		}
		strbuf_addf(out, "%s: %" PRIu64 " %" PRIu64 " %" PRIu64 "\n",
			    t->events[e].event->name, sum.value, sum.enabled, sum.running);
	}
}

static struct error *stat_print_whole(struct stat_command *c, const struct rusage *usage)
{
	const struct stat_options *o = c->options;
	const struct stat_footer footer = {
		.elapsed = &c->table.elapsed, .usage = usage,
		.runs = o->table ? c->elapsed.items : NULL,
		.nothing_above = !c->table.nr_events,
	};
	_cleanup_(strbuf) struct strbuf text = STRBUF_INIT, rows = STRBUF_INIT;
	struct stat_layout layout = o->layout;
	bool is_text = layout.form == STAT_FORM_TEXT;

	if (o->quiet)
		return NULL;
	if (is_text)
		stat_command_add_title(c, &text);
	if (layout.metric_only)
		stat_text_add_metric_names(&layout, &c->table, false, &text);
	stat_text_add_rows(&layout, &c->table, NULL, &rows);
	if (o->interval_ms && layout.form == STAT_FORM_CSV && !o->no_summary_mark) {
		for (char *at = rows.data, *end; at && (end = strchr(at, '\n')); at = end + 1)
			strbuf_addf(&text, "%16s%s%.*s\n", "summary", layout.separator,
				    (int)(end - at), at);
	} else {
		strbuf_addstr(&text, strbuf_str(&rows));
	}
	if (is_text)
		stat_text_add_footer(&footer, &text);
	text.failed |= rows.failed;
	return stat_command_write(c, &text);
}

static struct error *stat_print_interval(struct stat_command *c, uint64_t elapsed)
{
	const struct stat_options *o = c->options;
	_cleanup_(strbuf) struct strbuf text = STRBUF_INIT;

	if (o->quiet)
		return NULL;
	if (o->clear)
		strbuf_addstr(&text, "\33[H\33[2J");
	if (o->clear || !(c->nr_intervals % HEADING_EVERY)) {
		stat_text_add_heading(&o->layout, &c->table, &text);
		if (o->layout.metric_only && (!c->nr_intervals || o->layout.form == STAT_FORM_TEXT))
			stat_text_add_metric_names(&o->layout, &c->table, true, &text);
	}
	c->nr_intervals++;
	stat_text_add_rows(&o->layout, &c->table, &elapsed, &text);
	return stat_command_write(c, &text);
}

/* ---- notes about the numbers ------------------------------------------------- */

static bool stat_is_hardware(const struct event *event)
{
	return event->attr.type == PERF_TYPE_HARDWARE || event->attr.type == PERF_TYPE_HW_CACHE ||
	       event->attr.type == PERF_TYPE_RAW;
}

/* Append "{a,b}" for each group of more than one event. */
static void stat_add_groups(const struct stat_table *t, struct strbuf *out)
{
	for (size_t i = 0; i < t->nr_events; i++) {
		const struct event *event = t->events[i].event;
		bool begins = !i || t->events[i - 1].event->group != event->group;
		bool ends = i + 1 == t->nr_events || t->events[i + 1].event->group != event->group;

		if (event->group)
			strbuf_addf(out, "%s%s%s", begins ? out->len ? " {" : "{" : ",", event->name,
				    ends ? "}" : "");
	}
}

static void stat_tell_shared(const struct stat_table *t)
{
	_cleanup_(strbuf) struct strbuf groups = STRBUF_INIT;
	size_t nr = 0;

	for (size_t e = 0; e < t->nr_events; e++) {
		bool shared = false;

		for (size_t s = 0; s < t->nr_sets; s++) {
			const struct stat_cell *cell = stat_table_cell(t, e, s);

			shared |= stat_cell_counted(cell) && !stat_cell_whole(cell);
		}
		nr += shared;
	}
	if (!nr)
		return;
	stat_add_groups(t, &groups);
	log_notice("%zu of %zu events had to share the counters of the processor.  Their numbers are "
		   "%s the part of the time in parentheses%s%s%s.", nr, t->nr_events,
		   t->raw ? "those of" : "extrapolated from",
		   groups.len ? "; counted at the same time were only " : "", strbuf_str(&groups),
		   groups.len ? "" : ", and no two of them were counted at the same time");
}

static void stat_tell_apart(const struct stat_table *t)
{
	for (size_t e = 0; e < t->nr_events; e++) {
		struct stat_metric metrics[STAT_METRICS_MAX];
		size_t nr = t->nr_sets && stat_cell_counted(stat_table_cell(t, e, 0)) ?
			stat_metrics_find(t, e, 0, metrics) : 0;

		for (size_t i = 0; i < nr; i++) {
			if (!metrics[i].apart)
				continue;
			log_notice("%s is not computed for %s, because %s was counted at other times; "
				   "-e '{%s,%s}' counts both at once.", metrics[i].unit,
				   t->events[e].event->name, metrics[i].apart->name,
				   metrics[i].apart->name, t->events[e].event->name);
			return;
		}
	}
}

/* Only the whole time has the resource usage of the command. */
static void stat_tell_measured(const struct stat_command *c)
{
	bool missing = false;

	for (size_t e = 0; e < c->table.nr_events; e++)
		missing |= stat_tool(c->table.events[e].event) > EVENT_TOOL_DURATION;
	if (!missing || (!c->options->interval_ms && stat_command_usage(c)))
		return;
	if (!c->options->command)
		log_notice("user_time and system_time are the times of the command, which is "
			   "missing.");
	else
		log_notice("user_time and system_time are known only after a command has ended, so "
			   "%s.", !c->options->interval_ms ? "this one has none" :
			   c->options->summary ? "intervals have none" :
			   "intervals have none; --summary shows those of the whole time");
}

void stat_command_tell(const struct stat_command *c)
{
	bool any = false;

	if (c->options->layout.form != STAT_FORM_TEXT || c->options->quiet)
		return;
	for (size_t e = 0; e < c->table.nr_events; e++)
		any |= !c->table.events[e].supported && stat_is_hardware(c->table.events[e].event);
	if (any && !feature_perf(FEATURE_PERF_CYCLES))
		log_notice("This machine has no PMU, or a virtual machine hides it, so it counts no "
			   "hardware events.");
	stat_tell_measured(c);
	stat_tell_shared(&c->table);
	stat_tell_apart(&c->table);
	stat_metrics_tell(&c->table);
}

/* ---- counting ---------------------------------------------------------------- */

struct error *stat_command_init(struct stat_command *c)
{
	const struct counters *counters = &c->counters;
	const struct capture_target *places = &counters->places;
	struct stat_place *items = calloc(counters->nr_places + 1, sizeof(*items));
	struct error *err;

	if (!items)
		return &error_no_memory;
	for (size_t i = 0; i < counters->nr_places; i++) {
		_cleanup_free_ char *comm = NULL;
		char path[64];

		if (!places->tasks) {
			items[i] = (struct stat_place){ .cpu = places->cpus->cpus[i], .tid = -1 };
			continue;
		}
		items[i] = (struct stat_place){ .cpu = STAT_ANY_CPU, .tid = places->tasks[i] };
		snprintf(path, sizeof(path), "/proc/%d/comm", places->tasks[i]);
		error_free(file_read_text(path, &comm));
		if (comm)
			snprintf(items[i].comm, sizeof(items[i].comm), "%s", comm);
	}
	err = stat_table_init(&counters->events, items, counters->nr_places, c->options->by,
			      &c->table);
	c->table.raw = c->options->raw;
	if (c->options->metrics.formulas.nr)
		c->table.formulas = &c->options->metrics.formulas;
	free(items);
	return err;
}

const struct rusage *stat_command_usage(const struct stat_command *c)
{
	return c->run.workload.reaped ? &c->run.workload.usage : NULL;
}

static uint64_t stat_ns(struct timeval time)
{
	return time.tv_sec * 1000000000ULL + time.tv_usec * 1000ULL;
}

/* An event measured by the tool itself has one value, stored for one CPU or thread. */
static void stat_measure(const struct event *event, uint64_t elapsed, const struct rusage *usage,
			 struct capture_count *count)
{
	uint64_t value = elapsed;

	switch (stat_tool(event)) {
	case EVENT_TOOL_NONE:
		return;
	case EVENT_TOOL_DURATION:
		break;
	case EVENT_TOOL_USER:
		value = usage ? stat_ns(usage->ru_utime) : 0;
		elapsed = usage ? elapsed : 0;
		break;
	case EVENT_TOOL_SYSTEM:
		value = usage ? stat_ns(usage->ru_stime) : 0;
		elapsed = usage ? elapsed : 0;
		break;
	}
	count->value = value;
	count->enabled = elapsed;
	count->running = elapsed;
}

struct error *stat_command_read(struct stat_command *c, uint64_t elapsed,
				const struct rusage *usage)
{
	struct error *err = NULL;

	for (size_t e = 0; e < c->table.nr_events; e++) {
		bool supported = false;

		for (size_t i = 0; !err && i < c->table.nr_places; i++) {
			struct capture_count count;

			err = counters_read(&c->counters, c->table.events[e].event, i, &count);
			if (err)
				return err;
			supported |= count.is_counted;
			if (!i)
				stat_measure(c->table.events[e].event, elapsed, usage, &count);
			else if (stat_tool(c->table.events[e].event))
				count = (struct capture_count){ .is_counted = true };
			stat_table_put(&c->table, e, i, (struct stat_count){
				count.value, count.enabled, count.running });
		}
		c->table.events[e].supported = supported;
	}
	return NULL;
}

static struct error *stat_begin_recording(void *data)
{
	struct stat_command *c = data;
	const struct stat_options *o = c->options;

	return stat_recording_begin(&c->recording, o->output ? o->output : "perf.data",
				    &c->counters, &c->table, o->interval_ms);
}

static struct error *stat_end_interval(void *data, uint64_t elapsed)
{
	struct stat_command *c = data;
	struct error *err = stat_command_read(c, elapsed, NULL);
	uint64_t before = c->elapsed.nr ? c->elapsed.items[c->elapsed.nr - 1] : 0;

	if (err)
		return err;
	c->elapsed.nr = 0;
	if (!array_push(&c->elapsed, (double)elapsed))
		return &error_no_memory;
	stat_table_end_run(&c->table, elapsed - before);
	if (c->recording.writer)
		err = stat_recording_round(&c->recording, &c->table, false, elapsed);
	if (!err)
		err = stat_print_interval(c, elapsed);
	stat_table_begin_interval(&c->table);
	return err;
}

struct error *stat_command_count(struct stat_command *c, struct error *(*count)(void *data),
				 void *data)
{
	const struct stat_options *o = c->options;
	struct error *err;

	if (o->pre && system(o->pre))
		return error_new(0, "The command of --pre failed, so nothing is counted: %s", o->pre);
	if (o->sync)
		sync();
	err = count ? count(data) : counters_run(&c->counters, &c->run);
	/* The counts are there already, and worth to be shown. */
	if (!err && o->post && system(o->post))
		log_warning("The command of --post failed: %s", o->post);
	return err;
}

static struct error *stat_end_run(struct stat_command *c)
{
	_cleanup_(strbuf) struct strbuf raw = STRBUF_INIT;
	struct error *err = stat_command_read(c, c->run.elapsed, stat_command_usage(c));

	if (err)
		return err;
	stat_table_begin_run(&c->table);
	stat_table_end_run(&c->table, c->run.elapsed);
	if (c->recording.writer)
		err = stat_recording_round(&c->recording, &c->table, true, c->run.elapsed);
	if (err)
		return err;
	if (!array_push(&c->elapsed, (double)c->run.elapsed))
		return &error_no_memory;
	if (log_verbosity && c->options->layout.form == STAT_FORM_TEXT && !c->options->quiet)
		stat_add_raw(&c->table, &raw);
	return stat_command_write(c, &raw);
}

static struct error *stat_run_once(struct stat_command *c)
{
	const struct stat_options *o = c->options;
	struct error *err = stat_command_count(c, NULL, NULL);

	if (err)
		return err;
	if (o->command && !c->run.limited)
		c->status = workload_status(&c->run.workload);
	if (o->interval_ms && (!o->nr_intervals || c->nr_intervals < o->nr_intervals))
		err = stat_end_interval(c, c->run.elapsed);
	else if (!o->interval_ms && !(interrupt_signal() && c->elapsed.nr))
		err = stat_end_run(c);
	return err;
}

struct error *stat_command_run(struct stat_command *c)
{
	struct stat_options *o = c->options;
	const struct target_options *t = &o->counters.target;
	bool own = !t->all_cpus && !t->cpus && !t->pids && !t->tids && !t->user && !t->every_thread;
	const struct rusage *usage = own && o->command && o->runs == 1 ? &c->run.workload.usage :
									 NULL;
	struct error *err = NULL;

	c->run = (struct counters_run){
		.command = { .argv = o->command },
		.begin_disabled = o->begin_disabled, .control = &o->control,
		.delay_ms = o->delay_ms, .interval_ms = o->interval_ms,
		.nr_intervals = o->nr_intervals, .timeout_ms = o->timeout_ms,
		.opened = o->record ? stat_begin_recording : NULL,
		.interval = stat_end_interval, .data = c,
	};
	for (unsigned int i = 0; !err && (!o->runs || i < o->runs) && !interrupt_signal(); i++)
		err = stat_run_once(c);
	if (!err && c->recording.writer)
		err = stat_recording_finish(&c->recording);
	if (err)
		return err;
	if (!o->interval_ms)
		return stat_print_whole(c, usage);
	if (!o->summary)
		return NULL;
	err = stat_command_read(c, c->run.elapsed, stat_command_usage(c));
	if (err)
		return err;
	stat_table_whole(&c->table, c->run.elapsed);
	return stat_print_whole(c, usage);
}
