/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Redacted copies of recordings for a command that goes on to read them, in a folder
 * $TMPDIR/ktrace-redacted-PID-XXXXXX that is there only while they are made.
 */
#ifndef KTRACE_CMD_DATA_REDACTED_COPY_H
#define KTRACE_CMD_DATA_REDACTED_COPY_H

#include "lib/cleanup.h"
#include "lib/error.h"
#include "lib/held_folder.h"
#include "perfdata/reader.h"
#include "perfdata/redact/redaction.h"

struct redacted_copies {
	struct held_folder folder;
	char **items;		/* their paths; owned */
	size_t nr, alloc;
};

#define REDACTED_COPIES_INIT { .folder = HELD_FOLDER_INIT }

/* Create the folder.  Folders that killed commands left behind are removed first. */
struct error *redacted_copies_create(struct redacted_copies *copies);

/*
 * Copy the recording @path ("-": standard input).  EINTR: a signal asks the command to end.  ENOTSUP,
 * EINVAL: as redaction_begin(); EBADMSG: the recording breaks off.
 */
struct error *redacted_copies_add(struct redacted_copies *copies, struct redaction *redaction,
				  const char *path);

/* Open all of them as one, as reader_open_many(). */
struct error *redacted_copies_open(const struct redacted_copies *copies,
				   const struct traffic_rules *rules, struct reader **ret);

/* Remove the folder with the copies; a reader that is open keeps what it reads. */
void redacted_copies_deinit(struct redacted_copies *copies);
DEFINE_CLEANUP(redacted_copies, struct redacted_copies, redacted_copies_deinit)

#endif
