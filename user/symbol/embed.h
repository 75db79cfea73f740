/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Writes what `embedded` reads, for addresses that were looked up: symbols that were found,
 * addresses whose lines were asked for.
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
	size_t symbols;		/* how many were added */
	size_t binaries;	/* those that have any */
};

#define EMBED_INIT { .chunks = STRBUF_INIT }

void embed_deinit(struct embed *embed);

/* Add a binary that was loaded: the symbols that were found in it, and its lines. */
void embed_add_binary(struct embed *embed, const struct dso *dso);

/* Add to the last binary the code of the function at @start, or a file with unwind tables. */
void embed_add_code(struct embed *embed, uint64_t start, const struct code *code);
void embed_add_image(struct embed *embed, const struct strbuf *image);

/* Add the kernel's symbols that were found, if it has any. */
void embed_add_kernel(struct embed *embed, const struct kernel *kernel);

/* Add lines of a source file.  @text is "" for a line that cannot be read. */
struct embed_line {
	const char *path;
	unsigned int line;
	uid_t reader;		/* as source_texts_line() has it */
	const char *text;
};
void embed_add_source(struct embed *embed, const struct embed_line *lines, size_t nr);

/* Pack it all into @ret.  E2BIG: it is too much to be read again. */
struct error *embed_finish(struct embed *embed, struct strbuf *ret);

#endif
