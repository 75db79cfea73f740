// SPDX-License-Identifier: GPL-2.0
/* The tasks whose events are recorded: the recorder, chosen tasks, and their children. */
#include <linux/sched.h>
#include <pthread.h>
#include <sys/prctl.h>
#include <sys/socket.h>

#include "selftest.h"

#define CGROUPS "/sys/fs/cgroup"

/* A child that executes one command after the other. */
struct worker {
	pid_t pid;
	int to, from;
};

enum job {
	FIRE = 'f',		/* fires one event */
	FORK = 'k',		/* makes a child that fires one */
	FORK_AS = 'a',		/* the same, with the number that follows */
	FORK_EXEC = 'e',	/* makes a child that becomes a shell ... */
	EXEC = 'x',		/* becomes a shell, which fires one, and its child another */
	THREAD_EXEC = 't',	/* the same from a thread that is not the leader */
	FIRE_THREADS = 'T',	/* each of two threads that run already fires one */
	NAME = 'n',		/* names itself after the number */
	QUIT = 'q',
};

/* The number identifies the task that has fired it. */
static int fire_as(unsigned int seq)
{
	return fire("seq task 1 self %u", seq);
}

static void become_shell(unsigned int seq)
{
	char script[256];

	snprintf(script, sizeof(script),
		 "echo seq task 1 self %u >" KTEST "/fire; (echo seq task 1 self %u >" KTEST "/fire); exit 0",
		 seq, seq);
	execl("/bin/sh", "sh", "-c", script, NULL);
	_exit(1);
}

static void *become_shell_in_thread(void *seq)
{
	become_shell((uintptr_t)seq);
	return NULL;
}

struct helper {
	unsigned int seq;
	int to[2], from[2];
	pid_t tid;
	pthread_t thread;
};

static void *helper_thread(void *arg)
{
	struct helper *h = arg;
	char job;

	h->tid = syscall(SYS_gettid);
	do {
		if (write(h->from[1], "d", 1) != 1)
			break;
	} while (read(h->to[0], &job, 1) == 1 && !fire_as(h->seq));
	return NULL;
}

static void helper_start(struct helper *h, unsigned int seq)
{
	char done;

	h->seq = seq;
	if (pipe(h->to) || pipe(h->from) ||
	    pthread_create(&h->thread, NULL, helper_thread, h) ||
	    read(h->from[0], &done, 1) != 1)
		_exit(1);
}

static void helper_fire(struct helper *h)
{
	char done;

	if (write(h->to[1], "f", 1) != 1 || read(h->from[0], &done, 1) != 1)
		_exit(1);
}

/*
 * fork() of a child that gets the number @pid, which no task may have any more; 0: any
 * number.
 */
static pid_t fork_as(pid_t pid)
{
	struct clone_args args = {
		.exit_signal = SIGCHLD,
		.set_tid = (uintptr_t)&pid,
		.set_tid_size = 1,
	};

	return pid ? syscall(SYS_clone3, &args, sizeof(args)) : fork();
}

/*
 * The leader of the worker and its first child fire seq, its threads fire seq + 1 and seq +
 * 2.
 */
static void work(unsigned int seq, int in, int out)
{
	struct helper helpers[2];
	pthread_t thread;
	char job, name[16];
	pid_t pid;

	helper_start(&helpers[0], seq + 1);
	helper_start(&helpers[1], seq + 2);
	/* The tests need these ids to name a thread. */
	if (write(out, &helpers[0].tid, sizeof(pid_t)) != sizeof(pid_t))
		_exit(1);
	while (read(in, &job, 1) == 1) {
		switch (job) {
		case FIRE:
			if (fire_as(seq))
				_exit(1);
			break;
		case FORK:
		case FORK_AS:
			pid = 0;
			if (job == FORK_AS && read(in, &pid, sizeof(pid)) != sizeof(pid))
				_exit(1);
			pid = fork_as(pid);
			if (pid < 0)
				_exit(1);
			if (!pid)
				_exit(!!fire_as(seq));
			waitpid(pid, NULL, 0);
			break;
		case FORK_EXEC:
			pid = fork();
			if (!pid)
				become_shell(seq);
			waitpid(pid, NULL, 0);
			break;
		case NAME:
			snprintf(name, sizeof(name), "worker-%u", seq);
			prctl(PR_SET_NAME, name);
			break;
		case FIRE_THREADS:
			helper_fire(&helpers[0]);
			helper_fire(&helpers[1]);
			break;
		case EXEC:
			become_shell(seq);
			break;
		case THREAD_EXEC:
			pthread_create(&thread, NULL, become_shell_in_thread,
				       (void *)(uintptr_t)seq);
			pause();
			break;
		default:
			_exit(0);
		}
		if (write(out, "d", 1) != 1)
			break;
	}
	_exit(0);
}

