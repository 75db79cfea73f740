/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What is taken out of a copy of a recording: texts become pseudonyms, by rules, and bytes that
 * nobody knows the meaning of are blanked or left out.
 *
 * A rule is WHAT or WHAT=GLOB, where GLOB tells which values of it are meant.  WHAT is
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
 * Arrays of bytes are blanked, since nobody knows what is in them.
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

/* Create one without rules.  The key of its pseudonyms is in the file @key; NULL: it is random. */
struct error *redaction_create(const char *key, struct redaction **ret);
void redaction_destroy(struct redaction *redaction);
DEFINE_CLEANUP_PTR(redaction, struct redaction, redaction_destroy)

/* EINVAL: it is no rule. */
struct error *redaction_add_rule(struct redaction *redaction, const char *rule);

/*
 * Redact what a description says, and remember it for the records, so it must live as long as
 * @redaction.  The recording is read once at @path, to learn where code is mapped.  Features that
 * have texts of an unknown form, and images of BPF programs, are removed, as are the texts of
 * filters; numbers take the place of cgroups that events are limited to.  EINVAL: a rule names
 * fields, and there are none; ENOTSUP: the recording holds a trace of the processor.
 */
struct error *redaction_begin(struct redaction *redaction, const char *path,
			      struct description *description);

/*
 * To be called when all records were taken, before the copy is finished: removes what records
 * have added to the description meanwhile.
 */
struct error *redaction_end(struct redaction *redaction, struct description *description);

/* Redact a table of build ids: entries of the BUILD_ID feature. */
struct error *redaction_build_ids(struct redaction *redaction, struct strbuf *table);

/*
 * Give the record that takes the place of @header; NULL: none does.  It is valid until the next
 * call.
 */
struct error *redaction_take(struct redaction *redaction, const struct perf_event_header *header,
			     const struct perf_event_header **ret);

/* Say what was done, and what was blanked or left out. */
void redaction_tell(const struct redaction *redaction);

#endif
