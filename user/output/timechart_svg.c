// SPDX-License-Identifier: GPL-2.0
#include "output/timechart_svg.h"

#include <inttypes.h>
#include <stdlib.h>

#include "lib/array.h"
#include "lib/terminal.h"
#include "lib/xml.h"
#include "output/svg.h"
#include "output/svg_lane.h"

/* All in pixels. */
#define CHART_LEFT	216	/* room for names */
#define CHART_RIGHT	18
#define CHART_TOP	26	/* the first line's */
#define CHART_LINE	18
#define CHART_BAR	16	/* of a CPU */
#define CHART_FREQUENCY	14
#define CHART_TASK	20	/* from row to row */
#define CHART_TASK_BAR	12
#define CHART_SLEEP	4	/* of what is blocked */
#define CHART_TICKS	90	/* at least, from tick to tick */
#define CHART_LETTER	6.1	/* about what a character of small text takes */

#define CHART_NAME	22	/* characters of a task's name */

enum chart_kind {
	CHART_RUNS, CHART_MARKED, CHART_WAITS, CHART_IDLE,
	CHART_KINDS = SVG_LANE_KINDS,
};

/* The last one stands for all deeper ones, too. */
#define CHART_IDLE_STATES	(CHART_KINDS - CHART_IDLE)

static const char *const chart_classes[CHART_KINDS] = {
	"r", "m", "w", "i0", "i1", "i2", "i3", "i4", "i5", "i6", "i7", "i8",
};

static const char *const chart_names[CHART_KINDS] = {
	"running", "highlighted, running", "waiting for a CPU", "idle state 0", "idle state 1",
	"idle state 2", "idle state 3", "idle state 4", "idle state 5", "idle state 6",
	"idle state 7", "idle state 8 and deeper",
};

static const char chart_style[] =
	"text{font-family:sans-serif;font-size:12px;fill:#1b1f26}"
	".t{font-size:15px;font-weight:bold}.b{font-weight:bold}"
	".q{font-size:11px;fill:#59606b}.e{font-size:11px;fill:#59606b;text-anchor:end}"
	".c{font-size:11px;fill:#59606b;text-anchor:middle}"
	".n{font-size:10px;fill:#fff;pointer-events:none}"
	".back{fill:#fff}.row{fill:#f5f6f8}.grid{stroke:#dde0e5;fill:none}"
	".r{fill:#3471b8}.m{fill:#b3286e}.w{fill:#f0a02c}.s{fill:#cfd4db}.d{fill:#d4574a}"
	".i0{fill:#dff0ea}.i1{fill:#cae6dc}.i2{fill:#b5dccd}.i3{fill:#a0d2bf}.i4{fill:#8bc7b0}"
	".i5{fill:#77bba1}.i6{fill:#64ae92}.i7{fill:#53a083}.i8{fill:#449275}"
	".f{fill:none;stroke:#8a5a12;stroke-width:1.2}"
	".k{fill:none;stroke:#2f7d4f;stroke-opacity:.55}"
	".k:hover{stroke:#0b3d20;stroke-opacity:1;stroke-width:2}"
	"rect:hover,path.r:hover,path.w:hover{fill-opacity:.75}";

struct chart_svg {
	const struct timechart *chart;
	const struct timechart_svg_options *options;
	struct strbuf *out;
	struct svg_scale scale;
	struct svg_lane lane;
	struct {
		size_t *items;	/* numbers of CPUs, in the order of their rows */
		size_t nr, alloc;
	} cpus;
	size_t *rows;		/* for each task, its row + 1 */
	double y;		/* of what comes next */
	uint32_t max_khz;	/* 0: no frequency is known */
	uint32_t idle_states;	/* a bit for each that occurs */
	bool any_short, shows_wakeups, hidden_wakeups;
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
	return err ? err : svg_lane_init(&c->lane, &c->scale);
}

static void chart_end(struct chart_svg *c)
{
	svg_lane_deinit(&c->lane);
	free(c->cpus.items);
	free(c->rows);
}

