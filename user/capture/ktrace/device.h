/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Opens /dev/ktrace, and explains a failure.
 */
#ifndef KTRACE_CAPTURE_KTRACE_DEVICE_H
#define KTRACE_CAPTURE_KTRACE_DEVICE_H

#include <linux/ktrace.h>
#include <stdbool.h>
#include <stdint.h>

#include "lib/error.h"

/*
 * Open a new session of the device.  It is an error if no module is loaded, if the permission is
 * missing, or if this tool does not support the module's interface.
 */
struct error *device_open(int *ret_fd, struct ktrace_info *ret_info);

/*
 * Whether the loaded module records functions (KTRACE_EVENT_FUNCTION); @with_args: with arguments.
 */
bool device_has_functions(bool with_args);

/*
 * Returns the reason why the module cannot capture the tracepoint @name ("system:event") by
 * template, or NULL if it can.  The text is static and a part of a sentence.  @fd is the descriptor
 * of a session.
 */
const char *device_why_no_template(int fd, uint64_t id, const char *name);

/* Returns the path that the module chooses by default for that tracepoint, as static text. */
const char *device_path_text(int fd, uint64_t id, const char *name);

#endif
