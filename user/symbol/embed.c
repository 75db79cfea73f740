// SPDX-License-Identifier: GPL-2.0
#include "symbol/embed.h"

#include <errno.h>
#include <string.h>

#include "lib/bytes.h"
#include "lib/library.h"
#include "symbol/elf/dwarf_lines.h"
#include "symbol/embedded.h"
#include "with/zstd.h"

void embed_deinit(struct embed *embed)
{
	strbuf_deinit(&embed->chunks);
}

/* Begin a chunk; pass the result to embed_end(). */
static size_t embed_begin(struct embed *embed, uint32_t tag)
{
	bytes_add_u32(&embed->chunks, tag);
	bytes_add_u32(&embed->chunks, 0);
	return embed->chunks.len;
}

static void embed_end(struct embed *embed, size_t start)
{
	uint32_t size = embed->chunks.len - start;

	if (!embed->chunks.failed)
		memcpy(embed->chunks.data + start - sizeof(size), &size, sizeof(size));
}

static void embed_word(struct embed *embed, const char *text)
{
	strbuf_add(&embed->chunks, text ? text : "", text ? strlen(text) + 1 : 1);
}

/* Add rows for the symbols that were found; returns their number. */
static size_t embed_symbols(struct embed *embed, const struct symbols *symbols)
{
	size_t nr = 0;

	for (size_t i = 0; i < symbols->nr; i++) {
		const struct symbol *symbol = &symbols->items[i];

		if (!symbol->asked)
			continue;
		bytes_add_u64(&embed->chunks, symbol->start);
		bytes_add_u64(&embed->chunks, symbol->end);
		strbuf_addch(&embed->chunks, symbol->binding);
		strbuf_addch(&embed->chunks, symbol->is_data | (symbol->part ? 2 : 0) |
			     (symbol->linkage ? 4 : 0));
		embed_word(embed, symbol->linkage ? symbol->linkage : symbol->name);
		embed_word(embed, symbol->part);
		nr++;
	}
	embed->symbols += nr;
	embed->binaries += nr > 0;
	return nr;
}

static void embed_lines(struct embed *embed, const struct dwarf_lines *lines)
{
	size_t start = embed_begin(embed, EMBEDDED_LINES);

	for (size_t i = 0; i < dwarf_lines_nr(lines); i++) {
		const struct source_place *places;
		uint64_t address;
		size_t nr = dwarf_lines_at(lines, i, &address, &places);

		if (!nr)
			continue;
		bytes_add_u64(&embed->chunks, address);
		bytes_add_u32(&embed->chunks, nr);
		for (size_t k = 0; k < nr; k++) {
			bytes_add_u32(&embed->chunks, places[k].line);
			strbuf_addch(&embed->chunks, (places[k].function ? 1 : 0) |
				     (places[k].file ? 2 : 0));
			embed_word(embed, places[k].function);
			embed_word(embed, places[k].file);
		}
	}
	embed_end(embed, start);
}

void embed_add_binary(struct embed *embed, const struct dso *dso)
{
	bool is_own = dso->kind == DSO_FILE || dso->kind == DSO_VDSO ||
		      dso->kind == DSO_PERF_MAP || (dso->kind == DSO_MODULE && !dso->shared);
	size_t start = embed_begin(embed, EMBEDDED_BINARY);

	bytes_add_u32(&embed->chunks, dso->kind);
	bytes_add_u64(&embed->chunks, dso->numbers.inode);
	/* An assumed build id is not that of the recording. */
	bytes_add_u32(&embed->chunks, dso->assumed ? 0 : dso->id.size);
	strbuf_add(&embed->chunks, dso->id.bytes, sizeof(dso->id.bytes));
	bytes_add_u64(&embed->chunks, dso->text_offset);
	bytes_add_u64(&embed->chunks, dso->map_offset);
	bytes_add_u32(&embed->chunks, (dso->lines ? EMBEDDED_HAS_LINES : 0) |
		      (is_own ? EMBEDDED_OWN_SYMBOLS : 0));
	embed_word(embed, dso->name);
	embed_end(embed, start);
	if (is_own) {
		start = embed_begin(embed, EMBEDDED_SYMBOLS);
		embed_symbols(embed, &dso->own);
		embed_end(embed, start);
	}
	if (dso->lines)
		embed_lines(embed, dso->lines);
}

