/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Formats sampled registers and data sources as perf does.
 */
#ifndef KTRACE_RECORD_REGISTERS_H
#define KTRACE_RECORD_REGISTERS_H

#include <stdint.h>

#include "lib/strbuf.h"

/* Append "   AX:0x1    SP:0x7ffe..." for each bit of @mask, with the names of this machine. */
void registers_text(const uint64_t *values, uint64_t mask, struct strbuf *out);

/* Returns the name as perf prints it ("AX"), or "unknown" if this machine has no such register. */
const char *register_title(unsigned int bit);

/* Writes the name in lower case ("ax"), or "reg<bit>" if this machine has no such register. */
void register_name(unsigned int bit, char *name, size_t size);

/* Append "|OP LOAD|LVL L1 hit|SNP None|TLB L1 or L2 hit|LCK No|BLK  N/A". */
void data_source_text(uint64_t data_src, struct strbuf *out);

#endif
