// SPDX-License-Identifier: GPL-2.0
#include "capture/perf/perf_capture.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "capture/perf/filter_text.h"
#include "capture/perf/perf_open.h"
#include "lib/cleanup.h"
#include "spec/event_names.h"
#include "spec/event_terms.h"

struct perf_count {
	struct counting base;
	const struct event_list *events;
	size_t nr_events;
	const struct capture_target *target;
	size_t nr_places;
	int *fds;		/* by [event][place]; -1: not counted there */
	bool stopped;		/* stop() was called: each event is disabled by itself */
};

static struct perf_count *to_count(struct counting *base)
{
	return container_of(base, struct perf_count, base);
}

static int *count_fd(const struct perf_count *c, const struct event *event, size_t place)
{
	return &c->fds[event->index * c->nr_places + place];
}

static void count_close_event(struct perf_count *c, size_t event)
{
	int *fds = &c->fds[event * c->nr_places];

	for (size_t place = 0; place < c->nr_places; place++) {
		if (fds[place] >= 0)
			close(fds[place]);
		fds[place] = -1;
	}
}

static void count_close(struct counting *base)
{
	struct perf_count *c = to_count(base);

	for (size_t i = 0; c->fds && i < c->nr_events; i++)
		count_close_event(c, i);
	free(c->fds);
	free(c);
}

static void count_destroy(struct perf_count *c)
{
	if (c)
		count_close(&c->base);
}

DEFINE_CLEANUP_PTR(count, struct perf_count, count_destroy)

/* Reduce the attr of a recorded event to the members that counting needs. */
static void stop_sampling(struct perf_event_attr *attr)
{
	attr->freq = 0;
	attr->sample_period = 0;
	attr->sample_id_all = 0;
	attr->precise_ip = 0;
	attr->read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING |
			    PERF_FORMAT_ID;
	/* Readers of files with counts see by this that the records have ids. */
	attr->sample_type = PERF_SAMPLE_IDENTIFIER;
}

/* Returns the descriptor of the event's group leader in this place; -1: it has none. */
static int count_leader(const struct perf_count *c, const struct event *event, size_t place)
{
	for (size_t i = 0; event->group && i < event->index; i++)
		if (c->events->items[i]->group == event->group)
			return *count_fd(c, c->events->items[i], place);
	return -1;
}

static struct error *count_open_place(struct perf_count *c, struct event *event,
				      const char *filter, size_t place)
{
	const struct capture_target *target = c->target;
	pid_t pid = target->tasks ? target->tasks[place] : -1;
	int cpu = target->tasks ? -1 : (int)target->cpus->cpus[place];
	int *fd = count_fd(c, event, place);
	struct error *err;

	err = perf_open_permitted(event, pid, cpu, count_leader(c, event, place), fd);
	/* Some PMUs cannot distinguish guests from the host, and refuse to exclude them. */
	if (err && err->code == EIO && event->attr.exclude_guest) {
		error_free(err);
		event->attr.exclude_guest = 0;
		err = perf_open_permitted(event, pid, cpu, count_leader(c, event, place), fd);
	}
	if (!err && *fd >= 0 && filter && ioctl(*fd, PERF_EVENT_IOC_SET_FILTER, filter))
		err = error_errno(errno, "The kernel refuses the filter '%s' of %s", filter,
				  event->name);
	return err;
}

static struct error *count_open_event(struct perf_count *c, struct event *event)
{
	_cleanup_(strbuf) struct strbuf filter = STRBUF_INIT;
	size_t nr_places = c->nr_places;
	struct cpumap cpus = { 0 };
	bool on_some = !c->target->tasks && event_terms_cpus(event->name, &cpus);
	struct error *err = NULL;

	if (event->filter && !filter_text(event->filter_tree, &filter))
		err = error_new(EOPNOTSUPP, "perf_event cannot count by the filter '%s' of %s",
				event->filter, event->name);
	if (!err && filter.failed)
		err = &error_no_memory;
	stop_sampling(&event->attr);
	/* The tool's own events have one value, not one for each CPU or thread. */
	if (event_names_tool(event->attr.type, event->attr.config, event->name) && !event->group)
		nr_places = nr_places ? 1 : 0;
	for (size_t place = 0; !err && place < nr_places; place++)
		if (!on_some || cpumap_has(&cpus, c->target->cpus->cpus[place]))
			err = count_open_place(c, event, filter.data, place);
	cpumap_deinit(&cpus);
	return err;
}

