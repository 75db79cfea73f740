/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The header features perf knows: what the machine and the recording were.
 */
#ifndef KTRACE_FEATURES_MAX_H
#define KTRACE_FEATURES_MAX_H

#include <stdint.h>

#include "lib/error.h"
#include "lib/strbuf.h"
#include "perfdata/binaries.h"
#include "perfdata/layout.h"
#include "perfdata/writer.h"
#include "record/event.h"
#include "record/header.h"

/* What a feature's content is made from. */
struct feature_source {
	const struct event_list *events;
	const struct writer_info *info;
	const struct clock_pair *clock;		/* the first one; NULL: none */
	const struct binaries *binaries;	/* NULL: only the kernel is known */
	uint64_t first_sample_time, last_sample_time;	/* 0: no samples */
};

/* Append a string as features hold it: with its size before it, padded with NULs. */
void feature_add_string(struct strbuf *sb, const char *text);

/*
 * Append the content of @feature; nothing appended: the file goes without.
 * TRACING_DATA and FEATURE_KTRACE are not made here.
 */
struct error *feature_build(enum feature feature, const struct feature_source *source,
			    struct strbuf *ret);

/*
 * Take the content of a feature into @header, @events; @swapped: its numbers
 * are in the other byte order.  What is too short or not known is ignored.
 */
struct error *feature_parse(enum feature feature, const void *data, size_t size, bool swapped,
			    struct header *header, struct event_list *events);

#endif
