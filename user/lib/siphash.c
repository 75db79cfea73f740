// SPDX-License-Identifier: GPL-2.0
#include "lib/siphash.h"

#include <string.h>

static uint64_t rotate(uint64_t word, unsigned int bits)
{
	return word << bits | word >> (64 - bits);
}

static void sip_round(uint64_t v[4])
{
	v[0] += v[1];
	v[2] += v[3];
	v[1] = rotate(v[1], 13) ^ v[0];
	v[3] = rotate(v[3], 16) ^ v[2];
	v[0] = rotate(v[0], 32);
	v[2] += v[1];
	v[0] += v[3];
	v[1] = rotate(v[1], 17) ^ v[2];
	v[3] = rotate(v[3], 21) ^ v[0];
	v[2] = rotate(v[2], 32);
}

uint64_t siphash(const uint64_t key[2], uint64_t number, const void *bytes, size_t size)
{
	const char *p = bytes, *end = p + size;
	uint64_t v[4] = {
		key[0] ^ 0x736f6d6570736575ULL, key[1] ^ 0x646f72616e646f6dULL,
		key[0] ^ 0x6c7967656e657261ULL, key[1] ^ 0x7465646279746573ULL,
	};
	uint64_t word = number, last = (uint64_t)(size + sizeof(number)) << 56;

	for (;;) {
		v[3] ^= word;
		sip_round(v);
		sip_round(v);
		v[0] ^= word;
		if ((size_t)(end - p) < sizeof(word))
			break;
		memcpy(&word, p, sizeof(word));
		p += sizeof(word);
	}
	for (unsigned int i = 0; p < end; i++)
		last |= (uint64_t)(unsigned char)*p++ << 8 * i;
	v[3] ^= last;
	sip_round(v);
	sip_round(v);
	v[0] ^= last;
	v[2] ^= 0xff;
	for (int i = 0; i < 4; i++)
		sip_round(v);
	return v[0] ^ v[1] ^ v[2] ^ v[3];
}
