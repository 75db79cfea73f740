/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The readable part of a recording, written as a complete one: every record up
 * to where it was cut or damaged, byte for byte, and every feature that is
 * whole.
 */
#ifndef KTRACE_PERFDATA_RECOVER_H
#define KTRACE_PERFDATA_RECOVER_H

#include <stdint.h>

#include "perfdata/reader.h"

struct recovery {
	uint64_t records;	/* that were kept */
	uint64_t end;		/* offset in the old file behind the last one */
	uint64_t dropped;	/* bytes from there to the end of its data */
	bool was_whole;		/* nothing was amiss */
	bool has_formats;	/* event formats, or there is nothing they would be of */
};

/*
 * Write what @reader, which nothing was read from yet, can give to @path.
 * @like (NULL: none), another recording of the same kernel and machine, lends
 * the features about them, the event formats above all.  Errors: input from a
 * pipe, not one record, a @like of the other byte order, an output that cannot be written.
 */
struct error *recover_to(struct reader *reader, const struct reader *like, const char *path,
			 struct recovery *ret);

#endif
