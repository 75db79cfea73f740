// SPDX-License-Identifier: GPL-2.0
/*
 * Rings that overwrite.  At any moment a reader gets their newest records, whole, and for
 * every event and CPU
 *
 *	emitted = read + overwritten + filtered + out of scope + lost
 *
 * where overwritten is `recorded` of SNAPSHOT_STATS minus the records that were read.
 */
#include "selftest.h"

/* A sample of ktrace_test:seq. */
#define RECORD_SIZE 96

FIXTURE(snapshot) {
	struct session s;
	unsigned int cpus[2];
	struct field seq, ctx;
	char *copy;
};

FIXTURE_SETUP(snapshot)
{
	struct ktrace_setup setup = SETUP_INIT;

	NEED_KTEST();
	setup.flags = KTRACE_SETUP_TRACE_SELF | KTRACE_SETUP_OVERWRITE;
	setup.pages = 4;
	session_open(_metadata, &self->s, &setup);
	two_cpus(&self->s, self->cpus);
	self->seq = event_field(_metadata, "ktrace_test/seq", "seq");
	self->ctx = event_field(_metadata, "ktrace_test/seq", "ctx");
	self->copy = malloc(self->s.ring[self->cpus[0]].size);
	ASSERT_NE(NULL, self->copy);
	fire_reset(_metadata);
	pin_to(_metadata, self->cpus[0]);
}

FIXTURE_TEARDOWN(snapshot)
{
	free(self->copy);
	session_close(&self->s);
}

static int take(struct session *s)
{
	struct ktrace_snapshot snapshot = { .size = sizeof(snapshot) };

	return CALL(s->fd, SNAPSHOT, &snapshot);
}

static struct ktrace_stats stats_then(struct __test_metadata *_metadata, struct session *s,
				      unsigned int index, unsigned int cpu)
{
	struct ktrace_stats stats = STATS_INIT;

	stats.index = index;
	stats.cpu = cpu;
	ASSERT_EQ(0, CALL(s->fd, SNAPSHOT_STATS, &stats));
	return stats;
}

/* Copies the rest of the snapshot in a ring.  Returns the size; *from is its offset in the copy. */
static size_t copy_ring(struct __test_metadata *_metadata, FIXTURE_DATA(snapshot) *self,
			unsigned int cpu, size_t *from)
{
	const struct ring *ring = &self->s.ring[cpu];
	uint64_t head = __atomic_load_n(&ring->meta->snapshot_head, __ATOMIC_RELAXED), tail, now;

	*from = 0;
	tail = __atomic_load_n(&ring->tail->data_tail, __ATOMIC_ACQUIRE);
	if (tail >= head)
		return 0;
	ASSERT_LE(head - tail, ring->size);
	memcpy(self->copy, ring->data + tail % ring->size, head - tail);
	__atomic_thread_fence(__ATOMIC_ACQUIRE);
	now = __atomic_load_n(&ring->tail->data_tail, __ATOMIC_RELAXED);
	ASSERT_GE(now, tail);
	*from = now < head ? now - tail : head - tail;
	return head - tail;
}

/* For each context of ktrace_test:seq, how many samples there are, and the last number. */
struct tally {
	uint64_t nr[8], last[8], samples, time;
};

/*
 * Every record is whole.  In each context there is no gap between samples except where
 * losses are reported: contexts that interrupt a writer can take no more room than the ring
 * has.
 */
static void count(struct __test_metadata *_metadata, FIXTURE_DATA(snapshot) *self,
		  unsigned int cpu, struct tally *tally)
{
	size_t from, size = copy_ring(_metadata, self, cpu, &from);
	const struct sample *sample;
	bool known[8] = { false };
	unsigned int ctx;
	uint64_t seq;

	memset(tally, 0, sizeof(*tally));
	for (; from < size; from += sample->header.size) {
		sample = (const void *)(self->copy + from);
		if (sample->header.type == PERF_RECORD_LOST) {
			ASSERT_EQ(KTRACE_LOST_SIZE, sample->header.size);
			memset(known, 0, sizeof(known));
			continue;
		}
		ASSERT_EQ(PERF_RECORD_SAMPLE, sample->header.type);
		ASSERT_EQ(RECORD_SIZE, sample->header.size);
		seq = load_number(sample, self->seq);
		ctx = load_number(sample, self->ctx);
		ASSERT_EQ(KTRACE_ID_BASE, sample->id);
		ASSERT_EQ(cpu, sample->cpu);
		ASSERT_LE(tally->time, sample->time);
		ASSERT_LT(ctx, 8);
		if (known[ctx])
			ASSERT_EQ(tally->last[ctx] + 1, seq);
		known[ctx] = true;
		tally->time = sample->time;
		tally->last[ctx] = seq;
		tally->nr[ctx]++;
		tally->samples++;
	}
	ASSERT_EQ(size, from);
}

