// SPDX-License-Identifier: GPL-2.0
#include "output/place_text.h"

#include <stdlib.h>
#include <string.h>

#include "lib/number.h"
#include "output/text_fields.h"

/* Texts kept: a power of two. */
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
	struct slot *slots;
	struct strbuf scratch;
};

struct error *place_text_create(struct machine *machine, struct place_text **ret)
{
	struct place_text *text = calloc(1, sizeof(*text));

	if (text)
		text->slots = calloc(SLOTS, sizeof(*text->slots));
	if (!text || !text->slots) {
		place_text_destroy(text);
		return &error_no_memory;
	}
	text->machine = machine;
	*ret = text;
	return NULL;
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

static void add_symbol(struct strbuf *line, uint32_t fields, const struct place *place)
{
	strbuf_addch(line, ' ');
	if (!place->symbol) {
		strbuf_addstr(line, "[unknown]");
		return;
	}
	strbuf_addstr(line, place->symbol->name);
	if (fields & TEXT_SYMOFF) {
		strbuf_addstr(line, "+0x");
		number_add_hex(line, place->offset, 0, ' ');
	}
}

static void add_dso(struct strbuf *line, const struct place *place)
{
	strbuf_addstr(line, " (");
	strbuf_addstr(line, map_name(place->map));
	strbuf_addch(line, ')');
}

void place_text_add_place(struct place_text *text, struct strbuf *line, uint32_t fields,
			  const struct place *place)
{
	if (fields & TEXT_SYM)
		add_symbol(line, fields, place);
	if (fields & TEXT_DSO)
		add_dso(line, place);
}

static void add_frame(struct place_text *text, struct strbuf *line, uint32_t fields,
		      const struct place *place)
{
	bool in_file = place->map && place->map->dso->kind < DSO_KERNEL;

	strbuf_addch(line, '\t');
	if (fields & TEXT_IP)
		number_add_hex(line, in_file ? place->address : place->ip, 16, ' ');
	place_text_add_place(text, line, fields, place);
	strbuf_addch(line, '\n');
}

static void render(struct place_text *text, struct strbuf *line, uint32_t fields,
		   const struct maps *maps, const struct frame *frame)
{
	struct place place = { .ip = frame->ip };

	if (maps)
		machine_find(text->machine, maps, frame->mode, frame->ip, &place);
	add_frame(text, line, fields, &place);
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

	maps = text->machine ? machine_maps(text->machine, maps, frame->mode) : NULL;
	if (!maps) {
		render(text, line, fields, NULL, frame);
		return;
	}
	version = maps->version;
	slot = slot_of(text, frame->ip, version);
	if (slot->ip == frame->ip && slot->version == version && slot->fields == fields) {
		strbuf_add(line, slot->text, slot->size);
		return;
	}
	strbuf_reset(&text->scratch);
	render(text, &text->scratch, fields, maps, frame);
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
