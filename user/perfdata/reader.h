/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Reading perf.data, as files and as pipes.  Files are read with pread()
 * through bounded windows: a file cut or changed while it is read is an error,
 * never a signal.
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
 * Open @path ("-": standard input).  Errors name the file and say what is
 * wrong with it: empty, no perf.data, damaged ...  Both byte orders, and the
 * format of before Linux 3.2, are read; records are given in this machine's.
 */
struct error *reader_open(const char *path, struct reader **ret);
void reader_close(struct reader *reader);
DEFINE_CLEANUP_PTR(reader, struct reader, reader_close)

/* In a pipe these fill while records are read. */
struct event_list *reader_events(struct reader *reader);
struct formats *reader_formats(struct reader *reader);

/*
 * Take in what comes through a pipe, until @ready is readable or the pipe has
 * ended: so that the writer can get as far without anybody reading.
 */
struct error *reader_read_ahead(struct reader *reader, int ready);

/*
 * In a pipe, read ahead up to the first sample or the end of the first round, so that
 * the header, the events and their formats are known as far as they stand before it.
 * No record is lost: all are given from the first one on.  An error met on the way is
 * given where it stands in that order; who does not read the records takes it with
 * reader_take_failure().
 * Before the first record; the only error of its own is that memory is out.
 */
struct error *reader_read_header(struct reader *reader);
struct error *reader_take_failure(struct reader *reader);

/* Records in file order. */
struct record_source *reader_source(struct reader *reader);

/* Before the first record: also give those that stand for a header or hold others. */
void reader_give_all(struct reader *reader);

/*
 * The next records in file order, at least one and at most @max, without what
 * reader_source() finds out of each: their event and time.  Pointers are valid
 * until the next call.  Do not mix with reader_source() in one pass.
 */
enum record_status reader_next_records(struct reader *reader,
				       const struct perf_event_header **headers, size_t max,
				       size_t *ret_nr, struct error **err);

/*
 * Before the first record: give only what belongs to @scope (NULL: everything;
 * borrowed for the call), nearly in time order, as far as the recording has an
 * index, in it or beside it.  More may be given than is asked for, never less.
 */
struct error *reader_narrow(struct reader *reader, const struct record_scope *scope);

/* Bytes to be read from here to the end; 0: nobody knows, a pipe. */
uint64_t reader_bytes_left(const struct reader *reader);

/* The name of an index beside @path; free() it, NULL: no memory. */
char *reader_index_path(const char *path);

/* In a pipe it fills while records are read. */
const struct header *reader_header(const struct reader *reader);

/* The ledger ktrace stored; NULL: the file has none. */
const struct ledger *reader_ledger(const struct reader *reader);

#endif
