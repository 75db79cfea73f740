/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The keys of a machine: a hash table with a lock for each bucket.  All entries are allocated at
 * the beginning.  Locks are taken with interrupts disabled, and an NMI only tries to take one.  So
 * all of this works in any context.
 *
 * An entry is found by its bucket, or by its number.  Only one task at a time frees entries.  Only
 * this task walks through the entries by number, so that no entry is reused meanwhile.
 */
#ifndef KTRACE_KEYS_H
#define KTRACE_KEYS_H

#include <linux/atomic.h>
#include <linux/compiler.h>
#include <linux/irqflags.h>
#include <linux/preempt.h>
#include <linux/spinlock.h>
#include <linux/types.h>

#define KTRACE_KEYS_NONE	U32_MAX

enum ktrace_keys_status {
	KTRACE_KEYS_FREE,
	KTRACE_KEYS_UNKNOWN,
	KTRACE_KEYS_KNOWN,
	KTRACE_KEYS_ENDED,		/* the task has ended; no other task has its number yet */
	KTRACE_KEYS_BURIED,		/* likewise, and the entry is in no bucket any more */
} __packed;

struct ktrace_keys_entry {
	u64 hash;
	u64 last;			/* the latest time of an applied firing; 0: none */
	u64 serial;			/* of the last applied firing; 0: it has none */
	u64 since;			/* when the state was entered, or the task ended */
	u64 deadline;			/* U64_MAX: there is none */
	u32 next;			/* in its bucket */
	u32 epoch;			/* of the machine when the key was started */
	u32 pending;			/* the first violation that is not certain yet */
	u16 state;
	u8 clocks_set;			/* mask */
	u8 flags;			/* of judge.h */
	enum ktrace_keys_status status;	/* protected by the lock, but also read without it */
	u64 words[];			/* the key, then the clocks */
};

struct ktrace_keys_bucket {
	arch_spinlock_t lock;
	u32 head;
};

/* Allocates numbers below `nr`, each to one caller at a time.  Works in any context. */
struct ktrace_keys_pool {
	atomic64_t free;		/* the first of a list, and how often it has changed */
	atomic_t fresh;			/* numbers from here on were never allocated */
	u32 nr;
	u32 *next;
};

int ktrace_keys_pool_init(struct ktrace_keys_pool *pool, u32 nr);
void ktrace_keys_pool_deinit(struct ktrace_keys_pool *pool);
/* Returns a number, or KTRACE_KEYS_NONE if all are in use. */
u32 ktrace_keys_pool_take(struct ktrace_keys_pool *pool);
void ktrace_keys_pool_give(struct ktrace_keys_pool *pool, u32 number);
/* All numbers that were ever allocated are below this. */
static inline u32 ktrace_keys_pool_end(const struct ktrace_keys_pool *pool)
{
	return atomic_read(&pool->fresh);
}

struct ktrace_keys {
	struct ktrace_keys_bucket *buckets;
	u32 mask;			/* of the numbers of buckets */
	u32 words;			/* of a key */
	u32 entry_size;
	u32 max_live;
	atomic_t live;			/* entries of keys that have not ended */
	u64 seed;
	char *entries;
	struct ktrace_keys_pool pool;
};

/* The bytes of a table for @max keys of @words words and @clocks clocks. */
u64 ktrace_keys_bytes(u32 max, u32 words, u32 clocks);
int ktrace_keys_init(struct ktrace_keys *keys, u32 max, u32 words, u32 clocks);
void ktrace_keys_deinit(struct ktrace_keys *keys);

static __always_inline struct ktrace_keys_entry *ktrace_keys_entry(const struct ktrace_keys *keys,
								   u32 number)
{
	return (struct ktrace_keys_entry *)(keys->entries + (size_t)number * keys->entry_size);
}

static __always_inline u64 ktrace_keys_hash(const struct ktrace_keys *keys, const u64 *key)
{
	u64 hash = keys->seed;
	u32 i;

	for (i = 0; i < keys->words; i++) {
		hash = (hash ^ key[i]) * 0x9e3779b97f4a7c15;
		hash ^= hash >> 32;
	}
	return hash;
}

static __always_inline struct ktrace_keys_bucket *ktrace_keys_bucket(const struct ktrace_keys *keys,
								     u64 hash)
{
	return &keys->buckets[hash & keys->mask];
}

/*
 * Locks without lockdep and without tracing of interrupts, which have events of their own.  Returns
 * false in an NMI that cannot get the lock; it may have interrupted the holder.
 */
bool ktrace_keys_lock_in_nmi(struct ktrace_keys_bucket *bucket);

static __always_inline bool ktrace_keys_lock(struct ktrace_keys_bucket *bucket,
					     unsigned long *flags)
{
	raw_local_irq_save(*flags);
	if (likely(!in_nmi())) {
		arch_spin_lock(&bucket->lock);
		return true;
	}
	if (ktrace_keys_lock_in_nmi(bucket))
		return true;
	raw_local_irq_restore(*flags);
	return false;
}

static __always_inline void ktrace_keys_unlock(struct ktrace_keys_bucket *bucket,
					       unsigned long flags)
{
	arch_spin_unlock(&bucket->lock);
	raw_local_irq_restore(flags);
}

/* Returns the key's entry, or NULL.  The caller holds the bucket's lock, as in the next two. */
static __always_inline struct ktrace_keys_entry *ktrace_keys_find(const struct ktrace_keys *keys,
								  struct ktrace_keys_bucket *bucket,
								  u64 hash, const u64 *key)
{
	struct ktrace_keys_entry *e;
	u32 at, i;

	for (at = bucket->head; at != KTRACE_KEYS_NONE; at = e->next) {
		e = ktrace_keys_entry(keys, at);
		if (e->hash != hash)
			continue;
		for (i = 0; i < keys->words && e->words[i] == key[i]; i++)
			;
		if (likely(i == keys->words))
			return e;
	}
	return NULL;
}

/* Adds the key, which is unknown.  NULL: there is no room. */
struct ktrace_keys_entry *ktrace_keys_add(struct ktrace_keys *keys,
					  struct ktrace_keys_bucket *bucket, u64 hash,
					  const u64 *key);
/* Afterwards the entry is found only by its number. */
void ktrace_keys_unlink(struct ktrace_keys *keys, struct ktrace_keys_bucket *bucket,
			struct ktrace_keys_entry *e);
/* Frees an entry that is in no bucket. */
void ktrace_keys_free(struct ktrace_keys *keys, struct ktrace_keys_entry *e);

#endif
