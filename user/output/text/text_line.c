// SPDX-License-Identifier: GPL-2.0
#include "output/text/text_line.h"

#include <errno.h>

#include "lib/color.h"
#include "lib/escape.h"
#include "lib/number.h"
#include "output/text/line_parts.h"
#include "record/common_field.h"
#include "record/registers.h"
#include "session/cgroups.h"
#include "terminal/options.h"

/* The columns that describe a place. */
#define PLACE_FIELDS	(TEXT_IP | TEXT_SYM | TEXT_SYMOFF | TEXT_DSO | TEXT_SRCLINE)

#define BRANCH_FIELDS	(TEXT_BRSTACK | TEXT_BRSTACKSYM | TEXT_BRSTACKOFF)

#define CODE_FIELDS	(TEXT_INSN | TEXT_INSNLEN)

/* The columns that need the machine. */
#define MACHINE_FIELDS	(PLACE_FIELDS | TEXT_ADDR | BRANCH_FIELDS | CODE_FIELDS | TEXT_SRCCODE | \
			 TEXT_CGROUP)

/* As wide as the flags that a hardware trace would have here. */
#define FLAGS_WIDTH	24

/* Format the names of events and their tails once: all are as long as the longest. */
static struct error *make_labels(struct text_style *style, const struct event_list *events)
{
	const char *on = color_on(COLOR_EVENT), *off = color_off(COLOR_EVENT);
	size_t width = 0;

	for (size_t i = 0; i < events->nr; i++) {
		size_t len = strlen(events->items[i]->name);

		if (len > width)
			width = len;
	}
	for (size_t i = 0; i < events->nr; i++) {
		const char *name = events->items[i]->name;

		strbuf_add_spaces(&style->labels, width - strlen(name));
		strbuf_addf(&style->labels, "%s%s%s: ", on, name, off);
	}
	style->label_size = strlen(on) + width + strlen(off) + 2;
	return style->labels.failed ? &error_no_memory : NULL;
}

/* The time of day needs the wall clock, which was noted only if a clock was chosen. */
static struct error *check_wall_time(const struct text_style *style,
				     const struct event_list *events)
{
	const struct header *header = style->options->header;

	if (header && header->wall_time)
		return NULL;
	for (size_t i = 0; i < events->nr; i++)
		if (text_style_fields(style, events->items[i]) & TEXT_TOD)
			return error_hint(error_new(EINVAL, "The recording does not tell the time of "
						    "day that the field 'tod' prints"),
					  "Record with a clock, as in 'ktrace record -k monotonic'");
	return NULL;
}

struct error *text_style_init(struct text_style *style, const struct text_options *options,
			      const struct event_list *events)
{
	struct error *err;

	*style = (struct text_style){ .options = options, .fields = options->fields };
	err = make_labels(style, events);
	if (!err)
		err = text_fields_check(&style->fields, events, !options->hide_callchains);
	return err ? err : check_wall_time(style, events);
}

void text_style_deinit(struct text_style *style)
{
	strbuf_deinit(&style->labels);
}

struct error *text_line_init(struct text_line *line, const struct text_style *style,
			     struct machine *machine)
{
	const char *on = color_on(COLOR_TIME);

	*line = (struct text_line){ .style = style, .start.header = style->options->header };
	if (style->options->since_first)
		line->start.clock = LINE_CLOCK_FIRST;
	else if (style->options->since_last)
		line->start.clock = LINE_CLOCK_LAST;
	/* Without colours, each line does without adding them. */
	if (*on) {
		line->start.time_on = on;
		line->start.time_off = color_off(COLOR_TIME);
	}
	return place_text_create(machine, !style->options->no_inlines, &line->places);
}

void text_line_deinit(struct text_line *line)
{
	callchain_deinit(&line->chain);
	place_text_destroy(line->places);
	instruction_texts_destroy(line->instructions);
	source_lines_destroy(line->sources);
}

/*
 * Find where an event's label ends in the text of all labels; 0: it came through a pipe later,
 * and has none.
 */
