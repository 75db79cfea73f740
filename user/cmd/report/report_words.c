// SPDX-License-Identifier: GPL-2.0
#include "cmd/report/report_words.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/command.h"
#include "cmd/recording.h"
#include "lib/array.h"
#include "lib/log.h"
#include "lib/number.h"
#include "symbol/demangle.h"
#include "terminal/options.h"

/* perf's default callers for the key parent. */
#define DEFAULT_PARENTS	"^sys_|^do_page_fault"

/* perf's keys for branches and accesses. */
#define WALL_TIME_KEYS	"comm,task_state,dso,symbol"
#define HISTORY_KEYS	"srcline,symbol,dso"
#define BRANCH_KEYS	"comm,dso_from,symbol_from,symbol_to,cycles"
#define ACCESS_KEYS	"local_weight,mem,sym,dso,symbol_daddr,dso_daddr,snoop,tlb,locked,blocked," \
			"local_ins_lat"

void report_words_deinit(struct report_words *o)
{
	recording_inputs_deinit(&o->inputs);
	recording_inputs_deinit(&o->others);
	if (o->report.histogram.parents)
		regfree(&o->parents);
	if (o->report.histogram.ignored)
		regfree(&o->ignored_names);
	o->report.histogram.parents = o->report.histogram.ignored = NULL;
}

static struct error *parse_limit(const char *text, double *ret)
{
	char *end = NULL;

	*ret = text ? strtod(text, &end) : 0;
	if (text && (end == text || *end || *ret < 0 || *ret > 100))
		return error_new(EINVAL, "--percent-limit takes a number from 0 to 100, not '%s'",
				 text);
	return NULL;
}

static struct error *parse_report_texts(struct report_words *o)
{
	const char *how = o->percentage ? o->percentage : "absolute";

	o->report.histogram.relative = !strcmp(how, "relative");
	if (!o->report.histogram.relative && strcmp(how, "absolute"))
		return error_new(EINVAL, "--percentage is absolute or relative, not '%s'", how);
	if (o->separator && strlen(o->separator) != 1)
		return error_new(EINVAL, "--field-separator takes one character, not '%s'",
				 o->separator);
	o->report.separator = o->separator ? *o->separator : 0;
	if (o->pretty && !word_in_list("normal,raw", o->pretty))
		return error_new(EINVAL, "--pretty is normal or raw, not '%s'", o->pretty);
	o->report.raw_threads = o->pretty && !strcmp(o->pretty, "raw");
	return NULL;
}

/* Compile a regular expression; *ret points to it if there is one. */
static struct error *compile_names(const char *option, const char *text, regex_t *compiled,
				   const regex_t **ret)
{
	char reason[128];
	int code;

	if (!text)
		return NULL;
	code = regcomp(compiled, text, REG_EXTENDED);
	if (code) {
		regerror(code, compiled, reason, sizeof(reason));
		return error_new(EINVAL, "%s '%s' is not a regular expression: %s", option, text,
				 reason);
	}
	*ret = compiled;
	return NULL;
}

static struct error *parse_widths(struct report_words *o)
{
	_cleanup_free_ char *copy = strdup(o->widths ? o->widths : "");
	unsigned long long width;
	char *saved = NULL;
	size_t nr = 0;

	if (!copy)
		return &error_no_memory;
	for (char *word = strtok_r(copy, ",", &saved); word; word = strtok_r(NULL, ",", &saved)) {
		if (!parse_u64(word, &width) || width > 1000 || nr == MAX_COLUMNS)
			return error_hint(error_new(EINVAL, "-w takes widths up to 1000, not '%s'",
						    word), "As in -w 0,20,30");
		o->report.widths[nr++] = width;
	}
	return NULL;
}

static struct error *parse_quantum(void *data, const char *text)
{
	static const struct time_unit units[] = {
		{ "ns", 1 }, { "us", 1000 }, { "ms", 1000000 }, { "s", 1000000000 },
	};
	uint64_t *ret = data;

	if (strspn(text, "0123456789") < 10)
		parse_time_unit(text, units, ARRAY_SIZE(units), ret);
	return *ret ? NULL : error_hint(error_new(EINVAL, "--time-quantum takes a time, not '%s'",
						  text), "As in 10us, 5ms or 1s");
}

static struct error *parse_socket(void *data, const char *text)
{
	struct report_words *o = data;
	unsigned long long number;

	if (!parse_u64(text, &number) || number > INT32_MAX)
		return error_new(EINVAL, "--socket-filter takes the number of a socket, not '%s'",
				 text);
	o->socket = number;
	o->report.histogram.socket = &o->socket;
	return NULL;
}

static struct error *parse_all_texts(struct report_words *o)
{
	struct histogram_options *histogram = &o->report.histogram;
	struct error *err = call_graph_options_parse(&histogram->graph, o->graph);

