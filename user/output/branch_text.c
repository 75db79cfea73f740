// SPDX-License-Identifier: GPL-2.0
#include "output/branch_text.h"

#include "lib/array.h"
#include "lib/escape.h"
#include "lib/number.h"
#include "output/text_fields.h"

/* perf's words for PERF_BR_*, and behind them those for PERF_BR_NEW_*. */
static const char *const type_words[] = {
	"", "COND", "UNCOND", "IND", "CALL", "IND_CALL", "RET", "SYSCALL", "SYSRET", "COND_CALL",
	"COND_RET", "ERET", "IRQ", "SERROR", "NO_TX",
};
static const char *const new_type_words[] = {
	"FAULT_ALGN", "FAULT_DATA", "FAULT_INST", "ARCH_1", "ARCH_2", "ARCH_3", "ARCH_4", "ARCH_5",
};

const char *branch_text_type(unsigned int type, bool is_new)
{
	if (is_new)
		return type < ARRAY_SIZE(new_type_words) ? new_type_words[type] : "";
	return type < ARRAY_SIZE(type_words) ? type_words[type] : "";
}

static const char *type_word(const struct perf_branch_entry *e)
{
	return e->type < ARRAY_SIZE(type_words) ? branch_text_type(e->type, false) :
						  branch_text_type(e->new_type, true);
}

static void branch_text_add_target(struct strbuf *out, const struct session_record *r,
				   uint32_t field, bool dso, uint64_t address)
{
	struct place place = { .ip = address };
	size_t from;

	if (r->machine)
		machine_find_data(r->machine, r->maps, r->sample.cpumode, address, &place);
	from = out->len;
	if (field != TEXT_BRSTACKSYM) {
		strbuf_addstr(out, "0x");
		number_add_hex(out, field == TEXT_BRSTACKOFF && place.map ? place.address : address,
			       0, ' ');
	} else if (!place.symbol) {
		strbuf_addstr(out, "[unknown]");
	} else {
		strbuf_addstr(out, place.symbol->name);
		strbuf_addstr(out, "+0x");
		number_add_hex(out, place.offset, 0, ' ');
	}
	if (dso) {
		strbuf_addch(out, '(');
		strbuf_addstr(out, map_name(place.map));
		strbuf_addch(out, ')');
	}
	escape_line_ends(out, from);
}

void branch_text_add(struct strbuf *out, const struct session_record *r, uint32_t field, bool dso)
{
	const struct perf_branch_entry *entries = r->sample.branch_stack;

	for (uint64_t i = 0; entries && i < r->sample.nr_branches; i++) {
		const struct perf_branch_entry *e = &entries[i];

		/* perf has a space before addresses only. */
		if (field != TEXT_BRSTACKSYM)
			strbuf_addch(out, ' ');
		branch_text_add_target(out, r, field, dso, e->from);
		strbuf_addch(out, '/');
		branch_text_add_target(out, r, field, dso, e->to);
		strbuf_addf(out, "/%c/%c/%c/%u/%s ", e->predicted ? 'P' : e->mispred ? 'M' : '-',
			    e->in_tx ? 'X' : '-', e->abort ? 'A' : '-', (unsigned int)e->cycles,
			    type_word(e));
	}
}
