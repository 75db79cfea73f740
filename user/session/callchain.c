// SPDX-License-Identifier: GPL-2.0
#include "session/callchain.h"

#include <linux/perf_event.h>
#include <stdlib.h>

#include "lib/array.h"

void callchain_deinit(struct callchain *chain)
{
	free(chain->items);
	*chain = (struct callchain){ 0 };
}

/* The mode of the addresses behind a mark; false: it is none of perf's. */
static bool mode_behind(uint64_t mark, uint8_t *ret)
{
	switch (mark) {
	case (uint64_t)PERF_CONTEXT_HV:
		*ret = PERF_RECORD_MISC_HYPERVISOR;
		return true;
	case (uint64_t)PERF_CONTEXT_KERNEL:
		*ret = PERF_RECORD_MISC_KERNEL;
		return true;
	case (uint64_t)PERF_CONTEXT_USER:
		*ret = PERF_RECORD_MISC_USER;
		return true;
	default:
		return false;
	}
}

bool callchain_read(struct callchain *chain, const struct sample *sample, unsigned int depth)
{
	struct frame frame = { .mode = PERF_RECORD_MISC_USER };

	chain->nr = 0;
	for (uint64_t i = 0; i < sample->nr_callchain && chain->nr < depth; i++) {
		frame.ip = sample->callchain[i];
		if (frame.ip < (uint64_t)PERF_CONTEXT_MAX) {
			if (!array_push(chain, frame))
				return false;
		} else if (!mode_behind(frame.ip, &frame.mode)) {
			chain->nr = 0;
			return true;
		}
	}
	return true;
}
