/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Saved definitions of probes in perf's cache of binaries (symbol/binary_cache.h), which both tools
 * use.  The file "probes" of a binary has a line "#DEFINITION" for each definition, "%DEFINITION"
 * for a marker, and behind it the lines for tracefs.  They are valid for this build id alone.
 * Adding the probe again needs no debug information.
 */
#ifndef KTRACE_PROBE_CACHE_H
#define KTRACE_PROBE_CACHE_H

#include <stdbool.h>
#include <stddef.h>

#include "lib/array.h"
#include "lib/build_id.h"
#include "lib/cleanup.h"
#include "lib/error.h"
#include "probe/binary.h"
#include "probe/event.h"

struct kept_probe {
	char *definition;
	bool is_marker;
	struct probe_events events;
};

/* The saved definitions of one binary. */
struct probe_cache {
	char *name;		/* its name in the cache of binaries */
	struct build_id id;
	ARRAY_OF(struct kept_probe) probes;
};

void probe_cache_close(struct probe_cache *cache);
DEFINE_CLEANUP(probe_cache, struct probe_cache, probe_cache_close)

/*
 * Read the saved definitions of a binary: none, if there is no file.  ENOENT: it has no build id.
 * EEXIST: the cache has this build id under another name.  Lines that are not part of a probe are
 * ignored.
 */
struct error *probe_cache_open(const struct probe_binary *binary, struct probe_cache *ret);

/* The same for a binary of the cache; @name is copied. */
struct error *probe_cache_read(const char *name, const struct build_id *id,
			       struct probe_cache *ret);

/* Whether "[GROUP:]EVENT" names it; both parts may be globs. */
bool kept_probe_is_named(const struct kept_probe *probe, const char *text);

/* Append copies of the events of the definition @text, or of "%[GROUP:]EVENT"; none: not saved. */
struct error *probe_cache_take(const struct probe_cache *cache, const char *text,
			       struct probe_events *ret);

/* The same for all binaries of this machine in the cache: current files, and the running kernel. */
struct error *probe_cache_take_anywhere(const char *text, struct probe_events *ret);

/* Save a definition with copies of @nr events.  An older one is replaced. */
struct error *probe_cache_put(struct probe_cache *cache, const char *definition,
			      const struct probe_event *events, size_t nr);

/* Remove the item at @index. */
void probe_cache_remove(struct probe_cache *cache, size_t index);

/* Store the file, with a copy of the binary beside it as in perf. */
struct error *probe_cache_write(const struct probe_cache *cache);

#endif
