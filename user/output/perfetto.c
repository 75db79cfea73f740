// SPDX-License-Identifier: GPL-2.0
/*
 * Packets of Perfetto: tracepoints as bundles of each CPU, other samples and call chains as
 * perf_sample packets, the tasks, and the clocks.  Each event has a sequence of packets of its own,
 * and its first packet has the name, because Perfetto stores the name of a counter there.
 */
#include <byteswap.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "calls/chain_nodes.h"
#include "columns/event_values.h"
#include "lib/array.h"
#include "lib/number.h"
#include "lib/protobuf.h"
#include "lib/strbuf.h"
#include "output/rendering.h"
#include "output/stream.h"
#include "profile/sample_stacks.h"
#include "record/body.h"
#include "record/header.h"
#include "session/session.h"
#include "states/task_names.h"

struct perfetto_event;

#define FIELDS_MAX	7

/* FtraceEvent, and its GenericFtraceEvent. */
enum { FTRACE_TIME = 1, FTRACE_TID = 2, FTRACE_GENERIC = 327 };
enum { GENERIC_NAME = 1, GENERIC_FIELD = 2 };
enum { GENERIC_FIELD_NAME = 1, GENERIC_TEXT = 3, GENERIC_SIGNED = 4, GENERIC_UNSIGNED = 5 };

struct perfetto_event {
	const char *system, *name;
	unsigned int number;		/* of the message in FtraceEvent */
	const char *fields[FIELDS_MAX];	/* by number in the message, from 1 */
};

static const struct perfetto_event types[] = {
	{ "sched", "sched_switch", 4, { "prev_comm", "prev_pid", "prev_prio", "prev_state",
					"next_comm", "next_pid", "next_prio" } },
	{ "sched", "sched_wakeup", 17, { "comm", "pid", "prio", "success", "target_cpu" } },
	{ "sched", "sched_waking", 20, { "comm", "pid", "prio", "success", "target_cpu" } },
	{ "sched", "sched_wakeup_new", 114, { "comm", "pid", "prio", "success", "target_cpu" } },
	{ "sched", "sched_process_exec", 237, { "filename", "pid", "old_pid" } },
	{ "sched", "sched_process_exit", 238, { "comm", "pid", "tgid", "prio" } },
	{ "sched", "sched_process_fork", 239, { "parent_comm", "parent_pid", "child_comm",
						"child_pid" } },
	{ "sched", "sched_process_free", 240, { "comm", "pid", "prio" } },
	{ "sched", "sched_migrate_task", 491, { "comm", "pid", "prio", "orig_cpu", "dest_cpu" } },
	{ "task", "task_newtask", 235, { "pid", "comm", "clone_flags", "oom_score_adj" } },
	{ "task", "task_rename", 236, { "pid", "oldcomm", "newcomm", "oom_score_adj" } },
	{ "power", "cpu_frequency", 11, { "state", "cpu_id" } },
	{ "power", "cpu_idle", 13, { "state", "cpu_id" } },
	{ "irq", "softirq_entry", 24, { "vec" } },
	{ "irq", "softirq_exit", 25, { "vec" } },
	{ "irq", "softirq_raise", 26, { "vec" } },
	{ "irq", "irq_handler_entry", 36, { "irq", "name" } },
	{ "irq", "irq_handler_exit", 37, { "irq", "ret" } },
	{ "raw_syscalls", "sys_enter", 329, { "id", "args" } },
	{ "raw_syscalls", "sys_exit", 330, { "id", "ret" } },
};

/* The event's own message; NULL: there is none, or the event is not such a tracepoint. */
static const struct perfetto_event *perfetto_event_find(const struct event_format *format)
{
	for (size_t i = 0; format && i < ARRAY_SIZE(types); i++)
		if (!strcmp(types[i].name, format->name) &&
		    !strcmp(types[i].system, format->system))
			return &types[i];
	return NULL;
}

/* All messages that are listed here have arrays with words of 8 bytes. */
static void add_perfetto_words(struct strbuf *out, unsigned int number,
			       const struct event_value *value)
{
	uint64_t word;

	for (size_t at = 0; at + sizeof(word) <= value->len; at += sizeof(word)) {
		memcpy(&word, value->bytes + at, sizeof(word));
		protobuf_add_number(out, number, value->is_swapped ? bswap_64(word) : word);
	}
}

