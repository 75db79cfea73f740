/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The numbers of the common fields.  Only files that name a field include them, so that a new row
 * in <linux/ktrace_fields.def> recompiles no other files.
 */
#ifndef KTRACE_RECORD_COMMON_NUMBER_H
#define KTRACE_RECORD_COMMON_NUMBER_H

/* COMMON_FIELD_TGID and so on: the numbers of the module's interface. */
enum common_field {
#define KTRACE_STORED_FIELD(number, NAME, name, type, sign, operand, help) \
	COMMON_FIELD_##NAME = number,
#define KTRACE_FILTER_FIELD KTRACE_STORED_FIELD
#include <linux/ktrace_fields.def>
#undef KTRACE_STORED_FIELD
#undef KTRACE_FILTER_FIELD
};

#endif
