// SPDX-License-Identifier: GPL-2.0
/*
 * Runs scripts that take event objects.  For live events we run a `ktrace record` that writes into
 * a pipe.  So recording and reading have one implementation each.
 */
#include <errno.h>
#include <fnmatch.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "capture/perf/filter_match.h"
#include "cmd/command.h"
#include "cmd/option_texts.h"
#include "cmd/recording.h"
#include "cmd/script/python.h"
#include "lib/array.h"
#include "lib/cleanup.h"
#include "lib/cpumap.h"
#include "lib/log.h"
#include "lib/number.h"
#include "recorder/child.h"
#include "script/event_script.h"
#include "session/session.h"
#include "terminal/options.h"
#include "terminal/words.h"

/* The script's use of one event of the recording. */
struct wanted {
	const struct prof_spec *spec;	/* NULL: the script does not use it */
	char *name;			/* that of spec, or for a glob the event's own; owned */
	struct filter_node *filter;	/* only for a file, which was recorded without it */
	struct cpumap cpus;
};

struct python_run {
	const struct python_options *options;
	struct recorder_child recorder;
	struct recording in;		/* its selection is for files */
	ARRAY_OF(struct wanted *) wanted;	/* by event->index, as they occur */
	bool *taken;			/* by spec: an event was assigned to it */
	struct error *failure;		/* set if a filter does not fit the file */
};

static void python_run_deinit(struct python_run *run)
{
	recorder_child_finish(&run->recorder);
	recording_end(&run->in);
	for (size_t i = 0; i < run->wanted.nr; i++) {
		free(run->wanted.items[i]->name);
		filter_destroy(run->wanted.items[i]->filter);
		cpumap_deinit(&run->wanted.items[i]->cpus);
		free(run->wanted.items[i]);
	}
	free(run->wanted.items);
	free(run->taken);
	error_free(run->failure);
}

DEFINE_CLEANUP(python_run, struct python_run, python_run_deinit)

/* ---- which spec an event belongs to -------------------------------------- */

static bool is_glob(const struct prof_spec *spec)
{
	return strpbrk(spec->event, "*?[");
}

static bool fits(const struct prof_spec *spec, const struct event *event)
{
	size_t len = strcspn(spec->event, "/");

	if (spec->tracepoint != (event->attr.type == PERF_TYPE_TRACEPOINT))
		return false;
	if (spec->tracepoint)
		return !fnmatch(spec->event, event->name, 0);
	return !strncmp(event->name, spec->event, len);
}

/* If several specs name the same event, each is assigned one of the recorded events. */
static const struct prof_spec *find_spec(struct python_run *run, const struct event *event)
{
	const struct prof_specs *specs = &run->options->specs;
	const struct prof_spec *found = NULL;

	for (size_t i = 0; i < specs->nr; i++) {
		if (!fits(&specs->items[i], event))
			continue;
		if (!found)
			found = &specs->items[i];
		if (!run->taken[i] || is_glob(&specs->items[i])) {
			run->taken[i] = true;
			return &specs->items[i];
		}
	}
	return found;
}

static struct error *make_wanted(struct python_run *run, const struct event *event,
				 struct wanted *ret)
{
	const struct formats *formats = reader_formats(run->in.reader);
	const struct event_format *format;
	struct error *err = NULL;

	if (!run->options->specs.nr && !event_is_dummy(event)) {
		ret->name = strdup(event->name);
		return ret->name ? NULL : &error_no_memory;
	}
	ret->spec = find_spec(run, event);
	if (!ret->spec)
		return NULL;
	ret->name = strdup(ret->spec->has_alias || !ret->spec->tracepoint ? ret->spec->name :
									      event->name);
	if (!ret->name)
		return &error_no_memory;
	if (ret->spec->cpus)
		err = cpumap_parse(ret->spec->cpus, &ret->cpus);
	if (err || !run->options->input || !ret->spec->filter)
		return err;
	format = formats_find(formats, event->attr.config);
	err = filter_parse(ret->spec->filter, format, &ret->filter);
	if (!err && filter_match_missing(ret->filter))
		err = error_new(EINVAL, "A recording cannot be filtered by '%s'",
				filter_match_missing(ret->filter));
	return err;
}

