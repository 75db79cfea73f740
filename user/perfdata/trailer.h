/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The end of a file of ours: where the extension and the index are, which no bit of the
 * header may name.
 */
#ifndef KTRACE_PERFDATA_TRAILER_H
#define KTRACE_PERFDATA_TRAILER_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/strbuf.h"
#include "perfdata/layout.h"

/* Whether @bit is a number for what the trailer tells of. */
bool trailer_tells_of(unsigned int bit);

/*
 * Append the trailer of @sections, by feature number, with offset 0 for what is not there;
 * nothing if it has nothing to tell of.  @swapped: for a file in the other byte order.
 */
void trailer_build(const struct perfdata_section *sections, bool swapped, struct strbuf *ret);

/*
 * The sections that the trailer of a file of @file_size bytes tells of, into @sections, by
 * feature number.  Sections that do not lie between @from and the trailer are left out.
 * False: it has none.
 */
bool trailer_read(int fd, uint64_t file_size, bool swapped, uint64_t from,
		  struct perfdata_section *sections);

#endif
