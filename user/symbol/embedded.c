// SPDX-License-Identifier: GPL-2.0
#include "symbol/embedded.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lib/array.h"
#include "lib/library.h"
#include "symbol/code.h"
#include "symbol/dso.h"
#include "symbol/elf/dwarf_lines.h"
#include "symbol/kernel.h"
#include "with/zstd.h"

/* The most source places of one address. */
#define PLACES_MAX	256

/* The code of a function. */
struct embedded_function {
	size_t binary;		/* position in binaries */
	uint64_t start;
	struct bytes rest;
};

/* The path of a chunk with lines of source. */
struct embedded_source {
	const char *path;
	size_t number;		/* of the chunk */
};

struct embedded_line {
	size_t source;		/* the number of the chunk, then the rank of its path */
	uint32_t line;
	const char *text;
};

struct embedded {
	char *data;
	ARRAY_OF(struct embedded_binary) binaries;
	const struct embedded_binary **by_name;	/* the same binaries by name, ascending; owned */
	ARRAY_OF(struct embedded_function) functions;	/* ascending */
	ARRAY_OF(struct embedded_source) sources;	/* ascending */
	ARRAY_OF(struct embedded_line) lines;		/* ascending */
	struct bytes kernel;
};

void embedded_destroy(struct embedded *embedded)
{
	if (!embedded)
		return;
	free(embedded->data);
	free(embedded->binaries.items);
	free(embedded->by_name);
	free(embedded->functions.items);
	free(embedded->sources.items);
	free(embedded->lines.items);
	free(embedded);
}

static bool take_embedded_binary(struct embedded *embedded, struct bytes *b)
{
	struct embedded_binary binary = { .kind = bytes_take_u32(b) };

	binary.inode = bytes_take_u64(b);
	binary.id_size = bytes_take_u32(b);
	binary.id = (const uint8_t *)bytes_take(b, BUILD_ID_BYTES);
	binary.text_offset = bytes_take_u64(b);
	binary.map_offset = bytes_take_u64(b);
	binary.flags = bytes_take_u32(b);
	binary.name = bytes_take_word(b);
	if (binary.id_size > BUILD_ID_BYTES)
		b->ok = false;
	return array_push(&embedded->binaries, binary);
}

static bool take_function_code(struct embedded *embedded, struct bytes *b)
{
	struct embedded_function function = {
		.binary = embedded->binaries.nr - 1, .start = bytes_take_u64(b),
	};

	function.rest = *b;
	return array_push(&embedded->functions, function);
}

static bool take_embedded_source(struct embedded *embedded, struct bytes *b)
{
	const struct embedded_source source = { bytes_take_word(b), embedded->sources.nr };

	if (!array_push(&embedded->sources, source))
		return false;
	while (b->ok && b->p < b->end) {
		struct embedded_line line = {
			.source = source.number, .line = bytes_take_u32(b),
		};

		line.text = bytes_take_word(b);
		if (b->ok && !array_push(&embedded->lines, line))
			return false;
	}
	return true;
}

/* False: out of memory. */
static bool take_embedded_chunk(struct embedded *embedded, uint32_t tag, struct bytes *chunk)
{
	struct embedded_binary *binary = NULL;

	if (embedded->binaries.nr)
		binary = &embedded->binaries.items[embedded->binaries.nr - 1];
	switch (tag) {
	case EMBEDDED_BINARY:
		return take_embedded_binary(embedded, chunk);
	case EMBEDDED_KERNEL:
		embedded->kernel = *chunk;
		return true;
	case EMBEDDED_SOURCE:
		return take_embedded_source(embedded, chunk);
	case EMBEDDED_SYMBOLS:
		if (binary)
			binary->symbols = *chunk;
		return true;
	case EMBEDDED_LINES:
		if (binary)
			binary->lines = *chunk;
		return true;
	case EMBEDDED_IMAGE:
		if (binary)
			binary->image = *chunk;
		return true;
	case EMBEDDED_CODE:
		return !binary || take_function_code(embedded, chunk);
	default:
		return true;
	}
}

static struct error *embedded_damaged(void)
{
	return error_new(EBADMSG, "The data embedded in the recording is damaged");
}

