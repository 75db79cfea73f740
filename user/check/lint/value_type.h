/* SPDX-License-Identifier: GPL-2.0 */
/* Finds the C type of an argument of the print fmt, if the format file defines it. */
#ifndef KTRACE_CHECK_LINT_VALUE_TYPE_H
#define KTRACE_CHECK_LINT_VALUE_TYPE_H

#include <stdbool.h>
#include <stdint.h>

#include "check/subject.h"

enum value_kind {
	VALUE_UNKNOWN,
	VALUE_NUMBER,
	VALUE_POINTER,		/* a pointer into kernel memory */
	VALUE_TEXT,		/* a literal, or the result of __print_flags() or __get_str() */
	VALUE_ARRAY,		/* an array in the record */
};

struct value_type {
	enum value_kind kind;
	uint32_t size;		/* of numbers, bytes, after C's promotion */
	bool is_signed;
	bool sign_known;
	bool is_narrow;		/* a signed field of less than an int, before promotion */
	bool is_char;		/* a field of type char, by itself */
	const struct field *field;	/* the field itself, also through casts; else NULL */
};

struct value_type value_type_of(const struct subject *subject, const struct print_node *node);

#endif
