// SPDX-License-Identifier: GPL-2.0
/*
 * The traced task of the benchmarks: runs the workload COUNT times, REPEATS times.  Prints the
 * nanoseconds each took in the cheapest round on standard output.  Under -icount a nanosecond is
 * one instruction.
 *
 *	load WORKLOAD COUNT REPEATS
 *
 *	getppid		a cheap system call
 *	mixed		the same, but every hundredth is getuid()
 *	switch		a context switch between two tasks, on one CPU
 *	deep		the same, with twelve functions on the stack of each
 *	read		reads 8 bytes of /dev/zero
 *	fire		the event ktrace_test:seq of the module ktrace_test
 *	cpus		getppid() on all CPUs at once, by the wall clock
 */
#define _GNU_SOURCE
#include <err.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static long count;

static double now(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return t.tv_sec * 1e9 + t.tv_nsec;
}

static void stay_on(int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	if (sched_setaffinity(0, sizeof(set), &set))
		err(1, "cannot stay on CPU %d", cpu);
}

static void run_getppid(void)
{
	for (long i = 0; i < count; i++)
		syscall(SYS_getppid);
}

static void run_mixed(void)
{
	for (long i = 0; i < count; i++)
		syscall(i % 100 ? SYS_getppid : SYS_getuid);
}

static void run_read(void)
{
	int fd = open("/dev/zero", O_RDONLY);
	char bytes[8];

	for (long i = 0; i < count; i++)
		if (read(fd, bytes, sizeof(bytes)) != sizeof(bytes))
			err(1, "cannot read /dev/zero");
	close(fd);
}

static void run_fire(void)
{
	static const char path[] = "/sys/kernel/debug/ktrace_test/fire";
	int fd = open(path, O_WRONLY);

	if (fd < 0 || dprintf(fd, "seq task %ld", count) < 0)
		err(1, "cannot write to %s", path);
	close(fd);
}

/* Each gets a byte, and gives one back. */
static int there[2], back[2];

#define WITH_FRAME __attribute__((noinline, optimize("no-omit-frame-pointer")))

static WITH_FRAME void pass_on(const int from[2], const int to[2])
{
	char byte = 0;

	for (long i = 0; i < count / 2; i++)
		if (read(from[0], &byte, 1) != 1 || write(to[1], &byte, 1) != 1)
			err(1, "pipe");
}

/* So many functions call each other around it. */
static int depth;

static WITH_FRAME void pass_on_deep(const int from[2], const int to[2], int more)
{
	if (more)
		pass_on_deep(from, to, more - 1);
	else
		pass_on(from, to);
	/* The call is not the last thing that this function does. */
	__asm__ volatile("" : : : "memory");
}

static void *other_task(void *data)
{
	stay_on(0);
	pass_on_deep(there, back, depth);
	return data;
}

static void run_switch(void)
{
	pthread_t other;

	stay_on(0);
	if (pipe(there) || pipe(back) || pthread_create(&other, NULL, other_task, NULL))
		err(1, "cannot have another task");
	if (write(back[1], "", 1) != 1)
		err(1, "pipe");
	pass_on_deep(back, there, depth);
	pthread_join(other, NULL);
	for (int i = 0; i < 2; i++) {
		close(there[i]);
		close(back[i]);
	}
}

static void run_deep(void)
{
	depth = 8;
	run_switch();
}

static void *run_on_cpu(void *cpu)
{
	stay_on((long)cpu);
	run_getppid();
	return cpu;
}

static void run_cpus(void)
{
	long nr = sysconf(_SC_NPROCESSORS_ONLN);
	pthread_t threads[nr];

	for (long cpu = 0; cpu < nr; cpu++)
		if (pthread_create(&threads[cpu], NULL, run_on_cpu, (void *)cpu))
			err(1, "cannot have a task for each CPU");
	for (long cpu = 0; cpu < nr; cpu++)
		pthread_join(threads[cpu], NULL);
}

static const struct {
	const char *name;
	void (*run)(void);
	clockid_t clock;
} workloads[] = {
	{ "getppid", run_getppid, CLOCK_THREAD_CPUTIME_ID },
	{ "mixed", run_mixed, CLOCK_THREAD_CPUTIME_ID },
	{ "read", run_read, CLOCK_THREAD_CPUTIME_ID },
	{ "switch", run_switch, CLOCK_PROCESS_CPUTIME_ID },
	{ "deep", run_deep, CLOCK_PROCESS_CPUTIME_ID },
	{ "fire", run_fire, CLOCK_THREAD_CPUTIME_ID },
	{ "cpus", run_cpus, CLOCK_MONOTONIC },
};

int main(int argc, char **argv)
{
	long repeats = argc > 3 ? atol(argv[3]) : 0;
	size_t i, nr = sizeof(workloads) / sizeof(*workloads);
	double best = -1;

	count = argc > 2 ? atol(argv[2]) : 0;
	for (i = 0; argc > 1 && i < nr && strcmp(argv[1], workloads[i].name); i++)
		;
	if (argc < 2 || i == nr || count < 1 || repeats < 1) {
		fprintf(stderr, "Usage: load getppid|mixed|switch|deep|read|fire|cpus COUNT REPEATS\n");
		return 129;
	}
	while (repeats--) {
		double start = now(workloads[i].clock), each;

		workloads[i].run();
		each = (now(workloads[i].clock) - start) / count;
		if (best < 0 || each < best)
			best = each;
	}
	printf("%.1f\n", best);
	return 0;
}
