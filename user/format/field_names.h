/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The names that the print fmt has for values of fields.  Used only inside format/.
 */
#ifndef KTRACE_FORMAT_FIELD_NAMES_H
#define KTRACE_FORMAT_FIELD_NAMES_H

#include "format/event_format.h"
#include "format/print_tree.h"
#include "lib/error.h"

/* Fill in the members of the fields from is_flags on.  The strings belong to @tree. */
struct error *field_names_mark(struct event_format *format, const struct print_tree *tree);

#endif
