// SPDX-License-Identifier: GPL-2.0
#include "format/print_value.h"

#include <stdlib.h>
#include <string.h>

#include "format/print_token.h"

enum op {
	OP_CONSTANT, OP_FIELD, OP_ELEMENT, OP_DYNAMIC_LENGTH, OP_MASK,
	OP_CONDITION, OP_NOT, OP_COMPLEMENT, OP_OR, OP_OR_ELSE, OP_AND,
	OP_AND_THEN, OP_XOR, OP_LESS, OP_LESS_EQUAL, OP_SHIFT_LEFT, OP_GREATER, OP_GREATER_EQUAL,
	OP_SHIFT_RIGHT, OP_EQUAL, OP_NOT_EQUAL, OP_ADD, OP_SUBTRACT, OP_MULTIPLY, OP_DIVIDE,
	OP_REMAINDER,
};

struct print_value {
	enum op op;
	uint8_t size;		/* of the field or element, bytes */
	struct print_bytes bytes;	/* its location; for fields only the offset */
	uint64_t constant;	/* or the mask of a cast */
	struct print_value *left, *right, *third;
};

static bool is_dynamic(const struct field *field)
{
	return field->kind >= FIELD_DYNAMIC_STRING;
}

static bool is_relative(const struct field *field)
{
	return field->kind >= FIELD_REL_STRING;
}

bool print_bytes_of(const struct print_target *target, const struct print_node *node,
		    struct print_bytes *ret)
{
	const struct field *field;

	while (node->kind == PRINT_CAST)
		node = node->a;
	if (node->kind != PRINT_DYNAMIC && node->kind != PRINT_FIELD)
		return false;
	field = event_format_field(target->format, node->text);
	if (!field || (node->kind == PRINT_DYNAMIC && !is_dynamic(field)))
		return false;
	*ret = (struct print_bytes){
		.is_dynamic = node->kind == PRINT_DYNAMIC,
		.is_relative = is_relative(field),
		.offset = field->offset,
	};
	return true;
}

const char *print_bytes_find(const struct print_bytes *bytes, const struct print_record *record,
			     size_t *ret_rest)
{
	size_t at = bytes->offset;

	if (bytes->is_dynamic) {
		at = print_read_number(record, bytes->offset, 4) & 0xffff;
		if (bytes->is_relative)
			at += bytes->offset + 4;
	}
	*ret_rest = at < record->size ? record->size - at : 0;
	return record->data + (at < record->size ? at : 0);
}

void print_value_destroy(struct print_value *value)
{
	if (!value)
		return;
	print_value_destroy(value->left);
	print_value_destroy(value->right);
	print_value_destroy(value->third);
	free(value);
}

static struct print_value *value_create(enum op op)
{
	struct print_value *value = calloc(1, sizeof(*value));

	if (value)
		value->op = op;
	return value;
}

static struct print_value *create_constant(uint64_t constant)
{
	struct print_value *value = value_create(OP_CONSTANT);

	if (value)
		value->constant = constant;
	return value;
}

static struct print_value *create_field(const struct print_target *target, const char *name)
{
	const struct field *field = event_format_field(target->format, name);
	struct print_value *value = field ? value_create(OP_FIELD) : NULL;

	if (value) {
		value->bytes.offset = field->offset;
		value->size = field->size <= 8 ? field->size : 0;
	}
	return value;
}

static struct print_value *create_dynamic_length(const struct print_target *target,
						 const char *name)
{
	const struct field *field = event_format_field(target->format, name);
	struct print_value *value =
		field && is_dynamic(field) ? value_create(OP_DYNAMIC_LENGTH) : NULL;

	if (value)
		value->bytes.offset = field->offset;
	return value;
}

static struct print_value *create_cast(struct print_value *of, const char *type, size_t len)
{
	uint64_t mask = print_cast_mask(type, len);
	struct print_value *value;

	if (!of || !mask)
		return of;
	value = value_create(OP_MASK);
	if (!value) {
		print_value_destroy(of);
		return NULL;
	}
	value->constant = mask;
	value->left = of;
	return value;
}

/* An element with a constant index in a fixed array is read like a field. */
static void store_element(struct print_value *value)
{
	uint64_t index = value->right->constant;

	if (value->right->op != OP_CONSTANT || value->bytes.is_dynamic || index > UINT16_MAX)
		return;
	print_value_destroy(value->right);
	value->right = NULL;
	value->op = OP_FIELD;
	value->bytes.offset += index * value->size;
}

bool print_value_is_stored(const struct print_value *value, uint32_t *ret_offset,
			   uint8_t *ret_size)
{
	*ret_offset = value->bytes.offset;
	*ret_size = value->size;
	return value->op == OP_FIELD;
}

/* Compile array[index]; the array may be cast to a pointer of another type. */
static struct print_value *create_element(const struct print_target *target,
					  const struct print_node *node)
{
	const struct print_node *array = node->a, *cast = NULL;
	const struct field *field;
	struct print_value *value;
	size_t len;

	while (array->kind == PRINT_CAST) {
		if (!cast)
			cast = array;
		array = array->a;
	}
	value = value_create(OP_ELEMENT);
	if (!value)
		return NULL;
	value->right = print_value_create(target, node->b);
	if (!value->right || !print_bytes_of(target, array, &value->bytes)) {
		print_value_destroy(value);
		return NULL;
	}
	field = event_format_field(target->format, array->text);
	value->size = field->element_size <= 8 && field->element_size ? field->element_size :
									target->long_size;
	store_element(value);
	if (!cast)
		return value;
	/* "type *" */
	len = strlen(cast->text);
	return len > 2 && cast->text[len - 1] == '*' ? create_cast(value, cast->text, len - 2) :
						       value;
}

