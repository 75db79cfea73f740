// SPDX-License-Identifier: GPL-2.0
#include "table/diff/comparison_text.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/array.h"
#include "lib/color.h"
#include "lib/escape.h"
#include "terminal/terminal.h"

#define FORMULA_WIDTH	70
#define PERIOD_WIDTH	14
#define DELTA_WIDTH	7
#define NAME_MIN	16

/* The numbers of a row that come from one column. */
struct compared {
	uint64_t period;
	double percent, value;
	bool is_there;		/* the column has the row */
	bool has_value;
};

struct compared_row {
	const struct comparison_row *row;
	struct compared *columns;
	size_t position;		/* in the event */
};

struct comparison_text {
	const struct comparison_event *event;
	const struct comparison_text_options *options;
	struct strbuf *out;
	uint64_t *totals;		/* by column */
	struct compared_row *rows;
	struct compared *memory;
	size_t nr;
	struct difference **verdicts;	/* by column, of rows of the event; NULL: none */
	struct comparison_basis *bases;
	size_t widths[COMPARISON_KEYS_MAX];
	struct strbuf cell;
	bool is_first;			/* the next cell begins a line */
};

static uint64_t side_period(const struct comparison_row *row, const struct comparison_side *side)
{
	uint64_t period = 0;

	for (size_t i = 0; i < side->nr; i++)
		period += row->cells[side->files[i]].period;
	return period;
}

static bool side_has(const struct comparison_row *row, const struct comparison_side *side)
{
	for (size_t i = 0; i < side->nr; i++)
		if (row->cells[side->files[i]].samples)
			return true;
	return false;
}

static double percent_of_period(uint64_t part, uint64_t whole)
{
	return whole ? 100.0 * part / whole : 0;
}

/* Compute perf's value for a row that @c's column has. */
static void compute(const struct comparison_text_options *o, const struct compared *base,
		    struct compared *c)
{
	switch (o->compute) {
	case COMPUTE_DELTA:
	case COMPUTE_DELTA_ABS:
		c->value = c->percent - base->percent;
		c->has_value = true;
		break;
	case COMPUTE_RATIO:
		c->has_value = base->is_there && base->period;
		c->value = c->has_value ? (double)c->period / base->period : 0;
		break;
	case COMPUTE_WDIFF:
		c->has_value = base->is_there;
		c->value = (double)c->period * o->weights[1] - (double)base->period * o->weights[0];
		break;
	}
}

static void fill_row(const struct comparison_text *t, struct compared_row *r)
{
	const struct comparison_text_options *o = t->options;

	for (size_t i = 0; i < o->nr_columns; i++) {
		const struct comparison_side *side = &o->columns[i].side;
		struct compared *c = &r->columns[i];

		c->period = side_period(r->row, side);
		c->percent = percent_of_period(c->period, t->totals[i]);
		c->is_there = side_has(r->row, side);
		if (i && c->is_there)
			compute(o, &r->columns[0], c);
	}
}

static bool is_in_all(const struct comparison_text *t, const struct comparison_row *row)
{
	for (size_t i = 0; i < t->options->nr_columns; i++)
		if (!side_has(row, &t->options->columns[i].side))
			return false;
	return true;
}

static int compare_doubles(double a, double b)
{
	return a > b ? -1 : a < b;
}

/* Sort by the computed value; rows that the column does not have come last. */
static int compare_computed(const struct compared *p, const struct compared *q, bool by_size)
{
	if (p->is_there != q->is_there)
		return p->is_there ? -1 : 1;
	if (p->has_value != q->has_value)
		return p->has_value ? -1 : 1;
	if (!p->has_value)
		return 0;
	return by_size ? compare_doubles(fabs(p->value), fabs(q->value)) :
			 compare_doubles(p->value, q->value);
}

static int compare_compared_rows(const void *a, const void *b, void *data)
{
	const struct compared_row *x = a, *y = b;
	const struct comparison_text *t = data;
	unsigned int order = t->options->order;
	bool by_size = t->options->compute == COMPUTE_DELTA_ABS;
	int result = 0;

	if (order)
		result = compare_computed(&x->columns[order], &y->columns[order], by_size);
	if (!result)
		result = array_descending(x->columns->period, y->columns->period);
	for (size_t i = 1; !result && i < t->options->nr_columns; i++) {
		result = compare_computed(&x->columns[i], &y->columns[i], by_size);
		if (!result)
			result = array_descending(x->columns[i].period, y->columns[i].period);
	}
	for (size_t i = 0; !result && t->options->comparison->keys[i]; i++)
		result = strcmp(x->row->texts[i], y->row->texts[i]);
	return result;
}

