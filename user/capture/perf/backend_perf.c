// SPDX-License-Identifier: GPL-2.0
/*
 * perf_event as a source.  There is one descriptor per event, CPU and task, and one ring per CPU
 * for all events there; or one descriptor per event and task, and one ring per task.
 */
#include <errno.h>
#include <linux/membarrier.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "capture/event_attr.h"
#include "capture/perf/filter_match.h"
#include "capture/perf/filter_text.h"
#include "capture/perf/perf_capture.h"
#include "capture/perf/perf_open.h"
#include "capture/task_events.h"
#include "lib/array.h"
#include "lib/cleanup.h"
#include "lib/log.h"
#include "lib/monotonic.h"
#include "terminal/progress.h"

static struct perf_capture *to_perf(struct capture *base)
{
	return container_of(base, struct perf_capture, base);
}

static void perf_close(struct capture *base)
{
	struct perf_capture *c = to_perf(base);

	for (size_t i = 0; c->rings && i < c->nr_rings; i++)
		perf_ring_unmap(&c->rings[i]);
	perf_hotplug_deinit(&c->hotplug);
	perf_watch_deinit(&c->watch);
	for (size_t i = 0; i < c->fds.nr; i++)
		if (c->fds.items[i].fd >= 0)
			close(c->fds.items[i].fd);
	task_records_deinit(&c->task_records);
	free(c->fds.items);
	free(c->rings);
	free(c->filters);
	free(c->tallies);
	free(c);
}

static void perf_destroy(struct perf_capture *c)
{
	if (c)
		perf_close(&c->base);
}

DEFINE_CLEANUP_PTR(perf, struct perf_capture, perf_destroy)

static bool perf_is_ours(const struct event *event)
{
	return capture_backend_has(&backend_perf, event);
}

static struct error *perf_available(void)
{
	if (!access("/proc/sys/kernel/perf_event_paranoid", F_OK))
		return NULL;
	return error_hint(error_new(ENOSYS, "This kernel has no perf_event"),
			  "Boot a kernel with CONFIG_PERF_EVENTS=y");
}

/* Returns the group leader's descriptor for the descriptor @nth of an event; -1: it has none. */
static int group_fd(const struct perf_capture *c, const struct event *event, size_t nth)
{
	if (!event->group)
		return -1;
	for (size_t i = 0; i < c->fds.nr; i += c->per_event) {
		const struct event *other = c->events->items[c->fds.items[i].event];

		if (other == event)
			break;
		if (other->group == event->group)
			return c->fds.items[i + nth].fd;
	}
	return -1;
}

/* Map a ring with the pages that stacks need, or, if they may not be locked, with @pages. */
static struct error *map_ring(struct perf_capture *c, struct perf_ring *ring, int fd,
			      unsigned int pages, uint32_t cpu)
{
	struct error *err = perf_ring_map(ring, fd, c->stack_pages ? c->stack_pages : pages, cpu,
					  false);

	if (!err || !c->stack_pages || (err->code != EPERM && err->code != ENOMEM))
		return err;
	error_free(err);
	c->stack_pages = 0;
	return perf_ring_map(ring, fd, pages, cpu, false);
}

static struct error *open_one(struct perf_capture *c, struct event *event, const char *filter,
			      unsigned int pages, uint32_t nth)
{
	uint32_t ring = c->per_task ? nth : nth / c->nr_tasks;
	uint32_t cpu = c->per_task ? UINT32_MAX : c->target->cpus->cpus[ring];
	pid_t pid = c->tasks ? c->tasks[nth % c->nr_tasks] : -1;
	struct perf_fd pfd = { .event = event->index };
	struct error *err;

	if (event->attr.write_backward)
		ring += c->nr_places;
	pfd.ring = ring;

	/* The kernel takes the CPU as an int, and -1 for any. */
	err = perf_open_permitted(event, pid, cpu, group_fd(c, event, nth), &pfd.fd);
	if (err)
		return err;
	if (!array_push(&c->fds, pfd)) {
		if (pfd.fd >= 0)
			close(pfd.fd);
		return &error_no_memory;
	}
	if (pfd.fd < 0)
		return NULL;

	if (!c->rings[ring].page && event->attr.write_backward)
		err = perf_ring_map(&c->rings[ring], pfd.fd, pages, cpu, true);
	else if (!c->rings[ring].page)
		err = map_ring(c, &c->rings[ring], pfd.fd, pages, cpu);
	else if (ioctl(pfd.fd, PERF_EVENT_IOC_SET_OUTPUT, c->rings[ring].fd))
		err = error_errno(errno, "Cannot let %s write into the ring of %s %u", event->name,
				  c->per_task ? "task" : "CPU", c->per_task ? (uint32_t)pid : cpu);
	if (!err && ioctl(pfd.fd, PERF_EVENT_IOC_ID, &pfd.id))
		err = error_errno(errno, "Cannot get the id of %s", event->name);
	if (!err && filter && ioctl(pfd.fd, PERF_EVENT_IOC_SET_FILTER, filter))
		err = error_hint(error_errno(errno, "The kernel refuses the filter '%s' of %s",
					     event->filter, event->name),
				 "The filter was given as: %s", filter);
	c->fds.items[c->fds.nr - 1].id = pfd.id;
	return err ? err : event_add_id(event, pfd.id);
}

