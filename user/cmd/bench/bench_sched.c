// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cmd/bench/bench.h"
#include "lib/cleanup.h"
#include "lib/file.h"

/* As in perf: senders, and receivers, of a group, and the bytes of a message. */
#define GROUP_SIZE	20
#define MESSAGE_SIZE	100

/* A process or thread. */
struct bench_task {
	pthread_t thread;
	pid_t pid;
	void (*run)(void *data);
	void *data;
};

static void *bench_thread(void *data)
{
	struct bench_task *task = data;

	task->run(task->data);
	return NULL;
}

static struct error *bench_start(struct bench_task *task, bool thread)
{
	int code;

	fflush(stdout);
	if (thread) {
		code = pthread_create(&task->thread, NULL, bench_thread, task);
		return code ? error_errno(code, "Cannot start a thread") : NULL;
	}
	task->pid = fork();
	if (task->pid < 0)
		return error_errno(errno, "Cannot start a process");
	if (!task->pid) {
		task->run(task->data);
		_exit(0);
	}
	return NULL;
}

static void bench_join(const struct bench_task *task, bool thread)
{
	if (thread)
		pthread_join(task->thread, NULL);
	else
		waitpid(task->pid, NULL, 0);
}

/* Send a word back and forth. */
struct bench_pipe_end {
	int in, out;
	unsigned int loops;
	bool first;		/* it sends first */
};

static void bench_pipe_run(void *data)
{
	const struct bench_pipe_end *end = data;
	int word = 0;

	for (unsigned int i = 0; i < end->loops; i++) {
		if (end->first && fd_write_all(end->out, &word, sizeof(word)))
			return;
		if (fd_read_all(end->in, &word, sizeof(word)) != sizeof(word))
			return;
		if (!end->first && fd_write_all(end->out, &word, sizeof(word)))
			return;
	}
}

static struct error *bench_pipe_measure(unsigned int loops, bool threads, double *ret)
{
	int there[2] = { -1, -1 }, back[2] = { -1, -1 };
	struct bench_pipe_end ends[2];
	struct bench_task tasks[2] = { 0 };
	struct error *err = NULL;
	unsigned int started = 0;
	double begin;

	if (pipe(there) || pipe(back))
		return error_errno(errno, "Cannot make a pipe");
	ends[0] = (struct bench_pipe_end){ back[0], there[1], loops, true };
	ends[1] = (struct bench_pipe_end){ there[0], back[1], loops, false };
	begin = bench_now();
	for (; started < 2 && !err; started += !err) {
		tasks[started].run = bench_pipe_run;
		tasks[started].data = &ends[started];
		err = bench_start(&tasks[started], threads);
	}
	if (err && started && !threads)
		kill(tasks[0].pid, SIGKILL);
	/*
	 * A single thread would wait forever for a word.  It is not joined: the process ends with
	 * the error.
	 */
	for (unsigned int i = 0; i < started && !(err && threads); i++)
		bench_join(&tasks[i], threads);
	*ret = bench_now() - begin;
	for (int i = 0; i < 2 && !(err && threads); i++) {
		close(there[i]);
		close(back[i]);
	}
	return err;
}

struct error *bench_sched_pipe(struct subcommand_call *call)
{
	const struct bench *bench = call->data;
	unsigned int loops = 1000000;
	bool threads = false, help;
	const struct option_spec options[] = {
		OPT_UINT("loop", &loops),
		OPT_FLAG("threaded", &threads),
		{ 0 },
	};
	double seconds = 0;
	struct error *err = bench_parse(call, options, &help);

	if (!err && !help)
		err = bench_check_positive("--loop", loops);
	if (err || help)
		return err;
	bench_print_name(bench, "sched/pipe");
	err = bench_pipe_measure(loops, threads, &seconds);
	if (err)
		return err;
	if (!bench->simple)
		printf("# Executed %u pipe operations between two %s\n\n", loops,
		       threads ? "threads" : "processes");
	bench_print_seconds(bench, seconds);
	if (!bench->simple)
		bench_print_operations(seconds, loops);
	return NULL;
}

/* The shared data of the tasks of messaging, and that of each task. */
struct bench_messaging {
	unsigned int groups, loops;
	bool pipes, threads;
	int ready[2];		/* each task writes a byte when it is ready */
	int wake[2];		/* there is a byte when all are to begin */
	struct bench_peer *peers;
	struct bench_task *tasks;
	int (*ends)[2];		/* to read and to write, of each receiver */
	unsigned int started;
};

struct bench_peer {
	const struct bench_messaging *messaging;
	int in;			/* of a receiver; -1: a sender */
	const int (*group)[2];	/* the ends of its group */
};

/* Returns false if other tasks are missing. */
static bool bench_wait_for_all(const struct bench_messaging *m)
{
	struct pollfd waiting = { .fd = m->wake[0], .events = POLLIN };

	if (fd_write_all(m->ready[1], "", 1))
		return false;
	while (poll(&waiting, 1, -1) < 0)
		if (errno != EINTR)
			return false;
	return waiting.revents & POLLIN;
}

