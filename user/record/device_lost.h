/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The LOST records of a device (<linux/ktrace.h>).
 */
#ifndef KTRACE_RECORD_DEVICE_LOST_H
#define KTRACE_RECORD_DEVICE_LOST_H

#include <linux/perf_event.h>
#include <stdint.h>

#include "record/body.h"
#include "record/event.h"

/* header.size bytes long; a sample_id of the device has at most 4 words. */
struct device_lost {
	struct perf_event_header header;
	struct body_device_lost body;
	uint64_t sample_id[4];
};

/*
 * Create a record for losses that no record in a ring reports: @lost samples of @event were lost on
 * @cpu for @reason (enum ktrace_lost).  @first and @last are the times of the first and the last
 * one, in ns; 0: unknown.
 */
void device_lost_make(const struct event *event, uint32_t cpu, uint32_t reason, uint64_t lost,
		      uint64_t first, uint64_t last, struct device_lost *ret);

/* Returns the body of a LOST record of @event, or NULL if it does not have the device's layout. */
const struct body_device_lost *device_lost_body(const struct event *event,
						const struct perf_event_header *header);

#endif
