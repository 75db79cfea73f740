// SPDX-License-Identifier: GPL-2.0
#include "format/field_names.h"

#include <stdlib.h>

static struct error *field_take_names(struct field *field, const struct print_name *from)
{
	struct field_name *names = NULL;
	size_t nr = 0, i = 0;

	for (const struct print_name *p = from; p; p = p->next)
		nr++;
	if (!nr || field->names)
		return NULL;
	names = calloc(nr, sizeof(*names));
	if (!names)
		return &error_no_memory;
	for (; from; from = from->next, i++)
		names[i] = (struct field_name){
			from->is_number ? (uint64_t)from->value : UINT64_MAX, from->text,
		};
	field->names = names;
	field->nr_names = nr;
	return NULL;
}

/*
 * Returns the field that an argument of __print_flags or __print_symbolic shows.  For an expression
 * ("REC->prev_state & 0xff") it is the field inside.  NULL: there is none.
 */
static const struct field *shown_field(const struct event_format *format,
				       const struct print_node *node)
{
	const struct field *field = NULL;

	if (!node)
		return NULL;
	switch (node->kind) {
	case PRINT_CAST:
		return shown_field(format, node->a);
	case PRINT_OPERATION:
		field = shown_field(format, node->b);
		return field ? field : shown_field(format, node->a);
	case PRINT_FIELD:
		return event_format_field(format, node->text);
	default:
		return NULL;
	}
}

static struct error *mark(struct event_format *format, const struct print_node *node)
{
	struct error *err = NULL;
	struct field *field;

	if (!node)
		return NULL;
	if (node->kind == PRINT_FLAGS || node->kind == PRINT_SYMBOL) {
		field = (struct field *)shown_field(format, node->a);
		if (!field)
			return NULL;
		if (node->kind == PRINT_FLAGS) {
			field->is_flags = true;
			field->flag_delimiter = node->text;
		} else {
			field->is_symbolic = true;
		}
		return field_take_names(field, node->names);
	}
	err = mark(format, node->a);
	if (!err)
		err = mark(format, node->b);
	return err ? err : mark(format, node->c);
}

struct error *field_names_mark(struct event_format *format, const struct print_tree *tree)
{
	struct error *err = NULL;

	for (const struct print_node *arg = tree->args; arg && !err; arg = arg->next)
		err = mark(format, arg);
	return err;
}

/* The search for a value's name in the tree. */
struct symbol_search {
	const struct print_target *target;
	const struct field *field;
	const struct print_record *record;
};

/* Returns false if the value cannot be computed. */
static bool symbol_evaluate(const struct symbol_search *s, const struct print_node *node,
			    uint64_t *ret)
{
	struct print_value *value = print_value_create(s->target, node);

	if (!value)
		return false;
	*ret = print_value_get(value, s->record);
	print_value_destroy(value);
	return true;
}

static const char *symbol_of(const struct symbol_search *s, const struct print_node *node)
{
	/* A name of -1 matches fields of any size. */
	uint64_t mask = s->field->size < 8 ? (1ULL << 8 * s->field->size) - 1 : UINT64_MAX;
	uint64_t value;

	if (!symbol_evaluate(s, node->a, &value))
		return NULL;
	for (const struct print_name *name = node->names; name; name = name->next)
		if (name->is_number && ((uint64_t)name->value & mask) == (value & mask))
			return name->text;
	return NULL;
}

static const char *symbol_search(const struct symbol_search *s, const struct print_node *node)
{
	const char *found;
	uint64_t chosen;

	if (!node)
		return NULL;
	if (node->kind == PRINT_SYMBOL)
		return shown_field(s->target->format, node->a) == s->field ? symbol_of(s, node) :
			NULL;
	if (node->kind == PRINT_OPERATION && node->op == '?' && node->b) {
		if (!symbol_evaluate(s, node->a, &chosen))
			return NULL;
		return symbol_search(s, chosen ? node->b->a : node->b->b);
	}
	found = symbol_search(s, node->a);
	if (!found)
		found = symbol_search(s, node->b);
	return found ? found : symbol_search(s, node->c);
}

const char *field_symbol_find(const struct print_target *target, const struct print_tree *tree,
			      const struct field *field, const struct print_record *record)
{
	const struct symbol_search s = { target, field, record };
	const char *found = NULL;

	for (const struct print_node *arg = tree->args; arg && !found; arg = arg->next)
		found = symbol_search(&s, arg);
	return found;
}
