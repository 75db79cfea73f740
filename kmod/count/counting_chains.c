// SPDX-License-Identifier: GPL-2.0
#include "count/counting_chains.h"

#include <linux/atomic.h>
#include <linux/compiler.h>
#include <linux/log2.h>
#include <linux/mm.h>
#include <linux/random.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include "lib/clock.h"
#include "lib/memlock.h"

/* As in counting.c: at most half of the places are in use. */
#define MAX_PROBES	64

/* The states of a place without a chain; a place with one has the hash of the chain. */
#define PLACE_EMPTY	0
#define PLACE_CLAIMED	1
#define PLACE_FAILED	2		/* it was claimed, but there was no room for the words */
#define PLACE_USED	4		/* this bit is set in every hash */

struct place {
	unsigned long state;
	u64 at;				/* index of the chain in the words */
};

/* Chains are stored one behind the other, with the layout of the uapi header. */
#define HEAD_WORDS	(sizeof(struct ktrace_chain_entry) / sizeof(u64))

struct ktrace_counting_chains {
	u32 entries;
	u32 mask;			/* of the numbers of places */
	u64 nr_words;
	u64 seed;			/* of the hashes; odd */
	int clockid;
	atomic_t used;			/* chains */
	atomic64_t used_words;
	struct place *places;
	u64 *words;
};

/* The process that the addresses belong to; all 0 for the kernel's. */
struct owner {
	u64 tgid, start_time, exec;
};

static u32 nr_places(u32 entries)
{
	return 2 * roundup_pow_of_two(entries);
}

static u64 nr_words(u32 entries)
{
	return entries * (u64)(HEAD_WORDS + KTRACE_COUNT_CHAIN_WORDS);
}

u64 ktrace_counting_chains_bytes(u32 entries)
{
	return sizeof(struct ktrace_counting_chains) + nr_places(entries) * sizeof(struct place) +
	       nr_words(entries) * sizeof(u64);
}

void ktrace_counting_chains_destroy(struct ktrace_counting_chains *chains)
{
	if (!chains)
		return;
	kvfree(chains->places);
	kvfree(chains->words);
	kfree(chains);
}

struct ktrace_counting_chains *ktrace_counting_chains_create(u32 entries, int clockid)
{
	struct ktrace_counting_chains *chains = kzalloc(sizeof(*chains), GFP_KERNEL_ACCOUNT);

	if (!chains)
		return NULL;
	chains->entries = entries;
	chains->mask = nr_places(entries) - 1;
	chains->nr_words = nr_words(entries);
	chains->clockid = clockid;
	get_random_bytes(&chains->seed, sizeof(chains->seed));
	chains->seed |= 1;
	chains->places = kvcalloc(chains->mask + 1, sizeof(*chains->places), KTRACE_MEMLOCK_GFP);
	chains->words = kvcalloc(chains->nr_words, sizeof(*chains->words), KTRACE_MEMLOCK_GFP);
	if (!chains->places || !chains->words) {
		ktrace_counting_chains_destroy(chains);
		return NULL;
	}
	return chains;
}

static __always_inline u64 chain_hash(const struct ktrace_counting_chains *chains,
				      const struct owner *owner, const u64 *ips, u32 nr)
{
	/* A polynomial of a random number, so that nobody can choose chains of equal hash. */
	u64 hash = (owner->tgid * chains->seed + owner->start_time) * chains->seed + owner->exec;
	u32 i;

	for (i = 0; i < nr; i++)
		hash = (hash + ips[i]) * chains->seed;
	hash = (hash ^ hash >> 32) * 0x9e3779b97f4a7c15;
	return hash ^ hash >> 32;
}

static __always_inline struct ktrace_chain_entry *
chain_at(const struct ktrace_counting_chains *chains, u64 at)
{
	return (struct ktrace_chain_entry *)&chains->words[at];
}

static __always_inline bool is_chain(const struct ktrace_chain_entry *chain,
				     const struct owner *owner, const u64 *ips, u32 nr)
{
	const u64 *own = (const u64 *)(chain + 1);
	u32 i;

	if (chain->nr != nr || chain->tgid != owner->tgid ||
	    chain->start_time != owner->start_time || chain->exec != owner->exec)
		return false;
	for (i = 0; i < nr; i++)
		if (own[i] != ips[i])
			return false;
	return true;
}

