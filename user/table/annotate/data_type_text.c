// SPDX-License-Identifier: GPL-2.0
#include "table/annotate/data_type_text.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "lib/array.h"
#include "lib/color.h"
#include "lib/escape.h"

#define LINE	"============================================================================\n"
#define THIN	"-----------------------------------------------------------\n"

/* A type is written as C has it, so many columns deeper for each level. */
#define INDENT	4

struct type_text {
	const struct data_type *type;
	const struct data_type_columns *columns;
	enum annotation_number number;
	struct strbuf *out;
};

/* Append foreign text, escaped so that it stays on its line. */
static void type_text_add_name(struct strbuf *out, const char *text)
{
	size_t from = out->len;

	strbuf_addstr(out, text);
	escape_line_ends(out, from);
}

static int value_width(const struct type_text *t)
{
	return t->number == ANNOTATION_PERIOD ? 11 : 7;
}

static void add_value(const struct type_text *t, size_t event, uint64_t from, uint64_t size)
{
	struct sample_count all = data_type_total(t->type, event);
	struct sample_count part = data_type_count(t->type, event, from, size);
	double percent = all.period ? 100.0 * part.period / all.period : 0;
	enum color_role role = color_of_percent(percent);

	strbuf_addstr(t->out, color_on(role));
	if (t->number == ANNOTATION_PERIOD)
		strbuf_addf(t->out, " %11" PRIu64, part.period);
	else if (t->number == ANNOTATION_SAMPLES)
		strbuf_addf(t->out, " %7" PRIu64, part.samples);
	else
		strbuf_addf(t->out, " %7.2f", percent);
	strbuf_addstr(t->out, color_off(role));
}

static void add_data_place(const struct type_text *t, uint64_t offset, uint64_t size,
		      unsigned int depth)
{
	for (size_t i = 0; i < t->columns->nr; i++)
		add_value(t, t->columns->events[i], offset, size ? size : !t->type->layout);
	strbuf_addf(t->out, " %10" PRIu64 " %10" PRIu64 "  ", offset, size);
	strbuf_add_spaces(t->out, (size_t)INDENT * depth);
}

/* Add a member and those inside of it; returns the position behind them. */
static size_t add_members(const struct type_text *t, size_t at)
{
	const struct type_layout *layout = t->type->layout;
	const struct type_member *member = &layout->items[at++];
	bool opens = at < layout->nr && layout->items[at].depth > member->depth;

	add_data_place(t, member->offset, member->size, member->depth);
	type_text_add_name(t->out, member->type);
	if (member->name) {
		strbuf_addch(t->out, '\t');
		type_text_add_name(t->out, member->name);
	}
	if (!opens) {
		strbuf_addstr(t->out, member->depth ? ";\n" : "\n");
		return at;
	}
	strbuf_addstr(t->out, member->name ? " {\n" : "\t{\n");
	while (at < layout->nr && layout->items[at].depth > member->depth)
		at = add_members(t, at);
	strbuf_add_spaces(t->out, (value_width(t) + 1) * t->columns->nr + 24 +
			  (size_t)INDENT * member->depth);
	strbuf_addstr(t->out, "};\n");
	return at;
}

static void type_text_add_head(const struct type_text *t)
{
	static const char *const titles[] = {
		[ANNOTATION_PERCENT] = "Percent", [ANNOTATION_SAMPLES] = "Samples",
		[ANNOTATION_PERIOD] = "Period",
	};
	uint64_t samples = 0;

	for (size_t i = 0; i < t->columns->nr; i++)
		samples += data_type_total(t->type, t->columns->events[i]).samples;
	strbuf_addstr(t->out, "Annotate type: '");
	type_text_add_name(t->out, t->type->name);
	strbuf_addch(t->out, '\'');
	if (t->type->dso) {
		strbuf_addstr(t->out, " in ");
		type_text_add_name(t->out, t->type->dso->name);
	}
	strbuf_addf(t->out, " (%" PRIu64 " samples):\n", samples);
	for (size_t i = 0; t->columns->nr > 1 && i < t->columns->nr; i++) {
		strbuf_addf(t->out, " event[%zu] = ", i);
		type_text_add_name(t->out, t->columns->names[i]);
		strbuf_addch(t->out, '\n');
	}
	strbuf_addstr(t->out, LINE);
	strbuf_addf(t->out, "%*s %10s %10s  field\n",
		    (int)((value_width(t) + 1) * t->columns->nr), titles[t->number], "offset",
		    "size");
}

