// SPDX-License-Identifier: GPL-2.0
#include "count/counting.h"

#include <linux/compiler.h>
#include <linux/cpumask.h>
#include <linux/err.h>
#include <linux/log2.h>
#include <linux/mm.h>
#include <linux/percpu.h>
#include <linux/random.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/topology.h>
#include <linux/uaccess.h>
#include <asm/local64.h>

#include "count/counting_chains.h"
#include "count/counting_starts.h"
#include "fields/common_fields.h"
#include "lib/clock.h"
#include "lib/memlock.h"

#define KEY_WORDS	(KTRACE_COUNT_MAX_KEY / sizeof(u64))
#define PAIR_WORDS	(KTRACE_COUNT_MAX_PAIR / sizeof(u64))

/*
 * At most half of the slots are in use, so a key that hashes well is found after a few probes.  The
 * limit is for keys that somebody chose so that they hash badly.
 */
#define MAX_PROBES	64

/* The states of a slot that is not published; a published slot has the hash of its key. */
#define SLOT_EMPTY	0
#define SLOT_CLAIMED	1

struct slot {
	local_t state;
	local_t count;
	/* The values, if there are any, then the key. */
	u64 words[];
};

/* The first words of a slot that has values. */
struct values {
	local64_t sum;
	local64_t min, max;
};

#define VALUE_WORDS	(sizeof(struct values) / sizeof(u64))

/* ---- keys ------------------------------------------------------------------- */

/* Fields may be unaligned. */
#define LOAD(type, from)						\
({									\
	type __value;							\
									\
	__builtin_memcpy(&__value, from, sizeof(__value));		\
	__value;							\
})

/* Loads a number that is partly beyond the end of the raw data. */
static noinline notrace u64 load_short(const struct ktrace_counting_part *part, const void *raw,
				       u32 size)
{
	__le64 bytes = 0;

	if (part->offset < size)
		memcpy(&bytes, raw + part->offset, min(part->width, size - part->offset));
	return le64_to_cpu(bytes);
}

static __always_inline u64 load_number(const struct ktrace_counting_part *part, const void *raw,
				       u32 size, u64 latency)
{
	const void *at = raw + part->offset;
	u64 number;

	if (part->how == KTRACE_COUNTING_FIELD) {
		ktrace_common_fields_read(part->offset, raw, size, &number);
		return number;
	}
	if (part->how == KTRACE_COUNTING_LATENCY)
		return latency;
	if (unlikely(part->offset + part->width > size))
		return load_short(part, raw, size);
	switch (part->how) {
	case KTRACE_COUNTING_U8:
		return *(const u8 *)at;
	case KTRACE_COUNTING_U16:
		return LOAD(u16, at);
	case KTRACE_COUNTING_U32:
		return LOAD(u32, at);
	case KTRACE_COUNTING_S8:
		return *(const s8 *)at;
	case KTRACE_COUNTING_S16:
		return LOAD(s16, at);
	case KTRACE_COUNTING_S32:
		return LOAD(s32, at);
	default:
		return LOAD(u64, at);
	}
}

static __always_inline u64 step_of(const struct ktrace_counting_part *part, u64 number)
{
	if (part->log2_is_signed && (s64)number < 0)
		return U64_MAX;
	return fls64(number);
}

/* Clears a word, whose lowest byte is the first one, from its first NUL on. */
static __always_inline u64 cut_at_nul(u64 word, bool *ended)
{
	u64 nuls = (word - 0x0101010101010101) & ~word & 0x8080808080808080;

	if (!nuls)
		return word;
	*ended = true;
	/* Only the lowest bit of these is exact: the 0x80 of the first byte that is 0. */
	return word & (((nuls & -nuls) >> 7) - 1);
}

static __always_inline void copy_text(u64 *to, u32 words, const void *from, u32 len)
{
	bool ended = false;
	u32 i;

	for (i = 0; i < words; i++) {
		u64 word = 0;

		if (likely(!ended && len >= sizeof(word))) {
			word = le64_to_cpu(LOAD(__le64, from));
			from += sizeof(word);
			len -= sizeof(word);
		} else if (!ended && len) {
			__le64 rest = 0;

			memcpy(&rest, from, len);
			word = le64_to_cpu(rest);
			len = 0;
		}
		to[i] = (__force u64)cpu_to_le64(cut_at_nul(word, &ended));
	}
}

