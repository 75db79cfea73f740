// SPDX-License-Identifier: GPL-2.0
/* Everything that can happen to a session happens at once, again and again. */
#include <pthread.h>

#include "selftest.h"

FIXTURE(storm) {
	struct session s;
	unsigned int cpus[2];
};

FIXTURE_SETUP(storm)
{
	struct ktrace_setup setup = SETUP_INIT;

	NEED_KTEST();
	setup.flags = KTRACE_SETUP_TRACE_SELF;
	setup.pages = 4;
	session_open(_metadata, &self->s, &setup);
	two_cpus(&self->s, self->cpus);
	fire_reset(_metadata);
}

FIXTURE_TEARDOWN(storm)
{
	session_close(&self->s);
}

static volatile bool over;

static void *fire_until_over(void *order)
{
	while (!over)
		if (fire("%s", (const char *)order))
			break;
	return NULL;
}

static const char * const orders[] = {
	"seq task 500 all", "seq softirq 200 all", "seq hardirq 200 all", "seq nmi 8 0",
};

static void fire_begin(struct __test_metadata *_metadata, pthread_t *threads)
{
	unsigned int i;

	over = false;
	for (i = 0; i < ARRAY_SIZE(orders); i++)
		ASSERT_EQ(0, pthread_create(&threads[i], NULL, fire_until_over, (void *)orders[i]));
}

/* On a busy machine everything could be over before a thread has begun. */
static void wait_for_fire(struct __test_metadata *_metadata, const unsigned int cpus[2])
{
	unsigned int i;

	for (i = 0; i < 2; i++)
		while (!emitted(_metadata, "seq", cpus[i], NULL))
			sleep_ms(1);
}

static void fire_end(pthread_t *threads)
{
	unsigned int i;

	over = true;
	for (i = 0; i < ARRAY_SIZE(orders); i++)
		pthread_join(threads[i], NULL);
}

/* With any reader, each firing is stored or counted as lost. */
static void check_sum(struct __test_metadata *_metadata, struct session *s, unsigned int cpu,
		      const char *event, unsigned int index)
{
	struct ktrace_stats stats = session_stats(_metadata, s, index, cpu);

	EXPECT_EQ(emitted(_metadata, event, cpu, NULL),
		  stats.recorded + stats.filtered + stats.out_of_scope + stats_lost(&stats)) {
		TH_LOG("CPU %u: %llu recorded, %llu lost", cpu, stats.recorded,
		       (unsigned long long)stats_lost(&stats));
	}
	EXPECT_LT(0, stats.recorded);
}

/* The tail changes while the writer uses it.  The reader can change nothing else. */
TEST_F_TIMEOUT(storm, a_reader_that_scribbles, 600)
{
	pthread_t threads[ARRAY_SIZE(orders)];
	unsigned int seed = 1, i;
	struct effort effort;

	session_add(_metadata, &self->s, "ktrace_test/seq", 0, 0xff);
	session_start(_metadata, &self->s);
	ASSERT_EQ(0, fire("seq task 10 all"));
	fire_begin(_metadata, threads);
	effort = effort_begin(20000, 2000000);
	while (effort_next(&effort)) {
		struct ring *ring = &self->s.ring[self->cpus[effort.done % 2]];
		uint64_t head = ring_head(ring);

		/* We let others run, as there may be only one CPU. */
		if (effort.done % 1000 == 0)
			sleep_ms(1);
		switch (rand_r(&seed) % 8) {
		case 0:
			ring_consume(ring, (uint64_t)rand_r(&seed) << 33 | rand_r(&seed));
			break;
		case 1:
			ring_consume(ring, head + rand_r(&seed) % 65536);
			break;
		case 2:
			ring_consume(ring, head - rand_r(&seed) % 65536);
			break;
		case 3:
			if (effort.done % 64 == 0) {
				EXPECT_EQ(-1, mprotect((void *)ring->data, ring->size,
						       PROT_READ | PROT_WRITE));
				EXPECT_EQ(-1, mprotect((void *)ring->meta, self->s.page,
						       PROT_READ | PROT_WRITE));
			}
			break;
		default:
			ring_consume(ring, head);
			break;
		}
	}
	LOG_EFFORT(&effort);
	fire_end(threads);
	session_stop(_metadata, &self->s);
	for (i = 0; i < 1 + (self->cpus[0] != self->cpus[1]); i++)
		check_sum(_metadata, &self->s, self->cpus[i], "seq", 0);
}

/* The reader never empties the rings. */
TEST_F_TIMEOUT(storm, a_reader_that_stopped, 600)
{
	pthread_t threads[ARRAY_SIZE(orders)];
	struct ktrace_stats stats;
	unsigned int i;

	session_add(_metadata, &self->s, "ktrace_test/seq", 0, 0);
	session_start(_metadata, &self->s);
	fire_begin(_metadata, threads);
	for (i = 0; i < 2; i++)
		wait_for_loss(_metadata, &self->s, 0, self->cpus[i]);
	sleep_ms(scale(200, 20000));
	fire_end(threads);
	session_stop(_metadata, &self->s);
	for (i = 0; i < 1 + (self->cpus[0] != self->cpus[1]); i++) {
		check_sum(_metadata, &self->s, self->cpus[i], "seq", 0);
		stats = session_stats(_metadata, &self->s, 0, self->cpus[i]);
		EXPECT_LT(0, stats_unplaced(&stats));
	}
}

/*
 * NMIs interrupt everything.  Two sessions see the same NMIs, one of them with rings that
 * are always full.
 */
