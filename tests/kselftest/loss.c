// SPDX-License-Identifier: GPL-2.0
/*
 * Losses.  For every event and CPU
 *
 *	emitted = stored + filtered + out of scope + lost
 *
 * where emitted is the count of the test module, and stored is found by reading the ring.
 * Each loss is reported in the ring before the next sample, or by STATS.
 */
#include <pthread.h>

#include "selftest.h"
#include "ktrace_test_values.h"

/* A reader's findings about one event in one ring. */
struct tally {
	__u64 samples;
	__u64 told[KTRACE_LOST_NR];
	uint64_t last_time;
	bool told_last;			/* the last record was a PERF_RECORD_LOST */
};

static uint64_t sum(const __u64 *n)
{
	uint64_t total = 0;
	int i;

	for (i = 0; i < KTRACE_LOST_NR; i++)
		total += n[i];
	return total;
}

/* Returns NULL if the sum is right, otherwise a description of the error. */
static const char *unbalanced(uint64_t emitted, const struct tally *tally,
			      const struct ktrace_stats *stats)
{
	int i;

	if (tally->samples != stats->recorded)
		return "recorded is not what is in the ring";
	for (i = 0; i < KTRACE_LOST_NR; i++)
		if (tally->told[i] + stats->unplaced[i] != stats->lost[i])
			return "lost is not what was told and what is unplaced";
	if (emitted != tally->samples + stats->filtered + stats->out_of_scope + sum(stats->lost))
		return "emitted is not the sum of all";
	if (!stats_unplaced(stats) != !stats->first_lost ||
	    !stats_unplaced(stats) != !stats->last_lost)
		return "there are times without unplaced losses, or none with";
	if (stats->first_lost > stats->last_lost)
		return "the first lost is later than the last";
	if (stats_unplaced(stats) && tally->last_time > stats->last_lost)
		return "the unplaced losses are before the last record";
	if (tally->told_last)
		return "a loss is told and nothing stored after it";
	return NULL;
}

/* The checker itself is tested: it notices every number that is off by one. */
TEST(planted_off_by_one)
{
	struct tally tally = { .samples = 10, .told = { 5, 1 } };
	struct ktrace_stats stats = {
		.recorded = 10, .filtered = 3, .out_of_scope = 2, .lost = { 9, 1, 4 },
		.unplaced = { 4, 0, 4 }, .first_lost = 100, .last_lost = 200,
	};
	__u64 emitted = 10 + 3 + 2 + 9 + 1 + 4;
	__u64 *numbers[] = {
		&emitted, &tally.samples, &tally.told[0], &tally.told[1], &tally.told[2],
		&stats.recorded, &stats.filtered, &stats.out_of_scope, &stats.lost[0],
		&stats.lost[1], &stats.lost[2], &stats.unplaced[0], &stats.unplaced[1],
		&stats.unplaced[2],
	};
	unsigned int i;

	ASSERT_EQ(NULL, unbalanced(emitted, &tally, &stats));
	for (i = 0; i < ARRAY_SIZE(numbers); i++) {
		++*numbers[i];
		EXPECT_NE(NULL, unbalanced(emitted, &tally, &stats)) {
			TH_LOG("number %u one too large", i);
		}
		*numbers[i] -= 2;
		EXPECT_NE(NULL, unbalanced(emitted, &tally, &stats)) {
			TH_LOG("number %u one too small", i);
		}
		++*numbers[i];
	}
	tally.told_last = true;
	EXPECT_NE(NULL, unbalanced(emitted, &tally, &stats));
}

#define EXPECT_BALANCE(emitted, tally, stats)				\
	do {								\
		const char *what = unbalanced(emitted, tally, stats);	\
									\
		EXPECT_EQ(NULL, what) {					\
			TH_LOG("%s: emitted %llu, stored %llu, told %llu %llu %llu, recorded %llu, filtered %llu, out of scope %llu, lost %llu %llu %llu, unplaced %llu %llu %llu, %llu..%llu", \
			       what, (unsigned long long)(emitted),	\
			       (unsigned long long)(tally)->samples,	\
			       (unsigned long long)(tally)->told[0],	\
			       (unsigned long long)(tally)->told[1],	\
			       (unsigned long long)(tally)->told[2],	\
			       (stats)->recorded, (stats)->filtered,	\
			       (stats)->out_of_scope, (stats)->lost[0],	\
			       (stats)->lost[1], (stats)->lost[2],	\
			       (stats)->unplaced[0], (stats)->unplaced[1], \
			       (stats)->unplaced[2],			\
			       (stats)->first_lost, (stats)->last_lost);	\
		}							\
	} while (0)

