/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The values of the keys of data types: what the instructions of samples access, as perf report
 * prints it.
 */
#ifndef KTRACE_PROFILE_HISTOGRAM_HISTOGRAM_TYPES_H
#define KTRACE_PROFILE_HISTOGRAM_HISTOGRAM_TYPES_H

#include <stdint.h>

#include "lib/cleanup.h"
#include "lib/error.h"
#include "lib/strbuf.h"
#include "profile/histogram/histogram_keys.h"
#include "session/session.h"

/* What is known of the addresses so far; each is looked up once. */
struct histogram_types;

struct error *histogram_types_create(struct histogram_types **ret);
void histogram_types_destroy(struct histogram_types *types);
DEFINE_CLEANUP_PTR(histogram_types, struct histogram_types, histogram_types_destroy)

/*
 * Append the text of such a key for a sample, whose session has a machine, which must live as
 * long as samples come.
 */
struct error *histogram_types_add(struct histogram_types *types, enum histogram_key key,
				  const struct session_record *r, struct strbuf *out);

#endif
