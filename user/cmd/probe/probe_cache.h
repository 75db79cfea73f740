/* SPDX-License-Identifier: GPL-2.0 */
/*
 * ktrace probe --list --cache and --del --cache: the definitions that were kept (probe/cache.h).
 */
#ifndef KTRACE_CMD_PROBE_PROBE_CACHE_H
#define KTRACE_CMD_PROBE_PROBE_CACHE_H

#include <stdbool.h>
#include <stddef.h>

#include "lib/error.h"
#include "probe/binary.h"

/* Print those that one of @nr texts "[GROUP:]EVENT" names, or all; the texts may be globs. */
struct error *probe_cache_list(const char *const *texts, size_t nr);

/*
 * Forget what @text names, of one binary or, where the options name none, of all.  ENOENT: it
 * names nothing.  @dry_run: only say what would be removed.
 */
struct error *probe_cache_delete(const struct probe_binary_options *options, const char *text,
				 bool dry_run);

#endif
