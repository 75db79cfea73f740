/* SPDX-License-Identifier: GPL-2.0 */
/*
 * ktrace_test: which values the events carry
 *
 * All values of a record follow from its `seq` by the functions here, so that
 * a reader of a record can compute every byte it must hold. This header also
 * compiles in user space. tests/lib/ktrace_test_values.py says the same in Python.
 *
 *   mix(x)         splitmix64: x += 0x9e3779b97f4a7c15;
 *                  x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
 *                  x = (x ^ x >> 27) * 0x94d049bb133111eb; x ^ x >> 31  (modulo 2^64)
 *   bits(seq,k,w)  the w-bit pattern of field k:
 *                  seq 0: all zero       (0)
 *                  seq 1: all ones       (-1, the largest unsigned)
 *                  seq 2: 1 << (w-1)     (the smallest signed)
 *                  seq 3: (1 << (w-1))-1 (the largest signed)
 *                  else:  the low w bits of mix(seq + (k << 48))
 *                  k is 256 * field number + element number (0 for scalars).
 *   slice(seq,f,n) n bytes out of the pool, from byte 8 * ((seq + 37 * f) % 1024);
 *                  the pool is 2048 u64 in native byte order, word j = mix(j).
 *   tail(s,seq)    the last seq % (strlen(s) + 1) bytes of s: every length from 0 on.
 *   word(seq)      ktest_words[seq % 8]: 16 bytes, text and zeros.
 *
 * Which field has which number stands beside each event in ktrace_test_events.h.
 */
#ifndef KTRACE_TEST_VALUES_H
#define KTRACE_TEST_VALUES_H

#include <linux/types.h>

#define KTEST_POOL_WORDS 2048
#define KTEST_WORDS 8
#define KTEST_WORD_SIZE 16

#define KTEST_TEXT "The quick brown fox jumps over the lazy dog"
/* Neither UTF-8 nor control characters: cut sequences, bare continuations, Latin-1. */
#define KTEST_RAW "caf\xe9 \xff\xfe ok \xc3\x28 \xe2\x82 end \xf0\x9f\x98 \xa0\xa1\xc0\xaf"
/* Characters that break terminals, JSON writers and format strings. */
#define KTEST_HOSTILE "\\ \"q\" 'a' %s%n {}<&>; \x1b[31mred\x7f\x01\b\t\r\n=x"

#define KTEST_WORD_LIST {							\
		"", "a", "word", "fifteen letters", "Gr\xc3\xb6\xc3\x9f""e",	\
		"back\\slash", "\"quoted\"", "a=b, c",			\
	}

#define KTEST_K(field, element) ((field) * 256 + (element))

static inline __u64 ktest_mix(__u64 x)
{
	x += 0x9e3779b97f4a7c15ULL;
	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9ULL;
	x = (x ^ x >> 27) * 0x94d049bb133111ebULL;
	return x ^ x >> 31;
}

static inline __u64 ktest_bits(__u64 seq, unsigned int k, unsigned int width)
{
	__u64 top = 1ULL << (width - 1);
	__u64 mask = top | (top - 1);

	switch (seq) {
	case 0:
		return 0;
	case 1:
		return mask;
	case 2:
		return top;
	case 3:
		return top - 1;
	default:
		return ktest_mix(seq + ((__u64)k << 48)) & mask;
	}
}

static inline unsigned int ktest_slice_start(__u64 seq, unsigned int field)
{
	return 8 * ((seq + 37 * field) % 1024);
}

/* How long the dynamic arrays are, in elements. */
#define ktest_len_dyn_bytes(seq) ((unsigned int)((seq) % 17))
#define ktest_len_dyn_words(seq) ((unsigned int)((seq) % 9))
#define ktest_len_dyn_longs(seq) ((unsigned int)((seq) % 5))
#define ktest_len_rel_halves(seq) ((unsigned int)((seq) % 7))
/* The record of big still fits a page of ftrace's ring buffer ... */
#define ktest_len_big(seq) ((unsigned int)(3000 + (seq) % 1000))
/* ...  and that of huge only fits perf's limit of 8192 bytes. */
#define ktest_len_huge(seq) ((unsigned int)(7900 + (seq) % 200))

/* The argument of __perf_count(), which is the period of the sample. */
static inline __u64 ktest_period(__u64 seq)
{
	return 1 + ktest_bits(seq, KTEST_K(1, 0), 64) % 1000;
}

/* enum ktest_color: 0..3 have names, 4 has none. */
static inline unsigned int ktest_color(__u64 seq, unsigned int field)
{
	return ktest_bits(seq, KTEST_K(field, 0), 32) % 5;
}

/* Bits 0..4 have names, other bits have none. */
static inline __u32 ktest_flags(__u64 seq, unsigned int field)
{
	return ktest_bits(seq, KTEST_K(field, 0), 32) & 0x800000ff;
}

#endif
