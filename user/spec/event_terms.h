/* SPDX-License-Identifier: GPL-2.0 */
/*
 * PMU/TERM,TERM=VALUE/ and EVENT/TERM=VALUE/: the numbers of an event are composed of the
 * terms by the format files that its PMU has in sysfs.
 */
#ifndef KTRACE_SPEC_EVENT_TERMS_H
#define KTRACE_SPEC_EVENT_TERMS_H

#include <stdbool.h>

#include "lib/cpumap.h"
#include "spec/event_spec.h"

/* The folder of PMUs in sysfs; tests set another one. */
extern const char *event_terms_root;

/* Set spec->type to that of the PMU.  Returns false if there is no such PMU. */
bool event_terms_find_pmu(struct event_spec *spec, const char *pmu);

/*
 * Apply @terms ("event=0x3c,umask=1") to @spec.  @pmu is NULL for EVENT/.../, which accepts
 * only the terms that all events have: config, config1, config2, period, freq, name.  For
 * carets, @whole is the user's text and @pos the position of @terms in it.
 */
struct error *event_terms_apply(struct event_spec *spec, const char *pmu, const char *terms,
				const char *whole, size_t pos);

/*
 * The error for a term of perf that is none here, which begins @name; NULL: it is no such term.
 * @pos is its position in @whole.
 */
struct error *event_terms_refuse(const char *name, const char *whole, size_t pos);

/*
 * The CPUs on which the PMU of an event counts what happens on others, too, as "power/energy-pkg/"
 * does for a package.  Returns false if there are none: it counts on each CPU by itself.
 */
bool event_terms_cpus(const char *event, struct cpumap *ret);

/* The unit in which an event of a PMU is shown, cut to @size, and what a count is in it. */
void event_terms_unit(const char *event, char *unit, size_t size, double *ret_scale);

/* Call @each for every event that a PMU defines ("msr/tsc/"), in alphabetical order. */
void event_terms_list(void (*each)(void *data, const char *name), void *data);

#endif
