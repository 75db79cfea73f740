// SPDX-License-Identifier: GPL-2.0
#include "columns/event_values.h"

#include <stdio.h>
#include <string.h>

#include "record/common_field.h"

enum event_value_type event_value_type(const struct field *field)
{
	switch (field->kind) {
	case FIELD_INTEGER:
		return field_of_data(field)->is_signed ? EVENT_VALUE_SIGNED : EVENT_VALUE_UNSIGNED;
	case FIELD_STRING:
	case FIELD_DYNAMIC_STRING:
	case FIELD_REL_STRING:
		return EVENT_VALUE_TEXT;
	default:
		return EVENT_VALUE_BYTES;
	}
}

static void read_event_field(const struct event_values *values, const struct field *field,
			     struct event_value *ret)
{
	const void *raw = values->r->sample.raw;

	*ret = (struct event_value){
		.name = field->name, .type = event_value_type(field), .bytes = "",
		.is_swapped = field->is_swapped,
	};
	if (field->kind == FIELD_INTEGER) {
		ret->number = field_u64(field_of_data(field), raw, values->raw_size);
		return;
	}
	ret->bytes = field_bytes(field, raw, values->raw_size, &ret->len);
	if (ret->bytes)
		return;
	ret->bytes = "";
	ret->len = 0;
}

static void read_added_field(struct event_values *values, const struct common_slot *slot,
			     struct event_value *ret)
{
	const char *bytes = common_slot_bytes(values->r->event, &values->r->sample, slot);

	snprintf(values->name, sizeof(values->name), "common_%s", slot->name);
	*ret = (struct event_value){ .name = values->name, .bytes = "" };
	if (slot->type == COMMON_TEXT) {
		ret->type = EVENT_VALUE_TEXT;
		ret->bytes = bytes ? bytes : "";
		ret->len = bytes ? strnlen(bytes, slot->size) : 0;
		return;
	}
	ret->type = slot->type == COMMON_SIGNED ? EVENT_VALUE_SIGNED : EVENT_VALUE_UNSIGNED;
	ret->number = bytes ? common_slot_number(bytes) : 0;
}

void event_values_begin(struct event_values *values, const struct session_record *r)
{
	values->r = r;
	values->at = r->format ? r->format->nr_common : 0;
	values->raw_size = r->format ? common_field_raw_size(r->event, &r->sample) : 0;
}

bool event_values_next(struct event_values *values, struct event_value *ret)
{
	const struct event_format *format = values->r->format;
	size_t added;

	if (!format)
		return false;
	if (values->at < format->nr_fields) {
		read_event_field(values, &format->fields[values->at++], ret);
		return true;
	}
	added = values->at - format->nr_fields;
	if (added >= values->r->event->common.nr)
		return false;
	values->at++;
	read_added_field(values, &values->r->event->common.items[added], ret);
	return true;
}
