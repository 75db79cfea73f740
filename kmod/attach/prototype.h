/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Prototypes of tracepoints as text that can be compared.  A list of types always gives the same
 * text, whether it comes from the C text of TP_PROTO() or from BTF.  Names of arguments and
 * qualifiers (const, volatile) are omitted.
 */
#ifndef KTRACE_PROTOTYPE_H
#define KTRACE_PROTOTYPE_H

#include <linux/types.h>

/* Several times the length of the kernel's longest prototype. */
#define KTRACE_PROTOTYPE_SIZE	1024

struct ktrace_prototype {
	u32 len;
	bool failed;			/* too long or not understood; the text is not usable */
	char text[KTRACE_PROTOTYPE_SIZE];
};

void ktrace_prototype_init(struct ktrace_prototype *prototype);
void ktrace_prototype_put(struct ktrace_prototype *prototype, const char *text, u32 len);
/* Puts a type that C names by keywords in any order, such as "long unsigned int". */
void ktrace_prototype_put_number(struct ktrace_prototype *prototype, const char *words, u32 len);

/*
 * Puts the type as which an argument of the typedef @name (@len bytes) is passed, if it differs.  C
 * passes arrays, such as a va_list of many machines, and functions as pointers, and BTF has only
 * the pointers.  Returns false, and puts nothing, if the typedef itself is passed.
 */
typedef bool (*ktrace_prototype_passed)(struct ktrace_prototype *prototype, const char *name,
					u32 len, const void *types);

/*
 * Puts the arguments that the C text @proto declares, such as "int cpu, const struct file
 * *file".  A comma follows each.  @passed is called, with @types, for each argument that is a
 * typedef; NULL: typedefs are passed unchanged.
 *
 *	struct file *			"*struct file"
 *	unsigned long			"unsigned long int"
 *	void (*)(u64, struct file *)	"*(void;u64,*struct file,)"
 */
void ktrace_prototype_parse(struct ktrace_prototype *prototype, const char *proto,
			    ktrace_prototype_passed passed, const void *types);

#endif
