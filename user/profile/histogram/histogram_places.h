/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The values of samples that depend on addresses: source lines, where branches begin and end,
 * and which data was accessed; as perf report prints them.
 */
#ifndef KTRACE_PROFILE_HISTOGRAM_HISTOGRAM_PLACES_H
#define KTRACE_PROFILE_HISTOGRAM_HISTOGRAM_PLACES_H

#include "profile/histogram/histogram_keys.h"
#include "profile/histogram/histogram_values.h"

/*
 * Append the text of the value of such a key.  *ret_number is by what values are sorted, as
 * perf does.  Returns false if the value is that number itself.
 */
bool histogram_place_text(struct strbuf *out, enum histogram_key key,
			  const struct histogram_options *options,
			  const struct histogram_subject *subject, uint64_t *ret_number);

#endif
