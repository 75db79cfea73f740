// SPDX-License-Identifier: GPL-2.0
#include "capture/backend_fake.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "capture/backend.h"
#include "capture/event_attr.h"
#include "lib/array.h"
#include "lib/cleanup.h"
#include "lib/strbuf.h"
#include "record/body.h"
#include "record/device_lost.h"

/* Higher than the ids of the other backends, so that one list can have events of all three. */
#define FAKE_ID_BASE (1ULL << 63)

#define FAKE_SAMPLE_TYPE (PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID |	\
			  PERF_SAMPLE_TIME | PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD |	\
			  PERF_SAMPLE_RAW)

/* One event on one CPU. */
struct fake_stream {
	uint64_t next;		/* number of the next firing */
	uint64_t lost, unplaced;
};

struct fake_capture {
	struct capture base;
	struct event_list *events;
	const struct cpumap *cpus;
	struct fake_stream *streams;	/* [event][cpu] */
	size_t nr_events;
	bool started;
	int fd;				/* always readable */
};

static struct fake_capture *to_fake(struct capture *base)
{
	return container_of(base, struct fake_capture, base);
}

static void fake_close(struct capture *base)
{
	struct fake_capture *c = to_fake(base);

	if (c->fd >= 0)
		close(c->fd);
	free(c->streams);
	free(c);
}

static void fake_destroy(struct fake_capture *c)
{
	if (c)
		fake_close(&c->base);
}

DEFINE_CLEANUP_PTR(fake, struct fake_capture, fake_destroy)

static struct error *fake_available(void)
{
	return NULL;
}

static struct error *fake_open(struct event_list *events, const struct capture_config *config,
			       struct capture **ret)
{
	_cleanup_(fake) struct fake_capture *c = calloc(1, sizeof(*c));
	struct error *err;

	if (!c)
		return &error_no_memory;
	c->base.backend = &backend_fake;
	c->events = events;
	c->cpus = config->target.cpus;
	c->nr_events = events->nr;
	c->fd = -1;
	c->streams = calloc(events->nr * c->cpus->nr, sizeof(*c->streams));
	if (!c->streams)
		return &error_no_memory;
	c->fd = eventfd(1, EFD_CLOEXEC);
	if (c->fd < 0)
		return error_errno(errno, "Cannot create an event descriptor");

	for (size_t i = 0; i < events->nr; i++) {
		struct event *event = events->items[i];

		if (!capture_backend_has(&backend_fake, event))
			continue;
		event->attr.sample_type = FAKE_SAMPLE_TYPE;
		event->attr.sample_id_all = 1;
		event_finish(event);
		err = event_add_id(event, FAKE_ID_BASE + i);
		if (err)
			return err;
	}
	*ret = &take_ptr(c)->base;
	return NULL;
}

static struct error *fake_start(struct capture *base)
{
	to_fake(base)->started = true;
	return NULL;
}

/* Its records do not depend on time. */
static struct error *fake_pause(struct capture *base, bool paused)
{
	return NULL;
}

static struct error *fake_stop(struct capture *base)
{
	to_fake(base)->started = false;
	return NULL;
}

static size_t fake_poll_fds(struct capture *base, int *fds, size_t max)
{
	if (max)
		fds[0] = to_fake(base)->fd;
	return 1;
}

static uint64_t fake_time_of(const struct event *event, uint32_t cpu, uint64_t n)
{
	return FAKE_TIME_BASE + n * FAKE_TIME_STEP + cpu + event->index;
}

static struct error *fake_mark(struct capture *base, uint64_t *ret)
{
	struct fake_capture *c = to_fake(base);
	uint64_t next = 0;

	for (size_t i = 0; i < c->nr_events * c->cpus->nr; i++)
		if (c->streams[i].next > next)
			next = c->streams[i].next;
	*ret = FAKE_TIME_BASE + next * FAKE_TIME_STEP;
	return NULL;
}

static void fake_add_sample(struct strbuf *out, const struct event *event, uint32_t cpu, uint64_t n)
{
	struct {
		struct perf_event_header header;
		uint64_t id, ip;
		uint32_t pid, tid;
		uint64_t time;
		uint32_t cpu, reserved;
		uint64_t period;
		uint32_t raw_size;
		struct fake_raw raw;
	} __attribute__((packed)) sample = {
		.header = { PERF_RECORD_SAMPLE, PERF_RECORD_MISC_KERNEL, 0 },
		.id = event->ids[0],
		.ip = 0xffffffff81000000ULL + n,
		.pid = FAKE_TID + cpu,
		.tid = FAKE_TID + cpu,
		.time = fake_time_of(event, cpu, n),
		.cpu = cpu,
		.period = 1,
		.raw = {
			.common_type = event->attr.config,
			.common_pid = FAKE_TID + cpu,
			.n = n,
			.cpu = cpu,
		},
	};
	char padding[8] = { 0 };
	size_t size = (sizeof(sample) + 7) & ~7UL;

	sample.header.size = size;
	sample.raw_size = size - offsetof(typeof(sample), raw);
	strbuf_add(out, &sample, sizeof(sample));
	strbuf_add(out, padding, size - sizeof(sample));
}

