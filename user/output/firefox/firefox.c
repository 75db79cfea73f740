// SPDX-License-Identifier: GPL-2.0
/*
 * The processed profile format of the Firefox Profiler, in version 60.  The viewer converts it to
 * later versions, and Perfetto reads it, too.  The samples of threads are those of one event; all
 * other events, and all tracepoints, are markers.
 */
#include "output/firefox/firefox.h"

#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>

#include "lib/array.h"
#include "lib/log.h"
#include "output/profile_rendering.h"
#include "output/rendering.h"
#include "record/body.h"
#include "record/header.h"
#include "session/selection.h"

#define PROCESSED_VERSION	60
#define GECKO_VERSION		24

/* Firefox and Chrome hold no longer texts, bytes. */
#define FIREFOX_LIMIT	(512 << 20)

/* The process and thread whose markers are losses: no task has this number. */
#define LOST_TASK	(-2)

struct firefox {
	struct rendering rendering;
	struct session_consumer consumer;
	struct rendering_request request;
	struct firefox_file file;
	struct sample_stacks *stacks;
	struct firefox_threads threads;
	struct firefox_states states;
	ARRAY_OF(struct firefox_schema) schemas;	/* by index of the event */
	struct firefox_schema common;	/* the fields that all samples can have */
	struct firefox_schema lost;
	bool begun;
	const struct event *sampled;	/* whose samples are those of threads; NULL: none */
	bool weighs;			/* its periods are times */
	struct strbuf values;		/* of a marker */
};

/* Positions in @common and in @lost. */
enum { COMMON_CPU, COMMON_PERIOD };
enum { LOST_NUMBER, LOST_EVENT };

/*
 * The first selected event that is not a tracepoint.  If there is none, the first one, because the
 * viewer shows only markers of a profile without samples.
 */
static const struct event *find_sampled_event(const struct rendering_request *request)
{
	const struct event *first = NULL;

	for (size_t i = 0; i < request->events->nr; i++) {
		const struct event *event = request->events->items[i];

		if (event_is_dummy(event) ||
		    (request->wanted && !selection_names_event(request->wanted, event)))
			continue;
		if (event->attr.type != PERF_TYPE_TRACEPOINT)
			return event;
		if (!first)
			first = event;
	}
	return first;
}

/* The events of a pipe are known at the first sample. */
static struct error *begin_firefox(struct firefox *c, uint64_t time)
{
	struct error *err;

	if (c->begun)
		return NULL;
	c->begun = true;
	c->file.start = time;
	c->sampled = find_sampled_event(&c->request);
	c->weighs = c->sampled && *profile_unit(&c->request, c->sampled->index);
	err = firefox_schema_add(&c->common, &c->file, "_cpu", FIREFOX_UNSIGNED);
	if (!err)
		err = firefox_schema_add(&c->common, &c->file, "_period", FIREFOX_UNSIGNED);
	if (!err)
		err = firefox_schema_add(&c->lost, &c->file, "lost", FIREFOX_UNSIGNED);
	if (!err)
		err = firefox_schema_add(&c->lost, &c->file, "event", FIREFOX_TEXT);
	if (!err)
		err = firefox_find_text(&c->file, "lost", strlen("lost"), &c->lost.name);
	return err;
}

static struct error *find_firefox_schema(struct firefox *c, const struct event *event,
					 struct firefox_schema **ret)
{
	*ret = array_at(&c->schemas, event->index, .name = -1);
	if (!*ret)
		return &error_no_memory;
	return (*ret)->name >= 0 ? NULL :
	       firefox_find_text(&c->file, event->name, strlen(event->name), &(*ret)->name);
}

static struct error *add_firefox_marker(struct firefox *c, const struct session_record *r,
					struct firefox_thread *thread, uint32_t stack)
{
	struct firefox_schema *schema;
	struct error *err = find_firefox_schema(c, r->event, &schema);

	if (err)
		return err;
	strbuf_reset(&c->values);
	if (r->sample.cpu >= 0)
		firefox_add_number(&c->values, &c->common.items[COMMON_CPU], r->sample.cpu);
	if (event_has_period(r->event))
		firefox_add_number(&c->values, &c->common.items[COMMON_PERIOD], r->sample.period);
	err = firefox_schema_take(schema, &c->file, r, &c->values);
	if (!err && c->values.failed)
		err = &error_no_memory;
	if (!err)
		firefox_thread_add_marker(thread, &(struct firefox_marker){
			.time = r->sample.time, .stack = stack, .name = schema->name,
			.values = &c->values });
	return err;
}

