// SPDX-License-Identifier: GPL-2.0
/*
 * Counting by keys.  Of the firings, which ktrace_test.ko counts from outside,
 *
 *	emitted = counted + filtered + out of scope + lost
 *
 * where counted is the sum of all entries.
 */
#include "selftest.h"
#include "slow_memory.h"
#include "ktrace_test_values.h"

enum { MAX_ENTRIES = 70000 };

struct entry {
	struct ktrace_count_entry base;
	uint64_t key[KTRACE_COUNT_MAX_KEY / 8];
};

static struct entry entries[MAX_ENTRIES];

FIXTURE(counting) {
	struct session s;
	struct field seq, ctx;
	unsigned int cpus[2];
};

FIXTURE_SETUP(counting)
{
	struct ktrace_setup setup = SETUP_INIT;

	NEED_KTEST();
	setup.flags = KTRACE_SETUP_TRACE_SELF;
	setup.pages = 1;
	session_open(_metadata, &self->s, &setup);
	two_cpus(&self->s, self->cpus);
	self->seq = event_field(_metadata, "ktrace_test/seq", "seq");
	self->ctx = event_field(_metadata, "ktrace_test/seq", "ctx");
	pin_to(_metadata, self->cpus[0]);
	fire_reset(_metadata);
}

FIXTURE_TEARDOWN(counting)
{
	session_close(&self->s);
}

static struct ktrace_count_part part_of(struct field field, unsigned int form)
{
	return (struct ktrace_count_part){
		.src = KTRACE_COUNT_SRC_RECORD, .form = form,
		.offset = field.offset, .width = field.size,
	};
}

static struct ktrace_count_part common_part(unsigned int field, unsigned int form)
{
	return (struct ktrace_count_part){
		.src = KTRACE_COUNT_SRC_FIELD, .form = form,
		.offset = field, .width = KTRACE_FIELD_SLOT(field),
	};
}

static const struct ktrace_count_part latency = {
	.src = KTRACE_COUNT_SRC_LATENCY, .form = KTRACE_COUNT_NUMBER, .width = 8,
};

static struct ktrace_count_add count_init(unsigned int index, unsigned int nr,
					  const struct ktrace_count_part *parts)
{
	return (struct ktrace_count_add){
		.size = sizeof(struct ktrace_count_add), .index = index, .entries = 1000,
		.nr_parts = nr, .parts = nr ? (uintptr_t)parts : 0,
	};
}

static void add_count(struct __test_metadata *_metadata, struct session *s, unsigned int index,
		      unsigned int nr, const struct ktrace_count_part *parts, unsigned int max)
{
	struct ktrace_count_add add = count_init(index, nr, parts);

	add.entries = max;
	ASSERT_EQ(0, CALL(s->fd, COUNT_ADD, &add));
}

/* Reads all entries of one CPU, a few at a time; returns how many there are. */
static unsigned int read_counts(struct __test_metadata *_metadata, struct session *s,
				unsigned int index, unsigned int cpu, unsigned int key_bytes)
{
	struct ktrace_count_read r = {
		.size = sizeof(r), .index = index, .cpu = cpu,
	};
	unsigned int size = sizeof(struct ktrace_count_entry) + key_bytes, n = 0, i;
	static char room[4096];

	r.entries = (uintptr_t)room;
	r.room = sizeof(room);
	while (r.position != KTRACE_COUNT_READ_END) {
		ASSERT_EQ(0, CALL(s->fd, COUNT_READ, &r));
		ASSERT_LE(r.nr * size, sizeof(room));
		ASSERT_LE(n + r.nr, MAX_ENTRIES);
		for (i = 0; i < r.nr; i++, n++) {
			memset(&entries[n], 0, sizeof(entries[n]));
			memcpy(&entries[n], room + i * size, size);
		}
	}
	return n;
}

static uint64_t sum_counts(unsigned int n)
{
	uint64_t sum = 0;

	while (n--)
		sum += entries[n].base.count;
	return sum;
}

/* The entry with this key of one word; the test ends if there is none. */
static struct entry *find(struct __test_metadata *_metadata, unsigned int n, uint64_t key)
{
	unsigned int i;

	for (i = 0; i < n; i++)
		if (entries[i].key[0] == key)
			return &entries[i];
	ASSERT_TRUE(false) {
		TH_LOG("no entry has the key %llu", (unsigned long long)key);
	}
	return NULL;
}

