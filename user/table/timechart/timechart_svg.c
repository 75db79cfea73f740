// SPDX-License-Identifier: GPL-2.0
#include "table/timechart/timechart_svg.h"

#include <inttypes.h>
#include <stdlib.h>

#include "lib/array.h"
#include "lib/xml.h"
#include "table/timechart/svg_chart.h"

/* All in pixels. */
#define CHART_BAR	16	/* of a CPU */
#define CHART_FREQUENCY	14
#define CHART_SLEEP	4	/* of blocked tasks */

enum chart_kind {
	CHART_RUNS, CHART_MARKED, CHART_WAITS, CHART_IDLE,
	CHART_KINDS = SVG_LANE_KINDS,
};

/* The last one also stands for all deeper ones. */
#define CHART_IDLE_STATES	(CHART_KINDS - CHART_IDLE)

static const char *const chart_classes[CHART_KINDS] = {
	"r", "m", "w", "i0", "i1", "i2", "i3", "i4", "i5", "i6", "i7", "i8",
};

static const char *const chart_names[CHART_KINDS] = {
	"running", "highlighted, running", "waiting for a CPU", "idle state 0", "idle state 1",
	"idle state 2", "idle state 3", "idle state 4", "idle state 5", "idle state 6",
	"idle state 7", "idle state 8 and deeper",
};

struct chart_svg {
	const struct timechart *chart;
	const struct timechart_svg_options *options;
	struct svg_chart page;
	ARRAY_OF(size_t) cpus;	/* numbers of CPUs, in the order of their rows */
	size_t *rows;		/* for each task, its row + 1 */
	uint32_t max_khz;	/* 0: no frequency is known */
	uint32_t idle_states;	/* a bit for each that occurs */
	bool shows_wakeups, hidden_wakeups;
};

/* ---- layout --------------------------------------------------------------- */

static const struct cpu_runs *chart_runs(const struct chart_svg *c, size_t cpu)
{
	const struct task_stays *stays = c->chart->stays;

	return cpu < stays->cpus.nr && stays->cpus.items[cpu].nr ? &stays->cpus.items[cpu] : NULL;
}

static const struct power_cpu *chart_power(const struct chart_svg *c, size_t cpu)
{
	if (c->options->no_power || cpu >= c->chart->power.cpus.nr)
		return NULL;
	return &c->chart->power.cpus.items[cpu];
}

static unsigned int chart_idle_kind(uint32_t state)
{
	return CHART_IDLE + (state < CHART_IDLE_STATES ? state : CHART_IDLE_STATES - 1);
}

static void chart_learn_power(struct chart_svg *c, const struct power_cpu *power)
{
	for (size_t i = 0; i < power->idle.nr; i++)
		c->idle_states |= 1u << chart_idle_kind(power->idle.items[i].value);
	for (size_t i = 0; i < power->frequency.nr; i++)
		if (c->max_khz < power->frequency.items[i].value)
			c->max_khz = power->frequency.items[i].value;
}

static int32_t chart_header_number(const int32_t *items, size_t nr, size_t cpu)
{
	return cpu < nr ? items[cpu] : -1;
}

static bool chart_cpu_is_before(const struct header *header, size_t a, size_t b)
{
	int32_t x = chart_header_number(header->sockets.items, header->sockets.nr, a);
	int32_t y = chart_header_number(header->sockets.items, header->sockets.nr, b);

	if (x != y)
		return x < y;
	x = chart_header_number(header->cores.items, header->cores.nr, a);
	y = chart_header_number(header->cores.items, header->cores.nr, b);
	return x < y;
}

static struct error *chart_add_cpu(struct chart_svg *c, size_t cpu)
{
	size_t at;

	if (!array_push(&c->cpus, cpu))
		return &error_no_memory;
	for (at = c->cpus.nr - 1; at && c->options->by_topology; at--) {
		if (!chart_cpu_is_before(c->options->header, cpu, c->cpus.items[at - 1]))
			break;
		c->cpus.items[at] = c->cpus.items[at - 1];
		c->cpus.items[at - 1] = cpu;
	}
	return NULL;
}

