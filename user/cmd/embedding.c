// SPDX-License-Identifier: GPL-2.0
#include "cmd/embedding.h"

#include <stdlib.h>
#include <string.h>

#include "cmd/recording.h"
#include "lib/array.h"
#include "lib/log.h"
#include "perfdata/embedding.h"
#include "profile/annotation.h"
#include "profile/asked_places.h"
#include "symbol/elf/dwarf_lines.h"
#include "symbol/embed.h"
#include "symbol/embedded.h"
#include "symbol/source_text.h"
#include "symbol/unwind.h"
#include "symbol/unwind_image.h"

/* Symbols by whose addresses 'ktrace lock' recognizes functions of the kernel. */
static const char *const landmarks[] = {
	"__sched_text_start", "__sched_text_end", "__lock_text_start", "__lock_text_end",
};

/* The code of a function. */
struct kept_code {
	const struct dso *dso;
	uint64_t start;
	struct code code;
};

struct embedding {
	struct machine *machine;
	struct asked_places asked;
	struct source_texts *texts;
	ARRAY_OF(struct kept_code) codes;
	ARRAY_OF(struct embed_line) lines;
	struct embed embed;
};

static void embedding_deinit(struct embedding *e)
{
	for (size_t i = 0; i < e->codes.nr; i++)
		code_deinit(&e->codes.items[i].code);
	free(e->codes.items);
	free(e->lines.items);
	embed_deinit(&e->embed);
	source_texts_destroy(e->texts);
	asked_places_deinit(&e->asked);
	machine_destroy(e->machine);
}
DEFINE_CLEANUP(embedding, struct embedding, embedding_deinit)

/*
 * Embed the code of a function.  Disassembling it requests the symbols that it calls and its lines,
 * which are embedded, too.  Without a disassembler the copy will have no listing.
 */
static struct error *keep_function(struct embedding *e, const struct counted_function *f)
{
	struct kept_code kept = { .dso = f->dso, .start = f->symbol->start };
	struct annotation_options options = { .no_source = true };
	_cleanup_(annotation) struct annotation *annotation = NULL;
	struct error *err;

	err = machine_code(e->machine, f->dso, f->symbol, f->start, &kept.code);
	if (!err && !array_push(&e->codes, kept)) {
		code_deinit(&kept.code);
		return &error_no_memory;
	}
	if (!err)
		err = annotation_create(e->machine, f, NULL, 0, &options, e->texts, &annotation);
	if (err == &error_no_memory)
		return err;
	error_free(err);
	return NULL;
}

static struct error *keep_functions(struct embedding *e)
{
	struct error *err = NULL;

	for (size_t i = 0; i < function_counts_nr(e->asked.counts) && !err; i++)
		err = keep_function(e, function_counts_at(e->asked.counts, i));
	return err;
}

/* Collect the lines of source at which the addresses of a binary are. */
static struct error *collect_lines(struct embedding *e, const struct dso *dso)
{
	const struct dwarf_lines *lines = dso->lines;

	for (size_t i = 0; i < dwarf_lines_nr(lines); i++) {
		const struct source_place *places;
		struct embed_line line;
		uint64_t address;

		if (!dwarf_lines_at(lines, i, &address, &places) || !places->file ||
		    !places->line)
			continue;
		line = (struct embed_line){ .path = places->file, .line = places->line,
						.reader = dso->source_reader };
		if (!array_push(&e->lines, line))
			return &error_no_memory;
	}
	return NULL;
}

DEFINE_COMPARISON(compare_embed_lines, struct embed_line, strcmp(x->path, y->path) ?:
		  array_order(x->line, y->line))

/* Embed each line once, file by file. */
static void embed_sources(struct embedding *e)
{
	const struct embedded *embedded = machine_symbol_options(e->machine)->embedded;
	struct embed_line *lines = e->lines.items;
	size_t nr = 0, first = 0;

	if (e->lines.nr)
		qsort(lines, e->lines.nr, sizeof(*lines), compare_embed_lines);
	for (size_t i = 0; i < e->lines.nr; i++) {
		if (nr && !compare_embed_lines(&lines[nr - 1], &lines[i]))
			continue;
		lines[nr] = lines[i];
		lines[nr].text = embedded_source(embedded, lines[i].path, lines[i].line);
		if (!lines[nr].text)
			lines[nr].text = source_texts_line(e->texts, lines[i].path,
							   lines[i].line, lines[i].reader);
		if (lines[nr].text)
			nr++;
	}
	for (size_t i = 1; i <= nr; i++) {
		if (i < nr && !strcmp(lines[i].path, lines[first].path))
			continue;
		embed_add_source(&e->embed, lines + first, i - first);
		first = i;
	}
}

