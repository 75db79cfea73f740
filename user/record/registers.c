// SPDX-License-Identifier: GPL-2.0
#include <ctype.h>
#include <inttypes.h>
#include <linux/perf_event.h>
#include <stdio.h>

#include "lib/array.h"
#include "record/registers.h"

#if defined(__x86_64__) || defined(__i386__)
static const char *const register_names[64] = {
	"AX", "BX", "CX", "DX", "SI", "DI", "BP", "SP", "IP", "FLAGS", "CS", "SS",
	"DS", "ES", "FS", "GS", "R8", "R9", "R10", "R11", "R12", "R13", "R14", "R15",
};
#elif defined(__aarch64__)
static const char *const register_names[64] = {
	"x0", "x1", "x2", "x3", "x4", "x5", "x6", "x7", "x8", "x9", "x10", "x11",
	"x12", "x13", "x14", "x15", "x16", "x17", "x18", "x19", "x20", "x21", "x22",
	"x23", "x24", "x25", "x26", "x27", "x28", "x29", "lr", "sp", "pc",
	[46] = "vg",
};
#else
static const char *const register_names[64];
#endif

const char *register_title(unsigned int bit)
{
	return bit < ARRAY_SIZE(register_names) && register_names[bit] ? register_names[bit] :
									 "unknown";
}

void register_name(unsigned int bit, char *name, size_t size)
{
	if (!register_names[bit]) {
		snprintf(name, size, "reg%u", bit);
		return;
	}
	snprintf(name, size, "%s", register_names[bit]);
	for (char *c = name; *c; c++)
		*c = tolower((unsigned char)*c);
}

void registers_text(const uint64_t *values, uint64_t mask, struct strbuf *out)
{
	size_t n = 0;
	char number[8];

	for (unsigned int bit = 0; bit < 64; bit++) {
		const char *name = register_names[bit];

		if (!(mask >> bit & 1))
			continue;
		if (!name) {
			snprintf(number, sizeof(number), "r%u", bit);
			name = number;
		}
		strbuf_addf(out, "%5s:0x%" PRIx64 " ", name, values[n++]);
	}
}

/* Bit n of a part has the name names[n]. */
static const char *const op_names[] = { "N/A", "LOAD", "STORE", "PFETCH", "EXEC" };
static const char *const level_names[] = {
	"N/A", "HIT", "MISS", "L1", "LFB/MAB", "L2", "L3", "Local RAM", "Remote RAM (1 hop)",
	"Remote RAM (2 hops)", "Remote Cache (1 hop)", "Remote Cache (2 hops)", "I/O", "Uncached",
};
/* The distance of the memory; 0: not known. */
static const char *const hop_names[] = {
	NULL, "core, same node", "node, same socket", "socket, same board", "board",
};
static const char *const snoop_names[] = { "N/A", "None", "Hit", "Miss", "HitM" };
static const char *const snoopx_names[] = { "Fwd", "Peer" };
static const char *const tlb_names[] = {
	"N/A", "HIT", "MISS", "L1", "L2", "Walker", "Fault",
};

#define FIRST_OTHER_LEVEL 9	/* of mem_lvl_num */

#define HIT_MISS (PERF_MEM_LVL_HIT | PERF_MEM_LVL_MISS)	/* the TLB part has the same bits */

static void add_alternative(struct strbuf *out, size_t start, const char *name)
{
	strbuf_addf(out, "%s%s", out->len > start ? " or " : "", name);
}

static void add_register_bits(struct strbuf *out, size_t start, uint64_t bits,
			      const char *const *names, size_t nr)
{
	for (size_t i = 0; i < nr; i++)
		if (bits >> i & 1)
			add_alternative(out, start, names[i]);
}

static void add_result(struct strbuf *out, uint64_t bits)
{
	if (bits & PERF_MEM_LVL_HIT)
		strbuf_addstr(out, " hit");
	if (bits & PERF_MEM_LVL_MISS)
		strbuf_addstr(out, " miss");
}

static void add_level_number(struct strbuf *out, size_t start, unsigned int number)
{
	/* Names of the levels from 9 on.  Some are newer than the kernel headers of the build. */
	static const char *const others[] = {
		"CXL", "I/O", "Any cache", "LFB/MAB", "RAM", "PMEM", "N/A",
	};
	char level[12];

	if (!number)
		return;
	snprintf(level, sizeof(level), "L%u", number);
	add_alternative(out, start, number < FIRST_OTHER_LEVEL ? level :
				    others[number - FIRST_OTHER_LEVEL]);
}

