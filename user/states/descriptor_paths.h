/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the descriptors of processes stand for: the paths that were opened in the recording,
 * and, while tasks still run, what /proc says.
 */
#ifndef KTRACE_STATES_DESCRIPTOR_PATHS_H
#define KTRACE_STATES_DESCRIPTOR_PATHS_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/cleanup.h"
#include "lib/error.h"

struct descriptor_paths;

/* @live: ask /proc for descriptors that nothing is known of. */
struct error *descriptor_paths_create(bool live, struct descriptor_paths **ret);
void descriptor_paths_destroy(struct descriptor_paths *paths);

/* The path of a descriptor; NULL: unknown.  It is valid until the next call of any of these. */
const char *descriptor_paths_get(struct descriptor_paths *paths, int32_t pid, int32_t fd);

/* The descriptor stands for @path now; NULL: for something unknown.  Memory may be short. */
void descriptor_paths_set(struct descriptor_paths *paths, int32_t pid, int32_t fd,
			  const char *path);

/* Nothing is known of the process any more, as it has ended or executes another program. */
void descriptor_paths_forget(struct descriptor_paths *paths, int32_t pid);

#endif