/* As in perf, shares of the baseline are then those of the rows that are there. */
static void rescale_baseline(struct comparison_text *t)
{
	uint64_t total = 0;

	for (size_t i = 0; i < t->nr; i++)
		total += t->rows[i].columns->period;
	for (size_t i = 0; i < t->nr; i++)
		t->rows[i].columns->percent = percent_of_period(t->rows[i].columns->period, total);
}

/* Choose the rows, compute their numbers, and sort them; false: out of memory. */
static bool make_rows(struct comparison_text *t)
{
	const struct comparison_text_options *o = t->options;
	size_t rows = t->event->rows.nr;

	t->totals = calloc(o->nr_columns, sizeof(*t->totals));
	t->rows = calloc(rows + 1, sizeof(*t->rows));
	t->memory = calloc((rows + 1) * o->nr_columns, sizeof(*t->memory));
	if (!t->totals || !t->rows || !t->memory)
		return false;
	for (size_t i = 0; i < o->nr_columns; i++)
		for (size_t k = 0; k < o->columns[i].side.nr; k++)
			t->totals[i] += t->event->files[o->columns[i].side.files[k]].period;
	for (size_t i = 0; i < rows; i++) {
		struct compared_row r = {
			.row = t->event->rows.items[i], .columns = t->memory + i * o->nr_columns,
			.position = i,
		};

		if (o->baseline_only && !is_in_all(t, r.row))
			continue;
		fill_row(t, &r);
		t->rows[t->nr++] = r;
	}
	if (o->baseline_only)
		rescale_baseline(t);
	if (t->nr)
		qsort_r(t->rows, t->nr, sizeof(*t->rows), compare_compared_rows, t);
	return true;
}

static struct error *make_verdicts(struct comparison_text *t)
{
	const struct comparison_text_options *o = t->options;
	struct error *err = NULL;

	t->verdicts = calloc(o->nr_columns, sizeof(*t->verdicts));
	t->bases = calloc(o->nr_columns, sizeof(*t->bases));
	if (!t->verdicts || !t->bases)
		return &error_no_memory;
	for (size_t i = 1; i < o->nr_columns && o->verdicts && !err; i++) {
		t->verdicts[i] = calloc(t->event->rows.nr + 1, sizeof(**t->verdicts));
		if (!t->verdicts[i])
			return &error_no_memory;
		err = comparison_judge_event(t->event, &o->columns[0].side, &o->columns[i].side,
					     o->absolute, &o->difference, t->verdicts[i],
					     &t->bases[i]);
	}
	return err;
}

/* Append the text in t->cell as a cell. */
static void put_cell(struct comparison_text *t, size_t width, bool left, enum color_role role)
{
	const char *text = strbuf_str(&t->cell);
	size_t taken = terminal_width(text), pad = taken < width ? width - taken : 0;

	if (t->options->separator)
		pad = 0;
	if (!t->is_first)
		strbuf_addstr(t->out, t->options->separator ? t->options->separator : "  ");
	else if (!t->options->separator)
		strbuf_addstr(t->out, "  ");
	t->is_first = false;
	strbuf_add_spaces(t->out, left ? 0 : pad);
	strbuf_addstr(t->out, color_on(role));
	strbuf_addstr(t->out, text);
	strbuf_addstr(t->out, color_off(role));
	strbuf_add_spaces(t->out, left ? pad : 0);
	strbuf_reset(&t->cell);
}

/* "Delta" or, if there are several columns, "Delta/1"; the width of its cells. */
static size_t add_column_title(const struct comparison_text *t, const char *title, size_t column,
			struct strbuf *out)
{
	size_t from = out->len;

	strbuf_addstr(out, title);
	if (t->options->nr_columns > 2)
		strbuf_addf(out, "/%zu", column);
	return out->len - from;
}

/* Whether the line of titles is printed, or the dots below it, or a row. */
enum line_of_table { TITLES, DOTS, ROW };

static const char *const compute_titles[] = {
	[COMPUTE_DELTA_ABS] = "Delta Abs", [COMPUTE_DELTA] = "Delta", [COMPUTE_RATIO] = "Ratio",
	[COMPUTE_WDIFF] = "Weighted diff",
};