/* Starts a worker with the number @pid, which no task may have any more; 0: any number. */
static pid_t worker_start_as(struct __test_metadata *_metadata, struct worker *w,
			     unsigned int seq, pid_t pid)
{
	int to[2], from[2];
	pid_t tid;

	ASSERT_EQ(0, pipe2(to, O_CLOEXEC));
	ASSERT_EQ(0, pipe2(from, O_CLOEXEC));
	w->pid = fork_as(pid);
	ASSERT_GE(w->pid, 0);
	if (!w->pid) {
		close(to[1]);
		close(from[0]);
		work(seq, to[0], from[1]);
	}
	close(to[0]);
	close(from[1]);
	w->to = to[1];
	w->from = from[0];
	ASSERT_EQ(sizeof(tid), read(w->from, &tid, sizeof(tid)));
	return tid;
}

static pid_t worker_start(struct __test_metadata *_metadata, struct worker *w, unsigned int seq)
{
	return worker_start_as(_metadata, w, seq, 0);
}

/* The worker ends, or it has become another program, which ends. */
static void worker_wait(struct __test_metadata *_metadata, struct worker *w)
{
	int status;

	ASSERT_EQ(w->pid, waitpid(w->pid, &status, 0));
	ASSERT_EQ(0, status);
	close(w->to);
	close(w->from);
	w->pid = 0;
}

static void worker_do(struct __test_metadata *_metadata, struct worker *w, char job)
{
	char done;

	ASSERT_EQ(1, write(w->to, &job, 1));
	if (job == FIRE || job == FORK || job == FORK_EXEC || job == FIRE_THREADS ||
	    job == NAME) {
		ASSERT_EQ(1, read(w->from, &done, 1));
	} else {
		worker_wait(_metadata, w);
	}
}

static void worker_fork_as(struct __test_metadata *_metadata, struct worker *w, pid_t pid)
{
	char job = FORK_AS, done;

	ASSERT_EQ(1, write(w->to, &job, 1));
	ASSERT_EQ(sizeof(pid), write(w->to, &pid, sizeof(pid)));
	ASSERT_EQ(1, read(w->from, &done, 1));
}

static void worker_end(struct __test_metadata *_metadata, struct worker *w)
{
	if (w->pid)
		worker_do(_metadata, w, QUIT);
}

FIXTURE(scope) {
	struct session s;
	struct field seq;
	struct worker workers[2];
	pid_t tid;		/* of a thread of the first worker */
};

FIXTURE_SETUP(scope)
{
	struct ktrace_setup setup = SETUP_INIT;

	NEED_KTEST();
	/* The workers are forked before the session, so that none of them has its mappings. */
	self->tid = worker_start(_metadata, &self->workers[0], 100);
	worker_start(_metadata, &self->workers[1], 200);
	setup.pages = 64;
	session_open(_metadata, &self->s, &setup);
	self->seq = event_field(_metadata, "ktrace_test/seq", "seq");
	session_add(_metadata, &self->s, "ktrace_test/seq", 0, 0);
}

FIXTURE_TEARDOWN(scope)
{
	session_close(&self->s);
	worker_end(_metadata, &self->workers[0]);
	worker_end(_metadata, &self->workers[1]);
}

static void add_task(struct __test_metadata *_metadata, struct session *s, pid_t pid,
		     unsigned int flags)
{
	struct ktrace_task_add task = { .size = sizeof(task), .pid = pid, .flags = flags };

	ASSERT_EQ(0, CALL(s->fd, TASK_ADD, &task));
}

/*
 * Counts the samples with each of the numbers 100, 101, 102, 200 ...; 0 to 99 are those of
 * other tasks.
 */
static void count(struct __test_metadata *_metadata, FIXTURE_DATA(scope) *self,
		  unsigned int seen[300])
{
	const struct perf_event_header *header;
	unsigned int cpu;

	session_stop(_metadata, &self->s);
	memset(seen, 0, 300 * sizeof(*seen));
	for (cpu = 0; cpu < self->s.nr_cpus; cpu++) {
		struct ring *ring = &self->s.ring[cpu];
		uint64_t pos = 0;

		if (!ring->data)
			continue;
		while ((header = ring_next(_metadata, ring, &pos, ring_head(ring)))) {
			ASSERT_EQ(PERF_RECORD_SAMPLE, header->type);
			seen[load_number((const void *)header, self->seq) % 300]++;
		}
	}
}