static void add_level(struct strbuf *out, const union perf_mem_data_src *src)
{
	unsigned int hops = src->mem_hops;
	size_t start;

	if (src->mem_remote)
		strbuf_addstr(out, "Remote ");
	if (hops)
		strbuf_addf(out, "%s ", hops < ARRAY_SIZE(hop_names) ? hop_names[hops] : "far");
	start = out->len;
	if (!hops)
		add_register_bits(out, start, src->mem_lvl & ~HIT_MISS, level_names,
				  ARRAY_SIZE(level_names));
	add_level_number(out, start, src->mem_lvl_num);
	if (out->len == start && !src->mem_remote && !hops)
		strbuf_addstr(out, "N/A");
	add_result(out, src->mem_lvl);
}

/* @none is the text if no bit is set. */
static void registers_add_part(struct strbuf *out, const char *title, uint64_t bits,
			       const char *const *names, size_t nr, const char *none)
{
	size_t start;

	strbuf_addstr(out, title);
	start = out->len;
	add_register_bits(out, start, bits, names, nr);
	if (out->len == start)
		strbuf_addstr(out, none);
}

static void add_snoop(struct strbuf *out, const union perf_mem_data_src *src)
{
	size_t start = out->len;

	add_register_bits(out, start, src->mem_snoop, snoop_names, ARRAY_SIZE(snoop_names));
	add_register_bits(out, start, src->mem_snoopx, snoopx_names, ARRAY_SIZE(snoopx_names));
	if (out->len == start)
		strbuf_addstr(out, "N/A");
}

static void add_tlb(struct strbuf *out, const union perf_mem_data_src *src)
{
	registers_add_part(out, "", src->mem_dtlb & ~HIT_MISS, tlb_names, ARRAY_SIZE(tlb_names),
			   "N/A");
	add_result(out, src->mem_dtlb);
}

static void add_lock(struct strbuf *out, const union perf_mem_data_src *src)
{
	strbuf_addstr(out, src->mem_lock & PERF_MEM_LOCK_NA ? "N/A" :
			   src->mem_lock & PERF_MEM_LOCK_LOCKED ? "Yes" : "No");
}

static void add_block(struct strbuf *out, const union perf_mem_data_src *src)
{
	if (!src->mem_blk || src->mem_blk & PERF_MEM_BLK_NA) {
		strbuf_addstr(out, " N/A");
		return;
	}
	strbuf_addstr(out, src->mem_blk & PERF_MEM_BLK_DATA ? " Data" : "");
	strbuf_addstr(out, src->mem_blk & PERF_MEM_BLK_ADDR ? " Addr" : "");
}

uint64_t data_source_part_text(enum data_source_part part, uint64_t data_src, struct strbuf *out)
{
	const union perf_mem_data_src src = { .val = data_src };

	switch (part) {
	case DATA_SOURCE_LEVEL:
		add_level(out, &src);
		return src.mem_lvl;
	case DATA_SOURCE_SNOOP:
		add_snoop(out, &src);
		return src.mem_snoop;
	case DATA_SOURCE_TLB:
		add_tlb(out, &src);
		return src.mem_dtlb;
	case DATA_SOURCE_LOCK:
		add_lock(out, &src);
		return src.mem_lock;
	case DATA_SOURCE_BLOCK:
		add_block(out, &src);
		return src.mem_blk;
	}
	return 0;
}

void data_source_text(uint64_t data_src, struct strbuf *out)
{
	static const char *const titles[] = {
		[DATA_SOURCE_LEVEL] = "|LVL ", [DATA_SOURCE_SNOOP] = "|SNP ",
		[DATA_SOURCE_TLB] = "|TLB ", [DATA_SOURCE_LOCK] = "|LCK ",
		[DATA_SOURCE_BLOCK] = "|BLK ",
	};
	const union perf_mem_data_src src = { .val = data_src };

	registers_add_part(out, "|OP ", src.mem_op, op_names, ARRAY_SIZE(op_names), "No");
	for (size_t i = 0; i < ARRAY_SIZE(titles); i++) {
		strbuf_addstr(out, titles[i]);
		data_source_part_text(i, data_src, out);
	}
}
