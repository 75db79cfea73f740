/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The recording a command reads.
 */
#ifndef KTRACE_CMD_RECORDING_H
#define KTRACE_CMD_RECORDING_H

#include "lib/error.h"
#include "perfdata/reader.h"
#include "session/machine.h"
#include "session/selection.h"
#include "session/session.h"

/* What is read unless -i says otherwise. */
#define RECORDING_DEFAULT	"perf.data"

/* Open @path ("-": standard input); NULL: perf.data here. */
struct error *recording_open(const char *path, struct reader **ret);

/*
 * The machine of a recording, which also names the kernel addresses in the
 * text of its events; it must be destroyed before @reader is closed.
 */
struct error *recording_machine(struct reader *reader, const struct symbol_options *options,
				struct machine **ret);

/* What a recording says of itself, on stdout; of a pipe, as reader_read_header() finds it. */
struct error *recording_print_header(struct reader *reader);

/*
 * The samples that @selection lets through, from @reader to @consumer; what else
 * the index says is not wanted is not read.  Then everything on stdout is
 * flushed, and losses, damage and missing symbols are told on stderr.  That
 * stdout cannot be written is no error: main() tells it.  How far it is, is told
 * while it goes on, but not where @consumer @prints to a terminal meanwhile.  A
 * nonzero @stop (may be NULL) ends it.
 */
struct error *recording_run(struct reader *reader, struct machine *machine,
			    const struct selection *selection,
			    struct session_consumer *consumer, bool prints,
			    volatile int *stop);

/* Rows of an option table, for @symbols, a struct symbol_options. */
#define RECORDING_SYMBOL_OPTIONS(symbols) \
	{ OPTION_STRING, 'k', "vmlinux", "FILE", \
	  "the symbols of the kernel are in this vmlinux", &(symbols).vmlinux, NULL }, \
	{ OPTION_STRING, 0, "kallsyms", "FILE", "they are in this copy of /proc/kallsyms", \
	  &(symbols).kallsyms, NULL }, \
	{ OPTION_STRING, 0, "symfs", "DIR", "look for binaries and their symbols below DIR", \
	  &(symbols).symfs, NULL }

#endif