static uint64_t out_of_scope(struct __test_metadata *_metadata, struct session *s)
{
	uint64_t n = 0;
	unsigned int cpu;

	for (cpu = 0; cpu < s->nr_cpus; cpu++)
		if (s->ring[cpu].data)
			n += session_stats(_metadata, s, 0, cpu).out_of_scope;
	return n;
}

/* Returns 0, or 1 if it failed. */
static int send_fd(int to, int fd)
{
	char control[CMSG_SPACE(sizeof(int))] = "", byte = 'f';
	struct iovec iov = { &byte, 1 };
	struct msghdr msg = { .msg_iov = &iov, .msg_iovlen = 1, .msg_control = control,
			      .msg_controllen = sizeof(control) };
	struct cmsghdr *cmsg = CMSG_FIRSTHDR(&msg);

	cmsg->cmsg_level = SOL_SOCKET;
	cmsg->cmsg_type = SCM_RIGHTS;
	cmsg->cmsg_len = CMSG_LEN(sizeof(int));
	memcpy(CMSG_DATA(cmsg), &fd, sizeof(fd));
	return fd < 0 || sendmsg(to, &msg, 0) != 1;
}

/* Returns -1 if nothing came. */
static int receive_fd(int from)
{
	char control[CMSG_SPACE(sizeof(int))], byte;
	struct iovec iov = { &byte, 1 };
	struct msghdr msg = { .msg_iov = &iov, .msg_iovlen = 1, .msg_control = control,
			      .msg_controllen = sizeof(control) };
	int fd = -1;

	if (recvmsg(from, &msg, MSG_CMSG_CLOEXEC) == 1 && CMSG_FIRSTHDR(&msg))
		memcpy(&fd, CMSG_DATA(CMSG_FIRSTHDR(&msg)), sizeof(fd));
	return fd;
}

static void *fire_50(void *arg)
{
	return (void *)(intptr_t)fire_as(50);
}

TEST_F(scope, everybody_but_the_recorder)
{
	unsigned int seen[300];
	pthread_t thread;
	void *err;

	session_start(_metadata, &self->s);
	ASSERT_EQ(0, fire_as(50));
	/* The recorder's threads belong to the recorder, too. */
	ASSERT_EQ(0, pthread_create(&thread, NULL, fire_50, NULL));
	ASSERT_EQ(0, pthread_join(thread, &err));
	ASSERT_EQ(NULL, err);
	worker_do(_metadata, &self->workers[0], FIRE);
	worker_do(_metadata, &self->workers[1], FORK);
	count(_metadata, self, seen);
	EXPECT_EQ(0, seen[50]);
	EXPECT_EQ(1, seen[100]);
	EXPECT_EQ(1, seen[200]);
	EXPECT_EQ(2, out_of_scope(_metadata, &self->s));
}

/* An interrupt does not belong to the recorder that it interrupts. */
TEST_F(scope, interrupts_of_the_recorder)
{
	unsigned int seen[300], total = 0, i;
	pid_t pid;

	session_start(_metadata, &self->s);
	pin_to(_metadata, 0);
	/* Another process requests the interrupts; here they hit us while we spin. */
	pid = fork();
	ASSERT_GE(pid, 0);
	if (!pid)
		_exit(!!fire("seq hardirq 500 0 0"));
	while (!waitpid(pid, NULL, WNOHANG))
		;
	count(_metadata, self, seen);
	for (i = 0; i < 300; i++)
		total += seen[i];
	EXPECT_EQ(0, out_of_scope(_metadata, &self->s));
	EXPECT_EQ(500, total);
}

TEST(recorder_on_request)
{
	struct ktrace_setup setup = SETUP_INIT;
	const struct sample *sample;
	struct session s;
	uint64_t pos = 0;

	NEED_KTEST();
	setup.flags = KTRACE_SETUP_TRACE_SELF;
	session_open(_metadata, &s, &setup);
	pin_to(_metadata, 0);
	session_add(_metadata, &s, "ktrace_test/seq", 0, 0);
	session_start(_metadata, &s);
	ASSERT_EQ(0, fire_as(50));
	session_stop(_metadata, &s);
	sample = (const void *)ring_next(_metadata, &s.ring[0], &pos, ring_head(&s.ring[0]));
	ASSERT_NE(NULL, sample);
	EXPECT_EQ(getpid(), sample->pid);
	session_close(&s);
}

