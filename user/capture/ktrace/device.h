/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Opens /dev/ktrace, and explains why if that fails.
 */
#ifndef KTRACE_CAPTURE_KTRACE_DEVICE_H
#define KTRACE_CAPTURE_KTRACE_DEVICE_H

#include <linux/ktrace.h>
#include <stdbool.h>
#include <stdint.h>

#include "lib/error.h"

/*
 * Open a new session of the device.  It is an error if no module is loaded, if the permission
 * is missing, or if the module has an interface that this tool does not support.
 */
struct error *device_open(int *ret_fd, struct ktrace_info *ret_info);

/* Whether the module that is loaded records functions (KTRACE_EVENT_FUNCTION), and arguments. */
bool device_has_functions(bool with_args);

/*
 * Returns why the module cannot capture the tracepoint @name ("system:event") by template, as
 * part of a sentence, which is static, or NULL if it can.  @fd is the descriptor of a
 * session.
 */
const char *device_why_no_template(int fd, uint64_t id, const char *name);

/* Returns the path that the module chooses for that tracepoint by itself, likewise as text. */
const char *device_path_text(int fd, uint64_t id, const char *name);

#endif