static size_t end_of_label(const struct text_style *style, const struct event *event)
{
	size_t end = (event->index + 1) * style->label_size;

	return end <= style->labels.len ? end : 0;
}

static void add_label(const struct text_style *style, const struct event *event,
		      struct strbuf *out)
{
	size_t size = style->label_size, end = end_of_label(style, event);

	if (end) {
		strbuf_add(out, style->labels.data + end - size, size);
		return;
	}
	strbuf_addstr(out, event->name);
	strbuf_add(out, ": ", 2);
}

void text_line_add_start(struct text_line *line, const struct session_record *r,
			 struct strbuf *out)
{
	const struct text_options *options = line->style->options;
	uint64_t fields = text_style_fields(line->style, r->event);
	bool chains = !options->hide_callchains && (fields & TEXT_IP) &&
		(r->event->attr.sample_type & PERF_SAMPLE_CALLCHAIN);

	line_start_add(&line->start, out, fields,
		       options->latency ? LINE_START_LATENCY : chains ? 0 : 16,
		       options->nanoseconds, r);
}

static uint32_t text_line_place_fields(const struct text_line *line, uint64_t fields)
{
	const struct text_options *options = line->style->options;

	return (fields & PLACE_FIELDS) |
	       (options->full_source_path ? PLACE_TEXT_FULL_SOURCE : 0) |
	       (options->kernel_path ? PLACE_TEXT_KERNEL_PATH : 0);
}

/* Whether the call chain ends with this frame (--stop-bt). */
static bool text_line_stops(const struct text_line *line, const struct session_record *r,
			    const struct frame *frame)
{
	struct place place = { .ip = frame->ip };

	if (r->machine)
		machine_find(r->machine, r->maps, frame->mode, frame->ip, &place);
	return place.symbol && word_in_list(line->style->options->stop_at, place.symbol->name);
}

static struct error *text_line_add_callchain(struct text_line *line, uint64_t fields,
					     const struct session_record *r, struct strbuf *out)
{
	struct error *err;

	err = callchain_read(&line->chain, r, line->style->options->max_stack);
	if (err)
		return err;
	strbuf_addch(out, '\n');
	place_text_set_machine(line->places, r->machine);
	for (size_t i = 0; i < line->chain.nr; i++) {
		const struct frame *frame = &line->chain.items[i];

		place_text_add_frame(line->places, out, text_line_place_fields(line, fields),
				     r->maps, frame);
		if (line->style->options->stop_at && text_line_stops(line, r, frame))
			break;
	}
	return NULL;
}

static void text_line_find_place(const struct session_record *r, struct place *ret)
{
	*ret = (struct place){ .ip = r->sample.ip };
	if (r->machine)
		machine_find(r->machine, r->maps, r->sample.cpumode, r->sample.ip, ret);
}

static struct error *add_ip(struct text_line *line, uint64_t fields,
			    const struct session_record *r, struct strbuf *out)
{
	struct place place;

	if (r->sample.callchain && !line->style->options->hide_callchains)
		return text_line_add_callchain(line, fields, r, out);
	strbuf_addch(out, ' ');
	number_add_hex(out, r->sample.ip, 16, ' ');
	if (fields & (TEXT_SYM | TEXT_DSO | TEXT_SRCLINE)) {
		text_line_find_place(r, &place);
		place_text_add_place(out, text_line_place_fields(line, fields), &place);
	}
	return NULL;
}

/* Append the sampled address; for page faults and the like, with its name. */
static void text_line_add_address(const struct text_line *line, uint64_t fields,
				  const struct session_record *r, struct strbuf *out)
{
	struct place place;

	number_add_hex(out, r->sample.addr, 16, ' ');
	if (!event_tells_data(r->event))
		return;
	place = (struct place){ .ip = r->sample.addr };
	if (r->machine)
		machine_find_data(r->machine, r->maps, r->sample.cpumode, r->sample.addr, &place);
	place_text_add_place(out, text_line_place_fields(line, fields & ~TEXT_SRCLINE), &place);
}

