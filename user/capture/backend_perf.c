// SPDX-License-Identifier: GPL-2.0
/*
 * perf_event as a source: one descriptor per event, CPU and task; one ring
 * per CPU, into which all of that CPU's events write.
 */
#include <errno.h>
#include <linux/membarrier.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "capture/backend.h"
#include "capture/clock.h"
#include "capture/event_filter.h"
#include "capture/filter_text.h"
#include "capture/perf_open.h"
#include "capture/ring.h"
#include "capture/task_events.h"
#include "lib/array.h"
#include "lib/cleanup.h"
#include "lib/log.h"

struct perf_fd {
	int fd;			/* -1: the task was gone */
	uint32_t event;		/* index in the event list */
	uint32_t ring;
	uint64_t id;
};

struct perf_ring {
	struct ring ring;
	struct perf_event_mmap_page *page;	/* NULL: no event on this CPU */
	size_t map_size;
	int fd;			/* whose ring it is; owned by the fd list */
	uint64_t placed;	/* losses that LOST records in the ring told of */
	uint64_t last_time;
};

struct perf_capture {
	struct capture base;
	struct ring_visitor visitor;
	struct event_list *events;
	const struct capture_target *target;
	int32_t clockid;
	size_t per_event;	/* descriptors of an event: CPUs x tasks */
	struct {
		struct perf_fd *items;
		size_t nr, alloc;
	} fds;
	struct perf_ring *rings;	/* one per CPU of the target */
	uint64_t *recorded;		/* samples by [event][ring], from start() on */
	size_t nr_events;		/* events it was allocated for */
};

static struct perf_capture *to_perf(struct capture *base)
{
	return container_of(base, struct perf_capture, base);
}

static void perf_close(struct capture *base)
{
	struct perf_capture *c = to_perf(base);

	for (size_t i = 0; c->rings && i < c->target->cpus->nr; i++)
		if (c->rings[i].page)
			munmap(c->rings[i].page, c->rings[i].map_size);
	for (size_t i = 0; i < c->fds.nr; i++)
		if (c->fds.items[i].fd >= 0)
			close(c->fds.items[i].fd);
	free(c->fds.items);
	free(c->rings);
	free(c->recorded);
	free(c);
}

static void perf_destroy(struct perf_capture *c)
{
	if (c)
		perf_close(&c->base);
}

DEFINE_CLEANUP_PTR(perf, struct perf_capture, perf_destroy)

static bool is_ours(const struct event *event)
{
	return event->source == EVENT_SOURCE_PERF;
}

static struct error *perf_available(void)
{
	if (!access("/proc/sys/kernel/perf_event_paranoid", F_OK))
		return NULL;
	return error_hint(error_new(ENOSYS, "This kernel has no perf_event"),
			  "It needs CONFIG_PERF_EVENTS");
}

/* The fd of the group leader that goes with the @nth of an event. */
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

static struct error *map_ring(struct perf_ring *ring, int fd, unsigned int pages, uint32_t cpu)
{
	size_t page_size = sysconf(_SC_PAGESIZE), size = (pages + 1) * page_size;
	void *map;

	map = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (map == MAP_FAILED)
		return perf_open_map_error(errno, pages, cpu);
	ring->page = map;
	ring->map_size = size;
	ring->fd = fd;
	ring->ring = (struct ring){
		.head = (uint64_t *)&ring->page->data_head,
		.tail = (uint64_t *)&ring->page->data_tail,
		.data = (char *)map + page_size,
		.size = pages * page_size,
		.cpu = cpu,
	};
	return NULL;
}

/*
 * kernel.perf_event_paranoid=2 lets users count their own tasks outside of the
 * kernel: as perf, take that rather than nothing.
 */
static bool leave_out_kernel(struct perf_capture *c, struct event *event, const struct error *err)
{
	char *name;

	if (err->code != EACCES || !c->target->tasks || event->attr.exclude_kernel ||
	    event->attr.type == PERF_TYPE_TRACEPOINT)
		return false;
	if (asprintf(&name, "%s%s", event->name, strchr(event->name, ':') ? "u" : ":u") < 0)
		return false;
	log_notice("Recording %s without the kernel, as kernel.perf_event_paranoid asks.",
		   event->name);
	free(event->name);
	event->name = name;
	event->attr.exclude_kernel = 1;
	event->attr.exclude_hv = 1;
	return true;
}

