// SPDX-License-Identifier: GPL-2.0
/*
 * The Common Trace Format 1.8, which Babeltrace and Trace Compass read: a folder with a stream for
 * each CPU and a description of their contents.  Each packet has the number of events that its CPU
 * had lost when it ended.
 */
#include "output/ctf/ctf.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "columns/event_values.h"
#include "lib/array.h"
#include "output/rendering.h"
#include "record/body.h"
#include "record/header.h"
#include "record/ledger.h"
#include "session/callchain.h"

#define CTF_MAGIC	0xc1fc1fc1

/* A packet is written when it is as long, bytes. */
#define PACKET_LENGTH	(64 * 1024)

struct ctf_stream {
	FILE *out;		/* NULL: the CPU has no stream yet */
	struct strbuf events;	/* of the current packet */
	uint64_t first, last;	/* times in it */
	uint64_t end;		/* of the packet before */
	uint64_t lost;		/* so far */
};

struct ctf {
	struct rendering rendering;
	struct session_consumer consumer;
	struct rendering_request request;
	struct callchain frames;
	struct strbuf fields;	/* of the current record */
	ARRAY_OF(struct ctf_stream) streams;	/* by CPU */
	ARRAY_OF(struct ctf_event) events;	/* by index of the event */
};

static void add_ctf_number(struct strbuf *out, uint64_t number, unsigned int size)
{
	const uint8_t n8 = number;
	const uint16_t n16 = number;
	const uint32_t n32 = number;

	strbuf_add(out, size == 1 ? (const void *)&n8 : size == 2 ? (const void *)&n16 :
		   size == 4 ? (const void *)&n32 : (const void *)&number, size);
}

static void add_ctf_string(struct strbuf *out, const char *text, size_t len)
{
	strbuf_add(out, text, strnlen(text, len));
	strbuf_addch(out, '\0');
}

static struct error *ctf_open_file(const struct ctf *c, const char *name, FILE **ret)
{
	_cleanup_(strbuf) struct strbuf path = STRBUF_INIT;

	strbuf_addf(&path, "%s/%s", c->request.path, name);
	if (path.failed)
		return &error_no_memory;
	*ret = fopen(path.data, "wxe");
	return *ret ? NULL : error_errno(errno, "Cannot write %s/%s", c->request.name, name);
}

/* Find the stream of a CPU, and begin it if there is none. */
static struct error *find_ctf_stream(struct ctf *c, int32_t cpu, struct ctf_stream **ret)
{
	struct error *err = NULL;
	char name[32];

	if (cpu < 0 || cpu >= HEADER_CPUS_MAX)
		cpu = 0;
	*ret = array_at(&c->streams, cpu, 0);
	if (!*ret)
		return &error_no_memory;
	if ((*ret)->out)
		return NULL;
	snprintf(name, sizeof(name), "cpu_%d", cpu);
	err = ctf_open_file(c, name, &(*ret)->out);
	return err;
}

/* Write the packet of a stream, which may have no events. */
static struct error *write_ctf_packet(struct ctf *c, struct ctf_stream *stream)
{
	_cleanup_(strbuf) struct strbuf head = STRBUF_INIT;
	struct strbuf *events = &stream->events;
	uint64_t bits;

	/* Packets of a stream must not overlap. */
	if (!events->len)
		stream->first = stream->last = stream->end;
	stream->end = stream->last;
	add_ctf_number(&head, CTF_MAGIC, 4);
	add_ctf_number(&head, 0, 4);
	add_ctf_number(&head, stream->first, 8);
	add_ctf_number(&head, stream->last, 8);
	bits = (head.len + 3 * 8 + 4 + events->len) * 8;
	add_ctf_number(&head, bits, 8);
	add_ctf_number(&head, bits, 8);
	add_ctf_number(&head, stream->lost, 8);
	add_ctf_number(&head, stream - c->streams.items, 4);
	if (head.failed || events->failed)
		return &error_no_memory;
	if (fwrite(head.data, 1, head.len, stream->out) != head.len ||
	    fwrite(strbuf_str(events), 1, events->len, stream->out) != events->len)
		return error_errno(errno, "Cannot write %s", c->request.name);
	strbuf_reset(events);
	return NULL;
}

