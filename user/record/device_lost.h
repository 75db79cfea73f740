/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The LOST record of a device, for losses that no record in a ring reports.
 */
#ifndef KTRACE_RECORD_DEVICE_LOST_H
#define KTRACE_RECORD_DEVICE_LOST_H

#include <linux/perf_event.h>
#include <stdint.h>

#include "record/body.h"

struct device_lost {
	struct perf_event_header header;
	struct body_device_lost body;
};

/*
 * @lost samples of the event @id were lost on @cpu for @reason (enum ktrace_lost), the first and
 * the last one at these times, in ns; 0: not known.
 */
static inline struct device_lost device_lost_make(uint64_t id, uint32_t cpu, uint32_t reason,
						  uint64_t lost, uint64_t first, uint64_t last)
{
	return (struct device_lost){
		.header = { PERF_RECORD_LOST, 0, sizeof(struct device_lost) },
		.body = {
			.id = id,
			.lost = lost,
			.reason = reason,
			.first = first,
			.last = last,
			.sample_id = {
				.pid = -1, .tid = -1, .time = last, .cpu = cpu, .id = id,
			},
		},
	};
}

#endif
