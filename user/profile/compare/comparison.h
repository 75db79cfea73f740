/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Compares the distributions of samples in several recordings.  Rows of different recordings are
 * the same if the texts of their sort keys are equal.
 *
 * For verdicts (profile/compare/difference.h), the samples of each event are divided into blocks of
 * equal numbers of consecutive samples, because neighbouring samples are not independent.
 */
#ifndef KTRACE_PROFILE_COMPARE_COMPARISON_H
#define KTRACE_PROFILE_COMPARE_COMPARISON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/array.h"
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
	/* "a,b": only these get rows, but all samples are counted; NULL: all; borrowed */
	const char *comms, *dsos, *symbols;
	bool relative;		/* percentages refer to samples with rows, not to all */
};

/* So strict that in 20 comparisons of equal programs hardly one row differs. */
#define COMPARISON_LEVEL	0.01

/* The most blocks of an event in a recording; long recordings have at least half of it. */
#define COMPARISON_BLOCKS	256

/* The part of a row in one recording. */
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
	char *name;	/* of the event there; NULL: not recorded; owned */
	uint64_t samples, period;	/* the base of percentages */
	size_t blocks;			/* number of full blocks */
	size_t block_size;		/* samples of a block */
	double periods[COMPARISON_BLOCKS];	/* of all samples of each block */
	size_t in_block;		/* samples in the unfinished block */
};

/*
 * An event, by its name.  An event without an equal in another recording is matched with an event
 * that counts the same there, such as cpu-clock:u with cpu-clock.
 */
struct comparison_event {
	char *name;		/* in the first recording that has it */
	uint32_t type;
	uint64_t config;
	struct comparison_file *files;	/* by recording */
	ARRAY_OF(struct comparison_row *) rows;	/* in order of arrival */
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
 * The consumer for session_run() with the samples of the recording @file, whose events are @events.
 * Recordings are read one after the other.  At the end of each, comparison_end_file() adds the
 * events without samples.
 */
struct session_consumer *comparison_consumer(struct comparison *comparison, size_t file,
					     const struct event_list *events);
struct error *comparison_end_file(struct comparison *comparison);

/* Whether each recording begins with the exec of a command: then costs can be compared. */
bool comparison_is_of_commands(const struct comparison *comparison);

/* A callback for two binaries that are treated as one, with their number of common functions. */
typedef void comparison_joined(void *data, const char *old, const char *new, size_t functions);

/*
 * Call it after all recordings are read.  It finds binaries that never occur in the same recording,
 * but spend most of their cost in functions of the same names, and gives the earlier one the name
 * of the later one.  It works only if the keys are the binary and the function.
 */
struct error *comparison_join_binaries(struct comparison *comparison, comparison_joined *joined,
				       void *data);

/* For the other files of comparison: */
size_t comparison_files(const struct comparison *comparison);
const struct comparison_options *comparison_options(const struct comparison *comparison);
void comparison_row_destroy(struct comparison_row *row, size_t files);

size_t comparison_nr(const struct comparison *comparison);
const struct comparison_event *comparison_event(const struct comparison *comparison,
						size_t position);

/* Recordings that measure the same thing. */
struct comparison_side {
	const size_t *files;	/* their numbers */
	size_t nr;
};

/* The data behind the verdicts of an event. */
struct comparison_basis {
	bool runs;		/* measurements are whole recordings; else blocks of them */
	size_t before, after;	/* numbers of measurements */
	size_t block_size[2];	/* samples per block, of the first recording of each side */
};

/*
 * Judge each row by its share of the samples of each side.  Recordings are the measurements if each
 * side has at least two of them (profile/compare/run_difference.h), else their blocks are.
 * @ret has room for a difference for each row of the event, in shares of 1; rows with too few
 * samples get no interval.  @absolute: judge the cost itself, as a fraction of the cost of the
 * first side.
 */
struct error *comparison_judge_event(const struct comparison_event *event,
				     const struct comparison_side *before,
				     const struct comparison_side *after, bool absolute,
				     const struct difference_options *options,
				     struct difference *ret, struct comparison_basis *ret_basis);

#endif
