/* SPDX-License-Identifier: GPL-2.0 */
/* The sources of events that are tested, each by the ways in which it can be captured. */
#ifndef KTRACE_CMD_TEST_TEST_SOURCE_H
#define KTRACE_CMD_TEST_TEST_SOURCE_H

#include <stdbool.h>
#include <stddef.h>

#include "lib/error.h"
#include "lib/strbuf.h"

/* A source and a way. */
struct test_source;

/* The tests, each once; NULL: there is none of that number, from 0. */
const struct test_source *test_source_at(size_t number);

/* Append "tracepoint by perf_event". */
void test_source_add_name(const struct test_source *source, struct strbuf *out);

/* The result of a test. */
struct test_report {
	struct strbuf text;	/* its steps in KTAP, indented; empty if it was skipped */
	struct strbuf skipped;	/* why it cannot work here, and the next step; empty if it can */
	bool failed;
};

void test_report_deinit(struct test_report *report);
DEFINE_CLEANUP(test_report, struct test_report, test_report_deinit)

/*
 * Test a source; @folder is for its recording.  An error is a failure of the test itself, not of
 * the source.
 */
struct error *test_source_run(const struct test_source *source, const char *folder,
			      struct test_report *ret);

#endif
