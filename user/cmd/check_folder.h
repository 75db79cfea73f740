/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The folder that a check records into: $TMPDIR/ktrace-check-PID-XXXXXX.
 */
#ifndef KTRACE_CMD_CHECK_FOLDER_H
#define KTRACE_CMD_CHECK_FOLDER_H

#include "lib/held_folder.h"

/* Make it; those of checks that were killed are removed on the way. */
struct error *check_folder_create(struct held_folder *ret);

/* Remove it with what is in it. */
void check_folder_destroy(struct held_folder *folder);

#endif
