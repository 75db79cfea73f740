/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The description of a recording, as writer_describe() makes it or a file has it: all that is
 * needed to read its records, wherever they are found.  It is what a pipe begins with.
 */
#ifndef KTRACE_PERFDATA_WRITE_DESCRIPTION_H
#define KTRACE_PERFDATA_WRITE_DESCRIPTION_H

#include <stddef.h>

#include "lib/cleanup.h"
#include "lib/error.h"
#include "lib/strbuf.h"
#include "perfdata/layout.h"
#include "perfdata/reader.h"

struct description {
	struct reader *reader;		/* has the events; owned */
	struct strbuf features[FEATURES_MAX];	/* the contents of those that it has */
	bool foreign;			/* what only ktrace writes is not there */
};

/* Parse @size bytes at @data.  @ret has to be released also on error. */
struct error *description_parse(const void *data, size_t size, struct description *ret);

/*
 * Describe a recording that was opened, and of which nothing was read yet.  If it has the form of
 * a pipe, nobody may change the file meanwhile.  @reader belongs to @ret, which has to be released
 * also on error.  ENOTSUP: it is of the other byte order, a folder, or several recordings.
 */
struct error *description_of(struct reader *reader, struct description *ret);

/* Features that are the same in all recordings of one kernel on one machine; the last one is 0. */
extern const enum feature description_of_machine[];

/* Have @description say of its kernel and machine, and of its formats, what @like says. */
struct error *description_lend(const struct description *like, struct description *description);

void description_deinit(struct description *description);
DEFINE_CLEANUP(description, struct description, description_deinit)

#endif
