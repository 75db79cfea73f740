/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The names in the print fmt for values of fields.  Used only inside format/.
 */
#ifndef KTRACE_FORMAT_FIELD_NAMES_H
#define KTRACE_FORMAT_FIELD_NAMES_H

#include "format/event_format.h"
#include "format/print_tree.h"
#include "format/print_value.h"
#include "lib/error.h"

/* Fill in the members of the fields from is_flags on.  The strings belong to @tree. */
struct error *field_names_mark(struct event_format *format, const struct print_tree *tree);

/* As event_format_symbol(). */
const char *field_symbol_find(const struct print_target *target, const struct print_tree *tree,
			      const struct field *field, const struct print_record *record);

#endif
