/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A `ktrace record` in a process of its own, for those who read live: its
 * records come through a pipe, as `ktrace record -o -` writes them.
 */
#ifndef KTRACE_SESSION_RECORDER_H
#define KTRACE_SESSION_RECORDER_H

#include <stdbool.h>
#include <sys/types.h>

#include "lib/error.h"

struct recorder {
	pid_t pid;		/* 0: none runs */
	int records;		/* end of the pipe to read from; -1 */
	int ready;		/* readable once it records, or has ended; -1 */
	int messages;		/* file with what it said, when kept; -1 */
	int signal;		/* the signal that ended it, once it was reaped; 0: none */
};

#define RECORDER_INIT { 0, -1, -1, -1, 0 }

/*
 * Run @program, found as execvp() does, with argv[0..] ended by NULL, which
 * begins with two words and must write to standard output.  @keep_messages:
 * what it says goes into a file instead of our standard error; what a command that it
 * runs prints still goes there.  @dies_with_us: it ends
 * when the calling thread does.
 */
struct error *recorder_start(const char *program, char *const *argv, bool keep_messages,
			     bool dies_with_us, struct recorder *ret);

/* Ask it to end as ^C does: the pipe then has the rest, and its end. */
void recorder_interrupt(struct recorder *recorder);

/* Wait for the word that it records; false: it has ended without one. */
bool recorder_records(const struct recorder *recorder);

/* Reap one that has closed its pipe by itself; its exit status. */
int recorder_wait(struct recorder *recorder);

/* The same, but one that does not end within some seconds is made to. */
int recorder_reap(struct recorder *recorder);

/* End it, whatever it does, and reap it; returns its exit status as a shell tells it. */
int recorder_finish(struct recorder *recorder);

/* What it said so far, when kept; free() it; NULL: nothing. */
char *recorder_messages(const struct recorder *recorder);

/* "/dev/fd/N" of records, to be opened as any file. */
void recorder_path(const struct recorder *recorder, char path[32]);

#endif