static struct error *chart_begin(struct chart_svg *c)
{
	const struct timechart *chart = c->chart;
	size_t most = chart->stays->cpus.nr;
	struct error *err = NULL;

	if (most < chart->power.cpus.nr)
		most = chart->power.cpus.nr;
	for (size_t cpu = 0; cpu < most && !err; cpu++) {
		const struct power_cpu *power = chart_power(c, cpu);

		if (power)
			chart_learn_power(c, power);
		if (chart_runs(c, cpu) || (power && (power->idle.nr || power->frequency.nr)))
			err = chart_add_cpu(c, cpu);
	}
	c->rows = calloc(chart->stays->tasks.nr + 1, sizeof(*c->rows));
	if (!err && !c->rows)
		err = &error_no_memory;
	for (size_t i = 0; i < chart->tasks.nr && !err; i++)
		c->rows[chart->tasks.items[i].task - chart->stays->tasks.items] = i + 1;
	return err ? err : svg_chart_init(&c->page, c->options->width, chart->begin, chart->end);
}

static void chart_end(struct chart_svg *c)
{
	svg_chart_deinit(&c->page);
	free(c->cpus.items);
	free(c->rows);
}

static double chart_cpu_height(const struct chart_svg *c)
{
	return CHART_BAR + 6 + (c->max_khz ? CHART_FREQUENCY + 2 : 0);
}

/* ---- texts ---------------------------------------------------------------- */

static void chart_add_task(struct strbuf *out, const struct stayed_task *task)
{
	strbuf_addf(out, "%s:%" PRId32, task->comm, task->tid);
}

/* ---- CPUs ----------------------------------------------------------------- */

static bool chart_is_marked(const struct chart_svg *c, const struct stayed_task *task,
			    uint64_t ns)
{
	const struct timechart_svg_options *o = c->options;

	if (!o->marked && !o->marked_ns)
		return false;
	return (!o->marked || timechart_is_named(task, o->marked)) && ns > o->marked_ns;
}

static void chart_add_run(struct chart_svg *c, const struct stayed_task *task, uint64_t begin,
			  uint64_t end)
{
	_cleanup_(strbuf) struct strbuf title = STRBUF_INIT;
	enum chart_kind kind = chart_is_marked(c, task, end - begin) ? CHART_MARKED : CHART_RUNS;

	if (svg_lane_take(&c->page.lane, kind, begin, end))
		return;
	chart_add_task(&title, task);
	strbuf_addstr(&title, " ran");
	svg_chart_add_span(&title, begin, end);
	svg_chart_box(&c->page, chart_classes[kind], begin, end, c->page.lane.y,
		      c->page.lane.height, strbuf_str(&title), task->comm);
}

/* Returns how long the CPU was busy, in ns. */
static uint64_t chart_add_runs(struct chart_svg *c, const struct cpu_runs *runs)
{
	uint64_t busy = 0;

	for (size_t i = 0; i < runs->nr; i++) {
		uint64_t begin = i ? runs->items[i].since : c->chart->begin;
		uint64_t end = i + 1 < runs->nr ? runs->items[i + 1].since : c->chart->end;
		size_t task = runs->items[i].task;

		if (!task || task > c->chart->stays->tasks.nr)
			continue;
		busy += end - begin;
		if (c->chart->stays->tasks.items[task - 1].comm)
			chart_add_run(c, &c->chart->stays->tasks.items[task - 1], begin, end);
	}
	return busy;
}

static void chart_add_idle(struct chart_svg *c, const struct power_track *track)
{
	for (size_t i = 0; i < track->nr; i++) {
		const struct power_span *span = &track->items[i];
		unsigned int kind = chart_idle_kind(span->value);
		_cleanup_(strbuf) struct strbuf title = STRBUF_INIT;

		if (svg_lane_take(&c->page.lane, kind, span->since, span->until))
			continue;
		strbuf_addf(&title, "idle state %" PRIu32, span->value);
		svg_chart_add_span(&title, span->since, span->until);
		svg_chart_box(&c->page, chart_classes[kind], span->since, span->until,
			      c->page.lane.y, c->page.lane.height, strbuf_str(&title), NULL);
	}
}