static struct error *open_one(struct perf_capture *c, struct event *event, const char *filter,
			      unsigned int pages, uint32_t nth)
{
	size_t nr_tasks = c->target->tasks ? c->target->nr_tasks : 1;
	uint32_t ring = nth / nr_tasks, cpu = c->target->cpus->cpus[ring];
	pid_t pid = c->target->tasks ? c->target->tasks[nth % nr_tasks] : -1;
	struct perf_fd pfd = { .event = event->index, .ring = ring };
	struct error *err;

	err = perf_open(event, pid, cpu, group_fd(c, event, nth), &pfd.fd);
	if (err && leave_out_kernel(c, event, err)) {
		error_free(err);
		err = perf_open(event, pid, cpu, group_fd(c, event, nth), &pfd.fd);
	}
	if (err)
		return err;
	if (!array_push(&c->fds, pfd)) {
		if (pfd.fd >= 0)
			close(pfd.fd);
		return &error_no_memory;
	}
	if (pfd.fd < 0)
		return NULL;

	if (!c->rings[ring].page)
		err = map_ring(&c->rings[ring], pfd.fd, pages, cpu);
	else if (ioctl(pfd.fd, PERF_EVENT_IOC_SET_OUTPUT, c->rings[ring].fd))
		err = error_errno(errno, "Cannot let %s write into the ring of CPU %u",
				  event->name, cpu);
	if (!err && ioctl(pfd.fd, PERF_EVENT_IOC_ID, &pfd.id))
		err = error_errno(errno, "Cannot get the id of %s", event->name);
	if (!err && filter && ioctl(pfd.fd, PERF_EVENT_IOC_SET_FILTER, filter))
		err = error_hint(error_errno(errno, "The kernel refuses the filter '%s' of %s",
					     event->filter, event->name),
				 "It was given as: %s", filter);
	c->fds.items[c->fds.nr - 1].id = pfd.id;
	return err ? err : event_add_id(event, pfd.id);
}

static struct error *open_event(struct perf_capture *c, struct event *event, unsigned int pages)
{
	_cleanup_(strbuf) struct strbuf filter = STRBUF_INIT;
	struct error *err = NULL;

	if (event->filter) {
		_cleanup_(event_filter) struct event_filter parsed = { 0 };

		err = event_filter_init(event, &parsed);
		if (err)
			return err;
		if (!filter_text(parsed.tree, &filter))
			return error_hint(error_new(EOPNOTSUPP, "The filter of %s reads what "
						    "perf_event's filters cannot", event->name),
					  "The ktrace module can; 'ktrace doctor' tells how to get it");
		if (filter.failed)
			return &error_no_memory;
	}
	for (uint32_t nth = 0; !err && nth < c->per_event; nth++)
		err = open_one(c, event, filter.data, pages, nth);
	return err;
}

static bool count_sample(struct ring_visitor *visitor, const struct ring *ring,
			 const struct perf_event_header *header);

static struct error *perf_backend_open(struct event_list *events,
				       const struct capture_config *config, struct capture **ret)
{
	_cleanup_(perf) struct perf_capture *c = calloc(1, sizeof(*c));
	unsigned int pages = config->pages ? config->pages : perf_open_default_pages();
	struct error *err;
	size_t nr = 0;
	bool gone = true;

	if (!c)
		return &error_no_memory;
	c->base.backend = &backend_perf;
	c->visitor.visit = count_sample;
	c->events = events;
	c->target = &config->target;
	c->clockid = config->clockid;
	c->per_event = config->target.cpus->nr * (config->target.tasks ? config->target.nr_tasks : 1);
	c->rings = calloc(config->target.cpus->nr, sizeof(*c->rings));
	if (!c->rings)
		return &error_no_memory;

	if (config->side_band) {
		err = task_events_add(events, config);
		if (err)
			return err;
	}
	for (size_t i = 0; i < events->nr; i++)
		nr += is_ours(events->items[i]);
	perf_open_reserve(nr * c->per_event);

	for (size_t i = 0; i < events->nr; i++) {
		if (!is_ours(events->items[i]))
			continue;
		if (config->wakeup_bytes) {
			events->items[i]->attr.watermark = 1;
			events->items[i]->attr.wakeup_watermark = config->wakeup_bytes;
		}
		err = open_event(c, events->items[i], pages);
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

		/* What the command's exec enables, and what follows its group leader. */
		if (c->fds.items[i].fd < 0 ||
		    (request == PERF_EVENT_IOC_ENABLE &&
		     (event->attr.enable_on_exec || !event->attr.disabled)))
			continue;
		if (ioctl(c->fds.items[i].fd, request, 0))
			return error_errno(errno, "Cannot %s %s", what, event->name);
	}
	return NULL;
}

