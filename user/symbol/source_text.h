/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The lines of source files that debug information names.  Each file is read once.
 *
 * Whoever makes a program chooses the paths in its debug information, and lines of source get into
 * pages and recordings that are given away.  So no file is read that the owner of the program could
 * not read, whatever we may read ourselves.
 */
#ifndef KTRACE_SYMBOL_SOURCE_TEXT_H
#define KTRACE_SYMBOL_SOURCE_TEXT_H

#include <stdbool.h>
#include <sys/types.h>
#include <time.h>

#include "lib/cleanup.h"
#include "lib/error.h"

struct source_texts;

/* A user who is nobody: what he may read, everybody may. */
#define SOURCE_READER_NOBODY	((uid_t)-1)

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
 * is no such file or line, the file is too large to be source, or the user @reader, who owns the
 * program, may not read it.  The latter is told in a warning.
 */
const char *source_texts_line(struct source_texts *texts, const char *path, unsigned int line,
			      uid_t reader);

/* Whether the file can be read here, by @reader. */
bool source_texts_has(struct source_texts *texts, const char *path, uid_t reader);

/* From now on, read @copy where @path is asked for, which could not be read. */
void source_texts_take(struct source_texts *texts, const char *path, uid_t reader,
		       const char *copy);

/* When the file was last changed; 0: it is not here, or it was made as a copy just now. */
time_t source_texts_time(struct source_texts *texts, const char *path, uid_t reader);

#endif
