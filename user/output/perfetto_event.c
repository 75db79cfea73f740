// SPDX-License-Identifier: GPL-2.0
#include "output/perfetto_event.h"

#include <byteswap.h>
#include <string.h>

#include "columns/event_values.h"
#include "lib/array.h"
#include "lib/number.h"
#include "lib/protobuf.h"

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

const struct perfetto_event *perfetto_event_find(const struct event_format *format)
{
	for (size_t i = 0; format && i < ARRAY_SIZE(types); i++)
		if (!strcmp(types[i].name, format->name) &&
		    !strcmp(types[i].system, format->system))
			return &types[i];
	return NULL;
}

/* Arrays have words of 8 bytes in all messages that are listed here. */
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

void perfetto_event_add(struct strbuf *out, const struct session_record *r,
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