static double chart_cpu_height(const struct chart_svg *c)
{
	return CHART_BAR + 6 + (c->max_khz ? CHART_FREQUENCY + 2 : 0);
}

/* ---- texts ---------------------------------------------------------------- */

/* Append " for 1.2 ms, from 12.000000001 s on". */
static void chart_add_span(struct strbuf *out, uint64_t begin, uint64_t end)
{
	strbuf_addstr(out, " for ");
	svg_add_duration(out, end - begin);
	strbuf_addf(out, ", from %" PRIu64 ".%09" PRIu64 " s on", begin / 1000000000,
		    begin % 1000000000);
}

static void chart_add_task(struct strbuf *out, const struct stayed_task *task)
{
	strbuf_addf(out, "%s:%" PRId32, task->comm, task->tid);
}

static void chart_line(struct chart_svg *c, const char *class, const char *text)
{
	svg_add_text(c->out, class, 12, c->y, text);
	strbuf_addch(c->out, '\n');
	c->y += CHART_LINE;
}

/* The name of a row on the left, and a number right of it. */
static void chart_label(struct chart_svg *c, double y, const char *name, const char *number)
{
	_cleanup_(strbuf) struct strbuf cut = STRBUF_INIT;

	terminal_add_cut(&cut, name, CHART_NAME);
	svg_add_text(c->out, "l", 12, y, strbuf_str(&cut));
	svg_add_text(c->out, "e", CHART_LEFT - 8, y, number);
	strbuf_addch(c->out, '\n');
}

/* A span that is as wide as a pixel; @name, if it is not NULL, stands in it if there is room. */
static void chart_add_box(struct chart_svg *c, const char *class, uint64_t begin, uint64_t end,
			  double y, double height, const char *title, const char *name)
{
	const struct svg_box box = {
		.x = svg_x(&c->scale, begin), .y = y, .height = height,
		.width = svg_x(&c->scale, end) - svg_x(&c->scale, begin),
	};

	svg_add_box(c->out, class, &box, title);
	if (name && terminal_width(name) * CHART_LETTER + 6 < box.width)
		svg_add_text(c->out, "n", box.x + 3, y + height - 4.5, name);
	strbuf_addch(c->out, '\n');
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

	if (svg_lane_take(&c->lane, kind, begin, end))
		return;
	chart_add_task(&title, task);
	strbuf_addstr(&title, " ran");
	chart_add_span(&title, begin, end);
	chart_add_box(c, chart_classes[kind], begin, end, c->lane.y, c->lane.height,
		      strbuf_str(&title), task->comm);
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

		if (svg_lane_take(&c->lane, kind, span->since, span->until))
			continue;
		strbuf_addf(&title, "idle state %" PRIu32, span->value);
		chart_add_span(&title, span->since, span->until);
		chart_add_box(c, chart_classes[kind], span->since, span->until, c->lane.y,
			      c->lane.height, strbuf_str(&title), NULL);
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

/* Append the line of what lies between two instants. */
static void chart_add_step(const struct chart_svg *c, uint64_t begin, uint64_t end, double khz,
			   double y, struct strbuf *path)
{
	strbuf_addch(path, path->len ? 'L' : 'M');
	svg_add_number(path, svg_x(&c->scale, begin));
	strbuf_addch(path, ' ');
	svg_add_number(path, y + CHART_FREQUENCY * (1 - khz / c->max_khz));
	strbuf_addch(path, 'H');
	svg_add_number(path, svg_x(&c->scale, end));
}

/* Of frequencies that last less than a pixel, the mean is drawn. */
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
		    (span->until - since < svg_pixel(&c->scale) && i + 1 < track->nr))
			continue;
		chart_add_step(c, since, span->until, sum / (span->until - since), y, &path);
		begun = false;
		sum = 0;
	}
	if (!path.len)
		return;
	strbuf_addf(c->out, "<path class=\"f\" d=\"%s\"><title>", strbuf_str(&path));
	chart_add_khz(c->out, lowest);
	if (highest != lowest) {
		strbuf_addstr(c->out, " to ");
		chart_add_khz(c->out, highest);
	}
	strbuf_addstr(c->out, "</title></path>\n");
}

