// SPDX-License-Identifier: GPL-2.0
#include "output/text.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lib/number.h"
#include "lib/strbuf.h"
#include "output/line_start.h"
#include "output/place_text.h"
#include "output/record_text.h"
#include "record/common_field.h"
#include "session/callchain.h"

/* The columns a place is made of. */
#define PLACE_FIELDS	(TEXT_IP | TEXT_SYM | TEXT_SYMOFF | TEXT_DSO | TEXT_SRCLINE)

struct text_output {
	struct session_consumer consumer;
	FILE *out;
	const struct text_options *options;
	const struct event_list *events;
	struct text_fields fields;
	unsigned int name_width;	/* of the longest event name */
	bool checked;			/* fields and name_width are those of events */
	struct strbuf labels;
	struct line_start start;
	struct strbuf line;
	struct callchain chain;
	struct place_text *places;	/* made with the first record, which knows the machine */
};

/* The names of events and what follows them, made once: all are as long as the longest. */
static struct error *make_labels(struct text_output *output)
{
	const struct event_list *events = output->events;

	for (size_t i = 0; i < events->nr; i++) {
		size_t len = strlen(events->items[i]->name);

		if (len > output->name_width)
			output->name_width = len;
	}
	for (size_t i = 0; i < events->nr; i++) {
		const char *name = events->items[i]->name;

		strbuf_add_spaces(&output->labels, output->name_width - strlen(name));
		strbuf_addstr(&output->labels, name);
		strbuf_add(&output->labels, ": ", 2);
	}
	return output->labels.failed ? &error_no_memory : NULL;
}

/* An event that came through a pipe later than the first record has no label. */
static void add_label(struct text_output *output, const struct event *event)
{
	size_t size = output->name_width + 2, at = event->index * size;

	if (at + size <= output->labels.len) {
		strbuf_add(&output->line, output->labels.data + at, size);
		return;
	}
	strbuf_addstr(&output->line, event->name);
	strbuf_add(&output->line, ": ", 2);
}

/* comm, task, cpu, misc, time: what every line begins with. */
static void add_start(struct text_output *output, uint32_t fields,
		      const struct session_record *r)
{
	bool chains = !output->options->hide_callchains && (fields & TEXT_IP) &&
		(r->event->attr.sample_type & PERF_SAMPLE_CALLCHAIN);

	line_start_add(&output->start, &output->line, fields, chains ? 0 : 16,
		       output->options->nanoseconds, r);
}

static struct error *add_callchain(struct text_output *output, uint32_t fields,
				   const struct session_record *r)
{
	unsigned int depth = output->options->max_stack;
	struct strbuf *line = &output->line;
	struct error *err;

	err = callchain_read(&output->chain, r, depth ? depth : CALLCHAIN_DEPTH);
	if (err)
		return err;
	strbuf_addch(line, '\n');
	for (size_t i = 0; i < output->chain.nr; i++)
		place_text_add_frame(output->places, line, fields & PLACE_FIELDS, r->maps,
				     &output->chain.items[i]);
	return NULL;
}

static struct error *add_ip(struct text_output *output, uint32_t fields,
			    const struct session_record *r)
{
	struct strbuf *line = &output->line;
	struct place place;

	if (r->sample.callchain && !output->options->hide_callchains)
		return add_callchain(output, fields, r);
	strbuf_addch(line, ' ');
	number_add_hex(line, r->sample.ip, 16, ' ');
	if (fields & (TEXT_SYM | TEXT_DSO | TEXT_SRCLINE)) {
		place = (struct place){ .ip = r->sample.ip };
		if (r->machine)
			machine_find(r->machine, r->maps, r->sample.cpumode, r->sample.ip, &place);
		place_text_add_place(line, fields, &place);
	}
	return NULL;
}

/* Where the address of a page fault is, is said as well. */
static void add_address(struct text_output *output, uint32_t fields,
			const struct session_record *r)
{
	struct place place;

	number_add_hex(&output->line, r->sample.addr, 16, ' ');
	if (!event_tells_data(r->event))
		return;
	place = (struct place){ .ip = r->sample.addr };
	if (r->machine)
		machine_find_data(r->machine, r->maps, r->sample.cpumode, r->sample.addr, &place);
	place_text_add_place(&output->line, fields & ~TEXT_SRCLINE, &place);
}

static void add_page_size(struct strbuf *line, uint64_t size)
{
	static const char units[] = { 0, 'K', 'M', 'G', 'T', 'P', 'E' };
	unsigned int unit = 0;

	while (size >= 1024 && unit + 1 < sizeof(units)) {
		size /= 1024;
		unit++;
	}
	if (!size) {
		strbuf_addstr(line, " N/A");
		return;
	}
	strbuf_addch(line, ' ');
	number_add_unsigned(line, size, 0, ' ');
	if (units[unit])
		strbuf_addch(line, units[unit]);
}

/* Of the fields perf has little use for, in its order. */
static void add_memory(struct strbuf *line, uint32_t fields, const struct sample *sample)
{
	if (fields & TEXT_PHYS_ADDR)
		number_add_hex(line, sample->phys_addr, 16, ' ');
	if (fields & TEXT_DATA_PAGE_SIZE)
		add_page_size(line, sample->data_page_size);
	if (fields & TEXT_CODE_PAGE_SIZE)
		add_page_size(line, sample->code_page_size);
}

