/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The recordings whose tables one connection to SQLite has.  SQL refers to them by their numbers.
 * SQLite forgets its tables and connects them anew when it reads its schema again, for example
 * after a transaction was rolled back.  So a recording is open as long as a table or a query uses
 * it, and its path is known as long as the connection lives.
 */
#ifndef KTRACE_SQL_RECORDINGS_H
#define KTRACE_SQL_RECORDINGS_H

#include <stddef.h>

#include "lib/cleanup.h"
#include "lib/error.h"
#include "perfdata/reader.h"

/* The shared data of the tables of one recording, or of several that are read as one. */
struct sample_tables {
	char **paths;		/* nr_paths, owned; each scan of a table opens the files anew */
	size_t nr_paths;
	const struct traffic_rules *rules;	/* those of the connection */
	struct reader *reader;	/* has read the header; has events and formats; NULL: not open */
	size_t refs;		/* of users; the last one closes the reader */
};

struct sql_recordings {
	struct sample_tables **items;	/* by their numbers; owned */
	size_t nr, alloc;
	size_t refs;
	/* Messages by which clocks of hosts are compared; NULL: the known ones; borrowed. */
	const struct traffic_rules *rules;
};

/* One reference is the caller's; NULL: out of memory. */
struct sql_recordings *sql_recordings_create(void);
struct sql_recordings *sql_recordings_get(struct sql_recordings *recordings);
/* A destructor of SQLite; @recordings may be NULL. */
void sql_recordings_put(void *recordings);

/*
 * Open another recording, or several as one, and get it.  Each must be a file that can be read
 * repeatedly.
 */
struct error *sql_recordings_open(struct sql_recordings *recordings, const char *const *paths,
				  size_t nr, size_t *ret_number, struct sample_tables **ret);

/* Get the recording with the number in the text @number, and open it if it is not open. */
struct error *sql_recordings_find(struct sql_recordings *recordings, const char *number,
				  struct sample_tables **ret);

/* Open the recording for one scan.  ESTALE: the file was replaced after the tables were created. */
struct error *sample_tables_open(const struct sample_tables *tables, struct reader **ret);

/* @tables may be NULL. */
void sample_tables_put(struct sample_tables *tables);
DEFINE_CLEANUP_PTR(sample_tables, struct sample_tables, sample_tables_put)

#endif
