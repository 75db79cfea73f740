// SPDX-License-Identifier: GPL-2.0
#include "cmd/stat/stat_options.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/command.h"
#include "cmd/event_words.h"
#include "cmd/stat/stat_events.h"
#include "cmd/stat/stat_keys.h"
#include "lib/log.h"
#include "lib/number.h"
#include "spec/event_terms.h"

/* What the options set that only parsing needs. */
struct stat_words {
	struct stat_options *o;
	bool by_set[STAT_BY_THREAD + 1];
	bool json, scale, big, no_big, ignored;
	const char *separator, *delay, *control;
};

static struct error *stat_add_event(void *data, const char *text)
{
	return event_words_add(data, text);
}

static struct error *stat_add_filter(void *data, const char *text)
{
	return event_words_set_filter(data, text);
}

static struct error *stat_add_cgroups(void *data, const char *text)
{
	return event_specs_set_cgroups(data, text);
}

/* What perf computes by tables or hardware that ktrace does not know. */

static struct error *stat_refuse_topdown(void *data, const char *text)
{
	(void)data;
	(void)text;
	return error_hint(error_new(EOPNOTSUPP, "ktrace has no formulas of processors for the "
				    "top-down method (--topdown, --td-level)"),
			  "'perf stat --topdown' has those of Intel");
}

static struct error *stat_refuse_machine(void *data, const char *text)
{
	(void)data;
	(void)text;
	return error_hint(error_new(EOPNOTSUPP, "ktrace does not know which events of which machine "
				    "-T, --smi-cost and --iostat stand for"),
			  "Count these events with -e; 'perf stat -v' names them where it has them");
}

static struct error *stat_refuse_group(void *data, const char *text)
{
	(void)data;
	(void)text;
	return error_hint(error_new(EOPNOTSUPP, "Events are put into a group by braces, not by -g"),
			  "As in: ktrace stat -e '{cycles,instructions}'");
}

static struct error *stat_refuse_hybrid(void *data, const char *text)
{
	(void)data;
	(void)text;
	return error_hint(error_new(EOPNOTSUPP, "ktrace does not choose among several kinds of "
				    "cores or threads of one core (--cputype, --hybrid-merge, "
				    "--percore-show-thread)"),
			  "Name the PMU, as in -e cpu_core/cycles/, or the CPUs with -C");
}

static struct error *stat_set_output(struct stat_words *w)
{
	struct stat_layout *layout = &w->o->layout;

	layout->plain_digits = w->no_big;
	if (w->json && w->separator)
		return error_new(EINVAL, "-j and -x are two forms of output; give one");
	if (w->json)
		layout->form = STAT_FORM_JSON;
	if (!w->separator)
		return NULL;
	if (w->big)
		return error_new(EINVAL, "-B groups digits, which -x does not do");
	layout->form = STAT_FORM_CSV;
	layout->separator = strcmp(w->separator, "\\t") ? w->separator : "\t";
	return *layout->separator ? NULL : error_new(EINVAL, "-x takes a separator, not nothing");
}

static struct error *stat_set_by(struct stat_words *w)
{
	size_t nr = 0;

	for (size_t i = 0; i <= STAT_BY_THREAD; i++) {
		if (!w->by_set[i])
			continue;
		w->o->by = i;
		nr++;
	}
	return nr < 2 ? NULL : error_new(EINVAL, "Counts can be shown by one of CPU (-A), core, die, "
					 "socket, node and thread, not by several of them");
}

static struct error *stat_set_delay(struct stat_words *w)
{
	unsigned long long ms;

	if (!w->delay)
		return NULL;
	w->o->begin_disabled = !strcmp(w->delay, "-1");
	if (w->o->begin_disabled)
		return w->control ? NULL :
			error_hint(error_new(EINVAL, "-D -1 begins without counting, and nothing would "
					     "begin it later"), "--control says who gives the command");
	if (!parse_u64(w->delay, &ms) || ms > INT32_MAX)
		return error_new(EINVAL, "-D takes a number of milliseconds, not '%s'", w->delay);
	w->o->delay_ms = ms;
	return NULL;
}

