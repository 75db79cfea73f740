// SPDX-License-Identifier: GPL-2.0
#include "cmd/trace/trace.h"

#include <errno.h>
#include <fnmatch.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/array.h"
#include "lib/log.h"
#include "lib/new_file.h"
#include "record/body.h"
#include "table/trace/trace_summary.h"

/* Whether an event of -e was recorded as this one. */
static bool trace_names_event(const struct trace_options *o, const struct event *event)
{
	for (size_t i = 0; i < o->nr_words; i++)
		if (o->words[i].is_event && !fnmatch(o->words[i].text, event->name, 0))
			return true;
	return false;
}

/* As in perf, the event that switches must be traced. */
struct error *trace_check_switches(const struct trace_options *o, const struct event_list *events)
{
	const char *names[] = { o->switch_on, o->switch_off };

	for (size_t n = 0; n < ARRAY_SIZE(names); n++) {
		bool found = !names[n];

		for (size_t i = 0; i < events->nr && !found; i++)
			found = !strcmp(events->items[i]->name, names[n]);
		if (!found)
			return error_hint(error_new(EINVAL, "The event '%s' of %s is not traced", names[n],
						    n ? "--switch-off" : "--switch-on"),
					  "-e traces it, and --syscalls the calls beside it");
	}
	return NULL;
}

/* Whether a sample is left out, because another one has switched tracing off, or it switches. */
static bool trace_is_off(struct trace *t, const struct event *event)
{
	const char *name = t->off ? t->options->switch_on : t->options->switch_off;

	if (!name || strcmp(name, event->name))
		return t->off;
	t->off = !t->off;
	return !t->options->show_switches;
}

static bool trace_is_runtime(const struct trace *t, const struct session_record *r)
{
	return t->options->sched && r->format && !strcmp(r->event->name, "sched:sched_stat_runtime");
}

static struct error *trace_take_runtime(struct trace *t, const struct session_record *r)
{
	const struct field *runtime = event_format_field(r->format, "runtime");
	struct syscall_task *task = syscall_states_task(t->states, r);

	if (!task)
		return &error_no_memory;
	if (runtime)
		task->runtime += field_u64(runtime, r->sample.raw, r->sample.raw_size);
	return NULL;
}

/* As in perf, page faults that were recorded are shown. */
static struct error *trace_take_fault(struct trace *t, const struct session_record *r)
{
	struct syscall_task *task = syscall_states_task(t->states, r);

	if (!task)
		return &error_no_memory;
	task->events++;
	t->events++;
	if (r->event->attr.config == PERF_COUNT_SW_PAGE_FAULTS_MAJ)
		task->major++;
	else
		task->minor++;
	return trace_text_fault(t->text, r);
}

static struct error *trace_take_sample(struct session_consumer *consumer,
				       const struct session_record *r)
{
	struct trace *t = container_of(consumer, struct trace, consumer);
	struct trace_options *o = t->options;
	struct error *err = NULL;
	bool taken = false, named = o->has_events && trace_names_event(o, r->event);

	if (trace_is_off(t, r->event))
		return NULL;
	trace_text_see(t->text, r->sample.time);
	if (trace_is_runtime(t, r))
		err = trace_take_runtime(t, r);
	/* An event of one call that was asked for is shown as such, beside all calls. */
	if (!err && o->syscalls && !(named && syscall_states_recorded_raw(r->events)))
		err = syscall_states_sample(t->states, r, &taken);
	t->events += taken;
	if (!err && !taken) {
		if (named)
			err = trace_text_event(t->text, r);
		else if (event_tells_data(r->event))
			err = trace_take_fault(t, r);
	}
	if (trace_text_is_full(t->text))
		t->stop = 1;
	return err;
}

static struct error *trace_take_other(struct session_consumer *consumer,
				      const struct session_record *r)
{
	struct trace *t = container_of(consumer, struct trace, consumer);
	const struct body_lost *lost = body_of(r->record.header, struct body_lost);

	if (!syscall_states_other(t->states, r))
		return &error_no_memory;
	if (r->record.header->type == PERF_RECORD_LOST && lost)
		return trace_text_lost(t->text, lost->lost);
	return NULL;
}

