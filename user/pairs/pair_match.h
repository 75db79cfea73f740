/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Finds pairs of events in the samples of a session: a start and the next end with the same key, on
 * any CPU.  If a start comes again before its end, the pair begins with the last one.  The number 0
 * in a field of the type pid_t stands for the idle task of the record's CPU.
 *
 * A sample that is both an end and a start first ends a pair and then begins the next one: call
 * pair_match_end() before pair_match_start().
 */
#ifndef KTRACE_PAIRS_PAIR_MATCH_H
#define KTRACE_PAIRS_PAIR_MATCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/array.h"
#include "lib/error.h"
#include "lib/hash_table.h"
#include "session/session.h"
#include "spec/count_keys.h"
#include "spec/pair_spec.h"

enum { SIDE_START, SIDE_END };

/* The data of one end of a pair. */
struct pair_side {
	uint64_t time;
	int32_t cpu, pid, tid;
	char comm[16];
	const void *raw;
	uint32_t raw_size;
};

struct pair_start {
	char key[COUNT_MAX_PAIR];
	uint64_t hash;
	int32_t idle;		/* the key is of the idle task of this CPU; -1: of none */
	bool open;
	size_t window;		/* for the caller; 0 in a new start */
	struct pair_side side;	/* its raw is owned */
	uint32_t alloc;		/* of raw, bytes */
};

struct pair_match {
	const struct pair_spec *spec;	/* borrowed */
	const struct event *ends[2];	/* start and end, in the list of events */
	const struct event_format *formats[2];
	struct count_keys keys[2];
	ARRAY_OF(struct pair_start) starts;
	struct hash_table table;	/* positions in them, by hash */
};

/*
 * Find the events and fields of @spec, which must outlive @ret, like the events and @formats.
 * Errors show the specification with a caret at the mistake.  It is also an error if the recording
 * certainly lacks firings that would end other pairs.  @ret has to be released also on error.
 */
struct error *pair_match_init(const struct pair_spec *spec, const struct event_list *events,
			      const struct formats *formats, struct pair_match *ret);
void pair_match_deinit(struct pair_match *match);

/* Whether an end is of the task that fired the start, which then has all firings of the pair. */
bool pair_match_is_of_task(const struct pair_match *match);

/*
 * It is an error if @common, which may be NULL, is no field that each sample of any event has.
 */
struct error *pair_match_check_common(const struct pair_spec *spec,
				      const struct common_field_info *common);

/* Store the data of a sample; its raw is borrowed from @r. */
void pair_match_side(const struct session_record *r, struct pair_side *ret);

/* Whether a sample of one of both events is too short for its fields. */
bool pair_match_is_damaged(const struct pair_match *match, const struct session_record *r);

/*
 * Returns the start of the key of a sample of the start's event; `open`: it has no end yet.  The
 * result is valid until the next call; NULL: out of memory.
 */
struct pair_start *pair_match_find(struct pair_match *match, const struct session_record *r);

/* Begin a pair at @start, which pair_match_find() has returned for this sample. */
struct error *pair_match_begin(struct pair_start *start, const struct session_record *r);

/* Returns the start that a sample of the end's event ends, no longer open; NULL: there is none. */
struct pair_start *pair_match_end(struct pair_match *match, const struct session_record *r);

/* Drop the starts that have ended, if these are most of them. */
struct error *pair_match_forget(struct pair_match *match);

#endif
