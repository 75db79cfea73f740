// SPDX-License-Identifier: GPL-2.0
#include "chain/callchain_cache.h"

#include <linux/errno.h>

#ifdef KTRACE_CALLCHAIN_HAS_CACHE

#include <linux/hash.h>
#include <linux/kallsyms.h>
#include <linux/minmax.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/moduleparam.h>
#include <linux/mutex.h>
#include <linux/notifier.h>
#include <linux/percpu.h>
#include <linux/sched.h>
#include <linux/sched/task_stack.h>
#include <linux/string.h>
#include <linux/topology.h>
#include <asm/unwind.h>

#include "chain/callchain.h"

#define MAX_FRAMES	48
#define MAX_SEGMENTS	6
#define MAX_SAVED	4	/* stack slots that may hold one frame pointer */

/* A frame: its return address, and the offset of that in bytes above the base of its segment. */
struct place {
	unsigned long at;
	unsigned long address;
};

/*
 * Frames whose offsets have one base.  The first segment's base is the start.  Each further base is
 * a frame pointer, which is saved in a stack slot of the segment before.
 */
struct segment {
	u32 room;		/* the base may be at most this far above the end of the stack */
	u32 nr;			/* of its frames, at least 1 */
	u32 saved;		/* offset of the saved base, in bytes above the base before */
	u32 nr_same;		/* other slots where the unwinder may have found it */
	u32 same[MAX_SAVED - 1];
};

struct chain {
	unsigned long ip;	/* of the start; 0: the entry is empty */
	unsigned long above;	/* of the start, relative to its sp */
	u32 generation;
	u32 nr_ips;
	/* Offset of the registers of user space, in bytes above the last base. */
	unsigned long top;
	const struct segment *last;	/* the last segment in use */
	/*
	 * The return address of the first frame's caller, which most often distinguishes the
	 * chains of an event.
	 */
	struct place caller;
	struct segment segments[MAX_SEGMENTS];
	struct place places[MAX_FRAMES];
	unsigned long ips[MAX_FRAMES];	/* the chain */
};

#define SETS_BITS	2
#define WAYS		16
#define SEEN		16
#define CHAINS_PER_LEARNED	16

/* A chain that was unwound recently. */
struct seen {
	u32 hash;
	bool hopeless;		/* it cannot be remembered */
};

struct set {
	struct chain *hint;	/* the chain that was recognized last; NULL: there is none */
	u32 next;		/* the chain that is replaced next */
	u32 next_seen;
	struct seen seen[SEEN];
	struct chain chains[WAYS];
};

struct frame {
	unsigned long sp, ip, bp;
	bool by_bp;		/* the unwinder got here by the frame pointer of the one before */
};

struct cache {
	/*
	 * An interrupt that finds the cache in use unwinds.  It ends before the interrupted user
	 * continues, so the accesses need no order.
	 */
	bool busy;
	unsigned long followed, unwound, learned, checked;
	u64 check[KTRACE_CALLCHAIN_ROOM];
	struct frame frames[MAX_FRAMES];
	struct set sets[1 << SETS_BITS];
};

static DEFINE_PER_CPU(struct cache *, caches);
static DEFINE_MUTEX(lock);
static bool is_watching;
/* Other code may be loaded at the address of a module, or of its init section. */
static u32 generation;

static bool callchain_cache = true;
module_param(callchain_cache, bool, 0644);
MODULE_PARM_DESC(callchain_cache, "Recognize call chains that were unwound before (default: yes)");

bool ktrace_callchain_check;
module_param_named(callchain_check, ktrace_callchain_check, bool, 0644);
MODULE_PARM_DESC(callchain_check, "Also unwind recognized call chains, and compare (default: no)");

static int show_counts(char *buffer, const struct kernel_param *param)
{
	unsigned long followed = 0, unwound = 0, checked = 0;
	unsigned int cpu;

	for_each_possible_cpu(cpu) {
		const struct cache *cache = READ_ONCE(per_cpu(caches, cpu));

		if (cache) {
			followed += READ_ONCE(cache->followed);
			unwound += READ_ONCE(cache->unwound);
			checked += READ_ONCE(cache->checked);
		}
	}
	return sysfs_emit(buffer, "followed %lu unwound %lu checked %lu\n", followed, unwound,
			  checked);
}

static const struct kernel_param_ops counts_ops = { .get = show_counts };
module_param_cb(callchain_counts, &counts_ops, NULL, 0444);
MODULE_PARM_DESC(callchain_counts, "Numbers of call chains: recognized (\"followed\"), unwound, and compared (\"checked\")");

