// SPDX-License-Identifier: GPL-2.0
#include "recorder/counters.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "capture/cgroup.h"
#include "capture/choose.h"
#include "capture/counts.h"
#include "capture/event_attr.h"
#include "lib/file.h"
#include "lib/interrupt.h"
#include "lib/log.h"
#include "lib/monotonic.h"

#define NS_PER_MS	1000000ULL

/* The interval for checking whether observed tasks have ended, since no signal reports it. */
#define COUNTERS_LOOK_MS	100
/* The timeout of a wait that only signals end. */
#define COUNTERS_WAIT_MS	3600000

static const struct capture_backend *counters_backend(void)
{
	for (const struct capture_backend *const *b = capture_backends; *b; b++)
		if ((*b)->counting && (*b)->automatic)
			return *b;
	return NULL;
}

/* perf_event would report a cgroup that does not exist as an event that does not exist. */
static struct error *counters_check_cgroup(const char *name)
{
	_cleanup_close_ int fd = -1;

	return *name ? cgroup_open(name, false, &fd) : NULL;
}

struct error *counters_check_fields(const struct event_spec *spec)
{
	if (spec->type == PERF_TYPE_TRACEPOINT)
		return NULL;
	return error_hint(error_new(EINVAL, "%s is not a tracepoint, so it has no fields to count by",
				    spec->text), "'ktrace list' lists the tracepoints");
}

/* The module has one scope for all events of a session. */
static struct error *counters_check_cgroups(const struct event_specs *specs)
{
	for (size_t i = 1; i < specs->nr; i++) {
		const char *one = specs->items[0].cgroup, *other = specs->items[i].cgroup;

		if (strcmp(one ? one : "", other ? other : ""))
			return error_hint(error_new(EINVAL, "Events that are counted by fields have one "
						    "cgroup together, not one each"),
					  "'--by cgroup' counts each cgroup by itself");
	}
	return NULL;
}

static struct error *counters_check_keys(const struct event_specs *specs)
{
	struct error *err = counts_backend()->available();

	return err ? err : counters_check_cgroups(specs);
}

static struct error *counters_add(struct counters *c, const struct event_spec *spec,
				  struct event_attr_options *attr_options)
{
	bool by_keys = c->ops == &counts_ops;
	const struct capture_backend *backend = by_keys ? counts_backend() : counters_backend();
	const struct perf_event_attr attr = { .type = spec->type, .config = spec->config };
	const struct event *before;
	struct event *event;
	struct error *err;

	if (by_keys && (err = counters_check_fields(spec)))
		return err;
	before = c->events.nr ? c->events.items[c->events.nr - 1] : NULL;
	err = event_list_add(&c->events, &attr, spec->text, &event);
	if (err)
		return err;
	event->group = spec->group;
	event->weak = strchr(spec->modifiers, 'W');
	event->optional = !by_keys;
	if (spec->cgroup) {
		event->cgroup = strdup(spec->cgroup);
		err = event->cgroup ? counters_check_cgroup(event->cgroup) : &error_no_memory;
	}
	if (!err && c->user_strings && spec->type == PERF_TYPE_TRACEPOINT)
		err = event_filters_add_strings(&c->filters, event);
	if (!err && spec->filter) {
		event->filter = strdup(spec->filter);
		err = event->filter ? event_filters_add(&c->filters, event) : &error_no_memory;
	}
	if (err)
		return err;
	attr_options->leader = !spec->group || !before || before->group != spec->group;
	/* A group without its leader cannot be counted. */
	if (!attr_options->leader && before->group && before->optional)
		for (size_t i = 0; i < c->events.nr; i++)
			if (c->events.items[i]->group == spec->group) {
				c->events.items[i]->optional = event->weak;
				break;
			}
	capture_backend_take(backend, event);
	backend->init_attr(spec, attr_options, &event->attr);
	event_finish(event);
	return NULL;
}

struct error *counters_init(const struct counters_options *options, struct counters *c)
{
	bool on_exec;
	struct error *err = record_target_init(&options->target, &c->target);

