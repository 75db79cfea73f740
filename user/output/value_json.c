// SPDX-License-Identifier: GPL-2.0
#include "output/value_json.h"

#include "lib/number.h"

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

void value_json_add_all(struct json_writer *json, const struct session_record *r)
{
	struct event_values values;
	struct event_value value;

	event_values_begin(&values, r);
	while (event_values_next(&values, &value))
		value_json_add(json, value.name, &value);
}