static int module_event(struct notifier_block *block, unsigned long action, void *data)
{
	WRITE_ONCE(generation, generation + 1);
	return NOTIFY_DONE;
}

static struct notifier_block module_block = { .notifier_call = module_event };

int ktrace_callchain_cache_prepare(void)
{
	unsigned int cpu;
	int err = 0;

	mutex_lock(&lock);
	if (!is_watching)
		err = register_module_notifier(&module_block);
	is_watching = is_watching || !err;
	for_each_possible_cpu(cpu) {
		struct cache **cache = per_cpu_ptr(&caches, cpu);

		if (err || *cache)
			continue;
		WRITE_ONCE(*cache, kvzalloc_node(sizeof(**cache), GFP_KERNEL, cpu_to_node(cpu)));
		err = *cache ? 0 : -ENOMEM;
	}
	mutex_unlock(&lock);
	return err;
}

void ktrace_callchain_cache_free(void)
{
	unsigned int cpu;

	if (is_watching)
		unregister_module_notifier(&module_block);
	for_each_possible_cpu(cpu)
		kvfree(per_cpu(caches, cpu));
}

static __always_inline bool is_on_stack(unsigned long at)
{
	unsigned long offset = at - (unsigned long)task_stack_page(current);

	return offset <= THREAD_SIZE - sizeof(long) && !(at & (sizeof(long) - 1));
}

static __always_inline unsigned long word_at(unsigned long at)
{
	return READ_ONCE_NOCHECK(*(unsigned long *)at);
}

static __always_inline unsigned long above_of(const struct ktrace_callchain_start *start)
{
	return start->above ? start->above - start->sp : 0;
}

static __always_inline struct set *set_of(struct cache *cache,
					  const struct ktrace_callchain_start *start)
{
	return &cache->sets[hash_long(start->ip, SETS_BITS)];
}

/* Returns the cache of this CPU and marks it as in use, or NULL if it cannot be used now. */
static __always_inline struct cache *get_cache(void)
{
	struct cache *cache = this_cpu_read(caches);

	if (unlikely(!cache || cache->busy || !callchain_cache))
		return NULL;
	cache->busy = true;
	barrier();
	return cache;
}

static __always_inline void put_cache(struct cache *cache)
{
	barrier();
	cache->busy = false;
}

static __always_inline bool is_at(const struct place *place, unsigned long base)
{
	unsigned long at = base + place->at;

	return is_on_stack(at) && word_at(at) == place->address;
}

/*
 * Are all slots of a segment with this base on the stack?  No slot is below the base, so the
 * highest one decides.
 */
static __always_inline bool fits(const struct segment *segment, unsigned long base,
				 unsigned long stack)
{
	return base - stack <= segment->room && !(base & (sizeof(long) - 1));
}

/* Does the stack contain this chain? */
static __always_inline bool follow(const struct chain *chain, unsigned long base)
{
	const unsigned long stack = (unsigned long)task_stack_page(current);
	const struct segment *segment = chain->segments;
	const struct place *place = chain->places;
	unsigned long saved;
	u32 i;

	if (unlikely(!fits(segment, base, stack)))
		return false;
	for (;;) {
		const struct place *behind = place + segment->nr;

		do {
			if (word_at(base + place->at) != place->address)
				return false;
		} while (++place < behind);
		if (segment == chain->last)
			break;
		segment++;
		saved = word_at(base + segment->saved);
		for (i = 0; unlikely(i < segment->nr_same); i++)
			if (word_at(base + segment->same[i]) != saved)
				return false;
		/* The loaded value can be anything. */
		base = saved;
		if (unlikely(!fits(segment, base, stack)))
			return false;
	}
	return base + chain->top == (unsigned long)task_pt_regs(current);
}

static __always_inline bool is_from(const struct chain *chain,
				    const struct ktrace_callchain_start *start)
{
	return chain->ip == start->ip && chain->above == above_of(start) &&
	       chain->generation == READ_ONCE(generation);
}

/* Searches for the stack's chain, except for the hint. */
static noinline notrace struct chain *find_other(struct set *set,
						 const struct ktrace_callchain_start *start)
{
	struct chain *chain;

	for (chain = set->chains; chain < set->chains + WAYS; chain++) {
		if (chain != set->hint && is_from(chain, start) &&
		    is_at(&chain->caller, start->sp) && follow(chain, start->sp)) {
			set->hint = chain;
			return chain;
		}
	}
	return NULL;
}

