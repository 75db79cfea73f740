/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The lines of source files that debug information names.  Each file is read once.
 *
 * The author of a program chooses the paths in its debug information, and source lines get into
 * pages and recordings that are given away.  So we read no file that the owner of the program could
 * not read, even if we may read it.
 */
#ifndef KTRACE_SYMBOL_SOURCE_TEXT_H
#define KTRACE_SYMBOL_SOURCE_TEXT_H

#include <stdbool.h>
#include <sys/types.h>
#include <time.h>

#include "lib/cleanup.h"
#include "lib/error.h"

struct source_texts;

/* A user without any rights: he may read only files that everybody may read. */
#define SOURCE_READER_NOBODY	((uid_t)-1)

/*
 * As with objdump, the first @strip folders of each absolute path are replaced by
 * @prefix.  @prefix NULL: paths are not changed.  It is borrowed.
 */
struct error *source_texts_create(const char *prefix, unsigned int strip,
				  struct source_texts **ret);
void source_texts_destroy(struct source_texts *texts);
DEFINE_CLEANUP_PTR(source_texts, struct source_texts, source_texts_destroy)

/*
 * The text of a line, counted from 1, without its end; it lives as long as @texts.  NULL: there is
 * no such file or line, the file is too large to be source, or the user @reader, who owns the
 * program, may not read it.  The last case is reported in a warning.
 */
const char *source_texts_line(struct source_texts *texts, const char *path, unsigned int line,
			      uid_t reader);

/* Whether the file is here, and we and @reader may read it. */
bool source_texts_has(struct source_texts *texts, const char *path, uid_t reader);

/* From now on, read @copy instead of @path, which could not be read. */
void source_texts_take(struct source_texts *texts, const char *path, uid_t reader,
		       const char *copy);

/* The time of the file's last change; 0: it is not here, or it is a copy (source_texts_take()). */
time_t source_texts_time(struct source_texts *texts, const char *path, uid_t reader);

#endif
