// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/command.h"
#include "cmd/recording.h"
#include "cmd/script/python.h"
#include "cmd/script/schema_source.h"
#include "cmd/selection_words.h"
#include "lib/cleanup.h"
#include "lib/cpumap.h"
#include "lib/error.h"
#include "lib/log.h"
#include "lib/number.h"
#include "output/outputs.h"
#include "output/text/text.h"
#include "output/text/text_files.h"
#include "perfdata/reader.h"
#include "script/script.h"
#include "script/script_lint.h"
#include "script/script_list.h"
#include "session/callchain.h"
#include "session/selection.h"
#include "session/session.h"
#include "symbol/demangle.h"
#include "terminal/options.h"
#include "terminal/word_list.h"

/* `script --lint` checks a script against the event formats of a kernel. */

#define STATUS_BROKEN 1

static const struct event_format *find_lint_format(const void *data, const char *system,
						   const char *name)
{
	return schema_find(data, system, name);
}

static const struct event_format *find_lint_near(const void *data, const char *handler)
{
	_cleanup_(strbuf) struct strbuf best = STRBUF_INIT, name = STRBUF_INIT;
	const struct event_format *found = NULL;
	const struct schema *schema = data;

	for (size_t i = 0; i < schema->nr; i++) {
		const struct event_format *format = schema->items[i].format;
		struct strbuf nearer;

		name.len = 0;
		strbuf_addf(&name, "%s__%s", format->system, format->name);
		if (name.failed || word_nearer(handler, best.data, name.data) != name.data)
			continue;
		found = format;
		nearer = name;
		name = best;
		best = nearer;
	}
	return found;
}

/*
 * @spec is as for script_find().  @input is a recording or a folder of formats; NULL: this
 * kernel.  *ret_status is 1 if a handler would break.
 */
static struct error *script_lint_run(const char *spec, const char *input, int *ret_status)
{
	_cleanup_(schema_source) struct schema_source source = { 0 };
	const struct script_lint_formats formats = { find_lint_format, find_lint_near,
						     &source.schema };
	_cleanup_free_ char *path = NULL;
	struct script_lint_counts counts;
	struct error *err;

	err = script_find(spec, &path);
	if (!err)
		err = schema_source_open(input ? input : "live", &source);
	if (!err)
		err = script_lint(path, &formats, stdout, &counts);
	if (err)
		return err;
	if (!counts.handlers)
		printf("%s has no handlers\n", path);
	else if (!counts.broken)
		printf("%s: every handler finds its event and its fields\n", path);
	*ret_status = counts.broken ? STATUS_BROKEN : 0;
	return NULL;
}

/*
 * The number of threads that format text.  One thread reads for all of them, so more gain little.
 */
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
 * Older versions of perf took the fields with -f, which now means --force.  A user who still writes
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

/* Not possible with several recordings, or with a pipe. */
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
	if (!err)
		script_tell_uncalled(script, reader_formats(c->reader), reader_events(c->reader));
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
	struct error *err = error_new(EINVAL, "script takes no argument '%s'", argv[0]);

	for (int i = 1; i < argc; i++)
		if (!strcmp(argv[i], "-s") || !strcmp(argv[i], "--script"))
			return error_hint(err, "Write the arguments of a script behind -s FILE, or "
					  "directly behind NAME in 'ktrace script report NAME'");
	return error_hint(err, "-s FILE runs a script, and -i FILE names the recording. 'ktrace "
			  "script -l' lists the scripts that come with ktrace");
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
	if (!script_list_has(argv[0])) {
		struct error *err = script_list_refuse(argv[0]);

		return err ? err : unknown_word(argc, argv);
	}
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
		return error_hint(error_new(EINVAL, "script -e records events for a script, and "
					    "the script is missing"),
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
		return error_hint(error_new(EINVAL, "'%s' is not a recording, but the arguments "
					    "before it are",
					    argv[0]),
				  "Write scripts and options before the recordings, or use -i "
				  "FILE");
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
		OPT_CALL("fields", &c.text.fields, add_fields, .help = fields_help),
		OPT_FLAG("ns", &c.text.nanoseconds),
		OPT_FLAG("reltime", &c.text.since_first),
		OPT_FLAG("deltatime", &c.text.since_last),
		OPT_FLAG("hide-call-graph", &c.text.hide_callchains),
		OPT_UINT("max-stack", &c.text.max_stack),
		OPT_STRING("stop-bt", &c.text.stop_at),
		OPT_FLAG("Latency", &c.text.latency),
		OPT_FLAG("full-source-path", &c.text.full_source_path),
		OPT_FLAG("show-kernel-path", &c.text.kernel_path),
		OPT_FLAG("no-inline", &c.text.no_inlines),
		OPT_UINT("threads", &c.text.threads),
		RECORDING_SYMBOL_OPTIONS(c.symbols),
		RECORDING_DEBUGINFOD_OPTION(c.symbols.debuginfod),
		OPT_FLAG("no-demangle", &demangle_nothing),
		OPT_STRING("events", &c.selection.events),
		OPT_STRING("comms", &c.selection.comms),
		OPT_STRING("symbols", &c.selection.symbols),
		OPT_CALL("addr-range", &c.selection.addr_range, script_parse_range),
		OPT_STRING("dsos", &c.selection.dsos),
		SELECTION_WORDS_OPTIONS(c.words),
		OPT_STRING("switch-on", &c.selection.switch_on),
		OPT_STRING("switch-off", &c.selection.switch_off),
		OPT_FLAG("show-on-off-events", &c.selection.show_switches),
		OPT_STRING("script", &c.script),
		OPT_CALL("event", &c.specs, script_add_events),
		OPT_FLAG("keep-going", &c.keep_going),
		OPT_FLAG("list", &c.list),
		OPT_STRING("gen-script", &c.generate),
		OPT_STRING("lint", &c.lint),
		OPT_FLAG("summary", &c.summary),
		OPT_FLAG("header", &c.header),
		OPT_FLAG("header-only", &c.header_only),
		OPT_FLAG("show-info", &c.full_header),
		OPT_FLAG("dump-raw-trace", &c.dump),
		OPT_FLAG("per-event-dump", &c.per_event_dump),
		OPT_FLAG("show-task-events", &c.text.show_task_events),
		OPT_FLAG("show-mmap-events", &c.text.show_mmap_events),
		OPT_FLAG("show-switch-events", &c.text.show_switch_events),
		OPT_FLAG("show-lost-events", &c.text.show_lost_events),
		OPT_FLAG("show-namespace-events", &c.text.show_namespace_events),
		OPT_FLAG("show-cgroup-events", &c.text.show_cgroup_events),
		OPT_FLAG("show-bpf-events", &c.text.show_bpf_events),
		OPT_FLAG("show-text-poke-events", &c.text.show_text_poke_events),
		OPT_FLAG("show-round-events", &c.text.show_round_events),
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