TEST_F(scope, one_task)
{
	unsigned int seen[300];

	add_task(_metadata, &self->s, self->workers[0].pid, 0);
	session_start(_metadata, &self->s);
	worker_do(_metadata, &self->workers[0], FIRE);
	worker_do(_metadata, &self->workers[0], FORK);
	worker_do(_metadata, &self->workers[0], FIRE_THREADS);
	worker_do(_metadata, &self->workers[1], FIRE);
	count(_metadata, self, seen);
	EXPECT_EQ(1, seen[100]);
	EXPECT_EQ(0, seen[101] + seen[102] + seen[200]);
	EXPECT_EQ(4, out_of_scope(_metadata, &self->s));
}

TEST_F(scope, one_thread)
{
	unsigned int seen[300];

	add_task(_metadata, &self->s, self->tid, 0);
	session_start(_metadata, &self->s);
	worker_do(_metadata, &self->workers[0], FIRE);
	worker_do(_metadata, &self->workers[0], FIRE_THREADS);
	count(_metadata, self, seen);
	EXPECT_EQ(0, seen[100] + seen[102]);
	EXPECT_EQ(1, seen[101]);
}

TEST_F(scope, a_process)
{
	unsigned int seen[300];

	/* The process is named by one of its threads. */
	add_task(_metadata, &self->s, self->tid, KTRACE_TASK_PROCESS);
	session_start(_metadata, &self->s);
	worker_do(_metadata, &self->workers[0], FIRE);
	worker_do(_metadata, &self->workers[0], FORK);
	worker_do(_metadata, &self->workers[0], FIRE_THREADS);
	worker_do(_metadata, &self->workers[1], FIRE);
	count(_metadata, self, seen);
	EXPECT_EQ(1, seen[100]);
	EXPECT_EQ(1, seen[101]);
	EXPECT_EQ(1, seen[102]);
	EXPECT_EQ(0, seen[200]);
}

TEST_F(scope, children)
{
	unsigned int seen[300];

	add_task(_metadata, &self->s, self->workers[0].pid, KTRACE_TASK_INHERIT);
	session_start(_metadata, &self->s);
	worker_do(_metadata, &self->workers[0], FORK);
	worker_do(_metadata, &self->workers[0], FORK);
	worker_do(_metadata, &self->workers[0], FIRE_THREADS);
	worker_do(_metadata, &self->workers[1], FORK);
	/* This includes the program that the child executes, and the forks of that. */
	worker_do(_metadata, &self->workers[0], EXEC);
	count(_metadata, self, seen);
	EXPECT_EQ(2 + 2, seen[100]);
	EXPECT_EQ(0, seen[101] + seen[102] + seen[200]);
}

TEST_F(scope, several_tasks_while_running)
{
	unsigned int seen[300];

	session_start(_metadata, &self->s);
	worker_do(_metadata, &self->workers[0], FIRE);
	add_task(_metadata, &self->s, self->workers[1].pid, 0);
	worker_do(_metadata, &self->workers[0], FIRE);
	worker_do(_metadata, &self->workers[1], FIRE);
	add_task(_metadata, &self->s, self->workers[0].pid, 0);
	worker_do(_metadata, &self->workers[0], FIRE);
	worker_do(_metadata, &self->workers[1], FIRE);
	count(_metadata, self, seen);
	EXPECT_EQ(2, seen[100]);
	EXPECT_EQ(2, seen[200]);
}

TEST_F(scope, from_exec_on)
{
	unsigned int seen[300];

	add_task(_metadata, &self->s, self->workers[0].pid, KTRACE_TASK_ON_EXEC);
	session_start(_metadata, &self->s);
	worker_do(_metadata, &self->workers[0], FIRE);
	worker_do(_metadata, &self->workers[0], FORK);
	worker_do(_metadata, &self->workers[1], EXEC);
	worker_do(_metadata, &self->workers[0], EXEC);
	count(_metadata, self, seen);
	/* The shell is recorded, its child is not. */
	EXPECT_EQ(1, seen[100]);
	EXPECT_EQ(0, seen[200]);
}

TEST_F(scope, from_exec_on_with_children)
{
	unsigned int seen[300];

	add_task(_metadata, &self->s, self->workers[0].pid,
		 KTRACE_TASK_ON_EXEC | KTRACE_TASK_INHERIT);
	session_start(_metadata, &self->s);
	worker_do(_metadata, &self->workers[0], FIRE);
	worker_do(_metadata, &self->workers[0], FORK);
	worker_do(_metadata, &self->workers[0], EXEC);
	count(_metadata, self, seen);
	EXPECT_EQ(2, seen[100]);
}

