/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A value as the kernel fetches it for an argument: from a register, from a symbol's memory,
 * or through pointers from one of these.  It is written "%di", "+8(%di)", "@jiffies+0" ...
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
	 * The value is base plus this, which the kernel cannot compute, but memory there can be
	 * read: the address of a variable in an inlined function.  nr is 0 then.
	 */
	bool is_sum;
	long addend;
	bool user;		/* the memory is that of user space: "+u8(...)" */
};

/* Read the memory that the value points to, @offset bytes behind it; false: too many steps. */
bool operand_follow(struct operand *operand, long offset);

/* Move by @offset bytes in memory that is read already; there must be some (nr > 0). */
void operand_move(struct operand *operand, long offset);

/* Append it. */
void operand_add(const struct operand *operand, struct strbuf *out);

#endif
