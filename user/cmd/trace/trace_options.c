// SPDX-License-Identifier: GPL-2.0
#include "cmd/trace/trace_options.h"

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

/* For all words of the last -e, which have to be events; trace_options_resolve() looks at that. */
static struct error *trace_set_filter(void *data, const char *text)
{
	struct trace_options *o = data;

	if (!o->nr_words)
		return error_hint(error_new(EINVAL, "--filter comes before any -e"),
				  "Write it after the events it is for: -e sched:sched_switch "
				  "--filter 'prev_prio < 120'");
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
		{ OPTION_CALLBACK, 'e', "event", "LIST",
		  "system calls to trace, as in open,close, !futex or %file; or events",
		  o, trace_add_words },
		{ OPTION_CALLBACK, 0, "expr", "LIST", "the same as -e", o, trace_add_words },
		{ OPTION_CALLBACK, 0, "filter", "FILTER",
		  "trace only what matches; for the events of the -e before it", o,
		  trace_set_filter },
		{ OPTION_CALLBACK, 0, "filter-pids", "LIST",
		  "leave out these tasks, by their numbers", o, trace_leave_out },
		{ OPTION_STRING, 0, "switch-on", "EVENT", "only what comes after this event",
		  &o->switch_on, NULL },
		{ OPTION_STRING, 0, "switch-off", "EVENT",
		  "nothing that comes after this event, until that of --switch-on", &o->switch_off,
		  NULL },
		{ OPTION_FLAG, 0, "show-on-off-events", NULL,
		  "also the events of --switch-on and --switch-off", &o->show_switches, NULL },
		RECORDING_INPUT_OPTION(o->input),
		{ OPTION_STRING, 'o', "output", "FILE", "write the trace to FILE", &o->output, NULL },
		{ OPTION_STRING, 'p', "pid", "LIST", "trace these processes", &t->pids, NULL },
		{ OPTION_STRING, 't', "tid", "LIST", "trace these threads", &t->tids, NULL },
		{ OPTION_FLAG, 'a', "all-cpus", NULL,
		  "trace all tasks on all CPUs; the default without a command", &t->all_cpus, NULL },
		{ OPTION_STRING, 'C', "cpu", "LIST", "trace all tasks on these CPUs", &t->cpus,
		  NULL },
		{ OPTION_STRING, 'u', "uid", "USER", "trace the tasks of a user", &t->user, NULL },
		{ OPTION_STRING, 'G', "cgroup", "NAME", "trace only this cgroup, with -a or -C",
		  &o->cgroup, NULL },
		{ OPTION_STRING, 'D', "delay", "MS",
		  "let the command run for this time before tracing starts", &o->delay, NULL },
		{ OPTION_FLAG, 0, "no-inherit", NULL,
		  "do not trace the children that the tasks fork", &t->no_inherit, NULL },
		{ OPTION_FLAG, 's', "summary", NULL, "print only a table of the calls of each task",
		  &o->summary_only, NULL },
		{ OPTION_FLAG, 'S', "with-summary", NULL, "print that table behind the trace",
		  &o->with_summary, NULL },
		{ OPTION_FLAG, 0, "errno-summary", NULL, "also count the errors in that table",
		  &o->errnos, NULL },
		{ OPTION_FLAG, 0, "sched", NULL,
		  "that table says how long each task ran, and is printed without -S, too", &o->sched,
		  NULL },
		{ OPTION_STRING, 0, "duration", "MS", "only calls that take at least so long",
		  &o->duration, NULL },
		{ OPTION_FLAG, 0, "failure", NULL, "only calls that fail", &o->failures, NULL },
		{ OPTION_CALLBACK_NEXT, 'F', "pf", "[all|maj|min]",
		  "trace page faults: major ones, minor ones, or all (maj)", o,
		  trace_parse_faults },
		{ OPTION_FLAG, 0, "syscalls", NULL,
		  "trace system calls, too, if -F or -e asks for something else", &o->syscalls,
		  NULL },
		{ OPTION_FLAG, 0, "libtraceevent_print", NULL,
		  "print the fields of events as their formats say, as 'script' does",
		  &o->by_print_fmt, NULL },
		{ OPTION_FLAG, 'T', "time", NULL,
		  "print the times of the clock, not those since the first event", &o->full_time,
		  NULL },
		{ OPTION_FLAG, 0, "comm", NULL, "print the names of tasks; the default", &o->comms,
		  NULL },
		{ OPTION_FLAG, 0, "no-comm", NULL, "print only their numbers", &o->no_comms, NULL },
		{ OPTION_UINT, 0, "max-events", "N", "end when so many events were printed",
		  &o->most, NULL },
		{ OPTION_CALLBACK, 'm', "mmap-pages", "PAGES",
		  "pages of each CPU's ring, or its size as in 4M", &p->pages, record_parse_pages },
		{ OPTION_STRING, 0, "via", "SOURCE", capture_choice_help(), &p->via, NULL },
		RECORDING_FORCE_OPTION(o->force),
		RECORDING_QUIET_OPTION,
		{ OPTION_COUNT, 'v', "verbose", NULL, "print more messages", &log_verbosity, NULL },
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
		return error_hint(error_new(EINVAL, "-D -1 begins without tracing, and nothing would begin "
					    "it later"), "'ktrace trace record -D -1' takes --control");
	if (o->input && (o->cgroup || o->delay || o->without.len))
		return error_hint(error_new(EINVAL, "%s is for what is traced now, not for a recording (-i)",
					    o->cgroup ? "-G" : o->delay ? "-D" : "--filter-pids"),
				  "-p, -t and -C choose from a recording");
	for (size_t i = 0; i < o->nr_words && o->input; i++)
		if (o->words[i].filter)
			return error_hint(error_new(EINVAL, "--filter is for what is traced now, not for "
						    "a recording (-i)"),
					  "'ktrace script --filter' filters a recording");
	if (o->input && o->command)
		return error_hint(error_new(EINVAL, "trace -i reads a recording and runs no command"),
				  "'ktrace trace record -- COMMAND' makes a recording");
	if (o->input && t->user)
		return error_hint(error_new(EINVAL, "A recording does not say whose tasks they are, "
					    "so -u cannot choose them"), "-p and -t can");
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
