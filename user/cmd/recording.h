/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Opens and reads the recording of a command.
 */
#ifndef KTRACE_CMD_RECORDING_H
#define KTRACE_CMD_RECORDING_H

#include "cmd/selection_words.h"
#include "lib/cpumap.h"
#include "lib/error.h"
#include "output/outputs.h"
#include "perfdata/join/traffic_rules.h"
#include "perfdata/listener.h"
#include "perfdata/reader.h"
#include "session/machine.h"
#include "session/selection.h"
#include "session/session.h"
#include "table/print/table_print.h"

/* The file to read unless -i names another one. */
#define RECORDING_DEFAULT	"perf.data"

/* Open @path ("-": standard input); NULL: perf.data in the current folder. */
struct error *recording_open(const char *path, struct reader **ret);

/* The recordings of -i and of arguments, each once or more often; nr 0: perf.data. */
struct recording_inputs {
	const char **items;	/* borrowed strings */
	size_t nr, alloc;
	struct traffic_rules traffic;	/* of --match */
};

/* For an option table: add a file; @data is a struct recording_inputs. */
struct error *recording_add_input(void *data, const char *path);
/* The same for --match: @rule defines which events are messages between hosts. */
struct error *recording_add_match(void *data, const char *rule);

/* The rules of --match; NULL: it was not given. */
static inline const struct traffic_rules *recording_traffic(const struct recording_inputs *inputs)
{
	return inputs->traffic.own ? &inputs->traffic : NULL;
}

void recording_inputs_deinit(struct recording_inputs *inputs);

/* The name of the first recording, for messages; NULL: none was given. */
static inline const char *recording_given(const struct recording_inputs *inputs)
{
	return inputs->nr ? inputs->items[0] : NULL;
}

/* The same, with the default if none was given. */
static inline const char *recording_first(const struct recording_inputs *inputs)
{
	return inputs->nr ? inputs->items[0] : RECORDING_DEFAULT;
}

/*
 * Take the arguments at the front of @argv that are files beginning as perf.data does.  *ret_nr is
 * their number.
 */
struct error *recording_take_words(struct recording_inputs *inputs, int argc, char **argv,
				   int *ret_nr);

/* EINVAL: --match is given, but not several recordings. */
struct error *recording_check_match(const struct recording_inputs *inputs);

/* Open all of them as one. */
struct error *recording_open_all(const struct recording_inputs *inputs, struct reader **ret);

/* An error if several recordings are given to a command that reads one; @what names it. */
struct error *recording_check_single(const struct reader *reader, const char *what);

/*
 * Create the machine of a recording, which also resolves the kernel addresses in the text of
 * its events.  It must be destroyed before @reader is closed.
 */
struct error *recording_machine(struct reader *reader, const struct symbol_options *options,
				struct machine **ret);

/*
 * Print the recording's header on stdout; with @full also the topology of CPUs, caches and memory.
 * For a pipe it is the header of reader_read_header().
 */
struct error *recording_print_header(struct reader *reader, bool full);

/*
 * Pass the samples that @selection accepts from @reader to @consumer.  @machine may be NULL if the
 * consumer needs no addresses.  The index is used to skip unwanted parts of the file.  Then stdout
 * is flushed, and losses, damage and missing symbols are reported on stderr.  A failed write to
 * stdout is no error here, because main() reports it.  Progress is shown unless @prints says that
 * @consumer prints to a terminal.  A nonzero @stop (may be NULL) ends the run.
 */
struct error *recording_run(struct reader *reader, struct machine *machine,
			    const struct selection *selection,
			    struct session_consumer *consumer, bool prints,
			    volatile int *stop);

/*
 * The open objects of a command that reads a part of one recording.  Begin with zeroes and check().
 */
struct recording {
	struct error *(*check)(void *data);	/* fails if events are missing; NULL: no check */
	void *data;				/* of check() */
	struct reader *reader;
	struct machine *machine;		/* NULL: none was asked for */
	struct selection selection;
	struct cpumap cpus;			/* of the selection */
};

/*
 * Open @input, see recording_open(), and parse the selection.  @symbols NULL: no machine. check()
 * is called unless it is a pipe, whose events can come later.
 */
struct error *recording_begin(struct recording *recording, const char *input,
			      const struct selection_words *words,
			      const struct symbol_options *symbols);

/*
 * As recording_run(), for a table that is printed afterwards.  Sets the fields of @ret that
 * describe lost and damaged records.  The recording is checked again.
 */
struct error *recording_sum_up(struct recording *recording, struct session_consumer *consumer,
			       struct table_output *ret);

void recording_end(struct recording *recording);

/*
 * Pass the samples or records that @format takes to @rendering, as recording_run() does, and finish
 * it.  A format that takes RECORDS gets all of them. rendering->samples is the number of samples in
 * the recording, for a format that takes samples.
 */
struct error *recording_render(struct reader *reader, struct machine *machine,
			       const struct selection *selection,
			       const struct output_format *format, struct rendering *rendering);

/*
 * For --listen: the recording is received from a recorder at @address.  @data is the const char *
 * or the struct recording_inputs that names it.
 */
struct error *recording_listen(void *data, const char *address);
struct error *recording_listen_too(void *data, const char *address);

/* EINVAL: the command line has --token without --listen, or --listen and another recording. */
struct error *recording_check_listening(void);

#define RECORDING_LISTEN_OPTIONS(data, listen) \
	OPT_CALL("listen", data, listen), \
	OPT_STRING("token", &listener_token_file)

/* Rows of an option table, shared by all commands that read a recording. */
#define RECORDING_INPUT_OPTION(input) \
	OPT_STRING("input", &(input)), \
	RECORDING_LISTEN_OPTIONS(&(input), recording_listen)
#define RECORDING_INPUTS_OPTION(inputs) \
	OPT_CALL("input", &(inputs), recording_add_input), \
	RECORDING_MATCH_OPTION(inputs), \
	RECORDING_LISTEN_OPTIONS(&(inputs), recording_listen_too)
#define RECORDING_MATCH_OPTION(inputs) \
	OPT_CALL("match", &(inputs), recording_add_match)
#define RECORDING_QUIET_OPTION \
	OPT_FLAG("quiet", &log_quiet)
/* @force is a bool without effect. */
#define RECORDING_FORCE_OPTION(force) \
	OPT_FLAG("force", &(force))

/* Rows of an option table, for @symbols, a struct symbol_options. */
#define RECORDING_SYMBOL_OPTIONS(symbols) \
	OPT_STRING("vmlinux", &(symbols).vmlinux), \
	OPT_STRING("kallsyms", &(symbols).kallsyms), \
	OPT_STRING("symfs", &(symbols).symfs)

/* The same, for commands that download missing binaries: @client is a struct debuginfod *. */
#define RECORDING_DEBUGINFOD_OPTION(client) \
	OPT_CALL("debuginfod", &(client), recording_ask_debuginfod)

/* @data is the struct debuginfod ** that the client is stored in. */
struct error *recording_ask_debuginfod(void *data, const char *urls);

#endif
