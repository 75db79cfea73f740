/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The last records of a kernel that has died, in the format of <linux/ktrace_dump.h>, from a saved
 * text of its console.  The text is not trusted.
 */
#ifndef KTRACE_VMCORE_DUMP_H
#define KTRACE_VMCORE_DUMP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/cleanup.h"
#include "lib/error.h"
#include "record/module_event.h"
#include "vmcore/session_table.h"

struct description;

/* Data of a session in the text, beside its struct vmcore_session. */
struct dump_session {
	unsigned int number;	/* its number in the text */
	int clockid;
	uint64_t told, held;	/* records that were printed, and records in the rings */
	uint64_t found;		/* undamaged records */
	struct module_event *items;	/* its events; each name is owned */
	size_t nr, alloc;
};

struct dump {
	struct session_table table;	/* release, and the sessions: each is_partial */
	struct dump_session *items;	/* one for each of table.items; owned */
	size_t nr, alloc;
	bool is_whole;		/* it has its end */
};

/* Whether a text has a part of a dump. */
bool dump_is_in(const char *text, size_t len);

/*
 * Parse the last dump of @text, which has @len bytes and a NUL behind them.  @path is for messages.
 * Records with damaged or missing parts are left out.  ENODATA: there is no dump.
 */
struct error *dump_parse(const char *text, size_t len, const char *path, struct dump *ret);

/*
 * Describe the sessions by the formats of @like.  NULL: by those of the running kernel, which has
 * to be the same as the dead one.
 */
struct error *dump_describe(struct dump *dump, const struct description *like);

void dump_deinit(struct dump *dump);
DEFINE_CLEANUP(dump, struct dump, dump_deinit)

#endif