/* Translate the filter for the kernel.  If that is not possible, we apply it ourselves. */
static struct error *prepare_filter(struct perf_capture *c, const struct event *event,
				    struct strbuf *ret)
{
	const char *missing;

	if (filter_text(event->filter_tree, ret))
		return ret->failed ? &error_no_memory : NULL;
	strbuf_deinit(ret);

	missing = filter_match_missing(event->filter_tree);
	if (missing)
		return error_hint(error_new(EOPNOTSUPP, "The filter of %s reads '%s', which "
					    "perf_event's filters cannot read",
					    event->name, missing),
				  "The ktrace module can read it; 'ktrace doctor' shows how to get "
				  "the module");
	if (!c->told_filter)
		log_notice("perf_event cannot evaluate all of the filter '%s', so ktrace applies "
			   "it when it reads the rings.", event->filter);
	c->told_filter = true;
	c->filters[event->index] = event->filter_tree;
	return NULL;
}

static struct error *open_event(struct perf_capture *c, struct event *event, unsigned int pages)
{
	_cleanup_(strbuf) struct strbuf filter = STRBUF_INIT;
	struct error *err = NULL;

	if (event->filter)
		err = prepare_filter(c, event, &filter);
	for (uint32_t nth = 0; !err && nth < c->per_event; nth++)
		err = open_one(c, event, filter.data, pages, nth);
	return err;
}

/*
 * Whether an event from a glob can be left out, because the kernel refuses it to everyone.  A
 * missing permission means that only if other events were permitted.
 */
static bool can_leave_out(const struct perf_capture *c, const struct event *event,
			  const struct error *err)
{
	bool granted = false;

	for (size_t i = 0; i < c->events->nr; i++)
		granted |= c->events->items[i]->nr_ids > 0;
	return event->optional && !event->nr_ids &&
	       (err->code == ENODEV || (granted && (err->code == EPERM || err->code == EACCES)));
}

static bool has_marks(void)
{
	long commands = syscall(SYS_membarrier, MEMBARRIER_CMD_QUERY, 0, 0);

	return commands > 0 && commands & MEMBARRIER_CMD_GLOBAL;
}

/*
 * If perf_event only has to report the tasks of a command, whole CPUs can report all tasks, and we
 * select the records ourselves.  An event of the tasks would be switched in and out with them,
 * which costs nearly as much as capturing each context switch.
 */
static bool may_sort_tasks(const struct event_list *events, const struct capture_config *config)
{
	const struct capture_target *target = &config->target;
	const struct event *event = NULL;
	struct error *err;
	int fd;

	/*
	 * Overwriting rings have no marks, and the context switches of all tasks would be too many
	 * records.
	 */
	if (!config->side_band || config->overwrite || config->switches || !target->on_exec ||
	    !target->inherit || target->nr_tasks != 1 || !has_marks())
		return false;
	for (size_t i = 0; i < events->nr; i++) {
		if (!perf_is_ours(events->items[i]))
			continue;
		if (!task_events_is(events->items[i]))
			return false;
		event = events->items[i];
	}
	err = event ? perf_open(event, -1, target->cpus->cpus[0], -1, &fd) : NULL;
	if (err) {
		log_debug("%s.", err->message);
		error_free(err);
		return false;
	}
	close(fd);
	return event;
}

static size_t nr_ours(const struct event_list *events)
{
	size_t nr = 0;

	for (size_t i = 0; i < events->nr; i++)
		nr += perf_is_ours(events->items[i]);
	return nr;
}