static void chart_add_lane(struct chart_svg *c)
{
	for (size_t i = 0; i < CHART_KINDS; i++)
		c->any_short |= c->lane.short_ones[i].ns > 0;
	svg_lane_add(&c->lane, chart_classes, chart_names, c->out);
}

static void chart_add_row(struct chart_svg *c, double y, double height)
{
	const struct svg_box box = { CHART_LEFT, y, c->scale.width, height };

	svg_add_box(c->out, "row", &box, NULL);
	strbuf_addch(c->out, '\n');
}

static void chart_add_cpu_row(struct chart_svg *c, size_t cpu)
{
	const struct power_cpu *power = chart_power(c, cpu);
	const struct cpu_runs *runs = chart_runs(c, cpu);
	char name[32], share[32] = "";
	uint64_t busy = 0;

	strbuf_addf(c->out, "<g id=\"cpu-%zu\">\n", cpu);
	svg_lane_begin(&c->lane, c->y, CHART_BAR);
	chart_add_row(c, c->y, chart_cpu_height(c) - 6);
	if (power)
		chart_add_idle(c, &power->idle);
	if (runs)
		busy = chart_add_runs(c, runs);
	chart_add_lane(c);
	if (power)
		chart_add_frequency(c, &power->frequency, c->y + CHART_BAR + 1);
	snprintf(name, sizeof(name), "CPU %zu", cpu);
	if (runs)
		snprintf(share, sizeof(share), "%u %% busy",
			 (unsigned int)(100.0 * busy / (c->scale.end - c->scale.begin) + 0.5));
	chart_label(c, c->y + 12.5, name, share);
	strbuf_addstr(c->out, "</g>\n");
	c->y += chart_cpu_height(c);
}

/* ---- tasks ---------------------------------------------------------------- */

static void chart_add_blocked(struct chart_svg *c, const struct task_stay *stay, uint64_t begin,
			      uint64_t end)
{
	double y = c->lane.y + (CHART_TASK_BAR - CHART_SLEEP) / 2.0;
	_cleanup_(strbuf) struct strbuf title = STRBUF_INIT;

	if (end - begin < svg_pixel(&c->scale))
		return;
	strbuf_addstr(&title, "blocked");
	if (stay->letter)
		strbuf_addf(&title, " (%c)", stay->letter);
	chart_add_span(&title, begin, end);
	chart_add_box(c, stay->letter == 'D' ? "d" : "s", begin, end, y, CHART_SLEEP,
		      strbuf_str(&title), NULL);
}

static void chart_add_active(struct chart_svg *c, const struct stayed_task *task,
			     const struct task_stay *stay, uint64_t begin, uint64_t end)
{
	_cleanup_(strbuf) struct strbuf title = STRBUF_INIT;
	enum chart_kind kind = stay->state == TASK_RUNNABLE ? CHART_WAITS :
			       chart_is_marked(c, task, end - begin) ? CHART_MARKED : CHART_RUNS;

	if (svg_lane_take(&c->lane, kind, begin, end))
		return;
	strbuf_addstr(&title, kind == CHART_WAITS ? "waited for" : "ran on");
	if (stay->cpu >= 0)
		strbuf_addf(&title, " CPU %d", stay->cpu);
	else
		strbuf_addstr(&title, " a CPU");
	chart_add_span(&title, begin, end);
	chart_add_box(c, chart_classes[kind], begin, end, c->lane.y, c->lane.height,
		      strbuf_str(&title), NULL);
}

