/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The folder that a check records into: $TMPDIR/ktrace-check-PID-XXXXXX.
 */
#ifndef KTRACE_CMD_CHECK_CHECK_FOLDER_H
#define KTRACE_CMD_CHECK_CHECK_FOLDER_H

#include "lib/held_folder.h"

/* Create the folder.  Folders that killed checks left behind are removed first. */
struct error *check_folder_create(struct held_folder *ret);

/* Remove the folder with its files. */
void check_folder_destroy(struct held_folder *folder);

#endif
