/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Events that live as long as one command, named in -e:
 *
 *	k:[MODULE:]FUNC[+OFFS|%return|:LINE][(ARG, ...)]	the kernel
 *	u:FILE:FUNC...[(ARG, ...)]				a program
 *	f:GLOB							entries and returns of functions of
 *								the kernel
 *
 * The commands find these functions in the plugin.
 */
#ifndef KTRACE_PROBE_TEMPORARY_H
#define KTRACE_PROBE_TEMPORARY_H

#include "lib/error.h"
#include "lib/strbuf.h"
#include "spec/event_spec.h"

/*
 * Add the events of @text, and append their names to @ret in the form for -e:
 * "k:vfs_read,k:vfs_write".  They are removed when this process ends.  Events that the ktrace
 * module can record by itself are appended to @specs instead, unless that is NULL.
 */
typedef struct error *(*probe_temporary_fn)(const char *text, struct event_specs *specs,
					    struct strbuf *ret);
struct error *probe_temporary(const char *text, struct event_specs *specs, struct strbuf *ret);

/* Remove them now, when they are no longer recorded, and wait until they are gone. */
typedef void (*probe_temporary_end_fn)(void);
void probe_temporary_end(void);

#endif
