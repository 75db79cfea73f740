// SPDX-License-Identifier: GPL-2.0
/*
 * A module with an event: it fires whenever a number is written to
 * /sys/module/elevator/parameters/floor.  Nothing in here knows of ktrace.
 */
#include <linux/module.h>

#define CREATE_TRACE_POINTS
#include "elevator_trace.h"

static int floor;

static int set_floor(const char *text, const struct kernel_param *param)
{
	int err = param_set_int(text, param);

	if (!err)
		trace_elevator_stop(floor, 4);
	return err;
}

static const struct kernel_param_ops floor_ops = {
	.set = set_floor,
	.get = param_get_int,
};

module_param_cb(floor, &floor_ops, &floor, 0644);
MODULE_PARM_DESC(floor, "Where the elevator stops");
MODULE_DESCRIPTION("example of a module with an event");
MODULE_LICENSE("GPL");
