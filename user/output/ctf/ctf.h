/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The parts of the output ctf: the streams of CPUs, which ctf writes, with records of tasks and
 * maps (ctf_record), and the text that describes them (ctf_metadata).
 */
#ifndef KTRACE_OUTPUT_CTF_CTF_H
#define KTRACE_OUTPUT_CTF_CTF_H

#include <stdbool.h>
#include <stdint.h>

#include "format/event_format.h"
#include "lib/strbuf.h"
#include "record/event.h"
#include "record/header.h"

/* An event with samples. */
struct ctf_event {
	const struct event *event;	/* NULL: it has no samples */
	const struct event_format *format;	/* of its samples; NULL: the recording lacks it */
};

/*
 * Append the fields of a record of tasks or maps.  *ret_id is the number of its event.  Returns
 * false if it is another record, or damaged; nothing is appended then.
 */
bool ctf_record_add(struct strbuf *fields, const struct perf_event_header *header,
		    uint32_t *ret_id);

/* Append the description of these records. */
void ctf_records_describe(struct strbuf *out);

/*
 * Append the description of all streams: the header of packets, the clock, and the types of the
 * fields of each event's samples.  The number of an event is its position in @events.
 */
void ctf_metadata_add(struct strbuf *out, const struct header *header,
		      const struct ctf_event *events, size_t nr);

#endif