/* A task that waits for its exec passes that on to its children. */
TEST_F(scope, from_the_exec_of_a_child_on)
{
	unsigned int seen[300];

	add_task(_metadata, &self->s, self->workers[0].pid,
		 KTRACE_TASK_ON_EXEC | KTRACE_TASK_INHERIT);
	session_start(_metadata, &self->s);
	worker_do(_metadata, &self->workers[0], FORK);
	worker_do(_metadata, &self->workers[0], FORK_EXEC);
	worker_do(_metadata, &self->workers[0], FIRE);
	count(_metadata, self, seen);
	EXPECT_EQ(2, seen[100]);
}

/* A thread that calls exec takes over the leader's number. */
TEST_F(scope, exec_of_another_thread)
{
	unsigned int seen[300];

	add_task(_metadata, &self->s, self->workers[0].pid,
		 KTRACE_TASK_PROCESS | KTRACE_TASK_INHERIT);
	/* This thread is not recorded and will not be, but its leader is. */
	add_task(_metadata, &self->s, self->workers[1].pid, 0);
	session_start(_metadata, &self->s);
	worker_do(_metadata, &self->workers[0], THREAD_EXEC);
	worker_do(_metadata, &self->workers[1], THREAD_EXEC);
	count(_metadata, self, seen);
	EXPECT_EQ(2, seen[100]);
	EXPECT_EQ(0, seen[200]);
}

/* perf also counts the event of the exec itself to the task, and that of the fork. */
TEST_F(scope, exec_and_fork_are_in_it)
{
	unsigned int forks = 0, execs = 0, cpu;
	const struct perf_event_header *header;

	session_add(_metadata, &self->s, "sched/sched_process_fork", 1, 0);
	session_add(_metadata, &self->s, "sched/sched_process_exec", 2, 0);
	add_task(_metadata, &self->s, self->workers[0].pid,
		 KTRACE_TASK_ON_EXEC | KTRACE_TASK_INHERIT);
	session_start(_metadata, &self->s);
	worker_do(_metadata, &self->workers[0], EXEC);
	worker_do(_metadata, &self->workers[1], EXEC);
	session_stop(_metadata, &self->s);
	for (cpu = 0; cpu < self->s.nr_cpus; cpu++) {
		struct ring *ring = &self->s.ring[cpu];
		uint64_t pos = 0;

		if (!ring->data)
			continue;
		while ((header = ring_next(_metadata, ring, &pos, ring_head(ring)))) {
			const struct sample *sample = (const void *)header;

			forks += sample->id == KTRACE_ID_BASE + 1;
			execs += sample->id == KTRACE_ID_BASE + 2;
		}
	}
	EXPECT_EQ(1, execs);
	EXPECT_EQ(1, forks);
}

/* The kernel frees a task's memory after a grace period. */
#define AFTER_FREE_MS	300

/* The bits of a task's number do not apply to the next task that gets it. */
static void use_again(struct __test_metadata *_metadata, FIXTURE_DATA(scope) *self,
		      unsigned int flags, bool at_once)
{
	unsigned int seen[300];
	struct worker w;
	pid_t pid;

	worker_start(_metadata, &w, 250);
	pid = w.pid;
	add_task(_metadata, &self->s, pid, flags);
	worker_end(_metadata, &w);
	if (!at_once)
		sleep_ms(AFTER_FREE_MS);
	worker_start_as(_metadata, &w, 250, pid);
	if (at_once)
		sleep_ms(AFTER_FREE_MS);
	session_start(_metadata, &self->s);
	worker_do(_metadata, &w, FIRE);
	worker_do(_metadata, &w, FORK);
	worker_do(_metadata, &w, EXEC);
	count(_metadata, self, seen);
	EXPECT_EQ(0, seen[250]);
}

TEST_F(scope, a_number_used_again)
{
	use_again(_metadata, self, KTRACE_TASK_INHERIT, false);
}

TEST_F(scope, a_number_used_again_that_waited_for_exec)
{
	use_again(_metadata, self, KTRACE_TASK_INHERIT | KTRACE_TASK_ON_EXEC, false);
}

TEST_F(scope, a_number_used_again_at_once)
{
	use_again(_metadata, self, KTRACE_TASK_INHERIT, true);
}

TEST_F(scope, a_number_used_again_at_once_that_waited_for_exec)
{
	use_again(_metadata, self, KTRACE_TASK_INHERIT | KTRACE_TASK_ON_EXEC, true);
}

