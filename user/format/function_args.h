/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Arguments of probes of functions, in the syntax of tracefs, as the ktrace module supports them: a
 * register, or memory that it points to, as a number.  Pure functions, without allocations.
 */
#ifndef KTRACE_FORMAT_FUNCTION_ARGS_H
#define KTRACE_FORMAT_FUNCTION_ARGS_H

#include <stdbool.h>
#include <stdint.h>

/* The most arguments of a function, and the most loads from memory for one of them. */
#define FUNCTION_ARGS_MAX	32
#define FUNCTION_ARG_MAX_LOADS	5

/* The members are those of struct ktrace_function_arg (linux/ktrace.h). */
struct function_arg {
	uint8_t reg, size, nr_loads;
	int32_t offsets[FUNCTION_ARG_MAX_LOADS];
};

struct function_arg_type {
	const char *name;	/* "u32" */
	const char *field;	/* the type in the format: "u32" also for x32 */
	const char *print;	/* for the text of print fmt */
	unsigned int size;
	bool is_signed;
};

/* Find a type by its name (NULL: the kernel's default).  Returns NULL if it is not numeric. */
const struct function_arg_type *function_arg_type_find(const char *name);

/*
 * Parse the value of an argument: "%di", "+8(%si)", "$retval", "$stack2".  Returns false if only
 * the kernel's own probes support it.
 */
bool function_arg_parse(const char *value, const struct function_arg_type *type,
			struct function_arg *ret);

#endif
