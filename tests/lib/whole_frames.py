# SPDX-License-Identifier: GPL-2.0
"""A program all of whose call chains are whole: of others, such as a shell, perf takes any word of
the stack for a frame, which ktrace does not."""
from tool import path, run, write

PROGRAM = '''
#include <signal.h>
#include <sys/syscall.h>
volatile unsigned long sink;
static long call(long number, long a)
{
#ifdef __x86_64__
	asm volatile("syscall" : "+a"(number) : "D"(a), "S"(0), "d"(0) : "rcx", "r11", "memory");
	return number;
#else
	register long nr asm("x8") = number, x0 asm("x0") = a, x1 asm("x1") = 0, x2 asm("x2") = 0;

	asm volatile("svc 0" : "+r"(x0) : "r"(nr), "r"(x1), "r"(x2) : "memory");
	return x0;
#endif
}
__attribute__((noinline)) unsigned long leaf(unsigned long x)
{
	for (int i = 0; i < 3000; i++)
		x = x * 3 + i;
	return sink = x;
}
__attribute__((noinline)) unsigned long down(unsigned long x, int depth)
{
	return depth ? down(x + 1, depth - 1) + 1 : leaf(x) + call(SYS_getppid, 0);
}
void _start(void)
{
	const long pause[2] = { 0, 100000 };

	*(void **)__builtin_frame_address(0) = 0;
	for (int i = 0; i < 20000; i++) {
		sink += down(i, i % 5);
		if (i == 5000)
			call(SYS_clone, SIGCHLD);
		if (i % 1000 == 0)
			call(SYS_nanosleep, (long)&pause);
	}
	call(SYS_exit, 0);
}
'''


def build_whole_frames(name):
    """The path of the program, which is built with this name. It runs for about 0.1 CPU seconds, the
    last part of it in two processes, and sleeps now and then."""
    write(name + '.c', PROGRAM)
    run('cc', '-O1', '-fno-omit-frame-pointer', '-fno-optimize-sibling-calls', '-nostdlib', '-static',
        '-o', path(name), path(name + '.c'), check=True)
    return path(name)