static const struct wanted *find_wanted(struct python_run *run, const struct event *event)
{
	const struct event_list *events = reader_events(run->in.reader);

	/* Events are assigned in the order in which they were asked for, whichever comes first. */
	while (run->wanted.nr <= event->index) {
		struct wanted *wanted = calloc(1, sizeof(*wanted));
		struct error *err;

		if (!wanted || !array_push(&run->wanted, wanted)) {
			free(wanted);
			return NULL;
		}
		err = make_wanted(run, events->items[run->wanted.nr - 1], wanted);
		if (run->failure)
			error_free(err);
		else
			run->failure = err;
	}
	return run->wanted.items[event->index];
}

static const char *name_of(void *data, const struct event *event)
{
	const struct wanted *wanted = find_wanted(data, event);

	return wanted ? wanted->name : NULL;
}

static bool accepts(void *data, const struct session_record *r)
{
	const struct wanted *wanted = find_wanted(data, r->event);

	if (!wanted || !wanted->name)
		return false;
	if (wanted->spec && wanted->spec->cpus && !cpumap_has(&wanted->cpus, r->sample.cpu))
		return false;
	return !wanted->filter || filter_match(wanted->filter, &r->sample);
}

static bool takes_all(void *data, const struct event *event)
{
	const struct wanted *wanted = find_wanted(data, event);

	return wanted && wanted->name && !wanted->filter && !(wanted->spec && wanted->spec->cpus);
}

/* The option -g applies to all recorded events; call chains that were not asked for are removed. */
static unsigned int max_stack(void *data, const struct event *event)
{
	const struct python_run *run = data;
	const struct wanted *wanted = find_wanted(data, event);
	const struct prof_spec *spec = wanted ? wanted->spec : NULL;

	if (spec && spec->max_stack)
		return spec->max_stack;
	if (run->options->input || run->options->callchain || (spec && spec->stack))
		return UINT_MAX;
	return 0;
}

/* ---- the source of events ------------------------------------------------ */

static bool any_stack(const struct python_options *o)
{
	bool any = o->callchain;

	for (size_t i = 0; i < o->specs.nr; i++)
		any = any || o->specs.items[i].stack;
	return any;
}

static bool any_addr(const struct python_options *o)
{
	return array_any(&o->specs, it, it->addr);
}

static struct error *start_child(const struct python_options *o, struct recorder_child *ret)
{
	_cleanup_free_ struct recorder_event *events = calloc(o->specs.nr + 1, sizeof(*events));
	const struct recorder_child_options options = {
		.program = RECORDER_CHILD_SELF,
		.command = {
			.events = events, .nr_events = o->specs.nr,
			.all_cpus = !o->pids && !o->tids && !o->cpus && !o->command,
			.pids = o->pids, .tids = o->tids, .cpus = o->cpus,
			.clock = "monotonic", .latency = "20", .pages = o->pages,
			.callchain = any_stack(o), .addr = any_addr(o),
			.command = o->command,
		},
		.dies_with_us = true,
	};

	if (!events)
		return &error_no_memory;
	for (size_t i = 0; i < o->specs.nr; i++)
		events[i] = (struct recorder_event){
			.event = o->specs.items[i].event, .filter = o->specs.items[i].filter,
		};
	return recorder_child_start(&options, ret);
}

static struct error *start_recorder(struct python_run *run)
{
	struct error *err = start_child(run->options, &run->recorder);
	char path[32];

	if (err)
		return err;
	recorder_child_path(&run->recorder, path);
	err = reader_open(path, &run->in.reader);
	close(take_fd(run->recorder.records));
	return err;
}

/* The recorder has printed its error, so we only pass its exit status on. */
static struct error *open_source(struct python_run *run, int *ret_status)
{
	static const struct symbol_options no_options;
	const struct python_options *o = run->options;
	const struct selection_words words = {
		.cpus = o->cpus, .pids = o->pids, .tids = o->tids,
	};
	struct error *err;

	if (o->input)
		return recording_begin(&run->in, o->input, &words, &no_options);
	err = start_recorder(run);
	if (err && run->recorder.pid) {
		*ret_status = recorder_child_wait(&run->recorder);
		if (*ret_status) {
			error_free(err);
			return NULL;
		}
	}
	return err ? err : recording_machine(run->in.reader, &no_options, &run->in.machine);
}

