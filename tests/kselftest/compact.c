// SPDX-License-Identifier: GPL-2.0
/* Compact records: the members that they omit, and that all other bytes are the same. */
#include <pthread.h>
#include <sched.h>
#include <sys/mman.h>

#include "selftest.h"
#include "ktrace_test_values.h"

/* The size of a ktrace_test:seq with its padding; 4 more bytes say so. */
#define SEQ_SIZE 36

FIXTURE(compact) {
	struct session s;
	unsigned int cpus[2];
	struct field seq, ctx;
	uint64_t pos[MAX_CPUS];
};

FIXTURE_VARIANT(compact) {
	uint64_t sample_type;
	uint32_t raw_offset, time_offset, lost_size;
};

FIXTURE_VARIANT_ADD(compact, with_ids) {
	.sample_type = KTRACE_SAMPLE_TYPE_COMPACT,
	.raw_offset = 36, .time_offset = 24, .lost_size = 72,
};

FIXTURE_VARIANT_ADD(compact, alone) {
	.sample_type = KTRACE_SAMPLE_TYPE_ALONE,
	.raw_offset = 28, .time_offset = 16, .lost_size = 64,
};

static void compact_open(struct __test_metadata *_metadata, FIXTURE_DATA(compact) *self,
			 unsigned int pages, unsigned int flags)
{
	struct ktrace_setup setup = SETUP_INIT;

	setup.flags = KTRACE_SETUP_TRACE_SELF | flags;
	setup.pages = pages;
	session_close(&self->s);
	session_open(_metadata, &self->s, &setup);
	two_cpus(&self->s, self->cpus);
}

FIXTURE_SETUP(compact)
{
	struct ktrace_setup setup = SETUP_INIT;

	NEED_KTEST();
	setup.flags = KTRACE_SETUP_TRACE_SELF;
	setup.pages = 64;
	session_open(_metadata, &self->s, &setup);
	two_cpus(&self->s, self->cpus);
	self->seq = event_field(_metadata, "ktrace_test/seq", "seq");
	self->ctx = event_field(_metadata, "ktrace_test/seq", "ctx");
	fire_reset(_metadata);
}

FIXTURE_TEARDOWN(compact)
{
	session_close(&self->s);
}

static struct ktrace_event_add add_of(const FIXTURE_VARIANT(compact) *variant, const char *event,
				      uint64_t id)
{
	struct ktrace_event_add add = event_add_init(event_id(event), id);

	add.sample_type = variant->sample_type;
	return add;
}

static uint64_t compact_number(const void *raw, struct field field)
{
	uint64_t value = 0;

	memcpy(&value, raw + field.offset, field.size);
	return value;
}

static unsigned int cpu_of(const struct perf_event_header *header)
{
	return header->misc >> KTRACE_MISC_CPU_SHIFT & (KTRACE_MISC_CPUS - 1);
}

/* Where raw[] begins in a sample without a call chain, once all in front of it was checked. */
static const uint8_t *check_sample(struct __test_metadata *_metadata,
				   const FIXTURE_VARIANT(compact) *variant,
				   const struct perf_event_header *header, unsigned int cpu,
				   uint32_t raw_size)
{
	const void *at = header;

	ASSERT_EQ(PERF_RECORD_SAMPLE, header->type);
	ASSERT_EQ(PERF_RECORD_MISC_KERNEL, header->misc & PERF_RECORD_MISC_CPUMODE_MASK);
	ASSERT_EQ(0, header->misc >> (KTRACE_MISC_CPU_SHIFT + 11));
	ASSERT_EQ(cpu, cpu_of(header));
	ASSERT_EQ(variant->raw_offset + raw_size, header->size);
	if (variant->sample_type & PERF_SAMPLE_IDENTIFIER)
		ASSERT_EQ(KTRACE_ID_BASE + 42, *(const uint64_t *)(at + 8));
	ASSERT_EQ(raw_size, *(const uint32_t *)(at + variant->raw_offset - 4));
	return at + variant->raw_offset;
}

static uint64_t time_of(const FIXTURE_VARIANT(compact) *variant,
			const struct perf_event_header *header)
{
	return *(const uint64_t *)((const char *)header + variant->time_offset);
}

