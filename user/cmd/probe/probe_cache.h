/* SPDX-License-Identifier: GPL-2.0 */
/* ktrace probe --list --cache and --del --cache: the definitions in the cache (probe/cache.h). */
#ifndef KTRACE_CMD_PROBE_PROBE_CACHE_H
#define KTRACE_CMD_PROBE_PROBE_CACHE_H

#include <stdbool.h>
#include <stddef.h>

#include "lib/error.h"
#include "probe/binary.h"

/* Print the definitions that the @nr texts "[GROUP:]EVENT" name, or all; the texts may be globs. */
struct error *probe_cache_list(const char *const *texts, size_t nr);

/*
 * Delete the definitions that @text names, of one binary or, where the options name no binary, of
 * all.  ENOENT: it names none.  @dry_run: only print them.
 */
struct error *probe_cache_delete(const struct probe_binary_options *options, const char *text,
				 bool dry_run);

#endif
