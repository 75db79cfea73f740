/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Runs `ktrace record` in a process of its own, for live readers: its records come through a pipe,
 * as `ktrace record -o -` writes them.
 */
#ifndef KTRACE_RECORDER_CHILD_H
#define KTRACE_RECORDER_CHILD_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "lib/error.h"
#include "terminal/words.h"

/* The command line of a `ktrace record` that another command runs, as a structure. */
struct recorder_event {
	const char *event;	/* the argument of -e */
	const char *filter;	/* of this event; NULL: none */
};

/* Strings are arguments of options; NULL, 0 and false: not given.  All pointers are borrowed. */
struct recorder_command {
	const struct recorder_event *events;
	size_t nr_events;
	bool all_cpus;
	const char *cpus, *pids, *tids;
	const char *output;		/* "-": standard output */
	const char *clock, *via, *path, *fields, *pages;
	const char *latency;		/* ms */
	bool callchain, addr, switches;
	char *const *others;		/* further options, ended by NULL */
	char *const *command;		/* program to run meanwhile, ended by NULL */
	const char *ready, *command_output;	/* descriptors; recorder_child_start() sets them */
};

/* Append the command line, which begins with @program and suppresses all messages but errors. */
void recorder_command_add(const struct recorder_command *command, const char *program,
			  struct words *words);

struct recorder_child {
	pid_t pid;		/* 0: none runs */
	int records;		/* read end of the pipe; -1: closed */
	int ready;		/* becomes readable when it records, or has ended; -1: closed */
	int messages;		/* file with its messages, if they are kept; -1: none */
	int signal;		/* the signal that ended it, once reaped; 0: none */
};

#define RECORDER_CHILD_INIT { 0, -1, -1, -1, 0 }

struct recorder_child_options {
	const char *program;	/* the tool, found as execvp() does */
	struct recorder_command command;	/* without an output, it writes into the pipe */
	/*
	 * Write its messages to a file instead of our standard error.  The output of a command that
	 * it runs still goes there.
	 */
	bool keep_messages;
	bool dies_with_us;	/* it ends when the calling thread does */
};

/* The running tool, as the program of a child. */
#define RECORDER_CHILD_SELF "/proc/self/exe"

struct error *recorder_child_start(const struct recorder_child_options *options,
				   struct recorder_child *ret);

/* Request its end, as ^C does: the pipe then gives the remaining records, and ends. */
void recorder_child_interrupt(struct recorder_child *recorder);

/* Wait until it records; false: it has ended before. */
bool recorder_child_records(const struct recorder_child *recorder);

/* Reap a recorder that has closed its pipe by itself; returns its exit status. */
int recorder_child_wait(struct recorder_child *recorder);

/* As recorder_child_wait(), but force its end after a few seconds. */
int recorder_child_reap(struct recorder_child *recorder);

/* End it in any case, and reap it; returns its exit status as a shell would. */
int recorder_child_finish(struct recorder_child *recorder);

/* Its messages so far, if they are kept; free() it; NULL: there are none. */
char *recorder_child_messages(const struct recorder_child *recorder);

/* The path "/dev/fd/N" of `records`, which can be opened like any file. */
void recorder_child_path(const struct recorder_child *recorder, char path[32]);

#endif
