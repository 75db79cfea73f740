/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The system calls of a kind of machine: names, and the types and names of arguments.
 */
#ifndef KTRACE_FORMAT_SYSCALLS_H
#define KTRACE_FORMAT_SYSCALLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/cleanup.h"
#include "lib/error.h"

#define SYSCALL_ARGS	6

/*
 * The calls of 32-bit tasks on x86-64 are numbered as on i386, plus this base.  Numbers of other
 * calls are below it.
 */
#define SYSCALL_I386	1024

/* Numbers from here on are no system calls. */
#define SYSCALL_NUMBERS	2048

struct syscall_arg {
	const char *type, *name;	/* "unsigned int", "fd" */
};

struct syscall_info {
	uint32_t number;
	const char *name;		/* "openat"; "syscall_470" if it is not known */
	bool known;
	unsigned int nr_args;		/* for an unknown call, all: "arg1" and so on */
	struct syscall_arg args[SYSCALL_ARGS];
	void *private;			/* for one consumer; NULL at first */
};

struct syscalls;

/* @arch is the machine's name from uname: "x86_64", "aarch64"; NULL: this machine. */
struct error *syscalls_create(const char *arch, struct syscalls **ret);
void syscalls_destroy(struct syscalls *syscalls);
DEFINE_CLEANUP_PTR(syscalls, struct syscalls, syscalls_destroy)

/* Returns NULL for numbers beyond the system calls; the result lives as long as @syscalls. */
struct syscall_info *syscalls_at(struct syscalls *syscalls, uint64_t number);

/*
 * Set @wanted for each known call whose name matches the glob @name.  As in perf, the names of the
 * kernel's functions match, too: "newstat".  Returns false if no call matches.
 */
bool syscalls_match(struct syscalls *syscalls, const char *name, bool wanted[SYSCALL_NUMBERS]);

/*
 * As syscalls_match(), for a group of strace, "file" or "%file".  Returns false if there is no such
 * group.
 */
bool syscalls_match_group(struct syscalls *syscalls, const char *name,
			  bool wanted[SYSCALL_NUMBERS]);

/* The name of a known call or group that is similar to @word; NULL: there is none. */
const char *syscalls_nearest(struct syscalls *syscalls, const char *word);

/* Whether 32-bit tasks with i386's calls are possible. */
bool syscalls_have_i386(const struct syscalls *syscalls);

/* Whether the machine numbers the flags of open() as ARM does. */
bool syscalls_of_arm(const struct syscalls *syscalls);

#endif
