// SPDX-License-Identifier: GPL-2.0
/*
 * The trace event format, which chrome://tracing and Perfetto read.  Each sample is an instant of
 * its thread, with its call chain.  With sched_switch, each CPU has a lane of its tasks.
 */

#include <stdlib.h>
#include <string.h>

#include "columns/event_values.h"
#include "lib/array.h"
#include "lib/json.h"
#include "lib/log.h"
#include "lib/number.h"
#include "output/rendering.h"
#include "output/stream.h"
#include "profile/sample_stacks.h"
#include "record/body.h"
#include "record/header.h"
#include "states/sched_event.h"
#include "states/task_names.h"

static void value_json_add(struct json_writer *json, const char *name,
			   const struct event_value *value)
{
	_cleanup_(strbuf) struct strbuf digits = STRBUF_INIT;

	switch (value->type) {
	case EVENT_VALUE_SIGNED:
		json_add_signed(json, name, value->number);
		break;
	case EVENT_VALUE_UNSIGNED:
		json_add_unsigned(json, name, value->number);
		break;
	case EVENT_VALUE_TEXT:
		json_add_bytes(json, name, value->bytes, value->len);
		break;
	case EVENT_VALUE_BYTES:
		for (size_t i = 0; i < value->len; i++)
			number_add_hex(&digits, (unsigned char)value->bytes[i], 2, '0');
		json->out->failed |= digits.failed;
		json_add_bytes(json, name, strbuf_str(&digits), digits.len);
	}
}

/* All values of a sample. */
static void value_json_add_all(struct json_writer *json, const struct session_record *r)
{
	struct event_values values;
	struct event_value value;

	event_values_begin(&values, r);
	while (event_values_next(&values, &value))
		value_json_add(json, value.name, &value);
}

/* The process whose threads are the CPUs: above all numbers that processes can have. */
#define CHROME_CPUS	(1 << 22 | 1)

/* Chrome's own page refuses files that are larger, bytes. */
#define CHROME_LIMIT	(256 << 20)

/* The running task of a CPU. */
struct chrome_cpu {
	int32_t tid;		/* -1: not known; 0: nobody */
	uint64_t since;
	char comm[32];
	bool named;		/* its lane has a name */
};

struct chrome {
	struct rendering rendering;
	struct session_consumer consumer;
	struct stream stream;
	struct json_writer json;
	struct sample_stacks *stacks;
	struct sched_events sched;
	ARRAY_OF(struct chrome_cpu) cpus;
	struct task_names tasks;
};

static void begin_chrome_event(struct chrome *c, const char *name, const char *phase,
			       int32_t pid, int32_t tid)
{
	json_begin_row(&c->json, NULL);
	json_add_text(&c->json, "name", name);
	json_add_text(&c->json, "ph", phase);
	json_add_signed(&c->json, "pid", pid);
	json_add_signed(&c->json, "tid", tid);
}

/* Times and durations are in microseconds. */
static void add_chrome_time(struct chrome *c, const char *name, uint64_t ns)
{
	json_add_fixed(&c->json, name, ns, 3);
}

static void name_chrome_track(struct chrome *c, const char *what, int32_t pid, int32_t tid,
			      const char *name)
{
	begin_chrome_event(c, what, "M", pid, tid);
	json_begin_row(&c->json, "args");
	json_add_text(&c->json, "name", name);
	json_end_object(&c->json);
	json_end_object(&c->json);
}

/* Write the name that a thread has, if it is not the one that was written last. */
static struct error *name_chrome_thread(struct chrome *c, const struct session_record *r)
{
	const struct task_name name = { r->sample.pid, r->sample.tid, r->comm };
	bool changed;
	size_t number;
	struct error *err = task_names_take(&c->tasks, &name, &number, &changed);

	if (err || !changed)
		return err;
	name_chrome_track(c, "thread_name", name.pid, name.tid, name.comm);
	if (name.pid == name.tid)
		name_chrome_track(c, "process_name", name.pid, name.tid, name.comm);
	return NULL;
}

static struct chrome_cpu *find_chrome_cpu(struct chrome *c, int32_t cpu)
{
	char name[16];