/* A child of a recorded task gets the number of a task that was not to be recorded yet. */
TEST_F(scope, a_number_used_again_by_a_child)
{
	unsigned int seen[300];
	struct worker w;
	pid_t pid;

	worker_start(_metadata, &w, 250);
	add_task(_metadata, &self->s, w.pid, KTRACE_TASK_ON_EXEC);
	add_task(_metadata, &self->s, self->workers[0].pid, KTRACE_TASK_INHERIT);
	session_start(_metadata, &self->s);
	pid = w.pid;
	worker_end(_metadata, &w);
	worker_fork_as(_metadata, &self->workers[0], pid);
	count(_metadata, self, seen);
	EXPECT_EQ(1, seen[100]);
}

/*
 * The recorder is the process that opened the session, not another one that gets its
 * number.
 */
TEST_F(scope, the_recorders_number_used_again)
{
	struct ktrace_setup setup = SETUP_INIT;
	const struct perf_event_header *header;
	unsigned int cpu, seen = 0;
	struct session *s = &self->s;
	struct worker w;
	int pair[2];
	pid_t pid;

	setup.pages = 64;
	session_close(s);
	ASSERT_EQ(0, socketpair(AF_UNIX, SOCK_DGRAM, 0, pair));
	pid = fork();
	ASSERT_GE(pid, 0);
	if (!pid)
		_exit(send_fd(pair[1], open(KTRACE_DEVICE, O_RDWR)));
	s->fd = receive_fd(pair[0]);
	ASSERT_GE(s->fd, 0);
	ASSERT_EQ(pid, waitpid(pid, NULL, 0));
	ASSERT_EQ(0, CALL(s->fd, SETUP, &setup));
	for (cpu = 0; cpu < s->nr_cpus; cpu++)
		if (s->ring[cpu].data)
			ring_map(_metadata, s, cpu);
	session_add(_metadata, s, "ktrace_test/seq", 0, 0);
	worker_start_as(_metadata, &w, 250, pid);
	session_start(_metadata, s);
	worker_do(_metadata, &w, FIRE);
	session_stop(_metadata, s);
	worker_end(_metadata, &w);
	for (cpu = 0; cpu < s->nr_cpus; cpu++) {
		struct ring *ring = &s->ring[cpu];
		uint64_t pos = 0;

		if (!ring->data)
			continue;
		while ((header = ring_next(_metadata, ring, &pos, ring_head(ring))))
			seen++;
	}
	EXPECT_EQ(1, seen);
	EXPECT_EQ(0, out_of_scope(_metadata, s));
}

/* Tasks are added during a storm of forks.  Every descendant is recorded. */
static int storm(int depth)
{
	int status, failed = 0, i;
	pid_t pid;

	for (i = 0; i < 2 && depth; i++) {
		pid = fork();
		if (!pid)
			_exit(storm(depth - 1));
		failed |= pid < 0;
	}
	failed |= !!fire_as(100);
	while (wait(&status) > 0)
		failed |= !!status;
	return failed;
}

TEST_F_TIMEOUT(scope, fork_storm, 600)
{
	unsigned int seen[300], cpu, i, recorded = 0;
	uint64_t fired = 0, lost = 0;
	struct ktrace_stats stats;
	int status, go[2];
	pid_t pid;
	char c;

	fire_reset(_metadata);
	ASSERT_EQ(0, pipe(go));
	pid = fork();
	ASSERT_GE(pid, 0);
	if (!pid) {
		if (read(go[0], &c, 1) != 1)
			_exit(1);
		_exit(storm(6));
	}
	add_task(_metadata, &self->s, pid, KTRACE_TASK_PROCESS | KTRACE_TASK_INHERIT);
	session_start(_metadata, &self->s);
	ASSERT_EQ(1, write(go[1], "g", 1));
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	ASSERT_EQ(0, status);
	count(_metadata, self, seen);
	for (cpu = 0; cpu < self->s.nr_cpus; cpu++) {
		if (!self->s.ring[cpu].data)
			continue;
		fired += emitted(_metadata, "seq", cpu, NULL);
		stats = session_stats(_metadata, &self->s, 0, cpu);
		lost += stats_lost(&stats);
	}
	/*
	 * A task that is preempted between taking its number and firing fires with the
	 * number of the next one.
	 */
	for (i = 0; i < 300; i++)
		recorded += seen[i];
	/* The storm consists of 2^7 - 1 tasks. */
	EXPECT_EQ(127, fired);
	EXPECT_EQ(0, lost);
	EXPECT_EQ(0, out_of_scope(_metadata, &self->s));
	EXPECT_EQ(127, recorded);
}

