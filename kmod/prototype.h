/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Prototypes of tracepoints as text that can be compared: one text for one list of
 * types, whether it comes from the words of TP_PROTO() or from BTF.  Names of
 * arguments and qualifiers (const, volatile) are left out.
 */
#ifndef KTRACE_PROTOTYPE_H
#define KTRACE_PROTOTYPE_H

#include <linux/types.h>

/* Enough for the longest prototype of the kernel, several times. */
#define KTRACE_PROTOTYPE_SIZE	1024

struct ktrace_prototype {
	u32 len;
	bool failed;			/* too long, or not understood: text is of no use */
	char text[KTRACE_PROTOTYPE_SIZE];
};

void ktrace_prototype_init(struct ktrace_prototype *prototype);
void ktrace_prototype_put(struct ktrace_prototype *prototype, const char *text, u32 len);
/* Of a type that C calls by keywords, in any order: "long unsigned int". */
void ktrace_prototype_put_number(struct ktrace_prototype *prototype, const char *words, u32 len);

/*
 * The arguments that C text @proto declares, "int cpu, const struct file *file", each
 * with a comma behind it.
 *
 *	struct file *			"*struct file"
 *	unsigned long			"unsigned long int"
 *	void (*)(u64, struct file *)	"*(void;u64,*struct file,)"
 */
void ktrace_prototype_parse(struct ktrace_prototype *prototype, const char *proto);

#endif
