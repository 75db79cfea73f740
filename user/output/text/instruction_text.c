// SPDX-License-Identifier: GPL-2.0
#include "output/text/line_parts.h"

#include <stdlib.h>
#include <string.h>

#include "output/text/text_fields.h"
#include "symbol/disassembler.h"

/* No instruction of any machine is longer. */
#define INSTRUCTION_BYTES	16

/* The number of instructions kept, a power of two. */
#define KEPT_INSTRUCTIONS	(16 * 1024)

struct kept_instruction {
	const struct dso *dso;	/* NULL: the slot is free */
	uint64_t address;
	uint32_t size;
	unsigned char bytes[INSTRUCTION_BYTES];
};

struct instruction_texts {
	struct kept_instruction kept[KEPT_INSTRUCTIONS];
};

struct error *instruction_texts_create(struct instruction_texts **ret)
{
	*ret = calloc(1, sizeof(**ret));
	return *ret ? NULL : &error_no_memory;
}

void instruction_texts_destroy(struct instruction_texts *texts)
{
	free(texts);
}

static struct error *read_instruction(struct machine *machine, const struct place *place,
				      struct kept_instruction *ret)
{
	const struct symbol span = { .start = place->address,
				     .end = place->address + INSTRUCTION_BYTES };
	_cleanup_(disassembly) struct disassembly found = { .nr = 0 };
	const struct disassembly_options options = { .style = NULL };
	_cleanup_(code) struct code code = { .size = 0 };
	struct error *err;

	err = machine_code(machine, place->map->dso, &span, place->ip, &code);
	if (err == &error_no_memory)
		return err;
	error_free(err);
	if (err)
		return NULL;
	err = disassemble(&code, &options, &found);
	if (err)
		return err;
	if (!found.nr || found.items[0].size > code.size ||
	    found.items[0].size > INSTRUCTION_BYTES || !strcmp(found.items[0].text, "(bad)"))
		return NULL;
	ret->size = found.items[0].size;
	memcpy(ret->bytes, code.bytes, ret->size);
	return NULL;
}

struct error *instruction_texts_add(struct instruction_texts *texts, struct machine *machine,
				    const struct place *place, uint64_t fields,
				    struct strbuf *out)
{
	uint64_t hash = (place->address ^ (uintptr_t)(place->map ? place->map->dso : NULL) << 16) *
			0x9E3779B97F4A7C15ULL;
	struct kept_instruction *kept = &texts->kept[hash >> 32 & (KEPT_INSTRUCTIONS - 1)];
	const struct dso *dso = place->map ? place->map->dso : NULL;
	const struct kept_instruction none = { .size = 0 };
	const struct kept_instruction *shown = dso ? kept : &none;
	struct error *err;

	if (dso && (kept->dso != dso || kept->address != place->address)) {
		*kept = (struct kept_instruction){ .dso = dso, .address = place->address };
		err = read_instruction(machine, place, kept);
		if (err)
			return err;
	}
	if (fields & TEXT_INSNLEN)
		strbuf_addf(out, " ilen: %u", shown->size);
	if (!(fields & TEXT_INSN) || !shown->size)
		return NULL;
	strbuf_addstr(out, " insn:");
	for (uint32_t i = 0; i < shown->size; i++)
		strbuf_addf(out, " %02x", shown->bytes[i]);
	return NULL;
}
