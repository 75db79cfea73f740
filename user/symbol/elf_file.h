/* SPDX-License-Identifier: GPL-2.0 */
/*
 * One ELF file, read section by section with pread(): a file that is cut while
 * it is read is an error, never a signal.  Nothing in it is believed.
 */
#ifndef KTRACE_SYMBOL_ELF_FILE_H
#define KTRACE_SYMBOL_ELF_FILE_H

#include <gelf.h>
#include <stdbool.h>
#include <stdint.h>

#include "lib/build_id.h"
#include "lib/cleanup.h"

struct elf_file {
	Elf *elf;
	int fd;			/* -1: in memory */
	GElf_Ehdr header;
};

struct elf_section {
	Elf_Scn *scn;		/* NULL: there is none of that name */
	GElf_Shdr header;
	size_t index;
};

/* False: @path is no regular ELF file that can be read. */
bool elf_file_open(struct elf_file *file, const char *path);

/* An image in memory, which must live as long. */
bool elf_file_open_memory(struct elf_file *file, void *image, size_t size);

void elf_file_close(struct elf_file *file);
DEFINE_CLEANUP(elf_file, struct elf_file, elf_file_close)

/* "" if it has none. */
const char *elf_file_section_name(const struct elf_file *file, const GElf_Shdr *header);
struct elf_section elf_file_section(const struct elf_file *file, const char *name);

/* The bytes of a section; NULL: it has none in the file, or they are beyond its end. */
Elf_Data *elf_section_data(const struct elf_section *section);

bool elf_file_build_id(const struct elf_file *file, struct build_id *ret);

/* What .gnu_debuglink names; valid while @file is open; NULL: nothing. */
const char *elf_file_debug_link(const struct elf_file *file);

/* The PT_LOAD segment around the virtual address; false: none. */
bool elf_file_segment(const struct elf_file *file, uint64_t address, GElf_Phdr *ret);

#endif
