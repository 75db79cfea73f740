/* SPDX-License-Identifier: GPL-2.0 */
/* A folder for the temporary recordings of a command: $TMPDIR/PREFIX-PID-XXXXXX. */
#ifndef KTRACE_CMD_SCRATCH_FOLDER_H
#define KTRACE_CMD_SCRATCH_FOLDER_H

#include "lib/held_folder.h"

/*
 * Create the folder.  First remove folders of @prefix, such as "ktrace-check", that killed
 * processes left behind.
 */
struct error *scratch_folder_create(struct held_folder *ret, const char *prefix);

/* Remove the folder with its files: recordings "N.data", and "pid". */
void scratch_folder_destroy(struct held_folder *folder);

#endif
