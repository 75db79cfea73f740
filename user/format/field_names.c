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
 * Returns the field that an argument of __print_flags or __print_symbolic shows.  In an
 * expression ("REC->prev_state & 0xff") it is the field inside.  NULL: there is none.
 */
static struct field *shown_field(struct event_format *format, const struct print_node *node)
{
	struct field *field = NULL;

	if (!node)
		return NULL;
	switch (node->kind) {
	case PRINT_CAST:
		return shown_field(format, node->a);
	case PRINT_OPERATION:
		field = shown_field(format, node->b);
		return field ? field : shown_field(format, node->a);
	case PRINT_FIELD:
		return (struct field *)event_format_field(format, node->text);
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
		field = shown_field(format, node->a);
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
