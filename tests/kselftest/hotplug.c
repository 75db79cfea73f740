// SPDX-License-Identifier: GPL-2.0
/*
 * CPUs that go offline and come online during a session.  The records of a CPU remain, and once the
 * CPU is back, its events are captured.  While it comes or goes, template probes count each firing
 * as recorded or lost.  Counters do not exist then, so for them only the firings in between can be
 * added up.
 */
#include <pthread.h>

#include "selftest.h"

static int set_online(unsigned int cpu, bool online)
{
	char path[128];

	snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%u/online", cpu);
	return write_file(path, online ? "1" : "0");
}

FIXTURE(hotplug) {
	struct session s;
	unsigned int stays, cpu;	/* `cpu` goes offline, `stays` does not */
	uint64_t pos, time;		/* the end of the read part of that ring, and its time */
};

#define NEED_ANOTHER_CPU(self)							\
	do {									\
		if ((self)->cpu == (self)->stays || set_online((self)->cpu, true)) \
			SKIP(return, "no CPU of this machine can go offline");	\
	} while (0)

FIXTURE_SETUP(hotplug)
{
	unsigned int cpus[2];

	NEED_KTEST();
	session_open(_metadata, &self->s, NULL);
	two_cpus(&self->s, cpus);
	session_close(&self->s);
	memset(&self->s, 0, sizeof(self->s));
	self->s.fd = -1;
	self->stays = cpus[0];
	self->cpu = cpus[1];
	fire_reset(_metadata);
	pin_to(_metadata, self->stays);
}

FIXTURE_TEARDOWN(hotplug)
{
	set_online(self->cpu, true);
	session_close(&self->s);
}

static void open_with(struct __test_metadata *_metadata, FIXTURE_DATA(hotplug) *self,
		      uint32_t flags)
{
	struct ktrace_setup setup = SETUP_INIT;

	setup.flags = flags;
	session_open(_metadata, &self->s, &setup);
	session_add(_metadata, &self->s, "ktrace_test/seq", 0, 0);
}

static uint64_t accounted(struct __test_metadata *_metadata, FIXTURE_DATA(hotplug) *self,
			  unsigned int cpu)
{
	struct ktrace_stats stats = session_stats(_metadata, &self->s, 0, cpu);

	return stats.recorded + stats.filtered + stats.out_of_scope + stats_lost(&stats);
}

/* Counters come back a moment after their CPU does. */
static void wait_until_captured(struct __test_metadata *_metadata, FIXTURE_DATA(hotplug) *self)
{
	uint64_t before = accounted(_metadata, self, self->cpu);

	do {
		ASSERT_EQ(0, fire("seq task 1 %u", self->cpu));
		sleep_ms(1);
	} while (accounted(_metadata, self, self->cpu) == before);
}

/* Fires in every context, and checks that the ledger has all firings. */
static void fire_and_check(struct __test_metadata *_metadata, FIXTURE_DATA(hotplug) *self)
{
	static const char * const contexts[] = { "task", "softirq", "hardirq", "irq_work", "nmi" };
	uint64_t before = accounted(_metadata, self, self->cpu);
	uint64_t fired = emitted(_metadata, "seq", self->cpu, NULL);
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(contexts); i++) {
		int err = fire("seq %s 20 %u", contexts[i], self->cpu);

		ASSERT_TRUE(!err || err == -EOPNOTSUPP);
	}
	fired = emitted(_metadata, "seq", self->cpu, NULL) - fired;
	EXPECT_LE(80, fired);
	EXPECT_EQ(fired, accounted(_metadata, self, self->cpu) - before);
}

/* Checks the sum of the whole session for the CPU that came or went. */
static void check_sum(struct __test_metadata *_metadata, FIXTURE_DATA(hotplug) *self)
{
	uint64_t fired = emitted(_metadata, "seq", self->cpu, NULL);

	if (wants_templates()) {
		EXPECT_EQ(fired, accounted(_metadata, self, self->cpu));
	} else {
		EXPECT_GE(fired, accounted(_metadata, self, self->cpu));
	}
	EXPECT_EQ(emitted(_metadata, "seq", self->stays, NULL),
		  accounted(_metadata, self, self->stays));
}

/* Reads the new records in the ring of the CPU, and returns the number of the event's samples. */
static uint64_t read_ring(struct __test_metadata *_metadata, FIXTURE_DATA(hotplug) *self)
{
	struct ring *ring = &self->s.ring[self->cpu];
	const struct perf_event_header *header;
	uint64_t head = ring_head(ring), nr = 0;

	while ((header = ring_next(_metadata, ring, &self->pos, head))) {
		const struct sample *sample = (const void *)header;

		if (header->type != PERF_RECORD_SAMPLE)
			continue;
		ASSERT_EQ(self->cpu, sample->cpu);
		ASSERT_LE(self->time, sample->time);
		self->time = sample->time;
		nr += sample->id == KTRACE_ID_BASE;
	}
	ring_consume(ring, head);
	return nr;
}