	if (!err)
		err = parse_limit(o->limit, &o->report.limit);
	if (!err && o->limit)
		histogram->graph.min_percent = o->report.limit;
	if (!err && o->inverted)
		histogram->graph.order = CALL_GRAPH_CALLER;
	if (!err)
		err = parse_report_texts(o);
	if (!err)
		err = parse_widths(o);
	if (!err)
		err = compile_names("-p", o->parent ? o->parent : DEFAULT_PARENTS, &o->parents,
				    &histogram->parents);
	if (!err)
		err = compile_names("--ignore-callees", o->ignored, &o->ignored_names,
				    &histogram->ignored);
	return err;
}

/* Names that are no keys are fields of tracepoints.  Some event of the recording must have them. */
static struct error *report_words_check_fields(const struct histogram_options *histogram,
				  struct reader *reader)
{
	const struct formats *formats = reader_formats(reader);
	_cleanup_(strbuf) struct strbuf names = STRBUF_INIT;

	for (size_t i = 0; histogram->keys[i]; i++) {
		bool found = histogram->keys[i] != KEY_FIELD || histogram->fields[i].event ||
			     reader_header(reader)->is_pipe;

		for (size_t k = 0; k < formats_count(formats) && !found; k++)
			found = event_format_field(formats_at(formats, k),
						   histogram->fields[i].name);
		if (found)
			continue;
		histogram_keys_add_names(&names);
		return error_hint(error_new(EINVAL, "report cannot sort by '%s'",
					    histogram->fields[i].name),
				  "The keys are %s, and the names of fields of the events that "
				  "were recorded, as FIELD or EVENT.FIELD", strbuf_str(&names));
	}
	return NULL;
}

/* Branches are counted if they were recorded, except for call chains, or asked for. */
static struct error *choose_subject(struct report_words *o, struct reader *reader)
{
	struct histogram_options *histogram = &o->report.histogram;
	const struct event_list *events = reader_events(reader);
	bool recorded = header_has(reader_header(reader), FEATURE_BRANCH_STACK) &&
			!event_list_has(events, PERF_SAMPLE_STACK_USER);

	if (o->branches && !reader_header(reader)->is_pipe &&
	    !event_list_has(events, PERF_SAMPLE_BRANCH_STACK))
		return error_hint(error_new(EINVAL, "The recording holds no branches, which -b counts"),
				  "'ktrace record -b' records them where the processor can");
	if (histogram->branch_history && !reader_header(reader)->is_pipe &&
	    !event_list_has(events, PERF_SAMPLE_BRANCH_STACK))
		return error_hint(error_new(EINVAL, "The recording holds no branches, which "
					    "--branch-history shows"),
				  "'ktrace record -b' records them where the processor can");
	histogram->branches = !o->no_branches && !histogram->branch_history &&
			      (o->branches || (recorded && !histogram->accesses));
	if (histogram->branches && histogram->accesses)
		return error_new(EINVAL, "-b and --mem-mode exclude each other");
	return NULL;
}

/* Refuse keys that callers have no value for, and keys that need -b or --mem-mode. */
static struct error *check_keys(struct report_words *o)
{
	struct histogram_options *histogram = &o->report.histogram;
	bool of_place = false;

	for (const uint8_t *key = histogram->keys; *key; key++) {
		of_place |= histogram_key_is_of_place(*key);
		if (histogram_key_is_of_branch(*key) && !histogram->branches)
			return error_hint(error_new(EINVAL, "report -s '%s' is a key of branches, and "
						    "samples are counted", histogram_key_name(*key)),
					  "-b counts branches, if they were recorded");
		if (histogram_key_is_of_memory(*key) && !histogram->accesses)
			return error_hint(error_new(EINVAL, "report -s '%s' is a key of accesses to "
						    "memory, and samples are counted",
						    histogram_key_name(*key)),
					  "--mem-mode counts accesses");
	}
	if (of_place && o->children)
		return error_hint(error_new(EINVAL, "--children counts functions, which have no single "
					    "line, size or address"),
				  "Leave out --children, or the keys of places");
	if (of_place)
		histogram->children = false;
	return NULL;
}

/* Only records of switches give the number of tasks that ran at once. */
static struct error *check_switches(const struct histogram_options *histogram,
				    const struct event_list *events)
{
	if (!histogram_needs_switches(histogram))
		return NULL;
	for (size_t i = 0; i < events->nr; i++)
		if (events->items[i]->attr.context_switch)
			return NULL;
	return error_hint(error_new(ENODATA, "The recording has no context switches, so the number "
				    "of tasks that ran at once is unknown"),
			  "'ktrace record --switch-events' records when tasks are switched");
}

