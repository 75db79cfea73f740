// SPDX-License-Identifier: GPL-2.0
#include <ctype.h>
#include <string.h>

#include "format/print.h"
#include "lib/escape.h"
#include "lib/number.h"

static bool is_printable(const char *data, size_t len)
{
	for (size_t i = 0; i < len && data[i]; i++)
		if (!isprint((unsigned char)data[i]) && !isspace((unsigned char)data[i]))
			return false;
	return true;
}

static void print_fields_add_array(const struct tep_format_field *field,
				   const struct print_record *record, struct strbuf *out)
{
	const char *data = "";
	size_t len = 0;

	if (field->flags & TEP_FIELD_IS_DYNAMIC) {
		data = print_dynamic(record, field->offset, field->flags & TEP_FIELD_IS_RELATIVE,
				     &len);
	} else if ((size_t)field->offset <= record->size) {
		data = record->data + field->offset;
		len = (size_t)field->size < record->size - field->offset ?
			(size_t)field->size : record->size - field->offset;
	}
	if ((field->flags & TEP_FIELD_IS_STRING) && is_printable(data, len)) {
		size_t from = out->len;

		strbuf_add(out, data, strnlen(data, len));
		escape_line_ends(out, from);
		return;
	}
	strbuf_addstr(out, "ARRAY[");
	for (size_t i = 0; i < len; i++) {
		if (i)
			strbuf_addstr(out, ", ");
		number_add_hex(out, (unsigned char)data[i], 2, '0');
	}
	strbuf_addch(out, ']');
}

static void add_signed(const struct tep_format_field *field, uint64_t value, struct strbuf *out)
{
	switch (field->size) {
	case 4:
		if (field->flags & TEP_FIELD_IS_LONG) {
			strbuf_addstr(out, "0x");
			number_add_hex(out, (uint32_t)value, 0, ' ');
		} else {
			number_add_signed(out, (int32_t)value, 0, ' ');
		}
		break;
	case 2:
		number_add_signed(out, (int16_t)value, 2, ' ');
		break;
	case 1:
		number_add_signed(out, (int8_t)value, 1, ' ');
		break;
	default:
		number_add_signed(out, value, 0, ' ');
	}
}

static void print_fields_add_field(const struct tep_format_field *field,
				   const struct print_record *record, struct strbuf *out)
{
	uint64_t value;

	if (field->flags & TEP_FIELD_IS_ARRAY) {
		print_fields_add_array(field, record, out);
		return;
	}
	value = print_read_number(record, field->offset, field->size);
	if (!(field->flags & TEP_FIELD_IS_POINTER) && (field->flags & TEP_FIELD_IS_SIGNED)) {
		add_signed(field, value, out);
	} else if (field->flags & (TEP_FIELD_IS_POINTER | TEP_FIELD_IS_LONG)) {
		strbuf_addstr(out, "0x");
		number_add_hex(out, value, 0, ' ');
	} else {
		number_add_unsigned(out, value, 0, ' ');
	}
}

void print_fields_add_number(const struct tep_event *event, size_t number,
			     const struct print_record *record, struct strbuf *out)
{
	const struct tep_format_field *field = event->format.fields;

	while (field && number--)
		field = field->next;
	if (field)
		print_fields_add_field(field, record, out);
}

void print_fields_add(const struct tep_event *event, const struct print_record *record,
		      struct strbuf *out)
{
		for (const struct tep_format_field *f = event->format.fields; f; f = f->next) {
		strbuf_addch(out, ' ');
		strbuf_addstr(out, f->name);
		strbuf_addch(out, '=');
		print_fields_add_field(f, record, out);
	}
}
