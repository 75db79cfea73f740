/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The recording a command reads.
 */
#ifndef KTRACE_CMD_RECORDING_H
#define KTRACE_CMD_RECORDING_H

#include "lib/error.h"
#include "perfdata/reader.h"
#include "session/machine.h"

/* Open @path ("-": standard input); NULL: perf.data here. */
struct error *recording_open(const char *path, struct reader **ret);

/*
 * In a pipe, read on until the first sample or the end, so that events and
 * formats are known.  What was read cannot be read again.
 */
struct error *recording_read_header(struct reader *reader);

/*
 * The machine of a recording, which also names the kernel addresses in the
 * text of its events; it must be destroyed before @reader is closed.
 */
struct error *recording_machine(struct reader *reader, const struct symbol_options *options,
				struct machine **ret);

#endif