/* "tgid=1 comm=init ...": ktrace's own column, behind the event's text. */
static void add_common(struct strbuf *line, const struct event *event,
		       const struct sample *sample)
{
	for (int f = 0; f < COMMON_FIELD_NR; f++) {
		const char *slot = common_field_slot(event, sample, f);
		uint64_t value;

		if (!slot)
			continue;
		if (line->len && line->data[line->len - 1] != ' ')
			strbuf_addch(line, ' ');
		strbuf_addstr(line, common_field_name(f));
		strbuf_addch(line, '=');
		if (f == COMMON_FIELD_COMM) {
			strbuf_add(line, slot, strnlen(slot, COMMON_FIELD_COMM_SIZE));
			continue;
		}
		memcpy(&value, slot, sizeof(value));
		if (f == COMMON_FIELD_CONTEXT) {
			strbuf_addstr(line, "0x");
			number_add_hex(line, value, 0, ' ');
		} else {
			number_add_unsigned(line, value, 0, ' ');
		}
	}
}

static struct error *add_sample(struct text_output *output, uint32_t fields,
				const struct session_record *r)
{
	const struct sample *sample = &r->sample;
	struct strbuf *line = &output->line;
	struct error *err = NULL;

	add_start(output, fields, r);
	if (fields & TEXT_PERIOD) {
		number_add_unsigned(line, sample->period, 10, ' ');
		strbuf_addch(line, ' ');
	}
	if (fields & TEXT_EVENT)
		add_label(output, r->event);
	if ((fields & TEXT_TRACE) && sample->raw && r->format)
		event_format_print(r->format, sample->raw,
				   common_field_raw_size(r->event, sample), sample->cpu, line);
	if (fields & TEXT_COMMON)
		add_common(line, r->event, sample);
	if (fields & TEXT_ADDR)
		add_address(output, fields, r);
	if (fields & TEXT_WEIGHT)
		number_add_unsigned(line, sample->weight, 16, ' ');
	if (fields & TEXT_INS_LAT)
		number_add_unsigned(line, sample->ins_lat, 16, ' ');
	if (fields & TEXT_IP)
		err = add_ip(output, fields, r);
	add_memory(line, fields, sample);
	strbuf_addch(line, '\n');
	return err;
}

/* Once the first record shows that the events are known, also in a pipe. */
static struct error *check(struct text_output *output, const struct session_record *r)
{
	struct error *err;

	output->checked = true;
	err = make_labels(output);
	if (!err)
		err = place_text_create(r->machine, !output->options->no_inlines,
					&output->places);
	return err ? err : text_fields_check(&output->fields, output->events);
}

static struct error *put_line(struct text_output *output)
{
	struct strbuf *line = &output->line;

	if (line->failed)
		return &error_no_memory;
	if (fwrite_unlocked(line->data, 1, line->len, output->out) != line->len)
		return error_errno(errno, "Cannot write the text");
	return NULL;
}

static struct error *text_sample(struct session_consumer *consumer,
				 const struct session_record *r)
{
	struct text_output *output = container_of(consumer, struct text_output, consumer);
	struct error *err;
	uint32_t fields;

	if (!output->checked) {
		err = check(output, r);
		if (err)
			return err;
	}
	fields = output->fields.kinds[text_kind_of(r->event)].fields;
	/* A kind whose columns were all taken away is not shown at all. */
	if (!fields)
		return NULL;
	strbuf_reset(&output->line);
	err = add_sample(output, fields, r);
	return err ? err : put_line(output);
}

static bool is_shown(const struct text_options *options, uint32_t type)
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
	default:
		return false;
	}
}

static struct error *text_other(struct session_consumer *consumer,
				const struct session_record *r)
{
	struct text_output *output = container_of(consumer, struct text_output, consumer);
	const struct text_options *options = output->options;
	struct error *err;

	if (!is_shown(options, r->record.header->type))
		return NULL;
	if (options->cpus && r->sample.cpu != -1 && !cpumap_has(options->cpus, r->sample.cpu))
		return NULL;
	if (!output->checked) {
		err = check(output, r);
		if (err)
			return err;
	}
	strbuf_reset(&output->line);
	if (r->event)
		add_start(output, output->fields.kinds[text_kind_of(r->event)].fields, r);
	record_text_add(&output->line, r->record.header);
	return put_line(output);
}

struct error *text_output_create(FILE *out, const struct text_options *options,
				 const struct event_list *events,
				 struct text_output **ret)
{
	struct text_output *output = calloc(1, sizeof(*output));

	if (!output)
		return &error_no_memory;
	output->consumer = (struct session_consumer){ .sample = text_sample, .other = text_other };
	output->out = out;
	output->options = options;
	output->events = events;
	output->fields = options->fields;
	*ret = output;
	return NULL;
}

void text_output_destroy(struct text_output *output)
{
	if (!output)
		return;
	strbuf_deinit(&output->labels);
	strbuf_deinit(&output->line);
	callchain_deinit(&output->chain);
	place_text_destroy(output->places);
	free(output);
}

struct session_consumer *text_output_consumer(struct text_output *output)
{
	return &output->consumer;
}
