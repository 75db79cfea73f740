// SPDX-License-Identifier: GPL-2.0
/*
 * The traced task of the cost benchmark: COUNT cheap system calls, timed with
 * the task's own CPU clock, REPEATS times.  Prints the nanoseconds per call of
 * the cheapest round on standard output.  Under -icount a nanosecond is one
 * instruction.
 *
 *	load COUNT REPEATS
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static double cpu_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return t.tv_sec * 1e9 + t.tv_nsec;
}

int main(int argc, char **argv)
{
	long count = argc > 1 ? atol(argv[1]) : 0;
	long repeats = argc > 2 ? atol(argv[2]) : 0;
	double best = -1;

	if (count < 1 || repeats < 1) {
		fprintf(stderr, "Usage: load COUNT REPEATS\n");
		return 129;
	}
	for (long r = 0; r < repeats; r++) {
		double start = cpu_ns(), each;

		for (long i = 0; i < count; i++)
			syscall(SYS_getppid);
		each = (cpu_ns() - start) / count;
		if (best < 0 || each < best)
			best = each;
	}
	printf("%.1f\n", best);
	return 0;
}
