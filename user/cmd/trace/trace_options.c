// SPDX-License-Identifier: GPL-2.0
#include "cmd/trace/trace.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "capture/choose.h"
#include "cmd/command.h"
#include "cmd/recording.h"
#include "lib/array.h"
#include "lib/log.h"
#include "lib/number.h"
#include "terminal/word_list.h"

static struct error *trace_add_words(void *data, const char *text)
{
	struct trace_options *o = data;
	_cleanup_free_ char *copy = NULL;
	char *save = NULL;
	bool begun = false;

	if (*text == '!') {
		o->other_calls = true;
		text++;
	}
	copy = strdup(text);
	if (!copy)
		return &error_no_memory;
	for (char *word = strtok_r(copy, ",", &save); word; word = strtok_r(NULL, ",", &save)) {
		char *one = strdup(word);

		if (!one || !array_grow((void **)&o->words, o->nr_words, &o->alloc_words,
					sizeof(*o->words))) {
			free(one);
			return &error_no_memory;
		}
		if (begun)
			o->words[o->nr_words - 1].with_next = true;
		begun = true;
		o->words[o->nr_words++] = (struct trace_word){ .text = one };
	}
	return NULL;
}

/*
 * Set the filter of the last -e, whose words have to be events; trace_options_resolve() checks
 * that.
 */
static struct error *trace_set_filter(void *data, const char *text)
{
	struct trace_options *o = data;

	if (!o->nr_words)
		return error_hint(error_new(EINVAL, "--filter comes before the first -e"),
				  "Write it behind its events: -e sched:sched_switch --filter "
				  "'prev_prio < 120'");
	for (size_t i = o->nr_words; i--; ) {
		o->words[i].filter = text;
		if (!i || !o->words[i - 1].with_next)
			break;
	}
	return NULL;
}

static struct error *trace_leave_out(void *data, const char *text)
{
	struct trace_options *o = data;
	_cleanup_free_ char *copy = strdup(text);
	char *save = NULL;

	if (!copy)
		return &error_no_memory;
	for (char *word = strtok_r(copy, ",", &save); word; word = strtok_r(NULL, ",", &save)) {
		unsigned long long number;

		if (!parse_u64(word, &number) || number > INT32_MAX)
			return error_hint(error_new(EINVAL, "--filter-pids takes a list of numbers, "
						    "not '%s'", word), "As in --filter-pids 12,34");
		strbuf_addf(&o->without, "%scommon_pid != %llu", o->without.len ? " && " : "", number);
	}
	return o->without.failed ? &error_no_memory : NULL;
}

static const struct {
	const char *name;
	bool major, minor;
} trace_faults[] = { { "all", true, true }, { "maj", true, false }, { "min", false, true } };

static struct error *trace_parse_faults(void *data, const char *text)
{
	struct trace_options *o = data;
	unsigned int row;
	struct error *err = word_parse(WORDS(trace_faults), "-F does not know", text ? text : "maj",
				       &row);

	if (err)
		return err;
	o->major |= trace_faults[row].major;
	o->minor |= trace_faults[row].minor;
	return NULL;
}

