// SPDX-License-Identifier: GPL-2.0
#include "profile/histogram/entry_samples.h"

#include <stdlib.h>

#include "lib/array.h"
#include "lib/hash.h"

bool entry_samples_add(struct entry_samples *samples, size_t max, uint64_t count,
		       const struct event *event, const struct sample *sample)
{
	const struct entry_sample added = {
		.event = event, .time = sample->time, .pid = sample->pid, .tid = sample->tid,
		.cpu = sample->cpu,
	};
	uint64_t position;

	if (samples->nr < max)
		return array_push(samples, added);
	position = hash_key_join(hash_key_number(count), sample->time) % count;
	if (position < samples->nr)
		samples->items[position] = added;
	return true;
}

bool entry_samples_merge(struct entry_samples *samples, size_t max,
			 const struct entry_samples *from)
{
	for (size_t i = 0; i < from->nr && samples->nr < max; i++)
		if (!array_push(samples, from->items[i]))
			return false;
	return true;
}

DEFINE_COMPARISON(compare_entry_samples, struct entry_sample, array_order(x->time, y->time))

void entry_samples_sort(struct entry_samples *samples)
{
	array_sort(samples, compare_entry_samples);
}
