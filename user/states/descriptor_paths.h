/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The paths of processes' descriptors: opened in the recording, and, while tasks
 * still run, in /proc.
 */
#ifndef KTRACE_STATES_DESCRIPTOR_PATHS_H
#define KTRACE_STATES_DESCRIPTOR_PATHS_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/cleanup.h"
#include "lib/error.h"

struct descriptor_paths;

/* @live: look up unknown descriptors in /proc. */
struct error *descriptor_paths_create(bool live, struct descriptor_paths **ret);
void descriptor_paths_destroy(struct descriptor_paths *paths);

/* The path of a descriptor; NULL: unknown.  It is valid until the next call of these functions. */
const char *descriptor_paths_get(struct descriptor_paths *paths, int32_t pid, int32_t fd);

/* Set the path of a descriptor; NULL: unknown.  Without memory the path is lost. */
void descriptor_paths_set(struct descriptor_paths *paths, int32_t pid, int32_t fd,
			  const char *path);

/* Drop the paths of a process that has ended or executes another program. */
void descriptor_paths_forget(struct descriptor_paths *paths, int32_t pid);

#endif