static void add_typed_field(struct strbuf *out, const struct perfetto_event *type,
			    const struct event_value *value)
{
	unsigned int number = 1;

	while (number <= FIELDS_MAX && type->fields[number - 1] &&
	       strcmp(type->fields[number - 1], value->name))
		number++;
	if (number > FIELDS_MAX || !type->fields[number - 1])
		return;
	if (value->type == EVENT_VALUE_TEXT)
		protobuf_add_bytes(out, number, value->bytes, value->len);
	else if (value->type == EVENT_VALUE_BYTES)
		add_perfetto_words(out, number, value);
	else
		protobuf_add_number(out, number, value->number);
}

static void add_generic_field(struct strbuf *out, const struct event_value *value)
{
	_cleanup_(strbuf) struct strbuf field = STRBUF_INIT, digits = STRBUF_INIT;

	protobuf_add_text(&field, GENERIC_FIELD_NAME, value->name);
	switch (value->type) {
	case EVENT_VALUE_SIGNED:
		protobuf_add_number(&field, GENERIC_SIGNED, value->number);
		break;
	case EVENT_VALUE_UNSIGNED:
		protobuf_add_number(&field, GENERIC_UNSIGNED, value->number);
		break;
	case EVENT_VALUE_TEXT:
		protobuf_add_bytes(&field, GENERIC_TEXT, value->bytes, value->len);
		break;
	case EVENT_VALUE_BYTES:
		for (size_t i = 0; i < value->len; i++)
			number_add_hex(&digits, (unsigned char)value->bytes[i], 2, '0');
		protobuf_add_bytes(&field, GENERIC_TEXT, strbuf_str(&digits), digits.len);
	}
	protobuf_add_message(out, GENERIC_FIELD, &field);
}

/* Append the fields of the FtraceEvent of a sample; @type is that of its event. */
static void perfetto_event_add(struct strbuf *out, const struct session_record *r,
			       const struct perfetto_event *type)
{
	_cleanup_(strbuf) struct strbuf message = STRBUF_INIT;
	struct event_values values;
	struct event_value value;

	protobuf_add_number(out, FTRACE_TIME, r->sample.time);
	protobuf_add_number(out, FTRACE_TID, (uint32_t)r->sample.tid);
	if (!type)
		protobuf_add_text(&message, GENERIC_NAME, r->event->name);
	event_values_begin(&values, r);
	while (event_values_next(&values, &value)) {
		if (type)
			add_typed_field(&message, type, &value);
		else
			add_generic_field(&message, &value);
	}
	protobuf_add_message(out, type ? type->number : FTRACE_GENERIC, &message);
}

/* Bundles are written when they are as long, bytes. */
#define BUNDLE_LENGTH	(32 * 1024)

/* Field numbers of Perfetto's messages. */
enum { TRACE_PACKET = 1 };
enum { PACKET_FTRACE = 1, PACKET_TASKS = 2, PACKET_CLOCKS = 6, PACKET_TIME = 8,
       PACKET_SEQUENCE = 10, PACKET_INTERNED = 12, PACKET_FLAGS = 13, PACKET_DEFAULTS = 59,
       PACKET_SAMPLE = 66 };
enum { FLAGS_CLEARED = 1, FLAGS_NEEDED = 2 };
enum { BUNDLE_CPU = 1, BUNDLE_EVENT = 2, BUNDLE_LOST = 3 };
enum { TASKS_PROCESS = 1, TASKS_THREAD = 2 };
enum { PROCESS_PID = 1, PROCESS_PARENT = 2, PROCESS_COMMAND = 3 };
enum { THREAD_TID = 1, THREAD_NAME = 2, THREAD_PID = 3 };
enum { CLOCKS_CLOCK = 1 };
enum { CLOCK_ID = 1, CLOCK_TIME = 2 };
enum { WALL_CLOCK = 1, MONOTONIC_CLOCK = 3, RAW_CLOCK = 5, BOOT_CLOCK = 6 };
enum { DEFAULTS_SAMPLE = 12, SAMPLE_TIMEBASE = 1, TIMEBASE_PERIOD = 1, TIMEBASE_NAME = 10 };
enum { SAMPLE_CPU = 1, SAMPLE_PID = 2, SAMPLE_TID = 3, SAMPLE_STACK = 4, SAMPLE_MODE = 5,
       SAMPLE_COUNT = 6, SAMPLE_LOST = 17 };