/* perf prints this many characters and cuts the rest. */
#define DATA_SRC_BYTES	99

static void add_data_source(struct text_line *line, struct strbuf *out, uint64_t data_src)
{
	_cleanup_(strbuf) struct strbuf text = STRBUF_INIT;

	number_add_hex(&text, data_src, 16, ' ');
	strbuf_addch(&text, ' ');
	data_source_text(data_src, &text);
	if (text.len > DATA_SRC_BYTES)
		text.len = DATA_SRC_BYTES;
	if (text.len > line->data_src_width)
		line->data_src_width = text.len;
	strbuf_add(out, text.data, text.len);
	strbuf_add_spaces(out, line->data_src_width - text.len);
}

static void add_page_size(struct strbuf *out, uint64_t size)
{
	static const char units[] = { 0, 'K', 'M', 'G', 'T', 'P', 'E' };
	unsigned int unit = 0;

	while (size >= 1024 && unit + 1 < sizeof(units)) {
		size /= 1024;
		unit++;
	}
	if (!size) {
		strbuf_addstr(out, " N/A");
		return;
	}
	strbuf_addch(out, ' ');
	number_add_unsigned(out, size, 0, ' ');
	if (units[unit])
		strbuf_addch(out, units[unit]);
}

/* Append "ABI:2    AX:0x1 ...": registers, if the sample has them. */
static void text_line_add_registers(struct strbuf *out, uint64_t abi, const uint64_t *values,
				    uint64_t mask)
{
	if (!values)
		return;
	strbuf_addf(out, " ABI:%llu ", (unsigned long long)abi);
	registers_text(values, mask, out);
}

/* Append registers and branches, in perf's order. */
static void add_processor(struct strbuf *out, uint64_t fields, const struct session_record *r)
{
	const struct perf_event_attr *attr = &r->event->attr;
	const struct sample *s = &r->sample;

	if (fields & TEXT_IREGS)
		text_line_add_registers(out, s->intr_abi, s->intr_regs,
					attr->sample_regs_intr);
	if (fields & TEXT_UREGS)
		text_line_add_registers(out, s->user_abi, s->user_regs,
					attr->sample_regs_user);
	for (uint32_t field = TEXT_BRSTACK; field <= TEXT_BRSTACKOFF; field <<= 1)
		if (fields & field)
			branch_text_add(out, r, field, fields & TEXT_DSO);
}

/* Append the less common fields, in perf's order. */
static void add_memory(struct strbuf *out, uint64_t fields, const struct sample *sample)
{
	if (fields & TEXT_PHYS_ADDR)
		number_add_hex(out, sample->phys_addr, 16, ' ');
	if (fields & TEXT_DATA_PAGE_SIZE)
		add_page_size(out, sample->data_page_size);
	if (fields & TEXT_CODE_PAGE_SIZE)
		add_page_size(out, sample->code_page_size);
}

/* Its position in the line is that of the newest perf; perf of Linux 6.1 does not have it. */
static void text_line_add_cgroup(struct strbuf *out, const struct session_record *r)
{
	const char *path = NULL;
	size_t from = out->len;

	if (r->machine)
		path = machine_cgroup(r->machine, sample_cgroup(r->event, &r->sample));
	strbuf_addf(out, " %s", path ? path : "unknown");
	escape_line_ends(out, from);
}

/* Append "tgid=1 comm=init ...": a column of ktrace, behind the event's text. */
static void text_line_add_common(struct strbuf *out, const struct event *event,
				 const struct sample *sample)
{
	for (size_t i = 0; i < event->common.nr; i++) {
		const struct common_slot *slot = &event->common.items[i];
		const char *bytes = common_slot_bytes(event, sample, slot);

		if (!bytes)
			return;
		if (out->len && out->data[out->len - 1] != ' ')
			strbuf_addch(out, ' ');
		strbuf_addstr(out, slot->name);
		strbuf_addch(out, '=');
		switch (slot->type) {
		case COMMON_TEXT:
			strbuf_add(out, bytes, strnlen(bytes, slot->size));
			break;
		case COMMON_FLAGS:
			strbuf_addstr(out, "0x");
			number_add_hex(out, common_slot_number(bytes), 0, ' ');
			break;
		case COMMON_SIGNED:
			number_add_signed(out, common_slot_number(bytes), 0, ' ');
			break;
		case COMMON_NUMBER:
			number_add_unsigned(out, common_slot_number(bytes), 0, ' ');
			break;
		}
	}
}

