/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Collects the coverage of a workload's events: which events fired, which fields changed their
 * values, and which named values and branches of the print fmt occurred.
 */
#ifndef KTRACE_CHECK_COVERAGE_H
#define KTRACE_CHECK_COVERAGE_H

#include <stddef.h>

#include "check/finding.h"
#include "lib/cleanup.h"
#include "lib/error.h"

struct coverage;

/* Create the coverage of all events in @results, which must outlive it. */
struct error *coverage_create(struct results *results, struct coverage **ret);
void coverage_destroy(struct coverage *coverage);
DEFINE_CLEANUP_PTR(coverage, struct coverage, coverage_destroy)

/* Find the number of an event; SIZE_MAX: it is not in the coverage. */
size_t coverage_find(const struct coverage *coverage, const char *system, const char *name);

/* Add the RAW payload of one sample of event @index, recorded by this kernel. */
void coverage_add(struct coverage *coverage, size_t index, const void *raw, size_t size);

/* Add findings for uncovered parts to the results. */
void coverage_report(struct coverage *coverage);

#endif
