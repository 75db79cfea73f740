/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The recording a command reads.
 */
#ifndef KTRACE_CMD_RECORDING_H
#define KTRACE_CMD_RECORDING_H

#include "lib/error.h"
#include "perfdata/reader.h"

/* Open @path ("-": standard input); NULL: perf.data here. */
struct error *recording_open(const char *path, struct reader **ret);

/*
 * In a pipe, read on until the first sample or the end, so that events and
 * formats are known.  What was read cannot be read again.
 */
struct error *recording_read_header(struct reader *reader);

#endif
