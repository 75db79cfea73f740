// SPDX-License-Identifier: GPL-2.0
#include "output/columns/parquet_levels.h"

#include "lib/varint.h"

#define GROUP 8

unsigned int parquet_level_bits(uint32_t largest)
{
	return largest ? 32 - __builtin_clz(largest) : 0;
}

/* Append whole groups; numbers behind the end are 0. */
static void add_packed_levels(struct strbuf *out, const uint32_t *numbers, size_t nr,
			      unsigned int bits)
{
	size_t groups = (nr + GROUP - 1) / GROUP;
	unsigned int filled = 0;
	uint64_t word = 0;

	if (!nr)
		return;
	varint_add(out, groups << 1 | 1);
	for (size_t i = 0; i < groups * GROUP; i++) {
		word |= (uint64_t)(i < nr ? numbers[i] : 0) << filled;
		for (filled += bits; filled >= 8; filled -= 8, word >>= 8)
			strbuf_addch(out, word);
	}
}

void parquet_levels_add(struct strbuf *out, const uint32_t *numbers, size_t nr, unsigned int bits)
{
	size_t packed = 0, at = 0, run;

	while (at < nr) {
		for (run = 1; at + run < nr && numbers[at + run] == numbers[at]; run++)
			;
		if (run < GROUP) {
			at += nr - at < GROUP ? nr - at : GROUP;
			continue;
		}
		add_packed_levels(out, numbers + packed, at - packed, bits);
		varint_add(out, run << 1);
		for (unsigned int shift = 0; shift < bits; shift += 8)
			strbuf_addch(out, numbers[at] >> shift);
		at += run;
		packed = at;
	}
	add_packed_levels(out, numbers + packed, nr - packed, bits);
}