/* Whether perf_event also captures samples, and not only reports tasks. */
static bool has_samples(const struct event_list *events)
{
	return array_any(events, it, perf_is_ours(*it) && !task_events_is(*it));
}

/*
 * Thousands of threads can need more descriptors than are available.  Then another event reports
 * the tasks as well, which saves one descriptor per thread.
 */
static struct error *reserve_descriptors(struct perf_capture *c, struct event_list *events,
					 const struct capture_config *config)
{
	/* If whole CPUs are recorded, each CPU needs one more descriptor, which watches it. */
	size_t watch = !c->tasks && has_samples(events) ? config->target.cpus->nr : 0;
	struct error *err = perf_open_reserve(nr_ours(events), c->per_event, watch);
	struct error *second;
	struct event *event;

	if (err && array_any(events, it, (*it)->held))
		return error_hint(err, "--call-graph fp and dwarf take a third of them, as there is no choice; "
				  "or give fewer events or CPUs (-C)");
	if (!err || !config->side_band || !c->tasks)
		return err;
	event = task_events_join(events, config);
	if (!event)
		return err;
	second = perf_open_reserve(nr_ours(events), c->per_event, watch);
	error_free(second ? second : err);
	if (second)
		return err;
	log_notice("Few file descriptors are left, so the records about tasks and maps come with "
		   "%s. Lost ones count as its lost samples.", event->name);
	return NULL;
}

static bool copies_stacks(const struct event_list *events)
{
	return array_any(events, it, perf_is_ours(*it) &&
				     (*it)->attr.sample_type & PERF_SAMPLE_STACK_USER);
}

/*
 * If other rings keep the newest samples, rings that report tasks are read continuously, and need
 * little of the room.
 */
static unsigned int side_band_pages(unsigned int pages)
{
	unsigned int least = perf_open_default_pages();

	if (pages / 8 > least)
		return pages / 8;
	return pages < least ? pages : least;
}

static struct error *perf_backend_open(struct event_list *events,
				       const struct capture_config *config, struct capture **ret)
{
	_cleanup_(perf) struct perf_capture *c = calloc(1, sizeof(*c));
	unsigned int pages = config->pages ? config->pages : perf_open_default_pages();
	struct error *err;
	bool gone = true;

	if (!c)
		return &error_no_memory;
	c->base.backend = &backend_perf;
	c->visitor.visit = perf_ledger_visit;
	c->events = events;
	c->target = &config->target;
	c->clockid = config->clockid;
	c->keeps = config->keeps;
	c->own_pid = getpid();
	if (config->side_band) {
		err = task_events_add(events, config);
		if (err)
			return err;
	}
	c->sorts_tasks = may_sort_tasks(events, config);
	c->tasks = c->sorts_tasks ? NULL : config->target.tasks;
	c->nr_tasks = c->tasks ? config->target.nr_tasks : 1;
	c->per_task = c->tasks && config->target.per_task;
	c->nr_places = c->per_task ? c->nr_tasks : config->target.cpus->nr;
	c->per_event = c->per_task ? c->nr_tasks : c->nr_places * c->nr_tasks;
	c->nr_rings = c->nr_places * (config->overwrite ? 2 : 1);
	c->rings = calloc(c->nr_rings, sizeof(*c->rings));
	c->filters = calloc(events->nr + 1, sizeof(*c->filters));
	if (!c->rings || !c->filters)
		return &error_no_memory;
	err = reserve_descriptors(c, events, config);
	if (err)
		return err;

	if (!config->pages && !config->overwrite && copies_stacks(events))
		c->stack_pages = perf_open_stack_pages(c->nr_rings);

	progress_begin_count("Opening events", events->nr);
	for (size_t i = 0; i < events->nr; ) {
		struct event *event = events->items[i++];

		progress_advance(1);
		if (!perf_is_ours(event))
			continue;
		/* Records that report tasks must not be overwritten, nor events that are judged. */
		event->attr.write_backward = config->overwrite && !task_events_is(event) &&
					     !event->judged;
		if (config->wakeup_bytes == 1) {
			event->attr.wakeup_events = 1;
		} else if (config->wakeup_bytes) {
			event->attr.watermark = 1;
			event->attr.wakeup_watermark = config->wakeup_bytes;
		}
		err = open_event(c, event, config->overwrite && !event->attr.write_backward ?
				 side_band_pages(pages) : pages);
		if (err && can_leave_out(c, event, err)) {
			log_debug("%s.", err->message);
			error_free(err);
			err = NULL;
			c->filters[event->index] = NULL;
			event_list_remove(events, event);
			i--;
		}
		if (err) {
			progress_end();
			return err;
		}
		if (task_events_is(event))
			perf_hotplug_init(&c->hotplug, event, c->target, pages);
	}
	progress_end();
	/* Events of a task on any CPU survive when a CPU goes offline. */
	if (has_samples(events) && !c->per_task) {
		err = perf_watch_init(&c->watch, c->target, !c->tasks);
		if (err)
			return err;
	}
	for (size_t i = 0; i < c->fds.nr; i++)
		gone &= c->fds.items[i].fd < 0;
	if (c->fds.nr && gone)
		return error_new(ESRCH, "The task %d to record does not exist",
				 (int)config->target.tasks[0]);
	*ret = &take_ptr(c)->base;
	return NULL;
}