static __always_inline void load_text(const struct ktrace_counting_part *part, const void *raw,
				      u32 size, u64 *to)
{
	u64 comm[KTRACE_SLOT_TEXT / sizeof(u64)];
	u32 at = part->offset, len = part->width, word;

	switch (part->how) {
	case KTRACE_COUNTING_FIELD_TEXT:
		ktrace_common_fields_read(part->offset, raw, size, comm);
		copy_text(to, part->words, comm, len);
		return;
	case KTRACE_COUNTING_DATA_LOC:
	case KTRACE_COUNTING_REL_LOC:
		word = 0;
		if (likely(at + sizeof(word) <= size))
			word = LOAD(u32, raw + at);
		at = (part->how == KTRACE_COUNTING_REL_LOC ? at + sizeof(word) : 0) +
		     (word & 0xffff);
		len = min(len, word >> 16);
		break;
	}
	len = likely(at < size) ? min(len, size - at) : 0;
	copy_text(to, part->words, raw + at, len);
}

static __always_inline void load_given(const struct ktrace_counting_part *part,
				       const struct ktrace_counting_given *given, u64 *to)
{
	u32 i;

	if (part->how == KTRACE_COUNTING_CHAIN) {
		*to = given->chains[part->offset];
		return;
	}
	for (i = 0; i < part->words; i++)
		to[i] = given->start[part->offset + i];
}

static __always_inline void load_parts(const struct ktrace_counting *counting, u32 from, u32 to,
				       const void *raw, u32 size, u64 latency,
				       const struct ktrace_counting_given *given, u64 *key)
{
	u32 i;

	for (i = from; i < to; i++) {
		const struct ktrace_counting_part *part = &counting->parts[i];

		if (part->how >= KTRACE_COUNTING_CHAIN) {
			load_given(part, given, key);
		} else if (part->how >= KTRACE_COUNTING_TEXT) {
			load_text(part, raw, size, key);
		} else {
			*key = load_number(part, raw, size, latency);
			if (part->log2)
				*key = step_of(part, *key);
		}
		key += part->words;
	}
}

static __always_inline u64 hash_of(u64 seed, const u64 *words, u32 nr)
{
	u64 hash = seed;
	u32 i;

	for (i = 0; i < nr; i++) {
		hash = (hash ^ words[i]) * 0x9e3779b97f4a7c15;
		hash ^= hash >> 32;
	}
	return hash;
}

/* ---- tables ------------------------------------------------------------------ */

static __always_inline struct slot *slot_at(const struct ktrace_counting *counting,
					    const struct ktrace_counting_cpu *cc, u64 nr)
{
	return (struct slot *)(cc->slots + (nr & counting->mask) * counting->slot_size);
}

static __always_inline u64 *key_of(const struct ktrace_counting *counting, struct slot *slot)
{
	return slot->words + (counting->has_value ? VALUE_WORDS : 0);
}

static __always_inline bool is_key(const u64 *ours, const u64 *key, u32 words)
{
	u32 i;

	for (i = 0; i < words; i++)
		if (ours[i] != key[i])
			return false;
	return true;
}

static noinline notrace bool claim(const struct ktrace_counting *counting,
				   struct ktrace_counting_cpu *cc, struct slot *slot,
				   const u64 *key, unsigned long state)
{
	struct values *values = (void *)slot->words;
	u64 *ours = key_of(counting, slot);
	u32 i;

	if (local_cmpxchg(&slot->state, SLOT_EMPTY, SLOT_CLAIMED) != SLOT_EMPTY)
		return false;
	local_inc(&cc->used);
	if (counting->has_value) {
		local64_set(&values->min, counting->value_is_signed ? S64_MAX : -1);
		local64_set(&values->max, counting->value_is_signed ? S64_MIN : 0);
	}
	for (i = 0; i < counting->key_words; i++)
		ours[i] = key[i];
	/* Pairs with the read barrier of the reader, which may run on another CPU. */
	smp_wmb();
	local_set(&slot->state, state);
	return true;
}

