/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The cache lines that several CPUs access, and the accesses to each of them, as `perf c2c` sums
 * them up.  The data are samples of memory accesses with their data source.
 *
 *	err = cache_lines_create(&options, header, &lines);
 *	run a session with &lines->consumer
 *	err = cache_lines_sort(lines);
 *	read lines->shown, and lines->accesses of each
 */
#ifndef KTRACE_TABLE_C2C_CACHE_LINES_H
#define KTRACE_TABLE_C2C_CACHE_LINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/array.h"
#include "lib/cleanup.h"
#include "lib/error.h"
#include "record/header.h"
#include "session/session.h"
#include "table/c2c/access_counts.h"

/* The accesses that make a line shared, by which lines are sorted. */
enum line_display {
	LINES_BY_MACHINE, LINES_BY_TOTAL, LINES_BY_LOCAL, LINES_BY_REMOTE, LINES_BY_PEER,
};

/* Accesses to one offset are joined if they are equal in these. */
enum access_key { ACCESS_BY_CODE, ACCESS_BY_PID, ACCESS_BY_TID, ACCESS_BY_DSO };

#define ACCESS_KEYS	4

struct cache_line_options {
	/* LINES_BY_MACHINE: peer snoops on arm64, which has no HITM, and else all HITM. */
	enum line_display display;
	struct {
		enum access_key items[ACCESS_KEYS];
		size_t nr;
	} keys;
	unsigned int size;	/* of a cache line, bytes: a power of 2 */
	bool show_all;		/* also lines with less than 0.1 % of the accesses */
	bool sources;		/* look up source lines */
};

/* By code, as perf does; lines of 64 bytes. */
extern const struct cache_line_options cache_line_defaults;

/* A set of small numbers, such as CPUs. */
struct number_set {
	uint64_t *items;	/* bits */
	size_t nr, alloc;
};

bool number_set_has(const struct number_set *set, unsigned int number);
unsigned int number_set_count(const struct number_set *set);
/* Append "0-3,7". */
void number_set_text(const struct number_set *set, struct strbuf *out);

/* The numbers that lines and accesses have in common. */
struct access_sum {
	struct access_counts counts;
	struct number_set cpus;
	struct number_set nodes;	/* of the data's physical memory */
	uint64_t physical, moves;	/* the last physical address, and how often it changed */
};

enum access_latency {
	LATENCY_REMOTE_HITM, LATENCY_LOCAL_HITM, LATENCY_REMOTE_PEER, LATENCY_LOCAL_PEER,
	LATENCY_LOAD,
};

#define ACCESS_LATENCIES	5

/* Accesses that are equal in the offset and in the keys. */
struct line_access {
	struct access_sum sum;		/* first: columns are of a struct access_sum */
	struct cache_line *line;
	uint64_t offset;		/* in the line */
	uint64_t code;			/* in memory; this and the rest: of the first sample */
	uint64_t code_address;		/* in the binary */
	int32_t pid, tid;
	uint8_t mode;			/* PERF_RECORD_MISC_KERNEL, _USER ... */
	bool mapped;			/* the mapping of the code is known */
	char *comm, *symbol, *source;	/* symbol NULL: unknown */
	char *dso;
	struct {
		double mean;		/* cycles; 0: there are none */
		uint64_t nr;
	} latencies[ACCESS_LATENCIES];
	ARRAY_OF(struct access_counts) by_node;	/* by the CPU's node, if it is known */
};

struct cache_line {
	struct access_sum sum;
	uint64_t address;	/* in memory, of the first sample */
	uint64_t place;		/* in the binary; equal in all processes that share the memory */
	uint64_t device, inode;	/* of the mapped file; 0: there is none */
	int32_t pid;		/* of memory that processes do not share, else 0 */
	uint8_t mode;
	bool mapped;		/* the mapping is known */
	size_t first, nr;	/* its accesses among lines->accesses, when sorted */
	size_t number;		/* among the lines that are shown */
};

struct cache_lines {
	struct session_consumer consumer;	/* of the session */
	struct cache_line_options options;	/* cache_lines_sort() replaces LINES_BY_MACHINE */
	struct access_counts totals;	/* of all samples */

	/* Set by cache_lines_sort(). */
	struct access_counts shared;	/* of lines that have HITM or peer snoops */
	size_t nr_shared;
	ARRAY_OF(struct cache_line *) shown;	/* the most HITM first */
	ARRAY_OF(struct line_access *) accesses;	/* by line, offset, HITM */
	struct cache_line_index *index;
};

/* ENODATA: no event of the recording has samples with a data source. */
struct error *cache_lines_check(const struct event_list *events);

/* @header is borrowed; NULL: unknown.  For a pipe, it is filled while records are read. */
struct error *cache_lines_create(const struct cache_line_options *options,
				 const struct header *header, struct cache_lines **ret);
void cache_lines_destroy(struct cache_lines *lines);
DEFINE_CLEANUP_PTR(cache_lines, struct cache_lines, cache_lines_destroy)

/* The node of a CPU; -1: unknown. */
int32_t cache_lines_node(const struct cache_lines *lines, unsigned int cpu);

/* Select and sort lines and accesses; once, after the session. */
struct error *cache_lines_sort(struct cache_lines *lines);

/* The count that @display is about, such as ACCESS_HITM. */
enum access_count line_display_count(enum line_display display);

/* Whether an access is listed: it is a store, or an access that makes the line shared. */
bool line_access_is_shown(const struct cache_lines *lines, const struct line_access *access);

#endif
