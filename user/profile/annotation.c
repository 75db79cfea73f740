// SPDX-License-Identifier: GPL-2.0
#include "profile/annotation.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "lib/array.h"
#include "lib/hash.h"
#include "lib/hash_table.h"
#include "lib/strbuf.h"
#include "symbol/demangle.h"
#include "symbol/elf/dwarf_lines.h"
#include "terminal/word_list.h"

/* The longest jump with an arrow, and the number of lanes for arrows. */
#define JUMP_MAX	1000
#define LANES_MAX	8

/* The most functions inlined into each other that are shown. */
#define DEPTH_MAX	64

void annotation_destroy(struct annotation *a)
{
	if (!a)
		return;
	array_free_each(&a->texts);
	free(a->lines.items);
	free(a->instructions);
	free(a->jumps.items);
	free(a->places.items);
	free(a->memory);
	free(a->totals);
	disassembly_deinit(&a->disassembly);
	code_deinit(&a->code);
	free(a);
}

/* Pass the ownership of @text to the annotation; NULL: out of memory. */
static const char *own_text(struct annotation *a, char *text)
{
	if (text && array_push(&a->texts, text))
		return text;
	free(text);
	return NULL;
}

/* The state while an annotation is built. */
struct annotating {
	struct annotation *a;
	struct source_texts *texts;
	struct dwarf_lines *dwarf;	/* NULL: no debug information */
	bool no_source;
	/* The last shown values. */
	const char *function, *file;
	size_t depth;
	unsigned int line;
};

/* Find the symbol at @target, an address in the code; NULL: none. */
static const struct symbol *annotation_symbol_at(const struct annotation *a, uint64_t target,
						 uint64_t *ret_offset)
{
	const struct counted_function *f = a->function;
	uint64_t address = f->symbol->start + (target - a->code.address), offset;
	const struct symbol *symbol;

	if (target - a->code.address < f->symbol->end - f->symbol->start) {
		*ret_offset = target - a->code.address;
		return f->symbol;
	}
	if (!f->dso->shared && !a->code.relocatable) {
		if (!code_file_offset(&a->code, target, &offset))
			return NULL;
		address = offset;
	}
	symbol = dso_find(f->dso, address);
	if (symbol)
		*ret_offset = address - symbol->start;
	return symbol;
}

/* Append "1200 <walk+0x10>", as objdump does. */
static void add_target(struct strbuf *out, const struct annotation *a, uint64_t target)
{
	uint64_t offset = 0;
	const struct symbol *symbol = annotation_symbol_at(a, target, &offset);

	strbuf_addf(out, "%" PRIx64, target);
	if (symbol && offset)
		strbuf_addf(out, " <%s+%#" PRIx64 ">", symbol->name, offset);
	else if (symbol)
		strbuf_addf(out, " <%s>", symbol->name);
}

/* Append the target or the data of an instruction, as objdump does; NULL: out of memory. */
static const char *instruction_text(struct annotation *a, const struct instruction *i)
{
	_cleanup_(strbuf) struct strbuf text = STRBUF_INIT;
	char number[24];
	const char *at;

	if (a->code.relocatable || (!i->branches && !i->refers))
		return i->text;
	if (i->branches) {
		snprintf(number, sizeof(number), "0x%" PRIx64, i->target);
		at = strstr(i->text, number);
		if (!at || at[strlen(number)])
			return i->text;
		strbuf_add(&text, i->text, at - i->text);
	} else {
		strbuf_addf(&text, "%s        # ", i->text);
	}
	add_target(&text, a, i->target);
	return text.failed ? NULL : own_text(a, take_ptr(text.data));
}

/* Add a line; the result is valid until the next one is added.  NULL: out of memory. */
static struct annotation_line *add_annotation_line(struct annotation *a, enum annotation_kind kind,
					const char *text)
{
	struct annotation_line line = { .kind = kind, .text = text, .target = ANNOTATION_NOWHERE };

	return array_push(&a->lines, line) ? &a->lines.items[a->lines.nr - 1] : NULL;
}

static bool same_text(const char *a, const char *b)
{
	return a == b || (a && b && !strcmp(a, b));
}

