/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Sampled registers and data sources as the text perf shows of them.
 */
#ifndef KTRACE_RECORD_REGISTERS_H
#define KTRACE_RECORD_REGISTERS_H

#include <stdint.h>

#include "lib/strbuf.h"

/* "   AX:0x1    SP:0x7ffe..." for each bit of @mask, of this machine's names. */
void registers_text(const uint64_t *values, uint64_t mask, struct strbuf *out);

/* As perf has it ("AX"); "unknown" where this machine has no such one. */
const char *register_title(unsigned int bit);

/* In small letters ("ax"), or "reg<bit>" where this machine has no such one. */
void register_name(unsigned int bit, char *name, size_t size);

/* "|OP LOAD|LVL L1 hit|SNP None|TLB L1 or L2 hit|LCK No|BLK  N/A". */
void data_source_text(uint64_t data_src, struct strbuf *out);

#endif
