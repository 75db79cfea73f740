// SPDX-License-Identifier: GPL-2.0
#include "cmd/report/report_parts.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/array.h"
#include "lib/color.h"
#include "output/text/text.h"
#include "session/callchain.h"

#define NSEC_PER_MS	1000000ULL

/* Length of the shown interval on both sides, as in perf. */
#define CONTEXT		(5 * NSEC_PER_MS)

/* Print the samples that are selected into @out. */
static struct error *print_context(const struct recording_inputs *inputs,
				   const struct symbol_options *symbols,
				   const struct selection *selection, FILE *out)
{
	struct text_options text = { .nanoseconds = true, .max_stack = CALLCHAIN_DEPTH };
	_cleanup_(rendering) struct rendering *rendering = NULL;
	const struct output_format *format;
	struct machine *machine = NULL;
	struct reader *reader;
	struct error *err = recording_open_all(inputs, &reader);

	if (err)
		return err;
	text_fields_init(&text.fields);
	err = reader_read_header(reader);
	if (!err)
		err = recording_machine(reader, symbols, &machine);
	if (!err)
		err = output_format_find("text", &format);
	if (!err) {
		const struct rendering_request request = {
			.out = out, .recording = recording_first(inputs),
			.events = reader_events(reader), .header = reader_header(reader),
			.text = &text,
		};

		text.header = reader_header(reader);
		err = output_format_open(format, &request, &rendering);
		if (!err)
			err = recording_render(reader, machine, selection, format, rendering);
		rendering_destroy(take_ptr(rendering));
	}
	machine_destroy(machine);
	reader_close(reader);
	return err;
}

/* Whether a line has the time of the sample, and its thread if lines have one. */
static bool is_line_of(const struct entry_sample *sample, const char *line, size_t len)
{
	_cleanup_free_ char *copy = strndup(line, len);
	char time[40], tid[16];

	snprintf(time, sizeof(time), " %" PRIu64 ".%09" PRIu64 ":", sample->time / 1000000000,
		 sample->time % 1000000000);
	snprintf(tid, sizeof(tid), "%d ", sample->tid);
	return copy && strstr(copy, time) && strstr(copy, tid);
}

/* Add the lines, and find that of the sample. */
static void mark_context(const struct entry_sample *sample, const char *text, struct strbuf *ret,
			 size_t *ret_line)
{
	bool found = false;

	*ret_line = 0;
	for (size_t i = 0; *text; i++) {
		size_t len = strcspn(text, "\n");
		bool mark = !found && is_line_of(sample, text, len);

		if (mark)
			*ret_line = i;
		found |= mark;
		strbuf_addf(ret, "%c %.*s\n", mark ? '>' : ' ', (int)len, text);
		text += len + (text[len] == '\n');
	}
}

static struct error *select_context(const struct entry_sample *sample,
				    struct selection *selection, struct cpumap *cpus)
{
	char number[16];

	const struct time_range range = {
		sample->time < CONTEXT ? 0 : sample->time - CONTEXT, sample->time + CONTEXT,
	};

	if (!array_push(&selection->times, range))
		return &error_no_memory;
	if (!(event_sampled(sample->event) & PERF_SAMPLE_CPU))
		return array_push(&selection->tids, sample->tid) ? NULL : &error_no_memory;
	snprintf(number, sizeof(number), "%d", sample->cpu);
	selection->cpus = cpus;
	return cpumap_parse(number, cpus);
}

struct error *sample_context_add(const struct recording_inputs *inputs,
				 const struct symbol_options *symbols,
				 const struct entry_sample *sample, struct strbuf *ret,
				 size_t *ret_line)
{
	_cleanup_(selection) struct selection selection = { .cpus = NULL };
	struct cpumap cpus = { 0 };
	_cleanup_free_ char *text = NULL;
	struct error *err = select_context(sample, &selection, &cpus);
	const enum color_mode mode = color_mode;
	FILE *out = NULL;
	size_t size;

	if (!err)
		out = open_memstream(&text, &size);
	/* A page of the browser has no colours. */
	color_mode = COLOR_NEVER;
	if (!err)
		err = out ? print_context(inputs, symbols, &selection, out) : &error_no_memory;
	color_mode = mode;
	if (out && fclose(out) && !err)
		err = &error_no_memory;
	cpumap_deinit(&cpus);
	if (!err)
		mark_context(sample, text, ret, ret_line);
	return err;
}
