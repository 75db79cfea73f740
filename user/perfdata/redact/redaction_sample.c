// SPDX-License-Identifier: GPL-2.0
#include <stdlib.h>
#include <string.h>

#include "perfdata/redact/redaction_state.h"
#include "record/common_field.h"
#include "record/sample.h"

/* The payload of a tracepoint, while the known parts are copied to it. */
struct raw_payload {
	struct redaction *redaction;
	const struct event_format *format;
	const char *from;	/* as recorded */
	char *to;		/* blank at first */
	size_t size;		/* without the trailer */
};

static bool field_is_text(const struct field *field)
{
	return field->kind == FIELD_STRING || field->kind == FIELD_DYNAMIC_STRING ||
	       field->kind == FIELD_REL_STRING;
}

static bool field_is_dynamic(const struct field *field)
{
	return field->kind >= FIELD_DYNAMIC_STRING;
}

/* Bytes of any meaning.  Arrays of larger elements are known to be numbers. */
static bool field_is_bytes(const struct field *field)
{
	return field->kind != FIELD_INTEGER && !field_is_text(field) && field->element_size <= 1;
}

static void copy_part(const struct raw_payload *raw, size_t at, size_t size)
{
	if (at <= raw->size && size <= raw->size - at)
		memcpy(raw->to + at, raw->from + at, size);
}

/*
 * Find the bytes of a field.  A field "char x[]" without a size extends to the end.  Returns false
 * if they are outside of the record.
 */
static bool find_bytes(const struct raw_payload *raw, const struct field *field, size_t *ret_at,
		       size_t *ret_size)
{
	size_t at = field->offset, size = field->size;
	uint32_t where;

	if (field_is_dynamic(field)) {
		if (at > raw->size || raw->size - at < sizeof(where))
			return false;
		memcpy(&where, raw->from + at, sizeof(where));
		at = (field->kind >= FIELD_REL_STRING ? at + sizeof(where) : 0) + (where & 0xffff);
		size = where >> 16;
	}
	if (at > raw->size)
		return false;
	if (!size && !field_is_dynamic(field))
		size = raw->size - at;
	*ret_at = at;
	*ret_size = size < raw->size - at ? size : raw->size - at;
	return true;
}

static struct error *redact_text(const struct raw_payload *raw, const struct field *field)
{
	size_t at, size;

	if (!find_bytes(raw, field, &at, &size))
		return NULL;
	memcpy(raw->to + at, raw->from + at, size);
	return redaction_replace(raw->redaction, 0, raw->format, field, raw->to + at, size);
}

/*
 * Numbers are copied first and texts last, so that a text is redacted even where another field
 * claims the same bytes.
 */
static struct error *redact_fields(const struct raw_payload *raw)
{
	const struct event_format *format = raw->format;
	struct error *err = NULL;
	size_t at, size;

	for (size_t i = 0; i < format->nr_fields; i++) {
		const struct field *field = &format->fields[i];

		if (field->kind == FIELD_INTEGER || field_is_dynamic(field))
			copy_part(raw, field->offset, field->size);
		if (field->kind == FIELD_INTEGER || field_is_text(field) ||
		    !find_bytes(raw, field, &at, &size))
			continue;
		if (!field_is_bytes(field) || !redaction_wants_field(raw->redaction, format, field))
			copy_part(raw, at, size);
	}
	for (size_t i = 0; i < format->nr_fields && !err; i++)
		if (field_is_text(&format->fields[i]))
			err = redact_text(raw, &format->fields[i]);
	return err;
}

/* The trailer of common fields: only fields that are known to be numbers are kept. */
static struct error *redact_trailer(struct redaction *redaction, const struct event *event,
				    const char *from, char *to)
{
	struct error *err = NULL;

	for (size_t i = 0; i < event->common.nr && !err; i++) {
		const struct common_slot *slot = &event->common.items[i];

		memcpy(to + slot->offset, from + slot->offset, slot->size);
		if (slot->type == COMMON_TEXT)
			err = redaction_replace(redaction, REDACT_COMM, NULL, NULL,
						to + slot->offset, slot->size);
	}
	return err;
}

static struct error *redact_raw(struct redaction *redaction, const struct event *event,
				const struct sample *sample)
{
	const struct event_format *format = event->attr.type == PERF_TYPE_TRACEPOINT ?
		formats_find(redaction->formats, event->attr.config) : NULL;
	uint32_t size = common_field_raw_size(event, sample);
	_cleanup_free_ char *from = malloc(sample->raw_size + 1);
	struct raw_payload raw = {
		redaction, format, from, (char *)sample->raw, size,
	};
	struct error *err = NULL;

	if (!from)
		return &error_no_memory;
	memcpy(from, sample->raw, sample->raw_size);
	/* The padding of the payload to 8 bytes is blanked, too. */
	memset(raw.to, 0, sample->raw_size);
	if (format)
		err = redact_fields(&raw);
	else
		redaction->unknown_raw++;
	if (!err && size < sample->raw_size)
		err = redact_trailer(redaction, event, from + size, raw.to + size);
	return err;
}

static void blank_registers(const uint64_t *registers, uint64_t mask)
{
	if (registers)
		memset((void *)registers, 0, __builtin_popcountll(mask) * sizeof(*registers));
}

/* The requested size precedes the bytes, and the copied size follows them. */
static void blank_stack(const struct sample *sample)
{
	char *stack = (char *)sample->user_stack;
	uint64_t size;

	memcpy(&size, stack - sizeof(size), sizeof(size));
	memset(stack, 0, size + sizeof(size));
}

struct error *redaction_sample(struct redaction *redaction, struct perf_event_header *header,
			       bool *ret_known)
{
	const struct event *event = event_list_find_record(redaction->events, header);
	struct sample sample;

	*ret_known = event && sample_decode(event, header, &sample);
	if (!*ret_known)
		return NULL;
	redaction_blank_frames(redaction, (uint64_t *)sample.callchain, sample.nr_callchain);
	if (sample.user_stack) {
		blank_stack(&sample);
		redaction->stacks++;
	}
	if (sample.user_regs || sample.intr_regs) {
		blank_registers(sample.user_regs, event->attr.sample_regs_user);
		blank_registers(sample.intr_regs, event->attr.sample_regs_intr);
		redaction->registers++;
	}
	return sample.raw ? redact_raw(redaction, event, &sample) : NULL;
}
