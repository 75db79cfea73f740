// SPDX-License-Identifier: GPL-2.0
/*
 * Rings are drained whenever one asks for it, and at least every POLL_MS.  A round ends with
 * a mark: a thread asks every source for one, which takes tens of ms, while the rings are
 * still drained.  After the next drain, all records before the mark have been written.
 */
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

#include "lib/cleanup.h"
#include "lib/interrupt.h"
#include "lib/log.h"
#include "recorder/recorder.h"

#define POLL_MS		100
#define ROUND_MS	500
#define CLOCK_MS	5000

/* If so many samples are of the recorder's own work, this is reported while it records. */
#define OWN_WORK_WHILE	100000

static uint64_t now_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000ULL + ts.tv_nsec / 1000000;
}

/* The thread that asks the sources for marks, one mark at a time. */
struct marker {
	struct recording *recording;
	pthread_t thread;
	bool running;
	int ask, done;		/* eventfds; -1: none */
	uint64_t mark;		/* the earliest mark of all sources */
	struct error *err;
};

static struct error *mark_all(struct recording *r, uint64_t *ret)
{
	struct error *err = NULL;

	*ret = UINT64_MAX;
	for (size_t i = 0; !err && i < r->nr_captures; i++) {
		uint64_t mark;

		if (!r->captures[i]->backend->mark)
			continue;
		err = r->captures[i]->backend->mark(r->captures[i], &mark);
		if (!err && mark < *ret)
			*ret = mark;
	}
	return err;
}