TEST_F(snapshot, has_the_newest)
{
	struct ktrace_stats stats;
	struct tally tally;

	session_add(_metadata, &self->s, "ktrace_test/seq", 0, 0);
	session_start(_metadata, &self->s);
	ASSERT_EQ(0, fire("seq task 100"));
	ASSERT_EQ(0, take(&self->s));
	count(_metadata, self, self->cpus[0], &tally);
	/* 170 would fit. */
	EXPECT_EQ(100, tally.samples);
	EXPECT_EQ(99, tally.last[0]);

	ASSERT_EQ(0, fire("seq task 4900"));
	ASSERT_EQ(0, take(&self->s));
	/* Capture goes on, and the snapshot does not change. */
	ASSERT_EQ(0, fire("seq task 10"));
	stats = stats_then(_metadata, &self->s, 0, self->cpus[0]);
	count(_metadata, self, self->cpus[0], &tally);
	EXPECT_EQ(4999, tally.last[0]);
	EXPECT_LE(tally.samples, 170);
	EXPECT_GE(tally.samples, 85);
	EXPECT_EQ(5000, stats.recorded);
	EXPECT_EQ(0, stats_lost(&stats) + stats.filtered + stats.out_of_scope);

	session_stop(_metadata, &self->s);
	ASSERT_EQ(0, take(&self->s));
	stats = stats_then(_metadata, &self->s, 0, self->cpus[0]);
	count(_metadata, self, self->cpus[0], &tally);
	EXPECT_EQ(5009, tally.last[0]);
	EXPECT_EQ(emitted(_metadata, "seq", self->cpus[0], NULL), stats.recorded);
	EXPECT_EQ(stats.recorded, session_stats(_metadata, &self->s, 0, self->cpus[0]).recorded);
}

/*
 * Every context writes on both CPUs meanwhile.  No record is torn, no sample is missing,
 * and the ledger is that of the very record where the snapshot ends.
 */
TEST_F_TIMEOUT(snapshot, while_it_is_written, 600)
{
	unsigned long n = scale(1, 20);
	struct background firings[] = {
		{ "task", 60000 * n, "all" }, { "softirq", 20000 * n, "all" },
		{ "hardirq", 20000 * n, "all" }, { "nmi", 400 * n, "all" },
	};
	unsigned int i, c, running = 1, rounds = 0, full = 0;

	session_add(_metadata, &self->s, "ktrace_test/seq", 0, 0);
	session_start(_metadata, &self->s);
	for (i = 0; i < ARRAY_SIZE(firings); i++)
		fire_in_background(_metadata, &firings[i]);
	while (running) {
		/* If all is fired before the first snapshot, another one follows. */
		running = !rounds;
		for (i = 0; i < ARRAY_SIZE(firings); i++)
			running += is_firing(&firings[i]);
		if (!running)
			session_stop(_metadata, &self->s);
		ASSERT_EQ(0, take(&self->s));
		for (c = 0; c < 2; c++) {
			struct tally tally;
			struct ktrace_stats stats;
			uint64_t sum = 0;

			count(_metadata, self, self->cpus[c], &tally);
			stats = stats_then(_metadata, &self->s, 0, self->cpus[c]);
			for (i = 0; i < 8; i++)
				sum += tally.nr[i] ? tally.last[i] + 1 : 0;
			/* Contexts without a sample in the snapshot are not in the sum. */
			ASSERT_LE(sum, stats.recorded + stats_lost(&stats));
			ASSERT_LE(tally.samples, stats.recorded);
			full += tally.samples > 85;
			if (!running)
				ASSERT_EQ(emitted(_metadata, "seq", self->cpus[c], NULL),
					  stats.recorded + stats_lost(&stats));
		}
		rounds++;
	}
	for (i = 0; i < ARRAY_SIZE(firings); i++)
		EXPECT_TRUE(!firings[i].err || firings[i].err == -EOPNOTSUPP);
	TH_LOG("%u snapshots", rounds);
	EXPECT_LT(0, full);
}

