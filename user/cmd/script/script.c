// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd/command.h"
#include "cmd/recording.h"
#include "cmd/script/python.h"
#include "cmd/script/script_lint.h"
#include "cmd/selection_words.h"
#include "lib/cleanup.h"
#include "lib/cpumap.h"
#include "lib/log.h"
#include "lib/number.h"
#include "output/outputs.h"
#include "output/text/text.h"
#include "output/text/text_files.h"
#include "perfdata/reader.h"
#include "script/script.h"
#include "script/script_list.h"
#include "session/callchain.h"
#include "session/selection.h"
#include "session/session.h"
#include "symbol/demangle.h"
#include "terminal/options.h"

/* The number of threads that make text.  One thread reads for all of them, so more gain little. */
#define TEXT_THREADS		2

struct script_command {
	struct recording_inputs inputs;
	struct selection_words words;
	struct prof_specs specs;	/* -e: a live run */
	const char *script, *generate, *lint;
	bool keep_going;
	bool per_event_dump;
	bool header, header_only, full_header, dump, summary, force, list;
	struct selection selection;
	struct text_options text;
	struct cpumap cpus;
	struct reader *reader;
	struct symbol_options symbols;
	struct machine *machine;
};

static struct error *add_fields(void *data, const char *argument)
{
	return text_fields_parse(data, argument);
}

static struct error *script_add_events(void *data, const char *argument)
{
	return prof_specs_add(data, argument);
}

/*
 * Older perfs took the fields with -f, which now means --force.  Somebody who still writes
 * "-f comm,cpu" means fields.
 */
static void translate_old_fields(int argc, char **argv)
{
	for (int i = 1; i + 1 < argc; i++) {
		struct text_fields scratch;
		struct error *err;
		bool quiet = log_quiet;

		if (strcmp(argv[i], "-f") || argv[i + 1][0] == '-')
			continue;
		log_quiet = true;
		text_fields_init(&scratch);
		err = text_fields_parse(&scratch, argv[i + 1]);
		log_quiet = quiet;
		if (!err) {
			static char fields[] = "-F";

			argv[i] = fields;
		}
		error_free(err);
	}
}

/* The events in a pipe are known only when they come. */
static struct error *check_switch(const struct script_command *c, const char *option,
				  const char *name)
{
	const struct event_list *events = reader_events(c->reader);

	for (size_t i = 0; name && i < events->nr; i++)
		if (!strcmp(events->items[i]->name, name))
			return NULL;
	if (!name || reader_header(c->reader)->is_pipe)
		return NULL;
	return error_hint(error_new(EINVAL, "The recording has no event '%s' (%s)", name, option),
			  "'ktrace evlist' lists its events");
}

static struct error *parse_selection(struct script_command *c)
{
	struct error *err = selection_words_parse(&c->words, reader_header(c->reader), &c->cpus,
						  &c->selection);

	c->text.cpus = c->selection.cpus;
	if (!err)
		err = check_switch(c, "--switch-on", c->selection.switch_on);
	return err ? err : check_switch(c, "--switch-off", c->selection.switch_off);
}

static struct error *run_session(struct script_command *c, struct session_consumer *consumer,
				 volatile int *stop)
{
	return recording_run(c->reader, c->machine, &c->selection, consumer, true, stop);
}

/*
 * A pipe is handled by one thread, as events and formats arrive while records are printed; so are
 * several recordings, whose records share one buffer.
 */
static unsigned int count_threads(const struct script_command *c)
{
	unsigned int nr = cpumap_usable();

	if (reader_header(c->reader)->is_pipe || reader_joined(c->reader))
		return 1;
	if (c->text.threads)
		return c->text.threads;
	return nr < TEXT_THREADS ? nr : TEXT_THREADS;
}

/* Print the recording as the output of this name does. */
static struct error *print_as(struct script_command *c, const char *name)
{
	const struct rendering_request request = {
		.out = stdout, .recording = recording_first(&c->inputs),
		.events = reader_events(c->reader), .header = reader_header(c->reader),
		.text = &c->text,
	};
	_cleanup_(rendering) struct rendering *rendering = NULL;
	const struct output_format *format;
	struct error *err = output_format_find(name, &format);

	if (!err)
		err = output_format_open(format, &request, &rendering);
	return err ? err : recording_render(c->reader, c->machine, &c->selection, format,
					    rendering);
}