FIXTURE(loss) {
	struct session s;
	unsigned int cpus[2];
	struct field seq, ctx;
	uint64_t pos[MAX_CPUS];
};

/* The rings have one page: 42 samples of ktrace_test:seq. */
FIXTURE_SETUP(loss)
{
	struct ktrace_setup setup = SETUP_INIT;

	NEED_KTEST();
	setup.flags = KTRACE_SETUP_TRACE_SELF;
	setup.pages = 1;
	session_open(_metadata, &self->s, &setup);
	two_cpus(&self->s, self->cpus);
	self->seq = event_field(_metadata, "ktrace_test/seq", "seq");
	self->ctx = event_field(_metadata, "ktrace_test/seq", "ctx");
	fire_reset(_metadata);
}

FIXTURE_TEARDOWN(loss)
{
	session_close(&self->s);
}

static void check_lost(struct __test_metadata *_metadata, const struct ring *ring,
		       const struct lost *lost)
{
	ASSERT_EQ(KTRACE_LOST_SIZE, lost->header.size);
	ASSERT_EQ(0, lost->header.misc);
	ASSERT_LT(0, lost->lost);
	ASSERT_LT(lost->reason, 3);
	ASSERT_LT(0, lost->first);
	ASSERT_LE(lost->first, lost->last);
	ASSERT_LE(lost->last, lost->time);
	ASSERT_EQ(ring->meta->cpu, lost->cpu);
	ASSERT_EQ(0, lost->zero);
	ASSERT_EQ(lost->id, lost->sample_id);
}

/* Reads all records into the tally of one event, and frees their room. */
static void drain(struct __test_metadata *_metadata, FIXTURE_DATA(loss) *self,
		  unsigned int cpu, uint64_t id, struct tally *tally)
{
	struct ring *ring = &self->s.ring[cpu];
	const struct perf_event_header *header;
	uint64_t head = ring_head(ring);

	while ((header = ring_next(_metadata, ring, &self->pos[cpu], head))) {
		if (header->type == PERF_RECORD_LOST) {
			const struct lost *lost = (const void *)header;

			check_lost(_metadata, ring, lost);
			if (lost->id != KTRACE_ID_BASE + id)
				continue;
			tally->told[lost->reason] += lost->lost;
			tally->told_last = true;
			ASSERT_LE(tally->last_time, lost->time);
			tally->last_time = lost->time;
		} else {
			const struct sample *sample = (const void *)header;

			if (sample->id != KTRACE_ID_BASE + id)
				continue;
			tally->samples++;
			tally->told_last = false;
			ASSERT_LE(tally->last_time, sample->time);
			tally->last_time = sample->time;
		}
	}
	ring_consume(ring, head);
}

TEST_F(loss, nobody_reads)
{
	struct tally tally = { 0 };
	struct ktrace_stats stats;

	pin_to(_metadata, self->cpus[0]);
	session_add(_metadata, &self->s, "ktrace_test/seq", 0, 0);
	session_start(_metadata, &self->s);
	ASSERT_EQ(0, fire("seq task 5000"));
	session_stop(_metadata, &self->s);
	drain(_metadata, self, self->cpus[0], 0, &tally);
	stats = session_stats(_metadata, &self->s, 0, self->cpus[0]);
	EXPECT_BALANCE(emitted(_metadata, "seq", self->cpus[0], NULL), &tally, &stats);
	/* A sample has 96 bytes.  There was no room to report a loss. */
	EXPECT_EQ(42, tally.samples);
	EXPECT_EQ(5000 - 42, stats.lost[KTRACE_LOST_FULL]);
	EXPECT_EQ(5000 - 42, stats.unplaced[KTRACE_LOST_FULL]);
}

