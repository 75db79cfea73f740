// SPDX-License-Identifier: GPL-2.0
#include "cmd/stat/stat_command.h"

#include <math.h>
#include <stdlib.h>
#include <sys/time.h>

#include "lib/array.h"
#include "lib/escape.h"
#include "lib/interrupt.h"
#include "lib/log.h"
#include "table/stat/stat_versus.h"

/* Quantities that need no event. */
enum { VERSUS_ELAPSED, VERSUS_USER, VERSUS_SYS, VERSUS_TIMES };

struct stat_versus {
	struct stat_command *c;
	size_t nr_rows, nr_runs;	/* runs: of each command, completed by both */
	double *values;			/* by row, then by run: those of the first, of the second */
	struct stat_versus_row *rows;
	size_t columns;			/* room for the values of a row */
};

static double *stat_versus_value(const struct stat_versus *v, size_t row, size_t run, bool second)
{
	return &v->values[row * v->columns + second * (v->columns / 2) + run];
}

static double stat_versus_seconds(struct timeval time)
{
	return time.tv_sec + time.tv_usec / 1e6;
}

static void stat_versus_take(struct stat_versus *v, size_t run, bool second)
{
	const struct stat_command *c = v->c;
	const struct rusage *usage = &c->run.workload.usage;
	size_t nr = c->table.nr_events;

	for (size_t e = 0; e < nr; e++) {
		const struct stat_cell *cell = stat_table_cell(&c->table, e, 0);

		*stat_versus_value(v, e, run, second) = stat_cell_counted(cell) ?
			cell->value.mean : NAN;
		v->rows[e].shared |= stat_cell_counted(cell) && !stat_cell_whole(cell);
		v->rows[e].supported |= c->table.events[e].supported;
	}
	*stat_versus_value(v, nr + VERSUS_ELAPSED, run, second) = c->run.elapsed / 1e9;
	*stat_versus_value(v, nr + VERSUS_USER, run, second) = stat_versus_seconds(usage->ru_utime);
	*stat_versus_value(v, nr + VERSUS_SYS, run, second) = stat_versus_seconds(usage->ru_stime);
}

static struct error *stat_versus_run_one(struct stat_versus *v, size_t run, bool second)
{
	struct stat_command *c = v->c;
	const struct stat_options *o = c->options;
	struct error *err;

	c->run.command.argv = second ? o->versus : o->command;
	err = stat_command_count(c, NULL, NULL);
	if (!err)
		err = stat_command_read(c, c->run.elapsed, stat_command_usage(c));
	if (err)
		return err;
	c->status = c->run.limited ? 0 : workload_status(&c->run.workload);
	stat_table_whole(&c->table, c->run.elapsed);
	stat_versus_take(v, run, second);
	return NULL;
}

/* The runs are interleaved, and begin with either command in turns, so that drift hits both. */
static struct error *stat_versus_run_all(struct stat_versus *v)
{
	struct error *err = NULL;
	int failed = 0;

	for (size_t run = 0; run < v->columns / 2; run++) {
		for (int i = 0; i < 2; i++) {
			err = stat_versus_run_one(v, run, (run + i) % 2);
			if (err || interrupt_signal())
				return err;
			failed = failed ? failed : v->c->status;
		}
		v->nr_runs++;
	}
	v->c->status = failed;
	return NULL;
}

static void stat_versus_name_rows(struct stat_versus *v)
{
	static const char *const times[] = { "elapsed", "user", "sys" };
	const struct stat_table *t = &v->c->table;

	for (size_t e = 0; e < t->nr_events; e++)
		v->rows[e] = (struct stat_versus_row){
			.name = t->events[e].event->name, .unit = t->events[e].unit,
			.digits = t->events[e].scale == 1 ? 0 : 2,
		};
	for (size_t i = 0; i < VERSUS_TIMES; i++)
		v->rows[t->nr_events + i] = (struct stat_versus_row){
			.name = times[i], .unit = "sec", .digits = 6, .supported = true,
		};
}

/* Compare all known rows at once, because verdicts depend on their number. */
static struct error *stat_versus_compare(struct stat_versus *v)
{
	const struct difference_options options = { 0 };
	size_t nr = 2 * v->nr_runs, known = 0;
	_cleanup_free_ double *values = calloc(v->nr_rows * nr + 1, sizeof(*values));
	_cleanup_free_ struct difference *differences = NULL;
	struct error *err;

	differences = calloc(v->nr_rows + 1, sizeof(*differences));
	if (!values || !differences)
		return &error_no_memory;
	for (size_t row = 0; row < v->nr_rows; row++) {
		double *at = values + known * nr;

		v->rows[row].known = true;
		for (size_t i = 0; i < nr; i++) {
			at[i] = *stat_versus_value(v, row, i % v->nr_runs, i >= v->nr_runs);
			v->rows[row].known &= !isnan(at[i]);
		}
		known += v->rows[row].known;
	}
	err = differences_of(values, known, v->nr_runs, v->nr_runs, &options, differences);
	for (size_t row = 0, i = 0; !err && row < v->nr_rows; row++)
		if (v->rows[row].known)
			v->rows[row].difference = differences[i++];
	return err;
}

static void stat_versus_add_command(char *const *words, struct strbuf *out)
{
	size_t from = out->len;

	for (char *const *word = words; *word; word++)
		strbuf_addf(out, "%s%s", word == words ? "" : " ", *word);
	escape_controls(out, from);
}

static struct error *stat_versus_print(struct stat_versus *v)
{
	const struct stat_options *o = v->c->options;
	_cleanup_(strbuf) struct strbuf text = STRBUF_INIT;

	if (o->quiet)
		return NULL;
	if (o->layout.form == STAT_FORM_TEXT) {
		strbuf_addstr(&text, "\n Performance counter stats for '");
		stat_versus_add_command(o->command, &text);
		strbuf_addf(&text, "'\n versus '");
		stat_versus_add_command(o->versus, &text);
		strbuf_addf(&text, "' (%zu runs of each):\n\n", v->nr_runs);
	}
	stat_versus_add(&o->layout, v->rows, v->nr_rows, &text);
	if (o->layout.form == STAT_FORM_TEXT)
		strbuf_addch(&text, '\n');
	return stat_command_write(v->c, &text);
}

static void stat_versus_deinit(struct stat_versus *v)
{
	free(v->values);
	free(v->rows);
}

DEFINE_CLEANUP(stat_versus, struct stat_versus, stat_versus_deinit)

struct error *stat_versus_run(struct stat_command *c)
{
	const struct stat_options *o = c->options;
	_cleanup_(stat_versus) struct stat_versus v = {
		.c = c, .nr_rows = c->table.nr_events + VERSUS_TIMES,
		.columns = 2 * (size_t)o->runs,
	};
	struct error *err;

	v.values = calloc(v.nr_rows * v.columns, sizeof(*v.values));
	v.rows = calloc(v.nr_rows, sizeof(*v.rows));
	if (!v.values || !v.rows)
		return &error_no_memory;
	c->run = (struct counters_run){ .delay_ms = o->delay_ms, .timeout_ms = o->timeout_ms };
	stat_versus_name_rows(&v);
	err = stat_versus_run_all(&v);
	if (err)
		return err;
	if (v.nr_runs < 2)
		log_notice("Fewer than two runs of each command are complete, so their noise is not "
			   "known.");
	err = v.nr_runs ? stat_versus_compare(&v) : NULL;
	return err || !v.nr_runs ? err : stat_versus_print(&v);
}
