// SPDX-License-Identifier: GPL-2.0
#include "format/print.h"

#include <stdlib.h>
#include <string.h>

#include "lib/escape.h"
#include "lib/number.h"

enum kind {
	TEXT_NOTHING, TEXT_LITERAL, TEXT_ARRAY, TEXT_ADDRESS, TEXT_FLAGS, TEXT_SYMBOL, TEXT_HEX,
	TEXT_NUMBERS, TEXT_DYNAMIC, TEXT_BITMASK, TEXT_CPUS, TEXT_CONDITION,
};

struct name {
	uint64_t value;
	const char *text;
	size_t len;
};

struct print_text {
	enum kind kind;
	bool relative;			/* a __rel_loc */
	bool no_blanks;			/* of hex bytes */
	uint32_t offset, size;
	const char *literal;		/* or the delimiter of flags; borrowed from the tree */
	size_t literal_len;
	struct name *names;		/* of flags and symbols; texts borrowed */
	size_t nr_names;
	struct print_bytes bytes;
	struct print_value *value;	/* the number shown, the condition, the count */
	struct print_value *element;	/* bytes per element */
	struct print_text *left, *right;
};

void print_text_destroy(struct print_text *text)
{
	if (!text)
		return;
	free(text->names);
	print_value_destroy(text->value);
	print_value_destroy(text->element);
	print_text_destroy(text->left);
	print_text_destroy(text->right);
	free(text);
}

static bool print_text_take_names(struct print_text *text, const struct print_name *from)
{
	size_t nr = 0;

	for (const struct print_name *p = from; p; p = p->next)
		nr++;
	text->names = calloc(nr + 1, sizeof(*text->names));
	if (!text->names)
		return false;
	for (; from; from = from->next) {
		/* perf takes every macro and every negative number for -1. */
		uint64_t value = from->is_number && from->value >= 0 ? (uint64_t)from->value :
								       UINT64_MAX;

		text->names[text->nr_names++] = (struct name){
			value, from->text, strlen(from->text),
		};
	}
	return true;
}

static bool take_field(const struct print_target *target, const char *name,
		       struct print_text *text)
{
	const struct field *field = event_format_field(target->format, name);

	if (!field)
		return false;
	text->offset = field->offset;
	text->size = field->size;
	text->kind = TEXT_ARRAY;
	if (field->kind == FIELD_INTEGER && field->size == target->long_size)
		text->kind = TEXT_ADDRESS;
	return true;
}

static bool take_dynamic(const struct print_target *target, const char *name, enum kind kind,
			 struct print_text *text)
{
	const struct field *field = event_format_field(target->format, name);

	if (!field)
		return false;
	text->kind = kind;
	text->offset = field->offset;
	text->relative = field->kind >= FIELD_REL_STRING;
	return true;
}

static bool take_condition(const struct print_target *target, const struct print_node *node,
			   struct print_text *text)
{
	/* The condition is the only operation on strings; other operations print nothing. */
	text->kind = TEXT_NOTHING;
	if (node->op != '?' || node->b->op != ':')
		return true;
	text->kind = TEXT_CONDITION;
	text->value = print_value_create(target, node->a);
	text->left = print_text_create(target, node->b->a);
	text->right = print_text_create(target, node->b->b);
	return text->value && text->left && text->right;
}

static void take_literal(struct print_text *text, enum kind kind, const char *literal)
{
	text->kind = kind;
	text->literal = literal;
	text->literal_len = strlen(literal);
}

static bool print_text_take(const struct print_target *target, const struct print_node *node,
			    struct print_text *text)
{
	switch (node->kind) {
	case PRINT_ATOM:
		take_literal(text, TEXT_LITERAL, node->text);
		return true;
	case PRINT_FIELD:
		return take_field(target, node->text, text);
	case PRINT_FLAGS:
		take_literal(text, TEXT_FLAGS, node->text);
		text->value = print_value_create(target, node->a);
		return text->value && print_text_take_names(text, node->names);
	case PRINT_SYMBOL:
		text->kind = TEXT_SYMBOL;
		text->value = print_value_create(target, node->a);
		return text->value && print_text_take_names(text, node->names);
	case PRINT_HEX:
	case PRINT_HEX_STRING:
		text->kind = TEXT_HEX;
		text->no_blanks = node->kind == PRINT_HEX_STRING;
		text->value = print_value_create(target, node->b);
		return text->value && print_bytes_of(target, node->a, &text->bytes);
	case PRINT_ARRAY:
		text->kind = TEXT_NUMBERS;
		text->value = print_value_create(target, node->b);
		text->element = print_value_create(target, node->c);
		return text->value && text->element &&
			print_bytes_of(target, node->a, &text->bytes);
	case PRINT_STRING:
		return take_dynamic(target, node->text, TEXT_DYNAMIC, text);
	case PRINT_BITMASK:
		return take_dynamic(target, node->text, TEXT_BITMASK, text);
	case PRINT_CPUMASK:
		return take_dynamic(target, node->text, TEXT_CPUS, text);
	case PRINT_OPERATION:
		return take_condition(target, node, text);
	default:
		text->kind = TEXT_NOTHING;
		return true;
	}
}

