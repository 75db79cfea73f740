/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The command line of a `ktrace record` that another command runs, made of typed members.
 */
#ifndef KTRACE_RECORDER_COMMAND_H
#define KTRACE_RECORDER_COMMAND_H

#include <stdbool.h>
#include <stddef.h>

#include "terminal/words.h"

struct recorder_event {
	const char *event;	/* as -e takes it */
	const char *filter;	/* of this event; NULL: none */
};

/* Strings are as the options take them; NULL, 0 and false: not given.  All is borrowed. */
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
	char *const *command;		/* what is run meanwhile, ended by NULL */
	const char *ready, *command_output;	/* descriptors; recorder_child_start() sets them */
};

/* Append the command line, which begins with @program and asks for no messages but errors. */
void recorder_command_add(const struct recorder_command *command, const char *program,
			  struct words *words);

#endif