/*
 * As in perf, callers are counted, too, if call chains were recorded.  In a pipe that is not
 * known beforehand.
 */
struct error *report_words_finish(struct report_words *o, struct reader *reader)
{
	struct histogram_options *histogram = &o->report.histogram;
	bool adds_parent = o->parent, is_pipe = reader_header(reader)->is_pipe, has_chains;
	struct error *err = choose_subject(o, reader);

	if (err)
		return err;
	has_chains = event_list_has(reader_events(reader), PERF_SAMPLE_CALLCHAIN);
	if (o->report.hierarchy && o->columns.fields)
		return error_hint(error_new(EINVAL, "--hierarchy and --fields cannot be combined"),
				  "-s names the keys of the levels");
	histogram->children = !o->no_children && !histogram->branch_history &&
			      !histogram->branches && !histogram->accesses &&
			      (has_chains || (o->children && is_pipe));
	if (o->children && !has_chains && !is_pipe)
		log_notice("The recording has no call chains, so that --children has no effect: "
			   "record with -g.");
	/* As in perf, a hierarchy has no callers, but graphs in the order in which it had some. */
	if (o->report.hierarchy && histogram->children && !histogram->graph.order)
		histogram->graph.order = CALL_GRAPH_CALLER;
	histogram->children &= !o->report.hierarchy;
	if (histogram->branches)
		histogram->graph.mode = CALL_GRAPH_NONE;
	o->columns.defaults = histogram->branch_history ? HISTORY_KEYS :
			      histogram->branches ? BRANCH_KEYS :
			      histogram->accesses ? ACCESS_KEYS :
			      o->wall_time ? WALL_TIME_KEYS : REPORT_DEFAULT_KEYS;
	o->columns.added = adds_parent ? "parent" : NULL;
	if (!is_pipe) {
		o->columns.events = reader_events(reader);
		o->columns.formats = reader_formats(reader);
	}
	err = histogram_columns_parse(histogram, &o->columns);
	if (!err)
		err = check_keys(o);
	/* Without callers there is no column for them. */
	if (!err)
		err = histogram_columns_parse(histogram, &o->columns);
	if (!err && !memchr(histogram->keys, KEY_PARENT, sizeof(histogram->keys)) &&
	    !histogram->exclude_other && histogram->parents) {
		regfree(&o->parents);
		histogram->parents = NULL;
	}
	if (!err && !is_pipe)
		err = check_switches(histogram, reader_events(reader));
	return err ? err : report_words_check_fields(histogram, reader);
}

/* A bare -g selects perf's default mode. */
static struct error *set_graph(void *data, const char *argument)
{
	struct report_words *o = data;

	o->graph = argument ? argument : "graph,0.5,caller";
	return NULL;
}

