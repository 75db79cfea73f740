/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Runs a program in a process of its own.
 *
 * The caller reaps it: by spawn_wait(), by waitpid() where it does not want to block, or by
 * ending_wait() (lib/ending.h) where signals are passed on.  All our descriptors should be
 * close-on-exec, so that the program gets only the descriptors that are passed here.
 */
#ifndef KTRACE_LIB_SPAWN_H
#define KTRACE_LIB_SPAWN_H

#include <stdbool.h>
#include <sys/types.h>

#include "lib/error.h"

struct spawn {
	const char *program;	/* found as execvp() does */
	char *const *argv;	/* ended by NULL */
	int out, errors;	/* its standard output and error; 0: ours */
	bool out_to_errors;	/* its standard output goes where its standard error goes */
	const int *passed;	/* more descriptors to pass, ended by 0; NULL: none */

	/*
	 * Put it into another process group, so that the terminal's ^C does not reach it.  No
	 * signal is blocked, and INT and PIPE have their default actions.  Otherwise it inherits
	 * all of this.
	 */
	bool detached;
	/* No signal is blocked in it, although we block some. */
	bool unblocked;
	/* It gets SIGTERM when the thread that starts it ends. */
	bool dies_with_us;
	/* With spawn_gated(): the name of the process until its program runs. */
	const char *waiting_name;
};

/*
 * Start the program.  If it cannot be run, the process prints the reason to its standard error and
 * ends with status 127.
 */
struct error *spawn(const struct spawn *spawn, pid_t *ret);

/* A process that waits before it executes its program. */
struct spawn_gate {
	int go;			/* closing it without writing ends the process */
	int failed;		/* reports the errno of a failed exec */
};

/*
 * Start the process, but let it wait for spawn_open_gate() before it executes the program.  The
 * caller ends the wait, or the process, by spawn_close_gate().
 */
struct error *spawn_gated(const struct spawn *spawn, pid_t *ret, struct spawn_gate *ret_gate);

/*
 * Let the process execute @program, and wait until it does.  The error gives the reason of a
 * failure.
 */
struct error *spawn_open_gate(struct spawn_gate *gate, const char *program);

/* Close the gate.  A process that still waits ends with status 1.  It may be called again. */
void spawn_close_gate(struct spawn_gate *gate);

/* Wait until @pid has ended, also after signals.  Returns its status as spawn_status() does. */
int spawn_wait(pid_t pid);

/* Convert a status of wait() to one of a shell: signals are 128 and their number. */
int spawn_status(int wait_status);

#endif