	if (!c->cpus.nr)
		name_chrome_track(c, "process_name", CHROME_CPUS, 0, "CPUs");
	if (!array_at(&c->cpus, cpu, .tid = -1))
		return NULL;
	if (!c->cpus.items[cpu].named) {
		snprintf(name, sizeof(name), "CPU %d", cpu);
		name_chrome_track(c, "thread_name", CHROME_CPUS, cpu, name);
		c->cpus.items[cpu].named = true;
	}
	return &c->cpus.items[cpu];
}

/*
 * Write the run of a task until a switch.  If another task than the known one began to run
 * meanwhile, its switch is missing, and the end of the known one is unknown.
 */
static void end_chrome_run(struct chrome *c, const struct chrome_cpu *run, int32_t tid,
			   int32_t cpu, uint64_t time)
{
	if (run->tid <= 0 || run->tid != tid || time < run->since)
		return;
	begin_chrome_event(c, run->comm, "X", CHROME_CPUS, cpu);
	json_add_text(&c->json, "cat", "sched");
	add_chrome_time(c, "ts", run->since);
	add_chrome_time(c, "dur", time - run->since);
	json_begin_row(&c->json, "args");
	json_add_signed(&c->json, "tid", run->tid);
	json_end_object(&c->json);
	json_end_object(&c->json);
}

/* Set the next task on a CPU. */
static struct error *switch_chrome_cpu(struct chrome *c, const struct sched_event *event)
{
	struct event_values values;
	struct event_value value;
	struct chrome_cpu *cpu;

	if (event->kind != SCHED_EVENT_SWITCH || event->cpu < 0 ||
	    event->cpu >= HEADER_CPUS_MAX)
		return NULL;
	cpu = find_chrome_cpu(c, event->cpu);
	if (!cpu)
		return &error_no_memory;
	end_chrome_run(c, cpu, event->tid, event->cpu, event->time);
	cpu->tid = event->next_tid;
	cpu->since = event->time;
	cpu->comm[0] = '\0';
	event_values_begin(&values, event->sample);
	while (event_values_next(&values, &value))
		if (value.type == EVENT_VALUE_TEXT && !strcmp(value.name, "next_comm"))
			snprintf(cpu->comm, sizeof(cpu->comm), "%.*s", (int)value.len, value.bytes);
	return NULL;
}

/* Switches of a CPU, or of any, were lost: its task ran at least up to the loss. */
static void lose_chrome_cpus(struct chrome *c, const struct session_record *r)
{
	for (size_t i = 0; i < c->cpus.nr; i++) {
		struct chrome_cpu *cpu = &c->cpus.items[i];

		if (!sched_event_is_lost(r) || (r->sample.cpu >= 0 && (size_t)r->sample.cpu != i))
			continue;
		end_chrome_run(c, cpu, cpu->tid, i, r->loss.since);
		cpu->tid = 0;
	}
}

static struct error *chrome_sample(struct session_consumer *consumer,
				   const struct session_record *r)
{
	struct chrome *c = container_of(consumer, struct chrome, consumer);
	struct sched_event sched;
	struct error *err;
	uint32_t stack;

	if (!r->event)
		return NULL;
	err = name_chrome_thread(c, r);
	if (!err)
		err = sample_stacks_find(c->stacks, r, &stack);
	if (!err)
		err = sched_event_read(&c->sched, r, &sched);
	if (!err)
		err = switch_chrome_cpu(c, &sched);
	if (err)
		return err;
	begin_chrome_event(c, r->event->name, "i", r->sample.pid, r->sample.tid);
	json_add_text(&c->json, "s", "t");
	json_add_text(&c->json, "cat", r->format ? r->format->system : "sample");
	add_chrome_time(c, "ts", r->sample.time);
	if (stack != SAMPLE_STACK_NONE)
		json_add_unsigned(&c->json, "sf", stack);
	json_begin_row(&c->json, "args");
	if (r->sample.cpu >= 0)
		json_add_signed(&c->json, "_cpu", r->sample.cpu);
	if (event_has_period(r->event))
		json_add_unsigned(&c->json, "_period", r->sample.period);
	value_json_add_all(&c->json, r);
	json_end_object(&c->json);
	json_end_object(&c->json);
	return stream_write(&c->stream);
}