static struct error *stat_parse_words(int argc, char **argv, struct stat_words *w, int *ret_index)
{
	struct stat_options *o = w->o;
	struct target_options *t = &o->counters.target;
	const struct option_spec options[] = {
		{ OPTION_CALLBACK, 'e', "event", "EVENT",
		  "event to count, or a group {A,B}; 'ktrace list' lists them", &o->specs,
		  stat_add_event },
		{ OPTION_CALLBACK, 0, "filter", "FILTER",
		  "count only what matches; applies to the event before it", &o->specs,
		  stat_add_filter },
		{ OPTION_FLAG, 'a', "all-cpus", NULL, "count in all tasks on all CPUs", &t->all_cpus, 0 },
		{ OPTION_STRING, 'C', "cpu", "LIST", "count in all tasks on these CPUs", &t->cpus, 0 },
		{ OPTION_STRING, 'p', "pid", "LIST", "count in these processes", &t->pids, 0 },
		{ OPTION_STRING, 't', "tid", "LIST", "count in these threads", &t->tids, 0 },
		{ OPTION_STRING, 'u', "uid", "USER", "count in the tasks of a user", &t->user, 0 },
		{ OPTION_CALLBACK, 'G', "cgroup", "LIST",
		  "count only in this cgroup; applies to the events before it", &o->specs,
		  stat_add_cgroups },
		{ OPTION_STRING, 0, "for-each-cgroup", "LIST",
		  "count every event once for each of these cgroups", &o->cgroups, 0 },
		{ OPTION_FLAG, 'i', "no-inherit", NULL, "do not count in the children that tasks fork",
		  &t->no_inherit, 0 },
		{ OPTION_FLAG, 0, "all-user", NULL, "do not count what happens in the kernel",
		  &o->counters.only_user, 0 },
		{ OPTION_FLAG, 0, "all-kernel", NULL, "do not count what happens in user space",
		  &o->counters.only_kernel, 0 },
		{ OPTION_COUNT, 'd', "detailed", NULL,
		  "also count events of caches; up to three times for more", &o->details, 0 },
		{ OPTION_UINT, 'r', "repeat", "N", "run the command N times; 0: until ^C", &o->runs, 0 },
		{ OPTION_FLAG, 0, "table", NULL, "with -r, print how long each run took", &o->table, 0 },
		{ OPTION_FLAG, 'n', "null", NULL, "count nothing but the time", &o->nothing, 0 },
		{ OPTION_FLAG, 'S', "sync", NULL, "call sync() before each run", &o->sync, 0 },
		{ OPTION_UINT, 'I', "interval-print", "MS", "print the counts of each interval",
		  &o->interval_ms, 0 },
		{ OPTION_UINT, 0, "interval-count", "N", "end after N intervals", &o->nr_intervals, 0 },
		{ OPTION_FLAG, 0, "interval-clear", NULL, "clear the screen before each interval",
		  &o->clear, 0 },
		{ OPTION_FLAG, 0, "summary", NULL, "with -I, print the counts of all intervals at the end",
		  &o->summary, 0 },
		{ OPTION_FLAG, 0, "no-csv-summary", NULL, "do not write 'summary' before these counts",
		  &o->no_summary_mark, 0 },
		{ OPTION_UINT, 0, "timeout", "MS", "end after this time", &o->timeout_ms, 0 },
		{ OPTION_STRING, 'D', "delay", "MS", "begin to count so long after the command's start",
		  &w->delay, 0 },
		{ OPTION_STRING, 0, "control", "fd:CTL[,ACK]|fifo:CTL[,ACK]", "take commands from CTL: enable, "
		  "disable, ping, stop; write ack to ACK", &w->control, 0 },
		{ OPTION_FLAG, 'A', "no-aggr", NULL, "show each CPU by itself",
		  &w->by_set[STAT_BY_CPU], 0 },
		{ OPTION_FLAG, 0, "per-core", NULL, "show each core by itself",
		  &w->by_set[STAT_BY_CORE], 0 },
		{ OPTION_FLAG, 0, "per-die", NULL, "show each die by itself",
		  &w->by_set[STAT_BY_DIE], 0 },
		{ OPTION_FLAG, 0, "per-socket", NULL, "show each socket by itself",
		  &w->by_set[STAT_BY_SOCKET], 0 },
		{ OPTION_FLAG, 0, "per-node", NULL, "show each memory node by itself",
		  &w->by_set[STAT_BY_NODE], 0 },
		{ OPTION_FLAG, 0, "per-thread", NULL, "show each thread by itself",
		  &w->by_set[STAT_BY_THREAD], 0 },
		{ OPTION_STRING, 0, "by", "LIST",
		  "count tracepoints by these fields, in the module: next_comm; cpu,ret.log2",
		  &o->keys.by, 0 },
		{ OPTION_STRING, 0, "hist", "FIELD", "show a histogram of a field, in powers of two",
		  &o->keys.hist, 0 },
		{ OPTION_STRING, 0, "value", "FIELD", "sum up a field, with average and extremes",
		  &o->keys.value, 0 },
		{ OPTION_STRING, 0, "latency", "START,END,FIELD",
		  "show a histogram of the times from START to END with the same FIELD",
		  &o->keys.latency, 0 },
		{ OPTION_UINT, 0, "top", "N", "with --by and the like, show the N largest",
		  &o->keys.top, 0 },
		{ OPTION_UINT, 0, "max-keys", "N",
		  "with --by and the like, count N keys on each CPU (10240)", &o->keys.max_keys, 0 },
		{ OPTION_STRING, 'x', "field-separator", "TEXT",
		  "print CSV, with TEXT between the fields", &w->separator, 0 },
		{ OPTION_FLAG, 'j', "json-output", NULL, "print JSON, one object a line", &w->json, 0 },
		{ OPTION_FLAG, 'B', "big-num", NULL,
		  "separate thousands as the locale does; the default", &w->big, 0 },
		{ OPTION_FLAG, 0, "no-big-num", NULL, "do not separate thousands", &w->no_big, 0 },
		{ OPTION_FLAG, 0, "metric-only", NULL,
		  "print only what is derived of counts, such as instructions per cycle",
		  &o->layout.metric_only, 0 },
		{ OPTION_CALLBACK, 'M', "metrics", "LIST",
		  "count what these metrics or groups of metrics need; 'ktrace list metrics' lists them",
		  &o->metrics.names, stat_metrics_add_word },
		STAT_METRIC_FILE_OPTION(o->metrics),
		{ OPTION_FLAG, 0, "metric-no-group", NULL,
		  "count the events of a metric by themselves", &o->metrics.no_group, 0 },
		{ OPTION_FLAG, 0, "metric-no-merge", NULL,
		  "count events that several metrics need once for each", &o->metrics.no_merge, 0 },
		{ OPTION_CALLBACK, 0, "topdown", NULL, NULL, NULL, stat_refuse_topdown },
		{ OPTION_CALLBACK, 0, "td-level", "N", NULL, NULL, stat_refuse_topdown },
		{ OPTION_CALLBACK, 'T', "transaction", NULL, NULL, NULL, stat_refuse_machine },
		{ OPTION_CALLBACK, 0, "smi-cost", NULL, NULL, NULL, stat_refuse_machine },
		{ OPTION_CALLBACK, 0, "iostat", "[DEFAULT]", NULL, NULL, stat_refuse_machine },
		{ OPTION_CALLBACK, 'g', "group", NULL, NULL, NULL, stat_refuse_group },
		{ OPTION_CALLBACK, 0, "cputype", "TYPE", NULL, NULL, stat_refuse_hybrid },
		{ OPTION_CALLBACK, 0, "hybrid-merge", NULL, NULL, NULL, stat_refuse_hybrid },
		{ OPTION_CALLBACK, 0, "percore-show-thread", NULL, NULL, NULL, stat_refuse_hybrid },
		{ OPTION_FLAG, 0, "no-scale", NULL,
		  "print what was counted, without extrapolation to the whole time", &o->raw, 0 },
		{ OPTION_STRING, 'o', "output", "FILE",
		  "write to FILE instead of standard error; record: the recording (perf.data)",
		  &o->output, 0 },
		{ OPTION_FLAG, 0, "append", NULL, "append to the file of -o", &o->append, 0 },
		{ OPTION_UINT, 0, "log-fd", "FD", "write to this descriptor", &o->log_fd, 0 },
		{ OPTION_STRING, 0, "pre", "COMMAND", "have a shell run this before each run", &o->pre, 0 },
		{ OPTION_STRING, 0, "post", "COMMAND", "have a shell run this after each run",
		  &o->post, 0 },
		{ OPTION_FLAG, 0, "quiet", NULL, "do not print the counts", &o->quiet, 0 },
		{ OPTION_COUNT, 'v', "verbose", NULL, "also print the numbers as they were counted",
		  &log_verbosity, 0 },
		/* These options of perf ask for what ktrace does anyway. */
		{ OPTION_FLAG, 'c', "scale", NULL, NULL, &w->scale, 0 },
		{ OPTION_FLAG, 0, "no-merge", NULL, NULL, &w->ignored, 0 },
		{ 0 },
	};
	const struct command_usage usage = {
		.name = "stat",
		.synopsis = "[OPTIONS] [record | report] [--] [COMMAND [ARGS] [--versus -- COMMAND "
			    "[ARGS]]]",
		.details = ", until COMMAND ends or ^C",
		.options = options,
		.stop_at_argument = true,
	};

