/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Optional parts of perf_event's samples: branches, registers, weights, the addresses and page
 * sizes of memory.
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

/* All general registers, which unwinding needs, too; 0: not known on this machine. */
uint64_t sample_parts_all_registers(void);

/* The registers that call chains by frame pointers need: arm64's link register; 0: none. */
uint64_t sample_parts_chain_registers(void);

/*
 * Parse "any,u" into kinds of branches, with the keywords of perf record -j.  If there are levels
 * but no kind of branch, any branch is sampled, as in perf.
 */
struct error *sample_parts_parse_branches(const char *text, uint64_t *ret);

/* The keywords of sample_parts_parse_branches(). */
extern const struct word_table sample_parts_branches;

/* Parse "AX,bx", register names in either case, into their numbers; NULL: all of them. */
struct error *sample_parts_parse_registers(const char *text, uint64_t *ret);

/* Append the names of this machine's registers: "AX BX ...". */
void sample_parts_add_register_names(struct strbuf *out);

/* Add the parts to the samples of an event. */
void sample_parts_apply(const struct sample_parts *parts, struct perf_event_attr *attr);

/* Whether any part is requested. */
bool sample_parts_any(const struct sample_parts *parts);

#endif