static void chart_add_khz(struct strbuf *out, uint32_t khz)
{
	if (khz >= 1000000)
		strbuf_addf(out, "%" PRIu32 ".%02" PRIu32 " GHz", khz / 1000000,
			    khz % 1000000 / 10000);
	else
		strbuf_addf(out, "%" PRIu32 " MHz", khz / 1000);
}

/* Append the line between two instants. */
static void chart_add_step(const struct chart_svg *c, uint64_t begin, uint64_t end, double khz,
			   double y, struct strbuf *path)
{
	strbuf_addch(path, path->len ? 'L' : 'M');
	svg_add_number(path, svg_x(&c->page.scale, begin));
	strbuf_addch(path, ' ');
	svg_add_number(path, y + CHART_FREQUENCY * (1 - khz / c->max_khz));
	strbuf_addch(path, 'H');
	svg_add_number(path, svg_x(&c->page.scale, end));
}

/* Frequencies that last less than a pixel are drawn as their mean. */
static void chart_add_frequency(struct chart_svg *c, const struct power_track *track, double y)
{
	_cleanup_(strbuf) struct strbuf path = STRBUF_INIT;
	uint32_t lowest = UINT32_MAX, highest = 0;
	uint64_t since = 0;
	bool begun = false;
	double sum = 0;

	for (size_t i = 0; i < track->nr; i++) {
		const struct power_span *span = &track->items[i];

		if (!begun)
			since = span->since;
		begun = true;
		sum += (double)span->value * (span->until - span->since);
		lowest = span->value < lowest ? span->value : lowest;
		highest = span->value > highest ? span->value : highest;
		if (span->until == since ||
		    (span->until - since < svg_pixel(&c->page.scale) && i + 1 < track->nr))
			continue;
		chart_add_step(c, since, span->until, sum / (span->until - since), y, &path);
		begun = false;
		sum = 0;
	}
	if (!path.len)
		return;
	strbuf_addf(&c->page.body, "<path class=\"f\" d=\"%s\"><title>", strbuf_str(&path));
	chart_add_khz(&c->page.body, lowest);
	if (highest != lowest) {
		strbuf_addstr(&c->page.body, " to ");
		chart_add_khz(&c->page.body, highest);
	}
	strbuf_addstr(&c->page.body, "</title></path>\n");
}

static void chart_add_cpu_row(struct chart_svg *c, size_t cpu)
{
	const struct power_cpu *power = chart_power(c, cpu);
	const struct cpu_runs *runs = chart_runs(c, cpu);
	const struct svg_scale *scale = &c->page.scale;
	char name[32], share[32] = "";
	uint64_t busy = 0;

	strbuf_addf(&c->page.body, "<g id=\"cpu-%zu\">\n", cpu);
	svg_lane_begin(&c->page.lane, c->page.y, CHART_BAR);
	svg_chart_row(&c->page, c->page.y, chart_cpu_height(c) - 6);
	if (power)
		chart_add_idle(c, &power->idle);
	if (runs)
		busy = chart_add_runs(c, runs);
	svg_chart_lane(&c->page, chart_classes, chart_names);
	if (power)
		chart_add_frequency(c, &power->frequency, c->page.y + CHART_BAR + 1);
	snprintf(name, sizeof(name), "CPU %zu", cpu);
	if (runs)
		snprintf(share, sizeof(share), "%u %% busy",
			 (unsigned int)(100.0 * busy / (scale->end - scale->begin) + 0.5));
	svg_chart_label(&c->page, c->page.y + 12.5, name, share);
	strbuf_addstr(&c->page.body, "</g>\n");
	c->page.y += chart_cpu_height(c);
}

/* ---- tasks ---------------------------------------------------------------- */