	return command_parse(&usage, argc, argv, ret_index);
}

/* As perf does, accept the beginning of the word, from three letters on. */
static bool stat_is_word(const char *argument, const char *word)
{
	size_t len = strlen(argument);

	return len > 2 && !strncmp(word, argument, len);
}

/* As with perf, whole CPUs are meant if no event can be counted in tasks. */
static bool stat_needs_cpus(const struct event_specs *specs)
{
	bool needs = specs->nr;

	for (size_t i = 0; needs && i < specs->nr; i++) {
		struct cpumap cpus = { 0 };

		needs = event_terms_cpus(specs->items[i].text, &cpus);
		cpumap_deinit(&cpus);
	}
	return needs;
}

static struct error *stat_check_target(struct stat_options *o)
{
	struct target_options *t = &o->counters.target;
	bool some_tasks = t->pids || t->tids || t->user, cgroups = o->cgroups;

	if (!some_tasks && !t->cpus && (!o->command || stat_needs_cpus(&o->specs)))
		t->all_cpus = true;
	for (size_t i = 0; i < o->specs.nr; i++)
		cgroups |= o->specs.items[i].cgroup && *o->specs.items[i].cgroup;
	if (o->by == STAT_BY_THREAD && !some_tasks && (!t->all_cpus || t->cpus))
		return error_hint(error_new(EINVAL, "--per-thread shows threads that exist already"),
				  "Name them with -p or -t, or add -a for all of them");
	if (((o->by != STAT_BY_ALL && o->by != STAT_BY_THREAD) || cgroups) &&
	    !target_options_whole_cpus(t))
		return error_hint(error_new(EINVAL, "Counts by CPU and by cgroup need whole CPUs"),
				  "Add -a or -C");
	if (o->by == STAT_BY_THREAD && t->all_cpus) {
		t->every_thread = true;
		t->all_cpus = false;
		o->layout.busy_only = true;
	}
	return NULL;
}