DEFINE_COMPARISON(compare_functions, struct embedded_function, array_order(x->binary, y->binary) ?:
		  array_order(x->start, y->start))

/* Compare everything but the build id. */
static int compare_places(const struct embedded_binary *x, const struct embedded_binary *y)
{
	int order = strcmp(x->name, y->name);

	if (order)
		return order;
	if (x->kind != y->kind)
		return x->kind < y->kind ? -1 : 1;
	return x->inode < y->inode ? -1 : x->inode > y->inode;
}

/* Binaries without a build id come first. */
static int compare_binaries(const struct embedded_binary *x, const struct embedded_binary *y)
{
	int order = compare_places(x, y);

	if (order)
		return order;
	if (x->id_size != y->id_size)
		return x->id_size < y->id_size ? -1 : 1;
	return x->id_size ? memcmp(x->id, y->id, x->id_size) : 0;
}

/* Among equal ones, the first in the recording comes first. */
DEFINE_COMPARISON(compare_named, struct embedded_binary *, compare_binaries(*x, *y) ?:
		  array_order(*x, *y))

DEFINE_COMPARISON(compare_sources, struct embedded_source, strcmp(x->path, y->path))

DEFINE_COMPARISON(compare_lines, struct embedded_line, array_order(x->source, y->source) ?:
		  array_order(x->line, y->line))

/*
 * Give each line the rank of its path, the position of the first equal one, for sorting: a path may
 * have millions of letters, and millions of lines.
 */
static struct error *rank_sources(struct embedded *embedded)
{
	const struct embedded_source *sources = embedded->sources.items;
	size_t nr = embedded->sources.nr, first = 0;
	_cleanup_free_ size_t *ranks = calloc(nr + 1, sizeof(*ranks));

	if (!ranks)
		return &error_no_memory;
	if (nr)
		qsort(embedded->sources.items, nr, sizeof(*sources), compare_sources);
	for (size_t i = 0; i < nr; i++) {
		if (strcmp(sources[i].path, sources[first].path))
			first = i;
		ranks[sources[i].number] = first;
	}
	for (size_t i = 0; i < embedded->lines.nr; i++)
		embedded->lines.items[i].source = ranks[embedded->lines.items[i].source];
	return NULL;
}

/*
 * Sort for look-ups.  Hash tables would become slow: a small file can hold millions of equal names.
 */
static struct error *sort_embedded(struct embedded *embedded)
{
	size_t nr = embedded->binaries.nr;
	struct error *err = rank_sources(embedded);

	if (err)
		return err;
	embedded->by_name = calloc(nr + 1, sizeof(*embedded->by_name));
	if (!embedded->by_name)
		return &error_no_memory;
	for (size_t i = 0; i < nr; i++)
		embedded->by_name[i] = &embedded->binaries.items[i];
	if (nr)
		qsort(embedded->by_name, nr, sizeof(*embedded->by_name), compare_named);
	array_sort(&embedded->functions, compare_functions);
	array_sort(&embedded->lines, compare_lines);
	return NULL;
}

static struct error *parse_embedded(struct embedded *embedded, size_t size)
{
	struct bytes b = bytes_of(embedded->data, size);

	while (b.p < b.end) {
		uint32_t tag = bytes_take_u32(&b), length = bytes_take_u32(&b);
		const char *at = bytes_take(&b, length);
		struct bytes chunk = bytes_of(at, at ? length : 0);

		if (!at)
			return embedded_damaged();
		if (!take_embedded_chunk(embedded, tag, &chunk))
			return &error_no_memory;
		if (!chunk.ok)
			return embedded_damaged();
	}
	return sort_embedded(embedded);
}

struct error *embedded_create(const void *data, size_t size, struct embedded **ret)
{
	_cleanup_(embedded) struct embedded *embedded = calloc(1, sizeof(*embedded));
	struct embedded_head head = { 0 };
	struct error *err = library_missing(LIBRARY_ZSTD);
	size_t got;

