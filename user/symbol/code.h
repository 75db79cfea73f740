/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The machine code of one function, copied from its file.
 */
#ifndef KTRACE_SYMBOL_CODE_H
#define KTRACE_SYMBOL_CODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/cleanup.h"
#include "lib/error.h"
#include "symbol/dso.h"

/* The most bytes to read of a function: a damaged file may claim any size. */
#define CODE_MAX	(1 << 20)

#define CODE_SEGMENTS	16

/* A segment of a file: its virtual addresses and its offset. */
struct code_segment {
	uint64_t address, size, offset;
};

struct code {
	uint64_t address;	/* of the first byte, as objdump shows it */
	unsigned char *bytes;	/* owned */
	size_t size;
	bool cut;		/* the function is longer */
	uint16_t machine;	/* EM_X86_64 ...; as in the ELF header */
	bool is_64;
	bool relocatable;	/* addresses begin at 0 in each section, as in modules */
	struct code_segment segments[CODE_SEGMENTS];	/* of the file; unused ones have no size */
	char *path;		/* the file that has these bytes; owned */
	char *lines;		/* the file with the DWARF; NULL: the same; owned */
};

void code_deinit(struct code *code);
DEFINE_CLEANUP(code, struct code, code_deinit)

/*
 * Read @size bytes at @offset of @path, an ELF file.  If the file ends before, fewer bytes are
 * read.  The errors describe the defect of the file.
 */
struct error *code_read_file(const char *path, uint64_t offset, uint64_t size,
			     struct code *ret);

/* Convert a virtual address of the file to an offset in it; false: it is in no segment. */
bool code_file_offset(const struct code *code, uint64_t address, uint64_t *ret);

/*
 * Read @size bytes of the binary @dso, whose symbols were loaded.  @address is as in dso_find().
 * ENOENT: its code is not here; the error gives the reason.
 */
struct error *code_read_dso(const struct dso *dso, const struct symbol_options *options,
			    uint64_t address, uint64_t size, struct code *ret);

#endif
