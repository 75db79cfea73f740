/* SPDX-License-Identifier: GPL-2.0 */
/*
 * FNV-1a: for tables, and to tell contents apart that nobody chose to be alike.
 * It is part of index files (perfdata/layout.h) and stays what it is.
 */
#ifndef KTRACE_LIB_HASH_H
#define KTRACE_LIB_HASH_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define HASH_INIT	0xcbf29ce484222325ULL

/* Of what @from is the hash of, and @size more bytes; begin with HASH_INIT. */
static inline uint64_t hash_bytes(uint64_t from, const void *bytes, size_t size)
{
	const unsigned char *p = bytes;

	for (size_t i = 0; i < size; i++)
		from = (from ^ p[i]) * 0x100000001b3ULL;
	return from;
}

static inline uint64_t hash_text(const char *text)
{
	return hash_bytes(HASH_INIT, text, strlen(text));
}

#endif
