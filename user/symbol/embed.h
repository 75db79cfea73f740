/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Writes the data that `embedded` reads.  It covers the addresses that were looked up: their
 * symbols, and the lines that were requested.
 */
#ifndef KTRACE_SYMBOL_EMBED_H
#define KTRACE_SYMBOL_EMBED_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "lib/cleanup.h"
#include "lib/error.h"
#include "lib/strbuf.h"
#include "symbol/code.h"
#include "symbol/dso.h"
#include "symbol/kernel.h"

struct embed {
	struct strbuf chunks;
	size_t symbols;		/* number of added symbols */
	size_t binaries;	/* number of binaries with added symbols */
};

#define EMBED_INIT { .chunks = STRBUF_INIT }

void embed_deinit(struct embed *embed);

/* Add a loaded binary: its symbols that were found, and its lines. */
void embed_add_binary(struct embed *embed, const struct dso *dso);

/* Add to the last binary the code of the function at @start, or a file with unwind tables. */
void embed_add_code(struct embed *embed, uint64_t start, const struct code *code);
void embed_add_image(struct embed *embed, const struct strbuf *image);

/* Add the kernel's symbols that were found, if any. */
void embed_add_kernel(struct embed *embed, const struct kernel *kernel);

/* Add lines of a source file.  @text is "" for a line that cannot be read. */
struct embed_line {
	const char *path;
	unsigned int line;
	uid_t reader;		/* as in source_texts_line() */
	const char *text;
};
void embed_add_source(struct embed *embed, const struct embed_line *lines, size_t nr);

/* Compress all chunks into @ret.  E2BIG: they exceed the limit of readers. */
struct error *embed_finish(struct embed *embed, struct strbuf *ret);

#endif
