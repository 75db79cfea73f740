/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Selects which columns of a line are printed: -F, with perf script's names, types, defaults
 * and rules.
 */
#ifndef KTRACE_OUTPUT_TEXT_TEXT_FIELDS_H
#define KTRACE_OUTPUT_TEXT_TEXT_FIELDS_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/error.h"
#include "lib/strbuf.h"
#include "record/event.h"

enum text_field {
	TEXT_COMM	= 1 << 0,
	TEXT_TID	= 1 << 1,
	TEXT_PID	= 1 << 2,
	TEXT_TIME	= 1 << 3,
	TEXT_CPU	= 1 << 4,
	TEXT_EVENT	= 1 << 5,
	TEXT_TRACE	= 1 << 6,
	TEXT_IP		= 1 << 7,
	TEXT_SYM	= 1 << 8,
	TEXT_DSO	= 1 << 9,
	TEXT_ADDR	= 1 << 10,
	TEXT_SYMOFF	= 1 << 11,
	TEXT_PERIOD	= 1 << 12,
	TEXT_MISC	= 1 << 13,
	TEXT_WEIGHT	= 1 << 14,
	TEXT_INS_LAT	= 1 << 15,
	TEXT_PHYS_ADDR	= 1 << 16,
	TEXT_DATA_PAGE_SIZE = 1 << 17,
	TEXT_CODE_PAGE_SIZE = 1 << 18,
	TEXT_SRCLINE	= 1 << 20,
	TEXT_DATA_SRC	= 1 << 21,
	TEXT_IREGS	= 1 << 22,
	TEXT_UREGS	= 1 << 23,
	TEXT_BRSTACK	= 1 << 24,
	TEXT_BRSTACKSYM	= 1 << 25,
	TEXT_BRSTACKOFF	= 1 << 26,
	TEXT_ORIGIN	= 1 << 27,	/* ktrace's: the name of the recording */
	TEXT_COMMON	= 1 << 19,	/* ktrace's: the synthesized common fields */
	TEXT_FLAGS	= 1 << 28,
	TEXT_BPF_OUTPUT	= 1 << 29,
	TEXT_TOD	= 1 << 30,
	TEXT_INSN	= 1ULL << 31,
	TEXT_INSNLEN	= 1ULL << 32,
	TEXT_SRCCODE	= 1ULL << 33,
	TEXT_CGROUP	= 1ULL << 34,
};

/* perf's kinds of events; each has columns of its own. */
enum text_kind {
	TEXT_HARDWARE	= PERF_TYPE_HARDWARE,
	TEXT_SOFTWARE	= PERF_TYPE_SOFTWARE,
	TEXT_TRACEPOINT	= PERF_TYPE_TRACEPOINT,
	TEXT_HW_CACHE	= PERF_TYPE_HW_CACHE,
	TEXT_RAW	= PERF_TYPE_RAW,
	TEXT_BREAKPOINT	= PERF_TYPE_BREAKPOINT,
	TEXT_OTHER,
	TEXT_SYNTH,
	TEXT_KINDS,
};

struct text_columns {
	uint64_t fields;	/* enum text_field */
	uint64_t wanted;	/* selected by name: an event that lacks them is an error */
	bool set, set_by_all;	/* set by the user; by a -F without a kind */
};

struct text_fields {
	struct text_columns kinds[TEXT_KINDS];
};

/* Set perf's defaults. */
void text_fields_init(struct text_fields *fields);

/* Append the names of all fields, "comm, tid, ...". */
void text_fields_add_names(struct strbuf *out);

/* Apply one -F argument: "[KIND:]FIELD,..." or "[KIND:]+FIELD,-FIELD". */
struct error *text_fields_parse(struct text_fields *fields, const char *text);

enum text_kind text_kind_of(const struct event *event);

/*
 * Drop the columns that the events of a recording do not have.  It is an error if the user named
 * such a column.  @chains: call chains are shown.
 */
struct error *text_fields_check(struct text_fields *fields, const struct event_list *events,
				bool chains);

#endif
