// SPDX-License-Identifier: GPL-2.0
#include "table/timechart/timechart_svg.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "table/timechart/svg_chart.h"

#define IO_LEAST	2	/* pixels: the height of spans with few bytes */

/* After the kinds of spans, by their numbers. */
enum {
	IO_FAILED = IO_POLL + 1, IO_MARKED, IO_CLASSES,
};

static const char *const io_classes[SVG_LANE_KINDS] = {
	[IO_READ] = "rd", [IO_WRITE] = "wr", [IO_RECEIVE] = "rx", [IO_SEND] = "tx",
	[IO_SYNC] = "sy", [IO_POLL] = "po", [IO_FAILED] = "er", [IO_MARKED] = "m",
};

static const char *const io_names[SVG_LANE_KINDS] = {
	[IO_READ] = "reading", [IO_WRITE] = "writing", [IO_RECEIVE] = "receiving",
	[IO_SEND] = "sending", [IO_SYNC] = "synchronizing", [IO_POLL] = "waiting for input",
	[IO_FAILED] = "failed", [IO_MARKED] = "highlighted",
};

struct io_svg {
	const struct io_spans *spans;
	const struct io_spans_svg_options *options;
	struct svg_chart page;
	bool shown[IO_CLASSES];
	uint64_t skipped;	/* calls that failed with EAGAIN */
};

static bool io_span_is_skipped(const struct io_svg *c, const struct io_span *span)
{
	return c->options->skip_again && span->failure == EAGAIN;
}

static unsigned int io_span_class(const struct io_svg *c, const struct io_task *row,
				  const struct io_span *span)
{
	const struct io_spans_svg_options *o = c->options;
	const struct syscall_task *task = row->task;

	if ((o->marked || o->marked_ns) && span->inside > o->marked_ns &&
	    (!o->marked || timechart_word_names(o->marked, task->comm, task->pid, task->tid)))
		return IO_MARKED;
	return span->failure ? IO_FAILED : span->kind;
}

static void io_add_bytes(struct strbuf *out, uint64_t bytes)
{
	static const char *const units[] = { "B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB" };
	double value = bytes;
	unsigned int unit = 0;

	for (; value >= 1024; unit++)
		value /= 1024;
	strbuf_addf(out, "%.*f %s", unit ? 1 : 0, value, units[unit]);
}

static void io_add_title(struct strbuf *out, const struct io_span *span)
{
	const char *failure = span->failure ? strerrorname_np(span->failure) : NULL;

	strbuf_addstr(out, io_names[span->kind]);
	if (span->kind <= IO_SEND && !span->failure) {
		strbuf_addch(out, ' ');
		io_add_bytes(out, span->bytes);
	}
	if (span->fd >= 0)
		strbuf_addf(out, ", descriptor %" PRId32, span->fd);
	if (failure)
		strbuf_addf(out, ", failed with %s", failure);
	else if (span->failure)
		strbuf_addf(out, ", failed with %" PRId32, span->failure);
	strbuf_addf(out, ", %" PRIu32 " call%s", span->calls, span->calls == 1 ? "" : "s");
	svg_chart_add_span(out, span->begin, span->begin + span->inside);
}

/* Input is drawn in the upper half of a bar, output in the lower one, by their bytes. */
static void io_add_box(struct io_svg *c, const struct io_task *row, const struct io_span *span,
		       const char *class)
{
	uint64_t end = span->end < c->page.scale.end ? span->end : c->page.scale.end;
	_cleanup_(strbuf) struct strbuf title = STRBUF_INIT;
	double y = c->page.y, height = CHART_TASK_BAR, half = CHART_TASK_BAR / 2.0, part;

	if (span->kind <= IO_SEND && !span->failure) {
		part = row->most ? half * span->bytes / row->most : 0;
		height = part > IO_LEAST ? part : IO_LEAST;
		y += span->kind == IO_READ || span->kind == IO_RECEIVE ? half - height : half;
	}
	io_add_title(&title, span);
	svg_chart_box(&c->page, class, span->begin, end, y, height, strbuf_str(&title), NULL);
}

