/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Compares where the samples of several recordings fall.  Rows of different recordings are the
 * same if their sort keys are the same texts.
 *
 * For verdicts (profile/compare/difference.h), the samples of each event are cut into blocks of
 * equal numbers of consecutive samples, as samples that are near each other are not independent.
 */
#ifndef KTRACE_PROFILE_COMPARE_COMPARISON_H
#define KTRACE_PROFILE_COMPARE_COMPARISON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/cleanup.h"
#include "lib/strbuf.h"
#include "profile/compare/difference.h"
#include "session/session.h"

enum comparison_key {
	COMPARE_COMM = 1,
	COMPARE_DSO,
	COMPARE_SYMBOL,
	COMPARE_PID,
	COMPARE_CPU,
};

#define COMPARISON_KEYS_MAX	5

struct comparison_options {
	uint8_t keys[COMPARISON_KEYS_MAX + 1];	/* enum comparison_key, ends with 0 */
	/* "a,b": only these get rows, though all are counted; NULL: all; borrowed */
	const char *comms, *dsos, *symbols;
	bool relative;		/* percentages are of the samples that get rows, not of all */
};

/* So strict that of 20 comparisons of equal programs hardly one has a row that differs. */
#define COMPARISON_LEVEL	0.01

/* The most blocks of an event in a recording; there are at least half of it in long ones. */
#define COMPARISON_BLOCKS	256

/* What one recording has of a row. */
struct comparison_cell {
	uint64_t samples, period;
	double *blocks;		/* periods by block; NULL: all are 0; owned */
};

struct comparison_row {
	char *texts[COMPARISON_KEYS_MAX];	/* by position of the key; owned */
	struct comparison_cell *cells;		/* by recording; owned */
};

/* The samples of an event in one recording. */
struct comparison_file {
	char *name;	/* of the event there; NULL: it was not recorded; owned */
	uint64_t samples, period;	/* of what percentages are of */
	size_t blocks;			/* that are full */
	size_t block_size;		/* samples of a block */
	double periods[COMPARISON_BLOCKS];	/* of all samples of each block */
	size_t in_block;		/* samples in the block that is not full yet */
};

/*
 * An event, by its name.  One that has no equal in another recording is the same as an event
 * that counts the same there, as cpu-clock:u and cpu-clock do.
 */
struct comparison_event {
	char *name;		/* in the first recording that has it */
	uint32_t type;
	uint64_t config;
	struct comparison_file *files;	/* by recording */
	struct {
		struct comparison_row **items;
		size_t nr, alloc;
	} rows;				/* in order of arrival */
};

struct comparison;

/* Append the names of the keys, "comm, dso ...". */
void comparison_keys_add_names(struct strbuf *out);

/* Parse "dso,symbol" into options->keys. */
struct error *comparison_keys_parse(struct comparison_options *options, const char *text);

/* Compare @files recordings, which are numbered from 0.  @options are borrowed. */
struct error *comparison_create(const struct comparison_options *options, size_t files,
				struct comparison **ret);
void comparison_destroy(struct comparison *comparison);
DEFINE_CLEANUP_PTR(comparison, struct comparison, comparison_destroy)

/*
 * Where session_run() passes the samples of the recording @file to, whose events are @events.
 * Recordings are read one after the other, each to its end, where comparison_end_file() takes
 * the events without samples, too.
 */
struct session_consumer *comparison_consumer(struct comparison *comparison, size_t file,
					     const struct event_list *events);
struct error *comparison_end_file(struct comparison *comparison);

/* Whether each recording is of a command, from its exec on: then costs can be compared. */
bool comparison_is_of_commands(const struct comparison *comparison);

/* A binary is taken for another one, with which it has so many functions in common. */
typedef void comparison_joined(void *data, const char *old, const char *new, size_t functions);

/*
 * When all recordings are read: find binaries that are in no recording together, but have most of
 * the cost of their functions in functions of the same names, and give the earlier one
 * the name of the later one.  Only where the keys are the binary and the function.
 */
struct error *comparison_join_binaries(struct comparison *comparison, comparison_joined *joined,
				       void *data);

/* For the parts of this: */
size_t comparison_files(const struct comparison *comparison);
const struct comparison_options *comparison_options(const struct comparison *comparison);
void comparison_row_destroy(struct comparison_row *row, size_t files);

size_t comparison_nr(const struct comparison *comparison);
const struct comparison_event *comparison_event(const struct comparison *comparison,
						size_t position);

/* Recordings that are measurements of the same thing. */
struct comparison_side {
	const size_t *files;	/* their numbers */
	size_t nr;
};

/* What the verdicts of an event were made of. */
struct comparison_basis {
	bool runs;		/* measurements are whole recordings; else blocks of them */
	size_t before, after;	/* how many measurements there are */
	size_t block_size[2];	/* samples of a block, of the first recording of each side */
};

/*
 * Judge each row by its share of the samples of each side.  Recordings are the measurements if
 * each side has at least two of them (profile/compare/run_difference.h), else their blocks are.
 * @ret has room for a difference for each row of the event, in shares of 1; rows with too few
 * samples get no interval.  @absolute: judge the cost itself, in parts of the cost of the first
 * side.
 */
struct error *comparison_judge_event(const struct comparison_event *event,
				     const struct comparison_side *before,
				     const struct comparison_side *after, bool absolute,
				     const struct difference_options *options,
				     struct difference *ret, struct comparison_basis *ret_basis);

#endif