/* A ring holds exactly as many samples as fit, to the byte. */
TEST(exactly_full)
{
	/* The common fields add 0 to 9 times 8 bytes. */
	static const unsigned int fields[] = {
		0x00, 0x01, 0x05, 0x0d, 0x1d, 0x3d, 0x7d, 0xfd, 0xbf, 0xff,
	};
	unsigned int i;

	NEED_KTEST();
	pin_to(_metadata, 0);
	for (i = 0; i < ARRAY_SIZE(fields); i++) {
		struct ktrace_setup setup = SETUP_INIT;
		unsigned int size = 96 + 8 * i, n = 0;
		const struct sample *sample;
		struct session s;
		uint64_t pos = 0;

		setup.flags = KTRACE_SETUP_TRACE_SELF;
		setup.pages = 1;
		session_open(_metadata, &s, &setup);
		session_add(_metadata, &s, "ktrace_test/seq", 0, fields[i]);
		session_start(_metadata, &s);
		ASSERT_EQ(0, fire("seq task 60"));
		session_stop(_metadata, &s);
		while ((sample = (const void *)ring_next(_metadata, &s.ring[0], &pos,
							 ring_head(&s.ring[0])))) {
			ASSERT_EQ(size, sample->header.size);
			n++;
		}
		EXPECT_EQ(4096 / size, n) {
			TH_LOG("records of %u bytes", size);
		}
		EXPECT_EQ(60 - n, session_stats(_metadata, &s, 0, 0).lost[KTRACE_LOST_FULL]);
		session_close(&s);
	}
}

/* In a stream of consecutive numbers, each gap is reported directly before the next sample. */
TEST_F(loss, each_gap_is_told)
{
	const struct perf_event_header *header;
	struct ring *ring = &self->s.ring[self->cpus[0]];
	uint64_t next = 0, gap = 0, pos = 0, head;
	struct ktrace_stats stats;
	unsigned int round, nr_told = 0;

	pin_to(_metadata, self->cpus[0]);
	session_add(_metadata, &self->s, "ktrace_test/seq", 0, 0);
	session_start(_metadata, &self->s);
	for (round = 0; round < 200; round++) {
		/* 20 to 119 samples; 42 fit, fewer after a PERF_RECORD_LOST. */
		ASSERT_EQ(0, fire("seq task %u", 20 + round % 100));
		head = ring_head(ring);
		while ((header = ring_next(_metadata, ring, &pos, head))) {
			if (header->type == PERF_RECORD_LOST) {
				const struct lost *lost = (const void *)header;

				check_lost(_metadata, ring, lost);
				gap += lost->lost;
				nr_told++;
			} else {
				const struct sample *sample = (const void *)header;

				ASSERT_EQ(next + gap, load_number(sample, self->seq));
				next += gap + 1;
				gap = 0;
			}
		}
		ring_consume(ring, head);
	}
	session_stop(_metadata, &self->s);
	EXPECT_LT(50, nr_told);
	EXPECT_EQ(0, gap);
	stats = session_stats(_metadata, &self->s, 0, self->cpus[0]);
	EXPECT_EQ(emitted(_metadata, "seq", self->cpus[0], "task"), next + stats_unplaced(&stats));
}

struct firing {
	const char *context;
	unsigned int cpu, count;
	int err;
	pthread_t thread;
};

static void *fire_thread(void *arg)
{
	struct firing *f = arg;

	f->err = fire("seq %s %u %u", f->context, f->count, f->cpu);
	return NULL;
}

