/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Names for the values of fields: those the print fmt shows them by.  Inside
 * format/ only.
 */
#ifndef KTRACE_FORMAT_FIELD_NAMES_H
#define KTRACE_FORMAT_FIELD_NAMES_H

#include "format/event_format.h"
#include "format/print_tree.h"
#include "lib/error.h"

/* Fill in the members from is_flags on; the texts are @tree's. */
struct error *field_names_mark(struct event_format *format, const struct print_tree *tree);

#endif
