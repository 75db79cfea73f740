/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The checks of `ktrace doctor`, one per row.  They read only files of proc, sysfs, tracefs
 * and the module's folder, so that tests can replace these.
 */
#ifndef KTRACE_CAPTURE_DOCTOR_H
#define KTRACE_CAPTURE_DOCTOR_H

#include "lib/strbuf.h"

enum check_status {
	CHECK_OK = 0,
	CHECK_LIMITED,		/* some recording works, but not everything */
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
