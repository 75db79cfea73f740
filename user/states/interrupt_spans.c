// SPDX-License-Identifier: GPL-2.0
#include "states/interrupt_spans.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "lib/array.h"
#include "lib/strbuf.h"
#include "record/header.h"

enum interrupt_kind { INTERRUPT_NONE = 0, INTERRUPT_IRQ, INTERRUPT_SOFTIRQ, INTERRUPT_VECTOR };

/* The fields of one event. */
struct interrupt_event {
	bool known, ends;
	enum interrupt_kind kind;
	const struct field *number, *name;
	const char *vector;	/* the event's name; its first @vector_len bytes are the vector's */
	size_t vector_len;
};

static const char *const softirq_names[] = {
	"HI", "TIMER", "NET_TX", "NET_RX", "BLOCK", "IRQ_POLL", "TASKLET", "SCHED", "HRTIMER",
	"RCU",
};

const char *softirq_name(uint64_t vector)
{
	return vector < ARRAY_SIZE(softirq_names) ? softirq_names[vector] : NULL;
}

void interrupt_spans_deinit(struct interrupt_spans *spans)
{
	for (size_t i = 0; i < spans->cpus.nr; i++)
		free(spans->cpus.items[i].items);
	for (size_t i = 0; i < spans->names.nr; i++)
		free(spans->names.items[i].text);
	free(spans->cpus.items);
	free(spans->names.items);
	free(spans->events.items);
	*spans = (struct interrupt_spans){ 0 };
}

static bool interrupt_has_end(const char *name, const char *end, size_t *ret_len)
{
	size_t len = strlen(name), end_len = strlen(end);

	*ret_len = len > end_len ? len - end_len : 0;
	return *ret_len && !strcmp(name + *ret_len, end);
}

static void interrupt_event_learn(const struct event_format *format, struct interrupt_event *ret)
{
	size_t len;

	*ret = (struct interrupt_event){ .known = true };
	if (!format)
		return;
	ret->ends = interrupt_has_end(format->name, "_exit", &len);
	if (!ret->ends && !interrupt_has_end(format->name, "_entry", &len))
		return;
	if (!strcmp(format->system, "irq_vectors")) {
		ret->kind = INTERRUPT_VECTOR;
		ret->vector = format->name;
		ret->vector_len = len;
		return;
	}
	if (strcmp(format->system, "irq"))
		return;
	if (!strncmp(format->name, "irq_handler", len)) {
		ret->number = event_format_field(format, "irq");
		ret->name = event_format_field(format, "name");
		ret->kind = INTERRUPT_IRQ;
	} else if (!strncmp(format->name, "softirq", len)) {
		ret->number = event_format_field(format, "vec");
		ret->kind = INTERRUPT_SOFTIRQ;
	}
	if (!ret->number || ret->number->kind != FIELD_INTEGER)
		ret->kind = INTERRUPT_NONE;
}

/* The name that the event itself gives the interrupt; "": none. */
static const char *interrupt_own_name(const struct interrupt_event *event, const struct sample *s,
				      size_t *ret_len)
{
	const char *name = NULL;

	*ret_len = event->vector_len;
	if (event->kind == INTERRUPT_VECTOR)
		return event->vector;
	if (event->name && event->name->kind == FIELD_DYNAMIC_STRING)
		name = field_bytes(event->name, s->raw, s->raw_size, ret_len);
	if (!name)
		*ret_len = 0;
	return name ?: "";
}

static bool interrupt_has_name(const struct interrupt_name *name, const char *own, size_t own_len)
{
	return strlen(name->text + name->own) == own_len &&
	       !memcmp(name->text + name->own, own, own_len);
}

static uint64_t interrupt_number(const struct interrupt_event *event, const struct sample *s)
{
	return event->number ? field_u64(event->number, s->raw, s->raw_size) : 0;
}

/* false: memory is out. */
static bool interrupt_make_name(const struct interrupt_event *event, uint64_t number,
				const char *own, size_t own_len, struct interrupt_name *ret)
{
	struct strbuf text = STRBUF_INIT;

	if (event->kind == INTERRUPT_SOFTIRQ && softirq_name(number))
		strbuf_addf(&text, "softirq %s", softirq_name(number));
	else if (event->kind != INTERRUPT_VECTOR)
		strbuf_addf(&text, "%s %" PRIu64 "%s",
			    event->kind == INTERRUPT_IRQ ? "irq" : "softirq", number,
			    own_len ? " " : "");
	*ret = (struct interrupt_name){ .kind = event->kind, .number = number, .own = text.len };
	strbuf_add(&text, own, own_len);
	if (text.failed)
		strbuf_deinit(&text);
	ret->text = text.data;
	return ret->text;
}

