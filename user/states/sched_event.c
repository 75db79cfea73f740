// SPDX-License-Identifier: GPL-2.0
#include "states/sched_event.h"

#include <string.h>

#include "lib/array.h"

/* In common_flags: the kernel's TRACE_FLAG_NMI, _HARDIRQ and _SOFTIRQ. */
#define SCHED_FLAGS_INTERRUPT	(0x40 | 0x08 | 0x10)

/* The fields of one event; fields that this kind of event does not need are NULL. */
struct sched_event_fields {
	bool known;		/* the event was examined */
	bool again;
	enum sched_event_kind kind;
	const struct field *tid, *next_tid, *state, *runtime, *from, *to, *flags;
	uint64_t named;		/* the bits of the state that have letters */
};

/* The required fields of each kind of event. */
static const struct sched_event_row {
	const char *name;
	enum sched_event_kind kind;
	const char *tid, *next_tid, *state, *runtime, *from, *to;
} sched_event_rows[] = {
	{ "sched_switch", SCHED_EVENT_SWITCH, "prev_pid", "next_pid", "prev_state",
	  NULL, NULL, NULL },
	{ "sched_waking", SCHED_EVENT_WAKING, "pid", NULL, NULL, NULL, NULL, "target_cpu" },
	{ "sched_wakeup", SCHED_EVENT_WAKEUP, "pid", NULL, NULL, NULL, NULL, "target_cpu" },
	{ "sched_wakeup_new", SCHED_EVENT_WAKEUP_NEW, "pid", NULL, NULL, NULL, NULL,
	  "target_cpu" },
	{ "sched_migrate_task", SCHED_EVENT_MIGRATE, "pid", NULL, NULL, NULL, "orig_cpu",
	  "dest_cpu" },
	{ "sched_stat_runtime", SCHED_EVENT_RUNTIME, "pid", NULL, NULL, "runtime", NULL, NULL },
};

/* The letters of Linux since 4.14, for formats without names of states. */
static const struct field_name sched_states[] = {
	{ 0x01, "S" }, { 0x02, "D" }, { 0x04, "T" }, { 0x08, "t" }, { 0x10, "X" }, { 0x20, "Z" },
	{ 0x40, "P" }, { 0x80, "I" },
};

void sched_events_deinit(struct sched_events *events)
{
	free(events->fields.items);
	*events = (struct sched_events){ 0 };
}

static void sched_state_names(const struct field *state, const struct field_name **ret,
			      size_t *ret_nr)
{
	bool any = state->nr_names;

	*ret = any ? state->names : sched_states;
	*ret_nr = any ? state->nr_names : ARRAY_SIZE(sched_states);
}

static bool sched_field_find(const struct event_format *format, const char *name,
			     const struct field **ret)
{
	*ret = name ? event_format_field(format, name) : NULL;
	return !name || (*ret && (*ret)->kind == FIELD_INTEGER);
}

/* An event that lacks a field of its kind is ignored. */
static void sched_event_learn(const struct event_format *format, struct sched_event_fields *ret)
{
	const struct field_name *names;
	size_t nr;

	*ret = (struct sched_event_fields){ .known = true };
	if (!format || strcmp(format->system, "sched"))
		return;
	ret->flags = event_format_field(format, "common_flags");
	for (size_t i = 0; i < ARRAY_SIZE(sched_event_rows); i++) {
		const struct sched_event_row *row = &sched_event_rows[i];

		if (strcmp(format->name, row->name))
			continue;
		if (sched_field_find(format, row->tid, &ret->tid) &&
		    sched_field_find(format, row->next_tid, &ret->next_tid) &&
		    sched_field_find(format, row->state, &ret->state) &&
		    sched_field_find(format, row->runtime, &ret->runtime) &&
		    sched_field_find(format, row->from, &ret->from) &&
		    sched_field_find(format, row->to, &ret->to))
			ret->kind = row->kind;
	}
	if (ret->kind != SCHED_EVENT_SWITCH)
		return;
	sched_state_names(ret->state, &names, &nr);
	for (size_t i = 0; i < nr; i++)
		ret->named |= names[i].value;
}

