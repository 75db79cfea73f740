// SPDX-License-Identifier: GPL-2.0
#include "output/text/line_parts.h"

#include <stdlib.h>
#include <string.h>

#include "lib/escape.h"
#include "lib/number.h"
#include "output/text/text_fields.h"
#include "symbol/demangle.h"
#include "symbol/elf/dwarf_lines.h"

/* How many functions that are inlined into each other are shown. */
#define MAX_INLINED	256

/* This bit is set in the columns of an unwound frame, because its text differs. */
#define UNWOUND		(1U << 31)

/* The number of texts kept, a power of two. */
#define SLOTS	(64 * 1024)

struct slot {
	uint64_t ip;
	uint64_t version;	/* of the maps; 0: the slot is free */
	uint32_t fields;
	uint32_t size;
	char *text;
};

struct place_text {
	struct machine *machine;
	bool inlines;
	struct slot *slots;	/* NULL: no frame came yet */
	struct strbuf scratch;
};

struct error *place_text_create(struct machine *machine, bool inlines, struct place_text **ret)
{
	struct place_text *text = calloc(1, sizeof(*text));

	if (!text)
		return &error_no_memory;
	text->machine = machine;
	text->inlines = inlines;
	*ret = text;
	return NULL;
}

void place_text_set_machine(struct place_text *text, struct machine *machine)
{
	text->machine = machine;
}

void place_text_destroy(struct place_text *text)
{
	if (!text)
		return;
	for (size_t i = 0; text->slots && i < SLOTS; i++)
		free(text->slots[i].text);
	free(text->slots);
	strbuf_deinit(&text->scratch);
	free(text);
}

static void add_symbol(struct strbuf *line, uint32_t fields, const struct place *place,
		       const char *name)
{
	size_t from = line->len + 1;

	strbuf_addch(line, ' ');
	strbuf_addstr(line, name);
	escape_line_ends(line, from);
	if (place->symbol && fields & TEXT_SYMOFF) {
		strbuf_addstr(line, "+0x");
		number_add_hex(line, place->offset, 0, ' ');
	}
}

static void add_dso(struct strbuf *line, uint32_t fields, const struct place *place)
{
	size_t from = line->len;

	strbuf_addstr(line, " (");
	strbuf_addstr(line, fields & PLACE_TEXT_KERNEL_PATH ? map_path(place->map) :
						       map_name(place->map));
	escape_line_ends(line, from);
	strbuf_addch(line, ')');
}

static void add_source(struct strbuf *line, uint32_t fields, const struct source_place *source)
{
	const char *slash = fields & PLACE_TEXT_FULL_SOURCE ? NULL : strrchr(source->file, '/');
	size_t from;

	strbuf_addstr(line, "\n  ");
	from = line->len;
	if (fields & PLACE_TEXT_FULL_SOURCE && source->folder)
		strbuf_addf(line, "%s/", source->folder);
	strbuf_addstr(line, slash ? slash + 1 : source->file);
	escape_line_ends(line, from);
	strbuf_addch(line, ':');
	number_add_unsigned(line, source->line, 0, ' ');
}

/* Append the source line, or if it is not known, the binary and the address in it. */
static void add_srcline(struct strbuf *line, uint32_t fields, const struct place *place)
{
	struct source_place source;
	size_t from;

	if (!place->map)
		return;
	if (machine_sources(place, &source, 1) && source.file) {
		add_source(line, fields, &source);
		return;
	}
	strbuf_addstr(line, "\n  ");
	from = line->len;
	strbuf_addf(line, "%s[", place->map->dso->short_name);
	escape_line_ends(line, from);
	number_add_hex(line, place_objdump_address(place), 0, ' ');
	strbuf_addch(line, ']');
}

void place_text_add_place(struct strbuf *line, uint32_t fields, const struct place *place)
{
	if (fields & TEXT_SYM)
		add_symbol(line, fields, place, place->symbol ? place->symbol->name : "[unknown]");
	if (fields & TEXT_DSO)
		add_dso(line, fields, place);
	if (fields & TEXT_SRCLINE)
		add_srcline(line, fields, place);
}

static void place_text_add_address(struct strbuf *line, uint32_t fields, const struct place *place)
{
	bool in_file = place->map && place->map->dso->kind < DSO_KERNEL;

	strbuf_addch(line, '\t');
	if (fields & TEXT_IP)
		number_add_hex(line, in_file ? place->address : place->ip, 16, ' ');
}

/* Append one of the functions at @place; the last one is that of the symbol. */
static void add_inlined(struct strbuf *line, uint32_t fields, const struct place *place,
			const struct source_place *source)
{
	_cleanup_free_ char *readable = source->function ? demangle(source->function) : NULL;
	const char *name = readable ? readable : source->function ? source->function : "??";
	bool inlined = strcmp(name, place->symbol->name);

	place_text_add_address(line, fields, place);
	if (fields & TEXT_SYM)
		add_symbol(line, fields, place, name);
	if (fields & TEXT_DSO && !inlined)
		add_dso(line, fields, place);
	if (fields & TEXT_SRCLINE && source->file)
		add_source(line, fields, source);
	if (inlined)
		strbuf_addstr(line, " (inlined)");
	strbuf_addch(line, '\n');
}

static void place_text_render(struct place_text *text, struct strbuf *line, uint32_t fields,
			      const struct maps *maps, const struct frame *frame)
{
	struct source_place sources[MAX_INLINED];
	struct place place = { .ip = frame->ip };
	size_t nr = 0;

	if (maps)
		machine_find(text->machine, maps, frame->mode, frame->ip, &place);
	if (frame->unwound && text->inlines && place.symbol)
		nr = machine_sources(&place, sources, MAX_INLINED);
	if (nr && sources[0].function) {
		for (size_t i = 0; i < nr; i++)
			add_inlined(line, fields, &place, &sources[i]);
		return;
	}
	place_text_add_address(line, fields, &place);
	place_text_add_place(line, fields, &place);
	strbuf_addch(line, '\n');
}

static struct slot *slot_of(struct place_text *text, uint64_t ip, uint64_t version)
{
	uint64_t hash = (ip ^ version << 48) * 0x9E3779B97F4A7C15ULL;

	return &text->slots[hash >> 32 & (SLOTS - 1)];
}

void place_text_add_frame(struct place_text *text, struct strbuf *line, uint32_t fields,
			  const struct maps *maps, const struct frame *frame)
{
	struct slot *slot;
	uint64_t version;
	char *copy;

	if (frame->unwound)
		fields |= UNWOUND;
	maps = text->machine ? machine_maps(text->machine, maps, frame->mode) : NULL;
	/* Most recordings have no frames, and clearing the table would slow down the start. */
	if (maps && !text->slots)
		text->slots = calloc(SLOTS, sizeof(*text->slots));
	if (!maps || !text->slots) {
		place_text_render(text, line, fields, maps, frame);
		return;
	}
	version = maps->version;
	slot = slot_of(text, frame->ip, version);
	if (slot->ip == frame->ip && slot->version == version && slot->fields == fields) {
		strbuf_add(line, slot->text, slot->size);
		return;
	}
	strbuf_reset(&text->scratch);
	place_text_render(text, &text->scratch, fields, maps, frame);
	if (text->scratch.failed) {
		line->failed = true;
		return;
	}
	strbuf_add(line, text->scratch.data, text->scratch.len);
	copy = realloc(slot->text, text->scratch.len);
	if (!copy)
		return;
	memcpy(copy, text->scratch.data, text->scratch.len);
	*slot = (struct slot){ frame->ip, version, fields, text->scratch.len, copy };
}