/* Returns the slot of the key; NULL: there is no room for it. */
static __always_inline struct slot *find_slot(const struct ktrace_counting *counting,
					      struct ktrace_counting_cpu *cc, const u64 *key)
{
	u64 hash = hash_of(counting->seed, key, counting->key_words), at = hash >> 20;
	/* The lowest value of a published state is 2, so it differs from EMPTY and CLAIMED. */
	unsigned long state = hash | 2, found;
	struct slot *slot;
	u32 i;

	for (i = 1; i <= MAX_PROBES; i++) {
		slot = slot_at(counting, cc, at);
		found = local_read(&slot->state);
		if (likely(found == state)) {
			if (likely(is_key(key_of(counting, slot), key, counting->key_words)))
				return slot;
		} else if (found == SLOT_EMPTY) {
			if (local_read(&cc->used) >= counting->entries)
				return NULL;
			if (claim(counting, cc, slot, key, state))
				return slot;
		}
		/* The steps grow.  This visits all slots, as their number is a power of two. */
		at += i;
	}
	return NULL;
}

static __always_inline bool is_below(const struct ktrace_counting *counting, u64 a, u64 b)
{
	return counting->value_is_signed ? (s64)a < (s64)b : a < b;
}

static __always_inline void add_value(const struct ktrace_counting *counting, struct slot *slot,
				      u64 value)
{
	struct values *values = (void *)slot->words;
	u64 old;

	local64_add(value, &values->sum);
	while (is_below(counting, value, old = local64_read(&values->min)))
		if (local64_cmpxchg(&values->min, old, value) == old)
			break;
	while (is_below(counting, old = local64_read(&values->max), value))
		if (local64_cmpxchg(&values->max, old, value) == old)
			break;
}

static __always_inline u32 count(const struct ktrace_counting *counting,
				 struct ktrace_counting_cpu *cc, const void *raw, u32 size,
				 u64 latency, const struct ktrace_counting_given *given)
{
	const struct ktrace_counting_part *value = &counting->value;
	u64 key[KEY_WORDS];
	struct slot *slot;

	load_parts(counting, counting->nr_pair, counting->nr_parts, raw, size, latency, given, key);
	slot = find_slot(counting, cc, key);
	if (unlikely(!slot)) {
		local_inc(&cc->lost[KTRACE_LOST_NO_SLOT]);
		return KTRACE_LOST_NO_SLOT;
	}
	local_inc(&slot->count);
	if (counting->has_value)
		add_value(counting, slot, unlikely(value->how == KTRACE_COUNTING_START) ?
			  given->start[value->offset] : load_number(value, raw, size, latency));
	return KTRACE_COUNTING_COUNTED;
}

/* ---- latencies ---------------------------------------------------------------- */

static noinline notrace u32 take_start(struct ktrace_counting *counting,
				       struct ktrace_counting_cpu *cc, const void *raw, u32 size,
				       struct ktrace_counting_given *given)
{
	u64 pair[PAIR_WORDS], now = ktrace_clock_read(counting->clockid);
	u64 *kept = given ? given->start : NULL;

	load_parts(counting, 0, counting->nr_pair, raw, size, 0, given, pair);
	load_parts(counting, counting->nr_pair, counting->nr_parts, raw, size, 0, given, kept);
	switch (ktrace_counting_starts_put(counting->starts, pair,
					   hash_of(counting->seed, pair, counting->pair_words),
					   now, kept)) {
	case KTRACE_COUNTING_PUT_AGAIN:
		local_inc(&cc->restarted);
		return KTRACE_COUNTING_COUNTED;
	case KTRACE_COUNTING_PUT_FULL:
		local_inc(&cc->lost[KTRACE_LOST_NO_SLOT]);
		return KTRACE_LOST_NO_SLOT;
	case KTRACE_COUNTING_PUT_BUSY:
		return KTRACE_LOST_NESTED;
	default:
		return KTRACE_COUNTING_COUNTED;
	}
}