static void chart_add_task_row(struct chart_svg *c, const struct timechart_task *row)
{
	_cleanup_(strbuf) struct strbuf name = STRBUF_INIT, runtime = STRBUF_INIT;
	const struct stayed_task *task = row->task;

	strbuf_addf(c->out, "<g id=\"task-%td\">\n", row - c->chart->tasks.items);
	svg_lane_begin(&c->lane, c->y, CHART_TASK_BAR);
	for (size_t i = 0; i < task->nr; i++) {
		uint64_t begin = timechart_stay_begin(c->chart, task, i);
		uint64_t end = timechart_stay_end(c->chart, task, i);
		struct task_stay stay = task->items[i];

		/* The first switch away tells where the task had run. */
		if (stay.state == TASK_RUNNING && stay.cpu < 0 && i + 1 < task->nr)
			stay.cpu = task->items[i + 1].cpu;
		if (stay.state == TASK_BLOCKED)
			chart_add_blocked(c, &stay, begin, end);
		else if (stay.state == TASK_RUNNING || stay.state == TASK_RUNNABLE)
			chart_add_active(c, task, &stay, begin, end);
	}
	chart_add_lane(c);
	chart_add_task(&name, task);
	svg_add_duration(&runtime, row->runtime);
	chart_label(c, c->y + 10.5, strbuf_str(&name), strbuf_str(&runtime));
	strbuf_addstr(c->out, "</g>\n");
	c->y += CHART_TASK;
}

/* ---- wakeups -------------------------------------------------------------- */

static double chart_row_middle(const struct chart_svg *c, size_t row)
{
	return c->y + row * CHART_TASK + CHART_TASK_BAR / 2.0;
}

/* The row of who woke, + 1; 0: it has none, or was only interrupted. */
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
 * Append those of a row to @path, which may be NULL, and return how many there are.  Wakeups by
 * the same task that lie in the same column of pixels are one.
 */
