/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What `ktrace doctor` looks at: one check per row, each reading files of
 * proc, sysfs, tracefs and the module's folder only, so that tests can give
 * them other ones.
 */
#ifndef KTRACE_CAPTURE_CHECK_H
#define KTRACE_CAPTURE_CHECK_H

#include "lib/strbuf.h"

enum check_status {
	CHECK_OK = 0,
	CHECK_LIMITED,		/* recording works, but not all of it */
	CHECK_BLOCKED,		/* nothing can be recorded */
};

struct check_result {
	enum check_status status;
	struct strbuf value;	/* what was seen */
	struct strbuf next;	/* a command to paste, or what to do; empty when ok */
};

void check_result_deinit(struct check_result *result);
DEFINE_CLEANUP(check_result, struct check_result, check_result_deinit)

struct check {
	const char *name;
	/* @root is put before every path: "" for this machine. */
	void (*run)(const char *root, struct check_result *ret);
};

/* In the order they are printed, ended by a row without a name. */
extern const struct check checks[];

#endif
