// SPDX-License-Identifier: GPL-2.0
#include "cmd/stat/stat_command.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd/command.h"
#include "cmd/event_words.h"
#include "cmd/stat/stat_keys.h"
#include "lib/array.h"
#include "lib/log.h"
#include "lib/number.h"
#include "lib/strbuf.h"
#include "spec/event_terms.h"

/* perf counts stalls by default if the processor's PMU has these events. */
static bool stat_has_stalls(const char *side)
{
	_cleanup_(strbuf) struct strbuf path = STRBUF_INIT;

	strbuf_addf(&path, "/sys/bus/event_source/devices/cpu/events/stalled-cycles-%s", side);
	return !path.failed && !access(path.data, F_OK);
}

/* Add perf's events; @details, the number of -d, adds events of caches. */
static struct error *stat_events_add_default(struct event_specs *specs, bool whole_cpus,
					     int details)
{
	static const char *const more[] = {
		"L1-dcache-loads,L1-dcache-load-misses,LLC-loads,LLC-load-misses",
		("L1-icache-loads,L1-icache-load-misses,dTLB-loads,dTLB-load-misses,iTLB-loads,"
		 "iTLB-load-misses"),
		"L1-dcache-prefetches,L1-dcache-prefetch-misses",
	};
	_cleanup_(strbuf) struct strbuf list = STRBUF_INIT;

	strbuf_addf(&list, "%s,context-switches,cpu-migrations,page-faults,cycles",
		    whole_cpus ? "cpu-clock" : "task-clock");
	if (stat_has_stalls("frontend"))
		strbuf_addstr(&list, ",stalled-cycles-frontend");
	if (stat_has_stalls("backend"))
		strbuf_addstr(&list, ",stalled-cycles-backend");
	strbuf_addstr(&list, ",instructions,branches,branch-misses");
	for (int i = 0; i < details && i < (int)ARRAY_SIZE(more); i++)
		strbuf_addf(&list, ",%s", more[i]);
	return list.failed ? &error_no_memory : event_specs_add(specs, list.data);
}

static bool stat_copy_text(const char *text, char **ret)
{
	*ret = text ? strdup(text) : NULL;
	return !text || *ret;
}

static struct error *stat_copy_spec(struct event_specs *specs, const struct event_spec *from,
				    const char *cgroup, uint32_t group)
{
	struct event_spec spec = *from;
	bool ok;

	spec.group = group;
	ok = stat_copy_text(from->system, &spec.system);
	ok &= stat_copy_text(from->name, &spec.name);
	ok &= stat_copy_text(from->text, &spec.text);
	ok &= stat_copy_text(from->filter, &spec.filter);
	ok &= stat_copy_text(cgroup, &spec.cgroup);
	if (ok && array_push(specs, spec))
		return NULL;
	free(spec.system);
	free(spec.name);
	free(spec.text);
	free(spec.filter);
	free(spec.cgroup);
	return &error_no_memory;
}

/* Have every event once for each of the cgroups in @list, which commas separate. */
static struct error *stat_events_for_cgroups(struct event_specs *specs, const char *list)
{
	_cleanup_free_ char *copy = strdup(list);
	struct event_specs all = { 0 };
	struct error *err = copy ? NULL : &error_no_memory;
	uint32_t highest = 0, groups = 0;
	char *save, *word;

	for (size_t i = 0; i < specs->nr; i++)
		if (specs->items[i].group > highest)
			highest = specs->items[i].group;
	for (word = copy ? strtok_r(copy, ",", &save) : NULL; !err && word;
	     word = strtok_r(NULL, ",", &save)) {
		for (size_t i = 0; !err && i < specs->nr; i++) {
			const struct event_spec *spec = &specs->items[i];

			err = stat_copy_spec(&all, spec, word,
					     spec->group ? spec->group + groups : 0);
		}
		groups += highest;
	}
	if (!err && !all.nr)
		err = error_new(EINVAL, "--for-each-cgroup takes names of cgroups, not '%s'", list);
	if (err) {
		event_specs_deinit(&all);
		return err;
	}
	event_specs_deinit(specs);
	*specs = all;
	return NULL;
}

/* Options that only parsing needs. */
struct stat_words {
	struct stat_options *o;
	bool by_set[STAT_BY_THREAD + 1];
	bool json, folded, scale, big, no_big, ignored;
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

/* Refuse output that perf computes by tables or hardware that ktrace does not know. */

static struct error *stat_set_output(struct stat_words *w)
{
	struct stat_layout *layout = &w->o->layout;

