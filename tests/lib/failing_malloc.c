// SPDX-License-Identifier: GPL-2.0
/*
 * LD_PRELOAD: memory runs out for ktrace itself, not for libraries.  FAIL_AT=N: the Nth allocation
 * fails; with FAIL_ALL also all that follow.  FAIL_COUNT: print their number at the end.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t nr, size_t size);
void *__libc_realloc(void *old, size_t size);

static long allocations, at = -1;
static bool all;

__attribute__((constructor)) static void begin(void)
{
	at = getenv("FAIL_AT") ? atol(getenv("FAIL_AT")) : -1;
	all = getenv("FAIL_ALL");
}

__attribute__((destructor)) static void end(void)
{
	if (getenv("FAIL_COUNT"))
		dprintf(2, "allocations: %ld\n", allocations);
}

static bool fails(const void *caller)
{
	Dl_info info;
	long now;

	if (!dladdr(caller, &info) || !info.dli_fname || !strstr(info.dli_fname, "ktrace"))
		return false;
	now = __sync_add_and_fetch(&allocations, 1);
	if (now != at && !(all && at >= 0 && now > at))
		return false;
	errno = ENOMEM;
	return true;
}

void *malloc(size_t size)
{
	return fails(__builtin_return_address(0)) ? NULL : __libc_malloc(size);
}

void *calloc(size_t nr, size_t size)
{
	return fails(__builtin_return_address(0)) ? NULL : __libc_calloc(nr, size);
}

void *realloc(void *old, size_t size)
{
	return fails(__builtin_return_address(0)) ? NULL : __libc_realloc(old, size);
}