struct print_text *print_text_create(const struct print_target *target,
				     const struct print_node *node)
{
	struct print_text *text = calloc(1, sizeof(*text));

	if (text && !print_text_take(target, node, text)) {
		print_text_destroy(text);
		return NULL;
	}
	return text;
}

static void print_placed_add(const char *data, size_t len, const struct print_width *width,
			     struct strbuf *out)
{
	size_t fill;

	if (width->precision >= 0 && len > (size_t)width->precision)
		len = width->precision;
	fill = width->width > 0 && (size_t)width->width > len ? width->width - len : 0;
	if (!strbuf_reserve(out, len + fill))
		return;
	if (!width->left) {
		memset(out->data + out->len, ' ', fill);
		out->len += fill;
	}
	memcpy(out->data + out->len, data, len);
	out->len += len;
	if (width->left) {
		memset(out->data + out->len, ' ', fill);
		out->len += fill;
	}
	out->data[out->len] = '\0';
}

const char *print_dynamic(const struct print_record *record, size_t offset, bool relative,
			  size_t *ret_len)
{
	uint32_t where = print_read_number(record, offset, 4);
	size_t at = where & 0xffff, len = where >> 16;

	if (relative)
		at += offset + 4;
	if (at > record->size) {
		*ret_len = 0;
		return "";
	}
	*ret_len = len < record->size - at ? len : record->size - at;
	return record->data + at;
}

/* A string ends at its NUL, even inside its array. */
static void add_dynamic(const struct print_text *text, const struct print_record *record,
			const struct print_width *width, struct strbuf *out)
{
	size_t len, rest, from = out->len;
	const char *data = print_dynamic(record, text->offset, text->relative, &len);

	rest = data >= record->data && data <= record->data + record->size ?
		(size_t)(record->data + record->size - data) : 0;
	print_placed_add(data, strnlen(data, rest), width, out);
	escape_line_ends(out, from);
}

static void print_text_add_array(const struct print_text *text, const struct print_record *record,
				 const struct print_width *width, struct strbuf *out)
{
	size_t size = text->size, from = out->len;

	if (text->offset > record->size)
		return;
	if (!size || size > record->size - text->offset)
		size = record->size - text->offset;
	print_placed_add(record->data + text->offset,
			 strnlen(record->data + text->offset, size), width, out);
	escape_line_ends(out, from);
}

static void print_text_add_number(struct strbuf *out, uint64_t value)
{
	strbuf_add(out, "0x", 2);
	number_add_hex(out, value, 0, ' ');
}

static void add_flags(const struct print_text *text, uint64_t value,
		      const struct print_width *width, struct strbuf *out)
{
	bool any = false;

	for (size_t i = 0; i < text->nr_names; i++) {
		const struct name *name = &text->names[i];

		/* perf shows a flag that is not positive if no other one is set. */
		if (!value && (int64_t)name->value < 0) {
			print_placed_add(name->text, name->len, width, out);
			break;
		}
		if ((int64_t)name->value <= 0 || (value & name->value) != name->value)
			continue;
		if (any)
			strbuf_add(out, text->literal, text->literal_len);
		print_placed_add(name->text, name->len, width, out);
		any = true;
		value &= ~name->value;
	}
	if (!value)
		return;
	if (any)
		strbuf_add(out, text->literal, text->literal_len);
	print_text_add_number(out, value);
}

static void print_text_add_symbol(const struct print_text *text, uint64_t value,
				  const struct print_width *width, struct strbuf *out)
{
	for (size_t i = 0; i < text->nr_names; i++) {
		if (text->names[i].value == value) {
			print_placed_add(text->names[i].text, text->names[i].len, width, out);
			return;
		}
	}
	print_text_add_number(out, value);
}

static void print_text_add_hex(const struct print_text *text, const struct print_record *record,
			       struct strbuf *out)
{
	int32_t count = print_value_get(text->value, record);
	size_t rest;
	const char *data = print_bytes_find(&text->bytes, record, &rest);

