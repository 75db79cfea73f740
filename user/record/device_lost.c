// SPDX-License-Identifier: GPL-2.0
#include "record/device_lost.h"

#include "record/sample.h"

void device_lost_make(const struct event *event, uint32_t cpu, uint32_t reason, uint64_t lost,
		      uint64_t first, uint64_t last, struct device_lost *ret)
{
	uint64_t type = event->attr.sample_type, id = event->ids[0];
	size_t n = 0;

	*ret = (struct device_lost){
		.header = {
			.type = PERF_RECORD_LOST,
			.misc = type & PERF_SAMPLE_CPU ? 0 : cpu << EVENT_COMPACT_CPU_SHIFT,
		},
		.body = { .id = id, .lost = lost, .reason = reason, .first = first, .last = last },
	};
	/* Nobody knows which task it was. */
	ret->sample_id[n++] = UINT64_MAX;
	ret->sample_id[n++] = last;
	if (type & PERF_SAMPLE_CPU)
		ret->sample_id[n++] = cpu;
	if (type & PERF_SAMPLE_IDENTIFIER)
		ret->sample_id[n++] = id;
	ret->header.size = offsetof(struct device_lost, sample_id) + n * sizeof(*ret->sample_id);
}

const struct body_device_lost *device_lost_body(const struct event *event,
						const struct perf_event_header *header)
{
	const struct body_device_lost *body = body_of(header, struct body_device_lost);

	/* The kernel's own are shorter. */
	if (!event || !body ||
	    header->size < sizeof(*header) + sizeof(*body) + sample_id_size(&event->attr))
		return NULL;
	return body;
}