static struct error *trace_parse_command_line(int argc, char **argv, struct trace_options *o,
					      int *ret_index)
{
	struct plan_options *p = &o->record.plan;
	struct target_options *t = &p->target;
	const struct option_spec options[] = {
		OPT_CALL("event", o, trace_add_words),
		OPT_CALL("expr", o, trace_add_words),
		OPT_CALL("filter", o, trace_set_filter),
		OPT_CALL("filter-pids", o, trace_leave_out),
		OPT_STRING("switch-on", &o->switch_on),
		OPT_STRING("switch-off", &o->switch_off),
		OPT_FLAG("show-on-off-events", &o->show_switches),
		RECORDING_INPUT_OPTION(o->input),
		OPT_STRING("output", &o->output),
		OPT_STRING("pid", &t->pids),
		OPT_STRING("tid", &t->tids),
		OPT_FLAG("all-cpus", &t->all_cpus),
		OPT_STRING("cpu", &t->cpus),
		OPT_STRING("uid", &t->user),
		OPT_STRING("cgroup", &o->cgroup),
		OPT_STRING("delay", &o->delay),
		OPT_FLAG("no-inherit", &t->no_inherit),
		OPT_FLAG("summary", &o->summary_only),
		OPT_FLAG("with-summary", &o->with_summary),
		OPT_FLAG("errno-summary", &o->errnos),
		OPT_FLAG("sched", &o->sched),
		OPT_STRING("duration", &o->duration),
		OPT_FLAG("failure", &o->failures),
		OPT_CALL_NEXT("pf", o, trace_parse_faults),
		OPT_FLAG("syscalls", &o->syscalls),
		OPT_FLAG("libtraceevent_print", &o->by_print_fmt),
		OPT_FLAG("time", &o->full_time),
		OPT_FLAG("comm", &o->comms),
		OPT_FLAG("no-comm", &o->no_comms),
		OPT_UINT("max-events", &o->most),
		OPT_CALL("mmap-pages", &p->pages, record_parse_pages),
		OPT_STRING("via", &p->via, .help = capture_choice_help()),
		RECORDING_FORCE_OPTION(o->force),
		RECORDING_QUIET_OPTION,
		OPT_COUNT("verbose", &log_verbosity),
		{ 0 },
	};
	const struct option_values values[] = {
		{ .option = "pf", .table = WORDS(trace_faults) },
		{ .option = "via", .add = capture_choice_add_names },
		{ 0 },
	};
	const struct command_usage usage = {
		.name = "trace",
		.synopsis = "[OPTIONS] [record] [--] [COMMAND [ARGS]]",
		.details = ". Without a command, -p or -t, all tasks are traced; -i reads a "
			   "recording, which 'ktrace trace record' makes",
		.options = options,
		.values = values,
		.stop_at_argument = true,
	};

	return command_parse(&usage, argc, argv, ret_index);
}

static struct error *trace_check(struct trace_options *o)
{
	const struct target_options *t = &o->record.plan.target;
	char *end;
	double ms;

	if (o->duration) {
		ms = strtod(o->duration, &end);
		if (end == o->duration || *end || !(ms >= 0 && ms < 1e9))
			return error_new(EINVAL, "--duration takes a number of milliseconds, not '%s'",
					 o->duration);
		o->shortest = ms * 1e6;
	}
	if (o->delay && !strcmp(o->delay, "-1"))
		return error_hint(error_new(EINVAL, "-D -1 begins without tracing, and nothing "
					    "would start it later"),
				  "'ktrace trace record -D -1' takes --control");
	if (o->input && (o->cgroup || o->delay || o->without.len))
		return error_hint(error_new(EINVAL, "%s is for live tracing, not for a recording "
					    "(-i)",
					    o->cgroup ? "-G" : o->delay ? "-D" : "--filter-pids"),
				  "-p, -t and -C choose from a recording");
	for (size_t i = 0; i < o->nr_words && o->input; i++)
		if (o->words[i].filter)
			return error_hint(error_new(EINVAL, "--filter is for live tracing, not for "
						    "a recording (-i)"),
					  "'ktrace script --filter' filters a recording");
	if (o->input && o->command)
		return error_hint(error_new(EINVAL, "trace -i reads a recording and runs no command"),
				  "'ktrace trace record -- COMMAND' makes a recording");
	if (o->input && t->user)
		return error_hint(error_new(EINVAL, "A recording does not have the users of tasks, "
					    "so -u cannot choose tasks"), "-p and -t can");
	return NULL;
}

struct error *trace_options_parse(int argc, char **argv, struct trace_options *o, int *ret_index)
{
	struct plan_options *p;
	struct error *err;
	int index;

