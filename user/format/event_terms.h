/* SPDX-License-Identifier: GPL-2.0 */
/*
 * PMU/TERM,TERM=VALUE/ and EVENT/TERM=VALUE/: the numbers of an event, put
 * together by the format files of its PMU in sysfs.
 */
#ifndef KTRACE_FORMAT_EVENT_TERMS_H
#define KTRACE_FORMAT_EVENT_TERMS_H

#include <stdbool.h>

#include "format/event_spec.h"

/* Where PMUs are; tests set another place. */
extern const char *event_terms_root;

/* Set spec->type to that of the PMU; false: there is no such one. */
bool event_terms_find_pmu(struct event_spec *spec, const char *pmu);

/*
 * Apply @terms ("event=0x3c,umask=1") to @spec.  @pmu is NULL for EVENT/.../,
 * which knows only the terms that all have: config, config1, config2, period,
 * freq, name.  @whole and @pos are for the caret: where @terms is in what.
 */
struct error *event_terms_apply(struct event_spec *spec, const char *pmu, const char *terms,
				const char *whole, size_t pos);

/* Call @each for every event that a PMU names, "msr/tsc/", in alphabetical order. */
void event_terms_list(void (*each)(void *data, const char *name), void *data);

#endif
