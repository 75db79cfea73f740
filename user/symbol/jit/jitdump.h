/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Reads jit-PID.dump, in which a JIT compiler stores the code that it generates, with names, times
 * and source lines.  tools/perf/Documentation/jitdump-specification.txt of the kernel describes it.
 * Both byte orders are read, and no value in the file is trusted.
 */
#ifndef KTRACE_SYMBOL_JIT_JITDUMP_H
#define KTRACE_SYMBOL_JIT_JITDUMP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/cleanup.h"
#include "lib/strbuf.h"

/* The code from this address on comes from this line. */
struct jitdump_line {
	uint64_t address;
	uint32_t line;
	const char *file;
};

struct jitdump_lines {
	struct jitdump_line *items;
	size_t nr, alloc;
};

struct jitdump {
	const char *path;		/* borrowed */
	int fd;
	bool swapped;			/* it has the other byte order */
	bool is_cut;			/* it ends within a record; known at the end */
	uint16_t machine;		/* EM_* of <elf.h> */
	int32_t pid;			/* of the process that wrote it */
	uint64_t size, at;		/* of the file; offset of the next record; bytes */
	uint64_t record_at;		/* offset of the last record */
	struct strbuf record;		/* the last record */
	struct strbuf line_record;	/* the last one with lines */
	struct jitdump_lines lines;	/* in it */
	uint64_t lines_address;		/* address of their function */
	bool lines_are_new;		/* no function has followed them yet */
	struct strbuf tables_record;	/* the last one with unwind tables */
	bool tables_are_new;
};

#define JITDUMP_INIT { .fd = -1 }

/* Pointers are valid until the next call of jitdump_next(). */
struct jitdump_record {
	bool is_move;			/* the code was moved; otherwise it is new */
	uint64_t time;			/* ns of CLOCK_MONOTONIC */
	int32_t pid, tid;
	uint64_t index;			/* of the function, for its moves */
	uint64_t address, size;		/* the current location of the code; size is not 0 */
	const char *name;		/* of the function; NULL in a move */
	const uint8_t *code;		/* size bytes; NULL in a move */
	const struct jitdump_lines *lines;	/* NULL: unknown */
	/*
	 * .eh_frame, followed by .eh_frame_hdr.  They assume that they are at the next multiple of
	 * 8 behind the code.  NULL: there are none.
	 */
	const char *tables;
	size_t frame_size, hdr_size;		/* bytes; frame_size is not 0 */
	uint64_t mapped_size;			/* of the tables in memory; 0: only in the file */
};

/*
 * Open the file.  ENOENT: it does not exist; EBADMSG: it is no jitdump, or it is damaged; ENOTSUP:
 * it has another version, or times of the processor's clock.
 */
struct error *jitdump_open(const char *path, struct jitdump *ret);

/*
 * Read on to the next function that is new or moved.  Returns false at the end, or with an error.
 * EBADMSG: the file is damaged.
 */
bool jitdump_next(struct jitdump *dump, struct jitdump_record *ret, struct error **err);

void jitdump_close(struct jitdump *dump);
DEFINE_CLEANUP(jitdump, struct jitdump, jitdump_close)

#endif
