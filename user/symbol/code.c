// SPDX-License-Identifier: GPL-2.0
#include "symbol/code.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "symbol/debuginfod.h"
#include "symbol/elf/elf_file.h"

void code_deinit(struct code *code)
{
	free(code->bytes);
	free(code->path);
	free(code->lines);
	*code = (struct code){ .size = 0 };
}

/*
 * Find the virtual address of the byte at @offset, and the number of bytes of the file that follow
 * it in the same segment; false: it is no code.
 */
static bool find_in_segments(const struct elf_file *file, uint64_t offset, uint64_t *ret_address,
			     uint64_t *ret_left)
{
	size_t nr;

	if (elf_getphdrnum(file->elf, &nr))
		return false;
	for (size_t i = 0; i < nr; i++) {
		GElf_Phdr s;

		if (!gelf_getphdr(file->elf, i, &s) || s.p_type != PT_LOAD || !(s.p_flags & PF_X) ||
		    offset < s.p_offset || offset - s.p_offset >= s.p_filesz)
			continue;
		*ret_address = s.p_vaddr + (offset - s.p_offset);
		*ret_left = s.p_filesz - (offset - s.p_offset);
		return true;
	}
	return false;
}

/* As find_in_segments(), but by sections, because modules have no segments. */
static bool find_in_sections(const struct elf_file *file, uint64_t offset, uint64_t *ret_address,
			     uint64_t *ret_left)
{
	Elf_Scn *scn = NULL;

	while ((scn = elf_nextscn(file->elf, scn))) {
		GElf_Shdr s;

		if (!gelf_getshdr(scn, &s) || s.sh_type == SHT_NOBITS ||
		    !(s.sh_flags & SHF_EXECINSTR) || offset < s.sh_offset ||
		    offset - s.sh_offset >= s.sh_size)
			continue;
		*ret_address = s.sh_addr + (offset - s.sh_offset);
		*ret_left = s.sh_size - (offset - s.sh_offset);
		return true;
	}
	return false;
}

static void keep_segments(const struct elf_file *file, struct code *code)
{
	size_t nr, kept = 0;

	if (elf_getphdrnum(file->elf, &nr))
		return;
	for (size_t i = 0; i < nr && kept < CODE_SEGMENTS; i++) {
		GElf_Phdr s;

		if (gelf_getphdr(file->elf, i, &s) && s.p_type == PT_LOAD)
			code->segments[kept++] = (struct code_segment){
				s.p_vaddr, s.p_memsz > s.p_filesz ? s.p_memsz : s.p_filesz,
				s.p_offset,
			};
	}
}

bool code_file_offset(const struct code *code, uint64_t address, uint64_t *ret)
{
	for (size_t i = 0; i < CODE_SEGMENTS; i++) {
		const struct code_segment *s = &code->segments[i];

		if (address < s->address || address - s->address >= s->size)
			continue;
		*ret = s->offset + (address - s->address);
		return true;
	}
	return false;
}

static size_t read_code_bytes(const struct elf_file *file, uint64_t offset, unsigned char *bytes,
			 size_t size)
{
	size_t done = 0, len;
	const char *image;

	if (file->fd < 0) {
		image = elf_rawfile(file->elf, &len);
		if (!image || offset > len)
			return 0;
		done = size < len - offset ? size : len - offset;
		memcpy(bytes, image + offset, done);
		return done;
	}
	while (done < size) {
		ssize_t n = pread(file->fd, bytes + done, size - done, offset + done);

		if (n <= 0)
			break;
		done += n;
	}
	return done;
}

static struct error *read_code(const struct elf_file *file, const char *path, uint64_t offset,
			       uint64_t size, struct code *ret)
{
	_cleanup_(code) struct code code = {
		.machine = file->header.e_machine,
		.is_64 = file->header.e_ident[EI_CLASS] == ELFCLASS64,
		.cut = size > CODE_MAX,
		.relocatable = file->header.e_type == ET_REL,
	};
	uint64_t left;

	if (!find_in_segments(file, offset, &code.address, &left) &&
	    !find_in_sections(file, offset, &code.address, &left))
		return error_new(ENOENT, "%s has no code where the function should be", path);
	if (size > CODE_MAX)
		size = CODE_MAX;
	if (size > left)
		size = left;
	keep_segments(file, &code);
	code.path = strdup(path);
	code.bytes = malloc(size + 1);
	if (!code.path || !code.bytes)
		return &error_no_memory;
	code.size = read_code_bytes(file, offset, code.bytes, size);
	if (!code.size)
		return error_new(ENOENT, "%s ends before the code of the function", path);
	*ret = code;
	code = (struct code){ .size = 0 };
	return NULL;
}

struct error *code_read_file(const char *path, uint64_t offset, uint64_t size, struct code *ret)
{
	_cleanup_(elf_file) struct elf_file file = { .fd = -1 };

	if (!elf_file_open(&file, path))
		return error_new(ENOENT, "%s cannot be read, or is no ELF file", path);
	return read_code(&file, path, offset, size, ret);
}

