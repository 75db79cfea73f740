// SPDX-License-Identifier: GPL-2.0
#include "table/kwork/kwork_text.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "lib/array.h"
#include "lib/escape.h"

#define KWORK_NAME_WIDTH	30
#define KWORK_TIME_WIDTH	17
#define KWORK_RULE		128

static const char *const kwork_class_names[WORK_CLASSES] = {
	[WORK_IRQ] = "irq", [WORK_SOFTIRQ] = "softirq", [WORK_QUEUED] = "workqueue",
};

static void kwork_get_class(const struct table_cell *cell, struct table_value *ret)
{
	const struct kernel_work *work = cell->row;

	strbuf_addstr(ret->text, kwork_class_names[work->class]);
}

static void kwork_get_id(const struct table_cell *cell, struct table_value *ret)
{
	const struct kernel_work *work = cell->row;

	strbuf_addf(ret->text, work->class == WORK_QUEUED ? "%#" PRIx64 : "%" PRIu64, work->id);
}

static void kwork_get_average(const struct table_cell *cell, struct table_value *ret)
{
	const struct kernel_work *work = cell->row;

	ret->real = (double)work->total / work->count;
}

static void kwork_name_add(const struct kernel_work *work, struct strbuf *out)
{
	const char *known = work->name ? work->name : "unknown";

	if (work->class == WORK_IRQ)
		strbuf_addf(out, "%s:%" PRIu64, known, work->id);
	else if (work->class == WORK_SOFTIRQ)
		strbuf_addf(out, "(s)%s:%" PRIu64, known, work->id);
	else if (work->name)
		strbuf_addf(out, "(w)%s", known);
	else
		strbuf_addf(out, "(w)%#" PRIx64, work->id);
}

static void kwork_add_name(const struct table_cell *cell, struct strbuf *out)
{
	kwork_name_add(cell->row, out);
}

/* As in perf, a name has one character less than its column. */
#define KWORK_WHAT \
	{ .heading = "Kwork Name", .width = -KWORK_NAME_WIDTH, .cut = KWORK_NAME_WIDTH - 1, \
	  .add_text = kwork_add_name }, \
	{ .name = "class", .value = kwork_get_class, .data_only = true }, \
	{ .name = "name", TABLE_MEMBER(struct kernel_work, name), .data_only = true }, \
	{ .name = "id", .value = kwork_get_id, .data_only = true }, \
	{ .name = "cpu", .type = TABLE_SIGNED, TABLE_MEMBER(struct kernel_work, cpu), \
	  .heading = "Cpu", .width = -4, .form = TABLE_ZEROES }
#define KWORK_MS \
	.unit = TABLE_NS, .width = -13, .behind = " ms", .divisor = 1e6, .decimals = 3
#define KWORK_COUNT_AND_MAX(of) \
	{ .name = "count", .unit = TABLE_COUNT, .type = TABLE_UNSIGNED, \
	  TABLE_MEMBER(struct kernel_work, count), .heading = "Count", .width = -9 }, \
	{ .name = "max_" of, .type = TABLE_UNSIGNED, TABLE_MEMBER(struct kernel_work, max), \
	  .heading = "Max " of, KWORK_MS }, \
	KWORK_TIME("max_" of "_start", max_since, "Max " of " start"), \
	KWORK_TIME("max_" of "_end", max_until, "Max " of " end")
#define KWORK_TIME(id, member, title) \
	{ .name = id, .unit = TABLE_TIME, .type = TABLE_UNSIGNED, .form = TABLE_SECONDS, \
	  TABLE_MEMBER(struct kernel_work, member), .heading = title, \
	  .width = -(KWORK_TIME_WIDTH + 2), .behind = " s" }

static const struct table_column kwork_report_columns[] = {
	KWORK_WHAT,
	{ .name = "total_runtime", .type = TABLE_UNSIGNED,
	  TABLE_MEMBER(struct kernel_work, total), .heading = "Total Runtime", KWORK_MS },
	KWORK_COUNT_AND_MAX("runtime"),
};

static const struct table_column kwork_latency_columns[] = {
	KWORK_WHAT,
	{ .name = "avg_delay", .type = TABLE_FLOAT, .value = kwork_get_average,
	  .heading = "Avg delay", KWORK_MS },
	KWORK_COUNT_AND_MAX("delay"),
};

static void kwork_add_summary(const struct kernel_works *works, struct strbuf *out)
{
	uint64_t span = works->last - works->first, count = 0, total = 0;

	for (size_t i = 0; i < works->works.nr; i++) {
		count += works->works.items[i].count;
		total += works->works.items[i].total;
	}
	strbuf_addf(out, "  Total count            : %9" PRIu64 "\n", count);
	strbuf_addf(out, "  Total runtime   (msec) : %9.3f (%.3f%% load average)\n", total / 1e6,
		    span ? 100.0 * total / span : 0.0);
	strbuf_addf(out, "  Total time span (msec) : %9.3f\n", span / 1e6);
}

static void kwork_add_skipped(const struct kernel_works *works, struct strbuf *out)
{
	const uint64_t *skipped = works->skipped;
	uint64_t all = skipped[WORK_RAISE] + skipped[WORK_ENTRY] + skipped[WORK_EXIT];

	if (all)
		strbuf_addf(out, "  INFO: %.3f%% skipped events (%" PRIu64 " including %" PRIu64
			    " raise, %" PRIu64 " entry, %" PRIu64 " exit)\n",
			    100.0 * all / works->samples, all, skipped[WORK_RAISE],
			    skipped[WORK_ENTRY], skipped[WORK_EXIT]);
}