enum { MODE_UNKNOWN = 0, MODE_KERNEL = 1, MODE_USER = 2 };
enum { INTERNED_FUNCTION = 5, INTERNED_FRAME = 6, INTERNED_STACK = 7, INTERNED_PATH = 17,
       INTERNED_MAPPING = 19 };
enum { INTERNED_ID = 1, STRING_TEXT = 2, MAPPING_PATH = 7, FRAME_FUNCTION = 2, FRAME_MAPPING = 3,
       FRAME_ADDRESS = 4, STACK_FRAME = 2 };

/* The first sequence is that of bundles, tasks and clocks. */
#define COMMON_SEQUENCE	1

/* The data that the packets of an event have defined until now. */
struct perfetto_sequence {
	const struct perfetto_event *type;	/* of a tracepoint; NULL: generic */
	bool begun, typed;			/* typed: type was looked for */
	struct strbuf stacks, places;		/* a byte for each: 1: it was defined */
	ARRAY_OF(const struct dso *) binaries;	/* the defined ones; their numbers count from 1 */
	ARRAY_OF(uint64_t) counts;	/* by CPU: the sum of periods, as Perfetto counts */
};

struct perfetto {
	struct rendering rendering;
	struct session_consumer consumer;
	struct stream stream;
	const struct header *header;
	struct sample_stacks *stacks;
	struct task_names tasks;
	bool begun;
	struct strbuf packet, part, inner;
	ARRAY_OF(struct strbuf) bundles;	/* by CPU: events of its bundle */
	ARRAY_OF(struct perfetto_sequence) sequences;	/* by index of the event */
};

static struct error *write_perfetto_packet(struct perfetto *p, uint32_t sequence)
{
	protobuf_add_number(&p->packet, PACKET_SEQUENCE, sequence);
	protobuf_add_message(&p->stream.text, TRACE_PACKET, &p->packet);
	return stream_write(&p->stream);
}

static void add_perfetto_clock(struct perfetto *p, unsigned int clock, uint64_t time)
{
	protobuf_add_number(&p->inner, CLOCK_ID, clock);
	protobuf_add_number(&p->inner, CLOCK_TIME, time);
	protobuf_add_message(&p->part, CLOCKS_CLOCK, &p->inner);
}

/*
 * Perfetto treats times without a clock as those of the boot clock.  So the recording's clock
 * becomes that one.  The same instant by other clocks is written if it is known.
 */
static struct error *begin_perfetto(struct perfetto *p)
{
	const struct header *header = p->header;

	p->begun = true;
	protobuf_add_number(&p->packet, PACKET_FLAGS, FLAGS_CLEARED);
	if (header->clock_time) {
		add_perfetto_clock(p, BOOT_CLOCK, header->clock_time);
		add_perfetto_clock(p, WALL_CLOCK, header->wall_time);
		if (header->clockid == CLOCK_MONOTONIC)
			add_perfetto_clock(p, MONOTONIC_CLOCK, header->clock_time);
		else if (header->clockid == CLOCK_MONOTONIC_RAW)
			add_perfetto_clock(p, RAW_CLOCK, header->clock_time);
		protobuf_add_message(&p->packet, PACKET_CLOCKS, &p->part);
	}
	return write_perfetto_packet(p, COMMON_SEQUENCE);
}

static struct error *tell_perfetto_task(struct perfetto *p, const struct session_record *r)
{
	const struct task_name name = { r->sample.pid, r->sample.tid, r->comm };
	int32_t parent = processes_parent(r->processes, name.tid);
	struct error *err;
	bool changed;
	size_t number;

	if (name.pid < 0)
		return NULL;
	err = task_names_take(&p->tasks, &name, &number, &changed);
	if (err || !changed)
		return err;
	if (name.pid == name.tid) {
		protobuf_add_number(&p->inner, PROCESS_PID, name.pid);
		if (parent >= 0)
			protobuf_add_number(&p->inner, PROCESS_PARENT, parent);
		protobuf_add_text(&p->inner, PROCESS_COMMAND, name.comm);
		protobuf_add_message(&p->part, TASKS_PROCESS, &p->inner);
	}
	protobuf_add_number(&p->inner, THREAD_TID, name.tid);
	protobuf_add_text(&p->inner, THREAD_NAME, name.comm);
	protobuf_add_number(&p->inner, THREAD_PID, name.pid);
	protobuf_add_message(&p->part, TASKS_THREAD, &p->inner);
	protobuf_add_number(&p->packet, PACKET_TIME, r->sample.time);
	protobuf_add_message(&p->packet, PACKET_TASKS, &p->part);
	return write_perfetto_packet(p, COMMON_SEQUENCE);
}