	for (int32_t i = 0; i < count && (size_t)i < rest; i++) {
		if (i && !text->no_blanks)
			strbuf_addch(out, ' ');
		number_add_hex(out, (unsigned char)data[i], 2, '0');
	}
}

static void add_numbers(const struct print_text *text, const struct print_record *record,
			struct strbuf *out)
{
	int32_t count = print_value_get(text->value, record);
	uint64_t size = print_value_get(text->element, record);
	struct print_record array = { .swapped = record->swapped };

	array.data = print_bytes_find(&text->bytes, record, &array.size);
	for (int32_t i = 0; i < count; i++) {
		if ((i + 1) * size > array.size || !size)
			return;
		if (i)
			strbuf_addch(out, ' ');
		number_add_unsigned(out, print_read_number(&array, i * size, size), 0, ' ');
	}
}

/* Append "ff,00000001": groups of 32 bits, the highest first. */
static void add_bitmask(const struct print_text *text, const struct print_record *record,
			const struct print_width *width, struct strbuf *out)
{
	_cleanup_(strbuf) struct strbuf digits = STRBUF_INIT;
	size_t size;
	const char *data = print_dynamic(record, text->offset, text->relative, &size);

	for (size_t i = size; i-- > 0; ) {
		/* The bitmask consists of words of 4 bytes in the byte order of the recording. */
		size_t at = record->swapped ? (i & ~(size_t)3) + (3 - (i & 3)) : i;

		number_add_hex(&digits, at < size ? (unsigned char)data[at] : 0, 2, '0');
		if (i && i % 4 == 0)
			strbuf_addch(&digits, ',');
	}
	print_placed_add(strbuf_str(&digits), digits.len, width, out);
}

static bool has_bit(const char *data, size_t bit)
{
	return data[bit / 8] & (1 << bit % 8);
}

/* Append the numbers of the CPUs, "0-3,7". */
static void add_cpus(const struct print_text *text, const struct print_record *record,
		     const struct print_width *width, struct strbuf *out)
{
	_cleanup_(strbuf) struct strbuf list = STRBUF_INIT;
	size_t size;
	const char *data = print_dynamic(record, text->offset, text->relative, &size);

	for (size_t bit = 0; bit < size * 8; bit++) {
		size_t last = bit;

		if (!has_bit(data, bit))
			continue;
		while (last + 1 < size * 8 && has_bit(data, last + 1))
			last++;
		if (list.len)
			strbuf_addch(&list, ',');
		number_add_unsigned(&list, bit, 0, ' ');
		if (last > bit) {
			strbuf_addch(&list, '-');
			number_add_unsigned(&list, last, 0, ' ');
		}
		bit = last;
	}
	print_placed_add(strbuf_str(&list), list.len, width, out);
}

static void print_text_add_address(const struct print_text *text, const struct print_record *record,
				   print_address_fn known, void *context, struct strbuf *out)
{
	uint64_t address = print_read_number(record, text->offset, text->size);
	const char *found = known(context, address);

	if (found)
		strbuf_addstr(out, found);
	else
		number_add_hex(out, address, 0, ' ');
}

bool print_text_asks(const struct print_text *text)
{
	return text->kind == TEXT_ADDRESS ||
	       (text->kind == TEXT_CONDITION &&
		(print_text_asks(text->left) || print_text_asks(text->right)));
}

void print_text_add(const struct print_text *text, const struct print_record *record,
		    const struct print_width *width, print_address_fn known, void *context,
		    struct strbuf *out)
{
	switch (text->kind) {
	case TEXT_NOTHING:
		break;
	case TEXT_LITERAL:
		print_placed_add(text->literal, text->literal_len, width, out);
		break;
	case TEXT_ARRAY:
		print_text_add_array(text, record, width, out);
		break;
	case TEXT_ADDRESS:
		print_text_add_address(text, record, known, context, out);
		break;
	case TEXT_FLAGS:
		add_flags(text, print_value_get(text->value, record), width, out);
		break;
	case TEXT_SYMBOL:
		print_text_add_symbol(text, print_value_get(text->value, record), width, out);
		break;
	case TEXT_HEX:
		print_text_add_hex(text, record, out);
		break;
	case TEXT_NUMBERS:
		add_numbers(text, record, out);
		break;
	case TEXT_DYNAMIC:
		add_dynamic(text, record, width, out);
		break;
	case TEXT_BITMASK:
		add_bitmask(text, record, width, out);
		break;
	case TEXT_CPUS:
		add_cpus(text, record, width, out);
		break;
	case TEXT_CONDITION:
		print_text_add(print_value_get(text->value, record) ? text->left : text->right,
			       record, width, known, context, out);
		break;
	}
}
