// SPDX-License-Identifier: GPL-2.0
#include "output/text/text.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "counts/stat_counts.h"
#include "lib/strbuf.h"
#include "output/rendering.h"
#include "output/text/record_text.h"
#include "output/text/text_files.h"
#include "output/text/text_line.h"
#include "output/text/text_threads.h"
#include "record/body.h"
#include "session/callchain.h"
#include "terminal/pager.h"

struct text_output {
	struct session_consumer consumer;
	FILE *out;
	const struct text_options *options;
	const struct event_list *events;
	/* These are set up at the first record: then the events are known, also in a pipe. */
	bool begun;
	struct text_style style;
	struct text_line maker;
	struct strbuf line;
	struct stat_counts counts;
	bool counts_begun;
	struct text_threads *threads;	/* NULL: no line was handed to threads yet */
};

static struct error *begin(struct text_output *output, const struct session_record *r)
{
	struct error *err;

	output->begun = true;
	err = text_style_init(&output->style, output->options, output->events);
	return err ? err : text_line_init(&output->maker, &output->style, r->machine);
}

static struct error *put_line(struct text_output *output)
{
	struct strbuf *line = &output->line;

	if (line->failed)
		return &error_no_memory;
	if (output->threads)
		return text_threads_add_text(output->threads, line->data, line->len);
	if (fwrite_unlocked(line->data, 1, line->len, output->out) != line->len)
		return error_errno(errno, "Cannot write the text");
	return NULL;
}

static struct error *put_sample_line(struct text_output *output, const struct event *event)
{
	const struct strbuf *line = &output->line;

	if (!output->options->files || line->failed)
		return put_line(output);
	return text_files_add(output->options->files, event, line->data, line->len);
}

/* Pass a sample to the threads if they can format its line; *ret: it was passed. */
static struct error *give_threads(struct text_output *output, const struct session_record *r,
				  bool *ret)
{
	struct error *err = NULL;

	*ret = !output->options->files && output->options->threads > 1 &&
	       text_line_stands_alone(&output->style, r);
	if (!*ret)
		return NULL;
	if (!output->threads)
		err = text_threads_create(output->out, &output->style, output->options->threads,
					  &output->threads);
	return err ? err : text_threads_add_sample(output->threads, r);
}

static struct error *text_sample(struct session_consumer *consumer,
				 const struct session_record *r)
{
	struct text_output *output = container_of(consumer, struct text_output, consumer);
	struct error *err;
	bool given;

	if (!output->begun) {
		err = begin(output, r);
		if (err)
			return err;
	}
	/* A kind of event without any columns left is not shown at all. */
	if (!(text_style_fields(&output->style, r->event) & ~TEXT_FLAGS))
		return NULL;
	err = give_threads(output, r, &given);
	if (err || given)
		return err;
	strbuf_reset(&output->line);
	err = text_line_add_sample(&output->maker, r, &output->line);
	return err ? err : put_sample_line(output, r->event);
}

static bool text_is_shown(const struct text_options *options, uint32_t type)
{
	switch (type) {
	case PERF_RECORD_COMM:
	case PERF_RECORD_FORK:
	case PERF_RECORD_EXIT:
		return options->show_task_events;
	case PERF_RECORD_MMAP:
	case PERF_RECORD_MMAP2:
		return options->show_mmap_events;
	case PERF_RECORD_LOST:
		return options->show_lost_events;
	case PERF_RECORD_SWITCH:
	case PERF_RECORD_SWITCH_CPU_WIDE:
		return options->show_switch_events;
	case PERF_RECORD_NAMESPACES:
		return options->show_namespace_events;
	case PERF_RECORD_CGROUP:
		return options->show_cgroup_events;
	case PERF_RECORD_KSYMBOL:
	case PERF_RECORD_BPF_EVENT:
		return options->show_bpf_events;
	case PERF_RECORD_TEXT_POKE:
		return options->show_text_poke_events;
	default:
		return false;
	}
}

/* As in perf, a line without a time and a task. */
static struct error *put_round(struct text_output *output, const struct session_record *r)
{
	strbuf_reset(&output->line);
	record_text_add(&output->line, r->record.header);
	return put_line(output);
}

/*
 * Print the counts of `perf stat record` at the end of each interval.  As in perf, these are sums
 * since the beginning, or the differences of the interval if CPUs or threads were counted one by
 * one.
 */
static struct error *take_counts(struct text_output *output, const struct session_record *r)
{
	const struct stat_counts *counts = &output->counts;
	struct error *err;
	uint64_t time;
	bool round;