/* Put a cell of titles or dots, and return the width of the column; a row only gets that. */
static size_t put_title(struct comparison_text *t, enum line_of_table line, const char *title,
			size_t column, size_t at_least, bool left)
{
	_cleanup_(strbuf) struct strbuf text = STRBUF_INIT;
	size_t width = add_column_title(t, title, column, &text);

	width = width < at_least ? at_least : width;
	if (line == TITLES)
		strbuf_addstr(&t->cell, strbuf_str(&text));
	for (size_t i = 0; line == DOTS && i < width; i++)
		strbuf_addch(&t->cell, '.');
	if (line != ROW)
		put_cell(t, width, left, COLOR_NONE);
	return width;
}

static void add_value_text(struct comparison_text *t, const struct compared *c)
{
	enum comparison_compute by = t->options->compute;

	if (!c->is_there)
		return;
	if (!c->has_value)
		strbuf_addstr(&t->cell, "N/A");
	else if (by == COMPUTE_RATIO)
		strbuf_addf(&t->cell, "%.6f", c->value);
	else if (by == COMPUTE_WDIFF)
		strbuf_addf(&t->cell, "%.0f", c->value);
	else
		strbuf_addf(&t->cell, "%+.2f%%", c->value);
}

static void add_formula(struct comparison_text *t, const struct compared_row *r, size_t column)
{
	const struct compared *base = &r->columns[0], *c = &r->columns[column];
	const struct comparison_text_options *o = t->options;

	if (!c->is_there)
		return;
	if (o->compute == COMPUTE_RATIO)
		strbuf_addf(&t->cell, "%" PRIu64 " / %" PRIu64, c->period, base->period);
	else if (o->compute == COMPUTE_WDIFF)
		strbuf_addf(&t->cell, "(%" PRIu64 " * %" PRId64 ") - (%" PRIu64 " * %" PRId64 ")",
			    c->period, o->weights[1], base->period, o->weights[0]);
	else
		strbuf_addf(&t->cell, "(%" PRIu64 " * 100 / %" PRIu64 ") - (%" PRIu64 " * 100 / %"
			    PRIu64 ")", c->period, t->totals[column], base->period, t->totals[0]);
}

static void add_change(struct strbuf *out, const struct difference *d)
{
	if (isnan(d->detectable))
		return;
	if (d->verdict >= DIFFERENCE_MORE && d->before > 0)
		strbuf_addf(out, "%+.1f%%", 100 * d->change / d->before);
	else if (d->verdict >= DIFFERENCE_MORE)
		strbuf_addstr(out, "new");
	else if (d->before > 0 && d->detectable < 10 * d->before)
		strbuf_addf(out, "<%.1f%%", 100 * d->detectable / d->before);
}

static void put_verdict(struct comparison_text *t, enum line_of_table line,
			const struct compared_row *r, size_t column)
{
	size_t width = put_title(t, line, "Verdict", column, 10, true);
	const struct difference *d = r ? &t->verdicts[column][r->position] : NULL;

	if (d) {
		strbuf_addstr(&t->cell, difference_word(d->verdict));
		put_cell(t, width, true, d->verdict == DIFFERENCE_MORE ? COLOR_ERROR :
			 d->verdict == DIFFERENCE_LESS ? COLOR_GOOD :
			 d->verdict == DIFFERENCE_NONE ? COLOR_NONE : COLOR_FAINT);
	}
	width = put_title(t, line, "Change", column, 7, false);
	if (d) {
		add_change(&t->cell, d);
		put_cell(t, width, false, COLOR_NONE);
	}
}

static void put_period(struct comparison_text *t, enum line_of_table line, const char *title,
		       const struct compared_row *r, size_t column)
{
	size_t width = put_title(t, line, title, column, PERIOD_WIDTH, false);

	if (!r)
		return;
	if (!column || r->columns[column].is_there)
		strbuf_addf(&t->cell, "%" PRIu64, r->columns[column].period);
	put_cell(t, width, false, COLOR_NONE);
}

/* Put the cells of one column behind the baseline. */
static void put_column(struct comparison_text *t, enum line_of_table line,
		       const struct compared_row *r, size_t column)
{
	const struct comparison_text_options *o = t->options;
	bool wide = o->compute == COMPUTE_RATIO || o->compute == COMPUTE_WDIFF;
	size_t width = put_title(t, line, compute_titles[o->compute], column,
				 wide ? PERIOD_WIDTH : DELTA_WIDTH, false);

	if (r) {
		add_value_text(t, &r->columns[column]);
		put_cell(t, width, false, COLOR_NONE);
	}
	if (o->formula) {
		width = put_title(t, line, "Formula", column, FORMULA_WIDTH, false);
		if (r) {
			add_formula(t, r, column);
			put_cell(t, width, false, COLOR_NONE);
		}
	}
	if (o->periods)
		put_period(t, line, "Period", r, column);
	if (o->verdicts)
		put_verdict(t, line, r, column);
}

