/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Arguments of probes of functions, in the words of tracefs, as the ktrace module reads them:
 * a register, or memory that it leads to, as a number.  Pure functions, without allocations.
 */
#ifndef KTRACE_FORMAT_FUNCTION_ARGS_H
#define KTRACE_FORMAT_FUNCTION_ARGS_H

#include <stdbool.h>
#include <stdint.h>

/* How many arguments a function can have, and how often memory is read for one of them. */
#define FUNCTION_ARGS_MAX	32
#define FUNCTION_ARG_MAX_LOADS	5

/* The members are those of struct ktrace_function_arg (linux/ktrace.h). */
struct function_arg {
	uint8_t reg, size, nr_loads;
	int32_t offsets[FUNCTION_ARG_MAX_LOADS];
};

struct function_arg_type {
	const char *name;	/* "u32" */
	const char *field;	/* the type that the format has: "u32" also of x32 */
	const char *print;	/* for the text of print fmt */
	unsigned int size;
	bool is_signed;
};

/* Find a type by its name, NULL meaning the kernel's default; returns NULL if it is no number. */
const struct function_arg_type *function_arg_type_find(const char *name);

/*
 * Parse the value of an argument: "%di", "+8(%si)", "$retval", "$stack2".  false: only the
 * kernel's own probes have this one.
 */
bool function_arg_parse(const char *value, const struct function_arg_type *type,
			struct function_arg *ret);

#endif
