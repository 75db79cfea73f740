/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A file with the coverage of earlier runs.  It is JSON, with all coverage data of each event, and
 * a hash of the event's format at that time.
 */
#ifndef KTRACE_CHECK_COVERAGE_FILE_H
#define KTRACE_CHECK_COVERAGE_FILE_H

#include "check/coverage.h"
#include "lib/cleanup.h"
#include "lib/error.h"

struct coverage_file;

/* Open a file.  If it does not exist, it is empty, and coverage_file_write() creates it. */
struct error *coverage_file_open(const char *path, struct coverage_file **ret);
void coverage_file_close(struct coverage_file *file);
DEFINE_CLEANUP_PTR(coverage_file, struct coverage_file, coverage_file_close)

/*
 * The names of the file's events, "system:name", ended by NULL; they live as long as the file.
 */
char *const *coverage_file_events(const struct coverage_file *file);

/*
 * Load the file's data about the events of @coverage.  An event whose format has changed since
 * begins anew, with a notice.
 */
struct error *coverage_file_load(const struct coverage_file *file, struct coverage *coverage);

/* Write all events of @coverage into the file; its data about other events is kept. */
struct error *coverage_file_write(struct coverage_file *file, const struct coverage *coverage);

#endif