TEST_F_TIMEOUT(hotplug, goes_and_comes_back, 120)
{
	struct pollfd pfd = { .events = POLLIN };
	uint64_t read;

	NEED_ANOTHER_CPU(self);
	open_with(_metadata, self, 0);
	session_start(_metadata, &self->s);
	fire_and_check(_metadata, self);
	ASSERT_EQ(0, set_online(self->cpu, false));

	read = read_ring(_metadata, self);
	EXPECT_EQ(accounted(_metadata, self, self->cpu), read);
	check_sum(_metadata, self);
	ASSERT_EQ(0, fire("seq task 10"));
	check_sum(_metadata, self);

	ASSERT_EQ(0, set_online(self->cpu, true));
	wait_until_captured(_metadata, self);
	fire_and_check(_metadata, self);
	ASSERT_EQ(0, set_online(self->cpu, false));
	/* The session stops and is read while the CPU is offline. */
	session_stop(_metadata, &self->s);
	pfd.fd = self->s.fd;
	EXPECT_EQ(1, poll(&pfd, 1, 0));
	read += read_ring(_metadata, self);
	EXPECT_EQ(accounted(_metadata, self, self->cpu), read);
	check_sum(_metadata, self);
}

TEST_F_TIMEOUT(hotplug, comes_to_a_session, 120)
{
	uint64_t read;

	NEED_ANOTHER_CPU(self);
	ASSERT_EQ(0, set_online(self->cpu, false));
	open_with(_metadata, self, KTRACE_SETUP_HOTPLUG);
	ASSERT_NE(NULL, self->s.ring[self->cpu].data);
	session_start(_metadata, &self->s);
	EXPECT_EQ(0, accounted(_metadata, self, self->cpu));
	ASSERT_EQ(0, set_online(self->cpu, true));
	wait_until_captured(_metadata, self);
	fire_and_check(_metadata, self);
	session_stop(_metadata, &self->s);
	read = read_ring(_metadata, self);
	EXPECT_LE(80, read);
	EXPECT_EQ(accounted(_metadata, self, self->cpu), read);
	check_sum(_metadata, self);
}

/* Between EVENT_ADD and START nothing is captured, with the CPU online or offline. */
TEST_F_TIMEOUT(hotplug, comes_before_the_start, 120)
{
	NEED_ANOTHER_CPU(self);
	open_with(_metadata, self, 0);
	ASSERT_EQ(0, set_online(self->cpu, false));
	ASSERT_EQ(0, set_online(self->cpu, true));
	ASSERT_EQ(0, fire("seq task 10 %u", self->cpu));
	EXPECT_EQ(0, accounted(_metadata, self, self->cpu));
	fire_reset(_metadata);
	session_start(_metadata, &self->s);
	wait_until_captured(_metadata, self);
	fire_and_check(_metadata, self);
	session_stop(_metadata, &self->s);
	ASSERT_EQ(0, set_online(self->cpu, false));
	ASSERT_EQ(0, set_online(self->cpu, true));
	fire_reset(_metadata);
	EXPECT_EQ(read_ring(_metadata, self), accounted(_metadata, self, self->cpu));
	ASSERT_EQ(0, fire("seq task 10 %u", self->cpu));
	EXPECT_EQ(0, read_ring(_metadata, self));
}

static int setup_for(unsigned int cpu, uint32_t flags)
{
	uint64_t mask[MAX_CPUS / 64] = { 0 };
	struct ktrace_setup setup = SETUP_INIT;
	int fd = open(KTRACE_DEVICE, O_RDWR | O_CLOEXEC), err;

	mask[cpu / 64] = 1ULL << cpu % 64;
	setup.cpus = (uintptr_t)mask;
	setup.cpus_bytes = sizeof(mask);
	setup.flags = flags;
	err = CALL(fd, SETUP, &setup);
	close(fd);
	return err;
}

TEST_F(hotplug, is_asked_for)
{
	struct ktrace_stats stats = STATS_INIT;

	NEED_ANOTHER_CPU(self);
	ASSERT_EQ(0, set_online(self->cpu, false));
	EXPECT_EQ(-EINVAL, setup_for(self->cpu, 0));
	EXPECT_EQ(0, setup_for(self->cpu, KTRACE_SETUP_HOTPLUG));
	open_with(_metadata, self, 0);
	EXPECT_EQ(NULL, self->s.ring[self->cpu].data);
	stats.cpu = self->cpu;
	EXPECT_EQ(-EINVAL, CALL(self->s.fd, STATS, &stats));
	/* Nor does such a session use the CPU when it comes online. */
	session_start(_metadata, &self->s);
	ASSERT_EQ(0, set_online(self->cpu, true));
	ASSERT_EQ(0, fire("seq task 10 %u", self->cpu));
	session_stop(_metadata, &self->s);
	EXPECT_EQ(-EINVAL, CALL(self->s.fd, STATS, &stats));
}

