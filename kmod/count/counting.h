/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Counting: how often an event fires, by a key made of its fields, in a table for each CPU.
 * The contract is in the uapi header.
 *
 * The contexts of a CPU that interrupt each other write the same table without a lock.  Each
 * slot of it is claimed by a compare-and-exchange before its key is written, and published
 * by its hash afterwards.  A context that meets a slot that is claimed but not published has
 * interrupted whoever claimed it, so it goes on to the next slot, even if the key turns out
 * to be the same.  Readers add up what is there twice.
 */
#ifndef KTRACE_COUNTING_H
#define KTRACE_COUNTING_H

#include <linux/types.h>
#include <asm/local.h>
#include <linux/ktrace.h>

struct cpumask;
struct ktrace_counting_chains;
struct ktrace_counting_starts;
struct ktrace_memlock;

/* A part of a key, as ktrace_counting_verify() prepares it. */
struct ktrace_counting_part {
	u8 how;				/* enum ktrace_counting_how */
	bool log2;			/* it is a step of a histogram */
	bool log2_is_signed;		/* negative numbers have a step of their own */
	bool is_signed;
	u32 offset;
	u32 width;			/* bytes to read */
	u32 words;			/* it takes in the key */
};

/* What the CPU writes of one counted event. */
struct ktrace_counting_cpu {
	char *slots;
	local_t used;
	local_t lost[KTRACE_LOST_NR];	/* NO_SLOT and NO_START alone */
	local_t restarted;
	local_t no_chain;		/* those of NO_SLOT whose chain had no room */
	u64 last_chain[2];		/* the numbers that were put last: kernel, user */
};

struct ktrace_counting {
	u32 role;			/* enum ktrace_count_role */
	u32 nr_pair, nr_parts;		/* the pair comes first */
	u32 pair_words;
	u32 kept_words;			/* of a START, behind the pair; END: of its START */
	u32 key_words;			/* without the pair */
	bool has_value;
	bool value_is_signed;
	bool takes_common;		/* it looks at the common part, struct trace_entry */
	bool takes_chain[2];		/* of the kernel, of user space */
	bool takes_chains;		/* any of these */
	struct ktrace_counting_part parts[KTRACE_COUNT_MAX_PARTS];
	struct ktrace_counting_part value;
	int clockid;

	u32 entries;
	u32 mask;			/* of the numbers of slots */
	u32 slot_size;			/* bytes */
	u64 seed;			/* of the hashes */
	struct ktrace_counting_cpu __percpu *cpu;
	struct ktrace_counting_starts *starts;	/* of the START, also for its ENDs */
	struct ktrace_counting_chains *chains;	/* likewise; NULL: no key has any */
	bool owns_chains;
};

/*
 * Creates what counts an event as @add says, on @cpus; @parts are those of @add, copied.  @start is
 * the counting of the START that an END names, and outlives this one; otherwise NULL.  The tables
 * of a CPU have at most @max_bytes bytes.  Charges @memlock for all, and sets add->key_bytes.
 */
struct ktrace_counting *ktrace_counting_create(struct ktrace_count_add *add,
					       const struct ktrace_count_part *parts,
					       struct ktrace_counting *start, int clockid,
					       const struct cpumask *cpus, u64 max_bytes,
					       struct ktrace_memlock *memlock);
void ktrace_counting_destroy(struct ktrace_counting *counting);

/*
 * Fills in the role and the parts of @counting, if all of them are valid; -EINVAL otherwise.
 * @parts are those of @add, copied.
 */
int ktrace_counting_verify(struct ktrace_counting *counting, const struct ktrace_count_add *add,
			   const struct ktrace_count_part *parts,
			   const struct ktrace_counting *start);

/* Where a part comes from and how it is read. */
enum ktrace_counting_how {
	KTRACE_COUNTING_U8,
	KTRACE_COUNTING_U16,
	KTRACE_COUNTING_U32,
	KTRACE_COUNTING_U64,
	KTRACE_COUNTING_S8,
	KTRACE_COUNTING_S16,
	KTRACE_COUNTING_S32,
	KTRACE_COUNTING_FIELD,
	KTRACE_COUNTING_LATENCY,
	KTRACE_COUNTING_TEXT,
	KTRACE_COUNTING_DATA_LOC,
	KTRACE_COUNTING_REL_LOC,
	KTRACE_COUNTING_FIELD_TEXT,
	/* Words that are known before, see struct ktrace_counting_given; the offset is in words. */
	KTRACE_COUNTING_CHAIN,
	KTRACE_COUNTING_START,
};

/* Parts of a key that are no part of the raw data. */
struct ktrace_counting_given {
	u64 chains[2];			/* their numbers: kernel, user */
	u64 start[KTRACE_COUNT_MAX_KEY / sizeof(u64)]; /* what is kept with the START */
};

/* What ktrace_counting_take() returns for a firing that was counted. */
#define KTRACE_COUNTING_COUNTED	KTRACE_LOST_NR

/*
 * Counts a firing whose raw data has @size bytes.  Returns KTRACE_COUNTING_COUNTED or why it
 * was not counted: KTRACE_LOST_NESTED, which the caller has to count, or another reason,
 * which was counted here.  Works in any context with preemption disabled.
 */
u32 ktrace_counting_take(struct ktrace_counting *counting, const void *raw, u32 size);

/*
 * The same where counting->takes_chains: the caller has put the numbers of the chains that
 * takes_chain[] asks for into @given, by ktrace_counting_put_chain().
 */
u32 ktrace_counting_take_given(struct ktrace_counting *counting, const void *raw, u32 size,
			       struct ktrace_counting_given *given);

/*
 * Stores a chain.  Returns false if there is no room for it; then the firing is not counted, which
 * was counted here.
 */
bool ktrace_counting_put_chain(struct ktrace_counting *counting, const u64 *ips, u32 nr,
			       bool user, struct ktrace_counting_given *given);

/* Adds what was not counted for reasons of its own to stats->lost. */
void ktrace_counting_add_lost(const struct ktrace_counting *counting, unsigned int cpu,
			      u64 *lost);

/* The ioctl, for a CPU of the session. */
int ktrace_counting_read(const struct ktrace_counting *counting, unsigned int cpu,
			 struct ktrace_count_read *read);

/* The ioctl; the session has @cpus. */
int ktrace_counting_read_chains(const struct ktrace_counting *counting, const struct cpumask *cpus,
				struct ktrace_chain_read *read);

#endif
