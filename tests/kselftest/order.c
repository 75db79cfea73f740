// SPDX-License-Identifier: GPL-2.0
/* The order of records in a ring, the merge mark, and when poll() reports. */
#include "selftest.h"

#define SEQ_FIELD (1ULL << KTRACE_FIELD_SEQ)

FIXTURE(order) {
	struct session s;
	unsigned int cpus[2];
	struct field ctx;
};

FIXTURE_VARIANT(order) {
	int clockid;
};

FIXTURE_VARIANT_ADD(order, perf) { KTRACE_CLOCK_PERF };
FIXTURE_VARIANT_ADD(order, monotonic) { CLOCK_MONOTONIC };
FIXTURE_VARIANT_ADD(order, raw) { CLOCK_MONOTONIC_RAW };
FIXTURE_VARIANT_ADD(order, boottime) { CLOCK_BOOTTIME };
FIXTURE_VARIANT_ADD(order, realtime) { CLOCK_REALTIME };

FIXTURE_SETUP(order)
{
	struct ktrace_setup setup = SETUP_INIT;

	NEED_KTEST();
	setup.flags = KTRACE_SETUP_TRACE_SELF;
	setup.pages = 1024;
	setup.clockid = variant->clockid;
	session_open(_metadata, &self->s, &setup);
	two_cpus(&self->s, self->cpus);
	self->ctx = event_field(_metadata, "ktrace_test/seq", "ctx");
}

FIXTURE_TEARDOWN(order)
{
	session_close(&self->s);
}

/*
 * On one CPU every context interrupts every lower one.  In the ring time never decreases,
 * and the samples are numbered without a gap, whether some are lost or not.
 */
TEST_F_TIMEOUT(order, nested_contexts, 600)
{
	struct background firings[] = {
		{ "task", 40000 }, { "softirq", 20000 }, { "hardirq", 20000 },
		{ "irq_work", 20000 }, { "nmi", 400 },
	};
	struct ring *ring = &self->s.ring[self->cpus[0]];
	unsigned int i, running = 1, contexts = 0, nested = 0, before = 0;
	const struct perf_event_header *header;
	uint64_t last = 0, next = 0, pos = 0, head;

	session_add(_metadata, &self->s, "ktrace_test/seq", 0, SEQ_FIELD);
	session_start(_metadata, &self->s);
	for (i = 0; i < ARRAY_SIZE(firings); i++) {
		snprintf(firings[i].cpu, sizeof(firings[i].cpu), "%u", self->cpus[0]);
		fire_in_background(_metadata, &firings[i]);
	}
	while (running) {
		for (i = running = 0; i < ARRAY_SIZE(firings); i++)
			running += is_firing(&firings[i]);
		if (!running)
			session_stop(_metadata, &self->s);
		head = ring_head(ring);
		while ((header = ring_next(_metadata, ring, &pos, head))) {
			const struct sample *sample = (const void *)header;
			const struct lost *lost = (const void *)header;

			if (header->type == PERF_RECORD_LOST) {
				ASSERT_LE(last, lost->time);
				last = lost->time;
				continue;
			}
			ASSERT_LE(last, sample->time);
			last = sample->time;
			ASSERT_EQ(next, trailer_u64(sample, SEQ_FIELD, KTRACE_FIELD_SEQ));
			next++;
			i = load_number(sample, self->ctx);
			contexts |= 1 << i;
			nested += i != before;
			before = i;
		}
		ring_consume(ring, head);
		sleep_ms(1);
	}
	for (i = 0; i < ARRAY_SIZE(firings); i++)
		EXPECT_TRUE(!firings[i].err || firings[i].err == -EOPNOTSUPP);
	EXPECT_EQ(0xf, contexts & 0xf);
	/* The contexts did interrupt each other. */
	EXPECT_LT(100, nested);
	EXPECT_EQ(next, session_stats(_metadata, &self->s, 0, self->cpus[0]).recorded);
}