static noinline notrace u32 take_end(struct ktrace_counting *counting,
				     struct ktrace_counting_cpu *cc, const void *raw, u32 size,
				     struct ktrace_counting_given *given)
{
	u64 pair[PAIR_WORDS], now = ktrace_clock_read(counting->clockid), start = 0;

	load_parts(counting, 0, counting->nr_pair, raw, size, 0, given, pair);
	switch (ktrace_counting_starts_take(counting->starts, pair,
					    hash_of(counting->seed, pair, counting->pair_words),
					    &start, given ? given->start : NULL)) {
	case -EBUSY:
		return KTRACE_LOST_NESTED;
	case -ENOENT:
		local_inc(&cc->lost[KTRACE_LOST_NO_START]);
		return KTRACE_LOST_NO_START;
	default:
		return count(counting, cc, raw, size, now > start ? now - start : 0, given);
	}
}

static __always_inline u32 take_paired(struct ktrace_counting *counting,
				       struct ktrace_counting_cpu *cc, const void *raw, u32 size,
				       struct ktrace_counting_given *given)
{
	if (counting->role == KTRACE_COUNT_START)
		return take_start(counting, cc, raw, size, given);
	return take_end(counting, cc, raw, size, given);
}

static noinline notrace u32 take_kept(struct ktrace_counting *counting,
				      struct ktrace_counting_cpu *cc, const void *raw, u32 size)
{
	struct ktrace_counting_given given;

	return take_paired(counting, cc, raw, size, &given);
}

notrace u32 ktrace_counting_take(struct ktrace_counting *counting, const void *raw, u32 size)
{
	struct ktrace_counting_cpu *cc = this_cpu_ptr(counting->cpu);

	if (likely(counting->role == KTRACE_COUNT_EACH))
		return count(counting, cc, raw, size, 0, NULL);
	if (counting->kept_words)
		return take_kept(counting, cc, raw, size);
	return take_paired(counting, cc, raw, size, NULL);
}

notrace u32 ktrace_counting_take_given(struct ktrace_counting *counting, const void *raw, u32 size,
				       struct ktrace_counting_given *given)
{
	struct ktrace_counting_cpu *cc = this_cpu_ptr(counting->cpu);

	if (counting->role == KTRACE_COUNT_EACH)
		return count(counting, cc, raw, size, 0, given);
	return take_paired(counting, cc, raw, size, given);
}

notrace bool ktrace_counting_put_chain(struct ktrace_counting *counting, const u64 *ips, u32 nr,
				       bool user, struct ktrace_counting_given *given)
{
	struct ktrace_counting_cpu *cc = this_cpu_ptr(counting->cpu);
	u64 number = ktrace_counting_chains_put(counting->chains, ips, nr, user,
						READ_ONCE(cc->last_chain[user]));

	given->chains[user] = number;
	if (likely(number != KTRACE_COUNTING_NO_ROOM)) {
		WRITE_ONCE(cc->last_chain[user], number);
		return true;
	}
	local_inc(&cc->lost[KTRACE_LOST_NO_SLOT]);
	local_inc(&cc->no_chain);
	return false;
}

/* ---- creation and destruction -------------------------------------------------- */

static struct ktrace_counting_cpu *on_cpu(const struct ktrace_counting *counting,
					  unsigned int cpu)
{
	return per_cpu_ptr(counting->cpu, cpu);
}

void ktrace_counting_destroy(struct ktrace_counting *counting)
{
	unsigned int cpu;

	if (!counting)
		return;
	if (counting->cpu)
		for_each_possible_cpu(cpu)
			kvfree(on_cpu(counting, cpu)->slots);
	free_percpu(counting->cpu);
	if (counting->role == KTRACE_COUNT_START)
		ktrace_counting_starts_destroy(counting->starts);
	if (counting->owns_chains)
		ktrace_counting_chains_destroy(counting->chains);
	kfree(counting);
}

