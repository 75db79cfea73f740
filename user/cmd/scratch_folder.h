/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The folder that a command makes recordings in for itself: $TMPDIR/PREFIX-PID-XXXXXX.
 */
#ifndef KTRACE_CMD_SCRATCH_FOLDER_H
#define KTRACE_CMD_SCRATCH_FOLDER_H

#include "lib/held_folder.h"

/*
 * Create the folder.  Folders of @prefix, as "ktrace-check", that killed processes left behind are
 * removed first.
 */
struct error *scratch_folder_create(struct held_folder *ret, const char *prefix);

/* Remove the folder with its files: recordings "N.data", and "pid". */
void scratch_folder_destroy(struct held_folder *folder);

#endif