/* Write the events that wait in the bundle of a CPU; the next one begins after a loss. */
static struct error *write_perfetto_bundle(struct perfetto *p, uint32_t cpu)
{
	struct strbuf *events = &p->bundles.items[cpu];

	if (!events->len)
		return NULL;
	protobuf_add_number(&p->part, BUNDLE_CPU, cpu);
	strbuf_add(&p->part, strbuf_str(events), events->len);
	p->part.failed |= events->failed;
	strbuf_reset(events);
	protobuf_add_message(&p->packet, PACKET_FTRACE, &p->part);
	return write_perfetto_packet(p, COMMON_SEQUENCE);
}

/* The bundle of a CPU; NULL: out of memory. */
static struct strbuf *find_perfetto_bundle(struct perfetto *p, uint32_t cpu)
{
	return array_at(&p->bundles, cpu, 0);
}

static struct error *add_perfetto_event(struct perfetto *p, const struct session_record *r,
					struct perfetto_sequence *sequence, uint32_t cpu)
{
	struct strbuf *bundle = find_perfetto_bundle(p, cpu);

	if (!bundle)
		return &error_no_memory;
	if (!sequence->typed)
		sequence->type = perfetto_event_find(r->format);
	sequence->typed = true;
	perfetto_event_add(&p->inner, r, sequence->type);
	protobuf_add_message(bundle, BUNDLE_EVENT, &p->inner);
	return bundle->len < BUNDLE_LENGTH ? NULL : write_perfetto_bundle(p, cpu);
}

/* Whether @number is new; a lack of memory is stored in @told. */
static bool is_new(struct strbuf *told, uint32_t number)
{
	while (told->len <= number && !told->failed)
		strbuf_addch(told, 0);
	if (told->failed || told->data[number])
		return false;
	told->data[number] = 1;
	return true;
}

static void intern_text(struct perfetto *p, unsigned int field, uint64_t id, const char *text)
{
	protobuf_add_number(&p->inner, INTERNED_ID, id);
	protobuf_add_text(&p->inner, STRING_TEXT, text);
	protobuf_add_message(&p->part, field, &p->inner);
}

/* Returns the number of a binary, which is defined if it is new; 0: there is none. */
static uint64_t intern_binary(struct perfetto *p, struct perfetto_sequence *sequence,
			      const struct dso *dso)
{
	uint64_t id;

	if (!dso)
		return 0;
	for (size_t i = sequence->binaries.nr; i--;)
		if (sequence->binaries.items[i] == dso)
			return i + 1;
	if (!array_push(&sequence->binaries, dso)) {
		p->part.failed = true;
		return 0;
	}
	id = sequence->binaries.nr;
	intern_text(p, INTERNED_PATH, id, dso->name);
	protobuf_add_number(&p->inner, INTERNED_ID, id);
	protobuf_add_number(&p->inner, MAPPING_PATH, id);
	protobuf_add_message(&p->part, INTERNED_MAPPING, &p->inner);
	return id;
}

/* Define the new frames of a stack, and then the stack. */
static void intern_stack(struct perfetto *p, struct perfetto_sequence *sequence, uint32_t stack)
{
	uint32_t path[CHAIN_NODES_MAX];
	size_t nr = 0;

	if (!is_new(&sequence->stacks, stack))
		return;
	for (uint32_t at = stack; at && nr < CHAIN_NODES_MAX;
	     at = sample_stacks_caller(p->stacks, at)) {
		uint32_t place = sample_stacks_place(p->stacks, at);
		struct stack_frame frame;
		uint64_t binary;

		path[nr++] = place;
		if (!is_new(&sequence->places, place))
			continue;
		sample_stacks_frame(p->stacks, at, &frame);
		intern_text(p, INTERNED_FUNCTION, place + 1, frame.name);
		binary = intern_binary(p, sequence, frame.dso);
		protobuf_add_number(&p->inner, INTERNED_ID, place + 1);
		protobuf_add_number(&p->inner, FRAME_FUNCTION, place + 1);
		if (binary)
			protobuf_add_number(&p->inner, FRAME_MAPPING, binary);
		protobuf_add_number(&p->inner, FRAME_ADDRESS, frame.address);
		protobuf_add_message(&p->part, INTERNED_FRAME, &p->inner);
	}
	protobuf_add_number(&p->inner, INTERNED_ID, stack);
	while (nr)
		protobuf_add_number(&p->inner, STACK_FRAME, path[--nr] + 1);
	protobuf_add_message(&p->part, INTERNED_STACK, &p->inner);
	protobuf_add_message(&p->packet, PACKET_INTERNED, &p->part);
	p->packet.failed |= sequence->stacks.failed | sequence->places.failed;
}