static struct error *text_line_add_instruction(struct text_line *line, uint64_t fields,
					       const struct session_record *r, struct strbuf *out)
{
	struct error *err = NULL;
	struct place place;

	if (!line->instructions)
		err = instruction_texts_create(&line->instructions);
	if (err)
		return err;
	text_line_find_place(r, &place);
	return instruction_texts_add(line->instructions, r->machine, &place, fields, out);
}

static struct error *text_line_add_source(struct text_line *line, const struct session_record *r,
					  struct strbuf *out)
{
	struct error *err = NULL;
	struct place place;

	if (!line->sources)
		err = source_lines_create(&line->sources);
	if (err)
		return err;
	text_line_find_place(r, &place);
	return source_lines_add(line->sources, r->sample.tid, &place, out);
}

struct error *text_line_add_sample(struct text_line *line, const struct session_record *r,
				   struct strbuf *out)
{
	uint64_t fields = text_style_fields(line->style, r->event);
	const struct sample *sample = &r->sample;
	struct error *err = NULL;

	text_line_add_start(line, r, out);
	if (fields & TEXT_PERIOD) {
		number_add_unsigned(out, sample->period, 10, ' ');
		strbuf_addch(out, ' ');
	}
	if (fields & TEXT_EVENT)
		add_label(line->style, r->event, out);
	if (fields & TEXT_FLAGS)
		strbuf_add_spaces(out, FLAGS_WIDTH);
	if ((fields & TEXT_TRACE) && sample->raw && r->format)
		event_format_print(r->format, sample->raw,
				   common_field_raw_size(r->event, sample), sample->cpu, out);
	if (fields & TEXT_COMMON)
		text_line_add_common(out, r->event, sample);
	if (fields & TEXT_ADDR)
		text_line_add_address(line, fields, r, out);
	if (fields & TEXT_DATA_SRC)
		add_data_source(line, out, sample->data_src);
	if (fields & TEXT_WEIGHT)
		number_add_unsigned(out, sample->weight, 16, ' ');
	if (fields & TEXT_INS_LAT)
		number_add_unsigned(out, sample->ins_lat, 16, ' ');
	if (fields & TEXT_CGROUP)
		text_line_add_cgroup(out, r);
	if (fields & TEXT_IP)
		err = add_ip(line, fields, r, out);
	add_processor(out, fields, r);
	if (fields & TEXT_BPF_OUTPUT)
		bpf_text_add(out, r->event, sample);
	if (!err && fields & CODE_FIELDS)
		err = text_line_add_instruction(line, fields, r, out);
	add_memory(out, fields, sample);
	strbuf_addch(out, '\n');
	if (!err && fields & TEXT_SRCCODE)
		err = text_line_add_source(line, r, out);
	return err ? err : out->failed ? &error_no_memory : NULL;
}

/*
 * With PERF_SAMPLE_READ, a sample represents several, whose periods are differences to earlier
 * ones.  So its line depends on other samples.
 */
bool text_line_stands_alone(const struct text_style *style, const struct session_record *r)
{
	uint64_t fields = text_style_fields(style, r->event);

	/* Its time would depend on another line. */
	if (style->options->since_first || style->options->since_last)
		return false;
	/* Without the event's own text, formatting a line takes less time than passing it on. */
	return (fields & TEXT_TRACE) && !(fields & MACHINE_FIELDS) &&
	       !(r->event->attr.sample_type & PERF_SAMPLE_READ) &&
	       end_of_label(style, r->event) && r->format && r->event->format == r->format &&
	       r->format->print_alone;
}
