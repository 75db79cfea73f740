/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Descriptions for sessions without one, such as sessions that the module began when it was loaded.
 * They use the formats of another recording of the kernel, or of the running one.
 */
#ifndef KTRACE_VMCORE_SESSION_FORMATS_H
#define KTRACE_VMCORE_SESSION_FORMATS_H

#include <stddef.h>

#include "lib/error.h"
#include "record/module_event.h"
#include "vmcore/session_table.h"

struct description;

/*
 * Check that the formats of @like (NULL: of the running kernel) are those of the kernel @release.
 * An unknown release matches any @like, but not the running kernel.  ENODATA: they do not match.
 */
struct error *session_formats_check(const char *release, const struct description *like);

/* Describe these events of @session, which has no description, by the formats of @like. */
struct error *session_formats_describe(struct vmcore_session *session,
				       const struct module_event *items, size_t nr, int clockid,
				       const struct description *like);

#endif
