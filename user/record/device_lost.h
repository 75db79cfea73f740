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

/* As long as header.size says; no sample_id of the device has more than 4 words. */
struct device_lost {
	struct perf_event_header header;
	struct body_device_lost body;
	uint64_t sample_id[4];
};

/*
 * Make one for losses that no record in a ring reports: @lost samples of @event were lost on @cpu
 * for @reason (enum ktrace_lost), the first and the last one at these times, in ns; 0: not known.
 */
void device_lost_make(const struct event *event, uint32_t cpu, uint32_t reason, uint64_t lost,
		      uint64_t first, uint64_t last, struct device_lost *ret);

/* Returns the body of a LOST record of @event, or NULL if it is not as the device writes them. */
const struct body_device_lost *device_lost_body(const struct event *event,
						const struct perf_event_header *header);

#endif
