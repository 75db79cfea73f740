// SPDX-License-Identifier: GPL-2.0
#include "lib/array.h"
#include "lib/hash.h"
#include "profile/profiler.h"

static bool is_lane(const struct profiler *profiler, uint32_t number,
		    const struct profile_lane *lane)
{
	const struct profile_lane *known = &profiler->profile.lanes.items[number];

	return known->event == lane->event && known->task == lane->task && known->cpu == lane->cpu;
}

struct error *profiler_find_lane(struct profiler *profiler, const struct profile_lane *key,
				 uint32_t *ret)
{
	struct profile *profile = &profiler->profile;
	uint64_t hash;

	*ret = profiler->last_lane;
	if (profile->lanes.nr && is_lane(profiler, *ret, key))
		return NULL;
	hash = hash_key_join(hash_key_number(key->event), (uint64_t)key->task << 32 |
							  (uint32_t)key->cpu);
	hash_table_each(&profiler->lane_table, hash, n) {
		*ret = n;
		if (is_lane(profiler, *ret, key)) {
			profiler->last_lane = *ret;
			return NULL;
		}
	}
	*ret = profiler->last_lane = profile->lanes.nr;
	return hash_table_add(&profiler->lane_table, hash, *ret) &&
	       array_push(&profile->lanes, *key) ? NULL : &error_no_memory;
}

/* The node of the sample's innermost function; a sample without a chain has one function. */
