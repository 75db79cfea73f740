/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A binary as buildid-list and buildid-cache print it.
 */
#ifndef KTRACE_OUTPUT_TEXT_BUILD_ID_TEXT_H
#define KTRACE_OUTPUT_TEXT_BUILD_ID_TEXT_H

#include "lib/build_id.h"
#include "lib/strbuf.h"

/*
 * Append a line with the build id, or blanks if it is unknown.  The name of the binary follows
 * unless it is NULL.
 */
void build_id_text_add(const struct build_id *id, const char *name, struct strbuf *ret);

#endif
