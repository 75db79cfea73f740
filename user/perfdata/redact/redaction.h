/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Removes sensitive data from a copy of a recording.  By rules, texts become pseudonyms.  Bytes of
 * unknown meaning are blanked or left out.
 *
 * A rule is KIND or KIND=GLOB, where GLOB selects values.  KIND is
 *
 *	comm	names of tasks: in COMM records, and fields whose names end in "comm"
 *	path	names of files: of maps, build ids and cgroups, fields whose names end in "path",
 *		"pathname" or "filename", and the strings of system calls that name files
 *	cmdline	the words of the recorder's command line
 *	host	the name of the machine
 *	kernel	names of kernel modules, and of code that the kernel made (BPF programs)
 *	all	all of these, and all text and all arrays of bytes in events
 *	S:E.F	the text or the array of bytes in the field F of the event S:E; a glob
 *
 * Arrays of bytes are blanked, since their meaning is unknown.
 */
#ifndef KTRACE_PERFDATA_REDACT_REDACTION_H
#define KTRACE_PERFDATA_REDACT_REDACTION_H

#include <linux/perf_event.h>
#include <stdbool.h>

#include "lib/cleanup.h"
#include "lib/error.h"
#include "lib/strbuf.h"
#include "perfdata/write/description.h"

struct redaction;

/*
 * Create one without rules.  The file @key has the key of its pseudonyms; NULL: the key is random.
 */
struct error *redaction_create(const char *key, struct redaction **ret);
void redaction_destroy(struct redaction *redaction);
DEFINE_CLEANUP_PTR(redaction, struct redaction, redaction_destroy)

/* Add a rule.  EINVAL: it is malformed. */
struct error *redaction_add_rule(struct redaction *redaction, const char *rule);

/*
 * Redact a description, and remember it for the records, so it must live as long as @redaction.
 * The recording is read once at @path, to learn where code is mapped.  These are removed: features
 * with texts of an unknown form, images of BPF programs, and the texts of filters.  Numbers replace
 * the cgroups that events are limited to.  EINVAL: a rule names fields that do not exist; ENOTSUP:
 * the recording holds a trace of the processor.
 */
struct error *redaction_begin(struct redaction *redaction, const char *path,
			      struct description *description);

/*
 * Call it when all records have been copied, before the copy is finished.  It removes the data that
 * records have added to the description meanwhile.
 */
struct error *redaction_end(struct redaction *redaction, struct description *description);

/* Redact a table of build ids: entries of the BUILD_ID feature. */
struct error *redaction_build_ids(struct redaction *redaction, struct strbuf *table);

/*
 * Store the redacted form of @header in *ret; NULL: the record is left out.  It is valid until the
 * next call.
 */
struct error *redaction_take(struct redaction *redaction, const struct perf_event_header *header,
			     const struct perf_event_header **ret);

/* Report the redaction, and the data that was blanked or left out. */
void redaction_tell(const struct redaction *redaction);

#endif