/* The index of the pair's word that is the id of the current thread, if there is one. */
static u32 tid_word(const struct ktrace_counting *counting)
{
	u32 word = 0, i;

	for (i = 0; i < counting->nr_pair; word += counting->parts[i++].words)
		if (counting->parts[i].how == KTRACE_COUNTING_FIELD &&
		    counting->parts[i].offset == KTRACE_FIELD_TID && !counting->parts[i].log2)
			return word;
	return KTRACE_COUNTING_NO_TID;
}

static int create_starts(struct ktrace_counting *counting)
{
	counting->starts = ktrace_counting_starts_create(counting->entries, counting->pair_words,
							 counting->kept_words, tid_word(counting));
	return counting->starts ? 0 : -ENOMEM;
}

static int create_tables(struct ktrace_counting *counting, const struct cpumask *cpus)
{
	struct ktrace_counting_cpu *cc;
	unsigned int cpu;

	for_each_cpu(cpu, cpus) {
		cc = on_cpu(counting, cpu);
		cc->slots = kvmalloc_node((size_t)(counting->mask + 1) * counting->slot_size,
					  KTRACE_MEMLOCK_GFP, cpu_to_node(cpu));
		if (!cc->slots)
			return -ENOMEM;
	}
	return 0;
}

/* Computes the number and the size of a table's slots. */
static void lay_out(struct ktrace_counting *counting)
{
	counting->mask = 2 * roundup_pow_of_two(counting->entries) - 1;
	counting->slot_size = sizeof(struct slot) + counting->key_words * sizeof(u64) +
			      (counting->has_value ? sizeof(struct values) : 0);
}

/* The bytes of a table. */
static u64 table_bytes(const struct ktrace_counting *counting)
{
	if (counting->role == KTRACE_COUNT_START)
		return ktrace_counting_starts_bytes(counting->entries,
						    counting->pair_words + counting->kept_words);
	return ((u64)counting->mask + 1) * counting->slot_size;
}

/* The words of a key as user space reads it. */
static u32 read_words(const struct ktrace_counting *counting)
{
	return counting->role == KTRACE_COUNT_START ?
		counting->pair_words + counting->kept_words : counting->key_words;
}

static int create(struct ktrace_counting *counting, struct ktrace_count_add *add,
		  const struct ktrace_count_part *parts, struct ktrace_counting *start)
{
	int err = ktrace_counting_verify(counting, add, parts, start);

	if (err)
		return err;
	counting->entries = add->entries;
	lay_out(counting);
	counting->cpu = alloc_percpu_gfp(struct ktrace_counting_cpu,
					 GFP_KERNEL_ACCOUNT | __GFP_ZERO);
	if (!counting->cpu)
		return -ENOMEM;
	if (start) {
		counting->seed = start->seed;
		counting->starts = start->starts;
		counting->chains = start->chains;
		counting->kept_words = start->kept_words;
	} else {
		get_random_bytes(&counting->seed, sizeof(counting->seed));
	}
	counting->owns_chains = counting->takes_chains && !counting->chains;
	add->key_bytes = read_words(counting) * sizeof(u64);
	return 0;
}

static int charge(const struct ktrace_counting *counting, const struct cpumask *cpus, u64 max_bytes,
		  struct ktrace_memlock *memlock, u64 *charged)
{
	u64 bytes = table_bytes(counting), chains = 0;
	int err;

	if (counting->owns_chains)
		chains = ktrace_counting_chains_bytes(counting->entries);
	if (bytes > max_bytes || chains > max_bytes)
		return -EINVAL;
	if (counting->role != KTRACE_COUNT_START)
		bytes *= cpumask_weight(cpus);
	bytes += chains + sizeof(*counting) +
		 num_possible_cpus() * sizeof(struct ktrace_counting_cpu);
	err = ktrace_memlock_charge(memlock, bytes);
	if (!err)
		*charged = bytes;
	return err;
}

static int create_memory(struct ktrace_counting *counting, const struct cpumask *cpus)
{
	if (counting->owns_chains) {
		counting->chains = ktrace_counting_chains_create(counting->entries,
								 counting->clockid);
		if (!counting->chains)
			return -ENOMEM;
	}
	return counting->role == KTRACE_COUNT_START ? create_starts(counting) :
						      create_tables(counting, cpus);
}

