/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Reads perf.data, from files and from pipes.  Files are read with pread() through
 * bounded windows: if a file is cut or changed meanwhile, that gives an error and never
 * a signal.
 */
#ifndef KTRACE_PERFDATA_READER_H
#define KTRACE_PERFDATA_READER_H

#include <stdbool.h>
#include <stdint.h>

#include "format/event_format.h"
#include "lib/cleanup.h"
#include "record/event.h"
#include "record/header.h"
#include "record/ledger.h"
#include "record/record.h"
#include "record/scope.h"

struct reader;

/*
 * Open @path ("-": standard input), a file or a folder of perf record --threads or --kcore, whose
 * files are read one after the other.  Errors name the file and the defect: empty, no perf.data,
 * damaged ...  Recordings of both byte orders and of the format before Linux 3.2 are read; records
 * are given in this machine's byte order.
 */
struct error *reader_open(const char *path, struct reader **ret);
void reader_close(struct reader *reader);
DEFINE_CLEANUP_PTR(reader, struct reader, reader_close)

/*
 * Open several recordings as one, which gives their records in the order of time; see joined.h.
 * With one path it is the same as reader_open().  @rules selects the events that are messages
 * between hosts, by which their clocks are compared; NULL: the known ones.
 */
struct traffic_rules;
struct error *reader_open_many(const char *const *paths, size_t nr,
			       const struct traffic_rules *rules, struct reader **ret);

/* The joined recordings; NULL: the reader has a single one. */
struct joined;
struct joined *reader_joined(const struct reader *reader);

/* The events and formats.  For a pipe, they are filled while its records are read. */
struct event_list *reader_events(struct reader *reader);
struct formats *reader_formats(struct reader *reader);

/*
 * Read and keep the data of a pipe until @ready is readable or the pipe has ended.  So the writer
 * need not wait while nobody takes records yet.
 */
struct error *reader_read_ahead(struct reader *reader, int ready);

/*
 * Read a pipe ahead up to the first sample or the end of the first round.  Then the parts of the
 * header, the events and the formats that precede it are known.  No record is lost: all of them are
 * given later, from the first one on.
 *
 * An error found on the way is given at its place in that order.  A caller that does not read the
 * records takes it with reader_take_failure().  The only error that this function itself returns is
 * lack of memory.  Call it before the first record is read.
 */
struct error *reader_read_header(struct reader *reader);
struct error *reader_take_failure(struct reader *reader);

/* The records, in file order. */
struct record_source *reader_source(struct reader *reader);

/*
 * Also give the records that take the place of a header or hold other records.  Call it before the
 * first record is read.
 */
void reader_give_all(struct reader *reader);

/*
 * Give the next records in file order, at least one and at most @max.  Unlike with reader_source(),
 * their events and times are not looked up.  Pointers are valid until the next call.  After
 * reader_narrow(), extents come in the order of the index, and the samples of each in file order.
 * A pass over the records uses either this function or reader_source().
 */
enum record_status reader_next_records(struct reader *reader,
				       const struct perf_event_header **headers, size_t max,
				       size_t *ret_nr, struct error **err);

/*
 * Give only the records in @scope (NULL: all; borrowed for the call), nearly in time order.  This
 * needs an index, in the recording or beside it.  Records outside @scope may be given, too, but no
 * record in it is missing.  Call it before the first record is read.  With an index it may be
 * called again; then the records of the new scope follow.
 */
struct error *reader_narrow(struct reader *reader, const struct record_scope *scope);

/*
 * The times of the first and the last sample by the index.  Returns false if there is no index, or
 * if the recording has to be read as a whole in spite of it.
 */
bool reader_index_span(struct reader *reader, uint64_t *ret_first, uint64_t *ret_last);

/*
 * Have @turn called repeatedly while the reader reads on without giving records, because it builds
 * an index.  When it returns false, the reader goes on without one.
 */
void reader_watch(struct reader *reader, bool (*turn)(void *data), void *data);

/* The number of bytes left to read; 0 if it is not known, as for a pipe. */
uint64_t reader_bytes_left(const struct reader *reader);

/* The name of an index beside @path; free() it.  NULL: no memory. */
char *reader_index_path(const char *path);

/* The header.  For a pipe, it is filled while its records are read. */
const struct header *reader_header(const struct reader *reader);

/* The ledger that ktrace stored; NULL: the recording has none. */
const struct ledger *reader_ledger(const struct reader *reader);
/*
 * As reader_ledger(), but without rows if there is none.  For a pipe, it is filled while its
 * records are read.
 */
const struct ledger *reader_ledger_read(const struct reader *reader);

#endif
