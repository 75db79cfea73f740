// SPDX-License-Identifier: GPL-2.0
#include "filter/filter_budget.h"

#include <linux/errno.h>
#include <linux/hashtable.h>
#include <linux/minmax.h>
#include <linux/mutex.h>
#include <linux/ktrace.h>

/* On every machine, a function that has a call of ftrace is at least as long. */
#define MIN_FUNCTION_SIZE	5
/* Functions within this many bytes are in one bucket, or in two adjacent ones. */
#define BUCKET_BYTES		8

static DEFINE_HASHTABLE(claims, 10);
static DEFINE_MUTEX(lock);		/* protects `claims` */

static u64 bucket_of(u64 address, u64 config)
{
	return address ? address / BUCKET_BYTES : config;
}

/*
 * Do both fire at once?  For functions, the address decides.  It may also be that of ftrace's call,
 * a few bytes behind.  Their config is arbitrary.
 */
static bool fires_with(const struct ktrace_filter_claim *claim, u64 address, u64 config)
{
	if (!claim->address || !address)
		return claim->address == address && claim->config == config;
	return max(claim->address, address) - min(claim->address, address) < MIN_FUNCTION_SIZE;
}

static u64 cost_in(u64 bucket, u64 address, u64 config)
{
	const struct ktrace_filter_claim *claim;
	u64 cost = 0;

	hash_for_each_possible(claims, claim, node, bucket)
		if (bucket_of(claim->address, claim->config) == bucket &&
		    fires_with(claim, address, config))
			cost += claim->cost;
	return cost;
}

int ktrace_filter_budget_claim(struct ktrace_filter_claim *claim, u64 address, u64 config, u32 cost)
{
	u64 bucket = bucket_of(address, config), sum = cost;
	int err = -ENOSPC;

	mutex_lock(&lock);
	sum += cost_in(bucket, address, config);
	if (address)
		sum += cost_in(bucket - 1, address, config) + cost_in(bucket + 1, address, config);
	if (sum <= KTRACE_FILTER_MAX_COST) {
		*claim = (struct ktrace_filter_claim){
			.address = address, .config = config, .cost = cost,
		};
		hash_add(claims, &claim->node, bucket);
		err = 0;
	}
	mutex_unlock(&lock);
	return err;
}

void ktrace_filter_budget_drop(struct ktrace_filter_claim *claim)
{
	mutex_lock(&lock);
	if (claim->cost)
		hash_del(&claim->node);
	mutex_unlock(&lock);
}