static struct error *perf_start(struct capture *base)
{
	struct perf_capture *c = to_perf(base);

	c->nr_events = c->events->nr;
	c->recorded = calloc(c->nr_events * c->target->cpus->nr, sizeof(*c->recorded));
	if (!c->recorded)
		return &error_no_memory;
	return control(c, PERF_EVENT_IOC_ENABLE, "start");
}

static struct error *perf_stop(struct capture *base)
{
	return control(to_perf(base), PERF_EVENT_IOC_DISABLE, "stop");
}

static size_t perf_poll_fds(struct capture *base, int *fds, size_t max)
{
	struct perf_capture *c = to_perf(base);
	size_t nr = 0;

	/* A wakeup of a ring reaches all its events; the end of a task only its own. */
	for (size_t i = 0; i < c->fds.nr; i++) {
		const struct perf_fd *pfd = &c->fds.items[i];

		if (pfd->fd < 0)
			continue;
		if (pfd->fd != c->rings[pfd->ring].fd && !(c->target->tasks && i < c->per_event))
			continue;
		if (nr < max)
			fds[nr] = pfd->fd;
		nr++;
	}
	return nr;
}

static uint64_t gettime(clockid_t clockid)
{
	struct timespec ts;

	return clock_gettime(clockid, &ts) ? 0 : ts.tv_sec * 1000000000ULL + ts.tv_nsec;
}

static uint64_t trace_time(const struct perf_capture *c)
{
	if (c->clockid >= 0)
		return gettime(c->clockid);
	for (size_t i = 0; i < c->target->cpus->nr; i++)
		if (c->rings[i].page)
			return clock_perf(c->rings[i].page);
	return 0;
}

/*
 * What was stamped before now was written by code that disables preemption,
 * so it is visible once every CPU has passed through the scheduler.
 */
static struct error *perf_mark(struct capture *base, uint64_t *ret)
{
	*ret = trace_time(to_perf(base));
	if (syscall(SYS_membarrier, MEMBARRIER_CMD_GLOBAL, 0, 0))
		*ret = 0;
	return NULL;
}

static struct error *perf_clock(struct capture *base, struct capture_clock *ret)
{
	ret->trace = trace_time(to_perf(base));
	ret->monotonic = gettime(CLOCK_MONOTONIC);
	ret->raw = gettime(CLOCK_MONOTONIC_RAW);
	ret->boottime = gettime(CLOCK_BOOTTIME);
	ret->realtime = gettime(CLOCK_REALTIME);
	return NULL;
}

static bool count_sample(struct ring_visitor *visitor, const struct ring *ring,
			 const struct perf_event_header *header)
{
	struct perf_capture *c = container_of(visitor, struct perf_capture, visitor);
	struct perf_ring *from = container_of(ring, struct perf_ring, ring);
	const uint64_t *words = (const uint64_t *)(header + 1);
	const struct event *event;

	switch (header->type) {
	case PERF_RECORD_SAMPLE:
		event = event_list_find_id(c->events, words[0]);
		if (event && event->index < c->nr_events) {
			c->recorded[event->index * c->target->cpus->nr + (from - c->rings)]++;
			from->last_time = event_record_time(event, header);
		}
		break;
	case PERF_RECORD_LOST:
		from->placed += words[1];
		break;
	}
	return true;
}

static struct error *perf_drain(struct capture *base, struct record_sink *sink)
{
	struct perf_capture *c = to_perf(base);
	struct error *err = NULL;

	for (size_t i = 0; !err && i < c->target->cpus->nr; i++)
		if (c->rings[i].page)
			err = ring_drain(&c->rings[i].ring, &c->visitor, sink);
	return err;
}

/* One member of what read() gives by the read_format of every event here. */
static bool read_lost(const struct perf_capture *c, const struct perf_fd *pfd, uint64_t *ret)
{
	uint64_t format = c->events->items[pfd->event]->attr.read_format;
	uint64_t words[256];
	ssize_t n;

	*ret = 0;
	if (pfd->fd < 0)
		return true;
	if (!(format & PERF_FORMAT_LOST))
		return false;
	n = read(pfd->fd, words, sizeof(words));
	if (n <= 0)
		/* An event in error state reads nothing and counted nothing. */
		return n == 0;
	if (!(format & PERF_FORMAT_GROUP)) {
		*ret = words[2];
		return true;
	}
	for (uint64_t i = 0; i < words[0] && (ssize_t)((i + 1) * 24 + 8) <= n; i++)
		if (words[1 + i * 3 + 1] == pfd->id)
			*ret = words[1 + i * 3 + 2];
	return true;
}