/* What knows several recordings, or only what has come through a pipe, cannot do these. */
static struct error *check_lines(const struct script_command *c)
{
	struct error *err = NULL;

	if (c->per_event_dump)
		err = recording_check_single(c->reader, "script --per-event-dump");
	if (!err && c->text.show_round_events)
		err = recording_check_single(c->reader, "script --show-round-events");
	if (!err && c->per_event_dump && reader_header(c->reader)->is_pipe)
		err = error_hint(error_new(EINVAL, "--per-event-dump makes a file for each event, and "
					   "those of a pipe are not known before its end"),
				 "--events selects the lines of some events");
	return err;
}

static struct error *print_lines(struct script_command *c)
{
	_cleanup_(text_files) struct text_files *files = NULL;
	/* Columns depend on events that have names, whichever record is printed first. */
	struct error *err = reader_read_header(c->reader);

	if (!err)
		err = check_lines(c);
	c->text.header = reader_header(c->reader);
	c->text.threads = count_threads(c);
	if (!err && c->per_event_dump)
		err = text_files_create(recording_first(&c->inputs), reader_events(c->reader),
					&files);
	c->text.files = files;
	if (!err)
		err = print_as(c, "text");
	return err || !files ? err : text_files_finish(files);
}

static struct error *run_script(struct script_command *c, int argc, char **argv,
				int *ret_status)
{
	_cleanup_free_ char **words = calloc(argc + 2, sizeof(*words));
	struct script *script = NULL;
	struct error *err = reader_read_header(c->reader);

	if (err)
		return err;
	if (!words)
		return &error_no_memory;
	words[0] = (char *)c->script;
	for (int i = 0; i < argc; i++)
		words[i + 1] = argv[i];
	script_full_source_path = c->text.full_source_path;
	script_arch = &reader_header(c->reader)->arch;
	err = script_open(c->script, argc + 1, words, &script);
	if (!err && c->keep_going)
		script_keep_going(script);
	if (!err)
		err = script_begin(script);
	if (!err)
		err = run_session(c, script_consumer(script), script_stop(script));
	return script_close(script, err, ret_status);
}

/* The formats in a pipe are known only after all of it was read. */
static struct error *generate(struct script_command *c)
{
	struct session_consumer nobody = { 0 };
	struct error *err = NULL;

	if (reader_header(c->reader)->is_pipe)
		err = run_session(c, &nobody, NULL);
	if (err)
		return err;
	return script_generate(c->generate, reader_formats(c->reader), reader_events(c->reader));
}

/* Report an argument where no script is named; "script report NAME" with -s FILE ends here, too. */
static struct error *unknown_word(int argc, char **argv)
{
	struct error *err = error_new(EINVAL, "script does not know what to do with '%s'", argv[0]);

	for (int i = 1; i < argc; i++)
		if (!strcmp(argv[i], "-s") || !strcmp(argv[i], "--script"))
			return error_hint(err, "Arguments of a script stand behind -s FILE, or "
					  "directly behind NAME in 'ktrace script report NAME'");
	return error_hint(err, "A script is given with -s FILE, 'ktrace script -l' lists those that "
			  "come with ktrace; -i FILE names the recording");
}

/*
 * Run `script record NAME`, `script report NAME` and `script NAME`.  @nr_options arguments
 * before argv[0] are options.
 */
static struct error *run_listed(struct script_command *c, int nr_options, int argc, char **argv,
				int *ret_status)
{
	struct script_list_options options = { argv - nr_options, nr_options };

	if (options.nr && !strcmp(argv[-1], "--"))
		options.nr--;
	if (!strcmp(argv[0], "record") || !strcmp(argv[0], "report")) {
		if (argc < 2)
			return error_hint(error_new(EINVAL, "script %s needs the name of a script",
						    argv[0]), "'ktrace script -l' lists them");
		if (options.nr && !strcmp(argv[0], "record"))
			return error_hint(error_new(EINVAL, "script record takes its options "
						    "behind the name of the script"),
					  "As in 'ktrace script record %s OPTIONS'", argv[1]);
		return script_list_exec(argv[1], argv[0], &options, argc - 2, argv + 2);
	}
	if (!script_list_has(argv[0]))
		return unknown_word(argc, argv);
	if (c->inputs.nr)
		return error_hint(error_new(EINVAL, "script %s makes a new recording, so that -i "
					    "has no meaning", argv[0]),
				  "'ktrace script report %s -i FILE' reads a recording", argv[0]);
	return script_list_live(argv[0], &options, argc - 1, argv + 1, ret_status);
}

