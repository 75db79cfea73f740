/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A machine as a flat program.  It is a table without pointers that is verified as a whole, so
 * that an ioctl of the device could take the same bytes; who runs it trusts what
 * machine_verify() accepts.
 *
 *	struct ktrace_machine
 *	struct ktrace_machine_state		[nr_states]
 *	struct ktrace_machine_source		[nr_sources]
 *	struct ktrace_machine_transition	[nr_transitions]
 *	struct ktrace_machine_filter		[nr_filters]
 *	struct ktrace_filter_insn		[nr_insns]
 *	char					[pool_bytes]
 *
 * and zeros up to a multiple of 8 bytes, `size` in all.
 *
 * A source is one way in which a firing of an event matters.  When an event fires, its sources
 * are asked in their order; each whose filter accepts the record is applied to its key:
 *
 *  1. The key is found or made.  If there are max_keys that live, it stays unknown, and the
 *     firing is counted as one for which the table was full.
 *  2. If the time is not later than that of an earlier record that was applied to the key, the
 *     key becomes unknown (unordered), and this is all.  Sources of one record have one time.
 *  3. If the key is known and the time is at or behind its deadline, the deadline was missed:
 *     that is a violation at the deadline, without an event, and the key becomes unknown.
 *  4. If the key is unknown, `start` of the source decides: _NONE ends here; _AFTER makes the
 *     key known, in the state `initial` with no clock set, and ends here; _BEFORE does the same
 *     and goes on.  The limit of the initial state counts from that time.
 *  5. The first transition of the state and the source is taken whose filter accepts the record
 *     and whose clock is in [least, most], or was never set.  If there is none, that is a
 *     violation by this event, and the key becomes unknown.
 *  6. A transition sets the clocks of its mask to the time, and the state.  If the state changes
 *     or a clock was set, the deadline is computed anew: the clock of the state, or the time if
 *     that clock was never set, plus its limit; it is not before the time.  A state without a
 *     limit has no deadline.
 *
 * Where firings were lost, every key that one of them could have been of becomes unknown (lost).
 * A key that is a task ends when the task exits (PERF_RECORD_EXIT), and what fires in the name of
 * the number from then on is ignored until a task gets it again.  Task 0 is another task on each
 * CPU.  A deadline that passes without an event is found later, within the time that who runs the
 * machine promises; the violation has the deadline's time.
 */
#ifndef KTRACE_MACHINE_PROGRAM_H
#define KTRACE_MACHINE_PROGRAM_H

#include <linux/ktrace.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define MACHINE_STATES_MAX	64
#define MACHINE_SOURCES_MAX	64
#define MACHINE_TRANSITIONS_MAX	1024
#define MACHINE_FILTERS_MAX	256
#define MACHINE_INSNS_MAX	4096
#define MACHINE_POOL_MAX	65536
#define MACHINE_PARTS_MAX	4
#define MACHINE_CLOCKS_MAX	4
#define MACHINE_KEYS_MAX	(1U << 24)
/* In place of a filter, a clock. */
#define MACHINE_NO_FILTER	0xffff
#define MACHINE_NO_CLOCK	0xff

enum machine_key {
	MACHINE_KEY_NONE	= 0,	/* there is one */
	MACHINE_KEY_CPU		= 1,
	MACHINE_KEY_TASK	= 2,	/* a thread id; 0 is the idle task of the record's CPU */
	MACHINE_KEY_FIELDS	= 3,	/* the numbers that the parts of each source load */
};

enum machine_start {
	MACHINE_STARTS_NONE	= 0,
	MACHINE_STARTS_AFTER	= 1,
	MACHINE_STARTS_BEFORE	= 2,
};

/**
 * struct ktrace_machine - the head of a machine
 * @size: of all of it, in bytes
 * @key: enum machine_key
 * @nr_parts: of the key, in each source; 0 for MACHINE_KEY_NONE, 1 for _CPU and _TASK
 * @initial: a state
 * @nr_clocks: clocks of each key
 * @max_keys: that live at once
 * @reserved: 0
 */