static void fake_add_lost(struct strbuf *out, const struct event *event, uint32_t cpu,
			  uint64_t lost, uint64_t first, uint64_t last)
{
	struct device_lost record;

	device_lost_make(event, cpu, 0, lost, fake_time_of(event, cpu, first),
			 fake_time_of(event, cpu, last), &record);
	strbuf_add(out, &record, record.header.size);
}

static bool fake_is_ours(const struct fake_capture *c, size_t event)
{
	return capture_backend_has(&backend_fake, c->events->items[event]);
}

static struct error *fake_drain_cpu(struct fake_capture *c, size_t nth, struct record_sink *sink)
{
	_cleanup_(strbuf) struct strbuf out = STRBUF_INIT;
	uint32_t cpu = c->cpus->cpus[nth];

	/* The records are sorted by time, as in a ring: one firing after the other. */
	for (int k = 0; k < FAKE_PER_DRAIN; k++) {
		for (size_t i = 0; i < c->nr_events; i++) {
			struct fake_stream *s = &c->streams[i * c->cpus->nr + nth];
			const struct event *event = c->events->items[i];
			uint64_t n;

			if (!fake_is_ours(c, i))
				continue;
			n = s->next++;
			if (n % FAKE_LOST_EVERY == FAKE_LOST_EVERY - 1) {
				s->lost++;
				s->unplaced++;
				continue;
			}
			if (s->unplaced)
				fake_add_lost(&out, event, cpu, s->unplaced, n - s->unplaced,
					      n - 1);
			s->unplaced = 0;
			fake_add_sample(&out, event, cpu, n);
		}
	}
	if (out.failed)
		return &error_no_memory;
	return record_sink_write(sink, &(struct record_span){ out.data, out.len, cpu });
}

static struct error *fake_drain(struct capture *base, struct record_sink *sink)
{
	struct fake_capture *c = to_fake(base);
	struct error *err = NULL;

	for (size_t nth = 0; !err && c->started && nth < c->cpus->nr; nth++)
		err = fake_drain_cpu(c, nth, sink);
	return err;
}

static struct error *fake_ledger(struct capture *base, struct record_sink *sink,
				 struct ledger *ledger)
{
	struct fake_capture *c = to_fake(base);
	struct error *err = NULL;

	for (size_t i = 0; !err && i < c->nr_events * c->cpus->nr; i++) {
		const struct event *event = c->events->items[i / c->cpus->nr];
		const struct fake_stream *s = &c->streams[i];
		struct ledger_row row = {
			.event = event->index,
			.cpu = c->cpus->cpus[i % c->cpus->nr],
			.recorded = s->next - s->lost,
			.lost[LEDGER_LOST_FULL] = s->lost,
		};

		if (!fake_is_ours(c, event->index))
			continue;
		if (s->unplaced) {
			_cleanup_(strbuf) struct strbuf out = STRBUF_INIT;

			fake_add_lost(&out, event, row.cpu, s->unplaced, s->next - s->unplaced,
				      s->next - 1);
			err = out.failed ? &error_no_memory :
			      record_sink_write(sink, &(struct record_span){ out.data, out.len,
									    row.cpu });
		}
		if (!err)
			err = ledger_add(ledger, &row);
	}
	return err;
}

static struct error *fake_clock(struct capture *base, struct capture_clock *ret)
{
	struct error *err = fake_mark(base, &ret->trace);

	ret->monotonic = ret->raw = ret->boottime = ret->realtime = ret->trace;
	return err;
}

const struct capture_backend backend_fake = {
	.name = "fake",
	.title = "fake",
	.source = 2,
	.can = CAPTURE_ANY_EVENT | CAPTURE_STACKS | CAPTURE_GROUPS | CAPTURE_LEVELS |
	       CAPTURE_ADDRESSES | CAPTURE_CGROUPS | CAPTURE_COMMS | CAPTURE_MADE_UP,
	.available = fake_available,
	.init_attr = event_attr_init,
	.open = fake_open,
	.start = fake_start,
	.stop = fake_stop,
	.pause = fake_pause,
	.poll_fds = fake_poll_fds,
	.mark = fake_mark,
	.drain = fake_drain,
	.ledger = fake_ledger,
	.clock = fake_clock,
	.close = fake_close,
};
