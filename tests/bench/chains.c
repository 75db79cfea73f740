// SPDX-License-Identifier: GPL-2.0
/*
 * Deep and changing call chains for so many seconds of CPU time. Some end in the kernel.
 */
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static volatile unsigned long sink;

static __attribute__((noinline)) unsigned long leaf(unsigned long x)
{
	for (int i = 0; i < 200; i++)
		x = x * 3 + i;
	return sink = x;
}

static unsigned long down(unsigned long x, int depth);

static __attribute__((noinline)) unsigned long further(unsigned long x, int depth)
{
	return depth ? down(x + 1, depth - 1) + down(x, 0) : leaf(x);
}

static __attribute__((noinline)) unsigned long down(unsigned long x, int depth)
{
	return depth ? further(x + 1, depth - 1) + 1 : leaf(x) + getppid();
}

int main(int argc, char **argv)
{
	clock_t end = (argc > 1 ? atoi(argv[1]) : 1) * CLOCKS_PER_SEC;

	while (clock() < end)
		for (int i = 0; i < 100; i++)
			sink += down(i, 12 + i % 8);
	return 0;
}