	if (err)
		return error_prefix(err, "The data embedded in the recording cannot be read");
	if (!embedded)
		return &error_no_memory;
	if (size < sizeof(head))
		return embedded_damaged();
	memcpy(&head, data, sizeof(head));
	if (head.magic != EMBEDDED_MAGIC || head.version != EMBEDDED_VERSION)
		return error_new(EPROTO, "The data embedded in the recording was written by "
				 "another version of ktrace, or on a machine of the other byte "
				 "order");
	if (head.size > EMBEDDED_MAX)
		return embedded_damaged();
	embedded->data = malloc(head.size + 1);
	if (!embedded->data)
		return &error_no_memory;
	got = ZSTD_decompress(embedded->data, head.size, (const char *)data + sizeof(head),
			      size - sizeof(head));
	if (ZSTD_isError(got) || got != head.size)
		return embedded_damaged();
	err = parse_embedded(embedded, head.size);
	if (err)
		return err;
	*ret = take_ptr(embedded);
	return NULL;
}

/* The first binary that is not before @wanted; NULL: none. */
static const struct embedded_binary *find_not_before(const struct embedded *embedded,
						     const struct embedded_binary *wanted)
{
	size_t nr = array_count_while(embedded->binaries.nr, i,
				      compare_binaries(embedded->by_name[i], wanted) < 0);

	return nr < embedded->binaries.nr ? embedded->by_name[nr] : NULL;
}

/* If one side has no build id, the name and the inode decide. */
const struct embedded_binary *embedded_find(const struct embedded *embedded,
					    const struct dso *dso)
{
	struct embedded_binary wanted = { .name = dso->name, .kind = dso->kind,
					  .inode = dso->numbers.inode };
	const struct embedded_binary *found;

	if (!embedded)
		return NULL;
	found = find_not_before(embedded, &wanted);
	if (!found || compare_places(found, &wanted))
		return NULL;
	if (!found->id_size || !dso->id.size || dso->assumed)
		return found;
	wanted.id = dso->id.bytes;
	wanted.id_size = dso->id.size;
	found = find_not_before(embedded, &wanted);
	return found && !compare_binaries(found, &wanted) ? found : NULL;
}

struct error *embedded_symbols(struct bytes rows, struct symbols *symbols)
{
	while (rows.ok && rows.p < rows.end) {
		struct symbol symbol = { .start = bytes_take_u64(&rows) };
		uint8_t flags;

		symbol.end = bytes_take_u64(&rows);
		symbol.binding = bytes_take_u8(&rows);
		flags = bytes_take_u8(&rows);
		symbol.is_data = flags & 1;
		symbol.mangled = flags & 4;
		symbol.name = bytes_take_word(&rows);
		symbol.part = bytes_take_word(&rows);
		if (!(flags & 2))
			symbol.part = NULL;
		if (!rows.ok || symbol.end < symbol.start)
			return embedded_damaged();
		if (!symbols_add(symbols, &symbol))
			continue;
		return &error_no_memory;
	}
	return symbols_sort(symbols);
}

struct dwarf_lines *embedded_lines(const struct embedded_binary *binary)
{
	struct bytes rows = binary->lines;
	struct dwarf_lines *lines;

	if (!(binary->flags & EMBEDDED_HAS_LINES))
		return NULL;
	lines = dwarf_lines_create();
	while (lines && rows.ok && rows.p < rows.end) {
		struct source_place places[PLACES_MAX];
		uint64_t address = bytes_take_u64(&rows);
		uint32_t nr = bytes_take_u32(&rows);

		for (uint32_t i = 0; i < nr && i < PLACES_MAX && rows.ok; i++) {
			uint8_t flags;

			places[i].line = bytes_take_u32(&rows);
			flags = bytes_take_u8(&rows);
			places[i].function = bytes_take_word(&rows);
			places[i].file = bytes_take_word(&rows);
			places[i].folder = NULL;
			if (!(flags & 1))
				places[i].function = NULL;
			if (!(flags & 2))
				places[i].file = NULL;
		}
		if (!rows.ok || nr > PLACES_MAX || !dwarf_lines_add(lines, address, places, nr))
			break;
	}
	return lines;
}

