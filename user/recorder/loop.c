// SPDX-License-Identifier: GPL-2.0
/*
 * Rings are drained whenever one requests it, and at least every POLL_MS.  A round ends with a
 * mark: a thread queries every source for one, which takes tens of ms, while the rings are still
 * drained.  After the next drain, all records before the mark have been written.
 */
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "lib/cleanup.h"
#include "lib/interrupt.h"
#include "lib/log.h"
#include "lib/monotonic.h"
#include "recorder/loop.h"

#define POLL_MS		100
#define ROUND_MS	500
#define CLOCK_MS	5000

/* With so many samples of the recorder's own work, a notice is printed during the recording. */
#define OWN_WORK_WHILE	100000

/* The thread that queries the sources for marks, one mark at a time. */
struct marker {
	struct captures *captures;
	pthread_t thread;
	bool running;
	int ask, done;		/* eventfds; -1: none */
	uint64_t mark;		/* the earliest mark of all sources */
	struct error *err;
};

static void *marker_main(void *data)
{
	struct marker *m = data;
	uint64_t word;

	for (;;) {
		if (read(m->ask, &word, sizeof(word)) != sizeof(word) || word > 1)
			return NULL;
		m->err = captures_mark(m->captures, &m->mark);
		word = 1;
		if (write(m->done, &word, sizeof(word)) != sizeof(word))
			return NULL;
	}
}

static void marker_deinit(struct marker *m)
{
	uint64_t end = 2;

	if (m->running && write(m->ask, &end, sizeof(end)) == sizeof(end))
		pthread_join(m->thread, NULL);
	if (m->ask >= 0)
		close(m->ask);
	if (m->done >= 0)
		close(m->done);
	error_free(m->err);
}

DEFINE_CLEANUP(marker, struct marker, marker_deinit)

static struct error *marker_init(struct marker *m, struct captures *captures)
{
	int code;

	m->captures = captures;
	m->ask = eventfd(0, EFD_CLOEXEC);
	m->done = eventfd(0, EFD_CLOEXEC);
	if (m->ask < 0 || m->done < 0)
		return error_errno(errno, "Cannot create an event descriptor");
	code = pthread_create(&m->thread, NULL, marker_main, m);
	if (code)
		return error_errno(code, "Cannot start a thread");
	m->running = true;
	return NULL;
}

struct poll_set {
	struct pollfd *fds;
	size_t nr;		/* the last one is the marker's */
	bool deaf;		/* triggers are ignored */
	size_t inputs;		/* further descriptors: the consumer's, if it has one */
};

/* Whether a trigger event has fired, or SIGUSR2 came. */
static bool is_requested(const struct poll_set *set)
{
	bool wanted = interrupt_requested();

	for (size_t i = 0; i + 1 < set->nr; i++)
		wanted |= set->fds[i].revents & POLLPRI;
	return wanted;
}

static struct error *poll_set_init(const struct captures *captures, int marker, int input,
				   struct poll_set *ret)
{
	size_t nr = 0, n = 0;
	_cleanup_free_ int *fds = NULL;

	for (size_t i = 0; i < captures->nr; i++)
		nr += captures->items[i]->backend->poll_fds(captures->items[i], NULL, 0);
	fds = calloc(nr + 1, sizeof(*fds));
	ret->fds = calloc(nr + 2, sizeof(*ret->fds));
	if (!fds || !ret->fds)
		return &error_no_memory;
	for (size_t i = 0; i < captures->nr; i++)
		n += captures->items[i]->backend->poll_fds(captures->items[i], fds + n, nr - n);
	for (size_t i = 0; i < nr; i++)
		ret->fds[i] = (struct pollfd){ .fd = fds[i], .events = POLLIN | POLLPRI };
	ret->fds[nr] = (struct pollfd){ .fd = marker, .events = POLLIN };
	ret->nr = nr + 1;
	ret->fds[ret->nr] = (struct pollfd){ .fd = input, .events = POLLIN };
	ret->inputs = input > 0;
	return NULL;
}

/*
 * Whether tasks are left.  The descriptors of tasks hang up when the tasks end; if none has hung
 * up, the answer is yes.
 */
