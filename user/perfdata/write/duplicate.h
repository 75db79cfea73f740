/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A duplicate of a recording.  It has the same events, header, ledger and clocks, and the records
 * that the caller passes on.  The caller may put other records between them.
 */
#ifndef KTRACE_PERFDATA_WRITE_DUPLICATE_H
#define KTRACE_PERFDATA_WRITE_DUPLICATE_H

#include <stdbool.h>

#include "lib/cleanup.h"
#include "lib/strbuf.h"
#include "perfdata/reader.h"
#include "perfdata/write/description.h"
#include "perfdata/write/writer.h"

struct duplicate {
	struct description description;	/* its reader gives the records of the original */
	struct writer *writer;		/* NULL: not begun, or finished */
	char *path;			/* path for opening the original again; owned */
	int fd;				/* a copy of a pipe; -1: none */
};

#define DUPLICATE_INIT { .fd = -1 }

/*
 * Open the original, @path ("-": standard input).  The data of a pipe is first copied to a
 * temporary file, to its end.  Set @ret to DUPLICATE_INIT before, and release it also on error.
 */
struct error *duplicate_open(const char *path, struct duplicate *ret);

/*
 * Begin to write @path ("-": standard output, as a pipe).  @build_ids are entries of the BUILD_ID
 * feature, which are added to those of the original.
 */
struct error *duplicate_begin(struct duplicate *duplicate, const char *path,
			      const struct strbuf *build_ids);

/*
 * Whether to pass a record of the original on to writer_sink().  Other records take the place of a
 * header, or hold compressed records, which the reader also gives by themselves.
 */
bool duplicate_takes(const struct perf_event_header *header);

/* Finish the duplicate.  EBADMSG: the original is cut off; nothing is kept. */
struct error *duplicate_finish(struct duplicate *duplicate);

void duplicate_deinit(struct duplicate *duplicate);
DEFINE_CLEANUP(duplicate, struct duplicate, duplicate_deinit)

#endif
