/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Files that debuginfod servers have of a binary, found by its build id.  No server is asked
 * unless the user wants it: $DEBUGINFOD_URLS alone only says which servers there are.
 *
 * Elfutils' library downloads the files, into its own cache.  What is fetched is said on
 * stderr, and so is, once for each file, why it cannot be had.
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
 * Ask the servers @urls, separated by blanks, from now on; NULL or "system": those of
 * $DEBUGINFOD_URLS.  There is one client for the whole process, which owns it; it is stored in
 * *ret.  EINVAL: no server is named; ENOENT: the library is not here.
 */
struct error *debuginfod_begin_asking(const char *urls, struct debuginfod **ret);

/*
 * Find a file of the binary @name with the build id @id, in the cache of the library or on the
 * servers, and store its path in *ret.  Debug information and binaries have that build id.
 * @name is the path of a source for DEBUGINFOD_SOURCE.  false: it cannot be had, which was
 * said, or @debuginfod is NULL, or there is no build id.  The servers are asked once for each
 * file.  SIGINT ends the download and is then delivered.
 */
bool debuginfod_find(struct debuginfod *debuginfod, enum debuginfod_kind kind,
		     const struct build_id *id, const char *name, struct strbuf *ret);

/* One request to the library, by the plugin "debuginfod". */
struct debuginfod_request {
	enum debuginfod_kind kind;
	const struct build_id *id;
	const char *source;
	/* Told how many bytes of how many are here; 0: not known.  true: give up. */
	bool (*advance)(long done, long total);
	char *path;		/* of the file in the cache; NULL: none; owned by who asks */
	char *url;		/* where it was downloaded; NULL: nothing was; owned the same */
};

/* Returns 0 or the negative error of the library. */
int debuginfod_request(struct debuginfod_request *request);
typedef int (*debuginfod_request_fn)(struct debuginfod_request *request);

#endif