static struct error *firefox_sample(struct session_consumer *consumer,
				    const struct session_record *r)
{
	struct firefox *c = container_of(consumer, struct firefox, consumer);
	const struct task_name name = { r->sample.pid, r->sample.tid, r->comm };
	struct firefox_thread *thread;
	struct error *err;
	uint32_t stack;

	if (!r->event)
		return NULL;
	err = begin_firefox(c, r->sample.time);
	if (!err)
		err = sample_stacks_find(c->stacks, r, &stack);
	if (!err)
		err = firefox_states_take(&c->states, r, stack);
	if (!err)
		err = firefox_threads_find(&c->threads, &c->file, &name, r, &thread);
	if (err)
		return err;
	if (r->event == c->sampled)
		firefox_thread_add_sample(thread, r->sample.time, stack,
					  c->weighs ? r->sample.period : 0);
	if (r->event != c->sampled || r->event->attr.type == PERF_TYPE_TRACEPOINT)
		err = add_firefox_marker(c, r, thread, stack);
	return err;
}

/* Losses are in a thread of their own, because their tasks are unknown. */
static struct error *firefox_other(struct session_consumer *consumer,
				   const struct session_record *r)
{
	struct firefox *c = container_of(consumer, struct firefox, consumer);
	const struct task_name name = { LOST_TASK, LOST_TASK, "Lost events" };
	const char *event = r->event ? r->event->name : "";
	const struct body_lost *lost;
	struct firefox_thread *thread;
	struct error *err;
	uint64_t since;

	if (r->record.header->type != PERF_RECORD_LOST)
		return NULL;
	lost = body_of(r->record.header, struct body_lost);
	if (!lost)
		return NULL;
	err = begin_firefox(c, r->sample.time);
	if (!err)
		err = task_states_other(&c->states.states, r);
	if (!err)
		err = firefox_threads_find(&c->threads, &c->file, &name, r, &thread);
	if (err)
		return err;
	strbuf_reset(&c->values);
	firefox_add_number(&c->values, &c->lost.items[LOST_NUMBER], lost->lost);
	err = firefox_add_text(&c->file, &c->values, &c->lost.items[LOST_EVENT], event,
			       strlen(event));
	if (!err && r->sample.cpu >= 0)
		firefox_add_number(&c->values, &c->common.items[COMMON_CPU], r->sample.cpu);
	if (!err && c->values.failed)
		err = &error_no_memory;
	/* The profile has no losses before the first sample. */
	since = r->loss.since > c->file.start ? r->loss.since : c->file.start;
	if (!err)
		firefox_thread_add_marker(thread, &(struct firefox_marker){
			.time = r->sample.time, .since = since,
			.lasts = r->loss.since && r->loss.since < r->sample.time,
			.stack = SAMPLE_STACK_NONE, .name = c->lost.name, .values = &c->values });
	return err;
}

static void write_category(struct json_writer *json, const char *name, const char *color)
{
	json_begin_row(json, NULL);
	json_add_text(json, "name", name);
	json_add_text(json, "color", color);
	json_begin_array(json, "subcategories");
	json_add_text(json, NULL, "Other");
	json_end_array(json);
	json_end_object(json);
}

/* In the order of enum firefox_category. */
static void write_categories(struct json_writer *json)
{
	json_begin_array(json, "categories");
	write_category(json, "Other", "grey");
	write_category(json, "Kernel", "orange");
	write_category(json, "User", "yellow");
	json_end_array(json);
}

static void write_sample_units(struct json_writer *json)
{
	json_begin_row(json, "sampleUnits");
	json_add_text(json, "time", "ms");
	json_add_text(json, "eventDelay", "ms");
	json_add_text(json, "threadCPUDelta", "ns");
	json_end_object(json);
}

/* The time between two samples of a running thread, if it is known. */
static void write_firefox_interval(struct firefox *c)
{
	const struct perf_event_attr *attr = c->sampled ? &c->sampled->attr : NULL;
	uint64_t ns = 1000000;

	if (attr && attr->freq && attr->sample_freq)
		ns = 1000000000 / attr->sample_freq;
	else if (attr && c->weighs && attr->sample_period)
		ns = attr->sample_period;
	firefox_add_time(&c->file, "interval", ns);
}

/* ms since 1970; 0: the times of the wall clock are unknown. */
static void write_firefox_start(struct firefox *c)
{
	const struct header *header = c->request.header;
	uint64_t start = 0;

	if (header->clock_time)
		start = header->wall_time + (c->file.start - header->clock_time);
	firefox_add_time(&c->file, "startTime", start);
}

static void write_firefox_machine(struct firefox *c)
{
	const struct header *header = c->request.header;
	struct json_writer *json = &c->file.json;
	_cleanup_(strbuf) struct strbuf system = STRBUF_INIT;

	strbuf_addf(&system, "Linux%s%s", header->os_release ? " " : "",
		    header->os_release ? header->os_release : "");
	json->out->failed |= system.failed;
	json_add_text(json, "oscpu", strbuf_str(&system));
	if (header->arch)
		json_add_text(json, "abi", header->arch);
	if (header->cpu_desc)
		json_add_text(json, "CPUName", header->cpu_desc);
	if (header->nr_cpus_online)
		json_add_unsigned(json, "logicalCPUs", header->nr_cpus_online);
}

