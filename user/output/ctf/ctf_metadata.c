// SPDX-License-Identifier: GPL-2.0
#include <ctype.h>
#include <inttypes.h>

#include "columns/event_values.h"
#include "output/ctf/ctf.h"

#define NS_PER_SECOND	1000000000

static const char beginning[] =
	"/* CTF 1.8 */\n"
	"typealias integer { size = 8; align = 8; signed = false; } := u8;\n"
	"typealias integer { size = 8; align = 8; signed = false; base = hex; } := x8;\n"
	"typealias integer { size = 16; align = 8; signed = false; } := u16;\n"
	"typealias integer { size = 32; align = 8; signed = false; } := u32;\n"
	"typealias integer { size = 64; align = 8; signed = false; } := u64;\n"
	"typealias integer { size = 64; align = 8; signed = false; base = hex; } := x64;\n"
	"typealias integer { size = 8; align = 8; signed = true; } := s8;\n"
	"typealias integer { size = 16; align = 8; signed = true; } := s16;\n"
	"typealias integer { size = 32; align = 8; signed = true; } := s32;\n"
	"typealias integer { size = 64; align = 8; signed = true; } := s64;\n"
	"trace {\n"
	"\tmajor = 1;\n"
	"\tminor = 8;\n"
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
	"\tbyte_order = le;\n"
#else
	"\tbyte_order = be;\n"
#endif
	"\tpacket.header := struct { u32 magic; u32 stream_id; };\n"
	"};\n";

static const char stream[] =
	"typealias integer { size = 64; align = 8; signed = false; "
	"map = clock.recording.value; } := time;\n"
	"stream {\n"
	"\tid = 0;\n"
	"\tpacket.context := struct {\n"
	"\t\ttime timestamp_begin; time timestamp_end; u64 content_size; u64 packet_size;\n"
	"\t\tu64 events_discarded; u32 cpu_id;\n"
	"\t};\n"
	"\tevent.header := struct { u32 id; time timestamp; };\n"
	"\tevent.context := struct { s32 perf_pid; s32 perf_tid; string perf_comm; };\n"
	"};\n";

static void add_ctf_text(struct strbuf *out, const char *text)
{
	strbuf_addch(out, '"');
	for (; text && *text; text++) {
		unsigned char c = *text;

		if (c == '"' || c == '\\')
			strbuf_addch(out, '\\');
		if (c < ' ' || c == 0x7f)
			strbuf_addch(out, '?');
		else
			strbuf_addch(out, c);
	}
	strbuf_addch(out, '"');
}

/*
 * Names begin with an underscore, which readers remove, so that none is a keyword of the language.
 * A second field of the same name gets its number as a suffix.
 */
static void add_ctf_name(struct strbuf *out, const struct event_format *format, const char *name,
			 size_t number)
{
	strbuf_addch(out, '_');
	for (const char *c = name; *c; c++)
		strbuf_addch(out, isalnum((unsigned char)*c) ? *c : '_');
	for (size_t i = format->nr_common; i < number && i < format->nr_fields; i++)
		if (!strcmp(format->fields[i].name, name)) {
			strbuf_addf(out, "_%zu", number);
			return;
		}
}

static void add_ctf_field(struct strbuf *out, const struct event_format *format,
			  const char *type, const char *name, size_t number)
{
	strbuf_addf(out, " %s ", type);
	add_ctf_name(out, format, name, number);
	strbuf_addch(out, ';');
}

static void add_ctf_event_field(struct strbuf *out, const struct event_format *format,
				size_t number)
{
	const struct field *field = &format->fields[number];
	char type[8];

	switch (event_value_type(field)) {
	case EVENT_VALUE_TEXT:
		add_ctf_field(out, format, "string", field->name, number);
		break;
	case EVENT_VALUE_BYTES:
		strbuf_addf(out, " u32 length_%zu; x8 ", number);
		add_ctf_name(out, format, field->name, number);
		strbuf_addf(out, "[length_%zu];", number);
		break;
	default:
		snprintf(type, sizeof(type), "%s%u", field->is_pointer && field->size == 8 ? "x" :
			 field->is_signed ? "s" : "u", field->size * 8);
		add_ctf_field(out, format, type, field->name, number);
	}
}

static void add_ctf_event(struct strbuf *out, const struct ctf_event *event, size_t number)
{
	const struct event_format *format = event->format;
	uint64_t sampled = event->event->attr.sample_type;
	char name[EVENT_VALUE_NAME];

	strbuf_addstr(out, "event {\n\tname = ");
	add_ctf_text(out, event->event->name);
	strbuf_addf(out, ";\n\tid = %zu;\n\tstream_id = 0;\n\tfields := struct {", number);
	if (sampled & PERF_SAMPLE_IP)
		strbuf_addstr(out, " x64 perf_ip; string perf_symbol;");
	if (event_has_period(event->event))
		strbuf_addstr(out, " u64 perf_period;");
	if (sampled & PERF_SAMPLE_CALLCHAIN)
		strbuf_addstr(out, " u32 perf_callchain_size; "
			      "x64 perf_callchain[perf_callchain_size]; "
			      "string perf_callchain_symbols[perf_callchain_size];");
	for (size_t i = format ? format->nr_common : 0; format && i < format->nr_fields; i++)
		add_ctf_event_field(out, format, i);
	for (size_t i = 0; format && i < event->event->common.nr; i++) {
		const struct common_slot *slot = &event->event->common.items[i];

		snprintf(name, sizeof(name), "common_%s", slot->name);
		add_ctf_field(out, format, slot->type == COMMON_TEXT ? "string" :
			      slot->type == COMMON_SIGNED ? "s64" : "u64", name,
			      format->nr_fields + i);
	}
	strbuf_addstr(out, " };\n};\n");
}

static void add_ctf_clock(struct strbuf *out, const struct header *header)
{
	int64_t offset = header->clock_time ? header->wall_time - header->clock_time : 0;

	if (offset < 0)
		offset = 0;
	strbuf_addf(out, "clock {\n\tname = recording;\n\tfreq = %d;\n"
		    "\toffset_s = %" PRId64 ";\n\toffset = %" PRId64 ";\n\tabsolute = %s;\n};\n",
		    NS_PER_SECOND, offset / NS_PER_SECOND, offset % NS_PER_SECOND,
		    offset ? "true" : "false");
}

static void add_ctf_origin(struct strbuf *out, const struct header *header)
{
	strbuf_addstr(out, "env {\n\tdomain = \"kernel\";\n\ttracer_name = \"perf\";\n\thostname = ");
	add_ctf_text(out, header->hostname);
	strbuf_addstr(out, ";\n\tsysname = \"Linux\";\n\tkernel_release = ");
	add_ctf_text(out, header->os_release);
	strbuf_addstr(out, ";\n\tmachine = ");
	add_ctf_text(out, header->arch);
	strbuf_addstr(out, ";\n};\n");
}

void ctf_metadata_add(struct strbuf *out, const struct header *header,
		      const struct ctf_event *events, size_t nr)
{
	strbuf_addstr(out, beginning);
	add_ctf_origin(out, header);
	add_ctf_clock(out, header);
	strbuf_addstr(out, stream);
	for (size_t i = 0; i < nr; i++)
		if (events[i].event)
			add_ctf_event(out, &events[i], i);
}