/* All contexts interrupt each other on two CPUs while the reader is too slow. */
static void overflow_from_all_contexts(struct __test_metadata *_metadata,
				       FIXTURE_DATA(loss) *self, unsigned int few)
{
	unsigned int nmis = few / 25;
	struct firing firings[] = {
		{ "task", self->cpus[0], 4 * few }, { "softirq", self->cpus[0], few },
		{ "hardirq", self->cpus[0], few }, { "irq_work", self->cpus[0], few },
		{ "nmi", self->cpus[0], nmis },
		{ "task", self->cpus[1], 4 * few }, { "softirq", self->cpus[1], few },
		{ "hardirq", self->cpus[1], few }, { "irq_work", self->cpus[1], few },
		{ "nmi", self->cpus[1], nmis },
	};
	struct tally tally[2] = { 0 };
	struct ktrace_stats stats;
	unsigned int i, running = ARRAY_SIZE(firings);

	session_start(_metadata, &self->s);
	for (i = 0; i < ARRAY_SIZE(firings); i++)
		ASSERT_EQ(0, pthread_create(&firings[i].thread, NULL, fire_thread, &firings[i]));
	for (i = 0; i < 2; i++)
		wait_for_loss(_metadata, &self->s, 0, self->cpus[i]);
	while (running) {
		sleep_ms(1);
		for (i = 0; i < 2; i++)
			drain(_metadata, self, self->cpus[i], 0, &tally[i]);
		for (i = running = 0; i < ARRAY_SIZE(firings); i++) {
			if (firings[i].thread && !pthread_tryjoin_np(firings[i].thread, NULL))
				firings[i].thread = 0;
			running += !!firings[i].thread;
		}
	}
		/* After any loss, a sample follows that has room. */
	for (i = 0; i < 2; i++) {
		drain(_metadata, self, self->cpus[i], 0, &tally[i]);
		ASSERT_EQ(0, fire("seq task 1 %u", self->cpus[i]));
	}
	session_stop(_metadata, &self->s);
	for (i = 0; i < ARRAY_SIZE(firings); i++)
		EXPECT_TRUE(!firings[i].err || firings[i].err == -EOPNOTSUPP);
	if (self->cpus[0] == self->cpus[1])
		SKIP(return, "one CPU only");
	for (i = 0; i < 2; i++) {
		drain(_metadata, self, self->cpus[i], 0, &tally[i]);
		stats = session_stats(_metadata, &self->s, 0, self->cpus[i]);
		EXPECT_BALANCE(emitted(_metadata, "seq", self->cpus[i], NULL), &tally[i], &stats);
		EXPECT_LT(0, tally[i].samples);
		EXPECT_LT(0, sum(tally[i].told));
		EXPECT_EQ(0, stats.lost[KTRACE_LOST_TOO_BIG]);
	}
}

TEST_F_TIMEOUT(loss, all_contexts_and_a_slow_reader, 600)
{
	session_add(_metadata, &self->s, "ktrace_test/seq", 0, 1ULL << KTRACE_FIELD_SEQ);
	overflow_from_all_contexts(_metadata, self, scale(10000, 200000));
}

/* How much room a sample needs is not known before its call chain. */
TEST_F_TIMEOUT(loss, call_chains_and_a_slow_reader, 600)
{
	struct ktrace_event_add add = event_add_init(event_id("ktrace_test/seq"), 0);

	add.sample_type |= PERF_SAMPLE_CALLCHAIN;
	ASSERT_EQ(0, event_add(self->s.fd, "ktrace_test/seq", &add));
	overflow_from_all_contexts(_metadata, self, scale(2500, 50000));
}

/* Each event has a ledger of its own, also in a ring that two events overflow. */
TEST_F(loss, two_events_in_one_ring)
{
	struct tally tally[2] = { 0 };
	struct ktrace_stats stats;
	unsigned int round, i;

	pin_to(_metadata, self->cpus[0]);
	session_add(_metadata, &self->s, "ktrace_test/seq", 0, 0);
	session_add(_metadata, &self->s, "ktrace_test/ints", 1, 1ULL << KTRACE_FIELD_COMM);
	session_start(_metadata, &self->s);
	for (round = 0; round < 100; round++) {
		ASSERT_EQ(0, fire("seq task %u", 1 + round % 60));
		ASSERT_EQ(0, fire("ints task %u", 1 + round % 30));
		for (i = 0; i < 2; i++) {
			uint64_t pos = self->pos[self->cpus[0]];

			drain(_metadata, self, self->cpus[0], i, &tally[i]);
			if (!i)
				self->pos[self->cpus[0]] = pos;
		}
	}
	session_stop(_metadata, &self->s);
	for (i = 0; i < 2; i++) {
		stats = session_stats(_metadata, &self->s, i, self->cpus[0]);
		EXPECT_BALANCE(emitted(_metadata, i ? "ints" : "seq", self->cpus[0], NULL),
			       &tally[i], &stats);
		EXPECT_LT(0, sum(tally[i].told));
	}
}

TEST_F(loss, with_a_filter)
{
	struct ktrace_filter_insn odd = {
		.op = KTRACE_FILTER_BAND, .src = KTRACE_FILTER_SRC_RECORD,
		.offset = self->seq.offset, .width = 8, .value = 1,
		.jt = KTRACE_FILTER_ACCEPT, .jf = KTRACE_FILTER_REJECT,
	};
	struct tally tally = { 0 };
	struct ktrace_stats stats;
	unsigned int round;

	pin_to(_metadata, self->cpus[0]);
	session_add_filtered(_metadata, &self->s, "ktrace_test/seq", 0, &odd, 1, NULL, 0);
	session_start(_metadata, &self->s);
	for (round = 0; round < 20; round++) {
		ASSERT_EQ(0, fire("seq task 200"));
		drain(_metadata, self, self->cpus[0], 0, &tally);
	}
	session_stop(_metadata, &self->s);
	stats = session_stats(_metadata, &self->s, 0, self->cpus[0]);
	EXPECT_BALANCE(emitted(_metadata, "seq", self->cpus[0], NULL), &tally, &stats);
	EXPECT_EQ(2000, stats.filtered);
	EXPECT_LT(0, sum(tally.told));
}

