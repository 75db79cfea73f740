/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A keyed hash.  Without the key, nobody can compute it; its values do not reveal the key.
 */
#ifndef KTRACE_LIB_SIPHASH_H
#define KTRACE_LIB_SIPHASH_H

#include <stddef.h>
#include <stdint.h>

/* SipHash-2-4 by Aumasson and Bernstein, of @number followed by the bytes. */
uint64_t siphash(const uint64_t key[2], uint64_t number, const void *bytes, size_t size);

#endif