/* Several events can have the same name; the viewer wants it once. */
static bool is_first_of_name(const struct firefox *c, size_t number)
{
	for (size_t i = 0; i < number; i++)
		if (c->schemas.items[i].name == c->schemas.items[number].name)
			return false;
	return true;
}

static void write_firefox_schemas(struct firefox *c)
{
	json_begin_array(&c->file.json, "markerSchema");
	for (size_t i = 0; i < c->schemas.nr; i++)
		if (c->schemas.items[i].name >= 0 && is_first_of_name(c, i))
			firefox_schema_write(&c->schemas.items[i], &c->common, &c->file);
	if (c->begun)
		firefox_schema_write(&c->lost, &c->common, &c->file);
	firefox_states_write_schemas(&c->states);
	json_end_array(&c->file.json);
}

static void write_firefox_meta(struct firefox *c)
{
	struct json_writer *json = &c->file.json;

	json_begin_object(json, "meta");
	json_add_unsigned(json, "preprocessedProfileVersion", PROCESSED_VERSION);
	json_add_unsigned(json, "version", GECKO_VERSION);
	json_add_text(json, "importedFrom", "ktrace " KTRACE_VERSION);
	json_add_text(json, "product", c->request.recording);
	write_firefox_interval(c);
	write_firefox_start(c);
	json_add_unsigned(json, "processType", 0);
	json_add_unsigned(json, "stackwalk", 1);
	json_add_bool(json, "symbolicated", true);
	json_add_bool(json, "usesOnlyOneStackType", true);
	json_add_bool(json, "sourceCodeIsNotOnSearchfox", true);
	write_firefox_machine(c);
	write_sample_units(json);
	write_categories(json);
	write_firefox_schemas(c);
	json_end_object(json);
}

static struct error *write_firefox_threads(struct firefox *c)
{
	struct error *err = NULL;

	json_begin_array(&c->file.json, "threads");
	for (size_t i = 0; !err && i < c->threads.nr; i++) {
		const struct firefox_thread *thread = &c->threads.items[i];

		if (thread->nr_samples || thread->nr_markers)
			err = firefox_thread_write(thread, &c->threads.items[thread->leader],
						   c->weighs, &c->file);
	}
	json_end_array(&c->file.json);
	return err;
}

static struct error *finish_firefox(struct rendering *rendering)
{
	struct firefox *c = container_of(rendering, struct firefox, rendering);
	struct stream *stream = &c->file.stream;
	struct error *err;

	json_begin_object(&c->file.json, NULL);
	write_firefox_meta(c);
	err = firefox_tables_write(&c->file, c->stacks, c->request.header->arch);
	if (!err)
		err = write_firefox_threads(c);
	json_end_object(&c->file.json);
	json_end(&c->file.json);
	if (!err)
		err = stream_flush(stream);
	if (!err && stream->written > FIREFOX_LIMIT)
		log_notice("Browsers may not open files above %d MB, and this one has %ju: '--time' "
			   "selects a part.", FIREFOX_LIMIT >> 20,
			   (uintmax_t)stream->written >> 20);
	return err;
}

static void destroy_firefox(struct rendering *rendering)
{
	struct firefox *c = container_of(rendering, struct firefox, rendering);

	firefox_states_deinit(&c->states);
	firefox_threads_deinit(&c->threads);
	for (size_t i = 0; i < c->schemas.nr; i++)
		firefox_schema_deinit(&c->schemas.items[i]);
	firefox_schema_deinit(&c->common);
	firefox_schema_deinit(&c->lost);
	free(c->schemas.items);
	sample_stacks_destroy(c->stacks);
	dictionary_destroy(c->file.strings);
	strbuf_deinit(&c->file.stream.text);
	strbuf_deinit(&c->file.key);
	strbuf_deinit(&c->file.text);
	strbuf_deinit(&c->values);
	free(c);
}

struct error *output_firefox_open(const struct rendering_request *request, struct rendering **ret)
{
	struct firefox *c = calloc(1, sizeof(*c));
	struct error *err;

	if (!c)
		return &error_no_memory;
	c->request = *request;
	c->file.stream = (struct stream){ .out = request->out, .name = request->name };
	c->file.json.out = &c->file.stream.text;
	c->states.file = &c->file;
	c->states.threads = &c->threads;
	c->consumer = (struct session_consumer){ .sample = firefox_sample, .other = firefox_other };
	c->rendering = (struct rendering){
		.consumer = &c->consumer, .finish = finish_firefox, .destroy = destroy_firefox,
	};
	err = sample_stacks_create(&c->stacks);
	if (!err)
		err = dictionary_create(&c->file.strings);
	if (err) {
		destroy_firefox(&c->rendering);
		return err;
	}
	*ret = &c->rendering;
	return NULL;
}