static size_t chart_find_wakeups(const struct chart_svg *c, size_t row, struct strbuf *path)
{
	const struct stayed_task *task = c->chart->tasks.items[row].task;
	size_t last_waker = SIZE_MAX, nr = 0;
	double last_x = -1;

	for (size_t i = 1; i < task->nr; i++) {
		const struct task_stay *stay = &task->items[i];
		double x = svg_x(&c->scale, stay->since);
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
	strbuf_addf(c->out, "<path id=\"woken-%zu\" class=\"k\" d=\"%s\"><title>wakeups of ", row,
		    strbuf_str(&path));
	xml_add_text(c->out, task->comm);
	strbuf_addf(c->out, ":%" PRId32 "</title></path>\n", task->tid);
}

/* Lines that lie too close to each other would only hide what is behind them. */
static void chart_count_wakeups(struct chart_svg *c)
{
	size_t nr = 0;

	for (size_t i = 0; i < c->chart->tasks.nr; i++)
		nr += chart_find_wakeups(c, i, NULL);
	c->shows_wakeups = nr && nr <= c->scale.width;
	c->hidden_wakeups = nr > c->scale.width;
}

/* ---- what is around them -------------------------------------------------- */

static uint64_t chart_step(const struct svg_scale *scale)
{
	double least = svg_pixel(scale) * CHART_TICKS;
	uint64_t step = 1;

	for (;;) {
		if (step >= least)
			return step;
		if (2 * step >= least)
			return 2 * step;
		if (5 * step >= least)
			return 5 * step;
		step *= 10;
	}
}

/* Lines through all rows, with the times since the beginning at their ends. */
static void chart_add_grid(struct chart_svg *c, double bottom)
{
	uint64_t total = c->scale.end - c->scale.begin, step = chart_step(&c->scale);

	for (uint64_t i = 0; i <= total / step; i++) {
		uint64_t at = i * step;
		double x = svg_x(&c->scale, c->scale.begin + at);
		_cleanup_(strbuf) struct strbuf text = STRBUF_INIT;

		strbuf_addstr(c->out, "<path class=\"grid\" d=\"M");
		svg_add_number(c->out, x);
		strbuf_addch(c->out, ' ');
		svg_add_number(c->out, c->y + 4);
		strbuf_addch(c->out, 'V');
		svg_add_number(c->out, bottom);
		strbuf_addstr(c->out, "\"/>");
		svg_add_time(&text, at, total);
		svg_add_text(c->out, "c", x, c->y, strbuf_str(&text));
		svg_add_text(c->out, "c", x, bottom + 13, strbuf_str(&text));
		strbuf_addch(c->out, '\n');
	}
}

static void chart_add_legend_entry(struct chart_svg *c, double *x, const char *class,
				   double height, const char *text, double *ret_left)
{
	struct svg_box box = { .width = 18, .height = height };
	double width = 24 + terminal_width(text) * CHART_LETTER + 10;

	if (*x + width > c->options->width) {
		*x = 12;
		c->y += CHART_LINE;
	}
	box.x = *ret_left = *x;
	box.y = c->y - 4 - height / 2;
	svg_add_box(c->out, class, &box, NULL);
	svg_add_text(c->out, "q", *x + 24, c->y, text);
	strbuf_addch(c->out, '\n');
	*x += width;
}

static void chart_add_legend_line(struct chart_svg *c, double *x, const char *class,
				  const char *form, const char *text)
{
	double left;

	chart_add_legend_entry(c, x, "x", 0, text, &left);
	strbuf_addf(c->out, "<path class=\"%s\" d=\"M", class);
	svg_add_number(c->out, left);
	strbuf_addch(c->out, ' ');
	svg_add_number(c->out, c->y - 9);
	strbuf_addf(c->out, "%s\"/>\n", form);
}

static void chart_add_legend(struct chart_svg *c)
{
	double x = 12, left;

	strbuf_addstr(c->out, "<g id=\"legend\">\n");
	if (c->chart->stays->tasks.nr)
		chart_add_legend_entry(c, &x, "r", 10, "running", &left);
	if (c->options->marked || c->options->marked_ns)
		chart_add_legend_entry(c, &x, "m", 10, "highlighted", &left);
	if (c->chart->tasks.nr) {
		chart_add_legend_entry(c, &x, "w", 10, "waiting for a CPU", &left);
		chart_add_legend_entry(c, &x, "s", CHART_SLEEP, "blocked", &left);
		chart_add_legend_entry(c, &x, "d", CHART_SLEEP, "blocked, uninterruptible", &left);
	}
	if (c->shows_wakeups)
		chart_add_legend_line(c, &x, "k", "m9 0v9m-2 -3l2 3l2 -3", "wakeup");
	if (c->max_khz)
		chart_add_legend_line(c, &x, "f", "m0 7h6v-5h6v3h6", "frequency");
	for (unsigned int i = CHART_IDLE; i < CHART_KINDS; i++)
		if (c->idle_states & 1u << i)
			chart_add_legend_entry(c, &x, chart_classes[i], 10, chart_names[i], &left);
	strbuf_addstr(c->out, "</g>\n");
	c->y += CHART_LINE;
}

static void chart_add_title(struct chart_svg *c)
{
	uint64_t begin = c->chart->begin;
	_cleanup_(strbuf) struct strbuf text = STRBUF_INIT;

	strbuf_addf(&text, "%s: ", c->options->recording);
	svg_add_duration(&text, c->chart->end - begin);
	chart_line(c, "t", strbuf_str(&text));
	strbuf_reset(&text);
	strbuf_addf(&text, "%zu CPU%s and %zu task%s, from %" PRIu64 ".%09" PRIu64 " s on",
		    c->cpus.nr, c->cpus.nr == 1 ? "" : "s", c->chart->tasks.nr,
		    c->chart->tasks.nr == 1 ? "" : "s", begin / 1000000000, begin % 1000000000);
	if (c->max_khz) {
		strbuf_addstr(&text, "; frequencies up to ");
		chart_add_khz(&text, c->max_khz);
	}
	chart_line(c, "q", strbuf_str(&text));
	c->y += 4;
}

static void chart_add_notes(struct chart_svg *c)
{
	_cleanup_(strbuf) struct strbuf text = STRBUF_INIT;
	size_t nr = c->chart->left_out;

	if (c->any_short) {
		strbuf_addstr(&text, "What is shorter than a pixel (");
		svg_add_duration(&text, svg_pixel(&c->scale));
		strbuf_addstr(&text, ") is drawn together: the height of a part is its share of "
			      "the time.");
		chart_line(c, "q", strbuf_str(&text));
		strbuf_reset(&text);
	}
	if (c->hidden_wakeups)
		chart_line(c, "q", "Wakeups are left out, because there are too many to be told "
			   "apart: --time or -w shows them.");
	if (!nr)
		return;
	strbuf_addf(&text, "%zu %stask%s that ran", nr, c->chart->threshold ? "" : "other ",
		    nr == 1 ? "" : "s");
	if (c->chart->threshold) {
		strbuf_addstr(&text, " for less than ");
		svg_add_time(&text, c->chart->threshold, c->chart->threshold);
	}
	strbuf_addstr(&text, nr == 1 ? " is left out." : " are left out.");
	chart_line(c, "q", strbuf_str(&text));
}

/* ---- the document --------------------------------------------------------- */

static void chart_add_rows(struct chart_svg *c)
{
	const struct timechart *chart = c->chart;
	double bottom = c->y + (c->cpus.nr ? 8 + c->cpus.nr * chart_cpu_height(c) : 0) +
			(chart->tasks.nr ? 8 + chart->tasks.nr * CHART_TASK : 0) + 4;

	chart_add_grid(c, bottom);
	c->y += 10;
	for (size_t i = 0; i < c->cpus.nr; i++)
		chart_add_cpu_row(c, c->cpus.items[i]);
	c->y += c->cpus.nr ? 8 : 0;
	/* They lie behind the bars. */
	for (size_t i = 0; i < chart->tasks.nr && c->shows_wakeups; i++)
		chart_add_wakeups(c, i);
	for (size_t i = 0; i < chart->tasks.nr; i++)
		chart_add_task_row(c, &chart->tasks.items[i]);
	c->y = bottom + 13 + CHART_LINE;
}

static void chart_add_head(const struct chart_svg *c, double height, struct strbuf *out)
{
	const struct svg_box all = { 0, 0, c->options->width, height };

	strbuf_addf(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
		    "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%u\" height=\"",
		    c->options->width);
	svg_add_number(out, height);
	strbuf_addf(out, "\" viewBox=\"0 0 %u ", c->options->width);
	svg_add_number(out, height);
	strbuf_addf(out, "\">\n<style>%s</style>\n", chart_style);
	svg_add_box(out, "back", &all, NULL);
	strbuf_addch(out, '\n');
}

struct error *timechart_svg_add(const struct timechart *chart,
				const struct timechart_svg_options *options, struct strbuf *out)
{
	_cleanup_(strbuf) struct strbuf body = STRBUF_INIT;
	struct chart_svg c = {
		.chart = chart, .options = options, .out = &body, .y = CHART_TOP,
		.scale = {
			.begin = chart->begin,
			.end = chart->end > chart->begin ? chart->end : chart->begin + 1,
			.left = CHART_LEFT,
			.width = options->width - CHART_LEFT - CHART_RIGHT,
		},
	};
	struct error *err = chart_begin(&c);

	if (!err) {
		chart_count_wakeups(&c);
		chart_add_title(&c);
		chart_add_legend(&c);
		c.y += 8;
		chart_add_rows(&c);
		chart_add_notes(&c);
		/* Only now is the height known. */
		chart_add_head(&c, c.y, out);
		strbuf_add(out, strbuf_str(&body), body.len);
		strbuf_addstr(out, "</svg>\n");
	}
	chart_end(&c);
	return !err && (out->failed || body.failed) ? &error_no_memory : err;
}
