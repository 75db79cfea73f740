/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Formats sampled registers and data sources as perf does.
 */
#ifndef KTRACE_RECORD_REGISTERS_H
#define KTRACE_RECORD_REGISTERS_H

#include <stdint.h>

#include "lib/strbuf.h"

/* The kernel's number of arm64's link register; the stack pointer and the counter follow. */
#define REGISTER_ARM64_LR	30

/* Append "   AX:0x1    SP:0x7ffe..." for each bit of @mask, with the names of this machine. */
void registers_text(const uint64_t *values, uint64_t mask, struct strbuf *out);

/* Returns the name as perf prints it ("AX"), or "unknown" if this machine has no such register. */
const char *register_title(unsigned int bit);

/* Writes the name in lower case ("ax"), or "reg<bit>" if this machine has no such register. */
void register_name(unsigned int bit, char *name, size_t size);

/* A part of a data source that has a column in perf report. */
enum data_source_part {
	DATA_SOURCE_LEVEL,
	DATA_SOURCE_SNOOP,
	DATA_SOURCE_TLB,
	DATA_SOURCE_LOCK,
	DATA_SOURCE_BLOCK,
};

/*
 * Append the text of a part, such as "L1 hit", and return its bits, by which perf distinguishes
 * values.
 */
uint64_t data_source_part_text(enum data_source_part part, uint64_t data_src,
			       struct strbuf *out);

/* perf's value for samples without a data source: nothing is known. */
#define DATA_SRC_NONE	0x5080021

/* Append "|OP LOAD|LVL L1 hit|SNP None|TLB L1 or L2 hit|LCK No|BLK  N/A". */
void data_source_text(uint64_t data_src, struct strbuf *out);

#endif
