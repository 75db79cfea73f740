/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Opening /dev/ktrace, with the reasons why it cannot be.
 */
#ifndef KTRACE_CAPTURE_DEVICE_H
#define KTRACE_CAPTURE_DEVICE_H

#include <linux/ktrace.h>
#include <stdint.h>

#include "lib/error.h"

/*
 * A new session of the device.  Errors: no module loaded, no permission, or a
 * module whose interface is not this tool's.
 */
struct error *device_open(int *ret_fd, struct ktrace_info *ret_info);

/*
 * Why the module cannot capture the tracepoint @name ("system:event") by
 * template: part of a sentence, static; NULL: it can.  @fd: a session's.
 */
const char *device_why_no_template(int fd, uint64_t id, const char *name);

/* How it captures that tracepoint when it may choose: the same. */
const char *device_path_text(int fd, uint64_t id, const char *name);

#endif
