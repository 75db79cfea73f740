/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Making the index of a recording that has none.
 */
#ifndef KTRACE_PERFDATA_INDEXER_H
#define KTRACE_PERFDATA_INDEXER_H

#include "perfdata/reader.h"

struct indexed {
	bool has_own;		/* it has an index inside; nothing was written */
	size_t entries;
	uint64_t samples;
};

/*
 * Write the index of the file behind @reader, which nothing was read from yet,
 * to @path.  Errors: a pipe, samples without times, records compressed as one
 * stream, damage.
 */
struct error *indexer_write(struct reader *reader, const char *path, struct indexed *ret);

#endif