	layout->plain_digits = w->no_big;
	if (w->json + w->folded + !!w->separator > 1)
		return error_new(EINVAL, "-j, -x and --folded are output formats; give one");
	if (w->json)
		layout->form = STAT_FORM_JSON;
	if (w->folded)
		layout->form = STAT_FORM_FOLDED;
	if (!w->separator)
		return NULL;
	if (w->big)
		return error_new(EINVAL, "-B groups digits, which -x does not do");
	layout->form = STAT_FORM_CSV;
	layout->separator = strcmp(w->separator, "\\t") ? w->separator : "\t";
	return *layout->separator ? NULL : error_new(EINVAL, "-x takes a separator, which is "
						     "missing");
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
			error_hint(error_new(EINVAL, "-D -1 begins without counting, and nothing "
					     "would start it later"),
				   "--control names the source of the command that starts it");
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
		OPT_CALL("event", &o->specs, stat_add_event),
		OPT_CALL("filter", &o->specs, stat_add_filter),
		OPT_FLAG("all-cpus", &t->all_cpus),
		OPT_STRING("cpu", &t->cpus),
		OPT_STRING("pid", &t->pids),
		OPT_STRING("tid", &t->tids),
		OPT_STRING("uid", &t->user),
		OPT_CALL("cgroup", &o->specs, stat_add_cgroups),
		OPT_STRING("for-each-cgroup", &o->cgroups),
		OPT_FLAG("no-inherit", &t->no_inherit),
		OPT_FLAG("all-user", &o->counters.only_user),
		OPT_FLAG("all-kernel", &o->counters.only_kernel),
		OPT_COUNT("detailed", &o->details),
		OPT_UINT("repeat", &o->runs),
		OPT_FLAG("table", &o->table),
		OPT_FLAG("null", &o->nothing),
		OPT_FLAG("sync", &o->sync),
		OPT_UINT("interval-print", &o->interval_ms),
		OPT_UINT("interval-count", &o->nr_intervals),
		OPT_FLAG("interval-clear", &o->clear),
		OPT_FLAG("summary", &o->summary),
		OPT_FLAG("no-csv-summary", &o->no_summary_mark),
		OPT_UINT("timeout", &o->timeout_ms),
		OPT_STRING("delay", &w->delay),
		OPT_STRING("control", &w->control),
		OPT_FLAG("no-aggr", &w->by_set[STAT_BY_CPU]),
		OPT_FLAG("per-core", &w->by_set[STAT_BY_CORE]),
		OPT_FLAG("per-die", &w->by_set[STAT_BY_DIE]),
		OPT_FLAG("per-socket", &w->by_set[STAT_BY_SOCKET]),
		OPT_FLAG("per-node", &w->by_set[STAT_BY_NODE]),
		OPT_FLAG("per-thread", &w->by_set[STAT_BY_THREAD]),
		OPT_STRING("by", &o->keys.by),
		OPT_STRING("hist", &o->keys.hist),
		OPT_STRING("value", &o->keys.value),
		OPT_STRING("latency", &o->keys.latency),
		OPT_UINT("top", &o->keys.top),
		OPT_UINT("max-keys", &o->keys.max_keys),
		OPT_STRING("field-separator", &w->separator),
		OPT_FLAG("json-output", &w->json),
		OPT_FLAG("folded", &w->folded),
		OPT_FLAG("big-num", &w->big),
		OPT_FLAG("no-big-num", &w->no_big),
		OPT_FLAG("metric-only", &o->layout.metric_only),
		OPT_CALL("metrics", &o->metrics.names, stat_metrics_add_word),
		STAT_METRIC_FILE_OPTION(o->metrics),
		OPT_FLAG("metric-no-group", &o->metrics.no_group),
		OPT_FLAG("metric-no-merge", &o->metrics.no_merge),
		OPT_FLAG("no-scale", &o->raw),
		OPT_STRING("output", &o->output),
		OPT_FLAG("append", &o->append),
		OPT_UINT("log-fd", &o->log_fd),
		OPT_STRING("pre", &o->pre),
		OPT_STRING("post", &o->post),
		OPT_FLAG("quiet", &o->quiet),
		OPT_COUNT("verbose", &log_verbosity),
		/* These options of perf select behaviour that ktrace always has. */
		OPT_FLAG("scale", &w->scale, .letter = 'c', .hidden = true),
		OPT_FLAG("no-merge", &w->ignored, .hidden = true),
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
		return error_new(EINVAL, "-r repeats a command, which is missing");
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

/* Find the second command behind --versus.  A NULL then ends the arguments of both. */
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