/* Errors for an event that the machine or the kernel does not have; EIO replaces EINVAL. */
static bool count_is_unsupported(const struct error *err)
{
	return err->code == ENOENT || err->code == ENODEV || err->code == EOPNOTSUPP ||
	       err->code == ENXIO || err->code == ENOSYS || err->code == EIO;
}

/* Dissolve the group of @event, whose members up to it are open, and open them one by one. */
static struct error *count_split_group(struct perf_count *c, struct event *event)
{
	uint32_t group = event->group;
	struct event *leader = NULL;
	struct error *err = NULL;

	for (size_t i = 0; i < c->nr_events; i++) {
		struct event *member = c->events->items[i];

		if (member->group != group)
			continue;
		leader = leader ? leader : member;
		count_close_event(c, i);
		member->group = 0;
		member->attr.disabled = leader->attr.disabled;
		member->attr.enable_on_exec = leader->attr.enable_on_exec;
		if (!err && i <= event->index)
			err = count_open_event(c, member);
	}
	return err;
}

/* An event is counted in all places or in none. */
static struct error *count_open_or_leave(struct perf_count *c, struct event *event)
{
	struct error *err = count_open_event(c, event);

	if (err && event->group && event->weak && err->code == EIO) {
		error_free(err);
		err = count_split_group(c, event);
	}
	if (!err || !event->optional || !count_is_unsupported(err))
		return err;
	count_close_event(c, event->index);
	error_free(err);
	return NULL;
}

static struct error *count_open(struct event_list *events, const struct capture_target *target,
				struct counting **ret)
{
	_cleanup_(count) struct perf_count *c = calloc(1, sizeof(*c));
	struct error *err;

	if (!c)
		return &error_no_memory;
	c->base.ops = &perf_counting;
	c->events = events;
	c->nr_events = events->nr;
	c->target = target;
	c->nr_places = target->tasks ? target->nr_tasks : target->cpus->nr;
	c->fds = malloc((c->nr_events * c->nr_places + 1) * sizeof(*c->fds));
	if (!c->fds)
		return &error_no_memory;
	for (size_t i = 0; i < c->nr_events * c->nr_places; i++)
		c->fds[i] = -1;
	err = perf_open_reserve(events->nr, c->nr_places, 0);
	for (size_t i = 0; !err && i < events->nr; i++) {
		struct event *event = events->items[i];

		if (event->source != EVENT_SOURCE_PERF)
			continue;
		err = count_open_or_leave(c, event);
	}
	if (!err)
		*ret = &take_ptr(c)->base;
	return err;
}

static struct error *count_control(struct perf_count *c, unsigned long request, const char *what)
{
	for (size_t i = 0; i < c->nr_events * c->nr_places; i++) {
		const struct event *event = c->events->items[i / c->nr_places];

		/* The other events are enabled with their group, or by the exec of the command. */
		if (c->fds[i] < 0 || (request == PERF_EVENT_IOC_ENABLE && !c->stopped &&
				      (event->attr.enable_on_exec || !event->attr.disabled)))
			continue;
		if (ioctl(c->fds[i], request, 0))
			return error_errno(errno, "Cannot %s %s", what, event->name);
	}
	return NULL;
}

static struct error *count_start(struct counting *base)
{
	return count_control(to_count(base), PERF_EVENT_IOC_ENABLE, "start");
}

static struct error *count_stop(struct counting *base)
{
	to_count(base)->stopped = true;
	return count_control(to_count(base), PERF_EVENT_IOC_DISABLE, "stop");
}

static struct error *count_read(struct counting *base, const struct event *event, size_t place,
				struct capture_count *ret)
{
	struct { uint64_t value, enabled, running, id; } counter;
	int fd = *count_fd(to_count(base), event, place);
	ssize_t n;

	*ret = (struct capture_count){ 0 };
	if (fd < 0)
		return NULL;
	n = read(fd, &counter, sizeof(counter));
	if (n < 0)
		return error_errno(errno, "Cannot read the count of %s", event->name);
	/* A pinned event without a free counter returns no bytes. */
	if (n == sizeof(counter))
		*ret = (struct capture_count){
			.is_counted = true, .value = counter.value,
			.enabled = counter.enabled, .running = counter.running,
			.id = counter.id,
		};
	return NULL;
}

const struct counting_ops perf_counting = {
	.open = count_open,
	.start = count_start,
	.stop = count_stop,
	.read = count_read,
	.close = count_close,
};