static struct error *stat_check_times(const struct stat_options *o)
{
	if (o->nr_intervals && !o->interval_ms)
		return error_new(EINVAL, "--interval-count needs -I");
	if (o->timeout_ms && o->interval_ms)
		return error_hint(error_new(EINVAL, "--timeout and -I do not go together"),
				  "--interval-count ends after a number of intervals");
	if (o->clear && !o->interval_ms)
		return error_new(EINVAL, "--interval-clear needs -I");
	if (o->runs != 1 && !o->command)
		return error_new(EINVAL, "-r repeats a command, and there is none");
	if (o->runs != 1 && o->interval_ms)
		return error_new(EINVAL, "-r and -I do not go together");
	if (o->table && o->runs < 2)
		return error_new(EINVAL, "--table needs -r with two runs at least");
	if (o->record && o->runs != 1)
		return error_new(EINVAL, "stat record runs the command once; -r is for stat");
	return NULL;
}

static struct error *stat_check_output(const struct stat_options *o)
{
	if (o->output && o->log_fd && !o->record)
		return error_new(EINVAL, "-o and --log-fd are two places for the output; give one");
	if (o->append && !o->output && !o->log_fd)
		return error_new(EINVAL, "--append needs -o");
	if (o->layout.metric_only && o->by == STAT_BY_THREAD)
		return error_new(EINVAL, "--metric-only does not show threads");
	if (o->layout.metric_only && o->runs != 1)
		return error_new(EINVAL, "--metric-only does not show repeated runs");
	return NULL;
}