struct ktrace_machine {
	__u32 size;
	__u16 nr_states;
	__u16 nr_sources;
	__u16 nr_transitions;
	__u16 nr_filters;
	__u32 nr_insns;
	__u32 pool_bytes;
	__u8 key;
	__u8 nr_parts;
	__u8 initial;
	__u8 nr_clocks;
	__u32 max_keys;
	__u32 reserved;
};

/**
 * struct ktrace_machine_state - a state
 * @limit: ns after which it has to be left; 0: it may last
 * @clock: from which the limit counts; MACHINE_NO_CLOCK without a limit
 */
struct ktrace_machine_state {
	__aligned_u64 limit;
	__u8 clock;
	__u8 reserved[7];
};

/**
 * struct ktrace_machine_part - a number of a key, as the operand of a filter's instruction
 * @src: KTRACE_FILTER_SRC_RECORD, or _FIELD for a common field
 * @flags: KTRACE_FILTER_SIGNED
 */
struct ktrace_machine_part {
	__u32 offset;
	__u8 src;
	__u8 width;
	__u8 flags;
	__u8 reserved;
};

/**
 * struct ktrace_machine_source - what makes the machine move
 * @event: whose firing; a number that whoever loads the machine agrees on, as `index` of
 * EVENT_ADD
 * @filter: MACHINE_NO_FILTER: each firing
 * @start: enum machine_start
 *
 * The numbers of events never fall from one source to the next.
 */
struct ktrace_machine_source {
	__u32 event;
	__u16 filter;
	__u8 start;
	__u8 reserved;
	struct ktrace_machine_part parts[MACHINE_PARTS_MAX];
};

/**
 * struct ktrace_machine_transition - from a state by a source to the next state
 * @filter: on the record of the source; MACHINE_NO_FILTER: none
 * @clock: whose time since it was set, in ns, has to be in [least, most]; MACHINE_NO_CLOCK: none
 * @resets: mask of clocks
 *
 * They ascend by state, then source; several of one pair are tried in their order.
 */
struct ktrace_machine_transition {
	__u16 state;
	__u16 source;
	__u16 next;
	__u16 filter;
	__u8 clock;
	__u8 resets;
	__u8 reserved[6];
	__aligned_u64 least;
	__aligned_u64 most;
};

/**
 * struct ktrace_machine_filter - a filter's program
 * @first: its first instruction; jumps count from there
 * @nr: instructions
 */
struct ktrace_machine_filter {
	__u32 first;
	__u32 nr;
};

/* Where the parts of a verified program are. */
struct machine_view {
	const struct ktrace_machine *head;
	const struct ktrace_machine_state *states;
	const struct ktrace_machine_source *sources;
	const struct ktrace_machine_transition *transitions;
	const struct ktrace_machine_filter *filters;
	const struct ktrace_filter_insn *insns;
	const char *pool;
};

/*
 * Whether @size bytes at @bytes, which are aligned to 8, are a machine that can run: all numbers
 * are in their range, filters only jump forward, and nothing lies outside.  Sets *ret.
 */
bool machine_verify(const void *bytes, size_t size, struct machine_view *ret);

/* How large a program with these numbers is, bytes. */
size_t machine_size(const struct ktrace_machine *head);

/* What sources and filters look at. */
struct machine_record {
	const void *raw;
	uint32_t raw_size;
	bool swapped;		/* numbers are in the other byte order */
	int32_t cpu, tid, tgid;	/* -1: not known */
	uint64_t time;
};

/* Whether a filter accepts a record. */
bool machine_filter_accepts(const struct machine_view *view, uint16_t filter,
			    const struct machine_record *record);

/* Load a part of a key. */
uint64_t machine_load(const struct ktrace_machine_part *part, const struct machine_record *record);

#endif
