/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Writes the readable part of a recording as a complete one: every record up to the cut or damage,
 * byte for byte, and every feature that is whole.
 */
#ifndef KTRACE_PERFDATA_WRITE_RECOVER_H
#define KTRACE_PERFDATA_WRITE_RECOVER_H

#include <stdint.h>

#include "perfdata/reader.h"

struct recovery {
	uint64_t records;	/* number of records that were kept */
	uint64_t end;		/* offset in the old file behind the last record */
	uint64_t dropped;	/* bytes from there to the end of the data */
	bool was_whole;		/* there was nothing to recover */
	bool has_formats;	/* event formats, or no event needs one */
};

/*
 * Write the records that @reader can give to @path; nothing may have been read from it yet.  @like
 * (NULL: none), another recording of the same kernel and machine, provides the features about
 * these, above all the event formats.  It is an error if the input is a pipe or a folder of several
 * files, if it has no readable record, if @like has the other byte order, or if the output cannot
 * be written.
 */
struct error *recover_to(struct reader *reader, const struct reader *like, const char *path,
			 struct recovery *ret);

#endif