static void chart_add_blocked(struct chart_svg *c, const struct task_stay *stay, uint64_t begin,
			      uint64_t end)
{
	double y = c->page.lane.y + (CHART_TASK_BAR - CHART_SLEEP) / 2.0;
	_cleanup_(strbuf) struct strbuf title = STRBUF_INIT;

	if (end - begin < svg_pixel(&c->page.scale))
		return;
	strbuf_addstr(&title, "blocked");
	if (stay->letter)
		strbuf_addf(&title, " (%c)", stay->letter);
	svg_chart_add_span(&title, begin, end);
	svg_chart_box(&c->page, stay->letter == 'D' ? "d" : "s", begin, end, y, CHART_SLEEP,
		      strbuf_str(&title), NULL);
}

static void chart_add_active(struct chart_svg *c, const struct stayed_task *task,
			     const struct task_stay *stay, uint64_t begin, uint64_t end)
{
	_cleanup_(strbuf) struct strbuf title = STRBUF_INIT;
	enum chart_kind kind = stay->state == TASK_RUNNABLE ? CHART_WAITS :
			       chart_is_marked(c, task, end - begin) ? CHART_MARKED : CHART_RUNS;

	if (svg_lane_take(&c->page.lane, kind, begin, end))
		return;
	strbuf_addstr(&title, kind == CHART_WAITS ? "waited for" : "ran on");
	if (stay->cpu >= 0)
		strbuf_addf(&title, " CPU %d", stay->cpu);
	else
		strbuf_addstr(&title, " a CPU");
	svg_chart_add_span(&title, begin, end);
	svg_chart_box(&c->page, chart_classes[kind], begin, end, c->page.lane.y,
		      c->page.lane.height, strbuf_str(&title), NULL);
}

static void chart_add_task_row(struct chart_svg *c, const struct timechart_task *row)
{
	_cleanup_(strbuf) struct strbuf name = STRBUF_INIT, runtime = STRBUF_INIT;
	const struct stayed_task *task = row->task;

	strbuf_addf(&c->page.body, "<g id=\"task-%td\">\n", row - c->chart->tasks.items);
	svg_lane_begin(&c->page.lane, c->page.y, CHART_TASK_BAR);
	for (size_t i = 0; i < task->nr; i++) {
		uint64_t begin = timechart_stay_begin(c->chart, task, i);
		uint64_t end = timechart_stay_end(c->chart, task, i);
		struct task_stay stay = task->items[i];

		if (stay.state == TASK_BLOCKED)
			chart_add_blocked(c, &stay, begin, end);
		else if (stay.state == TASK_RUNNING || stay.state == TASK_RUNNABLE)
			chart_add_active(c, task, &stay, begin, end);
	}
	svg_chart_lane(&c->page, chart_classes, chart_names);
	chart_add_task(&name, task);
	svg_add_duration(&runtime, row->runtime);
	svg_chart_label(&c->page, c->page.y + 10.5, strbuf_str(&name), strbuf_str(&runtime));
	strbuf_addstr(&c->page.body, "</g>\n");
	c->page.y += CHART_TASK;
}

/* ---- wakeups -------------------------------------------------------------- */

static double chart_row_middle(const struct chart_svg *c, size_t row)
{
	return c->page.y + row * CHART_TASK + CHART_TASK_BAR / 2.0;
}

/* The row of the waking task, + 1; 0: it has none, or was only interrupted. */
static size_t chart_waker_row(const struct chart_svg *c, const struct task_stay *stay)
{
	const struct task_stays *stays = c->chart->stays;
	const struct stayed_task *waker;

	if (stay->waker <= 0 || stay->by_interrupt)
		return 0;
	waker = task_stays_find(stays, stay->waker, stay->since);
	return waker ? c->rows[waker - stays->tasks.items] : 0;
}

/* A line from the waker's row, or a short one from above, and the tip of an arrow. */
static void chart_add_wakeup(const struct chart_svg *c, size_t row, size_t waker, double x,
			     struct strbuf *path)
{
	double middle = chart_row_middle(c, row);
	double end = waker && waker - 1 > row ? middle + 6 : middle - 6;
	double from = waker ? chart_row_middle(c, waker - 1) : end - 5;

