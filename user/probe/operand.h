/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A value that the kernel fetches for an argument: from a register, from a symbol's memory, or
 * through pointers from there.  It is written "%di", "+8(%di)", "@jiffies+0" ...
 */
#ifndef KTRACE_PROBE_OPERAND_H
#define KTRACE_PROBE_OPERAND_H

#include <stdbool.h>
#include <stddef.h>

#include "lib/error.h"
#include "lib/strbuf.h"

#define OPERAND_MAX_STEPS 64

struct operand {
	/* "%di", "\5", "$retval"; "@symbol", or "@" for an offset in the file: nr > 0 with these */
	char base[128];
	long offsets[OPERAND_MAX_STEPS];	/* each is added before memory is read there */
	size_t nr;		/* 0: the value is base itself */
	/*
	 * The value is base plus this.  The kernel cannot compute it, but can read memory there: it
	 * is the address of a variable in an inlined function. nr is 0 then.
	 */
	bool is_sum;
	long addend;
	bool user;		/* the memory is that of user space: "+u8(...)" */
};

/* Read the memory at the value plus @offset bytes; false: too many steps. */
bool operand_follow(struct operand *operand, long offset);

/* Move by @offset bytes in memory that is already read (nr > 0). */
void operand_move(struct operand *operand, long offset);

/* Append it. */
void operand_add(const struct operand *operand, struct strbuf *out);

#endif
