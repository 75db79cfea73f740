// SPDX-License-Identifier: GPL-2.0
#include "machine/keys.h"

#include <linux/errno.h>
#include <linux/limits.h>
#include <linux/log2.h>
#include <linux/minmax.h>
#include <linux/mm.h>
#include <linux/random.h>
#include <linux/string.h>

#include "lib/memlock.h"

/* How often an NMI tries to get a lock. */
#define KEYS_NMI_TRIES	100
#define KEYS_BUCKETS_MAX	(1U << 17)

/* Tasks that have ended keep their entries for a moment, besides the living ones. */
static u32 keys_room(u32 max)
{
	return max + max / 8 + 64;
}

static u32 keys_buckets(u32 max)
{
	return min_t(u32, roundup_pow_of_two(max), KEYS_BUCKETS_MAX);
}

static u32 keys_entry_size(u32 words, u32 clocks)
{
	return sizeof(struct ktrace_keys_entry) + (words + clocks) * sizeof(u64);
}

u64 ktrace_keys_bytes(u32 max, u32 words, u32 clocks)
{
	return (u64)keys_buckets(max) * sizeof(struct ktrace_keys_bucket) +
	       (u64)keys_room(max) * (keys_entry_size(words, clocks) + sizeof(u32));
}

int ktrace_keys_pool_init(struct ktrace_keys_pool *pool, u32 nr)
{
	pool->next = kvcalloc(nr, sizeof(*pool->next), KTRACE_MEMLOCK_GFP);
	if (!pool->next)
		return -ENOMEM;
	pool->nr = nr;
	atomic64_set(&pool->free, KTRACE_KEYS_NONE);
	atomic_set(&pool->fresh, 0);
	return 0;
}

void ktrace_keys_pool_deinit(struct ktrace_keys_pool *pool)
{
	kvfree(pool->next);
}

/* The next value of the list, with @number as its first element. */
static s64 keys_pool_list(s64 old, u32 number)
{
	return (((u64)old >> 32) + 1) << 32 | number;
}

notrace u32 ktrace_keys_pool_take(struct ktrace_keys_pool *pool)
{
	s64 old = atomic64_read(&pool->free);
	u32 number;

	while ((u32)old != KTRACE_KEYS_NONE) {
		number = old;
		/* If somebody takes it meanwhile, the exchange fails, and we try again. */
		if (atomic64_try_cmpxchg(&pool->free, &old,
					 keys_pool_list(old, READ_ONCE(pool->next[number]))))
			return number;
	}
	number = atomic_fetch_add_unless(&pool->fresh, 1, pool->nr);
	return number < pool->nr ? number : KTRACE_KEYS_NONE;
}

notrace void ktrace_keys_pool_give(struct ktrace_keys_pool *pool, u32 number)
{
	s64 old = atomic64_read(&pool->free);

	do
		WRITE_ONCE(pool->next[number], (u32)old);
	while (!atomic64_try_cmpxchg(&pool->free, &old, keys_pool_list(old, number)));
}

int ktrace_keys_init(struct ktrace_keys *keys, u32 max, u32 words, u32 clocks)
{
	u32 nr = keys_buckets(max), i;

	*keys = (struct ktrace_keys){
		.mask = nr - 1, .words = words, .entry_size = keys_entry_size(words, clocks),
		.max_live = max, .seed = get_random_u64(),
	};
	keys->buckets = kvcalloc(nr, sizeof(*keys->buckets), KTRACE_MEMLOCK_GFP);
	keys->entries = kvcalloc(keys_room(max), keys->entry_size, KTRACE_MEMLOCK_GFP);
	if (!keys->buckets || !keys->entries ||
	    ktrace_keys_pool_init(&keys->pool, keys_room(max))) {
		ktrace_keys_deinit(keys);
		return -ENOMEM;
	}
	for (i = 0; i < nr; i++)
		keys->buckets[i] = (struct ktrace_keys_bucket){
			.lock = __ARCH_SPIN_LOCK_UNLOCKED, .head = KTRACE_KEYS_NONE,
		};
	return 0;
}

void ktrace_keys_deinit(struct ktrace_keys *keys)
{
	ktrace_keys_pool_deinit(&keys->pool);
	kvfree(keys->entries);
	kvfree(keys->buckets);
	*keys = (struct ktrace_keys){ };
}

noinline notrace bool ktrace_keys_lock_in_nmi(struct ktrace_keys_bucket *bucket)
{
	int i;

	for (i = 0; i < KEYS_NMI_TRIES; i++) {
		if (arch_spin_trylock(&bucket->lock))
			return true;
		cpu_relax();
	}
	return false;
}

static u32 keys_number(const struct ktrace_keys *keys, const struct ktrace_keys_entry *e)
{
	return ((const char *)e - keys->entries) / keys->entry_size;
}

noinline notrace struct ktrace_keys_entry *
ktrace_keys_add(struct ktrace_keys *keys, struct ktrace_keys_bucket *bucket, u64 hash,
		const u64 *key)
{
	struct ktrace_keys_entry *e;
	u32 number, i;

	if (!atomic_add_unless(&keys->live, 1, keys->max_live))
		return NULL;
	number = ktrace_keys_pool_take(&keys->pool);
	if (number == KTRACE_KEYS_NONE) {
		atomic_dec(&keys->live);
		return NULL;
	}
	e = ktrace_keys_entry(keys, number);
	e->hash = hash;
	e->last = 0;
	e->serial = 0;
	e->since = 0;
	e->deadline = U64_MAX;
	e->pending = KTRACE_KEYS_NONE;
	e->clocks_set = 0;
	e->flags = 0;
	for (i = 0; i < keys->words; i++)
		e->words[i] = key[i];
	e->next = bucket->head;
	bucket->head = number;
	/* Pairs with the acquire of functions that walk through all entries. */
	smp_store_release(&e->status, KTRACE_KEYS_UNKNOWN);
	return e;
}

notrace void ktrace_keys_unlink(struct ktrace_keys *keys, struct ktrace_keys_bucket *bucket,
				struct ktrace_keys_entry *e)
{
	u32 *from = &bucket->head, number = keys_number(keys, e);

	while (*from != number)
		from = &ktrace_keys_entry(keys, *from)->next;
	*from = e->next;
}

notrace void ktrace_keys_free(struct ktrace_keys *keys, struct ktrace_keys_entry *e)
{
	WRITE_ONCE(e->status, KTRACE_KEYS_FREE);
	ktrace_keys_pool_give(&keys->pool, keys_number(keys, e));
}