static struct error *trace_keep_names(struct session_consumer *consumer)
{
	struct trace *t = container_of(consumer, struct trace, consumer);

	return syscall_states_keep(t->states);
}

/* Whether close() is among the traced calls, so that paths of descriptors do not grow old. */
static bool trace_sees_close(const struct trace *t)
{
	bool close[SYSCALL_NUMBERS] = { false };
	const bool *wanted = trace_options_wanted(t->options);

	syscalls_match(t->syscalls, "close", close);
	for (size_t i = 0; i < SYSCALL_NUMBERS && wanted; i++)
		if (close[i] && !wanted[i])
			return false;
	return true;
}

struct error *trace_init(struct trace *t, struct trace_options *o, const char *arch, bool live,
			 FILE *out)
{
	const struct target_options *target = &o->record.plan.target;
	struct syscall_listener *listener;
	struct error *err;

	*t = (struct trace){
		.options = o, .out = out, .off = o->switch_on,
		.consumer = {
			.sample = trace_take_sample, .other = trace_take_other,
			.finish = trace_keep_names,
		},
	};
	err = syscalls_create(arch, &t->syscalls);
	if (!err)
		err = trace_options_resolve(o, t->syscalls);
	if (err)
		return err;
	t->text_options = (struct trace_text_options){
		.out = out, .terminal = out != stdout && isatty(fileno(out)),
		.full_time = o->full_time, .comms = !o->no_comms, .failures = o->failures,
		.tasks = !live || target->all_cpus || target->cpus || target->user ||
			 !target->no_inherit,
		.durations = o->syscalls, .lines = !o->summary_only, .shortest = o->shortest,
		.most = o->most, .by_print_fmt = o->by_print_fmt,
	};
	err = descriptor_paths_create(live, &t->paths);
	if (!err)
		err = syscall_words_create(t->syscalls, t->paths, trace_sees_close(t), &t->words);
	if (!err)
		err = trace_text_create(&t->text_options, t->words, &t->text);
	if (err)
		return err;
	listener = trace_text_listener(t->text);
	if (o->summary_only || o->with_summary) {
		err = syscall_stats_create(listener, &t->stats);
		if (err)
			return err;
		listener = syscall_stats_listener(t->stats);
	}
	return syscall_states_create(t->syscalls, trace_options_wanted(o), t->paths, listener,
				     &t->states);
}

void trace_deinit(struct trace *t)
{
	syscall_states_destroy(t->states);
	syscall_stats_destroy(t->stats);
	trace_text_destroy(t->text);
	syscall_words_destroy(t->words);
	descriptor_paths_destroy(t->paths);
	syscalls_destroy(t->syscalls);
}

struct error *trace_finish(struct trace *t)
{
	struct trace_summary summary = {
		.events = t->events - syscall_states_repeated(t->states),
		.errnos = t->options->errnos,
		.runtimes = t->options->sched,
		.terminal = t->text_options.terminal,
	};
	struct syscall_task_sums *tasks;
	struct error *err = trace_text_flush(t->text);

	if (syscall_states_unknown(t->states))
		log_notice("%" PRIu64 " samples belong to no system call, so they were left out.",
			   syscall_states_unknown(t->states));
	if (err || !t->stats)
		return err;
	err = syscall_stats_sorted(t->stats, t->states, &tasks, &summary.nr);
	if (err)
		return err;
	summary.tasks = tasks;
	return trace_summary_print(&summary, t->out);
}

struct error *trace_open_output(const char *path, FILE **ret)
{
	struct error *err = new_file_check(path);
	_cleanup_free_ char *old = NULL;
	struct stat st;

	if (err)
		return err;
	if (!stat(path, &st) && S_ISREG(st.st_mode) && st.st_size) {
		if (asprintf(&old, "%s.old", path) < 0)
			return &error_no_memory;
		if (rename(path, old))
			return error_errno(errno, "Cannot rename %s to %s", path, old);
	}
	*ret = fopen(path, "we");
	return *ret ? NULL : error_errno(errno, "Cannot write %s", path);
}
