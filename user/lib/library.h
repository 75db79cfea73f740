/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What this build lacks, because a library was not there when it was made (lib/libraries.def).
 * libraries.h, which scripts/find-libraries makes, defines HAVE_* of those that were.
 */
#ifndef KTRACE_LIB_LIBRARY_H
#define KTRACE_LIB_LIBRARY_H

#include <libraries.h>

#include "lib/error.h"

#define LIBRARY(id, ...) LIBRARY_##id,
enum library_id {
#include "lib/libraries.def"
	LIBRARY_COUNT
};
#undef LIBRARY

struct library {
	const char *name;
	const char *define;	/* of the compiler, if it is there */
	const char *plugins;	/* names that are not there without it, with blanks between them */
	const char *lacks;	/* what ktrace lacks without it; "needed": it is always there */
	const char *package;	/* that has it, if it is not there; else NULL */
};

/* By their order in the table. */
const struct library *library_at(enum library_id id);

/*
 * ENOTSUP, "this ktrace was built without ..."; the caller adds what is therefore not possible.
 * NULL: the library is there.
 */
struct error *library_missing(enum library_id id);

/* The same for what the plugin needs. */
struct error *library_missing_for(const char *plugin);

/* Say it once, with what is therefore left out; nothing if the library is there. */
void library_notice(enum library_id id);

#endif