/* With a single context, the ledger has the number of the last sample. */
TEST_F_TIMEOUT(snapshot, ledger_is_of_the_last_record, 600)
{
	struct background firing = { "hardirq", 60000 * scale(1, 20), "0" };
	unsigned int rounds = 0, compared = 0;
	struct ktrace_stats stats;
	bool running;
	struct tally tally;

	snprintf(firing.cpu, sizeof(firing.cpu), "%u", self->cpus[0]);
	session_add(_metadata, &self->s, "ktrace_test/seq", 0, 0);
	session_start(_metadata, &self->s);
	fire_in_background(_metadata, &firing);
	/* The last snapshot is of the final contents of the ring, when all is fired. */
	do {
		running = is_firing(&firing);
		ASSERT_EQ(0, take(&self->s));
		count(_metadata, self, self->cpus[0], &tally);
		stats = stats_then(_metadata, &self->s, 0, self->cpus[0]);
		rounds++;
		if (!tally.samples)
			continue;
		compared++;
		ASSERT_EQ(tally.last[2] + 1, stats.recorded);
	} while (running);
	EXPECT_EQ(0, firing.err);
	TH_LOG("%u of %u snapshots had records", compared, rounds);
	EXPECT_LT(0, compared);
}

TEST_F(snapshot, is_triggered)
{
	struct ktrace_event_add add = event_add_init(event_id("ktrace_test/counted"), 1);
	struct pollfd fd = { .fd = self->s.fd, .events = POLLIN | POLLPRI };

	session_add(_metadata, &self->s, "ktrace_test/seq", 0, 0);
	add.flags = KTRACE_EVENT_TRIGGER;
	ASSERT_EQ(0, event_add(self->s.fd, "ktrace_test/counted", &add));
	session_start(_metadata, &self->s);
	ASSERT_EQ(0, fire("seq task 1000"));
	EXPECT_EQ(0, poll(&fd, 1, 20));
	ASSERT_EQ(0, fire("counted task 1"));
	EXPECT_EQ(1, poll(&fd, 1, 0));
	EXPECT_EQ(POLLPRI, fd.revents);
	EXPECT_EQ(1, poll(&fd, 1, 0));
	ASSERT_EQ(0, take(&self->s));
	EXPECT_EQ(0, poll(&fd, 1, 20));
	EXPECT_EQ(1, stats_then(_metadata, &self->s, 1, self->cpus[0]).recorded);
	ASSERT_EQ(0, fire("counted hardirq 1"));
	EXPECT_EQ(1, poll(&fd, 1, 20000));
	EXPECT_EQ(POLLPRI, fd.revents);
}

/*
 * In a ring that does not overwrite, poll() reports records whether or not one has
 * triggered.
 */
TEST_F(snapshot, trigger_hides_no_records)
{
	struct ktrace_event_add add = event_add_init(event_id("ktrace_test/seq"), 1);
	struct ktrace_setup setup = SETUP_INIT;
	struct pollfd fd = { .events = POLLIN | POLLPRI };
	struct session s;

	setup.flags = KTRACE_SETUP_TRACE_SELF;
	setup.wakeup_bytes = 50 * RECORD_SIZE;
	session_open(_metadata, &s, &setup);
	add.flags = KTRACE_EVENT_TRIGGER;
	ASSERT_EQ(0, event_add(s.fd, "ktrace_test/seq", &add));
	session_start(_metadata, &s);
	fd.fd = s.fd;
	ASSERT_EQ(0, fire("seq task 1"));
	EXPECT_EQ(1, poll(&fd, 1, 0));
	EXPECT_EQ(POLLPRI, fd.revents);
	ASSERT_EQ(0, fire("seq task 50"));
	EXPECT_EQ(1, poll(&fd, 1, 0));
	EXPECT_EQ(POLLPRI | POLLIN, fd.revents);
	/* The snapshot ends the trigger, and the records are still there. */
	ASSERT_EQ(0, take(&s));
	EXPECT_EQ(1, poll(&fd, 1, 0));
	EXPECT_EQ(POLLIN, fd.revents);
	session_close(&s);
}

/* A sleeping reader is woken by an event that triggers. */
TEST_F_TIMEOUT(snapshot, wakes_who_sleeps, 600)
{
	static const char *contexts[] = { "task", "softirq", "hardirq", "irq_work" };
	struct pollfd fd = { .fd = self->s.fd, .events = POLLPRI };
	struct ktrace_event_add add = event_add_init(event_id("ktrace_test/seq"), 0);
	unsigned int round;

	add.flags = KTRACE_EVENT_TRIGGER;
	ASSERT_EQ(0, event_add(self->s.fd, "ktrace_test/seq", &add));
	session_start(_metadata, &self->s);
	for (round = 0; round < 100; round++) {
		struct background last = { contexts[round % 4], 1 };

		snprintf(last.cpu, sizeof(last.cpu), "%u", self->cpus[round % 2]);
		fire_in_background(_metadata, &last);
		if (round % 3 == 0)
			sleep_ms(round % 5);
		ASSERT_EQ(1, poll(&fd, 1, 20000));
		while (is_firing(&last))
			sleep_ms(1);
		ASSERT_EQ(0, take(&self->s));
		ASSERT_EQ(0, poll(&fd, 1, 0));
	}
}