static bool sched_field_is_word(const struct field *field)
{
	return !field || (field->size == sizeof(uint32_t) && field->offset % sizeof(uint32_t) == 0);
}

bool sched_event_has_words(const struct event_format *format)
{
	struct sched_event_fields fields;

	sched_event_learn(format, &fields);
	return sched_field_is_word(fields.tid) && sched_field_is_word(fields.next_tid);
}

static void sched_leave_read(const struct sched_event_fields *fields, uint64_t bits,
			     struct sched_leave *ret)
{
	const struct field_name *names;
	uint64_t named = bits & fields->named;
	size_t nr;

	/* A bit above those with letters means that the task was preempted. */
	*ret = (struct sched_leave){ .bits = bits, .letter = 'R', .runnable = !named };
	if (!named)
		return;
	named &= -named;
	sched_state_names(fields->state, &names, &nr);
	for (size_t i = 0; i < nr; i++)
		if (names[i].value == named)
			ret->letter = *names[i].name;
	ret->dead = ret->letter && strchr("XZx", ret->letter);
}

struct error *sched_event_read(struct sched_events *events, const struct session_record *r,
			       struct sched_event *ret)
{
	const struct sample *s = &r->sample;
	struct sched_event_fields *fields;

	fields = array_at(&events->fields, r->event->index, 0);
	if (!fields)
		return &error_no_memory;
	if (!fields->known) {
		sched_event_learn(r->format, fields);
		fields->again = fields->kind && !event_counts(r->events, r->event);
		if (fields->again)
			fields->kind = SCHED_EVENT_OTHER;
	}
	ret->kind = fields->kind;
	ret->again = fields->again;
	if (!fields->kind)
		return NULL;
	events->found |= 1u << fields->kind;
	ret->sample = r;
	ret->cpu = s->cpu;
	ret->time = s->time;
	ret->tid = field_u64(fields->tid, s->raw, s->raw_size);
	if (fields->next_tid)
		ret->next_tid = field_u64(fields->next_tid, s->raw, s->raw_size);
	if (fields->state)
		sched_leave_read(fields, field_u64(fields->state, s->raw, s->raw_size),
				 &ret->leave);
	if (fields->runtime)
		ret->runtime = field_u64(fields->runtime, s->raw, s->raw_size);
	if (fields->from)
		ret->cpu_from = field_u64(fields->from, s->raw, s->raw_size);
	ret->in_interrupt = fields->flags &&
		field_u64(fields->flags, s->raw, s->raw_size) & SCHED_FLAGS_INTERRUPT;
	if (fields->to)
		ret->cpu_to = field_u64(fields->to, s->raw, s->raw_size);
	return NULL;
}

bool sched_event_is_lost(const struct session_record *r)
{
	static const enum sched_event_kind kinds[] = {
		SCHED_EVENT_SWITCH, SCHED_EVENT_WAKING, SCHED_EVENT_WAKEUP, SCHED_EVENT_WAKEUP_NEW,
	};
	const struct event_list *list = r->events;

	for (size_t i = 0; i < ARRAY_SIZE(sched_event_rows); i++) {
		const struct sched_event_row *row = &sched_event_rows[i];
		bool matters = false;

		for (size_t k = 0; k < ARRAY_SIZE(kinds); k++)
			matters |= row->kind == kinds[k];
		if (!matters)
			continue;
		if (r->loss.of_event && r->format && !strcmp(r->format->system, "sched") &&
		    !strcmp(r->format->name, row->name))
			return true;
		for (size_t e = 0; !r->loss.of_event && e < list->nr; e++)
			if (list->items[e]->source != EVENT_SOURCE_DEVICE &&
			    !strncmp(list->items[e]->name, "sched:", 6) &&
			    !strcmp(list->items[e]->name + 6, row->name))
				return true;
	}
	return false;
}

int32_t sched_event_prio(const struct sched_event *e)
{
	const struct sample *s = &e->sample->sample;
	const struct field *field = event_format_field(e->sample->format,
						       e->kind == SCHED_EVENT_SWITCH ?
						       "prev_prio" : "prio");

	if (!field || field->kind != FIELD_INTEGER)
		return -1;
	return field_u64(field, s->raw, s->raw_size);
}
