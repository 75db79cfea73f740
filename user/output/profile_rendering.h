/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Shared code of outputs that show where samples fall: they collect a profile of all samples, and
 * write it at the end.
 */
#ifndef KTRACE_OUTPUT_PROFILE_RENDERING_H
#define KTRACE_OUTPUT_PROFILE_RENDERING_H

#include "output/rendering.h"
#include "profile/profile.h"

/* Write the whole profile to request->out. */
typedef struct error *(*profile_write_fn)(const struct rendering_request *request,
					  const struct profile *profile);

/* The request sets no_inline. */
struct error *profile_rendering_open(const struct rendering_request *request,
				     const struct profile_options *options, profile_write_fn write,
				     struct rendering **ret);

/* The parent of each node, to be freed; NULL: out of memory. */
uint32_t *profile_parents(const struct profile *profile);

/*
 * Append the name of a function in the form that programs for flame graphs expect, with "_[k]"
 * behind those of the kernel and "_[i]" behind inlined ones.  Characters of @reserved, and line
 * ends, become '_'.
 */
void profile_add_name(struct strbuf *out, const struct profile_function *function,
		      const char *reserved);

/*
 * Find the only event with samples.  EINVAL: there are several; the error names @format, which can
 * hold one.
 */
struct error *profile_only_event(const struct profile *profile, const char *format,
				 size_t *ret_event);

/* "ns" for clocks, wall time and the profile's own events, which count nanoseconds; else "". */
const char *profile_unit(const struct rendering_request *request, size_t event);

/* The name of an event of the recording, or of an event that the profile adds. */
const char *profile_event_name(const struct rendering_request *request,
			       const struct profile *profile, size_t event);

#endif
