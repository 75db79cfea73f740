// SPDX-License-Identifier: GPL-2.0
/*
 * Threads that the kernel creates for a process without fork() or clone(): the workers of
 * io_uring, and of vhost from Linux 6.4 on.  They belong to the process: a session that
 * records it with its children records them, too, as perf does.
 */
#include <dirent.h>
#include <linux/io_uring.h>
#include <linux/vhost.h>

#include "selftest.h"

#define ROUNDS 40

/* A process that waits first, and creates a worker on command. */
struct user {
	pid_t pid;
	int to, from;
};

/*
 * Finds the thread of this process whose name begins with @name, once it sleeps; 0: there
 * is none.
 */
static pid_t sleeping_thread(const char *name)
{
	struct dirent *entry;
	pid_t found = 0;
	DIR *dir = opendir("/proc/self/task");

	while (dir && !found && (entry = readdir(dir))) {
		char path[300], comm[64];

		snprintf(path, sizeof(path), "/proc/self/task/%s/comm", entry->d_name);
		if (entry->d_name[0] == '.' || read_file(path, comm, sizeof(comm)) <= 0 ||
		    strncmp(comm, name, strlen(name)))
			continue;
		found = atoi(entry->d_name);
		if (wait_until_asleep(found))
			_exit(1);
	}
	if (dir)
		closedir(dir);
	return found;
}

/* ---- io_uring --------------------------------------------------------------- */

struct uring {
	int fd;
	struct io_uring_params params;
	char *rings;
	struct io_uring_sqe *sqes;
};

static unsigned int *word(const struct uring *u, unsigned int offset)
{
	return (unsigned int *)(u->rings + offset);
}

static bool uring_open(struct uring *u)
{
	u->fd = syscall(SYS_io_uring_setup, 4, &u->params);
	if (u->fd < 0)
		return false;
	u->rings = mmap(NULL, u->params.cq_off.cqes +
			u->params.cq_entries * sizeof(struct io_uring_cqe),
			PROT_READ | PROT_WRITE, MAP_SHARED, u->fd, IORING_OFF_SQ_RING);
	u->sqes = mmap(NULL, u->params.sq_entries * sizeof(*u->sqes), PROT_READ | PROT_WRITE,
		       MAP_SHARED, u->fd, IORING_OFF_SQES);
	return u->rings != MAP_FAILED && u->sqes != MAP_FAILED;
}

/* Makes a worker do nothing, and waits until that is done. */
static bool uring_work(struct uring *u)
{
	unsigned int *tail = word(u, u->params.sq_off.tail);
	unsigned int *head = word(u, u->params.cq_off.head);
	unsigned int at = *tail & *word(u, u->params.sq_off.ring_mask);

	u->sqes[at] = (struct io_uring_sqe){ .opcode = IORING_OP_NOP, .flags = IOSQE_ASYNC };
	word(u, u->params.sq_off.array)[at] = at;
	__atomic_store_n(tail, *tail + 1, __ATOMIC_RELEASE);
	if (syscall(SYS_io_uring_enter, u->fd, 1, 1, IORING_ENTER_GETEVENTS, NULL, 0) != 1)
		return false;
	__atomic_store_n(head, *head + 1, __ATOMIC_RELEASE);
	return true;
}

/* Its worker goes to sleep ROUNDS times. */
static pid_t use_uring(void)
{
	static struct uring u;
	pid_t tid = 0;
	int i;

	if (!uring_open(&u))
		return 0;
	for (i = 0; i < ROUNDS; i++) {
		/* We submit one request at a time, so that one worker serves them all. */
		if (!uring_work(&u))
			_exit(2);
		tid = sleeping_thread("iou-wrk-");
		if (!tid)
			_exit(3);
	}
	return tid;
}

/* ---- vhost ------------------------------------------------------------------ */

static pid_t use_vhost(void)
{
	int fd = open("/dev/vhost-net", O_RDWR | O_CLOEXEC);

	if (fd < 0 || ioctl(fd, VHOST_SET_OWNER))
		return 0;
	return sleeping_thread("vhost-");
}

/* ---- tests ------------------------------------------------------------------ */

FIXTURE(threads) {
	struct session s;
	struct perf perf[MAX_CPUS];
	struct user user;
	struct field prev_pid;
	int config;
};

FIXTURE_VARIANT(threads) {
	pid_t (*use)(void);
	unsigned int at_least;		/* switches of the worker */
	const char *why_not;
};

FIXTURE_VARIANT_ADD(threads, of_io_uring) {
	.use = use_uring,
	.at_least = ROUNDS,
	.why_not = "this kernel has no io_uring",
};

FIXTURE_VARIANT_ADD(threads, of_vhost) {
	.use = use_vhost,
	.at_least = 1,
	.why_not = "this kernel has no vhost whose workers are threads of their process",
};

