/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the samples of perf_event may hold besides what all recordings have: branches,
 * registers, weights, the addresses and page sizes of memory.
 */
#ifndef KTRACE_CAPTURE_SAMPLE_PARTS_H
#define KTRACE_CAPTURE_SAMPLE_PARTS_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stdint.h>

#include "lib/error.h"
#include "lib/strbuf.h"
#include "terminal/word_list.h"

struct sample_parts {
	uint64_t sample_type;	/* PERF_SAMPLE_* to add to those of every event */
	uint64_t branches;	/* PERF_SAMPLE_BRANCH_*; 0: no branches are sampled */
	/* Registers by the kernel's numbers, a bit for each; 0: none. */
	uint64_t user_regs, intr_regs;
};

/* All general registers, which are also those that unwinding needs; 0: not known here. */
uint64_t sample_parts_all_registers(void);

/* What call chains by frame pointers need: arm64's link register; 0: nothing. */
uint64_t sample_parts_chain_registers(void);

/*
 * Parse "any,u" into kinds of branches, in the words of perf record -j.  Without a kind of
 * branch, but with levels, any branch is sampled, as in perf.
 */
struct error *sample_parts_parse_branches(const char *text, uint64_t *ret);

/* The words that sample_parts_parse_branches() takes. */
extern const struct word_table sample_parts_branches;

/* Parse "AX,bx", register names in either case, into their numbers; NULL: all of them. */
struct error *sample_parts_parse_registers(const char *text, uint64_t *ret);

/* Append the names of this machine's registers: "AX BX ...". */
void sample_parts_add_register_names(struct strbuf *out);

/* Have the samples of an event hold the parts. */
void sample_parts_apply(const struct sample_parts *parts, struct perf_event_attr *attr);

/* Whether any part is asked for. */
bool sample_parts_any(const struct sample_parts *parts);

#endif