struct error *report_words_parse(int argc, char **argv, struct report_words *o, int *ret_index)
{
	static const struct option_values values[] = {
		{ .option = "sort", .add = histogram_keys_add_names },
		{ .option = "view", .words = "graph,time,waits" },
		{ .option = "diff-by", .words = "cost,shares" },
		{ .option = "pretty", .words = "normal,raw" },
		{ .option = "call-graph", .table = &call_graph_words },
		{ 0 },
	};
	const struct option_spec options[] = {
		RECORDING_INPUTS_OPTION(o->inputs),
		OPT_STRING("sort", &o->columns.keys),
		OPT_STRING("fields", &o->columns.fields),
		OPT_FLAG("show-nr-samples", &o->columns.samples),
		OPT_UINT("samples", &o->report.histogram.kept_samples),
		OPT_FLAG("show-total-period", &o->columns.period),
		OPT_FLAG("showcpuutilization", &o->columns.cpu_use),
		OPT_FLAG("latency", &o->columns.latency),
		OPT_STRING("percentage", &o->percentage),
		OPT_STRING("field-separator", &o->separator),
		OPT_FLAG("children", &o->children),
		OPT_FLAG("no-children", &o->no_children),
		OPT_CALL_NEXT("call-graph", o, set_graph),
		OPT_FLAG("inline", &o->inlined),
		OPT_FLAG("off-cpu", &o->off_cpu),
		OPT_FLAG("wall-time", &o->wall_time),
		OPT_FLAG("no-inline", &o->report.histogram.no_inline),
		OPT_FLAG("inverted", &o->inverted),
		OPT_UINT("max-stack", &o->report.histogram.max_stack),
		OPT_STRING("ignore-callees", &o->ignored),
		OPT_STRING("parent", &o->parent),
		OPT_FLAG("exclude-other", &o->report.histogram.exclude_other),
		OPT_FLAG("hide-unresolved", &o->report.histogram.hide_unresolved),
		OPT_FLAG("branch-stack", &o->branches),
		OPT_FLAG("no-branch-stack", &o->no_branches),
		OPT_FLAG("branch-history", &o->report.histogram.branch_history),
		OPT_FLAG("mem-mode", &o->report.histogram.accesses),
		OPT_FLAG("full-source-path", &o->report.histogram.full_source_path),
		OPT_CALL("time-quantum", &o->report.histogram.time_quantum, parse_quantum),
		OPT_FLAG("ns", &o->report.histogram.nanoseconds),
		OPT_CALL("socket-filter", o, parse_socket),
		OPT_STRING("column-widths", &o->widths),
		OPT_FLAG("raw-trace", &o->columns.raw),
		OPT_STRING("percent-limit", &o->limit),
		OPT_STRING("comms", &o->report.histogram.comms),
		OPT_STRING("dsos", &o->report.histogram.dsos),
		OPT_STRING("symbols", &o->report.histogram.symbols),
		OPT_STRING("symbol-filter", &o->report.histogram.symbol_part),
		SELECTION_WORDS_OPTIONS(o->selection),
		OPT_STRING("switch-on", &o->switch_on),
		OPT_STRING("switch-off", &o->switch_off),
		OPT_FLAG("show-on-off-events", &o->show_switches),
		RECORDING_SYMBOL_OPTIONS(o->symbols),
		RECORDING_DEBUGINFOD_OPTION(o->symbols.debuginfod),
		OPT_FLAG("ignore-vmlinux", &o->symbols.no_vmlinux),
		OPT_FLAG("header", &o->report.after_header),
		OPT_FLAG("header-only", &o->header_only),
		OPT_FLAG("show-info", &o->full_header),
		OPT_FLAG("stats", &o->stats),
		OPT_FLAG("tasks", &o->tasks),
		OPT_FLAG("hierarchy", &o->report.hierarchy),
		OPT_FLAG("group", &o->report.group),
		OPT_FLAG("no-group", &o->report.no_group),
		OPT_UINT("group-sort-idx", &o->report.sort_event),
		OPT_FLAG("mmaps", &o->report.task_maps),
		OPT_FLAG("threads", &o->report.threads),
		OPT_STRING("pretty", &o->pretty),
		OPT_COUNT("verbose", &log_verbosity),
		OPT_FLAG("no-demangle", &demangle_nothing),
		OPT_STRING("html", &o->html),
		OPT_CALL("diff", &o->others, recording_add_input),
		OPT_STRING("diff-by", &o->diff_by),
		OPT_STRING("view", &o->view),
		OPT_FLAG("dump-raw-trace", &o->dump),
		OPT_CALL("stdio-color", NULL, options_set_color),
		OPT_FLAG("stdio", &o->stdio),
		OPT_FLAG("tui", &o->tui),
		RECORDING_QUIET_OPTION,
		RECORDING_FORCE_OPTION(o->force),
		/* These options of perf have no effect: it is always so. */
		OPT_FLAG("modules", &o->force, .letter = 'm', .hidden = true),
		OPT_FLAG("skip-empty", &o->force, .hidden = true),
		OPT_FLAG("demangle", &o->force, .hidden = true),
		{ 0 },
	};
	const struct command_usage usage = {
		.name = "report",
		.synopsis = "[OPTIONS] [RECORDINGS]",
		.options = options,
		.values = values,
	};
	struct error *err = command_parse(&usage, argc, argv, ret_index);
	int nr;

	if (err || *ret_index < 0)
		return err;
	err = recording_take_words(&o->inputs, argc - *ret_index, argv + *ret_index, &nr);
	if (err)
		return err;
	*ret_index += nr;
	if (*ret_index < argc)
		return error_hint(error_new(EINVAL, "report takes no argument '%s'",
					    argv[*ret_index]), "-i FILE names the recording");
	o->diff_cost = o->diff_by && !strcmp(o->diff_by, "cost");
	o->diff_shares = o->diff_by && !strcmp(o->diff_by, "shares");
	if (o->diff_by && !o->diff_cost && !o->diff_shares)
		return error_new(EINVAL, "--diff-by is cost or shares, not '%s'", o->diff_by);
	if (o->diff_by && !o->others.nr)
		return error_new(EINVAL, "--diff-by says how --diff compares, so it needs --diff FILE");
	if (o->others.nr && !o->html)
		return error_hint(error_new(EINVAL, "--diff colours the page that --html FILE writes"),
				  "'ktrace diff OLD NEW' prints the differences as a table");
	if (o->report.histogram.branch_history && o->children)
		return error_hint(error_new(EINVAL, "--branch-history and --children cannot be "
					    "combined"),
				  "It counts samples where they were, not callers");
	o->report.histogram.verbose = log_verbosity > 0;
	o->report.quiet = log_quiet;
	return parse_all_texts(o);
}
