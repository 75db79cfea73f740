/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Copies into the ring.  Most copies are short, and the compiler does not know their sizes.  For
 * this folder only.
 */
#ifndef KTRACE_COPY_H
#define KTRACE_COPY_H

#include <linux/compiler.h>
#include <linux/string.h>
#include <linux/types.h>

/* Most samples are short.  For these, starting a string instruction costs more than the copy. */
static __always_inline void ktrace_copy_raw(void *to, const void *from, u32 size)
{
	const void *end = from + (size & ~15U);

	if (size > 256) {
		memcpy(to, from, size);
		return;
	}
	while (from != end) {
		__builtin_memcpy(to, from, 8);
		__builtin_memcpy(to + 8, from + 8, 8);
		from += 16;
		to += 16;
		/* Without this, the compiler turns the loop into a call of memcpy(). */
		OPTIMIZER_HIDE_VAR(from);
	}
	if (size & 8) {
		__builtin_memcpy(to, from, 8);
		from += 8;
		to += 8;
	}
	if (size & 4) {
		__builtin_memcpy(to, from, 4);
		from += 4;
		to += 4;
	}
	if (unlikely(size & 2)) {
		__builtin_memcpy(to, from, 2);
		from += 2;
		to += 2;
	}
	if (unlikely(size & 1))
		__builtin_memcpy(to, from, 1);
}

/* The same for whole samples and call chains, which are longer; @size is a multiple of 8. */
static __always_inline void ktrace_copy_sample(void *to, const void *from, u32 size)
{
	const void *end = from + (size & ~31U);

	if (size > 512) {
		memcpy(to, from, size);
		return;
	}
	while (from != end) {
		__builtin_memcpy(to, from, 32);
		from += 32;
		to += 32;
		/* Likewise. */
		OPTIMIZER_HIDE_VAR(from);
	}
	ktrace_copy_raw(to, from, size & 31);
}

#endif
