/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The features that this build lacks because a library was absent at build time
 * (lib/libraries.def). scripts/find-libraries generates libraries.h, which defines HAVE_* for each
 * library that is there.
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
	const char *define;	/* a macro that is defined if the library is there */
	const char *plugins;	/* plugins that need it, with blanks between them */
	const char *lacks;	/* the features that ktrace lacks without it; "needed": it is always
				 * there */
	const char *package;	/* its package, if the library is absent; else NULL */
};

/* The row of the library in libraries.def. */
const struct library *library_at(enum library_id id);

/*
 * Returns NULL if the library is there, else ENOTSUP, "this ktrace was built without ...".  The
 * caller adds the feature that is therefore missing.
 */
struct error *library_missing(enum library_id id);

/* As library_missing(), for the library that @plugin needs. */
struct error *library_missing_for(const char *plugin);

/* If the library is absent, print once that it is and which features are therefore missing. */
void library_notice(enum library_id id);

#endif
