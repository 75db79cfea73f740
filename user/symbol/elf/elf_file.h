/* SPDX-License-Identifier: GPL-2.0 */
/*
 * One ELF file, read section by section with pread().  If the file is cut meanwhile, that gives an
 * error and never a signal.  No value in the file is trusted.
 */
#ifndef KTRACE_SYMBOL_ELF_ELF_FILE_H
#define KTRACE_SYMBOL_ELF_ELF_FILE_H

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
	Elf_Scn *scn;		/* NULL: there is no section of that name */
	GElf_Shdr header;
	size_t index;
};

/*
 * Open @path; false: it is no regular ELF file that can be read.  The file of a kernel module may
 * be compressed ("ext4.ko.xz"): then @file is a copy in memory.
 */
bool elf_file_open(struct elf_file *file, const char *path);

/* As elf_file_open(), for @fd.  @file owns @fd; on failure it is closed. */
bool elf_file_open_fd(struct elf_file *file, int fd);

/* Open an image in memory, which must live as long as @file. */
bool elf_file_open_memory(struct elf_file *file, void *image, size_t size);

void elf_file_close(struct elf_file *file);
DEFINE_CLEANUP(elf_file, struct elf_file, elf_file_close)

/* The name of a section; "" if it has none. */
const char *elf_file_section_name(const struct elf_file *file, const GElf_Shdr *header);
struct elf_section elf_file_section(const struct elf_file *file, const char *name);

/*
 * The bytes of a section.  NULL: it has none in the file, or they are beyond the end of the file.
 */
Elf_Data *elf_section_data(const struct elf_section *section);

/*
 * Whether the sections of strings in debug information end in a NUL.  libdw reads each string up
 * to its NUL, and so beyond the section if the last one is missing.
 */
bool elf_debug_strings_end(Elf *elf);

bool elf_file_build_id(const struct elf_file *file, struct build_id *ret);

/* The file that .gnu_debuglink names, valid while @file is open; NULL: none. */
const char *elf_file_debug_link(const struct elf_file *file);

/* Find the PT_LOAD segment that contains the virtual address; false: there is none. */
bool elf_file_segment(const struct elf_file *file, uint64_t address, GElf_Phdr *ret);

#endif