static void io_add_row(struct io_svg *c, size_t number)
{
	_cleanup_(strbuf) struct strbuf name = STRBUF_INIT, bytes = STRBUF_INIT;
	const struct io_task *row = c->spans->tasks.items[number];
	double pixel = svg_pixel(&c->page.scale);

	strbuf_addf(&c->page.body, "<g id=\"task-%zu\">\n", number);
	svg_lane_begin(&c->page.lane, c->page.y, CHART_TASK_BAR);
	svg_chart_row(&c->page, c->page.y, CHART_TASK_BAR);
	for (size_t i = 0; i < row->nr; i++) {
		const struct io_span *span = &row->items[i];
		unsigned int class = io_span_class(c, row, span);

		if (io_span_is_skipped(c, span))
			continue;
		/* A joined span is not drawn longer than it was. */
		if (span->end > span->begin && span->end - span->begin >= pixel &&
		    span->begin < c->page.scale.end)
			io_add_box(c, row, span, io_classes[class]);
		else
			svg_lane_take(&c->page.lane, class, span->begin,
				      span->begin + (span->inside < pixel ? span->inside : 0));
	}
	svg_chart_lane(&c->page, io_classes, io_names);
	strbuf_addf(&name, "%s:%" PRId32, row->task->comm, row->task->tid);
	io_add_bytes(&bytes, row->bytes);
	svg_chart_label(&c->page, c->page.y + 10.5, strbuf_str(&name), strbuf_str(&bytes));
	strbuf_addstr(&c->page.body, "</g>\n");
	c->page.y += CHART_TASK;
}

static void io_learn(struct io_svg *c)
{
	for (size_t i = 0; i < c->spans->tasks.nr; i++) {
		const struct io_task *row = c->spans->tasks.items[i];

		for (size_t k = 0; k < row->nr; k++) {
			if (io_span_is_skipped(c, &row->items[k]))
				c->skipped += row->items[k].calls;
			else
				c->shown[io_span_class(c, row, &row->items[k])] = true;
		}
	}
}

static void io_add_title_lines(struct io_svg *c)
{
	const struct io_spans *spans = c->spans;
	_cleanup_(strbuf) struct strbuf text = STRBUF_INIT;

	strbuf_addf(&text, "%s: ", c->options->recording);
	svg_add_duration(&text, spans->end - spans->begin);
	svg_chart_line(&c->page, "t", strbuf_str(&text));
	strbuf_reset(&text);
	strbuf_addf(&text, "input and output of %zu task%s, from %" PRIu64 ".%09" PRIu64 " s on",
		    spans->tasks.nr, spans->tasks.nr == 1 ? "" : "s", spans->begin / 1000000000,
		    spans->begin % 1000000000);
	svg_chart_line(&c->page, "q", strbuf_str(&text));
	c->page.y += 4;
}

static void io_add_legend(struct io_svg *c)
{
	double x = 12, left;

	strbuf_addstr(&c->page.body, "<g id=\"legend\">\n");
	for (unsigned int i = 0; i < IO_CLASSES; i++)
		if (c->shown[i])
			svg_chart_legend(&c->page, &x, io_classes[i], 10, io_names[i], &left);
	strbuf_addstr(&c->page.body, "</g>\n");
	c->page.y += CHART_LINE + 8;
}

static void io_add_notes(struct io_svg *c)
{
	_cleanup_(strbuf) struct strbuf text = STRBUF_INIT;
	size_t nr = c->spans->left_out;

	svg_chart_note_short(&c->page);
	if (c->skipped) {
		strbuf_addf(&text, "%" PRIu64 " calls that failed with EAGAIN are left out.",
			    c->skipped);
		svg_chart_line(&c->page, "q", strbuf_str(&text));
		strbuf_reset(&text);
	}
	if (!nr)
		return;
	strbuf_addf(&text, "%zu %stask%s", nr, c->spans->threshold ? "" : "other ",
		    nr == 1 ? "" : "s");
	if (c->spans->threshold) {
		strbuf_addstr(&text, " that transferred less than ");
		io_add_bytes(&text, c->spans->threshold);
	}
	strbuf_addstr(&text, nr == 1 ? " is left out." : " are left out.");
	svg_chart_line(&c->page, "q", strbuf_str(&text));
}

struct error *io_spans_svg_add(const struct io_spans *spans,
			       const struct io_spans_svg_options *options, struct strbuf *out)
{
	struct io_svg c = { .spans = spans, .options = options };
	struct error *err = svg_chart_init(&c.page, options->width, spans->begin, spans->end);

	if (!err) {
		double bottom;

		io_learn(&c);
		io_add_title_lines(&c);
		io_add_legend(&c);
		bottom = c.page.y + 14 + spans->tasks.nr * CHART_TASK;
		svg_chart_grid(&c.page, bottom);
		c.page.y += 10;
		for (size_t i = 0; i < spans->tasks.nr; i++)
			io_add_row(&c, i);
		c.page.y = bottom + 13 + CHART_LINE;
		io_add_notes(&c);
		err = svg_chart_finish(&c.page, out);
	}
	svg_chart_deinit(&c.page);
	return err;
}