static void bench_peer_run(void *data)
{
	const struct bench_peer *peer = data;
	const struct bench_messaging *m = peer->messaging;
	char message[MESSAGE_SIZE] = "";

	/* A process keeps only the ends that it needs, so that it notices when others end. */
	for (unsigned int i = 0; i < GROUP_SIZE && !m->threads; i++) {
		if (peer->group[i][0] != peer->in)
			close(peer->group[i][0]);
		if (peer->in >= 0)
			close(peer->group[i][1]);
	}
	if (!m->threads)
		close(m->wake[1]);
	if (!bench_wait_for_all(m))
		return;
	for (unsigned int i = 0; i < m->loops; i++)
		for (unsigned int j = 0; j < GROUP_SIZE; j++)
			if (peer->in >= 0 ?
			    fd_read_all(peer->in, message, sizeof(message)) != sizeof(message) :
			    fd_write_all(peer->group[j][1], message, sizeof(message)) != 0)
				return;
}

static struct error *bench_start_group(struct bench_messaging *m, int (*ends)[2])
{
	struct error *err = NULL;

	for (unsigned int i = 0; i < GROUP_SIZE; i++)
		if (m->pipes ? pipe(ends[i]) : socketpair(AF_UNIX, SOCK_STREAM, 0, ends[i]))
			return error_hint(error_errno(errno, "Cannot connect the tasks"),
					  "Fewer groups (-g) take fewer descriptors");
	for (unsigned int i = 0; i < 2 * GROUP_SIZE && !err; i++) {
		struct bench_peer *peer = &m->peers[m->started];

		*peer = (struct bench_peer){
			m, i < GROUP_SIZE ? ends[i][0] : -1, (const int (*)[2])ends,
		};
		m->tasks[m->started].run = bench_peer_run;
		m->tasks[m->started].data = peer;
		err = bench_start(&m->tasks[m->started], m->threads);
		m->started += !err;
	}
	return err;
}

static void bench_close_group(const int (*ends)[2])
{
	for (unsigned int i = 0; i < GROUP_SIZE; i++)
		for (int j = 0; j < 2; j++)
			if (ends[i][j] >= 0)
				close(ends[i][j]);
}

/* Start all tasks; *ret: how long they took from the moment when all were there. */
static struct error *bench_messaging_measure(struct bench_messaging *m, double *ret)
{
	unsigned int all = m->groups * 2 * GROUP_SIZE;
	struct error *err = NULL;
	double begin = 0;
	char byte;

	if (pipe(m->ready) || pipe(m->wake))
		return error_errno(errno, "Cannot make a pipe");
	for (unsigned int i = 0; i < m->groups && !err; i++) {
		err = bench_start_group(m, &m->ends[i * GROUP_SIZE]);
		if (!m->threads)
			bench_close_group((const int (*)[2])&m->ends[i * GROUP_SIZE]);
	}
	for (unsigned int i = 0; i < all && !err; i++)
		if (fd_read_all(m->ready[0], &byte, 1) != 1)
			err = error_new(EIO, "A task ended before all were there");
	begin = bench_now();
	if (!err && fd_write_all(m->wake[1], "", 1))
		err = error_errno(errno, "Cannot wake the tasks");
	/* Without the byte, they end. */
	if (err)
		close(m->wake[1]);
	for (unsigned int i = 0; i < m->started; i++)
		bench_join(&m->tasks[i], m->threads);
	*ret = bench_now() - begin;
	for (unsigned int i = 0; i < m->groups && m->threads; i++)
		bench_close_group((const int (*)[2])&m->ends[i * GROUP_SIZE]);
	close(m->ready[0]);
	close(m->ready[1]);
	close(m->wake[0]);
	if (!err)
		close(m->wake[1]);
	return err;
}

/* Threads share their descriptors. */
static void bench_raise_files(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit))
		return;
	limit.rlim_cur = limit.rlim_max;
	setrlimit(RLIMIT_NOFILE, &limit);
}

static struct error *bench_messaging_run(struct bench_messaging *m, double *ret)
{
	size_t all = (size_t)m->groups * 2 * GROUP_SIZE;
	struct error *err;

	m->peers = calloc(all, sizeof(*m->peers));
	m->tasks = calloc(all, sizeof(*m->tasks));
	m->ends = malloc(all / 2 * sizeof(*m->ends));
	for (size_t i = 0; m->ends && i < all / 2; i++)
		m->ends[i][0] = m->ends[i][1] = -1;
	bench_raise_files();
	err = m->peers && m->tasks && m->ends ? bench_messaging_measure(m, ret) : &error_no_memory;
	free(m->peers);
	free(m->tasks);
	free(m->ends);
	return err;
}

struct error *bench_sched_messaging(struct subcommand_call *call)
{
	const struct bench *bench = call->data;
	struct bench_messaging m = { .groups = 10, .loops = 100 };
	const struct option_spec options[] = {
		OPT_UINT("group", &m.groups),
		OPT_UINT("nr_loops", &m.loops),
		OPT_FLAG("pipe", &m.pipes),
		OPT_FLAG("thread", &m.threads),
		{ 0 },
	};
	const char *tasks;
	double seconds = 0;
	bool help;
	struct error *err = bench_parse(call, options, &help);

	if (!err && !help)
		err = bench_check_positive("--group", m.groups);
	if (!err && !help)
		err = bench_check_positive("--nr_loops", m.loops);
	if (err || help)
		return err;
	bench_print_name(bench, "sched/messaging");
	err = bench_messaging_run(&m, &seconds);
	if (err)
		return err;
	tasks = m.threads ? "threads" : "processes";
	if (!bench->simple)
		printf("# %d sender and receiver %s per group\n# %u groups == %u %s run\n\n", GROUP_SIZE,
		       tasks, m.groups, m.groups * 2 * GROUP_SIZE, tasks);
	bench_print_seconds(bench, seconds);
	return NULL;
}