/* Whether only one value is asked for, so that the key needs no column, as in perf. */
static bool is_hidden(const struct comparison_options *o, enum comparison_key key)
{
	const char *list = key == COMPARE_COMM ? o->comms : key == COMPARE_DSO ? o->dsos :
			   key == COMPARE_SYMBOL ? o->symbols : NULL;

	return list && !strchr(list, ',');
}

static void put_keys(struct comparison_text *t, enum line_of_table line,
		     const struct compared_row *r)
{
	static const char *const titles[] = {
		[COMPARE_COMM] = "Command", [COMPARE_DSO] = "Shared Object",
		[COMPARE_SYMBOL] = "Symbol", [COMPARE_PID] = "    Pid:Command", [COMPARE_CPU] = "CPU",
	};
	const uint8_t *keys = t->options->comparison->keys;

	for (size_t i = 0; keys[i]; i++) {
		if (is_hidden(t->options->comparison, keys[i]))
			continue;
		if (r) {
			terminal_add_cut(&t->cell, r->row->texts[i], t->widths[i]);
			escape_line_ends(&t->cell, 0);
		}
		if (line == TITLES)
			strbuf_addstr(&t->cell, titles[keys[i]]);
		for (size_t k = 0; line == DOTS && k < t->widths[i]; k++)
			strbuf_addch(&t->cell, '.');
		put_cell(t, keys[i + 1] ? t->widths[i] : 0, true, COLOR_NONE);
	}
}

static void put_table_line(struct comparison_text *t, enum line_of_table line,
		     const struct compared_row *r)
{
	const struct comparison_text_options *o = t->options;
	size_t from = t->out->len, width;

	t->is_first = true;
	width = put_title(t, line, "Baseline", 0, 0, false);
	if (r) {
		if (r->columns[0].is_there)
			strbuf_addf(&t->cell, "%.2f%s", r->columns[0].percent, o->separator ? "" : "%");
		put_cell(t, width, false, color_of_percent(r->columns[0].percent));
	}
	if (o->periods)
		put_period(t, line, "Base period", r, 0);
	for (size_t i = 1; i < o->nr_columns; i++)
		put_column(t, line, r, i);
	put_keys(t, line, r);
	strbuf_addch(t->out, '\n');
	if (line == ROW || t->out->failed)
		return;
	if (o->separator) {
		/* "# " before the titles is also there with a separator. */
		_cleanup_free_ char *text = strdup(t->out->data + from);

		t->out->len = from;
		strbuf_addf(t->out, "# %s", text ? text : "");
	} else {
		t->out->data[from] = '#';
	}
}

/* Make the columns of names as wide as their names, if the terminal is wide enough. */
static void measure_keys(struct comparison_text *t)
{
	static const size_t least[] = {
		[COMPARE_COMM] = 7, [COMPARE_DSO] = 13, [COMPARE_SYMBOL] = 6,
		[COMPARE_PID] = 15, [COMPARE_CPU] = 3,
	};
	_cleanup_(strbuf) struct strbuf text = STRBUF_INIT;
	struct strbuf *out = t->out;
	size_t total, used, last = 0;

	for (size_t i = 0; t->options->comparison->keys[i]; i++) {
		t->widths[i] = least[t->options->comparison->keys[i]];
		for (size_t k = 0; k < t->nr; k++) {
			size_t width = terminal_width(t->rows[k].row->texts[i]);

			t->widths[i] = width > t->widths[i] ? width : t->widths[i];
		}
		last = i;
	}
	if (!t->options->width || t->options->separator)
		return;
	t->out = &text;
	put_table_line(t, DOTS, NULL);
	t->out = out;
	total = terminal_width(strbuf_str(&text)) - 1;
	for (size_t i = last + 1; i-- > 0 && total > t->options->width; ) {
		used = total - t->options->width;
		if (t->widths[i] <= NAME_MIN ||
		    is_hidden(t->options->comparison, t->options->comparison->keys[i]))
			continue;
		used = used < t->widths[i] - NAME_MIN ? used : t->widths[i] - NAME_MIN;
		t->widths[i] -= used;
		total -= used;
	}
}