notrace u32 ktrace_callchain_cache_follow(const struct ktrace_callchain_start *start, u64 *room)
{
	struct cache *cache = get_cache();
	struct chain *chain;
	struct set *set;
	u32 i, nr = 0;

	if (unlikely(!cache))
		return 0;
	set = set_of(cache, start);
	chain = set->hint;
	if (unlikely(!chain || !is_from(chain, start) || !follow(chain, start->sp)))
		chain = find_other(set, start);
	if (likely(chain)) {
		cache->followed++;
		nr = chain->nr_ips;
		/* Both have room for an even number. */
		for (i = 0; i < nr; i += 2) {
			room[i] = chain->ips[i];
			room[i + 1] = chain->ips[i + 1];
		}
	} else {
		cache->unwound++;
	}
	put_cache(cache);
	return nr;
}

/*
 * Trampolines that are generated at run time can be replaced at the same address.  Their addresses
 * have no names, unlike those of modules: "name [module]".
 */
static notrace bool is_trampoline(unsigned long address)
{
	char name[KSYM_SYMBOL_LEN];

	if (address < MODULES_VADDR)
		return false;
	sprint_symbol(name, address);
	return !strchr(name, '[');
}

/*
 * Goes from one frame to the next like the unwinder, and finds out whether the frame pointer
 * matters: if so, another one leads elsewhere.
 */
static notrace bool next_frame(struct unwind_state *state, struct frame *to)
{
	const struct unwind_state before = *state;
	struct unwind_state other = before;

	if (!unwind_next_frame(state) || state->error || state->regs || state->signal ||
	    state->sp <= before.sp || !is_on_stack(state->sp - sizeof(long)) ||
	    word_at(state->sp - sizeof(long)) != state->ip)
		return false;
	other.bp = 1;
	unwind_next_frame(&other);
	*to = (struct frame){
		.sp = state->sp, .ip = state->ip, .bp = state->bp,
		.by_bp = other.sp != state->sp || other.ip != state->ip ||
			 (other.bp != state->bp && state->bp != before.bp),
	};
	return true;
}

/*
 * Returns the number of frames, or 0 if one of them cannot be stored.  The first frame is that of
 * the function that collects the chain.
 */
static notrace u32 walk(struct cache *cache, const struct ktrace_callchain_start *start)
{
	struct unwind_state state;
	u32 nr = 0;

	__unwind_start(&state, current, NULL, (unsigned long *)start->sp - 1);
	while (!unwind_done(&state) && state.sp < start->sp)
		unwind_next_frame(&state);
	if (unwind_done(&state) || state.error || state.regs || state.signal ||
	    state.sp != start->sp)
		return 0;
	cache->frames[nr++] = (struct frame){ state.sp, state.ip, state.bp };
	while (nr < MAX_FRAMES && next_frame(&state, &cache->frames[nr]))
		nr++;
	/* A chain ends at the registers of user space, or at the end of the stack. */
	if (nr == MAX_FRAMES || state.error ||
	    !(unwind_done(&state) || (state.regs && user_mode(state.regs))))
		return 0;
	return nr;
}

/* Adds a slot to @segment.  Returns false if its offset is too large. */
static notrace bool add_place(struct segment *segment, unsigned long at)
{
	if (at > THREAD_SIZE - sizeof(long))
		return false;
	segment->room = min_t(u32, segment->room, THREAD_SIZE - sizeof(long) - at);
	return true;
}

static notrace void begin_segment(struct segment *segment)
{
	*segment = (struct segment){ .room = THREAD_SIZE };
}

/*
 * Stores in segment[1] the slots where the frame pointer of frames[@nth], by which the unwinder
 * left that frame, may have been saved.  They are in the frames below that leave it unchanged, and
 * in the frame that has changed it.  @first is the first frame whose offsets have @base, the base
 * of
 * @segment.  In the frame below it, only slots above @base have constant offsets.
 */
static notrace bool add_saved(struct segment *segment, const struct frame *frames, u32 first,
			      u32 nth, unsigned long base)
{
	struct segment *next = segment + 1;
	unsigned long bp = frames[nth].bp;
	u32 found = 0, i = nth;

	begin_segment(next);
	do {
		unsigned long at, end;

		if (!i || i < first)
			return false;
		i--;
		at = max(frames[i].sp, base);
		end = frames[i + 1].sp - sizeof(long);
		for (; at < end; at += sizeof(long)) {
			if (word_at(at) != bp)
				continue;
			if (++found > MAX_SAVED || !add_place(segment, at - base))
				return false;
			if (found == 1)
				next->saved = at - base;
			else
				next->same[next->nr_same++] = at - base;
		}
	} while (frames[i].bp == bp);
	return found && is_on_stack(bp);
}

