/* SPDX-License-Identifier: GPL-2.0 */
/* Whether the numbers of tasks that we see are those that the kernel records. */
#ifndef KTRACE_CAPTURE_PID_NAMESPACE_H
#define KTRACE_CAPTURE_PID_NAMESPACE_H

#include <stdbool.h>

/*
 * Returns false in a container with numbers of its own, and where procfs, below @root ("": the
 * machine's), does not tell.
 */
bool pid_namespace_is_first(const char *root);

#endif
