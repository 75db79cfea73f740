/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Opens and reads the recording of a command.
 */
#ifndef KTRACE_CMD_RECORDING_H
#define KTRACE_CMD_RECORDING_H

#include "lib/error.h"
#include "output/rendering.h"
#include "perfdata/reader.h"
#include "session/machine.h"
#include "session/selection.h"
#include "session/session.h"

/* The file that is read unless -i names another. */
#define RECORDING_DEFAULT	"perf.data"

/* Open @path ("-": standard input); NULL: perf.data in the current folder. */
struct error *recording_open(const char *path, struct reader **ret);

/*
 * Create the machine of a recording, which also resolves the kernel addresses in the text of
 * its events.  It must be destroyed before @reader is closed.
 */
struct error *recording_machine(struct reader *reader, const struct symbol_options *options,
				struct machine **ret);

/* Print the recording's header on stdout.  For a pipe it is what reader_read_header() finds. */
struct error *recording_print_header(struct reader *reader);

/*
 * Pass the samples that @selection accepts from @reader to @consumer.  Parts that are not
 * wanted according to the index are not read.  Then stdout is flushed, and losses, damage and
 * missing symbols are reported on stderr.  It is no error here if stdout cannot be written,
 * because main() reports that.  Progress is shown, except if @prints says that @consumer
 * prints to a terminal.  A nonzero @stop (may be NULL) ends it.
 */
struct error *recording_run(struct reader *reader, struct machine *machine,
			    const struct selection *selection,
			    struct session_consumer *consumer, bool prints,
			    volatile int *stop);

/*
 * Give @rendering what it takes of the recording, as recording_run() does, and finish it.
 * A format that takes RECORDS gets all of them.
 */
struct error *recording_render(struct reader *reader, struct machine *machine,
			       const struct selection *selection,
			       const struct output_format *format, struct rendering *rendering);

/* Rows of an option table, for @symbols, a struct symbol_options. */
#define RECORDING_SYMBOL_OPTIONS(symbols) \
	{ OPTION_STRING, 'k', "vmlinux", "FILE", \
	  "the symbols of the kernel are in this vmlinux", &(symbols).vmlinux, NULL }, \
	{ OPTION_STRING, 0, "kallsyms", "FILE", \
	  "the symbols of the kernel are in this copy of /proc/kallsyms", \
	  &(symbols).kallsyms, NULL }, \
	{ OPTION_STRING, 0, "symfs", "DIR", "look for binaries and their symbols below DIR", \
	  &(symbols).symfs, NULL }

#endif