TEST_F_TIMEOUT(storm, nmi_backtraces, 600)
{
	struct ktrace_setup setup = SETUP_INIT;
	pthread_t threads[ARRAY_SIZE(orders)];
	struct ktrace_stats stats, all;
	struct effort effort;
	uint64_t nmis = 0;
	struct session s;
	unsigned int cpu;

	if (event_id("nmi/nmi_handler") < 0)
		SKIP(return, "this kernel has no event nmi:nmi_handler");
	if (access("/proc/sysrq-trigger", W_OK))
		SKIP(return, "this kernel has no sysrq");
	setup.flags = KTRACE_SETUP_TRACE_SELF;
	setup.pages = 1024;
	session_open(_metadata, &s, &setup);
	session_add(_metadata, &s, "nmi/nmi_handler", 0, 0xff);
	session_add(_metadata, &self->s, "nmi/nmi_handler", 0, 0xff);
	session_add(_metadata, &self->s, "ktrace_test/seq", 1, 0xff);
	session_start(_metadata, &s);
	session_start(_metadata, &self->s);
	fire_reset(_metadata);
	over = false;
	ASSERT_EQ(0, pthread_create(&threads[0], NULL, fire_until_over, (void *)orders[0]));
	ASSERT_EQ(0, pthread_create(&threads[1], NULL, fire_until_over, (void *)orders[2]));
	wait_for_fire(_metadata, self->cpus);
	effort = effort_begin(3, 100);
	while (effort_next(&effort))
		if (write_file("/proc/sysrq-trigger", "l"))
			break;
	LOG_EFFORT(&effort);
	over = true;
	pthread_join(threads[0], NULL);
	pthread_join(threads[1], NULL);
	session_stop(_metadata, &self->s);
	session_stop(_metadata, &s);
	for (cpu = 0; cpu < self->s.nr_cpus; cpu++) {
		if (!self->s.ring[cpu].data)
			continue;
		check_sum(_metadata, &self->s, cpu, "seq", 1);
		stats = session_stats(_metadata, &self->s, 0, cpu);
		all = session_stats(_metadata, &s, 0, cpu);
		EXPECT_EQ(0, stats_lost(&all));
		EXPECT_EQ(all.recorded, stats.recorded + stats_lost(&stats));
		nmis += all.recorded;
	}
	TH_LOG("%llu NMIs", (unsigned long long)nmis);
	EXPECT_LT(0, nmis);
	session_close(&s);
}

/* Processes have threads that end as soon as they begin. */
static void *end_at_once(void *arg)
{
	return NULL;
}

static void end_with_threads(void)
{
	pthread_t threads[2];
	int i;

	for (i = 0; i < 2; i++)
		if (pthread_create(&threads[i], NULL, end_at_once, NULL))
			_exit(1);
	/* One thread ends before the process, the other with it. */
	_exit(!!pthread_join(threads[0], NULL));
}

/* Makes 8 processes in each round. */
static int fork_many(struct effort *effort)
{
	int status, failed = 0, i;
	pid_t pid;

	while (effort_next(effort)) {
		for (i = 0; i < 8; i++) {
			pid = fork();
			if (!pid)
				end_with_threads();
			failed |= pid < 0;
		}
		while (wait(&status) > 0)
			failed |= !!status;
	}
	return failed;
}

TEST_F_TIMEOUT(storm, exits_of_children_followed, 600)
{
	static const char * const events[] = {
		"sched/sched_process_exit", "sched/sched_process_free", "sched/sched_switch",
		"sched/sched_process_fork",
	};
	struct ktrace_task_add task = { .size = sizeof(task), .flags = KTRACE_TASK_INHERIT };
	uint64_t seen[ARRAY_SIZE(events)] = { 0 };
	struct ktrace_stats stats;
	struct effort *effort;
	unsigned int i, cpu;
	int status, go[2];
	char c;

	effort = mmap(NULL, sizeof(*effort), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
		      -1, 0);
	ASSERT_NE(MAP_FAILED, effort);
	ASSERT_EQ(0, pipe(go));
	task.pid = fork();
	ASSERT_GE(task.pid, 0);
	if (!task.pid) {
		if (read(go[0], &c, 1) != 1)
			_exit(1);
		*effort = effort_begin(25, 2500);
		_exit(fork_many(effort));
	}
	for (i = 0; i < ARRAY_SIZE(events); i++)
		session_add(_metadata, &self->s, events[i], i, 0xff);
	ASSERT_EQ(0, CALL(self->s.fd, TASK_ADD, &task));
	session_start(_metadata, &self->s);
	ASSERT_EQ(1, write(go[1], "g", 1));
	ASSERT_EQ(task.pid, waitpid(task.pid, &status, 0));
	ASSERT_EQ(0, status);
	session_stop(_metadata, &self->s);
	LOG_EFFORT(effort);
	for (i = 0; i < ARRAY_SIZE(events); i++) {
		for (cpu = 0; cpu < self->s.nr_cpus; cpu++) {
			if (!self->s.ring[cpu].data)
				continue;
			stats = session_stats(_metadata, &self->s, i, cpu);
			seen[i] += stats.recorded + stats_lost(&stats);
		}
	}
	/* Each process has a leader and two threads, and all have one parent. */
	EXPECT_EQ(3 * 8 * effort->done + 1, seen[0]);
	EXPECT_EQ(3 * 8 * effort->done, seen[3]);
	munmap(effort, sizeof(*effort));
	close(go[0]);
	close(go[1]);
}

TEST_HARNESS_MAIN