void data_type_text_add(const struct data_type *type, const struct data_type_columns *columns,
			enum annotation_number number, struct strbuf *ret)
{
	struct type_text t = { type, columns, number, ret };

	type_text_add_head(&t);
	if (type->layout) {
		add_members(&t, 0);
	} else {
		add_data_place(&t, 0, 0, 0);
		strbuf_addf(ret, "%s\n", type->name);
	}
	strbuf_addch(ret, '\n');
}

static void add_sum(struct strbuf *out, uint64_t good, uint64_t bad)
{
	double all = good + bad ? good + bad : 1;

	strbuf_addf(out, "total %" PRIu64 ", ok %" PRIu64 " (%.1f%%), bad %" PRIu64 " (%.1f%%)\n",
		    good + bad, good, 100 * good / all, bad, 100 * bad / all);
}

void data_type_text_add_reasons(const struct data_types *types, struct strbuf *ret)
{
	static const char *const names[DATA_ACCESS_NR] = {
		[DATA_ACCESS_NO_SYMBOL] = "no_sym", [DATA_ACCESS_NO_INSTRUCTION] = "no_insn",
		[DATA_ACCESS_NO_OPERAND] = "no_mem_ops", [DATA_ACCESS_NO_DEBUG] = "no_dbginfo",
		[DATA_ACCESS_NO_UNIT] = "no_cuinfo", [DATA_ACCESS_NO_VARIABLE] = "no_var",
		[DATA_ACCESS_NO_TYPE] = "no_typeinfo", [DATA_ACCESS_BAD_OFFSET] = "bad_offset",
	};
	uint64_t good = 0, bad = 0;

	for (size_t i = 0; i < DATA_ACCESS_NR; i++)
		*(names[i] ? &bad : &good) += types->reasons[i];
	strbuf_addstr(ret, "Annotate data type stats:\n");
	add_sum(ret, good, bad);
	strbuf_addstr(ret, THIN);
	for (size_t i = 0; i < DATA_ACCESS_NR; i++)
		if (names[i] && types->reasons[i])
			strbuf_addf(ret, "%10" PRIu64 " : %s\n", types->reasons[i], names[i]);
	strbuf_addch(ret, '\n');
}

static int compare_instructions(const void *a, const void *b)
{
	const struct data_instruction *x = *(const struct data_instruction *const *)a;
	const struct data_instruction *y = *(const struct data_instruction *const *)b;
	int result = array_descending(x->good + x->bad, y->good + y->bad);

	return result ? result : strcmp(x->name, y->name);
}

void data_type_text_add_instructions(const struct data_types *types, struct strbuf *ret)
{
	size_t nr = types->instructions.nr;
	_cleanup_free_ const struct data_instruction **sorted = calloc(nr + 1, sizeof(*sorted));
	uint64_t good = 0, bad = 0;

	if (!sorted) {
		ret->failed = true;
		return;
	}
	for (size_t i = 0; i < nr; i++) {
		sorted[i] = &types->instructions.items[i];
		good += sorted[i]->good;
		bad += sorted[i]->bad;
	}
	qsort(sorted, nr, sizeof(*sorted), compare_instructions);
	strbuf_addstr(ret, "Annotate Instruction stats\n");
	add_sum(ret, good, bad);
	strbuf_addf(ret, "\n  %-20s: %8s %8s\n" THIN, "Name/opcode", "Good", "Bad");
	for (size_t i = 0; i < nr; i++) {
		strbuf_addstr(ret, "  ");
		strbuf_addf(ret, "%-20s: %8" PRIu64 " %8" PRIu64 "\n", sorted[i]->name,
			    sorted[i]->good, sorted[i]->bad);
	}
	strbuf_addch(ret, '\n');
}
