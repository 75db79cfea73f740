/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Counting: how often an event fires, by a key of its fields, in a table for each CPU.  The
 * contract is in the uapi header.
 *
 * The contexts of a CPU that interrupt each other write the same table without a lock.  A
 * compare-and-exchange claims a slot before its key is written.  Its hash publishes the slot
 * afterwards.  A context that meets a claimed slot that is not published has interrupted the
 * context that claimed it.  It goes on to the next slot, even if the key turns out to be the same.
 * Readers add up keys that occur twice.
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
	u32 words;			/* of the key */
};

/* The data of one counted event that one CPU writes. */
struct ktrace_counting_cpu {
	char *slots;
	local_t used;
	local_t lost[KTRACE_LOST_NR];	/* NO_SLOT and NO_START alone */
	local_t restarted;
	local_t no_chain;		/* losses of NO_SLOT whose chain had no room */
	u64 last_chain[2];		/* the numbers that were stored last: kernel, user */
};

struct ktrace_counting {
	u32 role;			/* enum ktrace_count_role */
	u32 nr_pair, nr_parts;		/* the pair comes first */
	u32 pair_words;
	u32 kept_words;			/* of a START, behind the pair; END: of its START */
	u32 key_words;			/* without the pair */
	bool has_value;
	bool value_is_signed;
	bool takes_common;		/* it reads the common part, struct trace_entry */
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
	struct ktrace_counting_chains *chains;	/* likewise; NULL: no key has chains */
	bool owns_chains;
};

/*
 * Creates the counting that @add describes, on @cpus; @parts is a copy of add->parts.  @start is
 * the counting of the START that an END names, and outlives this one; otherwise NULL.  The tables
 * of a CPU have at most @max_bytes bytes.  Charges @memlock for everything, and sets
 * add->key_bytes.
 */
struct ktrace_counting *ktrace_counting_create(struct ktrace_count_add *add,
					       const struct ktrace_count_part *parts,
					       struct ktrace_counting *start, int clockid,
					       const struct cpumask *cpus, u64 max_bytes,
					       struct ktrace_memlock *memlock);
void ktrace_counting_destroy(struct ktrace_counting *counting);

/*
 * Fills in the role and the parts of @counting, if all of them are valid; -EINVAL otherwise.
 * @parts is a copy of add->parts.
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
	/* Words from struct ktrace_counting_given; the part's offset counts words. */
	KTRACE_COUNTING_CHAIN,
	KTRACE_COUNTING_START,
};

/* Parts of a key that are not in the raw data. */
struct ktrace_counting_given {
	u64 chains[2];			/* their numbers: kernel, user */
	u64 start[KTRACE_COUNT_MAX_KEY / sizeof(u64)]; /* the words stored with the START */
};

/* The result of ktrace_counting_take() for a firing that was counted. */
#define KTRACE_COUNTING_COUNTED	KTRACE_LOST_NR

/*
 * Counts a firing whose raw data has @size bytes.  Returns KTRACE_COUNTING_COUNTED or the reason
 * why not.  The caller has to count KTRACE_LOST_NESTED; any other reason was counted here.  Works
 * in any context with preemption disabled.
 */
u32 ktrace_counting_take(struct ktrace_counting *counting, const void *raw, u32 size);

/*
 * The same where counting->takes_chains is set.  The caller has put the numbers of the chains in
 * takes_chain[] into @given, by ktrace_counting_put_chain().
 */
u32 ktrace_counting_take_given(struct ktrace_counting *counting, const void *raw, u32 size,
			       struct ktrace_counting_given *given);

/* Stores a chain.  Returns false if there is no room; the loss of the firing was counted here. */
bool ktrace_counting_put_chain(struct ktrace_counting *counting, const u64 *ips, u32 nr,
			       bool user, struct ktrace_counting_given *given);

/* Adds the losses that were counted here to @lost. */
void ktrace_counting_add_lost(const struct ktrace_counting *counting, unsigned int cpu,
			      u64 *lost);

/* KTRACE_IOC_COUNT_READ, for a CPU of the session. */
int ktrace_counting_read(const struct ktrace_counting *counting, unsigned int cpu,
			 struct ktrace_count_read *read);

/* KTRACE_IOC_CHAIN_READ; the session has @cpus. */
int ktrace_counting_read_chains(const struct ktrace_counting *counting, const struct cpumask *cpus,
				struct ktrace_chain_read *read);

#endif
