/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Small numbers as Parquet packs them: runs of equal ones, and groups of eight in as few bits as
 * the largest one needs.  Levels and the numbers of words have this form.
 */
#ifndef KTRACE_OUTPUT_COLUMNS_PARQUET_LEVELS_H
#define KTRACE_OUTPUT_COLUMNS_PARQUET_LEVELS_H

#include <stddef.h>
#include <stdint.h>

#include "lib/strbuf.h"

/* The bits that numbers up to @largest need. */
unsigned int parquet_level_bits(uint32_t largest);

/* Append @nr numbers that @bits bits, at most 32, can hold. */
void parquet_levels_add(struct strbuf *out, const uint32_t *numbers, size_t nr, unsigned int bits);

#endif
