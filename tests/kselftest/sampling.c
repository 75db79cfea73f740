// SPDX-License-Identifier: GPL-2.0
/*
 * Sampling: the choice of stored samples, and that the sum of their periods is that of all firings.
 */
#include <pthread.h>

#include "selftest.h"
#include "ktrace_test_values.h"

FIXTURE(sampling) {
	struct session s;
	struct field seq;
	unsigned int cpus[2];
};

FIXTURE_SETUP(sampling)
{
	struct ktrace_setup setup = SETUP_INIT;

	NEED_KTEST();
	setup.flags = KTRACE_SETUP_TRACE_SELF;
	setup.pages = 256;
	session_open(_metadata, &self->s, &setup);
	two_cpus(&self->s, self->cpus);
	self->seq = event_field(_metadata, "ktrace_test/seq", "seq");
	pin_to(_metadata, self->cpus[0]);
	fire_reset(_metadata);
}

FIXTURE_TEARDOWN(sampling)
{
	session_close(&self->s);
}

static int sample(struct session *s, unsigned int index, unsigned int every,
		  unsigned int max_rate)
{
	struct ktrace_sample sample = {
		.size = sizeof(sample), .index = index, .every = every, .max_rate = max_rate,
	};

	return CALL(s->fd, SAMPLE, &sample);
}

struct sums {
	uint64_t samples, periods, told;
};

/* Reads all samples on a CPU, adds them up and frees their room. */
static void add_up(struct __test_metadata *_metadata, struct session *s, unsigned int cpu,
		   struct sums *sums)
{
	struct ring *ring = &s->ring[cpu];
	uint64_t head = ring_head(ring), pos = ring->tail->data_tail;
	const struct perf_event_header *header;

	while ((header = ring_next(_metadata, ring, &pos, head))) {
		if (header->type == PERF_RECORD_LOST) {
			sums->told += ((const struct lost *)header)->lost;
			continue;
		}
		sums->samples++;
		sums->periods += ((const struct sample *)header)->period;
	}
	ring_consume(ring, head);
}

TEST_F(sampling, every_tenth)
{
	const struct sample *record;
	struct ktrace_stats stats;
	uint64_t pos = 0, n = 0;

	session_add(_metadata, &self->s, "ktrace_test/seq", 0, 0);
	ASSERT_EQ(0, sample(&self->s, 0, 10, 0));
	session_start(_metadata, &self->s);
	ASSERT_EQ(0, fire("seq task 105 self 0"));
	session_stop(_metadata, &self->s);
	while ((record = (const void *)ring_next(_metadata, &self->s.ring[self->cpus[0]], &pos,
						 ring_head(&self->s.ring[self->cpus[0]])))) {
		n++;
		EXPECT_EQ(10, record->period);
		EXPECT_EQ(10 * n - 1, load_number(record, self->seq));
	}
	EXPECT_EQ(10, n);
	stats = session_stats(_metadata, &self->s, 0, self->cpus[0]);
	EXPECT_EQ(10, stats.recorded);
	EXPECT_EQ(95, stats.filtered);
}

TEST_F(sampling, of_those_that_pass_the_filter)
{
	struct ktrace_filter_insn odd = {
		.op = KTRACE_FILTER_BAND, .src = KTRACE_FILTER_SRC_RECORD,
		.offset = self->seq.offset, .width = 8, .value = 1,
		.jt = KTRACE_FILTER_ACCEPT, .jf = KTRACE_FILTER_REJECT,
	};
	const struct sample *record;
	uint64_t pos = 0, n = 0;

	session_add_filtered(_metadata, &self->s, "ktrace_test/seq", 0, &odd, 1, NULL, 0);
	ASSERT_EQ(0, sample(&self->s, 0, 5, 0));
	session_start(_metadata, &self->s);
	ASSERT_EQ(0, fire("seq task 100 self 0"));
	session_stop(_metadata, &self->s);
	while ((record = (const void *)ring_next(_metadata, &self->s.ring[self->cpus[0]], &pos,
						 ring_head(&self->s.ring[self->cpus[0]])))) {
		n++;
		EXPECT_EQ(5, record->period);
		EXPECT_EQ(10 * n - 1, load_number(record, self->seq));
	}
	EXPECT_EQ(10, n);
}

/* The weight is a sum of the event's own periods. */
TEST_F(sampling, periods_of_the_event)
{
	struct sums sums = { 0 };
	uint64_t want = 0, seq;

	session_add(_metadata, &self->s, "ktrace_test/counted", 0, 0);
	ASSERT_EQ(0, sample(&self->s, 0, 4, 0));
	session_start(_metadata, &self->s);
	ASSERT_EQ(0, fire("counted task 40 self 0"));
	session_stop(_metadata, &self->s);
	for (seq = 0; seq < 40; seq++)
		want += ktest_period(seq);
	add_up(_metadata, &self->s, self->cpus[0], &sums);
	EXPECT_EQ(10, sums.samples);
	EXPECT_EQ(want, sums.periods);
}