/*
 * Run `script -e EVENTS -s x.py [ARGS] -- COMMAND`.  The arguments up to "--" belong to the
 * script; getopt has removed the "--" if it came first.
 */
static struct error *run_live(struct script_command *c, int argc, char **argv, int *ret_status)
{
	_cleanup_free_ char **words = calloc(argc + 2, sizeof(*words));
	struct python_options options = { .specs = c->specs, .input = recording_given(&c->inputs) };
	int nr = 1, i = 0;

	if (!words)
		return &error_no_memory;
	if (!c->script)
		return error_hint(error_new(EINVAL, "script -e records events for a script, but "
					    "none is named"),
				  "Name the script with -s FILE");
	words[0] = (char *)c->script;
	if (strcmp(argv[-1], "--"))
		for (; i < argc && strcmp(argv[i], "--"); i++)
			words[nr++] = argv[i];
	if (i < argc && !strcmp(argv[i], "--"))
		i++;
	if (i < argc)
		options.command = argv + i;
	return python_run(&options, nr, words, ret_status);
}

/* @nr_options arguments before argv[0] are options. */
static struct error *script_run(struct script_command *c, int nr_options, int argc, char **argv,
				int *ret_status)
{
	_cleanup_free_ char *path = NULL;
	struct error *err = NULL;
	int nr = 0;

	if (c->script && !strcmp(c->script, "lang")) {
		script_languages_print();
		return NULL;
	}
	if (c->list)
		return script_list_print();
	if (c->text.since_first && c->text.since_last)
		return error_hint(error_new(EINVAL, "--reltime and --deltatime exclude each other"),
				  "Give one of them");
	if (c->per_event_dump && (c->script || c->dump || c->summary || c->generate))
		return error_hint(error_new(EINVAL, "--per-event-dump writes lines, and does not go "
					    "with -s, -g, -D and --summary"),
				  "Leave out --per-event-dump, or the other option");
	if (c->lint)
		return script_lint_run(c->lint, recording_given(&c->inputs), ret_status);
	if (c->specs.nr)
		return run_live(c, argc, argv, ret_status);
	if (argc && !c->script) {
		err = recording_take_words(&c->inputs, argc, argv, &nr);
		argc -= nr;
		argv += nr;
	}
	if (err)
		return err;
	if (argc && nr)
		return error_hint(error_new(EINVAL, "'%s' is no recording, as the words before it are",
					    argv[0]),
				  "Scripts and options stand before the recordings, or use -i FILE");
	if (argc && !c->script)
		return run_listed(c, nr_options, argc, argv, ret_status);
	if (c->script)		/* report a wrong name before a missing recording */
		err = script_find(c->script, &path);
	if (!err)
		err = recording_open_all(&c->inputs, &c->reader);
	if (!err)
		err = parse_selection(c);
	if (err)
		return err;
	if (c->header || c->header_only)
		err = recording_print_header(c->reader, c->full_header);
	if (err || c->header_only)
		return err ? err : reader_take_failure(c->reader);
	if (c->dump && !selection_is_everything(&c->selection))
		return error_hint(error_new(EINVAL, "-D prints all records, in the order of the file, "
					    "so that none can be selected"),
				  "Leave out -D, or the options that select samples");
	if (c->generate)
		err = recording_check_single(c->reader, "script -g");
	if (err)
		return err;
	if (c->dump)
		return print_as(c, "dump");
	err = recording_machine(c->reader, &c->symbols, &c->machine);
	if (err)
		return err;
	if (c->generate)
		return generate(c);
	if (c->script)
		return run_script(c, argc, argv, ret_status);
	return c->summary ? print_as(c, "summary") : print_lines(c);
}

static struct error *script_parse_range(void *data, const char *text)
{
	unsigned long long number;

	if (!parse_u64(text, &number))
		return error_new(EINVAL, "--addr-range takes a number of bytes, not '%s'", text);
	*(uint64_t *)data = number;
	return NULL;
}