/* Add a heading if the code of another function begins; false: out of memory. */
static bool annotation_add_heading(struct annotating *s, const struct source_place *place,
				   size_t depth)
{
	struct annotation_line *line;
	const char *name;

	if (!place->function || (same_text(place->function, s->function) && depth == s->depth))
		return true;
	name = own_text(s->a, demangle(place->function));
	if (!name)
		name = own_text(s->a, strdup(place->function));
	line = name ? add_annotation_line(s->a, ANNOTATION_HEADING, name) : NULL;
	if (!line)
		return false;
	line->file = place->file;
	s->function = place->function;
	s->depth = depth;
	s->line = 0;
	return true;
}

/* Add the line of source if it has changed; false: out of memory. */
static bool annotation_add_source(struct annotating *s, const struct source_place *place)
{
	struct annotation_line *line;

	if (!place->file || !place->line ||
	    (same_text(place->file, s->file) && place->line == s->line))
		return true;
	line = add_annotation_line(s->a, ANNOTATION_SOURCE,
			dso_source_line(s->a->function->dso, s->texts, place->file, place->line));
	if (!line)
		return false;
	line->file = s->file = place->file;
	line->line = s->line = place->line;
	return true;
}

static struct error *add_instruction(struct annotating *s, const struct instruction *i)
{
	struct source_place places[DEPTH_MAX] = { 0 };
	struct annotation *a = s->a;
	struct annotation_line *line;
	size_t depth = 0;
	const char *text;

	if (s->dwarf)
		depth = dwarf_lines_find(s->dwarf, i->address, places, DEPTH_MAX);
	if (depth && (!annotation_add_heading(s, &places[0], depth) ||
		      (!s->no_source && !annotation_add_source(s, &places[0]))))
		return &error_no_memory;
	text = instruction_text(a, i);
	line = text ? add_annotation_line(a, ANNOTATION_INSTRUCTION, text) : NULL;
	if (!line)
		return &error_no_memory;
	line->address = i->address;
	line->size = i->size;
	line->bytes = a->code.bytes + (i->address - a->code.address);
	if (depth) {
		line->file = places[0].file;
		line->line = places[0].line;
	}
	return NULL;
}

/* The line of the instruction that contains @address; NOWHERE: there is none. */
static size_t line_at(const struct annotation *a, uint64_t address)
{
	const size_t position = disassembly_find(&a->disassembly, address);

	return position == SIZE_MAX ? ANNOTATION_NOWHERE : a->instructions[position];
}

static void add_counts(struct sample_count *to, const struct sample_count *from)
{
	to->samples += from->samples;
	to->period += from->period;
}

void annotation_count(struct annotation *a, const struct counted_function *f, const size_t *events)
{
	memset(a->totals, 0, a->columns * sizeof(*a->totals));
	memset(a->memory, 0, a->lines.nr * a->columns * sizeof(*a->memory));
	for (size_t i = 0; i < f->addresses.nr; i++) {
		const struct address_count *at = &f->addresses.items[i];
		size_t line = line_at(a, a->code.address + at->offset);

		for (size_t column = 0; column < a->columns; column++) {
			if (events[column] != at->event)
				continue;
			add_counts(&a->totals[column], &at->count);
			if (line != ANNOTATION_NOWHERE)
				add_counts(&a->lines.items[line].counts[column], &at->count);
		}
	}
}

static struct error *take_annotation_counts(struct annotation *a, const size_t *events)
{
	/* Lines of source get their counts later, from the second half. */
	a->memory = calloc(2 * a->lines.nr * a->columns + 1, sizeof(*a->memory));
	if (!a->memory)
		return &error_no_memory;
	for (size_t i = 0; i < a->lines.nr; i++)
		a->lines.items[i].counts = a->memory + i * a->columns;
	annotation_count(a, a->function, events);
	return NULL;
}

const struct symbol *annotation_target(const struct annotation *a, size_t line, uint64_t *ret_start,
				       uint64_t *ret_offset)
{
	size_t position = disassembly_find(&a->disassembly, a->lines.items[line].address);
	const struct instruction *i;
	const struct symbol *symbol;

	if (position == SIZE_MAX || a->code.relocatable)
		return NULL;
	i = &a->disassembly.items[position];
	symbol = i->branches ? annotation_symbol_at(a, i->target, ret_offset) : NULL;
	if (symbol)
		*ret_start = a->function->start + (i->target - a->code.address) - *ret_offset;
	return symbol;
}

