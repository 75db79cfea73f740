/* SPDX-License-Identifier: GPL-2.0 */
/*
 * One decoded PERF_RECORD_SAMPLE, or the decoded sample_id of another record.  Pointers point
 * into the record and are valid as long as the record.
 */
#ifndef KTRACE_RECORD_SAMPLE_H
#define KTRACE_RECORD_SAMPLE_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "record/event.h"

/*
 * In call chains since Linux 6.19: the user's frames may come later, in a record of their own.  The
 * number behind this mark is in both records.
 */
#define SAMPLE_CONTEXT_USER_DEFERRED	((uint64_t)-640)

/*
 * Whether an address can be one of user space.  Above these 48 bits, no architecture maps anything
 * unless a program requests an address there.
 */
static inline bool sample_is_user_address(uint64_t address)
{
	return !(address >> 48);
}

/* One value of PERF_SAMPLE_READ. */
struct sample_value {
	uint64_t value;
	uint64_t id;		/* 0 without PERF_FORMAT_ID */
	uint64_t lost;		/* 0 without PERF_FORMAT_LOST */
};

/* Values that were not sampled are -1 for pid, tid and cpu, and 0 or NULL otherwise. */
struct sample {
	uint64_t id, ip, time, addr, stream_id, period;
	uint64_t transaction, data_src, phys_addr, cgroup;
	uint64_t data_page_size, code_page_size;
	uint64_t weight;	/* PERF_SAMPLE_WEIGHT, or var1_dw of WEIGHT_STRUCT */
	uint16_t ins_lat;	/* var2_w of WEIGHT_STRUCT */
	int32_t pid, tid, cpu;
	uint8_t cpumode;	/* PERF_RECORD_MISC_CPUMODE bits of header->misc */

	/* PERF_SAMPLE_READ as in the record, by read_format; sample_values() decodes it. */
	const uint64_t *read;
	size_t read_words;

	const uint64_t *callchain;	/* with context markers */
	uint64_t nr_callchain;

	const void *raw;		/* PERF_SAMPLE_RAW; padding included */
	uint32_t raw_size;

	const void *branch_stack;	/* struct perf_branch_entry[] */
	uint64_t nr_branches;

	uint64_t user_abi, intr_abi;
	const uint64_t *user_regs, *intr_regs;	/* as many as the attr's mask has bits */
	const void *user_stack;
	uint64_t user_stack_size;	/* bytes that were copied */
};

/*
 * Decode @header by the layout of @event.  Returns false if the record is shorter than its
 * layout requires, which means that it is corrupt; *ret is then undefined.
 */
bool sample_decode(const struct event *event,
		   const struct perf_event_header *header, struct sample *ret);

/* The size of the sample_id behind records that are not samples, bytes. */
size_t sample_id_size(const struct perf_event_attr *attr);

/*
 * Decode the sample_id at the end of a record that is not a sample: id, pid, tid, time,
 * stream_id, cpu.  Returns false if the record has none.
 */
bool sample_id_decode(const struct event *event,
		      const struct perf_event_header *header, struct sample *ret);

/*
 * Decode the values of PERF_SAMPLE_READ, at most @max, and return their count.  *enabled and
 * *running are 0 if the read_format does not include them.
 */
size_t sample_values(const struct event *event, const struct sample *sample,
		     struct sample_value *values, size_t max,
		     uint64_t *enabled, uint64_t *running);

#endif