static void set_wall_offset(const struct python_run *run, struct event_script_options *options)
{
	const struct header *header = reader_header(run->in.reader);
	struct timespec wall, monotonic;

	if (!run->options->input) {
		clock_gettime(CLOCK_REALTIME, &wall);
		clock_gettime(CLOCK_MONOTONIC, &monotonic);
		options->has_wall_offset = true;
		options->wall_offset = (wall.tv_sec - monotonic.tv_sec) * 1000000000LL +
				       wall.tv_nsec - monotonic.tv_nsec;
	} else if (header->wall_time && header->clock_time) {
		options->has_wall_offset = true;
		options->wall_offset = header->wall_time - header->clock_time;
	}
}

static struct error *python_run_session(struct python_run *run, struct script *script)
{
	struct session session = {
		.source = reader_source(run->in.reader),
		.events = reader_events(run->in.reader),
		.formats = reader_formats(run->in.reader),
		.machine = run->in.machine,
		.stop = script_stop(script),
	};
	struct error *err = selection_check(&run->in.selection, session.events);
	struct selector selector;

	if (!err)
		err = script_begin(script);
	if (err)
		return err;
	selector_init(&selector, &run->in.selection, script_consumer(script));
	err = session_run(&session, selection_is_everything(&run->in.selection) ?
				    script_consumer(script) : &selector.consumer);
	if (session.lost)
		log_warning("%llu events were lost while recording.",
			    (unsigned long long)session.lost);
	return err ? err : take_ptr(run->failure);
}

struct error *python_run(struct python_options *o, int argc, char **argv, int *ret_status)
{
	_cleanup_(python_run) struct python_run run = {
		.options = o, .recorder = RECORDER_CHILD_INIT,
	};
	struct event_script_options options = {
		.name = name_of, .accepts = accepts, .takes_all = takes_all,
		.max_stack = max_stack, .data = &run,
		.interval_ms = o->interval_ms, .by_wall_clock = !o->input,
		.max_samples = o->max_samples,
		.hide_kernel = o->no_kernel_frames,
		/* User frames in a file were recorded on purpose, so they are shown. */
		.hide_user = o->no_user_frames || (!o->user_frames && !o->input),
	};
	struct script *script = NULL;
	struct error *err;

	run.taken = calloc(o->specs.nr + 1, sizeof(*run.taken));
	if (!run.taken)
		return &error_no_memory;
	err = open_source(&run, ret_status);
	if (err || *ret_status)
		return err;
	set_wall_offset(&run, &options);
	if (run.in.reader)
		script_arch = &reader_header(run.in.reader)->arch;
	err = event_script_open(argv[0], argc, argv, &options, &script);
	if (!err)
		err = python_run_session(&run, script);
	if (!err && run.in.reader)
		script_tell_uncalled(script, reader_formats(run.in.reader),
				     reader_events(run.in.reader));
	/* Stop recording before the script ends. */
	recorder_child_finish(&run.recorder);
	return script_close(script, err, ret_status);
}

/* ---- the command line ---------------------------------------------------- */

static struct error *python_add_events(void *data, const char *text)
{
	return prof_specs_add(data, text);
}

/* As in perf-prof, -i with a number means milliseconds; otherwise it names a file. */
static struct error *set_interval(void *data, const char *text)
{
	struct python_options *o = data;
	unsigned long long ms;

	if (!parse_u64(text, &ms)) {
		o->input = text;
		return NULL;
	}
	if (!ms || ms > 86400000)
		return error_new(EINVAL, "-i takes milliseconds up to a day, not '%s'", text);
	o->interval_ms = ms;
	return NULL;
}

struct flags {
	bool ignored, kernel, help;
};

/*
 * Whether the option @word takes the next argument as its value.  *ret_known: it is an option of
 * the tool.
 */
static bool takes_value(const struct option_spec *options, const char *word, bool *ret_known)
{
	const char *equals = strchr(word, '=');
	size_t len = equals ? (size_t)(equals - word) : strlen(word);

	*ret_known = true;
	for (const struct option_spec *o = options; o->kind != OPTION_END; o++) {
		if (word[1] == '-' && o->name && len > 2 && strlen(o->name) == len - 2 &&
		    !strncmp(o->name, word + 2, len - 2))
			return o->argument && !equals;
		if (word[1] != '-' && o->letter == word[1])
			return o->argument && !word[2];
	}
	*ret_known = !strcmp(word, "-h") || !strcmp(word, "--help") ||
		!strcmp(word, "--list-options");
	return false;
}

