/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The sections of the extension and of the index in a file of ktrace.  No bit of the header may
 * name them, so struct perfdata_own_sections, behind the table of perf's features, gives their
 * offsets.
 */
#ifndef KTRACE_PERFDATA_OWN_SECTIONS_H
#define KTRACE_PERFDATA_OWN_SECTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/strbuf.h"
#include "perfdata/layout.h"

/* Whether @bit is the feature number of one of ktrace's sections. */
bool own_section_is(unsigned int bit);

/*
 * Append the struct perfdata_own_sections for @sections, which is indexed by feature
 * number; offset 0 means that a section is not there.  @swapped: for a file in the
 * other byte order.
 */
void own_sections_build(const struct perfdata_section *sections, bool swapped,
			struct strbuf *ret);

/*
 * Read that struct at offset @at of a file of @file_size bytes, and store the sections that it
 * names in @sections, by feature number.  Sections that are not behind it in the file are left out.
 * If the struct is not there, nothing happens.
 */
void own_sections_read(int fd, uint64_t file_size, bool swapped, uint64_t at,
		       struct perfdata_section *sections);

#endif