static struct error *embed_image(struct embedding *e, const struct dso *dso)
{
	_cleanup_(elf_file) struct elf_file file = { .fd = -1 };
	_cleanup_(strbuf) struct strbuf image = STRBUF_INIT;
	_cleanup_free_ uint64_t *offsets = calloc(e->asked.unwound.nr + 1, sizeof(*offsets));
	const struct symbol_options *options = machine_symbol_options(e->machine);
	const struct embedded_binary *embedded;
	size_t nr = 0;

	if (!offsets)
		return &error_no_memory;
	for (size_t i = 0; i < e->asked.unwound.nr; i++)
		if (e->asked.unwound.items[i].dso == dso)
			offsets[nr++] = e->asked.unwound.items[i].offset;
	if (!nr)
		return NULL;
	embedded = embedded_find(options->embedded, dso);
	unwind_open(dso, options, &file);
	if (file.elf)
		unwind_image_make(&file, offsets, nr, &image);
	else if (embedded)
		strbuf_add(&image, embedded->image.p, embedded->image.end - embedded->image.p);
	if (image.len)
		embed_add_image(&e->embed, &image);
	return image.failed ? &error_no_memory : NULL;
}

static struct error *embed_binary(struct embedding *e, const struct dso *dso)
{
	bool is_file = dso->kind == DSO_FILE || dso->kind == DSO_VDSO || dso->kind == DSO_PERF_MAP;
	struct error *err = NULL;

	/* Another machine may have files that were not found here. */
	if (!dso->hits || dso->state != DSO_READ || (is_file && !dso->own.nr))
		return NULL;
	embed_add_binary(&e->embed, dso);
	for (size_t i = 0; i < e->codes.nr; i++)
		if (e->codes.items[i].dso == dso)
			embed_add_code(&e->embed, e->codes.items[i].start, &e->codes.items[i].code);
	err = embed_image(e, dso);
	if (!err && dso->lines)
		err = collect_lines(e, dso);
	return err;
}

static struct error *embed_all(struct embedding *e, struct strbuf *ret)
{
	const struct dso *dso;
	struct error *err = NULL;

	for (size_t i = 0; (dso = machine_dso(e->machine, i)) && !err; i++)
		err = embed_binary(e, dso);
	if (err)
		return err;
	embed_sources(e);
	embed_add_kernel(&e->embed, machine_kernel(e->machine));
	return embed_finish(&e->embed, ret);
}

/* Read the recording to find the required symbols, code and lines. */
static struct error *find_needed(struct embedding *e, struct reader *reader,
				 const struct symbol_options *symbols)
{
	struct selection everything = { .cpus = NULL };
	struct error *err;

	err = asked_places_init(&e->asked);
	if (!err)
		err = source_texts_create(NULL, 0, &e->texts);
	if (!err)
		err = recording_machine(reader, symbols, &e->machine);
	if (!err)
		err = recording_run(reader, e->machine, &everything, &e->asked.consumer, false,
				    NULL);
	for (size_t i = 0; i < ARRAY_SIZE(landmarks) && !err; i++)
		machine_kernel_address(e->machine, landmarks[i]);
	return err ? err : keep_functions(e);
}

struct error *embedding_make(const char *path, const struct symbol_options *symbols)
{
	_cleanup_(strbuf) struct strbuf packed = STRBUF_INIT;
	_cleanup_(reader) struct reader *reader = NULL;
	_cleanup_(embedding) struct embedding e = { .embed = EMBED_INIT };
	struct error *err;

	err = reader_open(path, &reader);
	if (!err)
		err = find_needed(&e, reader, symbols);
	if (!err)
		err = embed_all(&e, &packed);
	if (!err)
		err = embedding_store(path, &packed);
	if (!err)
		log_notice("Embedded %zu symbols of %zu files, %zu KiB.", e.embed.symbols,
			   e.embed.binaries, (packed.len + 1023) / 1024);
	return err;
}
