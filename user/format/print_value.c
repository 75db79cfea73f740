// SPDX-License-Identifier: GPL-2.0
#include "format/print_value.h"

#include <stdlib.h>
#include <string.h>

enum op {
	OP_CONSTANT, OP_FIELD, OP_ELEMENT, OP_DYNAMIC_ELEMENT, OP_DYNAMIC_LENGTH, OP_MASK,
	OP_CONDITION, OP_NOT, OP_COMPLEMENT, OP_OR, OP_OR_ELSE, OP_AND,
	OP_AND_THEN, OP_XOR, OP_LESS, OP_LESS_EQUAL, OP_SHIFT_LEFT, OP_GREATER, OP_GREATER_EQUAL,
	OP_SHIFT_RIGHT, OP_EQUAL, OP_NOT_EQUAL, OP_ADD, OP_SUBTRACT, OP_MULTIPLY, OP_DIVIDE,
	OP_REMAINDER,
};

struct print_value {
	enum op op;
	uint8_t size;		/* of the field or element, bytes */
	bool relative;		/* a __rel_loc */
	uint32_t offset;
	uint64_t constant;	/* or the mask of a cast */
	struct print_value *left, *right, *third;
};

uint64_t print_read_number(const struct print_record *record, size_t offset, size_t size)
{
	const char *p;
	uint64_t value;
	uint32_t word;
	uint16_t half;

	if (offset > record->size || size > record->size - offset)
		return 0;
	p = record->data + offset;
	switch (size) {
	case 1:
		return *(const uint8_t *)p;
	case 2:
		memcpy(&half, p, 2);
		return record->swapped ? __builtin_bswap16(half) : half;
	case 4:
		memcpy(&word, p, 4);
		return record->swapped ? __builtin_bswap32(word) : word;
	case 8:
		memcpy(&value, p, 8);
		return record->swapped ? __builtin_bswap64(value) : value;
	default:
		return 0;
	}
}

