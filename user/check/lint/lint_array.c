// SPDX-License-Identifier: GPL-2.0
#include <stdlib.h>
#include <string.h>

#include "check/lint/lint.h"
#include "check/lint/value_type.h"

/* Get the value of a constant; false: it depends on the record. */
static bool constant_of(const struct print_node *node, uint64_t *ret)
{
	while (node && node->kind == PRINT_CAST)
		node = node->a;
	if (!node || node->kind != PRINT_ATOM || *node->text < '0' || *node->text > '9')
		return false;
	*ret = strtoull(node->text, NULL, 0);
	return true;
}

/* Get the fixed array that @node is; NULL: it is none. */
static const struct field *fixed_array(const struct subject *s, const struct print_node *node)
{
	struct value_type type = value_type_of(s, node);

	if (type.kind != VALUE_ARRAY || !type.field || type.field->kind >= FIELD_DYNAMIC_STRING)
		return NULL;
	return type.field;
}

static void check_extent(struct subject *s, const struct argument *a, const struct field *field,
			 uint64_t count, uint64_t element)
{
	if (!field || count * element <= field->size)
		return;
	find_at(s, RULE_ARRAY_BOUNDS, field->name, a->place,
		"The print fmt reads %llu bytes of %s, which has %u",
		(unsigned long long)(count * element), field->name, field->size);
}

static void check_print_array(struct subject *s, const struct argument *a,
			      const struct print_node *node)
{
	uint64_t count, element;

	if (!constant_of(node->c, &element))
		return;
	if (element != 1 && element != 2 && element != 4 && element != 8) {
		find_at(s, RULE_ELEMENT_SIZE, NULL, a->place,
			"__print_array() gets an element size of %llu bytes",
			(unsigned long long)element);
		return;
	}
	if (constant_of(node->b, &count) && count < UINT32_MAX)
		check_extent(s, a, fixed_array(s, node->a), count, element);
}

static void check_node(struct subject *s, const struct argument *a,
		       const struct print_node *node)
{
	const struct field *field;
	uint64_t count;

	if (!node)
		return;
	switch (node->kind) {
	case PRINT_ARRAY:
		check_print_array(s, a, node);
		break;
	case PRINT_HEX:
	case PRINT_HEX_STRING:
		if (constant_of(node->b, &count) && count < UINT32_MAX)
			check_extent(s, a, fixed_array(s, node->a), count, 1);
		break;
	case PRINT_OPERATION:
		if (node->op != '[' || node->a->kind != PRINT_FIELD)
			break;
		field = fixed_array(s, node->a);
		if (field && constant_of(node->b, &count) && count < UINT32_MAX)
			check_extent(s, a, field, count + 1,
				     field->element_size ? field->element_size : 1);
		break;
	default:
		break;
	}
	check_node(s, a, node->a);
	check_node(s, a, node->b);
	check_node(s, a, node->c);
}

/* Check "%.20s" and "%20phN" of smaller arrays. */
static void check_precision(struct subject *s, const struct conversion *c)
{
	const struct argument *a = subject_argument(s, c);
	uint64_t count = c->precision > 0 ? (uint64_t)c->precision : 0;

	if (!a || !a->node)
		return;
	if (c->star_precision && c->letter == 's' && c->value &&
	    s->arguments.items[c->value - 1].node &&
	    !constant_of(s->arguments.items[c->value - 1].node, &count))
		return;
	if (c->letter == 's')
		check_extent(s, a, fixed_array(s, a->node), count, 1);
	if (c->letter == 'p' && c->star_width && c->extension_len && *c->extension == 'h' &&
	    c->value && s->arguments.items[c->value - 1].node &&
	    constant_of(s->arguments.items[c->value - 1].node, &count))
		check_extent(s, a, fixed_array(s, a->node), count, 1);
}

void lint_array(struct subject *s)
{
	for (size_t i = 0; i < s->arguments.nr; i++)
		check_node(s, &s->arguments.items[i], s->arguments.items[i].node);
	for (size_t i = 0; i < s->conversions.nr; i++)
		check_precision(s, &s->conversions.items[i]);
}
