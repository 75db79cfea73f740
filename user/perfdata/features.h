/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Builds and parses the header features of perf, which describe the machine and the recording.
 */
#ifndef KTRACE_FEATURES_MAX_H
#define KTRACE_FEATURES_MAX_H

#include <stdint.h>

#include "lib/error.h"
#include "lib/strbuf.h"
#include "perfdata/binaries.h"
#include "perfdata/layout.h"
#include "perfdata/write/writer.h"
#include "record/event.h"
#include "record/header.h"

/* The input of feature_build(). */
struct feature_source {
	const struct event_list *events;
	const struct writer_info *info;
	const struct clock_pair *clock;		/* the first one; NULL: none */
	struct binaries *binaries;	/* NULL: only the kernel's build id is known */
	uint64_t first_sample_time, last_sample_time;	/* 0: no samples */
};

/*
 * The size in bytes of each attr in the recording.  It is the size that perf 6.1 knows, because
 * perf refuses files with larger attrs.  If an event uses members behind that size, it is larger.
 */
size_t feature_attr_size(const struct event_list *events);

/*
 * Append the content of @feature.  If nothing is appended, the file has no such feature.
 * TRACING_DATA and FEATURE_KTRACE are built elsewhere.
 */
struct error *feature_build(enum feature feature, const struct feature_source *source,
			    struct strbuf *ret);

/*
 * Parse the content of a feature into @header and @events.  @swapped: its numbers are in the other
 * byte order.  Content that is too short or not known is ignored.
 */
struct error *feature_parse(enum feature feature, const void *data, size_t size, bool swapped,
			    struct header *header, struct event_list *events);

#endif