FIXTURE_SETUP(threads)
{
	int to[2], from[2];
	char byte;
	pid_t tid;

	ASSERT_EQ(0, pipe2(to, O_CLOEXEC));
	ASSERT_EQ(0, pipe2(from, O_CLOEXEC));
	/* The process is forked before the session, so it has none of its mappings. */
	self->user.pid = fork();
	ASSERT_GE(self->user.pid, 0);
	if (!self->user.pid) {
		close(to[1]);
		close(from[0]);
		if (read(to[0], &byte, 1) != 1)
			_exit(1);
		tid = variant->use();
		if (write(from[1], &tid, sizeof(tid)) != sizeof(tid))
			_exit(1);
		_exit(read(to[0], &byte, 1) != 1);
	}
	close(to[0]);
	close(from[1]);
	self->user.to = to[1];
	self->user.from = from[0];

	session_open(_metadata, &self->s, NULL);
	self->config = event_id("sched/sched_switch");
	self->prev_pid = event_field(_metadata, "sched/sched_switch", "prev_pid");
	session_add(_metadata, &self->s, "sched/sched_switch", 0, 0);
}

FIXTURE_TEARDOWN(threads)
{
	session_close(&self->s);
	close(self->user.to);
	close(self->user.from);
	waitpid(self->user.pid, NULL, 0);
}

/*
 * Makes the process use its worker, and records the worker's switches.  Returns its thread
 * id; 0: this kernel has no such worker.
 */
static pid_t record(struct __test_metadata *_metadata, FIXTURE_DATA(threads) *self,
		    unsigned int flags, uint64_t *end)
{
	struct ktrace_task_add task = { .size = sizeof(task), .pid = self->user.pid,
					.flags = flags };
	unsigned int cpu;
	pid_t tid;

	ASSERT_EQ(0, CALL(self->s.fd, TASK_ADD, &task));
	for (cpu = 0; cpu < self->s.nr_cpus; cpu++)
		if (self->s.ring[cpu].data)
			perf_open(_metadata, &self->perf[cpu], self->config, -1, cpu);
	session_start(_metadata, &self->s);
	ASSERT_EQ(1, write(self->user.to, "g", 1));
	ASSERT_EQ(sizeof(tid), read(self->user.from, &tid, sizeof(tid)));
	/* The worker sleeps from here on, until its process ends. */
	*end = session_time(_metadata, &self->s);
	session_stop(_metadata, &self->s);
	return tid;
}

static unsigned int count_ours(struct __test_metadata *_metadata, FIXTURE_DATA(threads) *self,
			       pid_t tid, uint64_t end)
{
	const struct sample *sample;
	unsigned int cpu, n = 0;

	for (cpu = 0; cpu < self->s.nr_cpus; cpu++) {
		struct ring *ring = &self->s.ring[cpu];
		uint64_t pos = 0;

		if (!ring->data)
			continue;
		while ((sample = (const void *)ring_next(_metadata, ring, &pos, ring_head(ring))))
			n += sample->time < end && load_number(sample, self->prev_pid) == tid;
	}
	return n;
}

static unsigned int count_perfs(struct __test_metadata *_metadata, FIXTURE_DATA(threads) *self,
				pid_t tid, uint64_t end)
{
	const struct sample *sample;
	unsigned int cpu, n = 0;

	for (cpu = 0; cpu < self->s.nr_cpus; cpu++) {
		if (!self->s.ring[cpu].data)
			continue;
		while ((sample = perf_next(_metadata, &self->perf[cpu])))
			n += sample->time < end && load_number(sample, self->prev_pid) == tid;
		perf_close(&self->perf[cpu]);
	}
	return n;
}

TEST_F(threads, are_in_an_inherited_scope)
{
	unsigned int ours, perfs;
	uint64_t end;
	pid_t tid;

	tid = record(_metadata, self, KTRACE_TASK_PROCESS | KTRACE_TASK_INHERIT, &end);
	ours = count_ours(_metadata, self, tid, end);
	perfs = count_perfs(_metadata, self, tid, end);
	if (!tid)
		SKIP(return, "%s", variant->why_not);
	EXPECT_EQ(perfs, ours);
	EXPECT_LE(variant->at_least, ours);
}

/* A session that is limited to one task has only that. */
TEST_F(threads, are_not_in_the_scope_of_one_task)
{
	uint64_t end;
	pid_t tid;

	tid = record(_metadata, self, 0, &end);
	count_perfs(_metadata, self, tid, end);
	if (!tid)
		SKIP(return, "%s", variant->why_not);
	EXPECT_EQ(0, count_ours(_metadata, self, tid, end));
}

TEST_HARNESS_MAIN