static bool take_code_head(struct bytes *b, struct code *ret)
{
	uint32_t flags, nr;
	const char *path, *lines;

	ret->address = bytes_take_u64(b);
	ret->machine = bytes_take_u32(b);
	flags = bytes_take_u32(b);
	ret->is_64 = flags & EMBEDDED_CODE_64;
	ret->relocatable = flags & EMBEDDED_CODE_MOVES;
	ret->cut = flags & EMBEDDED_CODE_CUT;
	nr = bytes_take_u32(b);
	if (nr > CODE_SEGMENTS)
		return false;
	for (uint32_t i = 0; i < nr; i++) {
		ret->segments[i].address = bytes_take_u64(b);
		ret->segments[i].size = bytes_take_u64(b);
		ret->segments[i].offset = bytes_take_u64(b);
	}
	path = bytes_take_word(b);
	lines = bytes_take_word(b);
	ret->path = strdup(path);
	if (flags & EMBEDDED_CODE_LINES)
		ret->lines = strdup(lines);
	return b->ok && ret->path && (ret->lines || !(flags & EMBEDDED_CODE_LINES));
}

bool embedded_code(const struct embedded *embedded, const struct embedded_binary *binary,
		   uint64_t start, struct code *ret)
{
	_cleanup_(code) struct code code = { .size = 0 };
	const struct embedded_function *found = NULL;
	struct embedded_function wanted = { .start = start };
	struct bytes b;

	wanted.binary = binary - embedded->binaries.items;
	if (embedded->functions.nr)
		found = bsearch(&wanted, embedded->functions.items, embedded->functions.nr,
				sizeof(wanted), compare_functions);
	if (!found)
		return false;
	b = found->rest;
	if (!take_code_head(&b, &code) || b.p == b.end || b.end - b.p > CODE_MAX)
		return false;
	code.size = b.end - b.p;
	code.bytes = malloc(code.size + 1);
	if (!code.bytes)
		return false;
	memcpy(code.bytes, b.p, code.size);
	*ret = code;
	code = (struct code){ .size = 0 };
	return true;
}

bool embedded_kernel(const struct embedded *embedded, struct kernel *kernel,
		     struct error **ret_error)
{
	struct bytes b = embedded->kernel;
	const char *path;
	uint32_t nr;

	*ret_error = NULL;
	if (!b.p || b.p == b.end)
		return false;
	kernel->origin = bytes_take_u32(&b) == KERNEL_VMLINUX ? KERNEL_VMLINUX : KERNEL_KALLSYMS;
	kernel->of_recording = true;
	kernel->first = bytes_take_u64(&b);
	kernel->last = bytes_take_u64(&b);
	path = bytes_take_word(&b);
	kernel->path = strdup(path);
	nr = bytes_take_u32(&b);
	for (uint32_t i = 0; i < nr && b.ok && !*ret_error; i++) {
		struct kernel_range range = { .start = bytes_take_u64(&b) };
		uint8_t has_part;

		range.end = bytes_take_u64(&b);
		range.offset = bytes_take_u64(&b);
		has_part = bytes_take_u8(&b);
		range.part = bytes_take_word(&b);
		if (!has_part)
			range.part = NULL;
		if (range.end <= range.start)
			b.ok = false;
		if (!array_push(&kernel->ranges, range))
			*ret_error = &error_no_memory;
	}
	/* Without ranges, the kernel is the memory between the two addresses. */
	if (!*ret_error && (!b.ok || (!nr && kernel->last <= kernel->first)))
		*ret_error = embedded_damaged();
	if (!*ret_error)
		*ret_error = kernel->path ? embedded_symbols(b, &kernel->symbols) :
					    &error_no_memory;
	return true;
}

/* The rank of a path; if it is not there, that of the next larger one. */
static size_t embedded_source_rank(const struct embedded *embedded, const char *path)
{
	return array_count_while(embedded->sources.nr, i,
				 strcmp(embedded->sources.items[i].path, path) < 0);
}

const char *embedded_source(const struct embedded *embedded, const char *path, unsigned int line)
{
	struct embedded_line wanted = { .line = line };
	const struct embedded_line *found;

	if (!embedded || !embedded->lines.nr)
		return NULL;
	wanted.source = embedded_source_rank(embedded, path);
	if (wanted.source == embedded->sources.nr ||
	    strcmp(embedded->sources.items[wanted.source].path, path))
		return NULL;
	found = bsearch(&wanted, embedded->lines.items, embedded->lines.nr, sizeof(wanted),
			compare_lines);
	return found ? found->text : NULL;
}
