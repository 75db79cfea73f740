/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The keys that distinguish samples, and the columns that are shown: the keys and fields of perf
 * report -s and -F.
 */
#ifndef KTRACE_PROFILE_HISTOGRAM_HISTOGRAM_KEYS_H
#define KTRACE_PROFILE_HISTOGRAM_HISTOGRAM_KEYS_H

#include <assert.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/error.h"
#include "lib/strbuf.h"

enum histogram_key {
	KEY_COMM = 1,
	KEY_DSO,
	KEY_SYMBOL,
	KEY_PID,
	KEY_CPU,
	/* The values of these are in histogram_entry.extra. */
	KEY_TIME,
	KEY_TRACE,
	KEY_FIELD,
	KEY_WEIGHT,
	KEY_LOCAL_WEIGHT,
	KEY_INS_LAT,
	KEY_LOCAL_INS_LAT,
	KEY_PARENT,
	KEY_SOCKET,
	KEY_CGROUP,
	KEY_TRANSACTION,
	KEY_CODE_PAGE_SIZE,
	KEY_WAKER,
	KEY_TASK_STATE,
	KEY_ORIGIN,
	KEY_PARALLELISM,
	/* These depend on the location of the sample, so callers have none. */
	KEY_SRCLINE,
	KEY_SRCFILE,
	KEY_TYPE,
	KEY_TYPEOFF,
	KEY_TYPECLN,
	KEY_SYMOFF,
	KEY_ADDR,
	KEY_SYMBOL_SIZE,
	KEY_DSO_SIZE,
	/* Of accesses to memory: --mem-mode. */
	KEY_MEM,
	KEY_SNOOP,
	KEY_TLB,
	KEY_LOCKED,
	KEY_BLOCKED,
	KEY_SYMBOL_DADDR,
	KEY_DSO_DADDR,
	KEY_SYMBOL_IADDR,
	KEY_PHYS_DADDR,
	KEY_DCACHELINE,
	KEY_DATA_PAGE_SIZE,
	/* Of branches: -b. */
	KEY_DSO_FROM,
	KEY_DSO_TO,
	KEY_SYMBOL_FROM,
	KEY_SYMBOL_TO,
	KEY_ADDR_FROM,
	KEY_ADDR_TO,
	KEY_SRCLINE_FROM,
	KEY_SRCLINE_TO,
	KEY_MISPREDICT,
	KEY_IN_TX,
	KEY_ABORT,
	KEY_CYCLES,
	HISTOGRAM_KEYS,
};

static_assert(HISTOGRAM_KEYS <= 64, "keys and metrics have different numbers");

static inline bool histogram_key_is_of_place(enum histogram_key key)
{
	return key >= KEY_SRCLINE && key <= KEY_DSO_SIZE;
}

/* Whether a key is about the object that the instruction accesses. */
static inline bool histogram_key_is_of_type(enum histogram_key key)
{
	return key >= KEY_TYPE && key <= KEY_TYPECLN;
}

static inline bool histogram_key_is_of_memory(enum histogram_key key)
{
	return key >= KEY_MEM && key <= KEY_DATA_PAGE_SIZE;
}

static inline bool histogram_key_is_of_branch(enum histogram_key key)
{
	return key >= KEY_DSO_FROM;
}

/* Sums that are shown but distinguish no entries. */
enum histogram_metric {
	METRIC_CHILDREN = 64,
	METRIC_OVERHEAD,
	METRIC_SYS,
	METRIC_USER,
	METRIC_SAMPLES,
	METRIC_PERIOD,
	METRIC_LATENCY,
};

#define MAX_KEYS	16
#define MAX_COLUMNS	32

/* The name of a field of a tracepoint. */
struct histogram_field {
	char name[64];
	uint32_t event;		/* index of its only event, + 1; 0: any event */
	bool raw;		/* shown as a number even if the print fmt has a name for it */
};

struct event_list;
struct formats;
struct histogram_options;

/* The arguments of the command line; texts may be NULL. */
struct histogram_words {
	/* The recording's, for EVENT.FIELD; NULL: not known before; borrowed. */
	const struct event_list *events;
	const struct formats *formats;
	const char *keys, *fields;	/* "+KEYS" adds to the default columns */
	const char *defaults;		/* keys without -s and -F */
	const char *added;		/* a key that is added to them; NULL: none */
	bool samples, period, cpu_use;
	bool latency;			/* sort by it; a key `latency` does the same */
	bool raw;			/* all fields of tracepoints as with /raw */
};

/* The name of a key that is no field. */
const char *histogram_key_name(enum histogram_key key);

/* Append the names of all keys, "comm, dso, ...". */
void histogram_keys_add_names(struct strbuf *out);

/*
 * Parse "comm,dso,sym" into options->keys.  Only keys that need no call chains, branches or
 * accesses are accepted.
 */
struct error *histogram_keys_parse(struct histogram_options *options, const char *text);

/* Whether the options need the recording's task switches. */
bool histogram_needs_switches(const struct histogram_options *options);

/* Set the keys, columns and order of @options; `children` must be set before. */
struct error *histogram_columns_parse(struct histogram_options *options,
				      const struct histogram_words *words);

/* Set the columns if they are not set yet: percentages, then one for each key. */
void histogram_columns_complete(struct histogram_options *options);

/*
 * A column is a metric, or the position of a key + 1.  Returns whether it is a position, and stores
 * it.
 */
static inline bool histogram_column_is_key(uint8_t column, size_t *position)
{
	*position = column - 1;
	return column < METRIC_CHILDREN;
}

#endif