	if (err)
		return err;
	on_exec = c->target.is_command && !options->late;
	struct event_attr_options attr_options = {
		.clockid = -1,
		.inherit = !options->target.no_inherit,
		.on_exec = on_exec,
		.only_user = options->only_user,
		.only_kernel = options->only_kernel,
	};

	c->user_strings = options->user_strings;
	c->ops = options->by_keys ? &counts_ops : counters_backend()->counting;
	if (options->by_keys)
		err = counters_check_keys(options->specs);
	for (size_t i = 0; !err && i < options->specs->nr; i++)
		err = counters_add(c, &options->specs->items[i], &attr_options);
	if (err)
		return err;
	c->places = (struct capture_target){
		.cpus = &c->target.cpus,
		.tasks = c->target.tasks,
		.nr_tasks = c->target.nr_tasks,
		.inherit = !options->target.no_inherit,
		.on_exec = on_exec,
	};
	if (options->by_keys) {
		c->places.hotplug = !options->target.cpus;
		c->places.cgroup = capture_only_cgroup(&c->events);
	}
	c->nr_places = c->target.tasks ? c->target.nr_tasks : c->target.cpus.nr;
	return NULL;
}

static void counters_close(struct counters *c)
{
	if (c->counting)
		c->counting->ops->close(c->counting);
	c->counting = NULL;
}

void counters_deinit(struct counters *c)
{
	counters_close(c);
	event_list_deinit(&c->events);
	event_filters_deinit(&c->filters);
	record_target_deinit(&c->target);
	*c = (struct counters){ 0 };
}

struct error *counters_read(const struct counters *c, const struct event *event, size_t place,
			    struct capture_count *ret)
{
	return c->counting->ops->read(c->counting, event, place, ret);
}

static struct error *counters_open(struct counters *c, struct counters_run *run)
{
	struct error *err = NULL;

	run->command.unblocked = true;
	if (run->command.argv)
		err = workload_fork(&run->command, &run->workload);
	if (!err && c->target.is_command)
		c->target.tasks[0] = run->workload.pid;
	counters_close(c);
	if (!err)
		err = c->ops->open(&c->events, &c->places, &c->counting);
	interrupt_block();
	return err || !run->opened ? err : run->opened(run->data);
}

/* A zombie has ended, although its parent has not reaped it yet. */
static bool counters_is_alive(pid_t tid)
{
	_cleanup_free_ char *text = NULL;
	const char *state;
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/stat", tid);
	error_free(file_read_text(path, &text));
	state = text ? strrchr(text, ')') : NULL;
	return state && strlen(state) > 2 && state[2] != 'Z' && state[2] != 'X';
}

/* Whether an observed task still exists; without tasks, counting does not end by itself. */
static bool counters_any_alive(const struct counters *c)
{
	bool any = !c->target.nr_tasks;

	for (size_t i = 0; !any && i < c->target.nr_tasks; i++)
		any = counters_is_alive(c->target.tasks[i]);
	return any;
}

/* Whether there is a reason to end.  With a command, ^C is meant for the command, as with perf. */
static bool counters_over(const struct counters *c, struct counters_run *run)
{
	int signal = interrupt_signal();

	if (run->workload.pid)
		return workload_ended(&run->workload) || (signal && signal != SIGINT) ||
		       interrupt_is_urgent();
	return signal || !counters_any_alive(c);
}

/*
 * Wait for a signal, a command of --control, or the time @until (CLOCK_MONOTONIC, ns; 0: no
 * limit).  The wait may end earlier, so that the caller can check for tasks that have ended.
 */
