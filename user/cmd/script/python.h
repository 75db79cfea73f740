/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Runs an event script: live, with or without a command, or over a file.
 */
#ifndef KTRACE_CMD_SCRIPT_PYTHON_H
#define KTRACE_CMD_SCRIPT_PYTHON_H

#include <stdbool.h>

#include "lib/error.h"
#include "spec/prof_spec.h"

struct python_options {
	struct prof_specs specs;
	const char *input;		/* -i FILE; NULL: live */
	const char *cpus, *pids, *tids, *pages;
	unsigned int interval_ms, max_samples;
	bool callchain, user_frames, no_user_frames, no_kernel_frames;
	char **command;			/* NULL: none */
};

/* @argv[0] is the module, and the rest are its arguments. */
struct error *python_run(struct python_options *options, int argc, char **argv, int *ret_status);

#endif