static const struct {
	int letters;
	enum op op;
} operators[] = {
	{ '|', OP_OR }, { PRINT_OP('|', '|'), OP_OR_ELSE }, { '&', OP_AND },
	{ PRINT_OP('&', '&'), OP_AND_THEN }, { '^', OP_XOR }, { '<', OP_LESS },
	{ PRINT_OP('<', '='), OP_LESS_EQUAL }, { PRINT_OP('<', '<'), OP_SHIFT_LEFT },
	{ '>', OP_GREATER }, { PRINT_OP('>', '='), OP_GREATER_EQUAL },
	{ PRINT_OP('>', '>'), OP_SHIFT_RIGHT }, { PRINT_OP('=', '='), OP_EQUAL },
	{ PRINT_OP('!', '='), OP_NOT_EQUAL }, { '+', OP_ADD }, { '-', OP_SUBTRACT },
	{ '*', OP_MULTIPLY }, { '/', OP_DIVIDE }, { '%', OP_REMAINDER }, { '!', OP_NOT },
	{ '~', OP_COMPLEMENT },
};

static bool find_operator(int letters, enum op *ret)
{
	for (size_t i = 0; i < sizeof(operators) / sizeof(operators[0]); i++) {
		if (operators[i].letters == letters) {
			*ret = operators[i].op;
			return true;
		}
	}
	return false;
}

static struct print_value *create_condition(const struct print_target *target,
					    const struct print_node *node)
{
	struct print_value *value = value_create(OP_CONDITION);

	if (!value)
		return NULL;
	value->third = print_value_create(target, node->a);
	value->left = print_value_create(target, node->b->a);
	value->right = print_value_create(target, node->b->b);
	if (!value->third || !value->left || !value->right) {
		print_value_destroy(value);
		return NULL;
	}
	return value;
}

static struct print_value *create_operation(const struct print_target *target,
					    const struct print_node *node)
{
	struct print_value *value;
	enum op op;

	if (node->op == '[')
		return create_element(target, node);
	if (node->op == '?')
		return node->b->op == ':' ? create_condition(target, node) : NULL;
	if (!find_operator(node->op, &op))
		return NULL;
	value = value_create(op);
	if (!value)
		return NULL;
	value->left = print_value_create(target, node->a);
	value->right = print_value_create(target, node->b);
	if (!value->left || !value->right) {
		print_value_destroy(value);
		return NULL;
	}
	return value;
}

struct print_value *print_value_create(const struct print_target *target,
				       const struct print_node *node)
{
	switch (node->kind) {
	case PRINT_ATOM:
		return create_constant(strtoll(node->text, NULL, 0));
	case PRINT_FIELD:
		return create_field(target, node->text);
	case PRINT_CAST:
		return create_cast(print_value_create(target, node->a), node->text,
				   strlen(node->text));
	case PRINT_OPERATION:
		return create_operation(target, node);
	case PRINT_DYNAMIC_LENGTH:
		return create_dynamic_length(target, node->text);
	case PRINT_DYNAMIC:
		/*
		 * perf would print an address in its own memory, which a recording cannot contain.
		 */
		return NULL;
	default:
		/* A string counts as the number 0. */
		return create_constant(0);
	}
}

/* As in perf, the index of a dynamic array is an offset in bytes. */
static uint64_t get_element(const struct print_value *v, const struct print_record *record)
{
	uint64_t index = print_value_get(v->right, record);
	struct print_record array = { .swapped = record->swapped };

	array.data = print_bytes_find(&v->bytes, record, &array.size);
	return print_read_number(&array, v->bytes.is_dynamic ? index : index * v->size, v->size);
}

uint64_t print_value_get(const struct print_value *v, const struct print_record *record)
{
	uint64_t a, b;

	switch (v->op) {
	case OP_CONSTANT:
		return v->constant;
	case OP_FIELD:
		return print_read_number(record, v->bytes.offset, v->size);
	case OP_ELEMENT:
		return get_element(v, record);
	case OP_DYNAMIC_LENGTH:
		return print_read_number(record, v->bytes.offset, 4) >> 16;
	case OP_MASK:
		return print_value_get(v->left, record) & v->constant;
	case OP_CONDITION:
		return print_value_get(print_value_get(v->third, record) ? v->left : v->right,
				       record);
	case OP_NOT:
		return !print_value_get(v->right, record);
	case OP_COMPLEMENT:
		return ~print_value_get(v->right, record);
	default:
		break;
	}
	a = print_value_get(v->left, record);
	b = print_value_get(v->right, record);
	switch (v->op) {
	case OP_OR:
		return a | b;
	case OP_OR_ELSE:
		return a || b;
	case OP_AND:
		return a & b;
	case OP_AND_THEN:
		return a && b;
	case OP_XOR:
		return a ^ b;
	case OP_LESS:
		return a < b;
	case OP_LESS_EQUAL:
		return a <= b;
	case OP_SHIFT_LEFT:
		return a << (b & 63);
	case OP_GREATER:
		return a > b;
	case OP_GREATER_EQUAL:
		return a >= b;
	case OP_SHIFT_RIGHT:
		return a >> (b & 63);
	case OP_EQUAL:
		return a == b;
	case OP_NOT_EQUAL:
		return a != b;
	case OP_ADD:
		return a + b;
	case OP_SUBTRACT:
		return a - b;
	case OP_MULTIPLY:
		return a * b;
	case OP_DIVIDE:
		return b ? a / b : 0;
	case OP_REMAINDER:
		return b ? a % b : 0;
	default:
		return 0;
	}
}
