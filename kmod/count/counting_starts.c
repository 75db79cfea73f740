// SPDX-License-Identifier: GPL-2.0
#include "count/counting_starts.h"

#include <linux/compiler.h>
#include <linux/errno.h>
#include <linux/irqflags.h>
#include <linux/log2.h>
#include <linux/mm.h>
#include <linux/overflow.h>
#include <linux/pid.h>
#include <linux/pid_namespace.h>
#include <linux/preempt.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/string.h>
#include <linux/uaccess.h>

#include "lib/memlock.h"

/* A stripe has room for STRIPE_ROOM pairs, and holds about STRIPE_LOAD of them. */
#define STRIPE_HEADS	64
#define STRIPE_LOAD	64
#define STRIPE_ROOM	KTRACE_COUNT_READ_STARTS
#define NONE		0xff

/* At every SWEEP_EACH-th START, a full stripe is searched for tasks that have ended. */
#define SWEEP_EACH	64

/* How often an NMI tries to get a lock. */
#define NMI_TRIES	100

struct stripe {
	arch_spinlock_t lock;
	u8 free;			/* the first unused entry */
	u8 unswept;			/* STARTs without room since pairs were removed */
	u8 heads[STRIPE_HEADS];		/* the first entry of each list */
	u8 next[STRIPE_ROOM];
	u64 entries[];			/* each has the time, the pair and the kept words */
};

struct ktrace_counting_starts {
	u32 words;			/* of a pair */
	u32 kept;			/* further words with each pair */
	u32 mask;			/* of the numbers of stripes */
	u32 stripe_size;
	u32 tid_word;			/* of a pair: a thread's id; or KTRACE_COUNTING_NO_TID */
	char *stripes;
};

static u32 nr_stripes(u32 entries)
{
	return roundup_pow_of_two(DIV_ROUND_UP(entries, STRIPE_LOAD));
}

static u32 stripe_size(u32 words)
{
	return sizeof(struct stripe) + STRIPE_ROOM * (1 + words) * sizeof(u64);
}

static struct stripe *stripe_at(const struct ktrace_counting_starts *starts, u32 nr)
{
	return (struct stripe *)(starts->stripes + (size_t)nr * starts->stripe_size);
}

u64 ktrace_counting_starts_bytes(u32 entries, u32 words)
{
	return (u64)nr_stripes(entries) * stripe_size(words);
}

struct ktrace_counting_starts *
ktrace_counting_starts_create(u32 entries, u32 words, u32 kept, u32 tid_word)
{
	struct ktrace_counting_starts *starts;
	struct stripe *stripe;
	u32 i, n;

	starts = kzalloc(sizeof(*starts), GFP_KERNEL_ACCOUNT);
	if (!starts)
		return NULL;
	starts->words = words;
	starts->kept = kept;
	starts->tid_word = tid_word;
	starts->mask = nr_stripes(entries) - 1;
	starts->stripe_size = stripe_size(words + kept);
	starts->stripes = kvcalloc(starts->mask + 1, starts->stripe_size, KTRACE_MEMLOCK_GFP);
	if (!starts->stripes) {
		kfree(starts);
		return NULL;
	}
	for (n = 0; n <= starts->mask; n++) {
		stripe = stripe_at(starts, n);
		stripe->lock = (arch_spinlock_t)__ARCH_SPIN_LOCK_UNLOCKED;
		memset(stripe->heads, NONE, sizeof(stripe->heads));
		for (i = 0; i < STRIPE_ROOM; i++)
			stripe->next[i] = i + 1 < STRIPE_ROOM ? i + 1 : NONE;
	}
	return starts;
}

void ktrace_counting_starts_destroy(struct ktrace_counting_starts *starts)
{
	if (!starts)
		return;
	kvfree(starts->stripes);
	kfree(starts);
}

/* Without lockdep and without tracing of interrupts, which have events of their own. */
static __always_inline bool lock_stripe(struct stripe *stripe, unsigned long *flags)
{
	int i;

	raw_local_irq_save(*flags);
	if (likely(!in_nmi())) {
		arch_spin_lock(&stripe->lock);
		return true;
	}
	for (i = 0; i < NMI_TRIES; i++) {
		if (arch_spin_trylock(&stripe->lock))
			return true;
		cpu_relax();
	}
	raw_local_irq_restore(*flags);
	return false;
}

