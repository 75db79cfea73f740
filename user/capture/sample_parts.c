// SPDX-License-Identifier: GPL-2.0
#include "capture/sample_parts.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "lib/array.h"
#include "lib/cleanup.h"
#include "record/registers.h"
#include "terminal/word_list.h"

#if defined(__x86_64__)
/* The kernel refuses the segment registers DS, ES, FS and GS. */
#define ALL_REGISTERS 0xff0fffULL
#define CHAIN_REGISTERS 0
#elif defined(__aarch64__)
#define ALL_REGISTERS ((1ULL << 33) - 1)
#define CHAIN_REGISTERS (1ULL << REGISTER_ARM64_LR)
#else
#define ALL_REGISTERS 0
#define CHAIN_REGISTERS 0
#endif

#define BRANCH_LEVELS (PERF_SAMPLE_BRANCH_USER | PERF_SAMPLE_BRANCH_KERNEL | PERF_SAMPLE_BRANCH_HV)

static const struct {
	const char *word;
	uint64_t bits;
} branch_words[] = {
	{ "any", PERF_SAMPLE_BRANCH_ANY },
	{ "any_call", PERF_SAMPLE_BRANCH_ANY_CALL },
	{ "any_ret", PERF_SAMPLE_BRANCH_ANY_RETURN },
	{ "call", PERF_SAMPLE_BRANCH_CALL },
	{ "ind_call", PERF_SAMPLE_BRANCH_IND_CALL },
	{ "ind_jmp", PERF_SAMPLE_BRANCH_IND_JUMP },
	{ "cond", PERF_SAMPLE_BRANCH_COND },
	{ "abort_tx", PERF_SAMPLE_BRANCH_ABORT_TX },
	{ "in_tx", PERF_SAMPLE_BRANCH_IN_TX },
	{ "no_tx", PERF_SAMPLE_BRANCH_NO_TX },
	{ "stack", PERF_SAMPLE_BRANCH_CALL_STACK },
	{ "u", PERF_SAMPLE_BRANCH_USER },
	{ "k", PERF_SAMPLE_BRANCH_KERNEL },
	{ "hv", PERF_SAMPLE_BRANCH_HV },
	{ "no_flags", PERF_SAMPLE_BRANCH_NO_FLAGS },
	{ "no_cycles", PERF_SAMPLE_BRANCH_NO_CYCLES },
	{ "save_type", PERF_SAMPLE_BRANCH_TYPE_SAVE },
};

const struct word_table sample_parts_branches = WORD_TABLE(branch_words);

uint64_t sample_parts_all_registers(void)
{
	return ALL_REGISTERS;
}

uint64_t sample_parts_chain_registers(void)
{
	return CHAIN_REGISTERS;
}

struct error *sample_parts_parse_branches(const char *text, uint64_t *ret)
{
	unsigned int rows[ARRAY_SIZE(branch_words)];
	size_t nr = 0;
	struct error *err = word_parse_list(&sample_parts_branches, "-j knows no branches", text,
					    rows, &nr);

	*ret = 0;
	for (size_t i = 0; i < nr; i++)
		*ret |= branch_words[rows[i]].bits;
	if (!(*ret & ~(uint64_t)BRANCH_LEVELS))
		*ret |= PERF_SAMPLE_BRANCH_ANY;
	return err;
}

void sample_parts_add_register_names(struct strbuf *out)
{
	for (unsigned int bit = 0; bit < 64; bit++)
		if (ALL_REGISTERS >> bit & 1)
			strbuf_addf(out, "%s%s", out->len ? " " : "", register_title(bit));
}

static struct error *unknown_register(const char *word)
{
	_cleanup_(strbuf) struct strbuf names = STRBUF_INIT;

	sample_parts_add_register_names(&names);
	return error_hint(error_new(EINVAL, "There is no register '%s' to sample", word),
			  "The registers of this machine: %s", strbuf_str(&names));
}

struct error *sample_parts_parse_registers(const char *text, uint64_t *ret)
{
	_cleanup_free_ char *copy = strdup(text ? text : "");
	char *save, *word;

	if (!copy)
		return &error_no_memory;
	*ret = text ? 0 : ALL_REGISTERS;
	for (word = strtok_r(copy, ",", &save); word; word = strtok_r(NULL, ",", &save)) {
		unsigned int bit = 0;

		while (bit < 64 && (!(ALL_REGISTERS >> bit & 1) ||
				    strcasecmp(word, register_title(bit))))
			bit++;
		if (bit == 64)
			return unknown_register(word);
		*ret |= 1ULL << bit;
	}
	return *ret ? NULL : unknown_register(text ? text : "");
}

void sample_parts_apply(const struct sample_parts *parts, struct perf_event_attr *attr)
{
	attr->sample_type |= parts->sample_type;
	if (parts->branches) {
		attr->sample_type |= PERF_SAMPLE_BRANCH_STACK;
		attr->branch_sample_type = parts->branches;
	}
	if (parts->user_regs) {
		attr->sample_type |= PERF_SAMPLE_REGS_USER;
		attr->sample_regs_user |= parts->user_regs;
	}
	if (parts->intr_regs) {
		attr->sample_type |= PERF_SAMPLE_REGS_INTR;
		attr->sample_regs_intr = parts->intr_regs;
	}
}

bool sample_parts_any(const struct sample_parts *parts)
{
	return parts->sample_type || parts->branches || parts->user_regs || parts->intr_regs;
}