	err = stat_counts_apply(&output->counts, r, &round, &time);
	if (err || !round)
		return err;
	strbuf_reset(&output->line);
	if (!output->counts_begun)
		strbuf_addf(&output->line, "%3s %8s %15s %15s %15s %15s %s\n", "CPU", "THREAD",
			    "VAL", "ENA", "RUN", "TIME", "EVENT");
	output->counts_begun = true;
	for (size_t i = 0; i < counts->nr; i++) {
		const struct stat_counter *c = &counts->items[i];
		struct stat_count count = !counts->by_place ? c->now :
					  stat_counts_scale(stat_counts_difference(c));

		strbuf_addf(&output->line, "%3d %8d %15" PRIu64 " %15" PRIu64 " %15" PRIu64
			    " %15" PRIu64 " %s\n", (int)c->cpu, (int)stat_counts_pid(counts, c),
			    count.value, count.enabled, count.running, time, c->event->name);
	}
	stat_counts_begin_round(&output->counts);
	return put_line(output);
}

static void add_poke(struct text_output *output, const struct session_record *r)
{
	const struct body_text_poke *b = body_of_size(r->record.header, sizeof(b->addr));
	_cleanup_(strbuf) struct strbuf symbol = STRBUF_INIT;
	const char *name = NULL;
	uint64_t start;

	if (b && r->machine)
		name = machine_kernel_symbol(r->machine, b->addr, &start);
	if (name)
		strbuf_addf(&symbol, "%s+0x%" PRIx64, name, b->addr - start);
	record_text_add_poke(&output->line, r->record.header, strbuf_str(&symbol));
}

static struct error *text_other(struct session_consumer *consumer,
				const struct session_record *r)
{
	struct text_output *output = container_of(consumer, struct text_output, consumer);
	const struct text_options *options = output->options;
	struct error *err;

	if (r->record.header->type == RECORD_FINISHED_ROUND)
		return options->show_round_events ? put_round(output, r) : NULL;
	if (r->record.header->type >= RECORD_USER_TYPE_START)
		return take_counts(output, r);
	if (!text_is_shown(options, r->record.header->type))
		return NULL;
	if (options->cpus && r->sample.cpu != -1 && !cpumap_has(options->cpus, r->sample.cpu))
		return NULL;
	if (!output->begun) {
		err = begin(output, r);
		if (err)
			return err;
	}
	strbuf_reset(&output->line);
	if (r->event)
		text_line_add_start(&output->maker, r, &output->line);
	if (r->record.header->type == PERF_RECORD_TEXT_POKE)
		add_poke(output, r);
	else
		record_text_add(&output->line, r->record.header);
	return put_line(output);
}

static struct error *text_finish(struct session_consumer *consumer)
{
	struct text_output *output = container_of(consumer, struct text_output, consumer);

	return output->threads ? text_threads_finish(output->threads) : NULL;
}

struct error *text_output_create(FILE *out, const struct text_options *options,
				 const struct event_list *events,
				 struct text_output **ret)
{
	struct text_output *output = calloc(1, sizeof(*output));

	if (!output)
		return &error_no_memory;
	output->consumer = (struct session_consumer){
		.sample = text_sample, .other = text_other, .finish = text_finish,
	};
	output->out = out;
	output->options = options;
	output->events = events;
	*ret = output;
	return NULL;
}

void text_output_destroy(struct text_output *output)
{
	if (!output)
		return;
	text_threads_destroy(output->threads);
	strbuf_deinit(&output->line);
	text_line_deinit(&output->maker);
	text_style_deinit(&output->style);
	stat_counts_deinit(&output->counts);
	free(output);
}

struct session_consumer *text_output_consumer(struct text_output *output)
{
	return &output->consumer;
}

#define TEXT_BUFFER_BYTES	(256 * 1024)

struct text_rendering {
	struct rendering rendering;
	struct text_options defaults;
	struct text_output *output;
};

static void destroy_text_rendering(struct rendering *rendering)
{
	struct text_rendering *r = container_of(rendering, struct text_rendering, rendering);

	text_output_destroy(r->output);
	free(r);
}

struct error *output_text_open(const struct rendering_request *request, struct rendering **ret)
{
	struct text_rendering *r = calloc(1, sizeof(*r));
	struct error *err;

	if (!r)
		return &error_no_memory;
	r->defaults.max_stack = CALLCHAIN_DEPTH;
	text_fields_init(&r->defaults.fields);
	if (request->out == stdout)
		pager_start();
	setvbuf(request->out, NULL, _IOFBF, TEXT_BUFFER_BYTES);
	err = text_output_create(request->out, request->text ? request->text : &r->defaults,
				 request->events, &r->output);
	if (err) {
		free(r);
		return err;
	}
	r->rendering = (struct rendering){
		.consumer = text_output_consumer(r->output), .destroy = destroy_text_rendering,
		.in_file_order = request->text && request->text->show_round_events,
	};
	*ret = &r->rendering;
	return NULL;
}
