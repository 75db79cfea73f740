/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Stores what is embedded in a recording that is complete: the extension is written again at
 * the end of the file, and struct perfdata_own_sections then says that it is there.
 */
#ifndef KTRACE_PERFDATA_EMBEDDING_H
#define KTRACE_PERFDATA_EMBEDDING_H

#include "lib/error.h"
#include "lib/strbuf.h"

/*
 * Put @packed, as embed_finish() makes it, in the place of what is embedded in @path.  On error
 * the file is as it was.  ENOTSUP: ktrace did not write it, so there is no place for it.
 */
struct error *embedding_store(const char *path, const struct strbuf *packed);

#endif