/* Whether @file is @dso and contains its code: debug files have only the section headers. */
static bool has_code_of(const struct elf_file *file, const struct dso *dso, enum symbol_file kind)
{
	struct elf_section text = elf_file_section(file, ".text");

	if (text.scn && text.header.sh_type == SHT_NOBITS)
		return false;
	return dso_owns(dso, file, kind);
}

static struct error *code_of_vdso(const struct dso *dso, uint64_t address, uint64_t size,
				  struct code *ret)
{
	_cleanup_(elf_file) struct elf_file file = { .fd = -1 };

	if (!dso_open_vdso(dso, &file))
		return error_new(ENOENT, "The recorded vDSO is not the vDSO of this machine");
	return read_code(&file, "[vdso]", address, size, ret);
}

/* Read the code of @dso from @file; the lines come from the file with the symbols. */
static struct error *read_code_of(const struct elf_file *file, const struct dso *dso,
				  const char *path, uint64_t address, uint64_t size,
				  struct code *ret)
{
	struct error *err = read_code(file, path, address, size, ret);

	if (!err && dso->symbol_path && strcmp(dso->symbol_path, path))
		ret->lines = strdup(dso->symbol_path);
	return err;
}

/*
 * Read the code of a module whose symbols came from a file with the same sections, but maybe in
 * another order.
 */
static struct error *read_code_of_module(const struct elf_file *file, const struct dso *dso,
					 const char *path, uint64_t offset, uint64_t size,
					 struct code *ret)
{
	struct elf_section text = elf_file_section(file, ".text");

	if (text.scn)
		offset += text.header.sh_offset - dso->map_offset;
	return read_code(file, path, offset, size, ret);
}

/* Read the code from a file of debuginfod servers; false: they have none. */
static bool fetch_code_of(const struct dso *dso, const struct symbol_options *options,
			  uint64_t address, uint64_t size, struct code *ret,
			  struct error **ret_error)
{
	static const enum debuginfod_kind kinds[] = { DEBUGINFOD_BINARY, DEBUGINFOD_DEBUG };
	const char *name = dso->path ? dso->path : dso->name;
	bool module = dso->kind == DSO_MODULE;

	if (dso->kind != DSO_FILE && !module)
		return false;
	/* The debug information of a module often is the module itself. */
	for (int i = 0; i < (module ? 2 : 1); i++) {
		_cleanup_(strbuf) struct strbuf path = STRBUF_INIT;
		_cleanup_(elf_file) struct elf_file file = { .fd = -1 };

		if (!debuginfod_find(options->debuginfod, kinds[i], &dso->id, name, &path) ||
		    !elf_file_open(&file, path.data) ||
		    !has_code_of(&file, dso, SYMBOL_FILE_FETCHED))
			continue;
		*ret_error = module ?
			read_code_of_module(&file, dso, path.data, address, size, ret) :
			read_code_of(&file, dso, path.data, address, size, ret);
		return true;
	}
	return false;
}

struct error *code_read_dso(const struct dso *dso, const struct symbol_options *options,
			    uint64_t address, uint64_t size, struct code *ret)
{
	_cleanup_(elf_file) struct elf_file live = { .fd = -1 };
	_cleanup_(strbuf) struct strbuf path = STRBUF_INIT;
	struct error *err;
	bool found = false;
	int32_t pid;

	if (dso->kind == DSO_PERF_MAP)
		return error_new(ENOENT, "%s was generated at run time, and its code was not "
				 "recorded", dso->short_name);
	/* Nothing proves that a local file of this name is the recorded binary. */
	if (dso->of_recording && !dso->id.size)
		return error_hint(error_new(ENOENT, "The code of the function in %s is not "
					    "embedded in the recording, which has no build id for "
					    "it either", dso->name),
				  "'ktrace record --embed' stores the code of the sampled "
				  "functions");
	if (dso->kind == DSO_VDSO && !code_of_vdso(dso, address, size, ret))
		return NULL;
	for (int kind = 0; dso->path && kind < SYMBOL_FILE_NR; kind++) {
		_cleanup_(elf_file) struct elf_file file = { .fd = -1 };

		if (!symbol_file_path(kind, options, dso->path, &dso->id, &path) ||
		    !elf_file_open(&file, path.data))
			continue;
		found = true;
		if (!has_code_of(&file, dso, kind))
			continue;
		return read_code_of(&file, dso, path.data, address, size, ret);
	}
	if (dso->kind == DSO_FILE && dso_find_live(dso, &path, &pid) &&
	    elf_file_open(&live, path.data))
		return read_code_of(&live, dso, path.data, address, size, ret);
	if (fetch_code_of(dso, options, address, size, ret, &err))
		return err;
	if (found)
		return error_hint(error_new(ENOENT, "The code of %s is not here: the file has "
					    "another build id than the recorded binary", dso->name),
				  "Copies are found by build id in ~/.debug; --symfs DIR looks below "
				  "another folder");
	return error_hint(error_new(ENOENT, "The code of %s is not here", dso->name),
			  "Copies are found by build id in ~/.debug; --symfs DIR looks below "
			  "another folder");
}