static struct error *control(struct perf_capture *c, unsigned long request, const char *what)
{
	for (size_t i = 0; i < c->fds.nr; i++) {
		const struct event *event = c->events->items[c->fds.items[i].event];

		/*
		 * Skip events that the exec of the command enables, that follow their group leader,
		 * or that are held.
		 */
		if (c->fds.items[i].fd < 0 ||
		    (request == PERF_EVENT_IOC_ENABLE && !c->sorts_tasks &&
		     (event->held || event->attr.enable_on_exec || !event->attr.disabled)))
			continue;
		if (ioctl(c->fds.items[i].fd, request, 0))
			return error_errno(errno, "Cannot %s %s", what, event->name);
	}
	return NULL;
}

/*
 * First we enable the event, then we list the existing processes.  So each process is known: either
 * it is in the list, or its FORK was recorded.
 */
static struct error *start_sorting(struct perf_capture *c)
{
	struct error *err = control(c, PERF_EVENT_IOC_ENABLE, "start");

	if (err)
		return err;
	task_records_init(&c->task_records, c->events->items[c->fds.items[0].event],
			  c->target->tasks[0]);
	task_records_leave_out_present(&c->task_records);
	return NULL;
}

static struct error *perf_start(struct capture *base)
{
	struct perf_capture *c = to_perf(base);

	c->nr_events = c->events->nr;
	c->tallies = calloc(c->nr_events * c->nr_rings + 1, sizeof(*c->tallies));
	if (!c->tallies)
		return &error_no_memory;
	if (c->sorts_tasks)
		return start_sorting(c);
	return control(c, PERF_EVENT_IOC_ENABLE, "start");
}

/* The other members of a group follow their leader, which is opened disabled. */
static struct error *perf_pause(struct capture *base, bool paused)
{
	struct perf_capture *c = to_perf(base);

	c->paused = paused;
	for (size_t i = 0; i < c->fds.nr; i++) {
		const struct event *event = c->events->items[c->fds.items[i].event];

		if (c->fds.items[i].fd < 0 || !event->attr.disabled || event->attr.comm ||
		    event->held)
			continue;
		if (ioctl(c->fds.items[i].fd,
			  paused ? PERF_EVENT_IOC_DISABLE : PERF_EVENT_IOC_ENABLE, 0))
			return error_errno(errno, "Cannot %s %s", paused ? "pause" : "resume",
					   event->name);
	}
	return NULL;
}

static struct error *perf_hold(struct capture *base, struct event *event, bool held)
{
	struct perf_capture *c = to_perf(base);

	event->held = held;
	for (size_t i = 0; i < c->fds.nr && !c->paused; i++) {
		const struct perf_fd *pfd = &c->fds.items[i];

		if (pfd->event != event->index || pfd->fd < 0)
			continue;
		if (ioctl(pfd->fd, held ? PERF_EVENT_IOC_DISABLE : PERF_EVENT_IOC_ENABLE, 0))
			return error_errno(errno, "Cannot %s %s", held ? "disable" : "enable",
					   event->name);
	}
	return NULL;
}

static struct error *perf_stop(struct capture *base)
{
	struct perf_capture *c = to_perf(base);

	c->stopped = true;
	perf_watch_look(&c->watch);
	perf_hotplug_stop(&c->hotplug);
	return control(c, PERF_EVENT_IOC_DISABLE, "stop");
}