struct ktrace_counting *ktrace_counting_create(struct ktrace_count_add *add,
					       const struct ktrace_count_part *parts,
					       struct ktrace_counting *start, int clockid,
					       const struct cpumask *cpus, u64 max_bytes,
					       struct ktrace_memlock *memlock)
{
	struct ktrace_counting *counting;
	u64 charged = 0;
	int err;

	counting = kzalloc(sizeof(*counting), GFP_KERNEL_ACCOUNT);
	if (!counting)
		return ERR_PTR(-ENOMEM);
	counting->clockid = clockid;
	err = create(counting, add, parts, start);
	if (!err)
		err = charge(counting, cpus, max_bytes, memlock, &charged);
	if (!err)
		err = create_memory(counting, cpus);
	if (err) {
		ktrace_memlock_uncharge(memlock, charged);
		ktrace_counting_destroy(counting);
		return ERR_PTR(err);
	}
	return counting;
}

/* ---- reading -------------------------------------------------------------------- */

void ktrace_counting_add_lost(const struct ktrace_counting *counting, unsigned int cpu,
			      u64 *lost)
{
	const struct ktrace_counting_cpu *cc = on_cpu(counting, cpu);
	u32 i;

	for (i = 0; i < KTRACE_LOST_NR; i++)
		lost[i] += local_read(&cc->lost[i]);
}

/* Returns false if the slot has nothing to read. */
static bool read_slot(const struct ktrace_counting *counting, struct slot *slot,
		      struct ktrace_count_entry *entry)
{
	const struct values *values = (void *)slot->words;
	unsigned long state = local_read(&slot->state);

	if (state == SLOT_EMPTY || state == SLOT_CLAIMED)
		return false;
	/* Pairs with the write barrier in claim(). */
	smp_rmb();
	*entry = (struct ktrace_count_entry){ .count = local_read(&slot->count) };
	if (counting->has_value) {
		entry->sum = local64_read(&values->sum);
		entry->min = local64_read(&values->min);
		entry->max = local64_read(&values->max);
	}
	return entry->count;
}

int ktrace_counting_read(const struct ktrace_counting *counting, unsigned int cpu,
			 struct ktrace_count_read *read)
{
	u32 key_bytes = counting->key_words * sizeof(u64);
	const struct ktrace_counting_cpu *cc = on_cpu(counting, cpu);
	char __user *to = u64_to_user_ptr(read->entries);
	struct ktrace_count_entry entry;
	u32 whole = sizeof(entry) + key_bytes, left = read->room;
	struct slot *slot;

	read->nr = 0;
	read->used = local_read(&cc->used);
	read->restarted = local_read(&cc->restarted);
	if (counting->role == KTRACE_COUNT_START && read->position != KTRACE_COUNT_READ_END)
		return ktrace_counting_starts_read(counting->starts,
						   ktrace_clock_read(counting->clockid), read);
	if (!cc->slots || read->position > counting->mask) {
		read->position = KTRACE_COUNT_READ_END;
		return 0;
	}
	if (left < whole)
		return -EINVAL;
	for (; read->position <= counting->mask && left >= whole; read->position++) {
		if (!(read->position & 1023))
			cond_resched();
		slot = slot_at(counting, cc, read->position);
		if (!read_slot(counting, slot, &entry))
			continue;
		if (copy_to_user(to, &entry, sizeof(entry)) ||
		    copy_to_user(to + sizeof(entry), key_of(counting, slot), key_bytes))
			return -EFAULT;
		to += whole;
		left -= whole;
		read->nr++;
	}
	if (read->position > counting->mask)
		read->position = KTRACE_COUNT_READ_END;
	return 0;
}

int ktrace_counting_read_chains(const struct ktrace_counting *counting, const struct cpumask *cpus,
				struct ktrace_chain_read *read)
{
	unsigned int cpu;

	if (!counting->chains || read->reserved)
		return -EINVAL;
	read->dropped = 0;
	for_each_cpu(cpu, cpus)
		read->dropped += local_read(&on_cpu(counting, cpu)->no_chain);
	return ktrace_counting_chains_read(counting->chains, read);
}
