/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The checks of `ktrace doctor`, one per row.  They read files of proc, sysfs, tracefs and the
 * module's folder, which tests can replace.  Only on this machine they also query the device.
 */
#ifndef KTRACE_CAPTURE_DOCTOR_H
#define KTRACE_CAPTURE_DOCTOR_H

#include "lib/strbuf.h"

enum doctor_status {
	DOCTOR_OK = 0,
	DOCTOR_LIMITED,		/* some recordings are possible */
	DOCTOR_BLOCKED,		/* nothing can be recorded */
};

struct doctor_result {
	enum doctor_status status;
	struct strbuf value;	/* the observed value */
	struct strbuf next;	/* a command to paste, or another next step; empty when ok */
};

void doctor_result_deinit(struct doctor_result *result);
DEFINE_CLEANUP(doctor_result, struct doctor_result, doctor_result_deinit)

struct doctor_check {
	const char *name;
	/* @root is put before every path: "" for this machine. */
	void (*run)(const char *root, struct doctor_result *ret);
};

/* In the order they are printed, ended by a row without a name. */
extern const struct doctor_check doctor_checks[];

#endif
