/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Files of a binary from debuginfod servers, found by its build id.  Servers are queried only if
 * the user wants it: $DEBUGINFOD_URLS alone only names the servers.
 *
 * Elfutils' library downloads the files into its own cache.  Each download is reported on stderr.
 * A failure is reported once for each file.
 */
#ifndef KTRACE_SYMBOL_DEBUGINFOD_H
#define KTRACE_SYMBOL_DEBUGINFOD_H

#include <stdbool.h>

#include "lib/build_id.h"
#include "lib/error.h"
#include "lib/strbuf.h"

enum debuginfod_kind {
	DEBUGINFOD_DEBUG,	/* debug information */
	DEBUGINFOD_BINARY,	/* the program or library itself */
	DEBUGINFOD_SOURCE,
};

struct debuginfod;

/*
 * From now on, query the servers @urls, separated by blanks; NULL or "system": those of
 * $DEBUGINFOD_URLS.  There is one client for the whole process, which owns it; it is stored in
 * *ret.  EINVAL: no server is named; ENOENT: the library is not here.
 */
struct error *debuginfod_begin_asking(const char *urls, struct debuginfod **ret);

/*
 * Find a file of the binary @name with the build id @id, in the cache of the library or on the
 * servers, and store its path in *ret.  Debug information and binaries have that build id.  For
 * DEBUGINFOD_SOURCE, @name is the path of a source.  Returns false if the file cannot be had, which
 * was reported, if @debuginfod is NULL, or if there is no build id.  The servers are queried once
 * for each file.  SIGINT ends the download and is then delivered.
 */
bool debuginfod_find(struct debuginfod *debuginfod, enum debuginfod_kind kind,
		     const struct build_id *id, const char *name, struct strbuf *ret);

/* One request to the library, by the plugin "debuginfod". */
struct debuginfod_request {
	enum debuginfod_kind kind;
	const struct build_id *id;
	const char *source;
	/* Progress: bytes downloaded and in all; 0: not known.  Returns true to give up. */
	bool (*advance)(long done, long total);
	char *path;		/* the file in the cache; NULL: none; owned by the caller */
	char *url;		/* its source; NULL: no download; owned by the caller */
};

/* Returns 0 or the negative error of the library. */
int debuginfod_request(struct debuginfod_request *request);
typedef int (*debuginfod_request_fn)(struct debuginfod_request *request);

#endif