static __always_inline void unlock_stripe(struct stripe *stripe, unsigned long flags)
{
	arch_spin_unlock(&stripe->lock);
	raw_local_irq_restore(flags);
}

static __always_inline struct stripe *stripe_of(const struct ktrace_counting_starts *starts,
						u64 hash)
{
	return stripe_at(starts, hash & starts->mask);
}

static __always_inline u8 *head_of(struct stripe *stripe, u64 hash)
{
	return &stripe->heads[hash >> 32 & (STRIPE_HEADS - 1)];
}

static __always_inline u64 *entry_at(const struct ktrace_counting_starts *starts,
				     struct stripe *stripe, u8 nr)
{
	return &stripe->entries[nr * (1 + starts->words + starts->kept)];
}

static __always_inline bool is_pair(const struct ktrace_counting_starts *starts,
				    const u64 *entry, const u64 *pair)
{
	u32 i;

	for (i = 0; i < starts->words; i++)
		if (entry[1 + i] != pair[i])
			return false;
	return true;
}

/* Returns the address of the number of the pair's entry, or of the NONE at the list's end. */
static __always_inline u8 *find(const struct ktrace_counting_starts *starts,
				struct stripe *stripe, const u64 *pair, u64 hash)
{
	u8 *at = head_of(stripe, hash);

	while (*at != NONE && !is_pair(starts, entry_at(starts, stripe, *at), pair))
		at = &stripe->next[*at];
	return at;
}

/* Is there a task with this id?  The idle tasks have no id of their own. */
static notrace bool is_alive(u64 tid)
{
	const struct pid *pid = find_pid_ns(tid, &init_pid_ns);

	return !tid || (pid && pid_has_task((struct pid *)pid, PIDTYPE_PID));
}

/* Removes the pairs of tasks that have ended, because these will have no END. */
static noinline notrace bool sweep(const struct ktrace_counting_starts *starts,
				   struct stripe *stripe)
{
	bool found = false;
	u8 *at, nr;
	u32 i;

	if (starts->tid_word == KTRACE_COUNTING_NO_TID || !rcu_is_watching() ||
	    stripe->unswept++ % SWEEP_EACH)
		return false;
	for (i = 0; i < STRIPE_HEADS; i++) {
		at = &stripe->heads[i];
		while ((nr = *at) != NONE) {
			if (is_alive(entry_at(starts, stripe, nr)[1 + starts->tid_word])) {
				at = &stripe->next[nr];
				continue;
			}
			*at = stripe->next[nr];
			stripe->next[nr] = stripe->free;
			stripe->free = nr;
			found = true;
		}
	}
	if (found)
		stripe->unswept = 0;
	return found;
}

static __always_inline void keep(const struct ktrace_counting_starts *starts, u64 *entry,
				 const u64 *kept)
{
	u32 i;

	for (i = 0; i < starts->kept; i++)
		entry[1 + starts->words + i] = kept[i];
}

static __always_inline enum ktrace_counting_put
put_locked(struct ktrace_counting_starts *starts, struct stripe *stripe, const u64 *pair, u64 hash,
	   u64 time, const u64 *kept)
{
	u8 *at = find(starts, stripe, pair, hash), nr = *at;
	u64 *entry;
	u32 i;

	if (nr != NONE) {
		entry = entry_at(starts, stripe, nr);
		entry[0] = time;
		keep(starts, entry, kept);
		return KTRACE_COUNTING_PUT_AGAIN;
	}
	if (unlikely(stripe->free == NONE)) {
		if (!sweep(starts, stripe))
			return KTRACE_COUNTING_PUT_FULL;
		at = find(starts, stripe, pair, hash);
	}
	nr = stripe->free;
	stripe->free = stripe->next[nr];
	stripe->next[nr] = NONE;
	*at = nr;
	entry = entry_at(starts, stripe, nr);
	entry[0] = time;
	for (i = 0; i < starts->words; i++)
		entry[1 + i] = pair[i];
	keep(starts, entry, kept);
	return KTRACE_COUNTING_PUT_NEW;
}