/* Does the unwinder's chain in @room begin at frames[@nth]? */
static notrace bool begins_at(const struct frame *frames, u32 nth, const u64 *room, u32 nr)
{
	u32 i;

	for (i = 0; i < nr && frames[nth + i].ip == room[i]; i++)
		;
	return i == nr;
}

static notrace bool make_segments(struct chain *chain, const struct frame *frames, u32 nr,
				  u32 own, unsigned long base)
{
	struct segment *segment = chain->segments;
	u32 i, first = 0;

	begin_segment(segment);
	/* The first frame's return address is below the base. */
	for (i = 1; i < nr; i++) {
		unsigned long at;

		if (is_trampoline(frames[i].ip))
			return false;
		if (frames[i].by_bp) {
			/* Functions that align their stacks save the frame size elsewhere. */
			if (frames[i].sp != frames[i - 1].bp + 2 * sizeof(long) ||
			    segment == chain->segments + MAX_SEGMENTS - 1 ||
			    !add_saved(segment, frames, first, i - 1, base))
				return false;
			base = frames[i - 1].bp;
			first = i;
			segment++;
		}
		at = frames[i].sp - sizeof(long) - base;
		if (!add_place(segment, at))
			return false;
		segment->nr++;
		chain->places[i - 1] = (struct place){ at, frames[i].ip };
		if (!first && i <= own + 1)
			chain->caller = chain->places[i - 1];
		if (i >= own)
			chain->ips[chain->nr_ips++] = frames[i].ip;
	}
	chain->last = segment;
	chain->top = (unsigned long)task_pt_regs(current) - base;
	return true;
}

static notrace bool remember(struct cache *cache, struct set *set,
			     const struct ktrace_callchain_start *start, const u64 *room,
			     u32 nr)
{
	struct chain *chain = &set->chains[set->next];
	u32 all = walk(cache, start), own = 0;

	while (own < all && (start->above ? cache->frames[own].sp <= start->above :
					    cache->frames[own].ip != start->ip))
		own++;
	if (!nr || own + nr != all || room[0] != start->ip ||
	    !begins_at(cache->frames, own, room, nr))
		return false;

	chain->ip = 0;
	chain->nr_ips = 0;
	chain->above = above_of(start);
	chain->generation = READ_ONCE(generation);
	if (!make_segments(chain, cache->frames, all, own, start->sp))
		return false;
	chain->ip = start->ip;
	set->hint = chain;
	set->next = (set->next + 1) % WAYS;
	return true;
}

/* Returns the entry of a chain that was unwound recently.  Otherwise adds one, and returns NULL. */
static notrace struct seen *was_seen(struct set *set, const u64 *room, u32 nr)
{
	struct seen *seen;
	u32 i, hash = nr;

	for (i = 0; i < nr; i++)
		hash = hash * 31 + (u32)room[i];
	for (i = 0; i < SEEN; i++)
		if (set->seen[i].hash == hash)
			return &set->seen[i];
	seen = &set->seen[set->next_seen++ % SEEN];
	*seen = (struct seen){ hash };
	return NULL;
}

notrace void ktrace_callchain_cache_learn(const struct ktrace_callchain_start *start,
					  const u64 *room, u32 nr)
{
	struct cache *cache = is_on_stack(start->sp) ? get_cache() : NULL;
	struct seen *seen;
	struct set *set;

	if (!cache)
		return;
	set = set_of(cache, start);
	seen = was_seen(set, room, nr);
	/* Where chains rarely repeat, learning them would cost more than it saves. */
	if (seen && !seen->hopeless &&
	    cache->learned < (cache->followed + cache->unwound) / CHAINS_PER_LEARNED) {
		seen->hopeless = !remember(cache, set, start, room, nr);
		cache->learned++;
	}
	put_cache(cache);
}

notrace u64 *ktrace_callchain_cache_check(void)
{
	struct cache *cache = get_cache();

	return cache ? cache->check : NULL;
}

notrace void ktrace_callchain_cache_compare(const u64 *followed, u32 nr, u32 nr_unwound)
{
	struct cache *cache = this_cpu_read(caches);

	WARN_ONCE(nr != nr_unwound || memcmp(followed, cache->check, nr * sizeof(*followed)),
		  "ktrace: the cache has a call chain of %u frames, the unwinder another one of %u\n",
		  nr, nr_unwound);
	cache->checked++;
	put_cache(cache);
}

#else

int ktrace_callchain_cache_prepare(void)
{
	return 0;
}

void ktrace_callchain_cache_free(void)
{
}

#endif