/* A PERF_RECORD_LOST for what a ring could not tell any more. */
static struct error *write_lost(struct perf_capture *c, struct record_sink *sink,
				const struct perf_ring *ring, uint64_t id, uint64_t lost)
{
	const struct event *event = event_list_find_id(c->events, id);
	uint64_t words[8] = { 0 };
	struct perf_event_header *header = (void *)words;
	struct record_span span = { .data = words, .cpu = ring->ring.cpu };
	uint64_t type = event->attr.sample_type;
	size_t n = 1;

	words[n++] = id;
	words[n++] = lost;
	n += !!(type & PERF_SAMPLE_TID);
	if (type & PERF_SAMPLE_TIME)
		words[n++] = ring->last_time;
	if (type & PERF_SAMPLE_ID)
		words[n++] = id;
	if (type & PERF_SAMPLE_CPU)
		words[n++] = ring->ring.cpu;
	words[n++] = id;
	header->type = PERF_RECORD_LOST;
	header->size = n * sizeof(*words);
	span.size = header->size;
	return record_sink_write(sink, &span);
}

static struct error *ledger_of_ring(struct perf_capture *c, uint32_t nth, struct record_sink *sink,
				    struct ledger *ledger)
{
	struct perf_ring *ring = &c->rings[nth];
	uint64_t placed = ring->placed;
	struct error *err = NULL;

	for (size_t first = 0; !err && first < c->fds.nr; first += c->per_event) {
		const struct event *event = c->events->items[c->fds.items[first].event];
		struct ledger_row row = {
			.event = event->index,
			.cpu = ring->ring.cpu,
			.proof = event->filter ? LEDGER_UNKNOWN : LEDGER_BOUNDED,
			.recorded = c->recorded[event->index * c->target->cpus->nr + nth],
			.filtered = event->filter ? LEDGER_NOT_KNOWN : 0,
		};
		uint64_t unplaced;

		for (size_t i = first; i < first + c->per_event; i++) {
			uint64_t lost;

			if (c->fds.items[i].ring != nth)
				continue;
			if (!read_lost(c, &c->fds.items[i], &lost))
				row.proof = LEDGER_UNKNOWN;
			row.lost[LEDGER_LOST_FULL] += lost;
		}
		/* LOST records tell of the ring, not of one event: count them off. */
		unplaced = row.lost[LEDGER_LOST_FULL];
		if (unplaced > placed) {
			unplaced -= placed;
			placed = 0;
			err = write_lost(c, sink, ring, event->ids[0], unplaced);
		} else {
			placed -= unplaced;
		}
		if (!err)
			err = ledger_add(ledger, &row);
	}
	/* Without PERF_FORMAT_LOST: what the ring told of, by no event's name. */
	if (!err && placed && !(c->events->items[0]->attr.read_format & PERF_FORMAT_LOST)) {
		struct ledger_row row = {
			.event = UINT32_MAX, .cpu = ring->ring.cpu, .proof = LEDGER_UNKNOWN,
			.lost[LEDGER_LOST_FULL] = placed,
		};

		err = ledger_add(ledger, &row);
	}
	return err;
}

static struct error *perf_ledger(struct capture *base, struct record_sink *sink,
				 struct ledger *ledger)
{
	struct perf_capture *c = to_perf(base);
	struct error *err = NULL;

	for (uint32_t nth = 0; !err && nth < c->target->cpus->nr; nth++)
		if (c->rings[nth].page)
			err = ledger_of_ring(c, nth, sink, ledger);
	return err;
}

static const char *perf_path(struct capture *base, const struct event *event)
{
	(void)base;
	(void)event;
	return "perf_event";
}

const struct capture_backend backend_perf = {
	.name = "perf",
	.source = EVENT_SOURCE_PERF,
	.available = perf_available,
	.open = perf_backend_open,
	.start = perf_start,
	.stop = perf_stop,
	.poll_fds = perf_poll_fds,
	.mark = perf_mark,
	.drain = perf_drain,
	.ledger = perf_ledger,
	.clock = perf_clock,
	.path = perf_path,
	.close = perf_close,
};
