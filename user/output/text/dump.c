// SPDX-License-Identifier: GPL-2.0
#include "output/text/dump.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "lib/array.h"
#include "lib/strbuf.h"
#include "output/rendering.h"
#include "output/text/record_text.h"
#include "record/registers.h"
#include "record/sample.h"
#include "terminal/pager.h"

#define BYTES_PER_LINE	16

static void add_bytes(struct strbuf *out, const unsigned char *bytes, size_t size)
{
	for (size_t at = 0; at < size; at += BYTES_PER_LINE) {
		strbuf_addf(out, ".  %04zx: ", at);
		for (size_t i = at; i < at + BYTES_PER_LINE; i++) {
			if (i < size)
				strbuf_addf(out, " %02x", bytes[i]);
			else
				strbuf_addstr(out, "   ");
		}
		strbuf_addstr(out, "  ");
		for (size_t i = at; i < at + BYTES_PER_LINE; i++)
			strbuf_addch(out, i < size ? isprint(bytes[i]) ? bytes[i] : '.' : ' ');
		strbuf_addch(out, '\n');
	}
}

/* Combine the fields of all events: perf prints all these columns. */
static uint64_t all_sampled(const struct event_list *events)
{
	uint64_t type = 0;

	for (size_t i = 0; i < events->nr; i++)
		type |= events->items[i]->attr.sample_type;
	return type;
}

static void add_place(struct strbuf *out, const struct event_list *events,
		      const struct record *record, const struct sample *sample)
{
	uint64_t type = all_sampled(events);

	strbuf_addch(out, '\n');
	if (record->header->type != PERF_RECORD_SAMPLE && events->nr &&
	    !events->items[0]->attr.sample_id_all) {
		strbuf_addstr(out, "-1 -1 ");
	} else {
		if (type & PERF_SAMPLE_CPU)
			strbuf_addf(out, "%" PRIu32 " ", sample->cpu);
		if (type & PERF_SAMPLE_TIME)
			strbuf_addf(out, "%" PRIu64 " ", sample->time);
	}
	strbuf_addf(out, "%#" PRIx64 " [%#x]: ", record->offset, record->header->size);
}

static void dump_text_add_callchain(struct strbuf *out, const struct sample *sample)
{
	strbuf_addf(out, "... FP chain: nr:%" PRIu64 "\n", sample->nr_callchain);
	for (uint64_t i = 0; i < sample->nr_callchain; i++)
		strbuf_addf(out, "..... %2" PRIu64 ": %016" PRIx64 "\n", i, sample->callchain[i]);
}

static void add_registers(struct strbuf *out, const char *whose, uint64_t abi,
			  const uint64_t *values, uint64_t mask)
{
	static const char *const abis[] = { "none", "32-bit", "64-bit" };
	size_t n = 0;

	strbuf_addf(out, "... %s regs: mask 0x%" PRIx64 " ABI %s\n", whose, mask,
		    abi < ARRAY_SIZE(abis) ? abis[abi] : "unknown");
	for (unsigned int bit = 0; bit < 64; bit++)
		if (mask >> bit & 1)
			strbuf_addf(out, ".... %-5s 0x%016" PRIx64 "\n", register_title(bit),
				    values[n++]);
}

/* The offset printed is that of the size in front of the stack. */
static void add_stack(struct strbuf *out, const struct record *record, const struct sample *sample)
{
	strbuf_addf(out, "... ustack: size %" PRIu64, sample->user_stack_size);
	if (sample->user_stack)
		strbuf_addf(out, ", offset %#tx", (const char *)sample->user_stack - 8 -
			    (const char *)record->header);
	strbuf_addch(out, '\n');
}

static void add_sample_parts(struct strbuf *out, const struct record *record,
			     const struct sample *sample)
{
	const struct perf_event_attr *attr = &record->event->attr;

	if (attr->sample_type & PERF_SAMPLE_CALLCHAIN)
		dump_text_add_callchain(out, sample);
	if (sample->user_regs)
		add_registers(out, "user", sample->user_abi, sample->user_regs,
			      attr->sample_regs_user);
	if (sample->intr_regs)
		add_registers(out, "intr", sample->intr_abi, sample->intr_regs,
			      attr->sample_regs_intr);
	if (attr->sample_type & PERF_SAMPLE_STACK_USER)
		add_stack(out, record, sample);
	if (attr->sample_type & PERF_SAMPLE_DATA_SRC)
		strbuf_addf(out, " . data_src: 0x%" PRIx64 "\n", sample->data_src);
	if (attr->sample_type & PERF_SAMPLE_PHYS_ADDR)
		strbuf_addf(out, " .. phys_addr: 0x%" PRIx64 "\n", sample->phys_addr);
}

static void add_sample(struct strbuf *out, const struct event_list *events,
		       const struct record *record)
{
	struct sample sample;

	if (!record->event || !sample_decode(record->event, record->header, &sample)) {
		strbuf_addf(out, "\n0 0 %#" PRIx64 " [%#x]: PERF_RECORD_SAMPLE of an unknown event "
			    "or damaged\n", record->offset, record->header->size);
		return;
	}
	add_place(out, events, record, &sample);
	strbuf_addf(out, "PERF_RECORD_SAMPLE(IP, 0x%x): %" PRId32 "/%" PRId32 ": %#" PRIx64
		    " period: %" PRIu64 " addr: %#" PRIx64 "\n", record->header->misc, sample.pid,
		    sample.tid, sample.ip, sample.period, sample.addr);
	add_sample_parts(out, record, &sample);
	strbuf_addf(out, " ... event: %s\n", record->event->name);
}

void dump_text_add(struct strbuf *out, const char *path, const struct event_list *events,
		   const struct record *record)
{
	const struct perf_event_header *header = record->header;
	struct sample sample = { 0 };

	strbuf_addf(out, "\n%#" PRIx64 "@%s [%#x]: event: %" PRIu32 "\n.\n"
		    ". ... raw event: size %u bytes\n", record->offset, path, header->size,
		    header->type, header->size);
	add_bytes(out, (const unsigned char *)header, header->size);
	if (header->type == PERF_RECORD_SAMPLE) {
		add_sample(out, events, record);
		return;
	}
	if (record->event && header->type < RECORD_USER_TYPE_START)
		sample_id_decode(record->event, header, &sample);
	add_place(out, events, record, &sample);
	record_text_add(out, header);
}

struct dump_rendering {
	struct rendering rendering;
	struct rendering_request request;
	struct strbuf text;	/* of one record */
};

static struct error *dump_record(struct rendering *rendering, const struct record *record)
{
	struct dump_rendering *r = container_of(rendering, struct dump_rendering, rendering);

	strbuf_reset(&r->text);
	dump_text_add(&r->text, r->request.recording, r->request.events, record);
	if (r->text.failed)
		return &error_no_memory;
	if (fwrite(r->text.data, 1, r->text.len, r->request.out) != r->text.len)
		return error_errno(errno, "Cannot write the text");
	return NULL;
}

static void destroy_dump(struct rendering *rendering)
{
	struct dump_rendering *r = container_of(rendering, struct dump_rendering, rendering);

	strbuf_deinit(&r->text);
	free(r);
}

struct error *output_dump_open(const struct rendering_request *request, struct rendering **ret)
{
	struct dump_rendering *r = calloc(1, sizeof(*r));

	if (!r)
		return &error_no_memory;
	r->request = *request;
	r->rendering = (struct rendering){ .record = dump_record, .destroy = destroy_dump };
	if (request->out == stdout)
		pager_start();
	*ret = &r->rendering;
	return NULL;
}
