// SPDX-License-Identifier: GPL-2.0
#include "cmd/stat/stat_command.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cmd/command.h"
#include "cmd/recording.h"
#include "cmd/stat_metrics.h"
#include "counts/stat_table.h"
#include "lib/escape.h"
#include "perfdata/reader.h"

struct stat_report {
	struct session_consumer consumer;
	const struct stat_layout *layout;
	const struct header *header;
	struct reader *reader;
	struct stat_counts counts;
	struct stat_table table;
	struct stat_metrics metrics;
	bool has_metrics;	/* their formulas exist */
	bool by_set[STAT_BY_THREAD + 1];
	bool any;		/* there was a round */
	uint64_t before;	/* the time of the last round, ns */
	const char *input;
};

/* Returns the CPU or thread of a counter, which is added if it is new. */
static size_t stat_report_place(const struct stat_counts *counts, const struct stat_counter *c,
				struct stat_place *places, size_t *nr)
{
	struct stat_place place = { .cpu = c->cpu, .tid = stat_counts_pid(counts, c) };
	size_t i;

	if (c->thread < counts->nr_pids)
		memcpy(place.comm, counts->comms[c->thread], sizeof(place.comm));
	for (i = 0; i < *nr; i++)
		if (places[i].cpu == place.cpu && places[i].tid == place.tid)
			return i;
	places[(*nr)++] = place;
	return i;
}

static enum stat_by stat_report_by(const struct stat_report *r)
{
	static const enum stat_by by[] = {
		[BODY_STAT_BY_CPU] = STAT_BY_CPU, [BODY_STAT_BY_NOTHING] = STAT_BY_ALL,
		[BODY_STAT_BY_SOCKET] = STAT_BY_SOCKET, [BODY_STAT_BY_DIE] = STAT_BY_DIE,
		[BODY_STAT_BY_CORE] = STAT_BY_CORE, [BODY_STAT_BY_THREAD] = STAT_BY_THREAD,
		[BODY_STAT_BY_NODE] = STAT_BY_NODE,
	};

	for (size_t i = 0; i <= STAT_BY_THREAD; i++)
		if (r->by_set[i])
			return i;
	return by[r->counts.by];
}

/* CPUs are sorted into cores by this machine's topology, so it has to be the recorded machine. */
static struct error *stat_report_check(const struct stat_report *r, enum stat_by by)
{
	if (by == STAT_BY_ALL || by == STAT_BY_CPU || by == STAT_BY_THREAD ||
	    header_is_local(r->header))
		return NULL;
	return error_hint(error_new(EOPNOTSUPP, "The recording is from another machine, and the "
				    "cores and sockets of its CPUs are unknown"),
			  "-A shows each CPU by itself");
}

static struct error *stat_report_add_metrics(struct stat_report *r, const struct event_list *events,
					     bool whole_cpus)
{
	struct stat_metrics *m = &r->metrics;
	struct error *err = NULL;

	m->formulas.nr_cpus = r->header->nr_cpus_available;
	m->formulas.nr_cpus_online = r->header->nr_cpus_online;
	if (!r->has_metrics && (m->names.nr || m->files.nr))
		err = stat_metrics_find_recorded(m, whole_cpus, events);
	r->has_metrics = true;
	if (!err && m->formulas.nr)
		r->table.formulas = &m->formulas;
	return err;
}

static struct error *stat_report_fill(struct stat_report *r, const struct event_list *events)
{
	const struct stat_counts *counts = &r->counts;
	struct stat_place *places = calloc(counts->nr + 1, sizeof(*places));
	size_t *at = calloc(counts->nr + 1, sizeof(*at)), nr = 0;
	enum stat_by by = stat_report_by(r);
	struct error *err = places && at ? stat_report_check(r, by) : &error_no_memory;

	stat_table_deinit(&r->table);
	for (size_t i = 0; !err && i < counts->nr; i++)
		at[i] = stat_report_place(counts, &counts->items[i], places, &nr);
	if (!err && nr && places[0].cpu == STAT_ANY_CPU && by != STAT_BY_THREAD)
		by = STAT_BY_ALL;
	if (!err)
		err = stat_table_init(events, places, nr, by, &r->table);
	for (size_t e = 0; !err && e < events->nr; e++)
		r->table.events[e].supported = events->items[e]->nr_ids;
	for (size_t i = 0; !err && i < counts->nr; i++)
		stat_table_put(&r->table, counts->items[i].event->index, at[i],
			       stat_counts_difference(&counts->items[i]));
	r->table.raw = counts->raw;
	if (!err)
		err = stat_report_add_metrics(r, events, nr && places[0].cpu != STAT_ANY_CPU);
	free(places);
	free(at);
	return err;
}