/* A sample that never fits is reported as lost before the next one that fits. */
TEST_F(loss, too_big)
{
	struct tally tally = { 0 };
	struct ktrace_stats stats;
	uint64_t too_big = 0, seq, size, fixed;

	pin_to(_metadata, self->cpus[0]);
	fixed = event_fixed_size(_metadata, "ktrace_test/big");
	session_add(_metadata, &self->s, "ktrace_test/big", 0, 0);
	session_start(_metadata, &self->s);
	for (seq = 700; seq < 1020; seq++) {
		ASSERT_EQ(0, fire("big task 1 self %llu", (unsigned long long)seq));
		drain(_metadata, self, self->cpus[0], 0, &tally);
		/* Room is left to report losses. */
		size = KTRACE_SAMPLE_RAW_OFFSET + (fixed + ktest_len_big(seq) + 4 + 7) / 8 * 8 - 4;
		too_big += size + 4 * KTRACE_LOST_SIZE > 4096;
		stats = session_stats(_metadata, &self->s, 0, self->cpus[0]);
		ASSERT_EQ(too_big, stats.lost[KTRACE_LOST_TOO_BIG]) {
			TH_LOG("seq %llu", (unsigned long long)seq);
		}
	}
	session_stop(_metadata, &self->s);
	stats = session_stats(_metadata, &self->s, 0, self->cpus[0]);
	EXPECT_BALANCE(emitted(_metadata, "big", self->cpus[0], NULL), &tally, &stats);
	EXPECT_LT(0, too_big);
	EXPECT_EQ(too_big, tally.told[KTRACE_LOST_TOO_BIG]);
	EXPECT_EQ(0, stats.lost[KTRACE_LOST_FULL]);
}

/* With any tail, only this reader loses samples, and only as long as the tail is wrong. */
TEST_F(loss, wrong_tails)
{
	uint64_t head, wrong[] = {
		UINT64_MAX, UINT64_MAX - 7, 1ULL << 63, 1, 3, 4097, 1ULL << 40,
	};
	struct ring *ring = &self->s.ring[self->cpus[0]];
	struct tally tally = { 0 };
	struct ktrace_stats before, stats;
	unsigned int i;

	pin_to(_metadata, self->cpus[0]);
	session_add(_metadata, &self->s, "ktrace_test/seq", 0, 1ULL << KTRACE_FIELD_SEQ);
	session_start(_metadata, &self->s);
	for (i = 0; i < 3 * ARRAY_SIZE(wrong); i++) {
		head = ring_head(ring);
		/*
		 * The wrong tails: absolute numbers, some a little ahead of head, and some
		 * far behind it.
		 */
		ring_consume(ring, i % 3 == 0 ? wrong[i / 3] : i % 3 == 1 ? head + wrong[i / 3] :
			     head - wrong[i / 3]);
		ASSERT_EQ(0, fire("seq task 300"));
	}
	stats = session_stats(_metadata, &self->s, 0, self->cpus[0]);
	EXPECT_EQ(300 * i, stats.recorded + sum(stats.lost));

	/* From here on the tail is right again. */
	before = stats;
	head = ring_head(ring);
	ring_consume(ring, head);
	self->pos[self->cpus[0]] = head;
	ASSERT_EQ(0, fire("seq task 20"));
	session_stop(_metadata, &self->s);
	drain(_metadata, self, self->cpus[0], 0, &tally);
	EXPECT_EQ(20, tally.samples);
	EXPECT_EQ(sum(before.unplaced), sum(tally.told));
	stats = session_stats(_metadata, &self->s, 0, self->cpus[0]);
	EXPECT_EQ(before.recorded + 20, stats.recorded);
	EXPECT_EQ(0, stats_unplaced(&stats));
}

TEST_HARNESS_MAIN
