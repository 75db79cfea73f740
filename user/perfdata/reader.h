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
#include "record/ledger.h"
#include "record/record.h"
#include "symbol/build_id.h"

struct reader;

/*
 * Open @path ("-": standard input).  Errors name the file and say what is
 * wrong with it: empty, no perf.data, cut, foreign byte order ...
 */
struct error *reader_open(const char *path, struct reader **ret);
void reader_close(struct reader *reader);
DEFINE_CLEANUP_PTR(reader, struct reader, reader_close)

/* In a pipe these fill while records are read. */
struct event_list *reader_events(struct reader *reader);
struct formats *reader_formats(struct reader *reader);

/* Records in file order. */
struct record_source *reader_source(struct reader *reader);

/* Of the features; NULL or 0: the file does not say.  Owned by the reader. */
struct reader_info {
	char *hostname, *os_release, *version, *arch, *cpu_desc, *cpu_id;
	uint32_t nr_cpus_online, nr_cpus_available;
	uint64_t total_memory_kb;
	char **cmdline;			/* NULL-terminated */
	uint64_t first_sample_time, last_sample_time;
	struct build_id kernel;		/* the image that ran; size 0 */
	int32_t clockid;		/* -1: perf's clock */
	bool is_pipe, is_truncated;
	uint64_t data_size;
};

const struct reader_info *reader_info(const struct reader *reader);

/* The ledger ktrace stored; NULL: the file has none. */
const struct ledger *reader_ledger(const struct reader *reader);

#endif
