/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Descriptions for sessions that have none of their own, as those that the module has begun when it
 * was loaded: by the formats of another recording of the kernel, or of the running one.
 */
#ifndef KTRACE_VMCORE_SESSION_FORMATS_H
#define KTRACE_VMCORE_SESSION_FORMATS_H

#include <stddef.h>

#include "lib/error.h"
#include "record/module_event.h"
#include "vmcore/session_table.h"

struct description;

/*
 * Whether the formats of @like (NULL: of the running kernel) are those of the kernel @release, as
 * far as it is known.  ENODATA: they are not.
 */
struct error *session_formats_check(const char *release, const struct description *like);

/* Give @session, which has no description, one of these events by the formats of @like. */
struct error *session_formats_describe(struct vmcore_session *session,
				       const struct module_event *items, size_t nr, int clockid,
				       const struct description *like);

#endif
