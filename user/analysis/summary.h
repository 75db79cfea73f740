/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Counts the samples of each event, and those of each event in each thread under each of its
 * names.
 */
#ifndef KTRACE_ANALYSIS_SUMMARY_H
#define KTRACE_ANALYSIS_SUMMARY_H

#include "lib/cleanup.h"
#include "lib/strbuf.h"
#include "session/session.h"

struct summary;

struct error *summary_create(struct summary **ret);
void summary_destroy(struct summary *summary);
DEFINE_CLEANUP_PTR(summary, struct summary, summary_destroy)

struct session_consumer *summary_consumer(struct summary *summary);

/* Append both tables, the largest counts first; times in seconds. */
void summary_add(const struct summary *summary, struct strbuf *out);

#endif
