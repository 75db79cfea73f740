/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The lines of each event of a recording in a file of its own, RECORDING.EVENT.dump, as
 * `perf script --per-event-dump` writes them.  A "/" in the name of an event becomes "_" there.
 * The files get their names, and replace older ones, when all of them are complete.
 */
#ifndef KTRACE_OUTPUT_TEXT_TEXT_FILES_H
#define KTRACE_OUTPUT_TEXT_TEXT_FILES_H

#include "lib/cleanup.h"
#include "record/event.h"

struct text_files;

/* Create a file for each of @events, which may not change; events of one name share one. */
struct error *text_files_create(const char *recording, const struct event_list *events,
				struct text_files **ret);

/* Add the lines of one sample.  EBADMSG: its event has no file. */
struct error *text_files_add(struct text_files *files, const struct event *event,
			     const char *text, size_t len);

/* Complete the files, and print the content of each on stderr. */
struct error *text_files_finish(struct text_files *files);

/* Without text_files_finish(), the files are removed. */
void text_files_destroy(struct text_files *files);
DEFINE_CLEANUP_PTR(text_files, struct text_files, text_files_destroy)

#endif
