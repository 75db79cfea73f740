// SPDX-License-Identifier: GPL-2.0
#include "table/profile/branch_counts_text.h"

#include <inttypes.h>

#include "record/branch_type.h"

/* As in perf, fewer aborts are not worth a word, percent. */
#define ABORTS_MIN	0.1

static void begin_word(struct strbuf *out, unsigned int *nr)
{
	strbuf_addstr(out, (*nr)++ ? " " : " (");
}

static void add_type_word(struct strbuf *out, unsigned int *nr, bool is_there, const char *word)
{
	if (!is_there)
		return;
	begin_word(out, nr);
	strbuf_addstr(out, word);
}

static void add_branch_types(struct strbuf *out, unsigned int *nr,
			     const struct branch_counts *counts)
{
	if (!counts->types)
		return;
	add_type_word(out, nr, counts->forward, "COND_FWD");
	add_type_word(out, nr, counts->backward, "COND_BWD");
	add_type_word(out, nr, counts->far, "CROSS_2M");
	add_type_word(out, nr, counts->near, "CROSS_4K");
	for (unsigned int type = 0; type < 32; type++)
		add_type_word(out, nr, type != PERF_BR_COND && counts->types >> type & 1,
			      branch_type_name(type, false));
	for (unsigned int type = 0; type < 32; type++)
		add_type_word(out, nr, counts->new_types >> type & 1,
			      branch_type_name(type, true));
}

static void add_target_counts(struct strbuf *out, unsigned int *nr,
			      const struct branch_counts *counts)
{
	const double aborts = counts->aborts * 100.0 / counts->branches;

	add_branch_types(out, nr, counts);
	if (counts->predicted < counts->branches) {
		begin_word(out, nr);
		strbuf_addf(out, "predicted:%.1f%%",
			    counts->predicted * 100.0 / counts->branches);
	}
	if (aborts >= ABORTS_MIN) {
		begin_word(out, nr);
		strbuf_addf(out, "abort:%.1f%%", aborts);
	}
}

static void add_begin_counts(struct strbuf *out, unsigned int *nr,
			     const struct branch_counts *counts)
{
	const uint64_t cycles = counts->cycles / counts->branches;
	/* perf 6.1 does not count the branch that came first. */
	const uint64_t loops = counts->begun > 1 ? counts->loops / (counts->begun - 1) : 0;

	if (cycles) {
		begin_word(out, nr);
		strbuf_addf(out, "cycles:%" PRIu64, cycles);
	}
	if (loops) {
		begin_word(out, nr);
		strbuf_addf(out, "iter:%" PRIu64 " avg_cycles:%" PRIu64, loops,
			    counts->loop_cycles / counts->loops);
	}
}

void branch_counts_text_add(struct strbuf *out, const struct branch_counts *counts)
{
	unsigned int nr = 0;

	if (!counts->branches)
		return;
	if (counts->is_target)
		add_target_counts(out, &nr, counts);
	else
		add_begin_counts(out, &nr, counts);
	if (nr)
		strbuf_addch(out, ')');
}
