/* SPDX-License-Identifier: GPL-2.0 */
/*
 * hash_bytes() and hash_text() are FNV-1a.  They distinguish contents that nobody has crafted to
 * collide.  Index files contain these hashes (perfdata/layout.h), so they must not change.
 *
 * hash_key_*() are for tables in memory.  They differ from process to process, so nobody can craft
 * a file whose keys all collide.
 */
#ifndef KTRACE_LIB_HASH_H
#define KTRACE_LIB_HASH_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define HASH_INIT	0xcbf29ce484222325ULL

/* Continue the hash @from with @size more bytes; begin with HASH_INIT. */
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

/* Random bits that differ for each process. */
extern uint64_t hash_secret;

/* Every bit of the number affects every bit of the hash. */
static inline uint64_t hash_key_number(uint64_t number)
{
	uint64_t h = number ^ hash_secret;

	h = (h ^ h >> 33) * 0xff51afd7ed558ccdULL;
	h = (h ^ h >> 33 ^ hash_secret) * 0xc4ceb9fe1a85ec53ULL;
	return h ^ h >> 33;
}

static inline uint64_t hash_key_bytes(const void *bytes, size_t size)
{
	return hash_key_number(hash_bytes(HASH_INIT ^ hash_secret, bytes, size));
}

static inline uint64_t hash_key_text(const char *text)
{
	return hash_key_bytes(text, strlen(text));
}

/* Extend the hash of a key by one more part. */
static inline uint64_t hash_key_join(uint64_t hash, uint64_t part)
{
	return hash_key_number(hash * 31 + part);
}

#endif
