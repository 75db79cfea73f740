/* SPDX-License-Identifier: GPL-2.0 */
/* Whether the kernel records the same task numbers that we see. */
#ifndef KTRACE_CAPTURE_PID_NAMESPACE_H
#define KTRACE_CAPTURE_PID_NAMESPACE_H

#include <stdbool.h>

/*
 * Returns false in a container with its own numbers, and if it cannot be read from procfs.  @root
 * is the path above procfs ("": this machine's).
 */
bool pid_namespace_is_first(const char *root);

#endif