	strbuf_addch(path, 'M');
	svg_add_number(path, x);
	strbuf_addch(path, ' ');
	svg_add_number(path, from);
	strbuf_addch(path, 'V');
	svg_add_number(path, end);
	strbuf_addstr(path, end > middle ? "m-2 3l2 -3l2 3" : "m-2 -3l2 3l2 -3");
}

/*
 * Append the wakeups of a row to @path, which may be NULL, and return their number.  Wakeups by the
 * same task in the same column of pixels are one.
 */
static size_t chart_find_wakeups(const struct chart_svg *c, size_t row, struct strbuf *path)
{
	const struct stayed_task *task = c->chart->tasks.items[row].task;
	size_t last_waker = SIZE_MAX, nr = 0;
	double last_x = -1;

	for (size_t i = 1; i < task->nr; i++) {
		const struct task_stay *stay = &task->items[i];
		double x = svg_x(&c->page.scale, stay->since);
		size_t waker;

		/* A task that is moved to another CPU while it waits is not woken again. */
		if (stay->state != TASK_RUNNABLE || stay->letter ||
		    task->items[i - 1].state == TASK_RUNNABLE)
			continue;
		waker = chart_waker_row(c, stay);
		if (waker == last_waker && x - last_x < 1)
			continue;
		if (path)
			chart_add_wakeup(c, row, waker, x, path);
		last_waker = waker;
		last_x = x;
		nr++;
	}
	return nr;
}

static void chart_add_wakeups(struct chart_svg *c, size_t row)
{
	const struct stayed_task *task = c->chart->tasks.items[row].task;
	_cleanup_(strbuf) struct strbuf path = STRBUF_INIT;

	if (!chart_find_wakeups(c, row, &path))
		return;
	strbuf_addf(&c->page.body, "<path id=\"woken-%zu\" class=\"k\" d=\"%s\"><title>wakeups of ",
		    row, strbuf_str(&path));
	xml_add_text(&c->page.body, task->comm);
	strbuf_addf(&c->page.body, ":%" PRId32 "</title></path>\n", task->tid);
}

/* Lines that are too close to each other would only hide the bars. */
static void chart_count_wakeups(struct chart_svg *c)
{
	size_t nr = 0;

	for (size_t i = 0; i < c->chart->tasks.nr; i++)
		nr += chart_find_wakeups(c, i, NULL);
	c->shows_wakeups = nr && nr <= c->page.scale.width;
	c->hidden_wakeups = nr > c->page.scale.width;
}

/* ---- the surrounding parts ------------------------------------------------- */

static void chart_add_legend_line(struct chart_svg *c, double *x, const char *class,
				  const char *form, const char *text)
{
	double left;

	svg_chart_legend(&c->page, x, "x", 0, text, &left);
	strbuf_addf(&c->page.body, "<path class=\"%s\" d=\"M", class);
	svg_add_number(&c->page.body, left);
	strbuf_addch(&c->page.body, ' ');
	svg_add_number(&c->page.body, c->page.y - 9);
	strbuf_addf(&c->page.body, "%s\"/>\n", form);
}

static void chart_add_legend(struct chart_svg *c)
{
	double x = 12, left;

	strbuf_addstr(&c->page.body, "<g id=\"legend\">\n");
	if (c->chart->stays->tasks.nr)
		svg_chart_legend(&c->page, &x, "r", 10, "running", &left);
	if (c->options->marked || c->options->marked_ns)
		svg_chart_legend(&c->page, &x, "m", 10, "highlighted", &left);
	if (c->chart->tasks.nr) {
		svg_chart_legend(&c->page, &x, "w", 10, "waiting for a CPU", &left);
		svg_chart_legend(&c->page, &x, "s", CHART_SLEEP, "blocked", &left);
		svg_chart_legend(&c->page, &x, "d", CHART_SLEEP, "blocked, uninterruptible", &left);
	}
	if (c->shows_wakeups)
		chart_add_legend_line(c, &x, "k", "m9 0v9m-2 -3l2 3l2 -3", "wakeup");
	if (c->max_khz)
		chart_add_legend_line(c, &x, "f", "m0 7h6v-5h6v3h6", "frequency");
	for (unsigned int i = CHART_IDLE; i < CHART_KINDS; i++)
		if (c->idle_states & 1u << i)
			svg_chart_legend(&c->page, &x, chart_classes[i], 10, chart_names[i], &left);
	strbuf_addstr(&c->page.body, "</g>\n");
	c->page.y += CHART_LINE;
}