/* The name that an event has in the recordings of a column; NULL: they do not have it. */
static const char *comparison_name_in(const struct comparison_text *t, size_t column)
{
	const struct comparison_side *side = &t->options->columns[column].side;
	const char *name = NULL;

	for (size_t i = 0; i < side->nr && !name; i++)
		name = t->event->files[side->files[i]].name;
	return name;
}

static const char *words_of_column(const struct comparison_text *t, size_t column)
{
	const char *name = t->options->columns[column].name;

	return name ? name : column ? "the runs behind --" : "the runs before --";
}

/* Append how the counts differ; false: one side does not have the event. */
static bool comparison_add_counts(const struct comparison_text *t, size_t column)
{
	const char *before = comparison_name_in(t, 0), *after = comparison_name_in(t, column);

	if (!before || !after) {
		strbuf_addf(t->out, "# The event was recorded only in %s, not in %s.\n",
			    words_of_column(t, before ? 0 : column),
			    words_of_column(t, before ? column : 0));
		return false;
	}
	if (strcmp(before, after))
		strbuf_addf(t->out, "# In %s it is the event '%s'.\n", words_of_column(t, column),
			    after);
	strbuf_addf(t->out, "# Event count: %" PRIu64 ", then %" PRIu64, t->totals[0],
		    t->totals[column]);
	if (t->totals[0])
		strbuf_addf(t->out, " (%+.2f%%)",
			    100 * ((double)t->totals[column] / t->totals[0] - 1));
	strbuf_addstr(t->out, ".\n");
	return true;
}

static void add_basis(struct comparison_text *t)
{
	const struct comparison_text_options *o = t->options;

	for (size_t i = 1; i < o->nr_columns; i++) {
		const struct comparison_basis *b = &t->bases[i];

		if (!comparison_add_counts(t, i))
			continue;
		if (b->runs)
			strbuf_addf(t->out, "# Verdicts compare the %s of %zu and %zu runs.\n",
				    o->absolute ? "costs" : "shares", b->before, b->after);
		else
			strbuf_addf(t->out, "# Verdicts compare the %s in %zu blocks of %zu samples "
				    "and %zu of %zu.\n", o->absolute ? "costs" : "shares", b->before,
				    b->block_size[0], b->after, b->block_size[1]);
		if (!b->runs)
			strbuf_addstr(t->out, "# One run of each does not show how much runs "
				      "differ: diff A1 A2 A3 -- B1 B2 B3.\n");
	}
	strbuf_addstr(t->out, "# Change: of the row; '<': larger changes would have shown.\n#\n");
}

static void comparison_text_add_head(struct comparison_text *t)
{
	const struct comparison_text_options *o = t->options;

	strbuf_addstr(t->out, "# Event '");
	strbuf_addstr(t->out, t->event->name);
	strbuf_addstr(t->out, "'\n#\n");
	if (o->nr_columns > 2) {
		strbuf_addstr(t->out, "# Data files:\n");
		for (size_t i = 0; i < o->nr_columns; i++)
			strbuf_addf(t->out, "#  [%zu] %s %s\n", i, o->columns[i].name,
				    i ? "" : "(Baseline)");
		strbuf_addstr(t->out, "#\n");
	}
	if (o->verdicts)
		add_basis(t);
	put_table_line(t, TITLES, NULL);
	if (!o->separator) {
		put_table_line(t, DOTS, NULL);
		strbuf_addstr(t->out, "#\n");
	}
}

static void comparison_text_deinit(struct comparison_text *t)
{
	for (size_t i = 0; t->verdicts && i < t->options->nr_columns; i++)
		free(t->verdicts[i]);
	free(t->verdicts);
	free(t->bases);
	free(t->totals);
	free(t->rows);
	free(t->memory);
	strbuf_deinit(&t->cell);
}
DEFINE_CLEANUP(comparison_text, struct comparison_text, comparison_text_deinit)

struct error *comparison_text_add(const struct comparison_event *event,
				  const struct comparison_text_options *options,
				  struct strbuf *ret)
{
	_cleanup_(comparison_text) struct comparison_text t = {
		.event = event, .options = options, .out = ret, .cell = STRBUF_INIT,
	};
	struct error *err;

	if (!make_rows(&t))
		return &error_no_memory;
	err = make_verdicts(&t);
	if (err)
		return err;
	measure_keys(&t);
	if (!options->quiet)
		comparison_text_add_head(&t);
	for (size_t i = 0; i < t.nr; i++)
		put_table_line(&t, ROW, &t.rows[i]);
	return ret->failed || t.cell.failed ? &error_no_memory : NULL;
}
