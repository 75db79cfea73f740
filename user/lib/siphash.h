/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A hash that nobody can compute without its key, nor find the key by what he has seen of it.
 */
#ifndef KTRACE_LIB_SIPHASH_H
#define KTRACE_LIB_SIPHASH_H

#include <stddef.h>
#include <stdint.h>

/* SipHash-2-4 of Aumasson and Bernstein, with a number in front of the bytes. */
uint64_t siphash(const uint64_t key[2], uint64_t number, const void *bytes, size_t size);

#endif
