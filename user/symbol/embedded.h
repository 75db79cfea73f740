/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Data about the recorded binaries that a recording holds: the symbols, source lines, code and
 * unwind tables of its addresses.  With it, addresses have the same names on machines without these
 * binaries.  `embed` writes it.
 *
 * It is one zstd frame behind a struct embedded_head.  The frame consists of chunks of
 *
 *	u32 tag; u32 size; payload of size bytes
 *
 * in the byte order of the machine; texts end with a NUL.  Unknown tags are skipped.
 *
 *	BINARY	u32 enum dso_kind, u64 inode, u32 bytes of the build id, 20 bytes of it, u64
 *		text_offset, u64 map_offset, u32 EMBEDDED_*, its name.  The chunks behind
 *		it, up to the next BINARY, belong to it:
 *	SYMBOLS	rows: u64 start, u64 end, u8 binding, u8 1: of data, 2: has a part, 4: its
 *		name is mangled; its name, its part
 *	LINES	rows: u64 virtual address, u32 number of places, for each: u32 line, u8 1: has a
 *		function, 2: has a file; function, file
 *	CODE	u64 start of the function, u64 address, u32 machine, u32 EMBEDDED_CODE_*, u32
 *		number of segments, for each: u64 address, u64 size, u64 offset; path, path
 *		of the lines; the bytes
 *	IMAGE	an ELF file with the unwind tables alone
 *	KERNEL	u32 enum kernel_origin, u64 first and u64 last address, path, u32 number of
 *		ranges, for each: u64 start, u64 end, u64 offset, u8 1: has a part, part; then
 *		rows as in SYMBOLS
 *	SOURCE	path; rows: u32 line, its text
 *
 * Readers trust none of this.
 */
#ifndef KTRACE_SYMBOL_EMBEDDED_H
#define KTRACE_SYMBOL_EMBEDDED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/bytes.h"
#include "lib/cleanup.h"
#include "lib/error.h"

struct embedded_head {
	uint32_t magic;			/* EMBEDDED_MAGIC */
	uint32_t version;		/* EMBEDDED_VERSION */
	uint64_t size;			/* decompressed size of the frame */
};

#define EMBEDDED_MAGIC		0x4244454b	/* "KEDB" */
#define EMBEDDED_VERSION	1

/* The most bytes that are decompressed. */
#define EMBEDDED_MAX		(256U << 20)

enum {
	EMBEDDED_BINARY		= 1,
	EMBEDDED_SYMBOLS	= 2,
	EMBEDDED_LINES		= 3,
	EMBEDDED_CODE		= 4,
	EMBEDDED_IMAGE		= 5,
	EMBEDDED_KERNEL		= 6,
	EMBEDDED_SOURCE		= 7,
};

enum {
	EMBEDDED_HAS_LINES	= 1,	/* there was debug information */
	EMBEDDED_OWN_SYMBOLS	= 2,	/* its symbols are not those of kallsyms */
};

enum {
	EMBEDDED_CODE_64	= 1,
	EMBEDDED_CODE_MOVES	= 2,	/* relocatable */
	EMBEDDED_CODE_CUT	= 4,
	EMBEDDED_CODE_LINES	= 8,	/* has a path of lines */
};

struct embedded_binary {
	const char *name;
	uint32_t kind, flags;
	uint64_t inode;
	uint32_t id_size;
	const uint8_t *id;
	uint64_t text_offset, map_offset;
	struct bytes symbols, lines, image;	/* empty: none */
};

struct embedded;

/*
 * Decompress and index @size bytes at @data, which are copied.  EBADMSG: they are damaged; EPROTO:
 * another version or machine wrote them.
 */
struct error *embedded_create(const void *data, size_t size, struct embedded **ret);
void embedded_destroy(struct embedded *embedded);
DEFINE_CLEANUP_PTR(embedded, struct embedded, embedded_destroy)

/* Find the data about @dso; NULL: there is none.  It lives as long as @embedded. */
struct dso;
const struct embedded_binary *embedded_find(const struct embedded *embedded,
					    const struct dso *dso);

/* Add the symbols in rows to @symbols, which must have been released before, and sort them. */
struct symbols;
struct error *embedded_symbols(struct bytes rows, struct symbols *symbols);

/* The lines of a binary; release them with dwarf_lines_destroy().  NULL: none, or no memory. */
struct dwarf_lines *embedded_lines(const struct embedded_binary *binary);

/* Copy the code of the function at @start, an address as in dso_find(); false: it is not there. */
struct code;
bool embedded_code(const struct embedded *embedded, const struct embedded_binary *binary,
		   uint64_t start, struct code *ret);

/*
 * Set the kernel's symbols; false: there are none.  After an error, some are set.  Texts live as
 * long as @embedded.
 */
struct kernel;
bool embedded_kernel(const struct embedded *embedded, struct kernel *kernel,
		     struct error **ret_error);

/* A line of source; NULL: it is not there. */
const char *embedded_source(const struct embedded *embedded, const char *path, unsigned int line);

#endif
