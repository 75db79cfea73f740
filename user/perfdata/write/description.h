/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The description of a recording, from writer_describe() or from a file.  A pipe begins with it.
 * With it, the records of the recording can be read, wherever they are found.
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
	struct strbuf features[FEATURES_MAX];	/* the contents of its features; empty: none */
	bool foreign;			/* of another tool: without data that only ktrace writes */
};

/* Parse @size bytes at @data.  Release @ret also on error. */
struct error *description_parse(const void *data, size_t size, struct description *ret);

/*
 * Describe a recording that was opened, before any record was read.  If it has the form of a
 * pipe, nobody may change the file meanwhile.  @ret owns @reader; release it also on error.
 * ENOTSUP: it is of the other byte order, a folder, or several recordings.
 */
struct error *description_of(struct reader *reader, struct description *ret);

/* Features that are the same in all recordings of one kernel on one machine, ended by 0. */
extern const enum feature description_of_machine[];

/* Copy the description of the kernel, the machine and the formats from @like to @description. */
struct error *description_lend(const struct description *like, struct description *description);

void description_deinit(struct description *description);
DEFINE_CLEANUP(description, struct description, description_deinit)

#endif