static void counters_wait(const struct counters *c, const struct counters_run *run, uint64_t until)
{
	uint64_t now = clock_ns(CLOCK_MONOTONIC);
	bool told = run->workload.pid || !c->target.nr_tasks;
	uint64_t ms = told ? COUNTERS_WAIT_MS : COUNTERS_LOOK_MS;
	struct pollfd control = { .fd = run->control ? run->control->fd : -1, .events = POLLIN };

	if (until && until <= now)
		return;
	if (until && (until - now + NS_PER_MS - 1) / NS_PER_MS < ms)
		ms = (until - now + NS_PER_MS - 1) / NS_PER_MS;
	/* After a first ^C it returns at once; but the command still gets its time. */
	if (interrupt_poll(&control, control.fd >= 0, ms) < 0 && interrupt_signal()) {
		const struct timespec pause = { .tv_nsec = 10 * NS_PER_MS };

		nanosleep(&pause, NULL);
	}
}

struct counters_control {
	struct counters *counters;
	struct counters_run *run;
};

static struct error *counters_obey(void *data, enum control_word word)
{
	struct counters_control *c = data;

	switch (word) {
	case CONTROL_ENABLE:
		return c->counters->counting->ops->start(c->counters->counting);
	case CONTROL_DISABLE:
		return c->counters->counting->ops->stop(c->counters->counting);
	case CONTROL_STOP:
		c->run->limited = true;
		return NULL;
	case CONTROL_SNAPSHOT:
		log_warning("Counts have no snapshots (--control)");
		break;
	case CONTROL_PING:
		break;
	}
	return NULL;
}

static struct error *counters_take_commands(struct counters *c, struct counters_run *run)
{
	struct counters_control control = { c, run };

	return run->control ? control_read(run->control, counters_obey, &control) : NULL;
}

static struct error *counters_loop(struct counters *c, struct counters_run *run, uint64_t begin)
{
	uint64_t interval = run->interval_ms * NS_PER_MS, next = interval ? begin + interval : 0;
	uint64_t end = run->timeout_ms ? begin + run->timeout_ms * NS_PER_MS : 0;
	struct error *err = NULL;
	unsigned int nr = 0;

	while (!err && !counters_over(c, run)) {
		uint64_t now = clock_ns(CLOCK_MONOTONIC);

		err = counters_take_commands(c, run);
		run->limited |= end && now >= end;
		if (err || run->limited)
			break;
		if (next && now >= next) {
			err = run->interval(run->data, now - begin);
			run->limited = ++nr == run->nr_intervals;
			if (err || run->limited)
				break;
			next += interval;
			/* Intervals that have passed meanwhile are part of the next one. */
			now = clock_ns(CLOCK_MONOTONIC);
			if (next <= now)
				next = now + interval;
		}
		counters_wait(c, run, next && (!end || next < end) ? next : end);
	}
	return err;
}

static struct error *counters_delay(struct counters *c, struct counters_run *run)
{
	uint64_t until = clock_ns(CLOCK_MONOTONIC) + run->delay_ms * NS_PER_MS;

	struct error *err = NULL;

	while (!err && clock_ns(CLOCK_MONOTONIC) < until && !run->limited &&
	       !counters_over(c, run)) {
		counters_wait(c, run, until);
		err = counters_take_commands(c, run);
	}
	return err ? err : c->counting->ops->start(c->counting);
}

struct error *counters_run(struct counters *c, struct counters_run *run)
{
	struct error *err, *stopped;
	uint64_t begin;

	run->workload = (struct workload){ 0 };
	run->limited = false;
	err = counters_open(c, run);
	if (!err && !run->delay_ms && !run->begin_disabled)
		err = c->counting->ops->start(c->counting);
	begin = clock_ns(CLOCK_MONOTONIC);
	if (!err && run->workload.pid)
		err = workload_exec(&run->workload);
	if (!err && run->delay_ms) {
		err = counters_delay(c, run);
		begin = clock_ns(CLOCK_MONOTONIC);
	}
	if (!err && !run->limited)
		err = counters_loop(c, run, begin);
	if (run->limited)
		workload_finish(&run->workload);
	stopped = c->counting ? c->counting->ops->stop(c->counting) : NULL;
	run->elapsed = clock_ns(CLOCK_MONOTONIC) - begin;
	workload_finish(&run->workload);
	if (err)
		error_free(stopped);
	return err ? err : stopped;
}
