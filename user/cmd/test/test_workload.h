/* SPDX-License-Identifier: GPL-2.0 */
/* The workload of a test of a source: it causes a known number of events. */
#ifndef KTRACE_CMD_TEST_TEST_WORKLOAD_H
#define KTRACE_CMD_TEST_TEST_WORKLOAD_H

#include "lib/error.h"
#include "lib/strbuf.h"

/* How often a workload causes its event. */
#define TEST_TIMES 100

/* Run a workload in this process.  EINVAL: there is none of that name. */
struct error *test_workload_run(const char *name);

/* Append "names, priorities, ...". */
void test_workload_add_names(struct strbuf *out);

#endif