struct split {
	struct words tool, script;
};

/*
 * Options of the tool are its own anywhere before "--".  Unknown options before the module are the
 * tool's, too.  All other arguments, and everything after "--", belong to the script.
 * command_parse() gets only the tool's.
 */
static void split_words(const struct option_spec *options, int argc, char **argv,
			struct split *ret)
{
	bool known;
	int i = 1;

	words_add(&ret->tool, argv[0]);
	for (; i < argc && strcmp(argv[i], "--"); i++) {
		bool value;

		if (argv[i][0] != '-' || !argv[i][1]) {
			words_add(&ret->script, argv[i]);
			continue;
		}
		value = takes_value(options, argv[i], &known);
		words_add(known || !ret->script.nr ? &ret->tool : &ret->script, argv[i]);
		if (value && i + 1 < argc)
			words_add(&ret->tool, argv[++i]);
	}
	for (i++; i < argc; i++)
		words_add(&ret->script, argv[i]);
}

static struct error *run_words(struct python_options *o, int argc, char **argv, int *ret_status)
{
	if (!argc)
		return error_hint(error_new(EINVAL, "There is no module to run"),
				  "'ktrace python -e EVENT help' prints a template");
	if (!o->specs.nr && !o->input)
		return error_hint(error_new(EINVAL, "There are no events to record"),
				  "-e EVENT names them; -i FILE reads a recording");
	if (*argv[0] == '-')
		return error_hint(error_new(EINVAL, "'%s' is not a module: the name of a module "
					    "does not begin with -", argv[0]),
				  "Behind -- comes the module, and then its arguments");
	if (!strcmp(argv[0], "help"))
		return event_script_template("ktrace python", &o->specs);
	return python_run(o, argc, argv, ret_status);
}

struct error *cmd_python(int argc, char **argv, int *ret_status)
{
	struct python_options o = { 0 };
	struct flags flags = { 0 };
	const struct option_spec options[] = {
		OPT_CALL("event", &o.specs, python_add_events),
		OPT_CALL("interval", &o, set_interval),
		OPT_STRING("input", &o.input),
		OPT_STRING("cpus", &o.cpus),
		OPT_STRING("pids", &o.pids),
		OPT_STRING("tids", &o.tids),
		OPT_STRING("mmap-pages", &o.pages),
		OPT_UINT("exit-N", &o.max_samples),
		OPT_FLAG("call-graph", &o.callchain),
		OPT_FLAG("user-callchain", &o.user_frames),
		OPT_FLAG("no-user-callchain", &o.no_user_frames),
		OPT_FLAG("kernel-callchain", &flags.kernel, .hidden = true),
		OPT_FLAG("no-kernel-callchain", &o.no_kernel_frames),
		OPT_FLAG("order", &flags.ignored),
		OPT_FLAG("monotonic", &flags.ignored),
		OPT_COUNT("verbose", &log_verbosity),
		OPT_FLAG("quiet", &log_quiet),
		{ 0 },
	};
	const struct command_usage usage = {
		.name = "python",
		.synopsis = "[OPTIONS] -e EVENT[,EVENT] [--] MODULE [ARGS] | -e EVENT help",
		.options = options,
	};
	_cleanup_free_ struct option_spec *whole = NULL;
	struct split split = { 0 };
	char **tool, **script;
	struct error *err = option_texts_add(&usage, &whole);
	int index = 0;

	if (err)
		return err;
	split_words(whole, argc, argv, &split);
	tool = words_argv(&split.tool);
	script = words_argv(&split.script);
	if (!tool || !script)
		err = &error_no_memory;
	if (!err)
		err = command_parse(&usage, split.tool.nr, tool, &index);
	if (!err && index >= 0)
		err = run_words(&o, split.script.nr, script, ret_status);
	prof_specs_deinit(&o.specs);
	words_deinit(&split.tool);
	words_deinit(&split.script);
	return err;
}