TEST_F(snapshot, tail_is_the_kernels)
{
	struct ring *ring = &self->s.ring[self->cpus[0]];

	EXPECT_EQ(NULL, map(self->s.fd, self->cpus[0], KTRACE_MMAP_TAIL, self->s.page,
			    PROT_READ | PROT_WRITE, MAP_SHARED));
	EXPECT_EQ(EPERM, errno);
	EXPECT_EQ(-1, mprotect(ring->tail, self->s.page, PROT_READ | PROT_WRITE));
	EXPECT_EQ(EACCES, errno);
}

TEST_F(snapshot, wrong_calls)
{
	struct ktrace_snapshot snapshot = { .size = sizeof(snapshot), .reserved = 1 };
	struct ktrace_stats stats = STATS_INIT;
	int fd = device_open(_metadata);

	EXPECT_EQ(-EINVAL, CALL(self->s.fd, SNAPSHOT, &snapshot));
	EXPECT_EQ(-EINVAL, CALL(self->s.fd, SNAPSHOT_STATS, &stats));
	EXPECT_EQ(-EBUSY, take(&(struct session){ .fd = fd }));
	EXPECT_EQ(-EBUSY, CALL(fd, SNAPSHOT_STATS, &stats));
	close(fd);
}

/* Records have many sizes, some more than a page.  All remaining records in the ring are whole. */
TEST_F_TIMEOUT(snapshot, records_of_any_size, 600)
{
	struct background firings[] = {
		{ "task", 20000, "all" }, { "hardirq", 20000, "all" },
	};
	static const char *const events[] = { "seq", "dyn", "arrays", "huge" };
	unsigned int i, c, running = 1, rounds = 0;

	for (i = 0; i < ARRAY_SIZE(events); i++) {
		char name[64];

		snprintf(name, sizeof(name), "ktrace_test/%s", events[i]);
		session_add(_metadata, &self->s, name, i, 0);
	}
	session_start(_metadata, &self->s);
	for (i = 0; i < ARRAY_SIZE(firings); i++)
		fire_in_background(_metadata, &firings[i]);
	while (running) {
		running = !rounds;
		for (i = 0; i < ARRAY_SIZE(firings); i++)
			running += is_firing(&firings[i]);
		ASSERT_EQ(0, fire("dyn task 5"));
		ASSERT_EQ(0, fire("arrays task 3"));
		ASSERT_EQ(0, fire("huge task 1"));
		if (!running)
			session_stop(_metadata, &self->s);
		ASSERT_EQ(0, take(&self->s));
		for (c = 0; c < 2; c++) {
			size_t at, size = copy_ring(_metadata, self, self->cpus[c], &at);
			uint64_t nr[ARRAY_SIZE(events)] = { 0 };

			while (at < size) {
				const struct sample *sample = (const void *)(self->copy + at);

				at += sample->header.size;
				if (sample->header.type == PERF_RECORD_LOST) {
					ASSERT_EQ(KTRACE_LOST_SIZE, sample->header.size);
					continue;
				}
				ASSERT_EQ(PERF_RECORD_SAMPLE, sample->header.type);
				ASSERT_EQ(sample->raw_size + KTRACE_SAMPLE_RAW_OFFSET,
					  sample->header.size);
				ASSERT_LT(sample->id - KTRACE_ID_BASE, ARRAY_SIZE(events));
				nr[sample->id - KTRACE_ID_BASE]++;
			}
			ASSERT_EQ(size, at);
			for (i = 0; i < ARRAY_SIZE(events); i++) {
				struct ktrace_stats stats = stats_then(_metadata, &self->s, i,
								       self->cpus[c]);

				ASSERT_LE(nr[i], stats.recorded);
				if (!running)
					ASSERT_EQ(emitted(_metadata, events[i], self->cpus[c],
							  NULL),
						  stats.recorded + stats_lost(&stats));
			}
		}
		rounds++;
	}
}

TEST_HARNESS_MAIN