static void chart_add_title(struct chart_svg *c)
{
	uint64_t begin = c->chart->begin;
	_cleanup_(strbuf) struct strbuf text = STRBUF_INIT;

	strbuf_addf(&text, "%s: ", c->options->recording);
	svg_add_duration(&text, c->chart->end - begin);
	svg_chart_line(&c->page, "t", strbuf_str(&text));
	strbuf_reset(&text);
	strbuf_addf(&text, "%zu CPU%s and %zu task%s, from %" PRIu64 ".%09" PRIu64 " s on",
		    c->cpus.nr, c->cpus.nr == 1 ? "" : "s", c->chart->tasks.nr,
		    c->chart->tasks.nr == 1 ? "" : "s", begin / 1000000000, begin % 1000000000);
	if (c->max_khz) {
		strbuf_addstr(&text, "; frequencies up to ");
		chart_add_khz(&text, c->max_khz);
	}
	svg_chart_line(&c->page, "q", strbuf_str(&text));
	c->page.y += 4;
}

static void chart_add_notes(struct chart_svg *c)
{
	_cleanup_(strbuf) struct strbuf text = STRBUF_INIT;
	size_t nr = c->chart->left_out;

	svg_chart_note_short(&c->page);
	if (c->hidden_wakeups)
		svg_chart_line(&c->page, "q", "Wakeups are left out, because there are too many "
			       "to be told apart: --time or -w shows them.");
	if (!nr)
		return;
	strbuf_addf(&text, "%zu %stask%s that ran", nr, c->chart->threshold ? "" : "other ",
		    nr == 1 ? "" : "s");
	if (c->chart->threshold) {
		strbuf_addstr(&text, " for less than ");
		svg_add_time(&text, c->chart->threshold, c->chart->threshold);
	}
	strbuf_addstr(&text, nr == 1 ? " is left out." : " are left out.");
	svg_chart_line(&c->page, "q", strbuf_str(&text));
}

/* ---- the document --------------------------------------------------------- */

static void chart_add_rows(struct chart_svg *c)
{
	const struct timechart *chart = c->chart;
	double bottom = c->page.y + (c->cpus.nr ? 8 + c->cpus.nr * chart_cpu_height(c) : 0) +
			(chart->tasks.nr ? 8 + chart->tasks.nr * CHART_TASK : 0) + 4;

	svg_chart_grid(&c->page, bottom);
	c->page.y += 10;
	for (size_t i = 0; i < c->cpus.nr; i++)
		chart_add_cpu_row(c, c->cpus.items[i]);
	c->page.y += c->cpus.nr ? 8 : 0;
	/* Wakeups are behind the bars. */
	for (size_t i = 0; i < chart->tasks.nr && c->shows_wakeups; i++)
		chart_add_wakeups(c, i);
	for (size_t i = 0; i < chart->tasks.nr; i++)
		chart_add_task_row(c, &chart->tasks.items[i]);
	c->page.y = bottom + 13 + CHART_LINE;
}

struct error *timechart_svg_add(const struct timechart *chart,
				const struct timechart_svg_options *options, struct strbuf *out)
{
	struct chart_svg c = { .chart = chart, .options = options };
	struct error *err = chart_begin(&c);

	if (!err) {
		chart_count_wakeups(&c);
		chart_add_title(&c);
		chart_add_legend(&c);
		c.page.y += 8;
		chart_add_rows(&c);
		chart_add_notes(&c);
		err = svg_chart_finish(&c.page, out);
	}
	chart_end(&c);
	return err;
}