static bool is_jump(const char *text)
{
	return strncmp(text, "call", 4) && strncmp(text, "bl ", 3) && strncmp(text, "lcall", 5);
}

static int compare_jumps(const void *a, const void *b)
{
	const struct annotation_jump *x = a, *y = b;
	size_t first = x->from < x->to ? x->to - x->from : x->from - x->to;
	size_t second = y->from < y->to ? y->to - y->from : y->from - y->to;

	if (first != second)
		return first < second ? -1 : 1;
	return x->from < y->from ? -1 : x->from > y->from;
}

/* Put each arrow into the first free lane; arrows without a lane are dropped. */
static struct error *choose_lanes(struct annotation *a)
{
	_cleanup_free_ unsigned char *used = calloc(a->lines.nr + 1, 1);
	size_t kept = 0;

	if (!used)
		return &error_no_memory;
	array_sort(&a->jumps, compare_jumps);
	for (size_t i = 0; i < a->jumps.nr; i++) {
		struct annotation_jump jump = a->jumps.items[i];
		size_t first = jump.from < jump.to ? jump.from : jump.to;
		size_t last = jump.from < jump.to ? jump.to : jump.from;
		unsigned int mask = 0;

		for (size_t line = first; line <= last; line++)
			mask |= used[line];
		for (jump.lane = 0; jump.lane < LANES_MAX && mask & 1 << jump.lane; )
			jump.lane++;
		if (jump.lane == LANES_MAX)
			continue;
		for (size_t line = first; line <= last; line++)
			used[line] |= 1 << jump.lane;
		if (jump.lane >= a->lanes)
			a->lanes = jump.lane + 1;
		a->jumps.items[kept++] = jump;
	}
	a->jumps.nr = kept;
	return NULL;
}

static struct error *find_jumps(struct annotation *a)
{
	for (size_t i = 0; i < a->disassembly.nr; i++) {
		const struct instruction *from = &a->disassembly.items[i];
		struct annotation_jump jump = { .from = a->instructions[i] };
		size_t span;

		if (!from->branches || a->code.relocatable || !is_jump(from->text))
			continue;
		jump.to = line_at(a, from->target);
		if (jump.to == ANNOTATION_NOWHERE ||
		    a->lines.items[jump.to].address != from->target)
			continue;
		a->lines.items[jump.from].target = jump.to;
		span = jump.from < jump.to ? jump.to - jump.from : jump.from - jump.to;
		if (span <= JUMP_MAX && !array_push(&a->jumps, jump))
			return &error_no_memory;
	}
	return choose_lanes(a);
}

DEFINE_COMPARISON(compare_annotation_places, struct annotation_place,
		  array_descending(x->counts->period, y->counts->period) ?:
		  strcmp(x->file, y->file) ?: array_order(x->line, y->line))

/* NULL: out of memory. */
static struct annotation_place *find_or_add_line_place(struct annotation *a,
						       struct hash_table *table,
						       const struct annotation_line *line)
{
	uint64_t hash = hash_key_join(hash_key_text(line->file), line->line);
	struct annotation_place place = {
		.file = line->file, .line = line->line,
		.counts = a->memory + (a->lines.nr + a->places.nr) * a->columns,
	};

	hash_table_each(table, hash, n) {
		struct annotation_place *known = &a->places.items[n];

		if (known->line == line->line && !strcmp(known->file, line->file))
			return known;
	}
	if (!hash_table_add(table, hash, a->places.nr) || !array_push(&a->places, place))
		return NULL;
	return &a->places.items[a->places.nr - 1];
}

/* Sum up the samples of each line of source. */
static struct error *sum_places(struct annotation *a)
{
	struct hash_table table = { 0 };
	bool failed = false;