notrace enum ktrace_counting_put
ktrace_counting_starts_put(struct ktrace_counting_starts *starts, const u64 *pair, u64 hash,
			   u64 time, const u64 *kept)
{
	struct stripe *stripe = stripe_of(starts, hash);
	enum ktrace_counting_put ret;
	unsigned long flags;

	if (!lock_stripe(stripe, &flags))
		return KTRACE_COUNTING_PUT_BUSY;
	ret = put_locked(starts, stripe, pair, hash, time, kept);
	unlock_stripe(stripe, flags);
	return ret;
}

notrace int ktrace_counting_starts_take(struct ktrace_counting_starts *starts, const u64 *pair,
					u64 hash, u64 *time, u64 *kept)
{
	struct stripe *stripe = stripe_of(starts, hash);
	unsigned long flags;
	const u64 *entry;
	u8 *at, nr;
	u32 i;

	if (!lock_stripe(stripe, &flags))
		return -EBUSY;
	at = find(starts, stripe, pair, hash);
	nr = *at;
	if (nr != NONE) {
		entry = entry_at(starts, stripe, nr);
		*time = entry[0];
		for (i = 0; i < starts->kept; i++)
			kept[i] = entry[1 + starts->words + i];
		*at = stripe->next[nr];
		stripe->next[nr] = stripe->free;
		stripe->free = nr;
	}
	unlock_stripe(stripe, flags);
	return nr == NONE ? -ENOENT : 0;
}

/* Copies the used entries of a stripe, and returns their number. */
static u32 copy_stripe(const struct ktrace_counting_starts *starts, struct stripe *stripe, u64 *to)
{
	u32 words = 1 + starts->words + starts->kept, nr = 0, i;
	unsigned long flags;
	u8 at;

	/* This is no NMI, so it gets the lock. */
	if (!lock_stripe(stripe, &flags))
		return 0;
	for (i = 0; i < STRIPE_HEADS; i++)
		for (at = stripe->heads[i]; at != NONE; at = stripe->next[at])
			memcpy(&to[nr++ * words], entry_at(starts, stripe, at),
			       words * sizeof(*to));
	unlock_stripe(stripe, flags);
	return nr;
}

static int give_stripe(const struct ktrace_counting_starts *starts, const u64 *entries, u32 nr,
		       u64 now, struct ktrace_count_read *read)
{
	u32 words = starts->words + starts->kept, key_bytes = words * sizeof(u64), i;
	char __user *to = u64_to_user_ptr(read->entries);
	struct ktrace_count_entry entry = { .count = 1 };

	to += read->nr * (sizeof(entry) + key_bytes);
	for (i = 0; i < nr; i++, entries += 1 + words) {
		entry.sum = now > entries[0] ? now - entries[0] : 0;
		entry.min = entry.sum;
		entry.max = entry.sum;
		if (copy_to_user(to, &entry, sizeof(entry)) ||
		    copy_to_user(to + sizeof(entry), entries + 1, key_bytes))
			return -EFAULT;
		to += sizeof(entry) + key_bytes;
	}
	read->nr += nr;
	return 0;
}

int ktrace_counting_starts_read(struct ktrace_counting_starts *starts, u64 now,
				struct ktrace_count_read *read)
{
	u32 words = starts->words + starts->kept;
	u32 whole = sizeof(struct ktrace_count_entry) + words * sizeof(u64);
	u32 most = read->room / whole;
	u64 *room;
	int err = 0;

	if (most < STRIPE_ROOM)
		return -EINVAL;
	room = kvmalloc_array(STRIPE_ROOM, (1 + words) * sizeof(*room), GFP_KERNEL);
	if (!room)
		return -ENOMEM;
	for (; !err && read->position <= starts->mask && most - read->nr >= STRIPE_ROOM;
	     read->position++) {
		u32 nr = copy_stripe(starts, stripe_at(starts, read->position), room);

		err = give_stripe(starts, room, nr, now, read);
		cond_resched();
	}
	kvfree(room);
	if (read->position > starts->mask)
		read->position = KTRACE_COUNT_READ_END;
	return err;
}