struct tep_format_field *print_find_field(struct tep_event *event,
					  const struct tep_print_arg *arg)
{
	return arg->field.field ? arg->field.field : tep_find_any_field(event, arg->field.name);
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

static struct print_value *create(enum op op)
{
	struct print_value *value = calloc(1, sizeof(*value));

	if (value)
		value->op = op;
	return value;
}

static struct print_value *create_constant(uint64_t constant)
{
	struct print_value *value = create(OP_CONSTANT);

	if (value)
		value->constant = constant;
	return value;
}

static struct print_value *create_field(const struct tep_format_field *field)
{
	struct print_value *value = field ? create(OP_FIELD) : NULL;

	if (value) {
		value->offset = field->offset;
		value->size = field->size;
	}
	return value;
}

static struct print_value *create_dynamic_length(const struct tep_format_field *field)
{
	struct print_value *value = field ? create(OP_DYNAMIC_LENGTH) : NULL;

	if (value)
		value->offset = field->offset;
	return value;
}

/* The mask of a cast to @type, 0: it changes nothing. */
static uint64_t cast_mask(const char *type)
{
	static const struct {
		const char *type;
		uint64_t mask;
	} masks[] = {
		{ "u8", 0xff }, { "s8", 0xff }, { "char", 0xff },
		{ "u16", 0xffff }, { "s16", 0xffff }, { "short", 0xffff },
		{ "u32", 0xffffffff }, { "s32", 0xffffffff }, { "int", 0xffffffff },
	};

	if (!strncmp(type, "unsigned ", 9))
		type += 9;
	for (size_t i = 0; i < sizeof(masks) / sizeof(masks[0]); i++)
		if (!strcmp(masks[i].type, type))
			return masks[i].mask;
	return 0;
}

static struct print_value *create_cast(struct print_value *of, const char *type, size_t len)
{
	char name[64];
	struct print_value *value;
	uint64_t mask = 0;

	if (!of)
		return NULL;
	if (len < sizeof(name)) {
		memcpy(name, type, len);
		name[len] = '\0';
		mask = cast_mask(name);
	}
	if (!mask)
		return of;
	value = create(OP_MASK);
	if (!value) {
		print_value_destroy(of);
		return NULL;
	}
	value->constant = mask;
	value->left = of;
	return value;
}

/* array[index], the array perhaps cast to a pointer of another type. */
static struct print_value *create_element(struct tep_event *event,
					  const struct tep_print_arg *arg)
{
	const struct tep_print_arg *array = arg->op.left, *cast = NULL;
	const struct tep_format_field *field;
	struct print_value *value;
	size_t len;

	while (array->type == TEP_PRINT_TYPE) {
		if (!cast)
			cast = array;
		array = array->typecast.item;
	}
	if (array->type == TEP_PRINT_DYNAMIC_ARRAY) {
		field = array->dynarray.field;
		value = create(OP_DYNAMIC_ELEMENT);
	} else if (array->type == TEP_PRINT_FIELD) {
		field = print_find_field(event, array);
		value = create(OP_ELEMENT);
	} else {
		return NULL;
	}
	if (!value || !field) {
		print_value_destroy(value);
		return NULL;
	}
	value->offset = field->offset;
	value->relative = field->flags & TEP_FIELD_IS_RELATIVE;
	value->size = field->elementsize ? field->elementsize : (unsigned int)
		tep_get_long_size(event->tep);
	value->right = print_value_create(event, arg->op.right);
	if (!value->right) {
		print_value_destroy(value);
		return NULL;
	}
	if (!cast)
		return value;
	/* "type *" */
	len = strlen(cast->typecast.type);
	return len > 2 && cast->typecast.type[len - 1] == '*' ?
		create_cast(value, cast->typecast.type, len - 2) : value;
}

static const struct {
	char text[3];
	uint8_t op;
} operators[] = {
	{ "|", OP_OR }, { "||", OP_OR_ELSE }, { "&", OP_AND }, { "&&", OP_AND_THEN },
	{ "^", OP_XOR }, { "<", OP_LESS }, { "<=", OP_LESS_EQUAL }, { "<<", OP_SHIFT_LEFT },
	{ ">", OP_GREATER }, { ">=", OP_GREATER_EQUAL }, { ">>", OP_SHIFT_RIGHT },
	{ "==", OP_EQUAL }, { "!=", OP_NOT_EQUAL }, { "+", OP_ADD }, { "-", OP_SUBTRACT },
	{ "*", OP_MULTIPLY }, { "/", OP_DIVIDE }, { "%", OP_REMAINDER }, { "!", OP_NOT },
	{ "~", OP_COMPLEMENT },
};

static bool find_operator(const char *text, enum op *ret)
{
	for (size_t i = 0; i < sizeof(operators) / sizeof(operators[0]); i++) {
		if (!strcmp(operators[i].text, text)) {
			*ret = operators[i].op;
			return true;
		}
	}
	return false;
}

static struct print_value *create_condition(struct tep_event *event,
					    const struct tep_print_arg *arg)
{
	const struct tep_print_arg *branches = arg->op.right;
	struct print_value *value;

	if (!branches || branches->type != TEP_PRINT_OP)
		return NULL;
	value = create(OP_CONDITION);
	if (!value)
		return NULL;
	value->third = print_value_create(event, arg->op.left);
	value->left = print_value_create(event, branches->op.left);
	value->right = print_value_create(event, branches->op.right);
	if (!value->third || !value->left || !value->right) {
		print_value_destroy(value);
		return NULL;
	}
	return value;
}

static struct print_value *create_operation(struct tep_event *event,
					    const struct tep_print_arg *arg)
{
	struct print_value *value;
	enum op op;

	if (!strcmp(arg->op.op, "[")) {
		value = create_element(event, arg);
		return value;
	}
	if (!strcmp(arg->op.op, "?"))
		return create_condition(event, arg);
	if (!find_operator(arg->op.op, &op))
		return NULL;
	value = create(op);
	if (!value)
		return NULL;
	/* "!x", "~x" and "-x" have no left side, which counts as 0. */
	if (op != OP_NOT && op != OP_COMPLEMENT) {
		value->left = arg->op.left && arg->op.left->type != TEP_PRINT_NULL ?
			print_value_create(event, arg->op.left) : create_constant(0);
		if (!value->left) {
			print_value_destroy(value);
			return NULL;
		}
	}
	value->right = print_value_create(event, arg->op.right);
	if (!value->right) {
		print_value_destroy(value);
		return NULL;
	}
	return value;
}

struct print_value *print_value_create(struct tep_event *event, const struct tep_print_arg *arg)
{
	const char *type;

	if (!arg)
		return NULL;
	switch (arg->type) {
	case TEP_PRINT_ATOM:
		return create_constant(strtoll(arg->atom.atom, NULL, 0));
	case TEP_PRINT_FIELD:
		return create_field(print_find_field(event, arg));
	case TEP_PRINT_TYPE:
		type = arg->typecast.type;
		return create_cast(print_value_create(event, arg->typecast.item), type,
				   strlen(type));
	case TEP_PRINT_OP:
		return create_operation(event, arg);
	case TEP_PRINT_DYNAMIC_ARRAY_LEN:
		return create_dynamic_length(arg->dynarray.field);
	case TEP_PRINT_NULL:
	case TEP_PRINT_FLAGS:
	case TEP_PRINT_SYMBOL:
	case TEP_PRINT_INT_ARRAY:
	case TEP_PRINT_HEX:
	case TEP_PRINT_HEX_STR:
	case TEP_PRINT_STRING:
	case TEP_PRINT_BSTRING:
	case TEP_PRINT_BITMASK:
	case TEP_PRINT_CPUMASK:
		/* As a number, a text is 0. */
		return create_constant(0);
	default:
		/* The address of an array, or a function: nothing a recording has. */
		return NULL;
	}
}

static uint64_t get_element(const struct print_value *v, const struct print_record *record)
{
	uint64_t index = print_value_get(v->right, record);

	return print_read_number(record, v->offset + index * v->size, v->size);
}

/* perf takes the index of a dynamic array for bytes; so do we. */
static uint64_t get_dynamic_element(const struct print_value *v,
				    const struct print_record *record)
{
	uint64_t at = print_read_number(record, v->offset, 4) & 0xffff;

	if (v->relative)
		at += v->offset + 4;
	return print_read_number(record, at + print_value_get(v->right, record), v->size);
}

uint64_t print_value_get(const struct print_value *v, const struct print_record *record)
{
	uint64_t a, b;

	switch (v->op) {
	case OP_CONSTANT:
		return v->constant;
	case OP_FIELD:
		return print_read_number(record, v->offset, v->size);
	case OP_ELEMENT:
		return get_element(v, record);
	case OP_DYNAMIC_ELEMENT:
		return get_dynamic_element(v, record);
	case OP_DYNAMIC_LENGTH:
		return print_read_number(record, v->offset, 4) >> 16;
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
