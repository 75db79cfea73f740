/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Stores embedded symbols and source in a complete recording.  The extension is written again at
 * the end of the file, and struct perfdata_own_sections then has its new offset.
 */
#ifndef KTRACE_PERFDATA_EMBEDDING_H
#define KTRACE_PERFDATA_EMBEDDING_H

#include "lib/error.h"
#include "lib/strbuf.h"

/*
 * Replace the embedded data of the recording @path by @packed, the result of embed_finish().  On
 * error the file is unchanged.  ENOTSUP: ktrace did not write the file, so it has no place for the
 * data.
 */
struct error *embedding_store(const char *path, const struct strbuf *packed);

#endif