static bool shift_wall_clock(int seconds)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	now.tv_sec += seconds;
	return !clock_settime(CLOCK_REALTIME, &now);
}

/*
 * Somebody sets the wall clock back and forth: time never decreases in a ring with any clock, and
 * no sample is missing.
 */
TEST_F_TIMEOUT(order, the_wall_clock_is_set, 600)
{
	struct background background = { "task", 20000 };
	const struct perf_event_header *header;
	uint64_t pos, last, next;
	unsigned int round, i;

	if (!shift_wall_clock(0))
		SKIP(return, "the wall clock cannot be set here");
	session_add(_metadata, &self->s, "ktrace_test/seq", 0, SEQ_FIELD);
	session_start(_metadata, &self->s);
	snprintf(background.cpu, sizeof(background.cpu), "%u", self->cpus[0]);
	fire_in_background(_metadata, &background);
	for (round = 0; round < 20; round++) {
		ASSERT_TRUE(shift_wall_clock(round % 2 ? -100 : 100));
		ASSERT_EQ(0, fire("seq task 100 %u", self->cpus[0]));
		ASSERT_EQ(0, fire("seq hardirq 100 %u", self->cpus[1]));
	}
	pthread_join(background.thread, NULL);
	session_stop(_metadata, &self->s);
	for (i = 0; i < 1 + (self->cpus[0] != self->cpus[1]); i++) {
		const struct ring *ring = &self->s.ring[self->cpus[i]];

		pos = last = next = 0;
		while ((header = ring_next(_metadata, ring, &pos, ring_head(ring)))) {
			const struct sample *sample = (const void *)header;

			ASSERT_EQ(PERF_RECORD_SAMPLE, header->type);
			ASSERT_LE(last, sample->time);
			last = sample->time;
			ASSERT_EQ(next, trailer_u64(sample, SEQ_FIELD, KTRACE_FIELD_SEQ));
			next++;
		}
		EXPECT_LE(2000, next);
	}
}

/*
 * After a mark we read all heads.  Records that are found beyond these heads later are not
 * older than the mark.
 */
TEST_F_TIMEOUT(order, mark, 600)
{
	struct background task = { "task", 100000, "all" }, irq = { "hardirq", 100000, "all" };
	uint64_t pos[MAX_CPUS] = { 0 }, head[MAX_CPUS];
	struct ktrace_mark mark = { .size = sizeof(mark) };
	const struct perf_event_header *header;
	uint64_t before, after, last = 0;
	unsigned int cpu, rounds = 0, records = 0;

	session_add(_metadata, &self->s, "ktrace_test/seq", 0, 0);
	session_start(_metadata, &self->s);
	fire_in_background(_metadata, &task);
	fire_in_background(_metadata, &irq);
	/* If all is fired before the first mark, another one follows. */
	while (is_firing(&task) | is_firing(&irq) || rounds < 2) {
		before = session_time(_metadata, &self->s);
		ASSERT_EQ(0, CALL(self->s.fd, MARK, &mark));
		after = session_time(_metadata, &self->s);
		ASSERT_LE(before, mark.time);
		ASSERT_GE(after, mark.time);
		for (cpu = 0; cpu < self->s.nr_cpus; cpu++)
			if (self->s.ring[cpu].data)
				head[cpu] = ring_head(&self->s.ring[cpu]);
		for (cpu = 0; cpu < self->s.nr_cpus; cpu++) {
			if (!self->s.ring[cpu].data)
				continue;
			while ((header = ring_next(_metadata, &self->s.ring[cpu], &pos[cpu],
						   head[cpu]))) {
				ASSERT_LE(last, header->type == PERF_RECORD_LOST ?
					  ((const struct lost *)header)->time :
					  ((const struct sample *)header)->time) {
					TH_LOG("round %u: older than the last mark", rounds);
				}
				records++;
			}
			ring_consume(&self->s.ring[cpu], head[cpu]);
		}
		last = mark.time;
		rounds++;
	}
	session_stop(_metadata, &self->s);
	EXPECT_EQ(0, task.err);
	EXPECT_EQ(0, irq.err);
	EXPECT_LT(1000, records);
}