/* A loss is an instant of all threads. */
static struct error *chrome_other(struct session_consumer *consumer,
				  const struct session_record *r)
{
	struct chrome *c = container_of(consumer, struct chrome, consumer);
	const struct body_lost *lost;

	if (r->record.header->type != PERF_RECORD_LOST)
		return NULL;
	lost = body_of(r->record.header, struct body_lost);
	if (!lost)
		return NULL;
	lose_chrome_cpus(c, r);
	begin_chrome_event(c, "lost", "i", CHROME_CPUS, r->sample.cpu);
	json_add_text(&c->json, "s", "g");
	add_chrome_time(c, "ts", r->sample.time);
	json_begin_row(&c->json, "args");
	json_add_unsigned(&c->json, "lost", lost->lost);
	json_add_text(&c->json, "event", r->event ? r->event->name : NULL);
	if (r->loss.since && r->loss.since < r->sample.time)
		add_chrome_time(c, "since", r->loss.since);
	json_end_object(&c->json);
	json_end_object(&c->json);
	return stream_write(&c->stream);
}

static struct error *add_chrome_frames(struct chrome *c)
{
	struct error *err = NULL;

	json_begin_object(&c->json, "stackFrames");
	for (uint32_t i = 1; !err && i < sample_stacks_end(c->stacks); i++) {
		uint32_t caller = sample_stacks_caller(c->stacks, i);
		struct stack_frame frame;
		char number[16];

		sample_stacks_frame(c->stacks, i, &frame);
		snprintf(number, sizeof(number), "%u", i);
		json_begin_row(&c->json, number);
		json_add_text(&c->json, "name", frame.name);
		json_add_text(&c->json, "category",
			      frame.dso ? frame.dso->short_name : "[unknown]");
		if (caller != SAMPLE_STACK_NONE)
			json_add_unsigned(&c->json, "parent", caller);
		json_end_object(&c->json);
		err = stream_write(&c->stream);
	}
	json_end_object(&c->json);
	return err;
}

static struct error *finish_chrome(struct rendering *rendering)
{
	struct chrome *c = container_of(rendering, struct chrome, rendering);
	struct error *err;

	json_end_array(&c->json);
	err = add_chrome_frames(c);
	json_end_object(&c->json);
	json_end(&c->json);
	if (!err)
		err = stream_flush(&c->stream);
	if (!err && c->stream.written > CHROME_LIMIT)
		log_notice("chrome://tracing opens no files above %d MB, and this one has %ju: "
			   "'--time' selects a part, and '--to perfetto' makes a smaller one.",
			   CHROME_LIMIT >> 20, (uintmax_t)c->stream.written >> 20);
	return err;
}

static void destroy_chrome(struct rendering *rendering)
{
	struct chrome *c = container_of(rendering, struct chrome, rendering);

	sample_stacks_destroy(c->stacks);
	sched_events_deinit(&c->sched);
	task_names_deinit(&c->tasks);
	strbuf_deinit(&c->stream.text);
	free(c->cpus.items);
	free(c);
}

struct error *output_chrome_open(const struct rendering_request *request, struct rendering **ret)
{
	struct chrome *c = calloc(1, sizeof(*c));
	struct error *err;

	if (!c)
		return &error_no_memory;
	c->stream = (struct stream){ .out = request->out, .name = request->name };
	c->json.out = &c->stream.text;
	c->consumer = (struct session_consumer){ .sample = chrome_sample, .other = chrome_other };
	c->rendering = (struct rendering){
		.consumer = &c->consumer, .finish = finish_chrome, .destroy = destroy_chrome,
	};
	err = sample_stacks_create(&c->stacks);
	if (err) {
		destroy_chrome(&c->rendering);
		return err;
	}
	json_begin_object(&c->json, NULL);
	json_add_text(&c->json, "displayTimeUnit", "ns");
	json_begin_row(&c->json, "otherData");
	json_add_text(&c->json, "exporter", "ktrace " KTRACE_VERSION);
	json_add_text(&c->json, "recording", request->recording);
	json_end_object(&c->json);
	json_begin_array(&c->json, "traceEvents");
	*ret = &c->rendering;
	return NULL;
}