/* ---- conditions ------------------------------------------------------------- */

static int add_comm(struct session *s, const char *comm)
{
	struct ktrace_scope_add add = { .size = sizeof(add), .kind = KTRACE_SCOPE_COMM };

	strncpy(add.comm, comm, sizeof(add.comm));
	return CALL(s->fd, SCOPE_ADD, &add);
}

static int add_cgroup(struct session *s, const char *path)
{
	struct ktrace_scope_add add = { .size = sizeof(add), .kind = KTRACE_SCOPE_CGROUP };
	int err;

	add.cgroup = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (add.cgroup < 0)
		return -errno;
	err = CALL(s->fd, SCOPE_ADD, &add);
	close(add.cgroup);
	return err;
}

static void move_to(struct __test_metadata *_metadata, const struct worker *w, const char *cgroup)
{
	char path[256], pid[32];

	snprintf(path, sizeof(path), "%s/cgroup.procs", cgroup);
	snprintf(pid, sizeof(pid), "%d", w->pid);
	ASSERT_EQ(0, write_file(path, pid));
}

TEST_F(scope, names)
{
	unsigned int seen[300];

	worker_do(_metadata, &self->workers[0], NAME);
	ASSERT_EQ(0, add_comm(&self->s, "worker-100"));
	session_start(_metadata, &self->s);
	worker_do(_metadata, &self->workers[0], FIRE);
	/* Threads have names of their own; children begin with those of their parents. */
	worker_do(_metadata, &self->workers[0], FIRE_THREADS);
	worker_do(_metadata, &self->workers[0], FORK);
	worker_do(_metadata, &self->workers[1], FIRE);
	/* The name at the moment of the firing counts. */
	worker_do(_metadata, &self->workers[1], NAME);
	worker_do(_metadata, &self->workers[1], FIRE);
	count(_metadata, self, seen);
	EXPECT_EQ(2, seen[100]);
	EXPECT_EQ(0, seen[101] + seen[102] + seen[200]);
	EXPECT_EQ(4, out_of_scope(_metadata, &self->s));
}

TEST_F(scope, one_of_several_names)
{
	unsigned int seen[300];

	worker_do(_metadata, &self->workers[0], NAME);
	ASSERT_EQ(0, add_comm(&self->s, "fifteen letters"));
	ASSERT_EQ(0, add_comm(&self->s, "worker-200"));
	ASSERT_EQ(0, add_comm(&self->s, "worker-100"));
	session_start(_metadata, &self->s);
	worker_do(_metadata, &self->workers[0], FIRE);
	worker_do(_metadata, &self->workers[1], FIRE);
	worker_do(_metadata, &self->workers[1], NAME);
	worker_do(_metadata, &self->workers[1], FIRE);
	count(_metadata, self, seen);
	EXPECT_EQ(1, seen[100]);
	EXPECT_EQ(1, seen[200]);
}

TEST_F(scope, a_cgroup_and_what_is_below)
{
	unsigned int seen[300];

	if (access(CGROUPS "/cgroup.procs", W_OK))
		SKIP(return, "no cgroup v2 at " CGROUPS);
	mkdir(CGROUPS "/ktrace_scope", 0755);
	mkdir(CGROUPS "/ktrace_scope/below", 0755);
	mkdir(CGROUPS "/ktrace_beside", 0755);
	ASSERT_EQ(0, add_cgroup(&self->s, CGROUPS "/ktrace_scope"));
	session_start(_metadata, &self->s);
	worker_do(_metadata, &self->workers[0], FIRE);
	move_to(_metadata, &self->workers[0], CGROUPS "/ktrace_scope");
	worker_do(_metadata, &self->workers[0], FIRE);
	move_to(_metadata, &self->workers[0], CGROUPS "/ktrace_scope/below");
	worker_do(_metadata, &self->workers[0], FIRE);
	worker_do(_metadata, &self->workers[0], FORK);
	move_to(_metadata, &self->workers[1], CGROUPS "/ktrace_beside");
	worker_do(_metadata, &self->workers[1], FIRE);
	count(_metadata, self, seen);
	EXPECT_EQ(3, seen[100]);
	EXPECT_EQ(0, seen[200]);
	EXPECT_EQ(2, out_of_scope(_metadata, &self->s));
	move_to(_metadata, &self->workers[0], CGROUPS);
	move_to(_metadata, &self->workers[1], CGROUPS);
	rmdir(CGROUPS "/ktrace_scope/below");
	/* The session still holds the cgroup. */
	EXPECT_EQ(0, rmdir(CGROUPS "/ktrace_scope"));
	rmdir(CGROUPS "/ktrace_beside");
}