static struct error *add_ctf_chain(struct ctf *c, const struct session_record *r,
				   struct strbuf *out)
{
	struct error *err;

	c->frames.nr = 0;
	err = callchain_read(&c->frames, r, CALLCHAIN_DEPTH);
	if (err)
		return err;
	add_ctf_number(out, c->frames.nr, 4);
	for (size_t i = 0; i < c->frames.nr; i++)
		add_ctf_number(out, c->frames.items[i].ip, 8);
	for (size_t i = 0; i < c->frames.nr; i++) {
		const struct frame *frame = &c->frames.items[i];
		struct place place;

		machine_find(r->machine, r->maps, frame->mode, frame->ip, &place);
		add_ctf_string(out, place.symbol ? place.symbol->name : "", SIZE_MAX);
	}
	return NULL;
}

static void add_ctf_values(const struct session_record *r, struct strbuf *out)
{
	const struct event_format *format = r->format;
	struct event_values values;
	struct event_value value;
	size_t number = format ? format->nr_common : 0;

	event_values_begin(&values, r);
	for (; event_values_next(&values, &value); number++) {
		switch (value.type) {
		case EVENT_VALUE_TEXT:
			add_ctf_string(out, value.bytes, value.len);
			break;
		case EVENT_VALUE_BYTES:
			add_ctf_number(out, value.len, 4);
			strbuf_add(out, value.bytes, value.len);
			break;
		default:
			add_ctf_number(out, value.number, number < format->nr_fields ?
				       format->fields[number].size : 8);
		}
	}
}

/* Begin an event in the stream of its CPU, up to its fields. */
static struct error *begin_ctf_event(struct ctf *c, const struct session_record *r, uint32_t id,
				     struct ctf_stream **ret)
{
	struct error *err = find_ctf_stream(c, r->sample.cpu, ret);
	struct strbuf *out;
	uint64_t time;

	if (err)
		return err;
	out = &(*ret)->events;
	/* Records of old recordings have no time, and times must not decrease. */
	time = r->sample.time ? r->sample.time : (*ret)->last;
	if (!out->len)
		(*ret)->first = time;
	(*ret)->last = time;
	add_ctf_number(out, id, 4);
	add_ctf_number(out, time, 8);
	add_ctf_number(out, r->pid, 4);
	add_ctf_number(out, r->tid, 4);
	add_ctf_string(out, r->comm, SIZE_MAX);
	return NULL;
}

static struct error *end_ctf_event(struct ctf *c, struct ctf_stream *stream)
{
	return stream->events.len < PACKET_LENGTH ? NULL : write_ctf_packet(c, stream);
}

static struct error *ctf_sample(struct session_consumer *consumer, const struct session_record *r)
{
	struct ctf *c = container_of(consumer, struct ctf, consumer);
	struct error *err;
	struct ctf_stream *stream;
	struct strbuf *out;
	struct place place;
	uint64_t sampled;

	if (!r->event)
		return NULL;
	if (!array_at(&c->events, r->event->index, 0))
		return &error_no_memory;
	c->events.items[r->event->index] = (struct ctf_event){ r->event, r->format };
	err = begin_ctf_event(c, r, r->event->index, &stream);
	if (err)
		return err;
	out = &stream->events;
	sampled = r->event->attr.sample_type;
	if (sampled & PERF_SAMPLE_IP) {
		machine_find(r->machine, r->maps, r->sample.cpumode, r->sample.ip, &place);
		add_ctf_number(out, r->sample.ip, 8);
		add_ctf_string(out, place.symbol ? place.symbol->name : "", SIZE_MAX);
	}
	if (event_has_period(r->event))
		add_ctf_number(out, r->sample.period, 8);
	if (sampled & PERF_SAMPLE_CALLCHAIN)
		err = add_ctf_chain(c, r, out);
	add_ctf_values(r, out);
	return err ? err : end_ctf_event(c, stream);
}

static struct error *add_ctf_record(struct ctf *c, const struct session_record *r)
{
	struct ctf_stream *stream;
	struct error *err;
	uint32_t id;