static struct error *stat_check_versus(const struct stat_options *o)
{
	if (!o->versus)
		return NULL;
	if (o->runs < 2)
		return error_hint(error_new(EINVAL, "Two commands can only be compared by several runs "
					    "of each"), "-r 20 runs each of them 20 times");
	if (o->by != STAT_BY_ALL || o->layout.metric_only || o->table || o->record ||
	    o->control.fd >= 0)
		return error_new(EINVAL, "--versus does not go together with -A, --per-*, --metric-only, "
				 "--table, --control and record");
	return NULL;
}

static struct error *stat_find_events(struct stat_options *o)
{
	bool whole_cpus = target_options_whole_cpus(&o->counters.target);
	struct error *err = NULL;

	if (o->nothing) {
		event_specs_deinit(&o->specs);
		return NULL;
	}
	if (!o->specs.nr && !o->metrics.names.nr)
		err = stat_events_add_default(&o->specs, whole_cpus, o->details);
	if (!err)
		err = stat_metrics_find_events(&o->metrics, whole_cpus, &o->specs);
	if (!err && o->cgroups)
		err = stat_events_for_cgroups(&o->specs, o->cgroups);
	return err;
}

static struct error *stat_finish_options(struct stat_words *w)
{
	struct stat_options *o = w->o;
	struct error *err = stat_set_output(w);

	if (!err)
		err = stat_set_by(w);
	if (!err)
		err = stat_set_delay(w);
	if (!err && w->control)
		err = control_open(w->control, &o->control);
	if (!err)
		err = stat_check_times(o);
	if (!err)
		err = stat_check_target(o);
	if (!err)
		err = stat_check_output(o);
	if (!err)
		err = stat_check_versus(o);
	if (!err)
		err = stat_keys_finish_options(o);
	if (!err)
		err = stat_find_events(o);
	o->counters.late = o->delay_ms || o->begin_disabled;
	o->layout.runs = o->runs != 1;
	return err;
}

/* Find the second command behind --versus.  The words of both then end with a NULL. */
static struct error *stat_split_commands(struct stat_options *o)
{
	for (int i = 0; i < o->argc; i++) {
		if (strcmp(o->command[i], "--versus"))
			continue;
		o->versus = o->command + i + 1;
		if (*o->versus && !strcmp(*o->versus, "--"))
			o->versus++;
		if (!i || !*o->versus)
			return error_hint(error_new(EINVAL, "--versus stands between two commands"),
					  "As in: ktrace stat -r 20 -- A --versus -- B");
		o->command[i] = NULL;
		o->argc = i;
		break;
	}
	return NULL;
}

struct error *stat_options_parse(int argc, char **argv, struct stat_options *o, int *ret_index)
{
	struct stat_words words = { .o = o };
	struct error *err;
	int index, offset = 0;

	*o = (struct stat_options){ .runs = 1, .counters.specs = &o->specs,
					.control = CONTROL_INIT };
	err = stat_parse_words(argc, argv, &words, &index);
	if (!err && index >= 0 && index < argc && stat_is_word(argv[index], "report")) {
		*ret_index = index;
		return stat_set_output(&words);
	}
	if (!err && index >= 0 && index < argc && stat_is_word(argv[index], "record")) {
		o->record = true;
		offset = index;
		err = stat_parse_words(argc - offset, argv + offset, &words, &index);
	}
	*ret_index = index < 0 ? index : argc;
	if (err || index < 0)
		return err;
	if (index + offset < argc) {
		o->command = argv + offset + index;
		o->argc = argc - offset - index;
		o->counters.target.command = true;
		err = stat_split_commands(o);
	}
	return err ? err : stat_finish_options(&words);
}

void stat_options_deinit(struct stat_options *o)
{
	event_specs_deinit(&o->specs);
	stat_metrics_deinit(&o->metrics);
	free(o->keys.latency_words);
	control_close(&o->control);
}