TEST_F_TIMEOUT(hotplug, snapshot_of_one_that_is_gone, 120)
{
	struct ktrace_snapshot snapshot = { .size = sizeof(snapshot) };
	const struct ktrace_ring_meta *meta;
	struct ktrace_stats stats = STATS_INIT;
	uint64_t gone, before;

	NEED_ANOTHER_CPU(self);
	open_with(_metadata, self, KTRACE_SETUP_OVERWRITE);
	meta = self->s.ring[self->cpu].meta;
	session_start(_metadata, &self->s);
	fire_and_check(_metadata, self);
	ASSERT_EQ(0, set_online(self->cpu, false));
	gone = accounted(_metadata, self, self->cpu);
	ASSERT_EQ(0, CALL(self->s.fd, SNAPSHOT, &snapshot));
	EXPECT_EQ(ring_head(&self->s.ring[self->cpu]), meta->snapshot_head);
	stats.cpu = self->cpu;
	ASSERT_EQ(0, CALL(self->s.fd, SNAPSHOT_STATS, &stats));
	EXPECT_EQ(gone, stats.recorded);
	before = meta->snapshot_head;
	ASSERT_EQ(0, set_online(self->cpu, true));
	wait_until_captured(_metadata, self);
	fire_and_check(_metadata, self);
	ASSERT_EQ(0, CALL(self->s.fd, SNAPSHOT, &snapshot));
	EXPECT_LT(before, meta->snapshot_head);
	session_stop(_metadata, &self->s);
	check_sum(_metadata, self);
}

/* ---- a storm ---------------------------------------------------------------- */

static volatile bool over;

/* An order to fire on a CPU that is about to go offline is refused. */
static void *fire_until_over(void *order)
{
	while (!over)
		if (fire("%s", (const char *)order))
			sleep_ms(1);
	return NULL;
}

static void *snapshot_until_over(void *fd)
{
	struct ktrace_snapshot snapshot = { .size = sizeof(snapshot) };
	struct ktrace_mark mark = { .size = sizeof(mark) };

	while (!over) {
		CALL(*(int *)fd, SNAPSHOT, &snapshot);
		CALL(*(int *)fd, MARK, &mark);
	}
	return NULL;
}

static void *open_and_close_until_over(void *unused)
{
	while (!over) {
		struct ktrace_event_add add = event_add_init(event_id("ktrace_test/ints"), 0);
		struct ktrace_setup setup = SETUP_INIT;
		int fd = open(KTRACE_DEVICE, O_RDWR | O_CLOEXEC);

		setup.flags = KTRACE_SETUP_HOTPLUG;
		if (!CALL(fd, SETUP, &setup) && !event_add(fd, "ktrace_test/ints", &add))
			CALL(fd, START, 0);
		close(fd);
	}
	return NULL;
}

TEST_F_TIMEOUT(hotplug, storm, 600)
{
	static const char * const orders[] = {
		"seq task 500 all", "seq softirq 200 all", "seq hardirq 200 all",
	};
	struct effort effort;
	pthread_t threads[ARRAY_SIZE(orders) + 2];
	unsigned int i;

	NEED_ANOTHER_CPU(self);
	open_with(_metadata, self, KTRACE_SETUP_TRACE_SELF);
	session_add(_metadata, &self->s, "sched/sched_switch", 1, 0xff);
	session_start(_metadata, &self->s);
	over = false;
	for (i = 0; i < ARRAY_SIZE(orders); i++)
		ASSERT_EQ(0, pthread_create(&threads[i], NULL, fire_until_over,
					    (void *)orders[i]));
	ASSERT_EQ(0, pthread_create(&threads[i++], NULL, snapshot_until_over, &self->s.fd));
	ASSERT_EQ(0, pthread_create(&threads[i++], NULL, open_and_close_until_over, NULL));
	/* On a busy machine everything could be over before a thread has begun. */
	while (!emitted(_metadata, "seq", self->cpu, NULL))
		sleep_ms(1);
	effort = effort_begin(5, 300);
	while (effort_next(&effort)) {
		ASSERT_EQ(0, set_online(self->cpu, false));
		sleep_ms(effort.done % 3);
		ASSERT_EQ(0, set_online(self->cpu, true));
		sleep_ms(effort.done % 5);
		read_ring(_metadata, self);
	}
	LOG_EFFORT(&effort);
	over = true;
	while (i--)
		pthread_join(threads[i], NULL);
	wait_until_captured(_metadata, self);
	fire_and_check(_metadata, self);
	session_stop(_metadata, &self->s);
	EXPECT_LT(0, accounted(_metadata, self, self->cpu));
	check_sum(_metadata, self);
}

TEST_HARNESS_MAIN
