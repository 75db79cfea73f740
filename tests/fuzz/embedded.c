// SPDX-License-Identifier: GPL-2.0
/* Data that recordings embed: symbols, lines, code, unwind tables, the kernel, source. */
#include "fuzz.h"

#include <string.h>
#include <zstd.h>

#include "lib/log.h"
#include "symbol/code.h"
#include "symbol/dso.h"
#include "symbol/elf/dwarf_lines.h"
#include "symbol/elf/elf_file.h"
#include "symbol/embedded.h"
#include "symbol/kernel.h"

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	log_quiet = true;
	return 0;
}

static void use_image(const struct embedded_binary *binary)
{
	_cleanup_(elf_file) struct elf_file file = { .fd = -1 };
	size_t size = binary->image.end - binary->image.p;
	_cleanup_free_ char *copy = malloc(size + 1);
	GElf_Phdr segment;

	memcpy(copy, size ? binary->image.p : "", size);
	if (!elf_file_open_memory(&file, copy, size))
		return;
	elf_file_segment(&file, 0x1000, &segment);
	elf_file_section(&file, ".eh_frame");
}

static void use_binary(const struct embedded *embedded, enum dso_kind kind, const char *name)
{
	const struct symbol_options options = { .embedded = embedded };
	const struct embedded_binary *binary;
	struct source_place places[8];
	struct dso *dso;

	if (dso_create(kind, name, name, &dso))
		abort();
	binary = embedded_find(embedded, dso);
	for (uint64_t at = 0; binary && at < 0x40; at++) {
		_cleanup_(code) struct code code = { .size = 0 };
		uint64_t offset;

		if (embedded_code(embedded, binary, at, &code))
			code_file_offset(&code, at, &offset);
	}
	if (binary) {
		use_image(binary);
		error_free(dso_load(dso, &options));
		for (uint64_t at = 0; at < 0x40; at++) {
			dso_find(dso, at);
			if (dso->lines)
				dwarf_lines_find(dso->lines, at, places, 8);
		}
	}
	dso_destroy(dso);
}

static void use_embedded(const struct embedded *embedded)
{
	struct kernel kernel = { .origin = KERNEL_UNKNOWN };
	struct error *err;

	use_binary(embedded, DSO_FILE, "/x");
	use_binary(embedded, DSO_KERNEL, "[kernel.kallsyms]");
	use_binary(embedded, DSO_MODULE, "[x]");
	if (embedded_kernel(embedded, &kernel, &err) && !err)
		symbols_find(&kernel.symbols, 0x10);
	error_free(err);
	kernel_deinit(&kernel);
	for (unsigned int line = 0; line < 16; line++)
		embedded_source(embedded, "x.c", line);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct embedded_head head = { EMBEDDED_MAGIC, EMBEDDED_VERSION, size };
	size_t room = ZSTD_compressBound(size);
	_cleanup_free_ char *packed = malloc(sizeof(head) + room);
	_cleanup_(embedded) struct embedded *embedded = NULL;
	struct error *err;

	/* The data as the whole frame; then compressed, as the contents of a frame. */
	err = embedded_create(data, size, &embedded);
	if (!err)
		use_embedded(embedded);
	error_free(err);
	embedded_destroy(embedded);
	embedded = NULL;
	memcpy(packed, &head, sizeof(head));
	room = ZSTD_compress(packed + sizeof(head), room, data, size, 1);
	if (ZSTD_isError(room))
		abort();
	err = embedded_create(packed, sizeof(head) + room, &embedded);
	if (!err)
		use_embedded(embedded);
	error_free(err);
	return 0;
}
