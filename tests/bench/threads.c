// SPDX-License-Identifier: GPL-2.0
/*
 * Threads that each know how long they were there, ran and slept: for tests/bench/wall-time.
 * Prints a line for each: its name, and nanoseconds since before it was made, on the CPU, and
 * asleep at least.
 */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

struct plan {
	const char *name;
	unsigned int run_us, sleep_us, times;
	uint64_t made, wall, ran;
	pthread_t thread;
};

static struct plan plans[] = {
	{ "half", 5000, 5000, 100 }, { "tenth", 1000, 9000, 100 }, { "busy", 20000, 100, 30 },
	{ "sleeper", 50, 20000, 40 },
};

#define THREADS	(sizeof(plans) / sizeof(plans[0]))

static uint64_t ns(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return t.tv_sec * 1000000000ull + t.tv_nsec;
}

static void *work(void *data)
{
	struct plan *p = data;
	const struct timespec sleep = { .tv_nsec = p->sleep_us * 1000 };

	prctl(PR_SET_NAME, p->name);
	for (unsigned int i = 0; i < p->times; i++) {
		uint64_t until = ns(CLOCK_THREAD_CPUTIME_ID) + p->run_us * 1000ull;

		while (ns(CLOCK_THREAD_CPUTIME_ID) < until)
			;
		nanosleep(&sleep, NULL);
	}
	p->ran = ns(CLOCK_THREAD_CPUTIME_ID);
	p->wall = ns(CLOCK_MONOTONIC) - p->made;
	return NULL;
}

int main(void)
{
	for (size_t i = 0; i < THREADS; i++) {
		plans[i].made = ns(CLOCK_MONOTONIC);
		if (pthread_create(&plans[i].thread, NULL, work, &plans[i]))
			return 1;
	}
	for (size_t i = 0; i < THREADS; i++) {
		pthread_join(plans[i].thread, NULL);
		printf("%s %llu %llu %llu\n", plans[i].name, (unsigned long long)plans[i].wall,
		       (unsigned long long)plans[i].ran,
		       plans[i].sleep_us * 1000ull * plans[i].times);
	}
	/* The recorder ends when this does, and the last thread shall be gone by then. */
	usleep(100000);
	return 0;
}