TEST_F(compact, every_member)
{
	struct ktrace_event_add add = add_of(variant, "ktrace_test/seq", 42);
	struct ktrace_event_info info = { .size = sizeof(info) };
	struct ring *ring = &self->s.ring[self->cpus[1]];
	const struct perf_event_header *header;
	uint64_t before, after, last = 0;
	unsigned int n;

	pin_to(_metadata, self->cpus[1]);
	ASSERT_EQ(0, event_add(self->s.fd, "ktrace_test/seq", &add));
	ASSERT_EQ(0, CALL(self->s.fd, EVENT_INFO, &info));
	EXPECT_EQ(variant->sample_type, info.sample_type);
	session_start(_metadata, &self->s);
	before = session_time(_metadata, &self->s);
	ASSERT_EQ(0, fire("seq task 100 self 1000"));
	after = session_time(_metadata, &self->s);
	session_stop(_metadata, &self->s);
	for (n = 0; (header = ring_next(_metadata, ring, &self->pos[0], ring_head(ring))); n++) {
		const uint8_t *raw = check_sample(_metadata, variant, header, self->cpus[1],
						  SEQ_SIZE);
		const int32_t *ids = (const void *)header + variant->time_offset - 8;

		ASSERT_EQ(getpid(), ids[0]);
		ASSERT_EQ(getpid(), ids[1]);
		ASSERT_LE(before, time_of(variant, header));
		ASSERT_GE(after, time_of(variant, header));
		ASSERT_LE(last, time_of(variant, header));
		last = time_of(variant, header);
		ASSERT_EQ(event_id("ktrace_test/seq"), *(const uint16_t *)raw);
		ASSERT_EQ(getpid(), *(const int32_t *)(raw + 4));
		ASSERT_EQ(1000 + n, compact_number(raw, self->seq));
		ASSERT_EQ(0, compact_number(raw, self->ctx));
		ASSERT_EQ(0, *(const uint32_t *)(raw + SEQ_SIZE - 4));
	}
	EXPECT_EQ(100, n);
	EXPECT_EQ(100, session_stats(_metadata, &self->s, 0, self->cpus[1]).recorded);
}

/* Each feature that takes another path: fields, a filter, call chains, and all together. */
TEST_F(compact, with_everything)
{
	static const char *const contexts[] = { "task", "softirq", "hardirq", "irq_work", "nmi" };
	const uint64_t fields = 1ULL << KTRACE_FIELD_COMM | 1ULL << KTRACE_FIELD_SEQ;
	const struct ktrace_filter_insn odd = {
		.op = KTRACE_FILTER_BAND, .src = KTRACE_FILTER_SRC_RECORD,
		.jt = KTRACE_FILTER_ACCEPT, .jf = KTRACE_FILTER_REJECT,
		.offset = self->seq.offset, .width = 8, .value = 1,
	};
	unsigned int kind, i;

	pin_to(_metadata, self->cpus[0]);
	for (kind = 0; kind < 16; kind++) {
		struct ktrace_event_add add = add_of(variant, "ktrace_test/seq", 42);
		bool filtered = kind & 1, chained = kind & 4;
		uint32_t trailer = kind & 2 ? 24 : 0;
		const struct perf_event_header *header;
		struct ktrace_stats stats;
		const struct ring *ring;
		uint64_t pos = 0, n = 0;

		compact_open(_metadata, self, 64, 0);
		fire_reset(_metadata);
		add.fields = trailer ? fields : 0;
		add.filter = filtered ? (uintptr_t)&odd : 0;
		add.filter_insns = filtered;
		add.sample_type |= chained ? PERF_SAMPLE_CALLCHAIN : 0;
		add.flags = kind & 8 ? KTRACE_EVENT_TRIGGER : 0;
		ASSERT_EQ(0, event_add(self->s.fd, "ktrace_test/seq", &add));
		session_start(_metadata, &self->s);
		for (i = 0; i < ARRAY_SIZE(contexts); i++) {
			int err = fire("seq %s 40 %u", contexts[i], self->cpus[0]);

			ASSERT_TRUE(!err || err == -EOPNOTSUPP);
		}
		session_stop(_metadata, &self->s);
		ring = &self->s.ring[self->cpus[0]];
		while ((header = ring_next(_metadata, ring, &pos, ring_head(ring)))) {
			const void *at = (const void *)header + variant->raw_offset - 4;
			const uint64_t *chain = at;
			const uint8_t *raw;

			if (chained) {
				ASSERT_LT(1, chain[0]);
				ASSERT_LE(chain[0], 129);
				ASSERT_EQ(PERF_CONTEXT_KERNEL, chain[1]);
				at += 8 + 8 * chain[0];
				ASSERT_EQ(SEQ_SIZE + trailer, *(const uint32_t *)at);
				ASSERT_EQ((const char *)header + header->size,
					  (const char *)at + 4 + SEQ_SIZE + trailer);
				raw = at + 4;
			} else {
				raw = check_sample(_metadata, variant, header, self->cpus[0],
						   SEQ_SIZE + trailer);
			}
			ASSERT_EQ(self->cpus[0], cpu_of(header));
			ASSERT_TRUE(!filtered || compact_number(raw, self->seq) % 2);
			if (trailer)
				ASSERT_EQ(n, *(const uint64_t *)(raw + SEQ_SIZE + 16));
			n++;
		}
		stats = session_stats(_metadata, &self->s, 0, self->cpus[0]);
		EXPECT_EQ(stats.recorded, n);
		EXPECT_LT(50, n);
		EXPECT_EQ(0, stats_lost(&stats));
		EXPECT_EQ(emitted(_metadata, "seq", self->cpus[0], NULL), n + stats.filtered) {
			TH_LOG("kind %u", kind);
		}
	}
}