static bool tasks_left(struct poll_set *set, const struct captures *captures)
{
	size_t hung = 0, left = 0;

	for (size_t i = 0; i + 1 < set->nr; i++) {
		if (set->fds[i].revents & (POLLHUP | POLLERR))
			set->fds[i].fd = -1;
		hung += set->fds[i].fd < 0;
		left += set->fds[i].fd >= 0;
	}
	/* Descriptors that never hang up give no information. */
	for (size_t i = 0; i < captures->nr; i++)
		if (!(captures->items[i]->backend->can & CAPTURE_HANGS_UP))
			left -= captures->items[i]->backend->poll_fds(captures->items[i], NULL, 0);
	return !hung || left;
}

/*
 * A recording of whole CPUs that contains the recorder's own work feeds itself: each round writes
 * records of the previous round's work.
 */
void loop_tell_own_work(struct loop *loop, uint64_t at_least)
{
	uint64_t own, all;

	captures_own_work(loop->captures, &own, &all);
	if (loop->told_own_work || own < at_least || own <= all / 2)
		return;
	loop->told_own_work = true;
	log_notice("Most of the samples are of the recorder's own work (%llu of %llu); "
		   "--exclude-perf leaves out its tracepoints.", (unsigned long long)own,
		   (unsigned long long)all);
}

/* A trigger is reported until a snapshot is taken, so it must be masked meanwhile. */
static void poll_set_listen(struct poll_set *set, bool deaf)
{
	for (size_t i = 0; set->deaf != deaf && i + 1 < set->nr; i++)
		set->fds[i].events = deaf ? POLLIN : POLLIN | POLLPRI;
	set->deaf = deaf;
}

/* Wait until a ring has to be read, or another action is due. */
static struct error *wait_for_records(struct loop *loop, struct poll_set *set,
				      unsigned int timeout_ms)
{
	int n = interrupt_poll(set->fds, set->nr + set->inputs, timeout_ms);
	int others;

	if (n < 0 && errno != EINTR)
		return error_errno(errno, "Cannot wait for records");
	if (n < 0) {
		/* As in perf, a signal that ends the wait counts as a wakeup, too. */
		loop->wakeups++;
		for (size_t i = 0; i < set->nr + set->inputs; i++)
			set->fds[i].revents = 0;
	}
	others = !!(set->fds[set->nr - 1].revents & POLLIN);
	others += set->inputs && set->fds[set->nr].revents;
	loop->wakeups += n > others;
	return NULL;
}

/* Due times in ms. */
struct schedule {
	uint64_t round, clock, end;
	bool marking;		/* the marker was started and has not answered yet */
};

/* If the marker has answered, pass the mark on; start it again when the next mark is due. */
static struct error *step_marks(struct loop *loop, struct loop_consumer *consumer,
				struct marker *m, bool marked, struct schedule *due)
{
	struct error *err = NULL;
	uint64_t word;

	if (marked && read(m->done, &word, sizeof(word)) == sizeof(word)) {
		due->marking = false;
		err = take_ptr(m->err);
		if (!err)
			err = record_sink_round(consumer->sink, m->mark);
	}
	if (!err && consumer->sink->ops->round && !due->marking && monotonic_ms() >= due->round) {
		word = 1;
		due->round = monotonic_ms() + loop->latency_ms;
		due->marking = write(m->ask, &word, sizeof(word)) == sizeof(word);
	}
	return err;
}

static struct error *loop_add_clock(struct loop *loop, struct loop_consumer *consumer)
{
	return consumer->clock ? consumer->clock(consumer, loop->captures) : NULL;
}

static bool loop_is_over(const struct loop *loop, const struct schedule *due)
{
	/*
	 * If a ring is always ready, the wait delivers no signals, so they are checked here, too.
	 */
	return interrupt_signal() || (loop->workload->pid && workload_ended(loop->workload)) ||
	       monotonic_ms() >= due->end;
}