	strbuf_reset(&c->fields);
	if (!ctf_record_add(&c->fields, r->record.header, &id))
		return NULL;
	if (c->fields.failed)
		return &error_no_memory;
	err = begin_ctf_event(c, r, id, &stream);
	if (err)
		return err;
	strbuf_add(&stream->events, strbuf_str(&c->fields), c->fields.len);
	c->rendering.others++;
	return end_ctf_event(c, stream);
}

/*
 * The packet ends at a loss of events, so that the next one has the new number: readers compare it
 * with that of the packet before.
 */
static struct error *ctf_other(struct session_consumer *consumer, const struct session_record *r)
{
	struct ctf *c = container_of(consumer, struct ctf, consumer);
	const struct body_lost *lost;
	struct ctf_stream *stream;
	struct error *err;

	if (r->record.header->type != PERF_RECORD_LOST)
		return c->request.task_records ? add_ctf_record(c, r) : NULL;
	lost = body_of(r->record.header, struct body_lost);
	if (!lost)
		return NULL;
	err = find_ctf_stream(c, r->sample.cpu, &stream);
	if (!err && !stream->events.len && !stream->end)
		stream->end = r->sample.time;
	if (!err)
		err = write_ctf_packet(c, stream);
	if (!err)
		stream->lost += lost->lost;
	return err;
}

/* Add losses that only the ledger has: those after the last sample. */
static struct error *take_ctf_ledger(struct ctf *c)
{
	const struct ledger *ledger = c->request.ledger;
	struct error *err = NULL;

	for (size_t cpu = 0; !err && cpu < c->streams.nr; cpu++) {
		struct ctf_stream *stream = &c->streams.items[cpu];
		uint64_t lost = 0;

		if (!stream->out)
			continue;
		for (size_t i = 0; ledger && i < ledger->nr; i++)
			if (ledger->items[i].cpu == cpu)
				lost += ledger_row_lost(&ledger->items[i]);
		if (stream->events.len)
			err = write_ctf_packet(c, stream);
		if (!err && lost > stream->lost) {
			stream->lost = lost;
			err = write_ctf_packet(c, stream);
		}
	}
	return err;
}

static struct error *ctf_close_file(const struct ctf *c, FILE **file)
{
	bool failed = *file && (ferror(*file) | fclose(*file));

	*file = NULL;
	return failed ? error_errno(errno ? errno : EIO, "Cannot write %s", c->request.name) : NULL;
}

static struct error *finish_ctf(struct rendering *rendering)
{
	struct ctf *c = container_of(rendering, struct ctf, rendering);
	_cleanup_(strbuf) struct strbuf text = STRBUF_INIT;
	struct error *err = take_ctf_ledger(c);
	FILE *out;

	for (size_t cpu = 0; !err && cpu < c->streams.nr; cpu++)
		err = ctf_close_file(c, &c->streams.items[cpu].out);
	if (err)
		return err;
	ctf_metadata_add(&text, c->request.header, c->events.items, c->events.nr);
	if (c->request.task_records)
		ctf_records_describe(&text);
	if (text.failed)
		return &error_no_memory;
	err = ctf_open_file(c, "metadata", &out);
	if (err)
		return err;
	fwrite(text.data, 1, text.len, out);
	return ctf_close_file(c, &out);
}

static void destroy_ctf(struct rendering *rendering)
{
	struct ctf *c = container_of(rendering, struct ctf, rendering);

	for (size_t i = 0; i < c->streams.nr; i++) {
		if (c->streams.items[i].out)
			fclose(c->streams.items[i].out);
		strbuf_deinit(&c->streams.items[i].events);
	}
	free(c->streams.items);
	free(c->events.items);
	callchain_deinit(&c->frames);
	strbuf_deinit(&c->fields);
	free(c);
}

struct error *output_ctf_open(const struct rendering_request *request, struct rendering **ret)
{
	struct ctf *c = calloc(1, sizeof(*c));

	if (!c)
		return &error_no_memory;
	c->request = *request;
	c->consumer = (struct session_consumer){ .sample = ctf_sample, .other = ctf_other };
	c->rendering = (struct rendering){
		.consumer = &c->consumer, .finish = finish_ctf, .destroy = destroy_ctf,
	};
	*ret = &c->rendering;
	return NULL;
}
