// SPDX-License-Identifier: GPL-2.0
#include "output/text/line_parts.h"

#include <stdlib.h>
#include <string.h>

#include "lib/array.h"
#include "lib/hash.h"
#include "lib/hash_table.h"
#include "symbol/elf/dwarf_lines.h"
#include "symbol/source_text.h"

/* The last printed line of a thread. */
struct last_line {
	int32_t tid;
	const char *file;
	unsigned int line;
};

struct source_lines {
	struct source_texts *texts;
	struct last_line *items;
	size_t nr, alloc;
	struct hash_table by_tid;
};

struct error *source_lines_create(struct source_lines **ret)
{
	_cleanup_(source_lines) struct source_lines *lines = calloc(1, sizeof(*lines));
	struct error *err;

	if (!lines)
		return &error_no_memory;
	err = source_texts_create(NULL, 0, &lines->texts);
	if (!err)
		*ret = take_ptr(lines);
	return err;
}

void source_lines_destroy(struct source_lines *lines)
{
	if (!lines)
		return;
	source_texts_destroy(lines->texts);
	hash_table_deinit(&lines->by_tid);
	free(lines->items);
	free(lines);
}

static struct last_line *last_line_of(struct source_lines *lines, int32_t tid)
{
	uint64_t hash = hash_key_number((uint32_t)tid);
	const struct last_line none = { .tid = tid };

	hash_table_each(&lines->by_tid, hash, n)
		if (lines->items[n].tid == tid)
			return &lines->items[n];
	if (!array_push(lines, none) || !hash_table_add(&lines->by_tid, hash, lines->nr - 1))
		return NULL;
	return &lines->items[lines->nr - 1];
}

struct error *source_lines_add(struct source_lines *lines, int32_t tid, const struct place *place,
			       struct strbuf *out)
{
	struct source_place source;
	struct last_line *last;
	const char *text;

	if (!place->map || !machine_sources(place, &source, 1) || !source.file || !source.line)
		return NULL;
	text = dso_source_line(place->map->dso, lines->texts, source.file, source.line);
	if (!text)
		return NULL;
	last = last_line_of(lines, tid);
	if (!last)
		return &error_no_memory;
	if (last->file && last->line == source.line && !strcmp(last->file, source.file))
		return NULL;
	last->file = source.file;
	last->line = source.line;
	strbuf_addf(out, "|%-8u %s\n", source.line, text);
	return NULL;
}