/* ---- poll ------------------------------------------------------------------- */

/* A sample of ktrace_test:seq without common fields. */
#define RECORD_SIZE 96

FIXTURE(poll) {
	struct session s;
	struct ring *ring;
	struct pollfd fd;
	unsigned int cpu;
};

FIXTURE_SETUP(poll)
{
	struct ktrace_setup setup = SETUP_INIT;
	unsigned int cpus[2];

	NEED_KTEST();
	setup.flags = KTRACE_SETUP_TRACE_SELF;
	setup.wakeup_bytes = 10 * RECORD_SIZE;
	session_open(_metadata, &self->s, &setup);
	two_cpus(&self->s, cpus);
	self->cpu = cpus[0];
	self->ring = &self->s.ring[cpus[0]];
	self->fd = (struct pollfd){ .fd = self->s.fd, .events = POLLIN };
	session_add(_metadata, &self->s, "ktrace_test/seq", 0, 0);
	session_start(_metadata, &self->s);
	pin_to(_metadata, self->cpu);
}

FIXTURE_TEARDOWN(poll)
{
	session_close(&self->s);
}

TEST_F(poll, reports_a_ring_that_holds_enough)
{
	EXPECT_EQ(0, poll(&self->fd, 1, 0));
	ASSERT_EQ(0, fire("seq task 9"));
	EXPECT_EQ(0, poll(&self->fd, 1, 20));
	ASSERT_EQ(0, fire("seq task 1"));
	EXPECT_EQ(1, poll(&self->fd, 1, 0));
	EXPECT_EQ(POLLIN, self->fd.revents);
	ring_consume(self->ring, RECORD_SIZE);
	EXPECT_EQ(0, poll(&self->fd, 1, 20));
	ASSERT_EQ(0, fire("seq task 1"));
	EXPECT_EQ(1, poll(&self->fd, 1, 0));
}

TEST_F(poll, reports_the_rest_once_stopped)
{
	ASSERT_EQ(0, fire("seq task 1"));
	EXPECT_EQ(0, poll(&self->fd, 1, 20));
	session_stop(_metadata, &self->s);
	EXPECT_EQ(1, poll(&self->fd, 1, 0));
	ring_consume(self->ring, ring_head(self->ring));
	EXPECT_EQ(0, poll(&self->fd, 1, 20));
}

/* A sleeping reader is woken by the very record that makes the ring hold enough, not earlier. */
TEST_F_TIMEOUT(poll, wakes_who_sleeps, 600)
{
	static const char *contexts[] = { "task", "softirq", "hardirq", "irq_work" };
	unsigned int round;

	for (round = 0; round < 100; round++) {
		struct background last = { contexts[round % 4], 1 };
		uint64_t head = ring_head(self->ring);

		snprintf(last.cpu, sizeof(last.cpu), "%u", self->cpu);
		ring_consume(self->ring, head);
		ASSERT_EQ(0, fire("seq task 9"));
		fire_in_background(_metadata, &last);
		/*
		 * Sometimes the record comes before poll, sometimes while the reader
		 * sleeps.
		 */
		if (round % 3 == 0)
			sleep_ms(round % 5);
		ASSERT_EQ(1, poll(&self->fd, 1, 20000)) {
			TH_LOG("round %u (%s): not woken", round, contexts[round % 4]);
		}
		ASSERT_EQ(head + 10 * RECORD_SIZE, ring_head(self->ring));
		while (is_firing(&last))
			sleep_ms(1);
		ASSERT_EQ(0, last.err);
	}
}

TEST_HARNESS_MAIN