static const char *make_fields_help(struct strbuf *out)
{
	strbuf_addstr(out, "columns: [hw:|sw:|trace:|raw:|break:]FIELD,... or +FIELD,-FIELD, of ");
	text_fields_add_names(out);
	return strbuf_str(out);
}

struct error *cmd_script(int argc, char **argv, int *ret_status)
{
	_cleanup_(strbuf) struct strbuf fields = STRBUF_INIT;
	static const struct option_values values[] = {
		{ .option = "fields", .add = text_fields_add_names },
		{ .option = "gen-script", .words = "python" },
		{ 0 },
	};
	struct script_command c = { .text.max_stack = CALLCHAIN_DEPTH };
	const char *fields_help = make_fields_help(&fields);
	const struct option_spec options[] = {
		RECORDING_INPUTS_OPTION(c.inputs),
		{ OPTION_CALLBACK, 'F', "fields", "LIST",
		  fields_help,
		  &c.text.fields, add_fields },
		{ OPTION_FLAG, 0, "ns", NULL, "print times to the nanosecond",
		  &c.text.nanoseconds, NULL },
		{ OPTION_FLAG, 0, "reltime", NULL, "print times since the first line",
		  &c.text.since_first, NULL },
		{ OPTION_FLAG, 0, "deltatime", NULL, "print times since the line before",
		  &c.text.since_last, NULL },
		{ OPTION_FLAG, 'G', "hide-call-graph", NULL, "do not print call chains",
		  &c.text.hide_callchains, NULL },
		{ OPTION_UINT, 0, "max-stack", "N", "print at most N frames of a call chain (127)",
		  &c.text.max_stack, NULL },
		{ OPTION_STRING, 0, "stop-bt", "LIST", "end call chains with these functions",
		  &c.text.stop_at, NULL },
		{ OPTION_FLAG, 'L', "Latency", NULL, "print short names of tasks, and CPUs as numbers",
		  &c.text.latency, NULL },
		{ OPTION_FLAG, 0, "full-source-path", NULL,
		  "print source files of -F srcline with their folders", &c.text.full_source_path,
		  NULL },
		{ OPTION_FLAG, 0, "show-kernel-path", NULL,
		  "print the files of the kernel and its modules, not their names",
		  &c.text.kernel_path, NULL },
		{ OPTION_FLAG, 0, "no-inline", NULL,
		  "do not print functions that were inlined at unwound addresses",
		  &c.text.no_inlines, NULL },
		{ OPTION_UINT, 0, "threads", "N",
		  "format lines in N threads (2 if there are two CPUs)", &c.text.threads, NULL },
		RECORDING_SYMBOL_OPTIONS(c.symbols),
		RECORDING_DEBUGINFOD_OPTION(c.symbols.debuginfod),
		{ OPTION_FLAG, 0, "no-demangle", NULL, "print names as compilers write them",
		  &demangle_nothing, NULL },
		{ OPTION_STRING, 0, "events", "LIST", "only samples of these events; globs: sched:*",
		  &c.selection.events, NULL },
		{ OPTION_STRING, 'c', "comms", "LIST", "only samples of threads with these names",
		  &c.selection.comms, NULL },
		{ OPTION_STRING, 'S', "symbols", "LIST", "only samples in these functions",
		  &c.selection.symbols, NULL },
		{ OPTION_CALLBACK, 0, "addr-range", "BYTES",
		  "with -S ADDRESS, also samples so many bytes behind it", &c.selection.addr_range,
		  script_parse_range },
		{ OPTION_STRING, 0, "dsos", "LIST", "only samples in these binaries",
		  &c.selection.dsos, NULL },
		SELECTION_WORDS_OPTIONS(c.words),
		{ OPTION_STRING, 0, "switch-on", "EVENT", "only samples after one of this event",
		  &c.selection.switch_on, NULL },
		{ OPTION_STRING, 0, "switch-off", "EVENT",
		  "no samples after one of this event, until that of --switch-on",
		  &c.selection.switch_off, NULL },
		{ OPTION_FLAG, 0, "show-on-off-events", NULL,
		  "also samples of the events of --switch-on and --switch-off",
		  &c.selection.show_switches, NULL },
		{ OPTION_STRING, 's', "script", "[LANG:]FILE",
		  "run a script over the samples; what follows are its arguments",
		  &c.script, NULL },
		{ OPTION_CALLBACK, 'e', "event", "EVENT",
		  "record these events for a script that takes event objects; of all tasks, or "
		  "of -- COMMAND",
		  &c.specs, script_add_events },
		{ OPTION_FLAG, 0, "keep-going", NULL,
		  "go on with the next event when a handler has failed", &c.keep_going, NULL },
		{ OPTION_FLAG, 'l', "list", NULL,
		  "list the scripts that 'script [record|report] NAME' runs", &c.list, NULL },
		{ OPTION_STRING, 'g', "gen-script", "LANG",
		  "write a script for the events of the recording: perf-script.py",
		  &c.generate, NULL },
		{ OPTION_STRING, 0, "lint", "[LANG:]FILE",
		  "print which handlers of a script do not fit the events of this kernel, or of "
		  "the recording (-i)",
		  &c.lint, NULL },
		{ OPTION_FLAG, 0, "summary", NULL,
		  "print the number of samples of each event and thread, not the samples",
		  &c.summary, NULL },
		{ OPTION_FLAG, 0, "header", NULL,
		  "first print the header of the recording: when, where and how it was made",
		  &c.header, NULL },
		{ OPTION_FLAG, 0, "header-only", NULL, "print the header of the recording alone",
		  &c.header_only, NULL },
		{ OPTION_FLAG, 'I', "show-info", NULL,
		  "with --header: also print how CPUs, caches and memory belong together", &c.full_header, NULL },
		{ OPTION_FLAG, 'D', "dump-raw-trace", NULL,
		  "print the bytes of every record, in the order of the file", &c.dump, NULL },
		{ OPTION_FLAG, 0, "per-event-dump", NULL,
		  "write the lines of each event into a file of its own, RECORDING.EVENT.dump",
		  &c.per_event_dump, NULL },
		{ OPTION_FLAG, 0, "show-task-events", NULL, "also print COMM, FORK and EXIT",
		  &c.text.show_task_events, NULL },
		{ OPTION_FLAG, 0, "show-mmap-events", NULL, "also print MMAP and MMAP2",
		  &c.text.show_mmap_events, NULL },
		{ OPTION_FLAG, 0, "show-switch-events", NULL, "also print SWITCH",
		  &c.text.show_switch_events, NULL },
		{ OPTION_FLAG, 0, "show-lost-events", NULL, "also print LOST",
		  &c.text.show_lost_events, NULL },
		{ OPTION_FLAG, 0, "show-namespace-events", NULL, "also print NAMESPACES",
		  &c.text.show_namespace_events, NULL },
		{ OPTION_FLAG, 0, "show-cgroup-events", NULL, "also print CGROUP",
		  &c.text.show_cgroup_events, NULL },
		{ OPTION_FLAG, 0, "show-bpf-events", NULL, "also print KSYMBOL and BPF_EVENT",
		  &c.text.show_bpf_events, NULL },
		{ OPTION_FLAG, 0, "show-text-poke-events", NULL, "also print TEXT_POKE",
		  &c.text.show_text_poke_events, NULL },
		{ OPTION_FLAG, 0, "show-round-events", NULL,
		  "also print FINISHED_ROUND; all records in the order of the file",
		  &c.text.show_round_events, NULL },
		RECORDING_QUIET_OPTION,
		RECORDING_FORCE_OPTION(c.force),
		{ 0 },
	};
	const struct command_usage usage = {
		.name = "script",
		.synopsis = "[OPTIONS] [-s SCRIPT [ARGS] | [record|report] NAME [ARGS] | RECORDINGS]",
		.options = options,
		.values = values,
		.stop_at_argument = true,
	};
	struct error *err;
	int index;

	text_fields_init(&c.text.fields);
	translate_old_fields(argc, argv);
	err = command_parse(&usage, argc, argv, &index);
	if (!err && index >= 0 && c.list)
		err = options_no_argument(&usage, argc, argv, index);
	if (!err && index >= 0)
		err = script_run(&c, index - 1, argc - index, argv + index, ret_status);
	prof_specs_deinit(&c.specs);
	recording_inputs_deinit(&c.inputs);
	selection_deinit(&c.selection);
	cpumap_deinit(&c.cpus);
	machine_destroy(c.machine);
	reader_close(c.reader);
	return err;
}