TEST_F(counting, each_key)
{
	struct ktrace_count_part parts[] = { part_of(self->seq, KTRACE_COUNT_NUMBER) };
	struct ktrace_stats stats;
	unsigned int i, n;

	session_add(_metadata, &self->s, "ktrace_test/seq", 0, 0);
	add_count(_metadata, &self->s, 0, 1, parts, 1000);
	session_start(_metadata, &self->s);
	for (i = 0; i < 3; i++)
		ASSERT_EQ(0, fire("seq task 100 self 0"));
	ASSERT_EQ(0, fire("seq task 7 self 0"));
	session_stop(_metadata, &self->s);
	n = read_counts(_metadata, &self->s, 0, self->cpus[0], 8);
	EXPECT_EQ(100, n);
	for (i = 0; i < n; i++) {
		EXPECT_EQ(i < 7 ? 4 : 3, find(_metadata, n, i)->base.count);
		EXPECT_EQ(0, entries[i].base.sum);
	}
	stats = session_stats(_metadata, &self->s, 0, self->cpus[0]);
	EXPECT_EQ(307, stats.recorded);
	EXPECT_EQ(emitted(_metadata, "seq", self->cpus[0], NULL), sum_counts(n));
	/* Nothing of it is in the ring. */
	EXPECT_EQ(0, ring_head(&self->s.ring[self->cpus[0]]));
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

/* Contexts interrupt each other while they add keys to the same table and count them. */
TEST_F_TIMEOUT(counting, contexts_nest, 600)
{
	static const char * const names[] = { "task", "softirq", "hardirq", "irqwork", "nmi" };
	struct firing firings[] = {
		{ "seq task 40000 0" }, { "seq softirq 10000 0" }, { "seq hardirq 10000 0" },
		{ "seq nmi 400 0" },
	};
	struct ktrace_count_part parts[] = {
		part_of(self->ctx, KTRACE_COUNT_NUMBER), part_of(self->seq, KTRACE_COUNT_NUMBER),
	};
	uint64_t counted[ARRAY_SIZE(names)] = { 0 }, lost;
	struct ktrace_stats stats;
	unsigned int i, n;

	session_add(_metadata, &self->s, "ktrace_test/seq", 0, 0);
	add_count(_metadata, &self->s, 0, 2, parts, 65536);
	session_start(_metadata, &self->s);
	for (i = 0; i < ARRAY_SIZE(firings); i++)
		ASSERT_EQ(0, pthread_create(&firings[i].thread, NULL, fire_thread, &firings[i]));
	for (i = 0; i < ARRAY_SIZE(firings); i++)
		pthread_join(firings[i].thread, NULL);
	session_stop(_metadata, &self->s);
	n = read_counts(_metadata, &self->s, 0, 0, 16);
	for (i = 0; i < n; i++) {
		ASSERT_LT(entries[i].key[0], ARRAY_SIZE(names));
		counted[entries[i].key[0]] += entries[i].base.count;
	}
	stats = session_stats(_metadata, &self->s, 0, 0);
	lost = stats_lost(&stats);
	EXPECT_EQ(stats.recorded, sum_counts(n));
	EXPECT_EQ(emitted(_metadata, "seq", 0, NULL), stats.recorded + lost);
	EXPECT_EQ(0, stats.lost[KTRACE_LOST_NO_SLOT]);
	for (i = 0; !lost && i < ARRAY_SIZE(names); i++) {
		EXPECT_EQ(emitted(_metadata, "seq", 0, names[i]), counted[i]) {
			TH_LOG("context %s", names[i]);
		}
	}
}

/* A full table counts its losses, and goes on counting the keys that it has. */
TEST_F(counting, full_table)
{
	struct ktrace_count_part parts[] = { part_of(self->seq, KTRACE_COUNT_NUMBER) };
	struct ktrace_count_read r = { .size = sizeof(r), .cpu = self->cpus[0] };
	struct ktrace_stats stats;
	unsigned int n;

	session_add(_metadata, &self->s, "ktrace_test/seq", 0, 0);
	add_count(_metadata, &self->s, 0, 1, parts, 100);
	session_start(_metadata, &self->s);
	ASSERT_EQ(0, fire("seq task 1000 self 0"));
	ASSERT_EQ(0, fire("seq task 100 self 0"));
	session_stop(_metadata, &self->s);
	n = read_counts(_metadata, &self->s, 0, self->cpus[0], 8);
	EXPECT_EQ(100, n);
	EXPECT_EQ(200, sum_counts(n));
	EXPECT_EQ(2, find(_metadata, n, 99)->base.count);
	stats = session_stats(_metadata, &self->s, 0, self->cpus[0]);
	EXPECT_EQ(200, stats.recorded);
	EXPECT_EQ(900, stats.lost[KTRACE_LOST_NO_SLOT]);
	r.position = KTRACE_COUNT_READ_END;
	ASSERT_EQ(0, CALL(self->s.fd, COUNT_READ, &r));
	EXPECT_EQ(100, r.used);
	EXPECT_EQ(0, r.nr);
}

TEST_F(counting, values_and_steps)
{
	struct ktrace_count_part parts[] = { part_of(self->seq, KTRACE_COUNT_LOG2) };
	struct ktrace_count_add add = count_init(0, 1, parts);
	unsigned int n;

	add.value = part_of(self->seq, KTRACE_COUNT_NUMBER);
	session_add(_metadata, &self->s, "ktrace_test/seq", 0, 0);
	ASSERT_EQ(0, CALL(self->s.fd, COUNT_ADD, &add));
	EXPECT_EQ(8, add.key_bytes);
	session_start(_metadata, &self->s);
	ASSERT_EQ(0, fire("seq task 100 self 0"));
	session_stop(_metadata, &self->s);
	n = read_counts(_metadata, &self->s, 0, self->cpus[0], 8);
	EXPECT_EQ(8, n);
	EXPECT_EQ(1, find(_metadata, n, 0)->base.count);
	EXPECT_EQ(1, find(_metadata, n, 1)->base.count);
	EXPECT_EQ(2, find(_metadata, n, 2)->base.count);
	EXPECT_EQ(32, find(_metadata, n, 6)->base.count);
	EXPECT_EQ(36, find(_metadata, n, 7)->base.count);
	EXPECT_EQ(64, find(_metadata, n, 7)->base.min);
	EXPECT_EQ(99, find(_metadata, n, 7)->base.max);
	EXPECT_EQ((64 + 99) * 36 / 2, find(_metadata, n, 7)->base.sum);
}

TEST_F(counting, signed_numbers)
{
	struct field field = event_field(_metadata, "ktrace_test/ints", "f_s16");
	struct ktrace_count_part parts[] = { part_of(field, KTRACE_COUNT_LOG2) };
	struct ktrace_count_add add = count_init(0, 1, parts);
	unsigned int n;

	parts[0].flags = KTRACE_COUNT_SIGNED;
	add.value = parts[0];
	add.value.form = KTRACE_COUNT_NUMBER;
	session_add(_metadata, &self->s, "ktrace_test/ints", 0, 0);
	ASSERT_EQ(0, CALL(self->s.fd, COUNT_ADD, &add));
	session_start(_metadata, &self->s);
	/* 0, -1, the smallest and the largest number. */
	ASSERT_EQ(0, fire("ints task 4 self 0"));
	session_stop(_metadata, &self->s);
	n = read_counts(_metadata, &self->s, 0, self->cpus[0], 8);
	EXPECT_EQ(3, n);
	EXPECT_EQ(1, find(_metadata, n, 0)->base.count);
	EXPECT_EQ(1, find(_metadata, n, 15)->base.count);
	EXPECT_EQ(2, find(_metadata, n, UINT64_MAX)->base.count);
	EXPECT_EQ(-32769, (int64_t)find(_metadata, n, UINT64_MAX)->base.sum);
	EXPECT_EQ(-32768, (int64_t)find(_metadata, n, UINT64_MAX)->base.min);
	EXPECT_EQ(-1, (int64_t)find(_metadata, n, UINT64_MAX)->base.max);
}

/* Strings end at their first NUL, or where they end without one. */
TEST_F(counting, strings)
{
	struct field fixed = event_field(_metadata, "ktrace_test/strings", "fixed");
	struct field text = event_field(_metadata, "ktrace_test/strings", "text");
	struct ktrace_count_part parts[] = {
		part_of(fixed, KTRACE_COUNT_TEXT),
		{ .src = KTRACE_COUNT_SRC_DATA_LOC, .form = KTRACE_COUNT_TEXT,
		  .offset = text.offset, .width = 20 },
	};
	static const char whole[] = KTEST_TEXT;
	unsigned int i, j, n;
	char want[24];

	session_add(_metadata, &self->s, "ktrace_test/strings", 0, 0);
	add_count(_metadata, &self->s, 0, 2, parts, 100);
	session_start(_metadata, &self->s);
	ASSERT_EQ(0, fire("strings task 40 self 0"));
	session_stop(_metadata, &self->s);
	n = read_counts(_metadata, &self->s, 0, self->cpus[0], 16 + 24);
	EXPECT_EQ(40, sum_counts(n));
	for (i = 0; i < 40; i++) {
		memset(want, 0, sizeof(want));
		memcpy(want, whole + sizeof(whole) - 1 - i, i < 20 ? i : 20);
		for (j = 0; j < n; j++)
			if (!memcmp(&entries[j].key[2], want, sizeof(want)))
				break;
		EXPECT_LT(j, n) {
			TH_LOG("no entry has the text '%s'", want);
		}
		if (j < n)
			EXPECT_EQ(0, memcmp(entries[j].key, "fix\0\0\0\0\0\0\0\0\0\0\0\0", 16));
	}
}

TEST_F(counting, common_fields)
{
	struct ktrace_count_part parts[] = {
		common_part(KTRACE_FIELD_COMM, KTRACE_COUNT_TEXT),
		common_part(KTRACE_FIELD_TGID, KTRACE_COUNT_NUMBER),
		common_part(KTRACE_FIELD_CPU, KTRACE_COUNT_NUMBER),
	};
	char comm[16] = { 0 };

	ASSERT_GT(read_file("/proc/self/comm", comm, sizeof(comm)), 0);
	comm[strcspn(comm, "\n")] = '\0';
	session_add(_metadata, &self->s, "ktrace_test/seq", 0, 0);
	add_count(_metadata, &self->s, 0, 3, parts, 10);
	session_start(_metadata, &self->s);
	ASSERT_EQ(0, fire("seq task 50 self 0"));
	session_stop(_metadata, &self->s);
	ASSERT_EQ(1, read_counts(_metadata, &self->s, 0, self->cpus[0], 32));
	EXPECT_EQ(50, entries[0].base.count);
	EXPECT_STREQ(comm, (const char *)entries[0].key);
	EXPECT_EQ(getpid(), entries[0].key[2]);
	EXPECT_EQ(self->cpus[0], entries[0].key[3]);
}

TEST_F(counting, filtered)
{
	struct ktrace_filter_insn odd = {
		.op = KTRACE_FILTER_BAND, .src = KTRACE_FILTER_SRC_RECORD,
		.offset = self->seq.offset, .width = 8, .value = 1,
		.jt = KTRACE_FILTER_ACCEPT, .jf = KTRACE_FILTER_REJECT,
	};
	struct ktrace_stats stats;

	session_add_filtered(_metadata, &self->s, "ktrace_test/seq", 0, &odd, 1, NULL, 0);
	add_count(_metadata, &self->s, 0, 0, NULL, 1);
	session_start(_metadata, &self->s);
	ASSERT_EQ(0, fire("seq task 101 self 0"));
	session_stop(_metadata, &self->s);
	ASSERT_EQ(1, read_counts(_metadata, &self->s, 0, self->cpus[0], 0));
	EXPECT_EQ(50, entries[0].base.count);
	stats = session_stats(_metadata, &self->s, 0, self->cpus[0]);
	EXPECT_EQ(50, stats.recorded);
	EXPECT_EQ(51, stats.filtered);
}

TEST_F(counting, out_of_scope)
{
	struct ktrace_task_add task = { .size = sizeof(task), .pid = 1 };
	struct ktrace_stats stats;

	session_add(_metadata, &self->s, "ktrace_test/seq", 0, 0);
	add_count(_metadata, &self->s, 0, 0, NULL, 1);
	ASSERT_EQ(0, CALL(self->s.fd, TASK_ADD, &task));
	session_start(_metadata, &self->s);
	ASSERT_EQ(0, fire("seq task 100 self 0"));
	session_stop(_metadata, &self->s);
	EXPECT_EQ(0, read_counts(_metadata, &self->s, 0, self->cpus[0], 0));
	stats = session_stats(_metadata, &self->s, 0, self->cpus[0]);
	EXPECT_EQ(0, stats.recorded);
	EXPECT_EQ(100, stats.out_of_scope);
}

/* ---- latencies -------------------------------------------------------------- */

/*
 * class_a starts latencies that class_b ends, by their number; returns COUNT_ADD's result for
 * class_b.
 */
static int add_latency(struct __test_metadata *_metadata, struct session *s, unsigned int max)
{
	struct ktrace_count_part pair =
		part_of(event_field(_metadata, "ktrace_test/class_a", "seq"), KTRACE_COUNT_NUMBER);
	struct ktrace_count_add start = count_init(0, 1, &pair), end = count_init(1, 1, &pair);

	session_add(_metadata, s, "ktrace_test/class_a", 0, 0);
	session_add(_metadata, s, "ktrace_test/class_b", 1, 0);
	start.role = KTRACE_COUNT_START;
	start.entries = max;
	EXPECT_EQ(0, CALL(s->fd, COUNT_ADD, &start));
	EXPECT_EQ(8, start.key_bytes);
	end.role = KTRACE_COUNT_END;
	end.nr_pair = 1;
	end.value = latency;
	return CALL(s->fd, COUNT_ADD, &end);
}

static uint64_t restarted(struct __test_metadata *_metadata, struct session *s, unsigned int cpu)
{
	struct ktrace_count_read r = {
		.size = sizeof(r), .cpu = cpu, .position = KTRACE_COUNT_READ_END,
	};

	EXPECT_EQ(0, CALL(s->fd, COUNT_READ, &r));
	return r.restarted;
}

TEST_F(counting, latency)
{
	struct session *s = &self->s;
	unsigned int cpu = self->cpus[0];
	struct ktrace_stats stats;

	ASSERT_EQ(0, add_latency(_metadata, s, 1000));
	session_start(_metadata, s);
	ASSERT_EQ(0, fire("class_a task 50 self 0"));
	sleep_ms(20);
	/* 10 of them again, 30 ends, and 20 that nobody started. */
	ASSERT_EQ(0, fire("class_a task 10 self 40"));
	ASSERT_EQ(0, fire("class_b task 30 self 0"));
	ASSERT_EQ(0, fire("class_b task 20 self 1000"));
	/* These pairs were removed already. */
	ASSERT_EQ(0, fire("class_b task 5 self 0"));
	session_stop(_metadata, s);

	ASSERT_EQ(1, read_counts(_metadata, s, 1, cpu, 0));
	EXPECT_EQ(30, entries[0].base.count);
	EXPECT_LE(20000000, entries[0].base.min);
	EXPECT_LE(entries[0].base.min, entries[0].base.max);
	EXPECT_LE(30 * entries[0].base.min, entries[0].base.sum);
	EXPECT_GE(30 * entries[0].base.max, entries[0].base.sum);
	stats = session_stats(_metadata, s, 0, cpu);
	EXPECT_EQ(60, stats.recorded);
	EXPECT_EQ(10, restarted(_metadata, s, cpu));
	stats = session_stats(_metadata, s, 1, cpu);
	EXPECT_EQ(30, stats.recorded);
	EXPECT_EQ(25, stats.lost[KTRACE_LOST_NO_START]);
	EXPECT_EQ(emitted(_metadata, "class_b", cpu, NULL), stats.recorded + stats_lost(&stats));
}

/* A latency that starts on one CPU can end on another. */
TEST_F(counting, latency_across_cpus)
{
	struct session *s = &self->s;
	unsigned int n;

	ASSERT_EQ(0, add_latency(_metadata, s, 1000));
	session_start(_metadata, s);
	ASSERT_EQ(0, fire("class_a task 50 %u 0", self->cpus[0]));
	ASSERT_EQ(0, fire("class_b task 50 %u 0", self->cpus[1]));
	session_stop(_metadata, s);
	n = read_counts(_metadata, s, 1, self->cpus[1], 0);
	EXPECT_EQ(50, sum_counts(n));
}

/* The table of starts is bounded; starts without room are counted. */
TEST_F(counting, too_many_starts)
{
	struct session *s = &self->s;
	struct ktrace_stats start, end;
	unsigned int cpu = self->cpus[0], n;

	ASSERT_EQ(0, add_latency(_metadata, s, 1));
	session_start(_metadata, s);
	ASSERT_EQ(0, fire("class_a task 2000 self 0"));
	ASSERT_EQ(0, fire("class_b task 2000 self 0"));
	session_stop(_metadata, s);
	start = session_stats(_metadata, s, 0, cpu);
	end = session_stats(_metadata, s, 1, cpu);
	EXPECT_LT(0, start.lost[KTRACE_LOST_NO_SLOT]);
	EXPECT_EQ(2000, start.recorded + start.lost[KTRACE_LOST_NO_SLOT]);
	EXPECT_EQ(start.recorded, end.recorded);
	EXPECT_EQ(start.lost[KTRACE_LOST_NO_SLOT], end.lost[KTRACE_LOST_NO_START]);
	n = read_counts(_metadata, s, 1, cpu, 0);
	EXPECT_EQ(start.recorded, sum_counts(n));
}

/* A thread that ends in a system call has no END of it. */
TEST_F(counting, starts_of_tasks_that_have_ended)
{
	struct ktrace_count_part tid = common_part(KTRACE_FIELD_TID, KTRACE_COUNT_NUMBER);
	struct ktrace_count_add start = count_init(0, 1, &tid), end = count_init(1, 1, &tid);
	struct ktrace_task_add task = {
		.size = sizeof(task), .pid = gettid(), .flags = KTRACE_TASK_INHERIT,
	};
	struct session *s = &self->s;
	uint64_t started = 0;
	unsigned int i, cpu;

	session_add(_metadata, s, "raw_syscalls/sys_enter", 0, 0);
	session_add(_metadata, s, "raw_syscalls/sys_exit", 1, 0);
	start.role = KTRACE_COUNT_START;
	start.entries = 1;
	ASSERT_EQ(0, CALL(s->fd, COUNT_ADD, &start));
	end.role = KTRACE_COUNT_END;
	end.nr_pair = 1;
	ASSERT_EQ(0, CALL(s->fd, COUNT_ADD, &end));
	ASSERT_EQ(0, CALL(s->fd, TASK_ADD, &task));
	session_start(_metadata, s);
	/* More than any table of that size holds. */
	for (i = 0; i < 400; i++) {
		pid_t pid = vfork();

		if (!pid)
			_exit(0);
		ASSERT_EQ(pid, waitpid(pid, NULL, 0));
	}
	session_stop(_metadata, s);
	for (cpu = 0; cpu < s->nr_cpus; cpu++) {
		struct ktrace_stats stats;

		if (!s->ring[cpu].data)
			continue;
		stats = session_stats(_metadata, s, 0, cpu);
		started += stats.recorded;
		EXPECT_EQ(0, stats.lost[KTRACE_LOST_NO_SLOT]) {
			TH_LOG("after %llu on CPU %u", (unsigned long long)stats.recorded, cpu);
		}
	}
	EXPECT_LT(400, started);
}

/* Both ends in every context at once: none is counted twice, none is missing. */
TEST_F_TIMEOUT(counting, latency_nests, 600)
{
	struct firing firings[] = {
		{ "class_a task 20000 0 0" }, { "class_b hardirq 5000 0 0" },
		{ "class_a softirq 5000 0 0" }, { "class_b nmi 400 0 0" },
	};
	struct ktrace_stats start, end;
	unsigned int i, n;

	ASSERT_EQ(0, add_latency(_metadata, &self->s, 32768));
	session_start(_metadata, &self->s);
	for (i = 0; i < ARRAY_SIZE(firings); i++)
		ASSERT_EQ(0, pthread_create(&firings[i].thread, NULL, fire_thread, &firings[i]));
	for (i = 0; i < ARRAY_SIZE(firings); i++)
		pthread_join(firings[i].thread, NULL);
	session_stop(_metadata, &self->s);
	start = session_stats(_metadata, &self->s, 0, 0);
	end = session_stats(_metadata, &self->s, 1, 0);
	EXPECT_EQ(emitted(_metadata, "class_a", 0, NULL), start.recorded + stats_lost(&start));
	EXPECT_EQ(emitted(_metadata, "class_b", 0, NULL), end.recorded + stats_lost(&end));
	EXPECT_LE(end.recorded, start.recorded - restarted(_metadata, &self->s, 0));
	n = read_counts(_metadata, &self->s, 1, 0, 0);
	EXPECT_EQ(end.recorded, sum_counts(n));
}

/* ---- call chains -------------------------------------------------------------- */

static const struct ktrace_count_part kernel_chain = {
	.src = KTRACE_COUNT_SRC_KERNEL, .form = KTRACE_COUNT_CHAIN, .width = 8,
};

static const struct ktrace_count_part user_chain = {
	.src = KTRACE_COUNT_SRC_USER, .form = KTRACE_COUNT_CHAIN, .width = 8,
};

struct chain {
	struct ktrace_chain_entry base;
	uint64_t ips[KTRACE_COUNT_CHAIN_MAX];
};

static struct chain chains[2000];

/* Reads all chains of an event, a few at a time; returns how many there are. */
static unsigned int read_chains(struct __test_metadata *_metadata, struct session *s,
				unsigned int index, struct ktrace_chain_read *ret)
{
	struct ktrace_chain_read r = { .size = sizeof(r), .index = index };
	static char room[4096];
	unsigned int n = 0, i;

	r.entries = (uintptr_t)room;
	r.room = sizeof(room);
	do {
		const char *at = room;

		ASSERT_EQ(0, CALL(s->fd, CHAIN_READ, &r));
		for (i = 0; i < r.nr; i++, n++) {
			ASSERT_LT(n, ARRAY_SIZE(chains));
			memcpy(&chains[n].base, at, sizeof(chains[n].base));
			ASSERT_GE(KTRACE_COUNT_CHAIN_MAX, chains[n].base.nr);
			at += sizeof(chains[n].base);
			memcpy(chains[n].ips, at, chains[n].base.nr * 8);
			at += chains[n].base.nr * 8;
		}
	} while (r.nr);
	EXPECT_EQ(n, r.used);
	*ret = r;
	return n;
}

/* The chain with this number; the test ends if there is none. */
static const struct chain *find_chain(struct __test_metadata *_metadata, unsigned int n,
				      uint64_t number)
{
	unsigned int i;

	for (i = 0; i < n; i++)
		if (chains[i].base.number == number)
			return &chains[i];
	ASSERT_TRUE(false) {
		TH_LOG("no chain has the number %llu", (unsigned long long)number);
	}
	return NULL;
}

/* A function that no compiler merges with its caller, so that it is a frame. */
static __attribute__((noinline)) int fire_from_here(const char *order)
{
	int ret = fire("%s", order);

	__asm__ volatile("" : : : "memory");
	return ret;
}

/* Each place that fires is a key of its own, and each key has its chain whole. */
TEST_F(counting, chains)
{
	struct ktrace_count_part parts[] = { kernel_chain, user_chain };
	struct ktrace_chain_read r;
	struct ktrace_stats stats;
	unsigned int cpu = self->cpus[0], n, nr, i, whole = 0;

	session_add(_metadata, &self->s, "ktrace_test/seq", 0, 0);
	add_count(_metadata, &self->s, 0, 2, parts, 1000);
	session_start(_metadata, &self->s);
	for (i = 0; i < 3; i++)
		ASSERT_EQ(0, fire("seq task 100 self 0"));
	ASSERT_EQ(0, fire_from_here("seq task 7 self 0"));
	session_stop(_metadata, &self->s);
	n = read_counts(_metadata, &self->s, 0, cpu, 16);
	nr = read_chains(_metadata, &self->s, 0, &r);
	EXPECT_EQ(0, r.dropped);
	EXPECT_LE(2, n);
	for (i = 0; i < n; i++) {
		const struct chain *kernel = find_chain(_metadata, nr, entries[i].key[0]);
		const struct chain *user = find_chain(_metadata, nr, entries[i].key[1]);

		EXPECT_EQ(0, kernel->base.tgid);
		EXPECT_LT(2, kernel->base.nr);
		EXPECT_LT(1ULL << 63, kernel->ips[0]);
		EXPECT_EQ(getpid(), user->base.tgid);
		EXPECT_LT(0, user->base.nr);
		EXPECT_GT(1ULL << 63, user->ips[0]);
		EXPECT_LT(0, user->base.start_time);
		whole += entries[i].base.count;
	}
	EXPECT_EQ(307, whole);
	stats = session_stats(_metadata, &self->s, 0, cpu);
	EXPECT_EQ(307, stats.recorded);
	EXPECT_EQ(emitted(_metadata, "seq", cpu, NULL), whole);
}

/* A firing without room for its chain is counted as such. */
TEST_F(counting, too_many_chains)
{
	struct ktrace_count_part parts[] = { kernel_chain };
	struct ktrace_count_add add = count_init(0, 1, parts);
	struct ktrace_chain_read r;
	struct ktrace_stats stats;
	unsigned int cpu = self->cpus[0], n, i;

	add.entries = 1;
	session_add(_metadata, &self->s, "ktrace_test/seq", 0, 0);
	ASSERT_EQ(0, CALL(self->s.fd, COUNT_ADD, &add));
	session_start(_metadata, &self->s);
	for (i = 0; i < 2; i++) {
		ASSERT_EQ(0, fire("seq task 100 self 0"));
		ASSERT_EQ(0, fire("seq hardirq 50 self 0"));
	}
	session_stop(_metadata, &self->s);
	n = read_counts(_metadata, &self->s, 0, cpu, 8);
	ASSERT_EQ(1, read_chains(_metadata, &self->s, 0, &r));
	ASSERT_EQ(1, n);
	EXPECT_EQ(200, entries[0].base.count);
	EXPECT_EQ(100, r.dropped);
	stats = session_stats(_metadata, &self->s, 0, cpu);
	EXPECT_EQ(200, stats.recorded);
	EXPECT_EQ(100, stats.lost[KTRACE_LOST_NO_SLOT]);
}

/* Contexts interrupt each other while they store chains in the same table. */
TEST_F_TIMEOUT(counting, chains_nest, 600)
{
	struct firing firings[] = {
		{ "seq task 20000 0" }, { "seq softirq 5000 0" }, { "seq hardirq 5000 0" },
		{ "seq nmi 400 0" }, { "seq task 20000 1" },
	};
	struct ktrace_count_part parts[] = {
		kernel_chain, user_chain, part_of(self->ctx, KTRACE_COUNT_NUMBER),
	};
	struct ktrace_chain_read r;
	unsigned int i, j, n, nr;

	session_add(_metadata, &self->s, "ktrace_test/seq", 0, 0);
	add_count(_metadata, &self->s, 0, 3, parts, 2000);
	session_start(_metadata, &self->s);
	for (i = 0; i < ARRAY_SIZE(firings); i++)
		ASSERT_EQ(0, pthread_create(&firings[i].thread, NULL, fire_thread, &firings[i]));
	for (i = 0; i < ARRAY_SIZE(firings); i++)
		pthread_join(firings[i].thread, NULL);
	session_stop(_metadata, &self->s);
	nr = read_chains(_metadata, &self->s, 0, &r);
	for (i = 0; i < 2; i++) {
		struct ktrace_stats stats = session_stats(_metadata, &self->s, 0, i);

		n = read_counts(_metadata, &self->s, 0, i, 24);
		for (j = 0; j < n; j++) {
			find_chain(_metadata, nr, entries[j].key[0]);
			if (entries[j].key[1])
				find_chain(_metadata, nr, entries[j].key[1]);
		}
		EXPECT_EQ(stats.recorded, sum_counts(n));
		EXPECT_EQ(emitted(_metadata, "seq", i, NULL), stats.recorded + stats_lost(&stats));
	}
}

/* class_a starts latencies that class_b ends, which is counted by parts of class_a. */
static int add_started(struct __test_metadata *_metadata, struct session *s, bool bad)
{
	struct ktrace_count_part seq =
		part_of(event_field(_metadata, "ktrace_test/class_a", "seq"), KTRACE_COUNT_NUMBER);
	struct ktrace_count_part starts[] = { seq, kernel_chain, seq }, ends[3];
	struct ktrace_count_add start = count_init(0, 3, starts), end = count_init(1, 2, ends);

	starts[2].form = KTRACE_COUNT_LOG2;
	ends[0] = seq;
	ends[1] = starts[2];
	ends[1].src = KTRACE_COUNT_SRC_START;
	ends[1].offset = bad ? 1 : 2;
	session_add(_metadata, s, "ktrace_test/class_a", 0, 0);
	session_add(_metadata, s, "ktrace_test/class_b", 1, 0);
	start.role = KTRACE_COUNT_START;
	start.nr_pair = 1;
	EXPECT_EQ(0, CALL(s->fd, COUNT_ADD, &start));
	EXPECT_EQ(24, start.key_bytes);
	ends[2] = kernel_chain;
	ends[2].src = KTRACE_COUNT_SRC_START;
	ends[2].offset = 1;
	end.nr_parts = 3;
	end.role = KTRACE_COUNT_END;
	end.nr_pair = 1;
	end.value = latency;
	return CALL(s->fd, COUNT_ADD, &end);
}

TEST_F(counting, parts_of_the_start)
{
	struct session *s = &self->s;
	struct ktrace_count_read r = { .size = sizeof(r), .cpu = self->cpus[0] };
	struct ktrace_chain_read chain_read;
	unsigned int n, nr, i, open = 0;
	static char room[KTRACE_COUNT_READ_STARTS * (sizeof(struct ktrace_count_entry) + 24)];

	ASSERT_EQ(0, add_started(_metadata, s, false));
	session_start(_metadata, s);
	ASSERT_EQ(0, fire("class_a task 100 self 0"));
	ASSERT_EQ(0, fire("class_b task 64 self 0"));
	session_stop(_metadata, s);
	n = read_counts(_metadata, s, 1, self->cpus[0], 16);
	nr = read_chains(_metadata, s, 1, &chain_read);
	EXPECT_EQ(64, sum_counts(n));
	EXPECT_EQ(32, find(_metadata, n, 6)->base.count);
	EXPECT_EQ(1, find(_metadata, n, 0)->base.count);
	for (i = 0; i < n; i++)
		find_chain(_metadata, nr, entries[i].key[1]);

	/* Those without an END are still there, with all parts of the START. */
	r.entries = (uintptr_t)room;
	r.room = sizeof(room);
	while (r.position != KTRACE_COUNT_READ_END) {
		ASSERT_EQ(0, CALL(s->fd, COUNT_READ, &r));
		for (i = 0; i < r.nr; i++, open++) {
			const size_t size = sizeof(struct ktrace_count_entry) + 24;
			struct entry entry;

			memcpy(&entry, room + i * size, size);
			EXPECT_EQ(1, entry.base.count);
			EXPECT_LT(0, entry.base.sum);
			EXPECT_LE(64, entry.key[0]);
			EXPECT_GT(100, entry.key[0]);
			EXPECT_EQ(7, entry.key[2]);
			find_chain(_metadata, nr, entry.key[1]);
		}
	}
	EXPECT_EQ(36, open);
	r.position = 0;
	r.room--;
	EXPECT_EQ(-EINVAL, CALL(s->fd, COUNT_READ, &r));
}

TEST_F(counting, other_parts_of_the_start_are_refused)
{
	EXPECT_EQ(-EINVAL, add_started(_metadata, &self->s, true));
}

/* ---- refused requests ---------------------------------------------------------- */

static int add_part(struct session *s, struct ktrace_count_part part)
{
	struct ktrace_count_add add = count_init(0, 1, &part);

	return CALL(s->fd, COUNT_ADD, &add);
}

TEST_F(counting, a_fault_of_one_holds_up_nobody)
{
	struct ktrace_count_part part = part_of(self->seq, KTRACE_COUNT_NUMBER);
	struct ktrace_count_add count = count_init(1, 1, &part);
	struct ktrace_count_read counts = { .size = sizeof(counts), .cpu = self->cpus[0] };
	struct ktrace_describe describe = { .size = sizeof(describe), .bytes = 100 };
	struct ktrace_chain_read chains_of_one = { .size = sizeof(chains_of_one), .index = 2 };
	struct slow_memory slow;

	if (!slow_create(&slow))
		SKIP(return, "this kernel has no userfaultfd");
	session_add(_metadata, &self->s, "ktrace_test/seq", 0, 0);
	session_add(_metadata, &self->s, "ktrace_test/seq", 1, 0);
	session_add(_metadata, &self->s, "ktrace_test/seq", 2, 0);
	add_count(_metadata, &self->s, 2, 1, &kernel_chain, 100);
	count.parts = (uintptr_t)slow.page;
	others_go_on(_metadata, &self->s, &slow, KTRACE_IOC_COUNT_ADD, &count, "COUNT_ADD");
	describe.data = (uintptr_t)slow.page;
	others_go_on(_metadata, &self->s, &slow, KTRACE_IOC_DESCRIBE, &describe, "DESCRIBE");
	count = count_init(0, 1, &part);
	ASSERT_EQ(0, CALL(self->s.fd, COUNT_ADD, &count));
	session_start(_metadata, &self->s);
	ASSERT_EQ(0, fire("seq task 10 self 0"));
	session_stop(_metadata, &self->s);
	counts.entries = (uintptr_t)slow.page;
	counts.room = sysconf(_SC_PAGESIZE);
	others_go_on(_metadata, &self->s, &slow, KTRACE_IOC_COUNT_READ, &counts, "COUNT_READ");
	EXPECT_EQ(10, counts.nr);
	chains_of_one.entries = (uintptr_t)slow.page;
	chains_of_one.room = sysconf(_SC_PAGESIZE);
	others_go_on(_metadata, &self->s, &slow, KTRACE_IOC_CHAIN_READ, &chains_of_one, "CHAIN_READ");
	EXPECT_LT(0, chains_of_one.nr);
	close(slow.fd);
}

TEST_F(counting, refused_parts)
{
	struct ktrace_count_part good = part_of(self->seq, KTRACE_COUNT_NUMBER), part;
	struct session *s = &self->s;

#define REFUSED(member, value)						\
	do {								\
		part = good;						\
		part.member = (value);					\
		EXPECT_EQ(-EINVAL, add_part(s, part)) {			\
			TH_LOG(#member " = " #value);			\
		}							\
	} while (0)
	session_add(_metadata, s, "ktrace_test/seq", 0, 0);
	REFUSED(src, 0);
	REFUSED(src, 6);
	REFUSED(src, KTRACE_COUNT_SRC_LATENCY);
	REFUSED(src, KTRACE_COUNT_SRC_DATA_LOC);
	REFUSED(form, 0);
	REFUSED(form, 4);
	REFUSED(flags, 2);
	REFUSED(reserved, 1);
	REFUSED(reserved2, 1);
	REFUSED(offset, 65536);
	REFUSED(width, 0);
	REFUSED(width, 3);
	REFUSED(width, 16);
	REFUSED(src, KTRACE_COUNT_SRC_START);
	good = kernel_chain;
	REFUSED(form, KTRACE_COUNT_NUMBER);
	REFUSED(form, KTRACE_COUNT_LOG2);
	REFUSED(flags, KTRACE_COUNT_SIGNED);
	REFUSED(offset, 1);
	REFUSED(width, 16);
	REFUSED(src, KTRACE_COUNT_SRC_RECORD);
	REFUSED(src, KTRACE_COUNT_SRC_FIELD);
	REFUSED(src, KTRACE_COUNT_SRC_START);
	good = common_part(KTRACE_FIELD_COMM, KTRACE_COUNT_TEXT);
	REFUSED(form, KTRACE_COUNT_NUMBER);
	REFUSED(width, 8);
	REFUSED(offset, KTRACE_FIELD_TGID);
	REFUSED(offset, 60000);
	good = common_part(KTRACE_FIELD_TGID, KTRACE_COUNT_NUMBER);
	REFUSED(offset, KTRACE_FIELD_SEQ);
	REFUSED(offset, KTRACE_FIELD_COMM);
	good = part_of(self->seq, KTRACE_COUNT_TEXT);
	REFUSED(width, KTRACE_COUNT_MAX_KEY + 1);
	REFUSED(flags, KTRACE_COUNT_SIGNED);
	EXPECT_EQ(0, add_part(s, good));
	EXPECT_EQ(-EEXIST, add_part(s, good));
#undef REFUSED
}

TEST_F(counting, refused)
{
	struct ktrace_count_part parts[KTRACE_COUNT_MAX_PARTS + 1];
	struct ktrace_count_read r = { .size = sizeof(r) };
	struct ktrace_chain_read chain_read = { .size = sizeof(chain_read) };
	struct ktrace_count_add good, add;
	struct session *s = &self->s;
	unsigned int i;

#define REFUSED(member, value)						\
	do {								\
		add = good;						\
		add.member = (value);					\
		EXPECT_EQ(-EINVAL, CALL(s->fd, COUNT_ADD, &add)) {	\
			TH_LOG(#member " = " #value);			\
		}							\
	} while (0)
	for (i = 0; i < ARRAY_SIZE(parts); i++)
		parts[i] = part_of(self->seq, KTRACE_COUNT_NUMBER);
	good = count_init(0, 1, parts);
	session_add(_metadata, s, "ktrace_test/seq", 0, 0);
	REFUSED(index, 1);
	REFUSED(role, 3);
	REFUSED(role, KTRACE_COUNT_END);
	REFUSED(start, 1);
	REFUSED(nr_pair, 1);
	REFUSED(entries, 0);
	REFUSED(entries, KTRACE_COUNT_MAX_ENTRIES + 1);
	REFUSED(nr_parts, KTRACE_COUNT_MAX_PARTS + 1);
	REFUSED(nr_parts, 0);
	REFUSED(parts, 0);
	REFUSED(value.width, 8);
	REFUSED(value, latency);
	add = good;
	add.parts = 8;
	EXPECT_EQ(-EFAULT, CALL(s->fd, COUNT_ADD, &add));
	/* An event that is not counted has no counts. */
	EXPECT_EQ(-EINVAL, CALL(s->fd, COUNT_READ, &r));
	EXPECT_EQ(0, CALL(s->fd, COUNT_ADD, &good));
	/* No room for an entry; no such CPU, no such event. */
	EXPECT_EQ(-EINVAL, CALL(s->fd, COUNT_READ, &r));
	/* Its keys have no chains. */
	EXPECT_EQ(-EINVAL, CALL(s->fd, CHAIN_READ, &chain_read));
	r.cpu = 100000;
	EXPECT_EQ(-EINVAL, CALL(s->fd, COUNT_READ, &r));
	r.cpu = 0;
	r.index = 1;
	EXPECT_EQ(-EINVAL, CALL(s->fd, COUNT_READ, &r));
	session_start(_metadata, s);
	add = good;
	EXPECT_EQ(-EBUSY, CALL(s->fd, COUNT_ADD, &add));
	session_stop(_metadata, s);
	EXPECT_EQ(-EBUSY, CALL(s->fd, COUNT_ADD, &add));
#undef REFUSED
}

TEST_HARNESS_MAIN