static void begin_sequence(struct perfetto *p, struct perfetto_sequence *sequence,
			   const struct event *event)
{
	sequence->begun = true;
	protobuf_add_number(&p->inner, TIMEBASE_PERIOD, event->attr.sample_period);
	protobuf_add_text(&p->inner, TIMEBASE_NAME, event->name);
	protobuf_add_message(&p->part, SAMPLE_TIMEBASE, &p->inner);
	strbuf_add(&p->inner, strbuf_str(&p->part), p->part.len);
	strbuf_reset(&p->part);
	protobuf_add_message(&p->part, DEFAULTS_SAMPLE, &p->inner);
	protobuf_add_message(&p->packet, PACKET_DEFAULTS, &p->part);
}

static void begin_perfetto_sample(struct perfetto *p, struct perfetto_sequence *sequence,
				  const struct session_record *r)
{
	bool first = !sequence->begun;

	if (first)
		begin_sequence(p, sequence, r->event);
	protobuf_add_number(&p->packet, PACKET_TIME, r->sample.time);
	protobuf_add_number(&p->packet, PACKET_FLAGS, first ? FLAGS_CLEARED : FLAGS_NEEDED);
}

/* Add to the count of an event on a CPU; returns false if memory is out. */
static bool count_perfetto(struct perfetto_sequence *sequence, uint32_t cpu, uint64_t period,
			   uint64_t *ret)
{
	if (!array_at(&sequence->counts, cpu, 0))
		return false;
	*ret = sequence->counts.items[cpu] += period;
	return true;
}

static struct error *add_perfetto_stack(struct perfetto *p, const struct session_record *r,
					struct perfetto_sequence *sequence, uint32_t cpu,
					uint32_t stack)
{
	uint8_t mode = r->sample.cpumode;
	uint64_t count;

	if (!count_perfetto(sequence, cpu, r->sample.period, &count))
		return &error_no_memory;
	begin_perfetto_sample(p, sequence, r);
	if (stack != SAMPLE_STACK_NONE)
		intern_stack(p, sequence, stack);
	protobuf_add_number(&p->part, SAMPLE_CPU, cpu);
	protobuf_add_number(&p->part, SAMPLE_PID, (uint32_t)r->sample.pid);
	protobuf_add_number(&p->part, SAMPLE_TID, (uint32_t)r->sample.tid);
	if (stack != SAMPLE_STACK_NONE)
		protobuf_add_number(&p->part, SAMPLE_STACK, stack);
	protobuf_add_number(&p->part, SAMPLE_MODE,
			    mode == PERF_RECORD_MISC_KERNEL ? MODE_KERNEL :
			    mode == PERF_RECORD_MISC_USER ? MODE_USER : MODE_UNKNOWN);
	protobuf_add_number(&p->part, SAMPLE_COUNT, count);
	protobuf_add_message(&p->packet, PACKET_SAMPLE, &p->part);
	return write_perfetto_packet(p, COMMON_SEQUENCE + 1 + r->event->index);
}

/* The sequence of an event; NULL: out of memory. */
static struct perfetto_sequence *find_sequence(struct perfetto *p, const struct event *event)
{
	return array_at(&p->sequences, event->index, 0);
}

/* The CPU of a record; one that is not known counts as 0, as in Perfetto itself. */
static uint32_t perfetto_cpu(const struct session_record *r)
{
	return r->sample.cpu >= 0 && r->sample.cpu < HEADER_CPUS_MAX ? r->sample.cpu : 0;
}