void kwork_table_add(const struct kernel_works *works, bool summary,
		     const struct table_output *output, struct strbuf *out)
{
	bool runtime = works->options->measure == WORK_RUNTIME;
	bool is_text = output->format == TABLE_AS_TEXT;
	const struct table table = {
		.name = runtime ? "kwork_report" : "kwork_latency",
		.columns = runtime ? kwork_report_columns : kwork_latency_columns,
		.nr = runtime ? ARRAY_SIZE(kwork_report_columns) :
				ARRAY_SIZE(kwork_latency_columns),
		.left = "  ", .between = " | ", .right = " |",
	};
	struct table_printer printer;

	if (is_text)
		strbuf_addch(out, '\n');
	table_begin(&printer, &table, output, out);
	table_add_rule(output, " ", KWORK_RULE, out);
	for (size_t i = 0; i < works->works.nr; i++)
		if (works->works.items[i].count)
			table_add_row(&printer, &works->works.items[i]);
	table_end(&printer);
	if (!is_text)
		return;
	table_add_rule(output, " ", KWORK_RULE, out);
	if (summary) {
		kwork_add_summary(works, out);
		table_add_rule(output, " ", KWORK_RULE, out);
	}
	kwork_add_skipped(works, out);
	strbuf_addch(out, '\n');
}

/* The function in which every softirq runs, which is not informative. */
static bool kwork_is_softirq_entry(const char *name)
{
	return !strcmp(name, "__do_softirq") || !strcmp(name, "__softirqentry_text_start") ||
	       !strcmp(name, "handle_softirqs");
}

static struct error *kwork_read_chain(struct work_listener *listener,
				      const struct session_record *r, char **ret)
{
	struct kwork_lines *lines = container_of(listener, struct kwork_lines, listener);
	_cleanup_(strbuf) struct strbuf text = STRBUF_INIT;
	struct error *err;

	if (!lines->chains || !r->sample.callchain || !r->machine)
		return NULL;
	err = callchain_read(&lines->chain, r, lines->depth + 2);
	if (err)
		return err;
	for (size_t i = 0; i < lines->chain.nr; i++) {
		const struct frame *frame = &lines->chain.items[i];
		const char *name = "[unknown]";
		struct place place;

		machine_find(r->machine, r->maps, frame->mode, frame->ip, &place);
		if (place.symbol)
			name = place.symbol->name;
		if (kwork_is_softirq_entry(name))
			continue;
		strbuf_addf(&text, "%s %s", text.len ? " <-" : "", name);
	}
	escape_line_ends(&text, 0);
	if (text.failed)
		return &error_no_memory;
	*ret = take_ptr(text.data);
	return NULL;
}

static struct error *kwork_print_run(struct work_listener *listener, const struct kernel_work *work,
				     const struct work_run *run)
{
	struct kwork_lines *lines = container_of(listener, struct kwork_lines, listener);
	_cleanup_(strbuf) struct strbuf name = STRBUF_INIT;
	struct strbuf *out = &lines->text;

	strbuf_reset(out);
	kwork_name_add(work, &name);
	escape_line_ends(&name, 0);
	strbuf_addch(out, ' ');
	table_add_seconds(run->since, KWORK_TIME_WIDTH, out);
	strbuf_add(out, "  ", 2);
	table_add_seconds(run->until, KWORK_TIME_WIDTH, out);
	strbuf_addf(out, "  [%04d]  %-*.*s", work->cpu, KWORK_NAME_WIDTH, KWORK_NAME_WIDTH - 1,
		    strbuf_str(&name));
	strbuf_addf(out, "  %10.3f ", (run->until - run->since) / 1e6);
	if (run->was_raised)
		strbuf_addf(out, " %10.3f ", (run->since - run->raised) / 1e6);
	else
		strbuf_addf(out, " %10s ", "");
	if (lines->chains) {
		strbuf_addch(out, ' ');
		strbuf_addstr(out, run->chain ? run->chain : "");
	}
	strbuf_addch(out, '\n');
	if (out->failed || name.failed)
		return &error_no_memory;
	/* main() reports it, but nobody reads the rest. */
	return fwrite(out->data, 1, out->len, lines->out) == out->len ? NULL :
		error_new(EIO, "Cannot write the lines");
}

void kwork_lines_init(struct kwork_lines *lines)
{
	lines->listener = (struct work_listener){
		.entry = kwork_read_chain, .run = kwork_print_run,
	};
	lines->text = (struct strbuf)STRBUF_INIT;
}

void kwork_lines_deinit(struct kwork_lines *lines)
{
	strbuf_deinit(&lines->text);
	callchain_deinit(&lines->chain);
}

void kwork_lines_begin(struct kwork_lines *lines)
{
	static const int widths[] = { 17, 17, 6, 30, 10, 10 };

	fprintf(lines->out, " %-17s  %-17s  %-6s  %-30s  %-10s  %-10s\n", "Runtime start",
		"Runtime end", "Cpu", "Kwork name", "Runtime", "Delaytime");
	fprintf(lines->out, " %-17s  %-17s  %-6s  %-30s  %-10s  %-10s\n", "", "", "",
		"(TYPE)NAME:NUM", "(msec)", "(msec)");
	strbuf_reset(&lines->text);
	for (size_t i = 0; i < ARRAY_SIZE(widths); i++) {
		strbuf_addstr(&lines->text, i ? "  " : " ");
		strbuf_pad(&lines->text, lines->text.len + widths[i], '-');
	}
	fprintf(lines->out, "%s\n", strbuf_str(&lines->text));
}