static unsigned int loop_poll_ms(const struct loop *loop, const struct schedule *due)
{
	unsigned int ms = loop->latency_ms < POLL_MS ? loop->latency_ms : POLL_MS;
	uint64_t now = monotonic_ms();

	if (now >= due->end)
		return 0;
	return due->end - now < ms ? due->end - now : ms;
}

/* The context of a command of --control, which is answered afterwards. */
struct loop_control {
	struct loop *loop;
	struct loop_consumer *consumer;
	bool *end;
};

static struct error *loop_obey(void *data, enum control_word word)
{
	struct loop_control *c = data;
	struct error *err;

	switch (word) {
	case CONTROL_ENABLE:
	case CONTROL_DISABLE:
		return captures_pause(c->loop->captures, word == CONTROL_DISABLE);
	case CONTROL_STOP:
		*c->end = true;
		break;
	case CONTROL_SNAPSHOT:
		if (!c->consumer->requested) {
			log_warning("There are no snapshots (--control): --snapshot or "
				    "--switch-output enables them");
			break;
		}
		err = captures_drain(c->loop->captures, c->consumer->sink);
		return err ? err : c->consumer->requested(c->consumer);
	case CONTROL_PING:
		break;
	}
	return NULL;
}

static struct error *loop_take_commands(struct loop *loop, struct loop_consumer *consumer,
					struct poll_set *set, bool *ret_end)
{
	struct loop_control control = { loop, consumer, ret_end };
	struct error *err;

	if (!loop->control)
		return NULL;
	err = control_read(loop->control, loop_obey, &control);
	if (!consumer->input)
		set->fds[set->nr].fd = loop->control->fd;
	return err;
}

static struct error *loop_until_end(struct loop *loop, struct loop_consumer *consumer,
				    struct marker *m, struct poll_set *set)
{
	struct schedule due = {
		.round = monotonic_ms() + loop->latency_ms,
		.clock = monotonic_ms() + CLOCK_MS,
		.end = loop->duration_ms ? monotonic_ms() + loop->duration_ms : UINT64_MAX,
	};
	bool task_target = loop->has_tasks && !loop->workload->pid, end = false;

	while (!end && !loop_is_over(loop, &due)) {
		struct error *err;

		poll_set_listen(set, consumer->deaf);
		err = wait_for_records(loop, set, loop_poll_ms(loop, &due));
		if (!err)
			err = captures_drain(loop->captures, consumer->sink);
		loop_tell_own_work(loop, OWN_WORK_WHILE);
		if (!err && consumer->requested && is_requested(set))
			err = consumer->requested(consumer);
		if (!err)
			err = step_marks(loop, consumer, m, set->fds[set->nr - 1].revents & POLLIN,
					 &due);
		if (!err && monotonic_ms() >= due.clock) {
			due.clock = monotonic_ms() + CLOCK_MS;
			err = loop_add_clock(loop, consumer);
		}
		if (!err && consumer->turn)
			err = consumer->turn(consumer, &end);
		if (!err)
			err = loop_take_commands(loop, consumer, set, &end);
		if (err)
			return err;
		if (!tasks_left(set, loop->captures) && task_target)
			break;
	}
	return NULL;
}

static struct error *loop_with_marker(struct loop *loop, struct loop_consumer *consumer)
{
	_cleanup_(marker) struct marker marker = { .ask = -1, .done = -1 };
	struct poll_set set = { 0 };
	int input = loop->control && !consumer->input ? loop->control->fd : consumer->input;
	struct error *err;

	err = marker_init(&marker, loop->captures);
	if (!err)
		err = poll_set_init(loop->captures, marker.done, input, &set);
	if (!err)
		err = loop_until_end(loop, consumer, &marker, &set);
	free(set.fds);
	return err;
}

struct error *loop_run(struct loop *loop, struct loop_consumer *consumer)
{
	struct error *err;

	if (!loop->latency_ms)
		loop->latency_ms = ROUND_MS;
	err = loop_add_clock(loop, consumer);
	if (!err)
		err = loop_with_marker(loop, consumer);
	/* After this no new record can appear, so no mark is needed. */
	if (!err)
		err = captures_stop(loop->captures);
	return err ? err : captures_drain(loop->captures, consumer->sink);
}
