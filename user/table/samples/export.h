/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Converts a recording to rows of related tables: the tables that perf passes to scripts that
 * export to databases, with its columns and its order of rows.  Ids count from 1; 0 means unknown.
 * A row comes before the first one that refers to it.
 */
#ifndef KTRACE_TABLE_SAMPLES_EXPORT_H
#define KTRACE_TABLE_SAMPLES_EXPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/cleanup.h"
#include "session/session.h"

enum export_table {
	EXPORT_EVSEL,		/* id, name */
	EXPORT_MACHINE,		/* id, pid (-1: the host), root directory */
	EXPORT_THREAD,		/* id, machine, main thread, pid, tid */
	EXPORT_COMM,		/* id, text, thread, time, whether by an exec */
	EXPORT_COMM_THREAD,	/* id, comm, thread */
	EXPORT_DSO,		/* id, machine, short name, long name, build id */
	EXPORT_SYMBOL,		/* id, dso, start, end, binding, name */
	EXPORT_BRANCH_TYPE,	/* flags, name */
	EXPORT_SAMPLE,		/* 25 columns, as in perf's export-to-sqlite.py */
	EXPORT_CALL_PATH,	/* id, parent, symbol, ip where there is no symbol */
	EXPORT_CONTEXT_SWITCH,	/* id, machine, time, cpu, thread and comm out, in, flags */
	EXPORT_TABLE_NR
};

struct export_value {
	enum { EXPORT_SIGNED, EXPORT_UNSIGNED, EXPORT_TEXT } type;
	union {
		int64_t number;		/* addresses, too, as in databases */
		uint64_t unsigned_number;
		const char *text;
	};
};

/* Receives the rows; @values are valid during the call only. */
struct export_sink {
	struct error *(*row)(struct export_sink *sink, enum export_table table,
			     const struct export_value *values, size_t nr);
};

struct export;

/*
 * @sink is borrowed, and gets the rows of branch types at once.  @callchains: also write call
 * paths.
 */
struct error *export_create(struct export_sink *sink, bool callchains, struct export **ret);
void export_destroy(struct export *export);

/*
 * Write the row of a sample, after the rows that it refers to.  *ret_id (may be NULL) is the id of
 * its row.
 */
struct error *export_sample(struct export *export, const struct session_record *r,
			    uint64_t *ret_id);

/* Add another record, such as COMM or FORK.  *ret_taken: it has a row of its own. */
struct error *export_other(struct export *export, const struct session_record *r,
			   bool *ret_taken);

#endif