static void stat_report_add_title(const struct stat_report *r, struct strbuf *out)
{
	size_t from;

	strbuf_addstr(out, "\n Performance counter stats for '");
	from = out->len;
	for (char **word = r->header->cmdline; word && *word; word++)
		strbuf_addf(out, "%s%s", word == r->header->cmdline ? "" : " ", *word);
	if (!r->header->cmdline)
		strbuf_addstr(out, "pipe");
	escape_controls(out, from);
	strbuf_addstr(out, "':\n\n");
}

static struct error *stat_report_round(struct stat_report *r, uint64_t time)
{
	const struct stat_layout *layout = r->layout;
	const struct stat_footer footer = { .elapsed = &r->table.elapsed };
	_cleanup_(strbuf) struct strbuf text = STRBUF_INIT;
	bool is_interval = r->counts.interval_ms, is_text = layout->form == STAT_FORM_TEXT;

	stat_table_end_run(&r->table, time - r->before);
	r->before = time;
	if (is_interval && !r->any)
		stat_text_add_heading(layout, &r->table, &text);
	if (!is_interval && is_text)
		stat_report_add_title(r, &text);
	if (layout->metric_only && !r->any)
		stat_text_add_metric_names(layout, &r->table, is_interval, &text);
	stat_text_add_rows(layout, &r->table, is_interval ? &time : NULL, &text);
	if (!is_interval && is_text)
		stat_text_add_footer(&footer, &text);
	r->any = true;
	if (text.failed)
		return &error_no_memory;
	/* As in perf, the table is on standard error. */
	fwrite(strbuf_str(&text), 1, text.len, stderr);
	if (!is_interval && is_text)
		stat_metrics_tell(&r->table);
	return NULL;
}

static struct error *stat_report_other(struct session_consumer *consumer,
				       const struct session_record *record)
{
	struct stat_report *r = container_of(consumer, struct stat_report, consumer);
	struct error *err;
	uint64_t time;
	bool round;

	err = stat_counts_apply(&r->counts, record, &round, &time);
	if (err || !round)
		return err;
	err = stat_report_fill(r, record->events);
	if (!err)
		err = stat_report_round(r, time);
	stat_counts_begin_round(&r->counts);
	return err;
}

static struct error *stat_report_run(struct stat_report *r)
{
	static const struct selection everything;
	struct stat st;
	struct error *err;

	/* As perf does, read a pipe on standard input without being asked to. */
	if (!r->input && !fstat(STDIN_FILENO, &st) && S_ISFIFO(st.st_mode))
		r->input = "-";
	err = recording_open(r->input, &r->reader);
	if (err)
		return err;
	r->header = reader_header(r->reader);
	r->consumer.other = stat_report_other;
	err = recording_run(r->reader, NULL, &everything, &r->consumer, true, NULL);
	if (err || r->any)
		return err;
	return error_hint(error_new(ENODATA, "The recording holds no counts"),
			  "'ktrace stat record' makes recordings of counts; 'ktrace script' shows "
			  "samples");
}

struct error *stat_report(const struct stat_layout *layout, int argc, char **argv)
{
	struct stat_report r = { .layout = layout };
	const struct option_spec options[] = {
		RECORDING_INPUT_OPTION(r.input),
		OPT_FLAG("no-aggr", &r.by_set[STAT_BY_CPU]),
		OPT_FLAG("per-core", &r.by_set[STAT_BY_CORE]),
		OPT_FLAG("per-die", &r.by_set[STAT_BY_DIE]),
		OPT_FLAG("per-socket", &r.by_set[STAT_BY_SOCKET]),
		OPT_FLAG("per-node", &r.by_set[STAT_BY_NODE]),
		OPT_CALL("metrics", &r.metrics.names, stat_metrics_add_word),
		STAT_METRIC_FILE_OPTION(r.metrics),
		{ 0 },
	};
	const struct command_usage usage = {
		.name = "stat report", .synopsis = "[OPTIONS] [-i FILE]",
		.options = options,
	};
	struct error *err;
	int index;

	err = command_parse(&usage, argc, argv, &index);
	if (!err && index >= 0 && index < argc)
		err = error_hint(error_new(EINVAL, "stat report takes no argument '%s'",
					   argv[index]), "-i FILE names the recording");
	else if (!err && index >= 0)
		err = stat_report_run(&r);
	stat_metrics_deinit(&r.metrics);
	stat_counts_deinit(&r.counts);
	stat_table_deinit(&r.table);
	reader_close(r.reader);
	return err;
}