TEST_F(sampling, a_rate)
{
	uint64_t begin, end, at_most;
	struct sums sums = { 0 };
	struct ktrace_stats stats;
	unsigned int i;

	session_add(_metadata, &self->s, "ktrace_test/seq", 0, 0);
	ASSERT_EQ(0, sample(&self->s, 0, 0, 100));
	session_start(_metadata, &self->s);
	begin = session_time(_metadata, &self->s);
	for (i = 0; i < 20; i++) {
		ASSERT_EQ(0, fire("seq task 1000"));
		sleep_ms(10);
	}
	end = session_time(_metadata, &self->s);
	session_stop(_metadata, &self->s);
	add_up(_metadata, &self->s, self->cpus[0], &sums);
	/* A tenth of a second's worth may come at once, and one sample more at each end. */
	at_most = (end - begin) / 10000000 + 10 + 2;
	EXPECT_LE(sums.samples, at_most);
	/* Each round begins 10 ms or more after the one before. */
	EXPECT_LE(20, sums.samples);
	stats = session_stats(_metadata, &self->s, 0, self->cpus[0]);
	EXPECT_EQ(20000, stats.recorded + stats.filtered);
	EXPECT_EQ(sums.samples, stats.recorded);
	EXPECT_GE(20000, sums.periods);
	EXPECT_LT(0, sums.periods);
}

struct firing {
	const char *order;
	pthread_t thread;
};

static void *fire_thread(void *arg)
{
	fire("%s", ((struct firing *)arg)->order);
	return NULL;
}

/*
 * Contexts nest, and the ring overflows.  Each firing is in the period of a stored sample,
 * or is lost, or is among the last ones, whose weight still waits.
 */
TEST_F_TIMEOUT(sampling, weight_is_kept, 600)
{
	struct firing firings[] = {
		{ "seq task 40000 0" }, { "seq softirq 10000 0" }, { "seq hardirq 10000 0" },
		{ "seq nmi 400 0" },
	};
	struct ktrace_setup setup = SETUP_INIT;
	unsigned int i, running = ARRAY_SIZE(firings);
	uint64_t fired, lost, rest;
	struct sums sums = { 0 };
	struct ktrace_stats stats;
	struct session s;

	setup.flags = KTRACE_SETUP_TRACE_SELF;
	setup.pages = 1;
	session_open(_metadata, &s, &setup);
	session_add(_metadata, &s, "ktrace_test/seq", 0, 0xff);
	ASSERT_EQ(0, sample(&s, 0, 3, 0));
	session_start(_metadata, &s);
	for (i = 0; i < ARRAY_SIZE(firings); i++)
		ASSERT_EQ(0, pthread_create(&firings[i].thread, NULL, fire_thread, &firings[i]));
	wait_for_loss(_metadata, &s, 0, 0);
	while (running) {
		sleep_ms(1);
		add_up(_metadata, &s, 0, &sums);
		for (i = running = 0; i < ARRAY_SIZE(firings); i++) {
			if (firings[i].thread && !pthread_tryjoin_np(firings[i].thread, NULL))
				firings[i].thread = 0;
			running += !!firings[i].thread;
		}
	}
	session_stop(_metadata, &s);
	add_up(_metadata, &s, 0, &sums);
	stats = session_stats(_metadata, &s, 0, 0);
	fired = emitted(_metadata, "seq", 0, NULL);
	lost = stats_lost(&stats);
	EXPECT_EQ(fired, stats.recorded + stats.filtered + lost);
	EXPECT_EQ(sums.samples, stats.recorded);
	EXPECT_LT(0, lost);
	/* Exactly one in three is taken. */
	EXPECT_EQ(fired / 3, stats.recorded + lost);
	/* The weight that still waits at the end: the rest, and that of the last lost samples. */
	ASSERT_LE(sums.periods + lost, fired);
	rest = fired - sums.periods - lost;
	EXPECT_LE(rest, 2 + 2 * (stats_unplaced(&stats) + 1));
	session_close(&s);
}

TEST_F(sampling, refused)
{
	struct session *s = &self->s;

	session_add(_metadata, s, "ktrace_test/seq", 0, 0);
	EXPECT_EQ(-EINVAL, sample(s, 1, 2, 0));
	EXPECT_EQ(-EINVAL, sample(s, 0, 1U << 31, 0));
	EXPECT_EQ(-EINVAL, sample(s, 0, 0, 1000000001));
	EXPECT_EQ(0, sample(s, 0, (1U << 31) - 1, 1000000000));
	EXPECT_EQ(0, sample(s, 0, 0, 0));
	session_start(_metadata, s);
	EXPECT_EQ(-EBUSY, sample(s, 0, 2, 0));
	session_stop(_metadata, s);
	EXPECT_EQ(-EBUSY, sample(s, 0, 2, 0));
}

TEST_HARNESS_MAIN
