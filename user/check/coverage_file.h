/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A file with what earlier runs exercised: JSON, with all that a coverage knows
 * of each event, and a hash of the format it was seen with.
 */
#ifndef KTRACE_CHECK_COVERAGE_FILE_H
#define KTRACE_CHECK_COVERAGE_FILE_H

#include "check/coverage.h"
#include "lib/cleanup.h"
#include "lib/error.h"

struct coverage_file;

/* One that does not exist is empty, and is made by coverage_file_write(). */
struct error *coverage_file_open(const char *path, struct coverage_file **ret);
void coverage_file_close(struct coverage_file *file);
DEFINE_CLEANUP_PTR(coverage_file, struct coverage_file, coverage_file_close)

/* The names of its events, "system:name", ended by NULL; they live as long as the file. */
char *const *coverage_file_events(const struct coverage_file *file);

/*
 * Have @coverage begin with what the file holds of its events.  An event whose
 * format is another now begins anew, with a notice.
 */
struct error *coverage_file_load(const struct coverage_file *file, struct coverage *coverage);

/* Put all events of @coverage into the file; what it holds of others stays. */
struct error *coverage_file_write(struct coverage_file *file, const struct coverage *coverage);

#endif