/* Find or add the name of an interrupt that begins; false: memory is out. */
static bool interrupt_find_name(struct interrupt_spans *spans, const struct interrupt_event *event,
				const struct sample *s, uint32_t *ret)
{
	uint64_t number = interrupt_number(event, s);
	struct interrupt_name added;
	size_t own_len;
	const char *own = interrupt_own_name(event, s, &own_len);

	for (size_t i = 0; i < spans->names.nr; i++) {
		const struct interrupt_name *name = &spans->names.items[i];

		if (name->kind == event->kind && name->number == number &&
		    interrupt_has_name(name, own, own_len)) {
			*ret = i;
			return true;
		}
	}
	if (!interrupt_make_name(event, number, own, own_len, &added))
		return false;
	if (!array_push(&spans->names, added)) {
		free(added.text);
		return false;
	}
	*ret = spans->names.nr - 1;
	return true;
}

/* The innermost interrupt of a CPU stops running, finally or for another one. */
static bool interrupt_pause(struct interrupt_cpu *cpu, uint64_t time)
{
	const struct interrupt_span span = {
		.since = cpu->since, .until = time,
		.name = cpu->depth ? cpu->open[cpu->depth - 1] : 0,
	};

	cpu->since = time;
	return !cpu->depth || span.since >= time || array_push(cpu, span);
}

static bool interrupt_enter(struct interrupt_cpu *cpu, uint32_t name, uint64_t time)
{
	if (cpu->depth == INTERRUPT_DEPTH)
		return true;
	if (!interrupt_pause(cpu, time))
		return false;
	cpu->open[cpu->depth++] = name;
	return true;
}

/* An exit has the number, but no name of a handler. */
static bool interrupt_leave(struct interrupt_spans *spans, struct interrupt_cpu *cpu,
			  const struct interrupt_event *event, const struct sample *s)
{
	uint64_t number = interrupt_number(event, s);
	unsigned int depth;

	for (depth = cpu->depth; depth; depth--) {
		const struct interrupt_name *name = &spans->names.items[cpu->open[depth - 1]];

		if (name->kind == event->kind && name->number == number &&
		    (!event->vector || interrupt_has_name(name, event->vector, event->vector_len)))
			break;
	}
	/* It began before the recording, or its beginning was lost. */
	if (!depth)
		return true;
	if (!interrupt_pause(cpu, s->time))
		return false;
	cpu->depth = depth - 1;
	return true;
}

struct error *interrupt_spans_take(struct interrupt_spans *spans, const struct session_record *r)
{
	const struct sample *s = &r->sample;
	struct interrupt_event *event;
	uint32_t name;

	event = array_at(&spans->events, r->event->index, 0);
	if (!event)
		return &error_no_memory;
	if (!event->known)
		interrupt_event_learn(event_counts(r->events, r->event) ? r->format : NULL,
				      event);
	if (!event->kind || s->cpu < 0 || s->cpu >= HEADER_CPUS_MAX)
		return NULL;
	if (!array_at(&spans->cpus, s->cpu, 0))
		return &error_no_memory;
	if (event->ends)
		return interrupt_leave(spans, &spans->cpus.items[s->cpu], event, s) ? NULL :
		       &error_no_memory;
	return interrupt_find_name(spans, event, s, &name) &&
	       interrupt_enter(&spans->cpus.items[s->cpu], name, s->time) ? NULL : &error_no_memory;
}

struct error *interrupt_spans_switch(struct interrupt_spans *spans, int32_t cpu, uint64_t time)
{
	struct interrupt_cpu *on;

	if (cpu < 0 || (size_t)cpu >= spans->cpus.nr)
		return NULL;
	on = &spans->cpus.items[cpu];
	if (!interrupt_pause(on, time))
		return &error_no_memory;
	on->depth = 0;
	return NULL;
}

struct error *interrupt_spans_lose(struct interrupt_spans *spans, int32_t cpu, uint64_t since)
{
	struct error *err = NULL;

	if (cpu >= 0)
		return interrupt_spans_switch(spans, cpu, since);
	for (size_t i = 0; i < spans->cpus.nr && !err; i++)
		err = interrupt_spans_switch(spans, i, since);
	return err;
}

const struct interrupt_span *interrupt_spans_after(const struct interrupt_spans *spans, int32_t cpu,
						   uint64_t time, size_t *ret_nr)
{
	const struct interrupt_cpu *on;
	size_t nr;

	*ret_nr = 0;
	if (cpu < 0 || (size_t)cpu >= spans->cpus.nr)
		return NULL;
	on = &spans->cpus.items[cpu];
	nr = array_count_until(on, until, time);
	*ret_nr = on->nr - nr;
	return *ret_nr ? &on->items[nr] : NULL;
}

const char *interrupt_spans_at(const struct interrupt_spans *spans, int32_t cpu, uint64_t time)
{
	size_t nr;
	const struct interrupt_span *span = interrupt_spans_after(spans, cpu, time, &nr);

	return span && span->since <= time ? spans->names.items[span->name].text : NULL;
}
