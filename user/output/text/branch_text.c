// SPDX-License-Identifier: GPL-2.0
#include "output/text/line_parts.h"

#include "lib/escape.h"
#include "lib/number.h"
#include "output/text/text_fields.h"
#include "record/branch_type.h"

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
			    branch_type_of(e->type, e->new_type));
	}
}