struct sums {
	uint64_t samples, told, last_time;
};

/* Reads all records of a ring, and frees their room. */
static void compact_drain(struct __test_metadata *_metadata, FIXTURE_DATA(compact) *self,
			  const FIXTURE_VARIANT(compact) *variant, unsigned int cpu,
			  struct sums *sums)
{
	struct ring *ring = &self->s.ring[cpu];
	uint64_t head = ring_head(ring), time;
	const struct perf_event_header *header;

	while ((header = ring_next(_metadata, ring, &self->pos[cpu], head))) {
		const struct lost *lost = (const void *)header;

		if (header->type == PERF_RECORD_LOST) {
			ASSERT_EQ(variant->lost_size, header->size);
			ASSERT_EQ(cpu << KTRACE_MISC_CPU_SHIFT, header->misc);
			ASSERT_EQ(KTRACE_ID_BASE + 42, lost->id);
			ASSERT_LT(0, lost->lost);
			ASSERT_LE(lost->first, lost->last);
			ASSERT_LE(lost->last, lost->time);
			if (variant->lost_size == 72)
				ASSERT_EQ(lost->id, *(const uint64_t *)((const char *)header + 64));
			sums->told += lost->lost;
			time = lost->time;
		} else {
			check_sample(_metadata, variant, header, cpu, SEQ_SIZE);
			sums->samples++;
			time = time_of(variant, header);
		}
		ASSERT_LE(sums->last_time, time);
		sums->last_time = time;
	}
	ring_consume(ring, head);
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
TEST_F_TIMEOUT(compact, all_contexts_and_a_slow_reader, 600)
{
	unsigned int few = scale(5000, 100000), i, running;
	struct firing firings[] = {
		{ "task", 0, 4 * few }, { "softirq", 0, few }, { "hardirq", 0, few },
		{ "irq_work", 0, few }, { "nmi", 0, few / 25 },
		{ "task", 1, 4 * few }, { "softirq", 1, few }, { "hardirq", 1, few },
		{ "irq_work", 1, few }, { "nmi", 1, few / 25 },
	};
	struct ktrace_event_add add = add_of(variant, "ktrace_test/seq", 42);
	struct sums sums[2] = { 0 };

	compact_open(_metadata, self, 1, 0);
	ASSERT_EQ(0, event_add(self->s.fd, "ktrace_test/seq", &add));
	session_start(_metadata, &self->s);
	for (i = 0; i < ARRAY_SIZE(firings); i++) {
		firings[i].cpu = self->cpus[firings[i].cpu];
		ASSERT_EQ(0, pthread_create(&firings[i].thread, NULL, fire_thread, &firings[i]));
	}
	for (i = 0; i < 2; i++)
		wait_for_loss(_metadata, &self->s, 0, self->cpus[i]);
	do {
		sleep_ms(1);
		for (i = 0; i < 2; i++)
			compact_drain(_metadata, self, variant, self->cpus[i], &sums[i]);
		for (i = running = 0; i < ARRAY_SIZE(firings); i++) {
			if (firings[i].thread && !pthread_tryjoin_np(firings[i].thread, NULL))
				firings[i].thread = 0;
			running += !!firings[i].thread;
		}
	} while (running);
		/* After any loss, a sample follows that has room. */
	for (i = 0; i < 2; i++) {
		compact_drain(_metadata, self, variant, self->cpus[i], &sums[i]);
		ASSERT_EQ(0, fire("seq task 1 %u", self->cpus[i]));
	}
	session_stop(_metadata, &self->s);
	for (i = 0; i < ARRAY_SIZE(firings); i++)
		EXPECT_TRUE(!firings[i].err || firings[i].err == -EOPNOTSUPP);
	if (self->cpus[0] == self->cpus[1])
		SKIP(return, "one CPU only");
	for (i = 0; i < 2; i++) {
		struct ktrace_stats stats;

		compact_drain(_metadata, self, variant, self->cpus[i], &sums[i]);
		stats = session_stats(_metadata, &self->s, 0, self->cpus[i]);
		EXPECT_EQ(stats.recorded, sums[i].samples);
		EXPECT_EQ(stats_lost(&stats), sums[i].told + stats_unplaced(&stats));
		EXPECT_EQ(emitted(_metadata, "seq", self->cpus[i], NULL),
			  stats.recorded + stats_lost(&stats));
		EXPECT_LT(0, sums[i].told);
	}
}

/* A ring that overwrites finds the beginnings of its records. */
TEST_F(compact, overwriting)
{
	struct ktrace_event_add add = add_of(variant, "ktrace_test/seq", 42);
	uint32_t size = variant->raw_offset + SEQ_SIZE, n;
	struct ktrace_snapshot snapshot = { .size = sizeof(snapshot) };
	const struct perf_event_header *header;
	const struct ring *ring;
	uint64_t pos, first = 0;

	compact_open(_metadata, self, 1, KTRACE_SETUP_OVERWRITE);
	pin_to(_metadata, self->cpus[0]);
	ASSERT_EQ(0, event_add(self->s.fd, "ktrace_test/seq", &add));
	session_start(_metadata, &self->s);
	ASSERT_EQ(0, fire("seq task 10000 self 0"));
	ASSERT_EQ(0, CALL(self->s.fd, SNAPSHOT, &snapshot));
	session_stop(_metadata, &self->s);
	ring = &self->s.ring[self->cpus[0]];
	pos = ring->tail->data_tail;
	for (n = 0; (header = ring_next(_metadata, ring, &pos, ring_head(ring))); n++) {
		const uint8_t *raw = check_sample(_metadata, variant, header, self->cpus[0],
						  SEQ_SIZE);

		first = n ? first : compact_number(raw, self->seq);
		ASSERT_EQ(first + n, compact_number(raw, self->seq));
	}
	EXPECT_EQ(10000, first + n);
	/* Some of the oldest are given up at once. */
	EXPECT_LE(n, 4096 / size);
	EXPECT_LE(4096 / size / 2, n);
	EXPECT_EQ(10000, session_stats(_metadata, &self->s, 0, self->cpus[0]).recorded);
}

/* Sessions that record the same event are served one after the other; each has its own layout. */
TEST_F(compact, beside_other_sessions)
{
	struct ktrace_event_add add = add_of(variant, "ktrace_test/seq", 42);
	struct ktrace_setup setup = SETUP_INIT;
	const struct perf_event_header *header;
	struct session others[2];
	unsigned int i, n;

	setup.flags = KTRACE_SETUP_TRACE_SELF;
	setup.pages = 64;
	pin_to(_metadata, self->cpus[0]);
	session_open(_metadata, &others[0], &setup);
	session_open(_metadata, &others[1], &setup);
	session_add(_metadata, &others[0], "ktrace_test/seq", 7, 0);
	ASSERT_EQ(0, event_add(self->s.fd, "ktrace_test/seq", &add));
	session_add(_metadata, &others[1], "ktrace_test/seq", 7, 0);
	session_start(_metadata, &others[0]);
	session_start(_metadata, &self->s);
	session_start(_metadata, &others[1]);
	ASSERT_EQ(0, fire("seq task 500 self 0"));
	session_stop(_metadata, &self->s);
	session_stop(_metadata, &others[0]);
	session_stop(_metadata, &others[1]);
	for (n = 0; (header = ring_next(_metadata, &self->s.ring[self->cpus[0]], &self->pos[0],
					ring_head(&self->s.ring[self->cpus[0]]))); n++)
		ASSERT_EQ(n, compact_number(check_sample(_metadata, variant, header, self->cpus[0],
							 SEQ_SIZE), self->seq));
	EXPECT_EQ(500, n);
	for (i = 0; i < 2; i++) {
		const struct ring *ring = &others[i].ring[self->cpus[0]];
		uint64_t pos = 0;

		for (n = 0; (header = ring_next(_metadata, ring, &pos, ring_head(ring))); n++) {
			const struct sample *sample = (const void *)header;

			ASSERT_EQ(KTRACE_SAMPLE_RAW_OFFSET + SEQ_SIZE, header->size);
			ASSERT_EQ(KTRACE_ID_BASE + 7, sample->id);
			ASSERT_EQ(n, load_number(sample, self->seq));
		}
		EXPECT_EQ(500, n);
		session_close(&others[i]);
	}
}

TEST_F(compact, refusals)
{
	static const uint64_t types[] = {
		0, PERF_SAMPLE_TIME | PERF_SAMPLE_RAW,
		KTRACE_SAMPLE_TYPE & ~(uint64_t)PERF_SAMPLE_IP,
		KTRACE_SAMPLE_TYPE & ~(uint64_t)PERF_SAMPLE_IDENTIFIER,
		KTRACE_SAMPLE_TYPE_COMPACT | PERF_SAMPLE_CPU,
		KTRACE_SAMPLE_TYPE_ALONE | PERF_SAMPLE_ADDR,
	};
	struct ktrace_event_add add = add_of(variant, "ktrace_test/seq", 42), other;
	struct ktrace_sample sample = { .size = sizeof(sample), .every = 10 };
	bool alone = variant->sample_type == KTRACE_SAMPLE_TYPE_ALONE;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(types); i++) {
		other = event_add_init(event_id("ktrace_test/seq"), 42);
		other.sample_type = types[i];
		EXPECT_EQ(-EINVAL, event_add(self->s.fd, "ktrace_test/seq", &other));
	}
	ASSERT_EQ(0, event_add(self->s.fd, "ktrace_test/seq", &add));
	EXPECT_EQ(-EINVAL, CALL(self->s.fd, SAMPLE, &sample));
	other = event_add_init(event_id("ktrace_test/dyn"), 43);
	EXPECT_EQ(-EINVAL, event_add(self->s.fd, "ktrace_test/dyn", &other));
	other = add_of(variant, "ktrace_test/dyn", 43);
	other.sample_type ^= PERF_SAMPLE_IDENTIFIER;
	EXPECT_EQ(-EINVAL, event_add(self->s.fd, "ktrace_test/dyn", &other));
	other.sample_type ^= PERF_SAMPLE_IDENTIFIER;
	EXPECT_EQ(alone ? -EINVAL : 0, event_add(self->s.fd, "ktrace_test/dyn", &other));
	/* Call chains make no difference. */
	other = add_of(variant, "ktrace_test/counted", 44);
	other.sample_type |= PERF_SAMPLE_CALLCHAIN;
	EXPECT_EQ(alone ? -EINVAL : 0, event_add(self->s.fd, "ktrace_test/counted", &other));

	/* Beside an event whose records are whole, none can be compact. */
	compact_open(_metadata, self, 16, 0);
	session_add(_metadata, &self->s, "ktrace_test/dyn", 1, 0);
	EXPECT_EQ(-EINVAL, event_add(self->s.fd, "ktrace_test/seq", &add));
}

TEST_HARNESS_MAIN