static struct error *perfetto_sample(struct session_consumer *consumer,
				     const struct session_record *r)
{
	struct perfetto *p = container_of(consumer, struct perfetto, consumer);
	uint32_t cpu = perfetto_cpu(r), stack = SAMPLE_STACK_NONE;
	struct perfetto_sequence *sequence;
	struct error *err = NULL;

	if (!r->event)
		return NULL;
	sequence = find_sequence(p, r->event);
	if (!sequence)
		return &error_no_memory;
	if (!p->begun)
		err = begin_perfetto(p);
	if (!err)
		err = tell_perfetto_task(p, r);
	if (!err)
		err = sample_stacks_find(p->stacks, r, &stack);
	if (!err && r->event->attr.type == PERF_TYPE_TRACEPOINT)
		err = add_perfetto_event(p, r, sequence, cpu);
	if (!err && (stack != SAMPLE_STACK_NONE || r->event->attr.type != PERF_TYPE_TRACEPOINT))
		err = add_perfetto_stack(p, r, sequence, cpu, stack);
	return err;
}

/* A loss is marked in the CPU's bundle, and counted by a packet of the event. */
static struct error *perfetto_other(struct session_consumer *consumer,
				    const struct session_record *r)
{
	struct perfetto *p = container_of(consumer, struct perfetto, consumer);
	struct perfetto_sequence *sequence;
	const struct body_lost *lost;
	struct strbuf *bundle;
	struct error *err;

	if (r->record.header->type != PERF_RECORD_LOST || !r->event)
		return NULL;
	lost = body_of(r->record.header, struct body_lost);
	bundle = find_perfetto_bundle(p, perfetto_cpu(r));
	sequence = find_sequence(p, r->event);
	if (!bundle || !sequence)
		return &error_no_memory;
	if (!lost)
		return NULL;
	err = write_perfetto_bundle(p, perfetto_cpu(r));
	if (err)
		return err;
	protobuf_add_number(bundle, BUNDLE_LOST, 1);
	begin_perfetto_sample(p, sequence, r);
	protobuf_add_number(&p->part, SAMPLE_CPU, perfetto_cpu(r));
	protobuf_add_number(&p->part, SAMPLE_LOST, lost->lost);
	protobuf_add_message(&p->packet, PACKET_SAMPLE, &p->part);
	return write_perfetto_packet(p, COMMON_SEQUENCE + 1 + r->event->index);
}

static struct error *finish_perfetto(struct rendering *rendering)
{
	struct perfetto *p = container_of(rendering, struct perfetto, rendering);
	struct error *err = p->begun ? NULL : begin_perfetto(p);

	for (uint32_t cpu = 0; !err && cpu < p->bundles.nr; cpu++)
		err = write_perfetto_bundle(p, cpu);
	return err ? err : stream_flush(&p->stream);
}

static void destroy_perfetto(struct rendering *rendering)
{
	struct perfetto *p = container_of(rendering, struct perfetto, rendering);

	for (size_t i = 0; i < p->bundles.nr; i++)
		strbuf_deinit(&p->bundles.items[i]);
	for (size_t i = 0; i < p->sequences.nr; i++) {
		strbuf_deinit(&p->sequences.items[i].stacks);
		strbuf_deinit(&p->sequences.items[i].places);
		free(p->sequences.items[i].binaries.items);
		free(p->sequences.items[i].counts.items);
	}
	free(p->bundles.items);
	free(p->sequences.items);
	sample_stacks_destroy(p->stacks);
	task_names_deinit(&p->tasks);
	strbuf_deinit(&p->packet);
	strbuf_deinit(&p->part);
	strbuf_deinit(&p->inner);
	strbuf_deinit(&p->stream.text);
	free(p);
}

struct error *output_perfetto_open(const struct rendering_request *request,
				   struct rendering **ret)
{
	struct perfetto *p = calloc(1, sizeof(*p));
	struct error *err;

	if (!p)
		return &error_no_memory;
	p->stream = (struct stream){ .out = request->out, .name = request->name };
	p->header = request->header;
	p->consumer = (struct session_consumer){
		.sample = perfetto_sample, .other = perfetto_other,
	};
	p->rendering = (struct rendering){
		.consumer = &p->consumer, .finish = finish_perfetto, .destroy = destroy_perfetto,
	};
	err = sample_stacks_create(&p->stacks);
	if (err) {
		destroy_perfetto(&p->rendering);
		return err;
	}
	*ret = &p->rendering;
	return NULL;
}