static void *marker_main(void *data)
{
	struct marker *m = data;
	uint64_t word;

	for (;;) {
		if (read(m->ask, &word, sizeof(word)) != sizeof(word) || word > 1)
			return NULL;
		m->err = mark_all(m->recording, &m->mark);
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

static struct error *marker_init(struct marker *m, struct recording *r)
{
	int code;

	m->recording = r;
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

static struct error *drain_all(struct recording *r)
{
	struct record_sink *sink = r->writer ? writer_sink(r->writer) : &r->snapshots->sink;
	struct error *err = NULL;

	for (size_t i = 0; !err && i < r->nr_captures; i++)
		err = r->captures[i]->backend->drain(r->captures[i], sink);
	return err;
}

struct error *record_loop_add_clock(struct recording *r, struct writer *writer)
{
	struct capture_clock clock = { 0 };
	struct error *err;

	if (!r->captures[0]->backend->clock)
		return NULL;
	err = r->captures[0]->backend->clock(r->captures[0], &clock);
	if (err)
		return err;
	return writer_add_clock(writer, &(struct clock_pair){
		.trace = clock.trace, .monotonic = clock.monotonic, .raw = clock.raw,
		.boottime = clock.boottime, .realtime = clock.realtime,
	});
}

struct poll_set {
	struct pollfd *fds;
	size_t nr;		/* the last one is the marker's */
};

/* Whether a trigger event has fired, or SIGUSR2 came. */
static bool wants_snapshot(const struct poll_set *set)
{
	bool wanted = interrupt_requested();

	for (size_t i = 0; i + 1 < set->nr; i++)
		wanted |= set->fds[i].revents & POLLPRI;
	return wanted;
}

static struct error *poll_set_init(struct recording *r, int marker, struct poll_set *ret)
{
	size_t nr = 0, n = 0;
	_cleanup_free_ int *fds = NULL;

	for (size_t i = 0; i < r->nr_captures; i++)
		nr += r->captures[i]->backend->poll_fds(r->captures[i], NULL, 0);
	fds = calloc(nr + 1, sizeof(*fds));
	ret->fds = calloc(nr + 1, sizeof(*ret->fds));
	if (!fds || !ret->fds)
		return &error_no_memory;
	for (size_t i = 0; i < r->nr_captures; i++)
		n += r->captures[i]->backend->poll_fds(r->captures[i], fds + n, nr - n);
	for (size_t i = 0; i < nr; i++)
		ret->fds[i] = (struct pollfd){ .fd = fds[i], .events = POLLIN | POLLPRI };
	ret->fds[nr] = (struct pollfd){ .fd = marker, .events = POLLIN };
	ret->nr = nr + 1;
	return NULL;
}

/*
 * Whether tasks are left.  The descriptors of tasks hang up when these end; if none has hung
 * up, the answer is yes.
 */
static bool tasks_left(struct poll_set *set, const struct recording *r)
{
	size_t hung = 0, left = 0;

	for (size_t i = 0; i + 1 < set->nr; i++) {
		if (set->fds[i].revents & (POLLHUP | POLLERR))
			set->fds[i].fd = -1;
		hung += set->fds[i].fd < 0;
		left += set->fds[i].fd >= 0;
	}
	/* The descriptor of the device never hangs up. */
	for (size_t i = 0; i < r->nr_captures; i++)
		left -= r->captures[i]->backend->source == EVENT_SOURCE_DEVICE;
	return !hung || left;
}

/*
 * A recording of whole CPUs that contains the recorder's own work feeds itself: each round
 * writes records of the previous round's work.
 */
void record_loop_tell_own_work(struct recording *r, uint64_t at_least)
{
	uint64_t own = 0, all = 0;

	for (size_t i = 0; i < r->nr_captures; i++) {
		uint64_t some_own, some;

		if (!r->captures[i]->backend->own_work)
			continue;
		r->captures[i]->backend->own_work(r->captures[i], &some_own, &some);
		own += some_own;
		all += some;
	}
	if (r->told_own_work || own < at_least || own <= all / 2)
		return;
	r->told_own_work = true;
	log_notice("Most of what is recorded is the recorder's own work (%llu of %llu samples); "
		   "--exclude-perf leaves out its tracepoints.", (unsigned long long)own,
		   (unsigned long long)all);
}

static struct error *run(struct recording *r, struct marker *m, struct poll_set *set,
			 struct ledger *ledger)
{
	unsigned int round_ms = r->latency ? r->latency : ROUND_MS;
	unsigned int poll_ms = round_ms < POLL_MS ? round_ms : POLL_MS;
	uint64_t next_round = now_ms() + round_ms, next_clock = now_ms() + CLOCK_MS;
	bool marking = false, task_target = r->has_tasks && !r->workload->pid;

	/* If a ring is always ready, the wait delivers no signals, so we also ask for them here. */
	while (!interrupt_signal() && !(r->workload->pid && workload_ended(r->workload))) {
		struct error *err;
		uint64_t word;
		bool marked;
		int n;

		n = interrupt_poll(set->fds, set->nr, poll_ms);
		if (n < 0 && errno != EINTR)
			return error_errno(errno, "Cannot wait for records");
		if (n < 0) {
			/* As in perf, the end counts as a wakeup, too. */
			r->wakeups++;
			for (size_t i = 0; i < set->nr; i++)
				set->fds[i].revents = 0;
		}
		marked = set->fds[set->nr - 1].revents & POLLIN;
		r->wakeups += n > marked;
		err = drain_all(r);
		record_loop_tell_own_work(r, OWN_WORK_WHILE);
		if (!err && r->snapshots && wants_snapshot(set))
			err = snapshots_take(r, false, ledger);
		if (err)
			return err;
		if (marked && read(m->done, &word, sizeof(word)) == sizeof(word)) {
			marking = false;
			err = m->err;
			m->err = NULL;
			if (!err)
				err = record_sink_round(writer_sink(r->writer), m->mark);
			if (err)
				return err;
		}
		if (r->writer && !marking && now_ms() >= next_round) {
			word = 1;
			next_round = now_ms() + round_ms;
			marking = write(m->ask, &word, sizeof(word)) == sizeof(word);
		}
		if (r->writer && now_ms() >= next_clock) {
			next_clock = now_ms() + CLOCK_MS;
			err = record_loop_add_clock(r, r->writer);
			if (err)
				return err;
		}
		if (!tasks_left(set, r) && task_target)
			break;
	}
	return NULL;
}

struct error *record_loop_finish_captures(struct recording *r, struct record_sink *sink,
					  struct ledger *ledger)
{
	struct error *err = NULL;

	/* This includes losses that the rings could not report, which have a time as well. */
	for (size_t i = 0; !err && i < r->nr_captures; i++) {
		const struct capture_backend *backend = r->captures[i]->backend;

		err = (r->overwrite && backend->snapshot ? backend->snapshot : backend->ledger)
			(r->captures[i], sink, ledger);
	}
	return err ? err : record_sink_round(sink, UINT64_MAX);
}

/* Finish after the end.  No new records can appear, so no mark is needed. */
static struct error *finish(struct recording *r, struct ledger *ledger)
{
	struct error *err = NULL;

	for (size_t i = 0; !err && i < r->nr_captures; i++)
		err = r->captures[i]->backend->stop(r->captures[i]);
	if (!err)
		err = drain_all(r);
	if (err)
		return err;
	if (r->snapshots)
		return snapshots_wanted_at_end(r->snapshots, r->workload) ?
			snapshots_take(r, true, ledger) : NULL;
	err = record_loop_finish_captures(r, writer_sink(r->writer), ledger);
	return err ? err : record_loop_add_clock(r, r->writer);
}

static struct error *run_until_end(struct recording *r, struct ledger *ledger)
{
	_cleanup_(marker) struct marker marker = { .ask = -1, .done = -1 };
	struct poll_set set = { 0 };
	struct error *err;

	err = marker_init(&marker, r);
	if (!err)
		err = poll_set_init(r, marker.done, &set);
	if (!err)
		err = run(r, &marker, &set, ledger);
	free(set.fds);
	return err;
}

struct error *record_loop(struct recording *r, struct ledger *ledger)
{
	struct error *err = NULL;

	if (r->writer)
		err = record_loop_add_clock(r, r->writer);
	if (!err)
		err = run_until_end(r, ledger);
	return err ? err : finish(r, ledger);
}
