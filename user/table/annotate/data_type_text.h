/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The samples of a type by its members, and statistics of all found types, in the layout of perf
 * annotate --data-type.
 */
#ifndef KTRACE_TABLE_ANNOTATE_DATA_TYPE_TEXT_H
#define KTRACE_TABLE_ANNOTATE_DATA_TYPE_TEXT_H

#include "lib/strbuf.h"
#include "profile/data_types.h"
#include "table/annotate/annotation_text.h"

/* The events that are shown side by side. */
struct data_type_columns {
	const size_t *events;		/* their indexes in the recording */
	const char *const *names;
	size_t nr;
};

/* Append the table of one type. */
void data_type_text_add(const struct data_type *type, const struct data_type_columns *columns,
			enum annotation_number number, struct strbuf *ret);

/* Append the number of samples with a type, and the reasons why others have none. */
void data_type_text_add_reasons(const struct data_types *types, struct strbuf *ret);

/* Append the same by the kinds of instructions, those with the most samples first. */
void data_type_text_add_instructions(const struct data_types *types, struct strbuf *ret);

#endif
