/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The lines of source files that debug information names.  Each file is read once.
 */
#ifndef KTRACE_SYMBOL_SOURCE_TEXT_H
#define KTRACE_SYMBOL_SOURCE_TEXT_H

#include <stdbool.h>
#include <time.h>

#include "lib/cleanup.h"
#include "lib/error.h"

struct source_texts;

/*
 * As with objdump, @strip folders at the beginning of each absolute path are replaced by
 * @prefix.  @prefix NULL: paths stay as they are.  It is borrowed.
 */
struct error *source_texts_create(const char *prefix, unsigned int strip,
				  struct source_texts **ret);
void source_texts_destroy(struct source_texts *texts);
DEFINE_CLEANUP_PTR(source_texts, struct source_texts, source_texts_destroy)

/*
 * The text of a line, counted from 1, without its end; it lives as long as @texts.  NULL: there
 * is no such file or line, or the file is too large to be source.
 */
const char *source_texts_line(struct source_texts *texts, const char *path, unsigned int line);

/* Whether the file can be read here. */
bool source_texts_has(struct source_texts *texts, const char *path);

/* From now on, read @copy where @path is asked for, which could not be read. */
void source_texts_take(struct source_texts *texts, const char *path, const char *copy);

/* When the file was last changed; 0: it is not here, or it was made as a copy just now. */
time_t source_texts_time(struct source_texts *texts, const char *path);

#endif