static size_t perf_poll_fds(struct capture *base, int *fds, size_t max)
{
	struct perf_capture *c = to_perf(base);
	size_t nr = 0;

	/*
	 * A wakeup of a ring reaches all of its events, but the end of a task reaches only the
	 * task's own events, so one event of each is enough.  A ring that is overwritten wakes
	 * nobody.
	 */
	for (size_t i = 0; i < c->fds.nr; i++) {
		const struct perf_fd *pfd = &c->fds.items[i];
		bool of_task = c->tasks && i + c->per_event >= c->fds.nr;

		if (pfd->fd < 0 || pfd->ring >= c->nr_places)
			continue;
		if (pfd->fd != c->rings[pfd->ring].fd && !of_task)
			continue;
		if (nr < max)
			fds[nr] = pfd->fd;
		nr++;
	}
	return nr;
}

static uint64_t perf_ring_head(const struct perf_ring *ring)
{
	return *(const volatile uint64_t *)ring->ring.head;
}

static size_t perf_rings(struct capture *base, struct capture_ring *rings, size_t max)
{
	struct perf_capture *c = to_perf(base);
	size_t nr = 0;

	for (size_t i = 0; i < c->nr_rings; i++) {
		const struct perf_ring *ring = &c->rings[i];
		bool overwrites = i >= c->nr_places;

		if (!ring->page)
			continue;
		/* Such a ring is written backwards, from 0. */
		if (nr < max)
			rings[nr] = (struct capture_ring){
				.cpu = ring->ring.cpu, .bytes = ring->map_size,
				.size = overwrites ? ring->ring.size : 0,
				.written = overwrites ? -perf_ring_head(ring) : 0,
			};
		nr++;
	}
	return nr;
}

static uint64_t trace_time(const struct perf_capture *c)
{
	if (c->clockid >= 0)
		return clock_ns(c->clockid);
	for (size_t i = 0; i < c->nr_places; i++)
		if (c->rings[i].page)
			return perf_ring_clock(&c->rings[i]);
	return 0;
}

/*
 * The kernel disables preemption from reading a record's time until the record is written.  All
 * records with a time before now are therefore visible once every CPU has passed through the
 * scheduler.
 */
static struct error *perf_mark(struct capture *base, uint64_t *ret)
{
	struct perf_capture *c = to_perf(base);

	uint64_t unused;

	*ret = trace_time(c);
	if (!*ret && c->keeps)
		*ret = perf_time_read(&unused);
	if (syscall(SYS_membarrier, MEMBARRIER_CMD_GLOBAL, 0, 0))
		*ret = 0;
	if (!c->sorts_tasks)
		return NULL;
	__atomic_store_n(&c->mark, *ret, __ATOMIC_RELEASE);
	/* The events of a CPU that was offline stay disabled until they are enabled again. */
	return control(c, PERF_EVENT_IOC_ENABLE, "start");
}

static struct error *perf_clock(struct capture *base, struct capture_clock *ret)
{
	struct perf_capture *c = to_perf(base);

	ret->trace = trace_time(c);
	ret->monotonic = clock_ns(CLOCK_MONOTONIC);
	ret->raw = clock_ns(CLOCK_MONOTONIC_RAW);
	ret->boottime = clock_ns(CLOCK_BOOTTIME);
	ret->realtime = clock_ns(CLOCK_REALTIME);
	/* For overwriting rings, the clock is read for each snapshot, which is rare. */
	if (!ret->trace && (!c->timed || c->nr_rings > c->nr_places))
		ret->trace = perf_time_read(&ret->realtime);
	c->timed = true;
	return NULL;
}

static struct error *perf_drain(struct capture *base, struct record_sink *sink)
{
	struct perf_capture *c = to_perf(base);
	/* Read the mark before the rings; they then have all records up to it. */
	uint64_t mark = c->stopped ? UINT64_MAX : __atomic_load_n(&c->mark, __ATOMIC_ACQUIRE);
	struct error *err = NULL;

	for (size_t i = 0; !err && i < c->nr_places; i++)
		if (c->rings[i].page)
			err = ring_drain(&c->rings[i].ring, &c->visitor, sink);
	if (!err && c->sorts_tasks && mark != c->given)
		err = task_records_give(&c->task_records, mark, sink);
	c->given = mark;
	return err ? err : perf_hotplug_drain(&c->hotplug, sink);
}

/* The firings on CPUs that came online later are not counted, and the ledger marks that. */
static struct error *add_unrecorded(const struct perf_capture *c, struct ledger *ledger)
{
	struct error *err = NULL;

