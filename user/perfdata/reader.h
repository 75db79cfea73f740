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

/* Records in file order. */
struct record_source *reader_source(struct reader *reader);

/* In a pipe it fills while records are read. */
const struct header *reader_header(const struct reader *reader);

/* The ledger ktrace stored; NULL: the file has none. */
const struct ledger *reader_ledger(const struct reader *reader);

#endif