	for (size_t i = 0; i < a->lines.nr && !failed; i++) {
		const struct annotation_line *line = &a->lines.items[i];
		struct annotation_place *place;
		uint64_t samples = 0;

		for (size_t column = 0; column < a->columns; column++)
			samples += line->counts[column].samples;
		if (!samples || !line->file || !line->line)
			continue;
		place = find_or_add_line_place(a, &table, line);
		failed = !place;
		for (size_t column = 0; place && column < a->columns; column++)
			add_counts(&place->counts[column], &line->counts[column]);
	}
	hash_table_deinit(&table);
	array_sort(&a->places, compare_annotation_places);
	return failed ? &error_no_memory : NULL;
}

/* Whether a source file is newer than the binary. */
static bool is_source_newer(const struct annotation *a, struct source_texts *texts)
{
	struct stat st;

	if (stat(a->code.path, &st))
		return false;
	for (size_t i = 0; i < a->lines.nr; i++) {
		const struct annotation_line *line = &a->lines.items[i];

		if (line->kind == ANNOTATION_SOURCE && line->text &&
		    source_texts_time(texts, line->file, a->function->dso->source_reader) >
		    st.st_mtime)
			return true;
	}
	return false;
}

static struct error *fill_annotation(struct annotation *a, const size_t *events,
				     const struct annotation_options *options,
				     struct source_texts *texts)
{
	const char *path = a->code.lines ? a->code.lines : a->code.path;
	struct annotating s = {
		.a = a, .texts = texts, .no_source = options->no_source,
		.dwarf = a->code.relocatable ? NULL : dso_lines(a->function->dso, path),
	};
	struct error *err = NULL;

	a->instructions = calloc(a->disassembly.nr + 1, sizeof(*a->instructions));
	if (!a->instructions)
		return &error_no_memory;
	a->has_lines = s.dwarf;
	for (size_t i = 0; i < a->disassembly.nr && !err; i++) {
		err = add_instruction(&s, &a->disassembly.items[i]);
		a->instructions[i] = a->lines.nr - 1;
	}
	if (!err)
		err = take_annotation_counts(a, events);
	if (!err)
		err = find_jumps(a);
	if (!err)
		err = sum_places(a);
	a->source_is_newer = !err && is_source_newer(a, texts);
	return err;
}

struct error *annotation_create(struct machine *machine, const struct counted_function *function,
				const size_t *events, size_t nr_events,
				const struct annotation_options *options,
				struct source_texts *texts, struct annotation **ret)
{
	_cleanup_(annotation) struct annotation *a = calloc(1, sizeof(*a));
	struct error *err;

	if (!a)
		return &error_no_memory;
	a->function = function;
	a->columns = nr_events;
	a->totals = calloc(nr_events + 1, sizeof(*a->totals));
	if (!a->totals)
		return &error_no_memory;
	err = machine_code(machine, function->dso, function->symbol, function->start, &a->code);
	if (!err)
		err = disassemble(&a->code, &options->disassembly, &a->disassembly);
	if (!err)
		err = fill_annotation(a, events, options, texts);
	if (err)
		return err;
	*ret = take_ptr(a);
	return NULL;
}

static const struct {
	const char *name;
	struct percent_type type;
} percent_types[] = {
	{ "local-period|period-local", { false, false } },
	{ "local-hits|hits-local", { false, true } },
	{ "global-period|period-global", { true, false } },
	{ "global-hits|hits-global", { true, true } },
};

const struct word_table percent_type_words = WORD_TABLE(percent_types);

struct error *percent_type_parse(const char *text, struct percent_type *ret)
{
	unsigned int row;
	struct error *err = word_parse(&percent_type_words, "--percent-type does not know", text,
				       &row);

	if (!err)
		*ret = percent_types[row].type;
	return err;
}

const char *percent_type_name(const struct percent_type *type)
{
	static const char *const names[2][2] = {
		{ "local period", "local hits" }, { "global period", "global hits" },
	};

	return names[type->is_global][type->is_hits];
}

double annotation_percent(const struct percent_type *type, const struct sample_count *count,
			  const struct sample_count *function, const struct sample_count *event)
{
	const struct sample_count *whole = type->is_global ? event : function;
	uint64_t part = type->is_hits ? count->samples : count->period;
	uint64_t all = type->is_hits ? whole->samples : whole->period;

	return all ? 100.0 * part / all : 0;
}
