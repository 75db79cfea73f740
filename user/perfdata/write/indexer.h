/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Builds the index of a recording that has none.
 */
#ifndef KTRACE_PERFDATA_WRITE_INDEXER_H
#define KTRACE_PERFDATA_WRITE_INDEXER_H

#include "perfdata/reader.h"

struct indexed {
	bool has_own;		/* it has an index inside; nothing was written */
	size_t entries;
	uint64_t samples;
};

/*
 * Write the index of the file of @reader to @path.  Nothing may have been read from
 * @reader yet.  It is an error if the input is a pipe, if samples have no times, if the
 * records are compressed as one stream, or if the file is damaged.
 */
struct error *indexer_write(struct reader *reader, const char *path, struct indexed *ret);

#endif
