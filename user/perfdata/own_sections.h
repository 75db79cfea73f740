/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Where the extension and the index of a file of ours are, which no bit of the header may
 * name: struct perfdata_own_sections lies behind the table of perf's features.
 */
#ifndef KTRACE_PERFDATA_OWN_SECTIONS_H
#define KTRACE_PERFDATA_OWN_SECTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/strbuf.h"
#include "perfdata/layout.h"

/* Whether @bit is a number for one of ours. */
bool own_section_is(unsigned int bit);

/*
 * Append what tells of @sections, by feature number, with offset 0 for what is not there.
 * @swapped: for a file in the other byte order.
 */
void own_sections_build(const struct perfdata_section *sections, bool swapped,
			struct strbuf *ret);

/*
 * Read it at @at in a file of @file_size bytes, and put what it tells of into @sections, by
 * feature number.  Sections that do not lie behind it in the file are left out.  Nothing
 * happens if it is not there.
 */
void own_sections_read(int fd, uint64_t file_size, bool swapped, uint64_t at,
		       struct perfdata_section *sections);

#endif
