// SPDX-License-Identifier: GPL-2.0
/*
 * The JSON of `perf data convert --to-json`, with the same names and values, a sample on each line.
 * It also has the name of the event, which perf leaves out.
 */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "lib/json.h"
#include "lib/number.h"
#include "output/rendering.h"
#include "output/stream.h"
#include "record/header.h"
#include "session/callchain.h"

struct json_output {
	struct rendering rendering;
	struct session_consumer consumer;
	struct rendering_request request;
	struct stream stream;
	struct json_writer json;
	struct callchain frames;
	struct strbuf value;
	bool begun;
};

static void add_header_text(struct json_output *o, const char *name, const char *text)
{
	if (text)
		json_add_text(&o->json, name, text);
}

static void add_json_headers(struct json_output *o)
{
	const struct header *header = o->request.header;
	struct json_writer *json = &o->json;
	char when[32];
	struct tm tm;

	json_begin_object(json, "headers");
	json_add_unsigned(json, "header-version", 1);
	if (gmtime_r(&header->written, &tm) && strftime(when, sizeof(when), "%FT%TZ", &tm))
		json_add_text(json, "captured-on", when);
	json_add_unsigned(json, "data-offset", header->data_offset);
	json_add_unsigned(json, "data-size", header->data_size);
	json_add_unsigned(json, "feat-offset", header->data_offset + header->data_size);
	add_header_text(o, "hostname", header->hostname);
	add_header_text(o, "os-release", header->os_release);
	add_header_text(o, "arch", header->arch);
	add_header_text(o, "cpu-desc", header->cpu_desc);
	add_header_text(o, "cpuid", header->cpu_id);
	json_add_unsigned(json, "nrcpus-online", header->nr_cpus_online);
	json_add_unsigned(json, "nrcpus-avail", header->nr_cpus_available);
	if (header_has(header, FEATURE_CLOCK_DATA)) {
		json_add_unsigned(json, "clockid", header->clockid);
		json_add_unsigned(json, "clock-time", header->clock_time);
		json_add_unsigned(json, "real-time", header->wall_time);
	}
	add_header_text(o, "perf-version", header->version);
	if (header->cmdline) {
		json_begin_array(json, "cmdline");
		for (char **word = header->cmdline; *word; word++)
			json_add_text(json, NULL, *word);
		json_end_array(json);
	}
	json_end_object(json);
}

/* The header of a pipe is known at the first sample. */
static void begin_json(struct json_output *o)
{
	o->begun = true;
	json_begin_object(&o->json, NULL);
	json_add_unsigned(&o->json, "linux-perf-json-version", 1);
	add_json_headers(o);
	json_begin_array(&o->json, "samples");
}

static void add_json_frame(struct json_output *o, const struct session_record *r, uint8_t mode,
			   uint64_t ip)
{
	struct place place;

	machine_find(r->machine, r->maps, mode, ip, &place);
	strbuf_reset(&o->value);
	strbuf_addstr(&o->value, "0x");
	number_add_hex(&o->value, ip, 0, ' ');
	json_begin_row(&o->json, NULL);
	json_add_text(&o->json, "ip", strbuf_str(&o->value));
	if (place.symbol)
		json_add_text(&o->json, "symbol", place.symbol->name);
	if (place.map)
		json_add_text(&o->json, "dso", place.map->dso->short_name);
	json_end_object(&o->json);
}

static struct error *add_json_chain(struct json_output *o, const struct session_record *r)
{
	struct error *err = NULL;

	o->frames.nr = 0;
	if (r->event->attr.sample_type & PERF_SAMPLE_CALLCHAIN)
		err = callchain_read(&o->frames, r, CALLCHAIN_DEPTH);
	if (err)
		return err;
	json_begin_array(&o->json, "callchain");
	for (size_t i = 0; i < o->frames.nr; i++)
		add_json_frame(o, r, o->frames.items[i].mode, o->frames.items[i].ip);
	if (!(r->event->attr.sample_type & PERF_SAMPLE_CALLCHAIN))
		add_json_frame(o, r, r->sample.cpumode, r->sample.ip);
	json_end_array(&o->json);
	return NULL;
}

/* All fields are texts, as in perf. */
static void add_json_fields(struct json_output *o, const struct session_record *r)
{
	const struct event_format *format = r->format;
	uint32_t raw_size = common_field_raw_size(r->event, &r->sample);

	for (size_t i = format->nr_common; i < format->nr_fields; i++) {
		strbuf_reset(&o->value);
		event_format_print_field(format, i, r->sample.raw, raw_size, &o->value);
		json_add_bytes(&o->json, format->fields[i].name, strbuf_str(&o->value),
			       o->value.len);
	}
}

static struct error *json_sample(struct session_consumer *consumer,
				 const struct session_record *r)
{
	struct json_output *o = container_of(consumer, struct json_output, consumer);
	struct error *err;

	if (!r->event)
		return NULL;
	if (!o->begun)
		begin_json(o);
	json_begin_row(&o->json, NULL);
	json_add_unsigned(&o->json, "timestamp", r->sample.time);
	json_add_signed(&o->json, "pid", r->pid);
	json_add_signed(&o->json, "tid", r->tid);
	if (r->sample.cpu >= 0)
		json_add_signed(&o->json, "cpu", r->sample.cpu);
	json_add_text(&o->json, "comm", r->comm);
	json_add_text(&o->json, "event", r->event->name);
	err = add_json_chain(o, r);
	if (r->format)
		add_json_fields(o, r);
	json_end_object(&o->json);
	if (!err && o->value.failed)
		err = &error_no_memory;
	return err ? err : stream_write(&o->stream);
}

static struct error *finish_json(struct rendering *rendering)
{
	struct json_output *o = container_of(rendering, struct json_output, rendering);

	if (!o->begun)
		begin_json(o);
	json_end_array(&o->json);
	json_end_object(&o->json);
	json_end(&o->json);
	return stream_flush(&o->stream);
}

static void destroy_json(struct rendering *rendering)
{
	struct json_output *o = container_of(rendering, struct json_output, rendering);

	callchain_deinit(&o->frames);
	strbuf_deinit(&o->value);
	strbuf_deinit(&o->stream.text);
	free(o);
}

struct error *output_json_open(const struct rendering_request *request, struct rendering **ret)
{
	struct json_output *o = calloc(1, sizeof(*o));

	if (!o)
		return &error_no_memory;
	o->request = *request;
	o->stream = (struct stream){ .out = request->out, .name = request->name };
	o->json.out = &o->stream.text;
	o->consumer = (struct session_consumer){ .sample = json_sample };
	o->rendering = (struct rendering){
		.consumer = &o->consumer, .finish = finish_json, .destroy = destroy_json,
	};
	*ret = &o->rendering;
	return NULL;
}
