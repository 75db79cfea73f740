// SPDX-License-Identifier: GPL-2.0
#include "output/dump_text.h"

#include <ctype.h>
#include <inttypes.h>

#include "output/record_text.h"
#include "record/event.h"
#include "record/sample.h"

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

static void add_place(struct strbuf *out, const struct record *record, const struct sample *sample)
{
	strbuf_addf(out, "\n%" PRId32 " %" PRIu64 " %#" PRIx64 " [%#x]: ",
		    sample->cpu == -1 ? 0 : sample->cpu, sample->time, record->offset,
		    record->header->size);
}

static void add_sample(struct strbuf *out, const struct record *record)
{
	struct sample sample;

	if (!record->event || !sample_decode(record->event, record->header, &sample)) {
		strbuf_addf(out, "\n0 0 %#" PRIx64 " [%#x]: PERF_RECORD_SAMPLE of an unknown event "
			    "or damaged\n", record->offset, record->header->size);
		return;
	}
	add_place(out, record, &sample);
	strbuf_addf(out, "PERF_RECORD_SAMPLE(IP, 0x%x): %" PRId32 "/%" PRId32 ": %#" PRIx64
		    " period: %" PRIu64 " addr: %#" PRIx64 "\n", record->header->misc, sample.pid,
		    sample.tid, sample.ip, sample.period, sample.addr);
	strbuf_addf(out, " ... event: %s\n", record->event->name);
}

void dump_text_add(struct strbuf *out, const struct record *record)
{
	const struct perf_event_header *header = record->header;
	struct sample sample = { .cpu = -1 };

	strbuf_addf(out, "\n%#" PRIx64 " [%#x]: event: %" PRIu32 "\n.\n"
		    ". ... raw event: size %u bytes\n", record->offset, header->size, header->type,
		    header->size);
	add_bytes(out, (const unsigned char *)header, header->size);
	if (header->type == PERF_RECORD_SAMPLE) {
		add_sample(out, record);
		return;
	}
	if (record->event && header->type < RECORD_USER_TYPE_START)
		sample_id_decode(record->event, header, &sample);
	add_place(out, record, &sample);
	record_text_add(out, header);
}