/* Allocates the words of a chain; returns false if there is no room. */
static notrace bool take_words(struct ktrace_counting_chains *chains, u32 words, u64 *ret)
{
	s64 used = atomic64_read(&chains->used_words);

	do {
		if (used + words > chains->nr_words)
			return false;
	} while (!atomic64_try_cmpxchg(&chains->used_words, &used, used + words));
	*ret = used;
	return true;
}

/* Returns the number of the chain; 0: another context has claimed the place. */
static noinline notrace u64 store_chain(struct ktrace_counting_chains *chains, struct place *place,
					unsigned long state, const struct owner *owner,
					const u64 *ips, u32 nr)
{
	struct ktrace_chain_entry *chain;
	u64 at, *own;
	u32 i;

	if (cmpxchg(&place->state, PLACE_EMPTY, PLACE_CLAIMED) != PLACE_EMPTY)
		return 0;
	if (!take_words(chains, HEAD_WORDS + nr, &at)) {
		WRITE_ONCE(place->state, PLACE_FAILED);
		return KTRACE_COUNTING_NO_ROOM;
	}
	atomic_inc(&chains->used);
	chain = chain_at(chains, at);
	chain->time = ktrace_clock_read(chains->clockid);
	chain->nr = nr;
	chain->tgid = owner->tgid;
	chain->start_time = owner->start_time;
	chain->exec = owner->exec;
	own = (u64 *)(chain + 1);
	for (i = 0; i < nr; i++)
		own[i] = ips[i];
	place->at = at;
	/* Pairs with the acquire in ktrace_counting_chains_read(). */
	smp_store_release(&chain->number, at + 1);
	/* Pairs with the acquire in find_chain(). */
	smp_store_release(&place->state, state);
	return at + 1;
}

static __always_inline u64 find_chain(struct ktrace_counting_chains *chains,
				      const struct owner *owner, const u64 *ips, u32 nr)
{
	u64 hash = chain_hash(chains, owner, ips, nr), at = hash >> 20, number;
	unsigned long state = hash | PLACE_USED, found;
	struct place *place;
	u32 i;

	for (i = 1; i <= MAX_PROBES; i++) {
		place = &chains->places[at & chains->mask];
		/* Pairs with the release in store_chain(). */
		found = smp_load_acquire(&place->state);
		if (likely(found == state)) {
			if (likely(is_chain(chain_at(chains, place->at), owner, ips, nr)))
				return place->at + 1;
		} else if (found == PLACE_EMPTY) {
			if (atomic_read(&chains->used) >= chains->entries)
				return KTRACE_COUNTING_NO_ROOM;
			number = store_chain(chains, place, state, owner, ips, nr);
			if (number)
				return number;
		}
		/* The steps grow.  This visits all places, as their number is a power of two. */
		at += i;
	}
	return KTRACE_COUNTING_NO_ROOM;
}

notrace u64 ktrace_counting_chains_put(struct ktrace_counting_chains *chains, const u64 *ips,
				       u32 nr, bool user, u64 last)
{
	struct owner owner = { 0 };

	if (!nr)
		return 0;
	if (user)
		owner = (struct owner){
			.tgid = current->tgid,
			.start_time = READ_ONCE(current->group_leader)->start_boottime,
			.exec = READ_ONCE(current->self_exec_id),
		};
	if (last && is_chain(chain_at(chains, last - 1), &owner, ips, nr))
		return last;
	return find_chain(chains, &owner, ips, nr);
}

int ktrace_counting_chains_read(const struct ktrace_counting_chains *chains,
				struct ktrace_chain_read *read)
{
	u64 used = atomic64_read(&chains->used_words);
	char __user *to = u64_to_user_ptr(read->entries);
	u32 left = read->room;

	read->nr = 0;
	read->used = atomic_read(&chains->used);
	while (read->position < used) {
		const struct ktrace_chain_entry *chain;
		u32 whole, nr;

		/* User space provides the position; it has to be the beginning of a chain. */
		if (used - read->position < HEAD_WORDS)
			return -EINVAL;
		chain = chain_at(chains, read->position);
		/* Pairs with the release in store_chain(). */
		if (smp_load_acquire(&chain->number) != read->position + 1)
			break;
		nr = chain->nr;
		if (used - read->position - HEAD_WORDS < nr)
			return -EINVAL;
		whole = (HEAD_WORDS + nr) * sizeof(u64);
		if (left < whole)
			return read->nr ? 0 : -EINVAL;
		if (copy_to_user(to, chain, whole))
			return -EFAULT;
		if (!(++read->nr & 1023))
			cond_resched();
		to += whole;
		left -= whole;
		read->position += HEAD_WORDS + nr;
	}
	return 0;
}