	*o = (struct trace_options){ .record.plan.clockid = -1, .without = STRBUF_INIT };
	p = &o->record.plan;
	p->specs = &o->record.specs;
	err = trace_parse_command_line(argc, argv, o, ret_index);
	index = *ret_index;
	if (err || index < 0)
		return err;
	if (o->nr_words && index == argc - 1 && !strcmp(argv[index], "help"))
		return error_hint(error_new(EINVAL, "perf-prof's 'help' behind an event belongs to "
					    "ktrace python"),
				  "'ktrace python -e EVENT help' prints a template with the event's fields, "
				  "'ktrace list --details EVENT' the fields alone");
	if (index < argc && !strcmp(argv[index], "record"))
		o->record_argv = argv + index;
	else if (index < argc)
		o->command = argv + index;
	/* As in perf, errors are counted in the table, so it is wanted. */
	o->summary_only |= o->errnos && !o->with_summary;
	o->with_summary |= o->sched && !o->summary_only;
	p->target.command = o->command;
	p->without = o->without.len ? o->without.data : NULL;
	if (o->delay) {
		err = record_parse_delay(&o->record, o->delay);
		if (err)
			return err;
	}
	if (!o->command && !p->target.pids && !p->target.tids && !p->target.user &&
	    !p->target.cpus)
		p->target.all_cpus = true;
	p->sample_cpu = true;
	p->period = 1;
	p->addr = o->major || o->minor;
	p->exclude_self = p->target.all_cpus || p->target.cpus;
	return o->record_argv ? NULL : trace_check(o);
}

void trace_options_deinit(struct trace_options *o)
{
	for (size_t i = 0; i < o->nr_words; i++)
		free(o->words[i].text);
	free(o->words);
	strbuf_deinit(&o->without);
	record_options_deinit(&o->record);
}

static struct error *trace_resolve_word(struct trace_options *o, struct syscalls *syscalls,
					struct trace_word *word)
{
	const char *near;
	struct error *err;

	word->is_event = false;
	if (syscalls_match(syscalls, word->text, o->wanted) ||
	    syscalls_match_group(syscalls, word->text, o->wanted)) {
		o->choose = true;
		return NULL;
	}
	near = syscalls_nearest(syscalls, word->text);
	if (*word->text != '%' && (!near || strpbrk(word->text, ":/"))) {
		word->is_event = o->has_events = true;
		return NULL;
	}
	err = error_new(EINVAL, "'%s' is neither a system call nor an event", word->text);
	if (near)
		return error_hint(err, "Did you mean '%s%s'?", *word->text == '%' ? "%" : "", near);
	return error_hint(err, "strace's groups are known: %%file, %%network, %%process, %%desc, "
			  "%%memory, %%signal, %%ipc and others");
}

struct error *trace_options_resolve(struct trace_options *o, struct syscalls *syscalls)
{
	struct error *err = NULL;

	for (size_t i = 0; i < o->nr_words && !err; i++)
		err = trace_resolve_word(o, syscalls, &o->words[i]);
	if (err)
		return err;
	for (size_t i = 0; i < o->nr_words; i++)
		if (o->words[i].filter && !o->words[i].is_event)
			return error_hint(error_new(EINVAL, "'%s' is a system call, and --filter is for "
						    "events", o->words[i].text),
					  "--duration and --failure choose calls; -e "
					  "syscalls:sys_enter_NAME --filter filters one");
	if (o->other_calls && o->has_events)
		return error_new(EINVAL, "'!' leaves out system calls, and cannot leave out events");
	if (o->choose && o->other_calls)
		for (size_t i = 0; i < SYSCALL_NUMBERS; i++)
			o->wanted[i] = !o->wanted[i];
	if (o->choose || (!o->major && !o->minor && !o->has_events))
		o->syscalls = true;
	return NULL;
}

const bool *trace_options_wanted(const struct trace_options *o)
{
	return o->choose ? o->wanted : NULL;
}
