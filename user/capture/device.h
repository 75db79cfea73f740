/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Opening /dev/ktrace, with the reasons why it cannot be.
 */
#ifndef KTRACE_CAPTURE_DEVICE_H
#define KTRACE_CAPTURE_DEVICE_H

#include <linux/ktrace.h>

#include "lib/error.h"

/*
 * A new session of the device.  Errors: no module loaded, no permission, or a
 * module whose interface is not this tool's.
 */
struct error *device_open(int *ret_fd, struct ktrace_info *ret_info);

#endif