/* A task has to meet all kinds of conditions. */
TEST_F(scope, a_name_in_a_cgroup_of_a_task)
{
	unsigned int seen[300];

	if (access(CGROUPS "/cgroup.procs", W_OK))
		SKIP(return, "no cgroup v2 at " CGROUPS);
	mkdir(CGROUPS "/ktrace_scope", 0755);
	worker_do(_metadata, &self->workers[0], NAME);
	worker_do(_metadata, &self->workers[1], NAME);
	move_to(_metadata, &self->workers[0], CGROUPS "/ktrace_scope");
	ASSERT_EQ(0, add_comm(&self->s, "worker-100"));
	ASSERT_EQ(0, add_comm(&self->s, "worker-200"));
	ASSERT_EQ(0, add_cgroup(&self->s, CGROUPS "/ktrace_scope"));
	add_task(_metadata, &self->s, self->workers[0].pid, 0);
	add_task(_metadata, &self->s, self->workers[1].pid, 0);
	session_start(_metadata, &self->s);
	worker_do(_metadata, &self->workers[0], FIRE);
	/* This task has the name and is in the cgroup, but it is another task. */
	worker_do(_metadata, &self->workers[0], FORK);
	worker_do(_metadata, &self->workers[1], FIRE);
	count(_metadata, self, seen);
	EXPECT_EQ(1, seen[100]);
	EXPECT_EQ(0, seen[200]);
	move_to(_metadata, &self->workers[0], CGROUPS);
	rmdir(CGROUPS "/ktrace_scope");
}

TEST_F(scope, conditions_that_are_refused)
{
	struct ktrace_scope_add add = { .size = sizeof(add), .kind = 2 };
	struct session *s = &self->s;
	int fd, i;

	EXPECT_EQ(-EINVAL, CALL(s->fd, SCOPE_ADD, &add));
	add.kind = KTRACE_SCOPE_COMM;
	EXPECT_EQ(-EINVAL, CALL(s->fd, SCOPE_ADD, &add));
	memset(add.comm, 'a', sizeof(add.comm));
	EXPECT_EQ(-EINVAL, CALL(s->fd, SCOPE_ADD, &add));
	add.comm[3] = '\0';
	add.comm[15] = '\0';
	EXPECT_EQ(-EINVAL, CALL(s->fd, SCOPE_ADD, &add));
	memset(add.comm + 3, 0, sizeof(add.comm) - 3);
	add.reserved = 1;
	EXPECT_EQ(-EINVAL, CALL(s->fd, SCOPE_ADD, &add));
	add.reserved = 0;
	add.cgroup = 1;
	EXPECT_EQ(-EINVAL, CALL(s->fd, SCOPE_ADD, &add));
	add.kind = KTRACE_SCOPE_CGROUP;
	EXPECT_EQ(-EINVAL, CALL(s->fd, SCOPE_ADD, &add));
	EXPECT_EQ(-EBADF, add_cgroup(s, "/proc"));
	memset(add.comm, 0, sizeof(add.comm));
	add.cgroup = -1;
	EXPECT_EQ(-EBADF, CALL(s->fd, SCOPE_ADD, &add));
	for (i = 0; i < KTRACE_SCOPE_MAX; i++)
		EXPECT_EQ(0, add_comm(s, "a"));
	EXPECT_EQ(-E2BIG, add_comm(s, "a"));
	session_start(_metadata, s);
	EXPECT_EQ(-EBUSY, add_comm(s, "a"));
	session_stop(_metadata, s);
	EXPECT_EQ(-EBUSY, add_comm(s, "a"));
	fd = device_open(_metadata);
	add = (struct ktrace_scope_add){ .size = sizeof(add), .comm = "a" };
	EXPECT_EQ(-EBUSY, CALL(fd, SCOPE_ADD, &add));
	close(fd);
}

TEST_F(scope, a_task_that_is_gone)
{
	struct ktrace_task_add task = { .size = sizeof(task) };

	task.pid = fork();
	ASSERT_GE(task.pid, 0);
	if (!task.pid)
		_exit(0);
	ASSERT_EQ(task.pid, waitpid(task.pid, NULL, 0));
	EXPECT_EQ(-ESRCH, CALL(self->s.fd, TASK_ADD, &task));
}

TEST_HARNESS_MAIN