void embed_add_code(struct embed *embed, uint64_t start, const struct code *code)
{
	size_t at = embed_begin(embed, EMBEDDED_CODE);

	bytes_add_u64(&embed->chunks, start);
	bytes_add_u64(&embed->chunks, code->address);
	bytes_add_u32(&embed->chunks, code->machine);
	bytes_add_u32(&embed->chunks, (code->is_64 ? EMBEDDED_CODE_64 : 0) |
		      (code->relocatable ? EMBEDDED_CODE_MOVES : 0) |
		      (code->cut ? EMBEDDED_CODE_CUT : 0) |
		      (code->lines ? EMBEDDED_CODE_LINES : 0));
	bytes_add_u32(&embed->chunks, CODE_SEGMENTS);
	for (size_t i = 0; i < CODE_SEGMENTS; i++) {
		bytes_add_u64(&embed->chunks, code->segments[i].address);
		bytes_add_u64(&embed->chunks, code->segments[i].size);
		bytes_add_u64(&embed->chunks, code->segments[i].offset);
	}
	embed_word(embed, code->path);
	embed_word(embed, code->lines);
	strbuf_add(&embed->chunks, code->bytes, code->size);
	embed_end(embed, at);
}

void embed_add_image(struct embed *embed, const struct strbuf *image)
{
	size_t start = embed_begin(embed, EMBEDDED_IMAGE);

	strbuf_add(&embed->chunks, strbuf_str(image), image->len);
	embed_end(embed, start);
}

void embed_add_kernel(struct embed *embed, const struct kernel *kernel)
{
	size_t start;

	if (!kernel->origin || (!kernel->ranges.nr && kernel->last <= kernel->first))
		return;
	start = embed_begin(embed, EMBEDDED_KERNEL);
	bytes_add_u32(&embed->chunks, kernel->origin);
	bytes_add_u64(&embed->chunks, kernel->first);
	bytes_add_u64(&embed->chunks, kernel->last);
	embed_word(embed, kernel->path);
	bytes_add_u32(&embed->chunks, kernel->ranges.nr);
	for (size_t i = 0; i < kernel->ranges.nr; i++) {
		const struct kernel_range *range = &kernel->ranges.items[i];

		bytes_add_u64(&embed->chunks, range->start);
		bytes_add_u64(&embed->chunks, range->end);
		bytes_add_u64(&embed->chunks, range->offset);
		strbuf_addch(&embed->chunks, range->part != NULL);
		embed_word(embed, range->part);
	}
	embed_symbols(embed, &kernel->symbols);
	embed_end(embed, start);
}

void embed_add_source(struct embed *embed, const struct embed_line *lines, size_t nr)
{
	size_t start = embed_begin(embed, EMBEDDED_SOURCE);

	embed_word(embed, lines->path);
	for (size_t i = 0; i < nr; i++) {
		bytes_add_u32(&embed->chunks, lines[i].line);
		embed_word(embed, lines[i].text);
	}
	embed_end(embed, start);
}

struct error *embed_finish(struct embed *embed, struct strbuf *ret)
{
	struct embedded_head head = { EMBEDDED_MAGIC, EMBEDDED_VERSION, embed->chunks.len };
	size_t room = ZSTD_compressBound(embed->chunks.len), size;
	struct error *err = library_missing(LIBRARY_ZSTD);

	if (err)
		return error_prefix(err, "Nothing can be embedded");
	if (embed->chunks.failed)
		return &error_no_memory;
	if (embed->chunks.len > EMBEDDED_MAX)
		return error_hint(error_new(E2BIG, "The symbols and the code of the recording are more "
					    "than the %u MiB that can be embedded",
					    EMBEDDED_MAX >> 20),
				  "'ktrace archive' packs the binaries themselves");
	strbuf_add(ret, &head, sizeof(head));
	if (!strbuf_reserve(ret, room))
		return &error_no_memory;
	size = ZSTD_compress(ret->data + ret->len, room, strbuf_str(&embed->chunks),
			     embed->chunks.len, 9);
	if (ZSTD_isError(size))
		return error_new(ENOMEM, "The embedded data cannot be compressed: %s",
				 ZSTD_getErrorName(size));
	ret->len += size;
	return NULL;
}
