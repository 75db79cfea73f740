/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Counts, for a capture through perf_event, how many samples of each event were recorded,
 * filtered by us, and lost.
 */
#ifndef KTRACE_CAPTURE_PERF_PERF_LEDGER_H
#define KTRACE_CAPTURE_PERF_PERF_LEDGER_H

#include "capture/perf/perf_capture.h"

/* The visitor of all rings: it counts samples, and drops those that a filter of ours rejects. */
bool perf_ledger_visit(struct ring_visitor *visitor, const struct ring *ring,
		       const struct perf_event_header *header);

/*
 * After capturing has stopped: add the @nth ring's rows to the ledger, and write LOST records
 * for losses that no record in the ring reports.
 */
struct error *perf_ledger_add(struct perf_capture *c, uint32_t nth, struct record_sink *sink,
			      struct ledger *ledger);

#endif