	for (size_t i = 0; !err && i < c->watch.came.nr; i++)
		err = ledger_add(ledger, &(struct ledger_row){
			.event = UINT32_MAX, .source = EVENT_SOURCE_PERF,
			.cpu = c->watch.came.cpus[i], .proof = LEDGER_UNKNOWN,
			.filtered = LEDGER_NOT_KNOWN,
			.lost[LEDGER_LOST_OTHER] = LEDGER_NOT_KNOWN,
		});
	return err;
}

static struct error *perf_ledger(struct capture *base, struct record_sink *sink,
				 struct ledger *ledger)
{
	struct perf_capture *c = to_perf(base);
	_cleanup_(ledger) struct ledger by_task = { 0 };
	struct error *err = NULL;

	for (uint32_t nth = 0; !err && nth < c->nr_rings; nth++)
		if (c->rings[nth].page)
			err = perf_ledger_add(c, nth, sink, c->per_task ? &by_task : ledger);
	/*
	 * A ledger has a row for each event and CPU; rings of tasks have no CPU and share one row.
	 */
	if (!err)
		err = ledger_add_sums(ledger, &by_task);
	return err ? err : add_unrecorded(c, ledger);
}

static struct error *pause_output(const struct perf_ring *ring, bool pause)
{
	if (ioctl(ring->fd, PERF_EVENT_IOC_PAUSE_OUTPUT, pause))
		return error_errno(errno, "Cannot %s a ring that is overwritten",
				   pause ? "pause" : "resume");
	return NULL;
}

/*
 * As perf does, pause the ring: one that is written backwards cannot be read while it is written.
 */
static struct error *perf_drain_newest(struct perf_capture *c, size_t nth, struct record_sink *sink)
{
	struct perf_ring *ring = &c->rings[nth];
	struct error *err;

	/* Each snapshot contains all records of the ring, so the counts restart. */
	for (size_t i = 0; i < c->nr_events; i++)
		c->tallies[i * c->nr_rings + nth] = (struct perf_tally){ 0 };
	err = pause_output(ring, true);
	if (!err)
		err = ring_drain_backward(&ring->ring, &c->visitor, sink);
	return err ? err : pause_output(ring, false);
}

static struct error *perf_snapshot(struct capture *base, struct record_sink *sink,
				   struct ledger *ledger)
{
	struct perf_capture *c = to_perf(base);
	_cleanup_(ledger) struct ledger by_task = { 0 };
	struct error *err = NULL;

	if (!c->stopped)
		perf_watch_look(&c->watch);
	for (size_t nth = c->stopped ? 0 : c->nr_places; !err && nth < c->nr_rings; nth++) {
		if (!c->rings[nth].page)
			continue;
		if (nth >= c->nr_places)
			err = perf_drain_newest(c, nth, sink);
		if (!err)
			err = perf_ledger_add(c, nth, sink, c->per_task ? &by_task : ledger);
	}
	if (!err)
		err = ledger_add_sums(ledger, &by_task);
	return err ? err : add_unrecorded(c, ledger);
}

static void perf_own_work(struct capture *base, uint64_t *ret_own, uint64_t *ret_all)
{
	*ret_own = to_perf(base)->own;
	*ret_all = to_perf(base)->recorded;
}

const struct capture_backend backend_perf = {
	.name = "perf",
	.title = "perf_event",
	.remark = "perf_event",
	.source = EVENT_SOURCE_PERF,
	.can = CAPTURE_ANY_EVENT | CAPTURE_STACKS | CAPTURE_GROUPS | CAPTURE_LEVELS |
	       CAPTURE_ADDRESSES | CAPTURE_CGROUPS | CAPTURE_TAI | CAPTURE_TASK_RECORDS |
	       CAPTURE_HANGS_UP | CAPTURE_JUDGED,
	.automatic = true,
	.available = perf_available,
	.init_attr = event_attr_init,
	.open = perf_backend_open,
	.start = perf_start,
	.stop = perf_stop,
	.pause = perf_pause,
	.hold = perf_hold,
	.poll_fds = perf_poll_fds,
	.rings = perf_rings,
	.mark = perf_mark,
	.drain = perf_drain,
	.ledger = perf_ledger,
	.snapshot = perf_snapshot,
	.clock = perf_clock,
	.own_work = perf_own_work,
	.close = perf_close,
	.counting = &perf_counting,
};
