// SPDX-License-Identifier: GPL-2.0
#include "recorder/switch_events.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "lib/log.h"

struct switch_sink {
	struct record_sink sink;
	bool seen;
};

static struct error *switch_see(struct record_sink *sink, const struct record_span *span)
{
	struct switch_sink *s = container_of(sink, struct switch_sink, sink);

	s->seen |= span->size > 0;
	return NULL;
}

static const struct record_sink_ops switch_ops = { .write = switch_see };

/* It is said once, as the thread ends then. */
static void switch_fail(struct error *err)
{
	error_report(err);
	log_warning("No more files begin by --switch-output-event; SIGUSR2 still begins one.");
}

/* Whether the wait may go on. */
static bool switch_wait(struct switch_events *events, struct pollfd *fds, size_t nr)
{
	struct switch_sink seen = { .sink.ops = &switch_ops };
	struct error *err;

	if (poll(fds, nr + 1, -1) < 0) {
		if (errno == EINTR)
			return true;
		switch_fail(error_errno(errno, "Cannot wait for events"));
		return false;
	}
	if (fds[nr].revents)
		return false;
	/* Of tasks that have ended nothing can come any more. */
	for (size_t i = 0; i < nr; i++)
		if (fds[i].revents & (POLLHUP | POLLERR))
			fds[i].fd = -1;
	err = events->capture->backend->drain(events->capture, &seen.sink);
	if (err) {
		switch_fail(err);
		return false;
	}
	if (seen.seen)
		kill(getpid(), SIGUSR2);
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
				 const struct target_options *target, pid_t command)
{
	/* Only perf_event has descriptors that become readable by every single record. */
	const struct plan_options options = {
		.specs = specs, .target = *target, .via = "perf", .clockid = -1, .period = 1,
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

void switch_events_close(struct switch_events *events)
{
	uint64_t one = 1;

	if (events->running && write(events->end, &one, sizeof(one)) == sizeof(one))
		pthread_join(events->thread, NULL);
	if (events->running)
		close(events->end);
	if (events->capture)
		events->capture->backend->close(events->capture);
	plan_deinit(&events->plan);
	*events = (struct switch_events){ .capture = NULL };
}
