// SPDX-License-Identifier: GPL-2.0
#include "recorder/switch_events.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "lib/log.h"
#include "lib/monotonic.h"
#include "record/body.h"

struct switch_sink {
	struct record_sink sink;
	const struct event_list *events;
	uint64_t seen;			/* events, including lost ones */
	const struct event *first;
	uint64_t time;			/* of the first */
};

static void switch_see_record(struct switch_sink *s, const struct perf_event_header *header)
{
	const struct event *event = event_list_find_record(s->events, header);
	const struct body_lost *lost;
	uint64_t time;

	if (header->type == PERF_RECORD_LOST) {
		lost = body_of(header, struct body_lost);
		s->seen += lost ? lost->lost : 0;
	}
	if (header->type != PERF_RECORD_SAMPLE || !event)
		return;
	s->seen++;
	time = event_record_time(event, header);
	if (!s->first || time < s->time) {
		s->first = event;
		s->time = time;
	}
}

static struct error *switch_see(struct record_sink *sink, const struct record_span *span)
{
	struct switch_sink *s = container_of(sink, struct switch_sink, sink);

	const char *p = span->data, *end = p + span->size;

	for (; p < end; p += ((const struct perf_event_header *)p)->size)
		switch_see_record(s, (const void *)p);
	return NULL;
}

static const struct record_sink_ops switch_ops = { .write = switch_see };

/* Called once, because the thread ends then. */
static void switch_fail(struct error *err)
{
	error_report(err);
	log_warning("Events no longer begin new files; SIGUSR2 still does.");
}

static uint64_t switch_hold(const struct switch_events *events)
{
	return __atomic_load_n(&events->hold_until, __ATOMIC_RELAXED);
}

static void switch_ask(struct switch_events *events, const struct switch_sink *seen)
{
	/* Pairs with the release in switch_events_take(): pending data is not changed. */
	bool pending = __atomic_load_n(&events->pending, __ATOMIC_ACQUIRE);

	if (!pending) {
		events->name = seen->first->name;
		events->time = seen->time;
		/* Pairs with the acquire in switch_events_take(). */
		__atomic_store_n(&events->pending, true, __ATOMIC_RELEASE);
	}
	if (!pending || !events->asks_once)
		kill(getpid(), SIGUSR2);
}

const char *switch_events_take(struct switch_events *events, uint64_t *ret_time)
{
	const char *name = NULL;

	/* Pairs with the release in switch_ask(). */
	if (__atomic_load_n(&events->pending, __ATOMIC_ACQUIRE)) {
		name = events->name;
		*ret_time = events->time;
		/* Pairs with the acquire in switch_ask(). */
		__atomic_store_n(&events->pending, false, __ATOMIC_RELEASE);
	}
	return name;
}

void switch_events_hold(struct switch_events *events, uint64_t until_ms)
{
	__atomic_store_n(&events->hold_until, until_ms, __ATOMIC_RELAXED);
}

uint64_t switch_events_count(const struct switch_events *events)
{
	return __atomic_load_n(&events->count, __ATOMIC_RELAXED);
}

/* Whether the wait may go on. */
static bool switch_wait(struct switch_events *events, struct pollfd *fds, size_t nr)
{
	struct switch_sink seen = { .sink.ops = &switch_ops, .events = &events->plan.events };
	uint64_t now = monotonic_ms(), hold = switch_hold(events);
	bool held = now < hold;
	struct error *err;

	/* While events are ignored, a full ring is harmless. */
	if ((held ? poll(fds + nr, 1, hold - now) : poll(fds, nr + 1, -1)) < 0) {
		if (errno == EINTR)
			return true;
		switch_fail(error_errno(errno, "Cannot wait for events"));
		return false;
	}
	if (fds[nr].revents)
		return false;
	/* Tasks that have ended cause no more events. */
	for (size_t i = 0; i < nr; i++)
		if (fds[i].revents & (POLLHUP | POLLERR))
			fds[i].fd = -1;
	err = events->capture->backend->drain(events->capture, &seen.sink);
	if (err) {
		switch_fail(err);
		return false;
	}
	__atomic_fetch_add(&events->count, seen.seen, __ATOMIC_RELAXED);
	if (seen.first && !held && monotonic_ms() >= switch_hold(events))
		switch_ask(events, &seen);
	return true;
}

static void *switch_main(void *data)
{
	struct switch_events *events = data;
	const struct capture_backend *backend = events->capture->backend;
	size_t nr = backend->poll_fds(events->capture, NULL, 0);
	struct pollfd *fds = calloc(nr + 1, sizeof(*fds));
	int *numbers = calloc(nr + 1, sizeof(*numbers));

	if (fds && numbers) {
		backend->poll_fds(events->capture, numbers, nr);
		for (size_t i = 0; i < nr; i++)
			fds[i] = (struct pollfd){ .fd = numbers[i], .events = POLLIN };
		fds[nr] = (struct pollfd){ .fd = events->end, .events = POLLIN };
		while (switch_wait(events, fds, nr))
			;
	} else {
		switch_fail(&error_no_memory);
	}
	free(fds);
	free(numbers);
	return NULL;
}

struct error *switch_events_open(struct switch_events *events, const struct event_specs *specs,
				 const struct target_options *target, int32_t clockid,
				 pid_t command)
{
	/* Only perf_event has descriptors that every single record makes readable. */
	const struct plan_options options = {
		.specs = specs, .target = *target, .via = "perf", .clockid = clockid, .period = 1,
		.pages = 1, .no_buffering = true,
	};
	struct plan *plan = &events->plan;
	struct error *err;

	if (!specs->nr)
		return NULL;
	err = plan_init(&options, plan);
	if (err)
		return err;
	if (plan->target.is_command)
		plan->target.tasks[0] = command;
	err = capture_backend_of(plan->events.items[0])->open(&plan->events, &plan->config,
							      &events->capture);
	return err ? err : event_list_index(&plan->events);
}

struct error *switch_events_start(struct switch_events *events)
{
	struct error *err;
	int code;

	if (!events->capture)
		return NULL;
	err = events->capture->backend->start(events->capture);
	if (err)
		return err;
	events->end = eventfd(0, EFD_CLOEXEC);
	if (events->end < 0)
		return error_errno(errno, "Cannot create an event descriptor");
	code = pthread_create(&events->thread, NULL, switch_main, events);
	events->running = !code;
	return code ? error_errno(code, "Cannot start a thread") : NULL;
}

/* The last events are only counted, together with the lost ones. */
static struct error *switch_count_rest(struct switch_events *events)
{
	struct switch_sink seen = { .sink.ops = &switch_ops, .events = &events->plan.events };
	const struct capture_backend *backend = events->capture->backend;
	_cleanup_(ledger) struct ledger ledger = { 0 };
	struct error *err = backend->stop(events->capture);

	if (!err)
		err = backend->drain(events->capture, &seen.sink);
	if (!err)
		err = backend->ledger(events->capture, &seen.sink, &ledger);
	events->count += seen.seen;
	return err;
}

struct error *switch_events_stop(struct switch_events *events)
{
	uint64_t one = 1;

	if (!events->running)
		return NULL;
	if (write(events->end, &one, sizeof(one)) == sizeof(one))
		pthread_join(events->thread, NULL);
	close(events->end);
	events->running = false;
	return switch_count_rest(events);
}

void switch_events_close(struct switch_events *events)
{
	error_free(switch_events_stop(events));
	if (events->capture)
		events->capture->backend->close(events->capture);
	plan_deinit(&events->plan);
	*events = (struct switch_events){ .capture = NULL };
}
