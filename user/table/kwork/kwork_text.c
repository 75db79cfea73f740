// SPDX-License-Identifier: GPL-2.0
#include "table/kwork/kwork_text.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "lib/escape.h"

#define KWORK_NAME_WIDTH	30
#define KWORK_TIME_WIDTH	17

static const char kwork_dashes[] =
	"----------------------------------------------------------------------------------------"
	"----------------------------------------------------------------------------------------";

/* As in perf, one character less than the column has. */
static void kwork_add_name(const struct kernel_work *work, struct strbuf *out)
{
	_cleanup_(strbuf) struct strbuf name = STRBUF_INIT;
	const char *known = work->name ? work->name : "unknown";

	if (work->class == WORK_IRQ)
		strbuf_addf(&name, "%s:%" PRIu64, known, work->id);
	else if (work->class == WORK_SOFTIRQ)
		strbuf_addf(&name, "(s)%s:%" PRIu64, known, work->id);
	else if (work->name)
		strbuf_addf(&name, "(w)%s", known);
	else
		strbuf_addf(&name, "(w)%#" PRIx64, work->id);
	escape_line_ends(&name, 0);
	if (name.failed)
		out->failed = true;
	strbuf_addf(out, "%-*.*s", KWORK_NAME_WIDTH, KWORK_NAME_WIDTH - 1, strbuf_str(&name));
}

static void kwork_add_time(uint64_t ns, struct strbuf *out)
{
	char text[32];

	snprintf(text, sizeof(text), "%" PRIu64 ".%06u", ns / 1000000000,
		 (unsigned int)(ns % 1000000000 / 1000));
	strbuf_addf(out, "%*s", KWORK_TIME_WIDTH, text);
}

static void kwork_add_row(const struct kernel_work *work, enum work_measure measure,
			  struct strbuf *out)
{
	double shown = work->total;

	if (measure == WORK_LATENCY)
		shown /= work->count;
	strbuf_add(out, "  ", 2);
	kwork_add_name(work, out);
	strbuf_addf(out, " | %04d | %10.3f ms | %9" PRIu64 " | %10.3f ms | ", work->cpu, shown / 1e6,
		    work->count, work->max / 1e6);
	kwork_add_time(work->max_since, out);
	strbuf_addstr(out, " s | ");
	kwork_add_time(work->max_until, out);
	strbuf_addstr(out, " s |\n");
}

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

void kwork_text_add(const struct kernel_works *works, bool summary, struct strbuf *out)
{
	enum work_measure measure = works->options->measure;
	bool runtime = measure == WORK_RUNTIME;
	size_t begin, width;

	strbuf_addstr(out, "\n ");
	begin = out->len;
	strbuf_addf(out, " %-30s | Cpu  | %-13s | %-9s | %-13s | %-19s | %-19s |", "Kwork Name",
		    runtime ? "Total Runtime" : "Avg delay", "Count",
		    runtime ? "Max runtime" : "Max delay",
		    runtime ? "Max runtime start" : "Max delay start",
		    runtime ? "Max runtime end" : "Max delay end");
	width = out->len - begin;
	strbuf_addf(out, "\n %.*s\n", (int)width, kwork_dashes);
	for (size_t i = 0; i < works->works.nr; i++)
		if (works->works.items[i].count)
			kwork_add_row(&works->works.items[i], measure, out);
	strbuf_addf(out, " %.*s\n", (int)width, kwork_dashes);
	if (summary) {
		kwork_add_summary(works, out);
		strbuf_addf(out, " %.*s\n", (int)width, kwork_dashes);
	}
	kwork_add_skipped(works, out);
	strbuf_addch(out, '\n');
}

/* Where every softirq runs, which says nothing. */
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
	struct strbuf *out = &lines->text;

	strbuf_reset(out);
	strbuf_addch(out, ' ');
	kwork_add_time(run->since, out);
	strbuf_add(out, "  ", 2);
	kwork_add_time(run->until, out);
	strbuf_addf(out, "  [%04d]  ", work->cpu);
	kwork_add_name(work, out);
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
	if (out->failed)
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
	for (size_t i = 0; i < sizeof(widths) / sizeof(*widths); i++)
		fprintf(lines->out, "%s%.*s", i ? "  " : " ", widths[i], kwork_dashes);
	fputc('\n', lines->out);
}
