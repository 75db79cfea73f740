/* SPDX-License-Identifier: GPL-2.0 */
/*
 * PMU/TERM,TERM=VALUE/ and EVENT/TERM=VALUE/: the terms set bits in the numbers of an event.  The
 * PMU's format files in sysfs say which bits.
 */
#ifndef KTRACE_SPEC_EVENT_TERMS_H
#define KTRACE_SPEC_EVENT_TERMS_H

#include <stdbool.h>

#include "lib/cpumap.h"
#include "spec/event_spec.h"

/* The folder of PMUs in sysfs; tests set another one. */
extern const char *event_terms_root;

/* Set spec->type to the type of the PMU.  Returns false if there is no such PMU. */
bool event_terms_find_pmu(struct event_spec *spec, const char *pmu);

/*
 * Apply @terms ("event=0x3c,umask=1") to @spec.  @pmu is NULL for EVENT/.../, which only accepts
 * the terms of all events: config, config1, config2, period, freq, name.  For carets, @whole is the
 * user's text and @pos the position of @terms in it.
 */
struct error *event_terms_apply(struct event_spec *spec, const char *pmu, const char *terms,
				const char *whole, size_t pos);

/*
 * The error if @name begins with a term that perf has, but ktrace lacks.  NULL: it is not such a
 * term.  @pos is its position in @whole.
 */
struct error *event_terms_refuse(const char *name, const char *whole, size_t pos);

/*
 * The CPUs on which the PMU of an event counts for other CPUs, too, as "power/energy-pkg/" does for
 * a package.  Returns false if the PMU names no CPUs: it counts on each CPU for itself.
 */
bool event_terms_cpus(const char *event, struct cpumap *ret);

/*
 * The unit in which an event of a PMU is shown, cut to @size, and the factor from a count to that
 * unit.
 */
void event_terms_unit(const char *event, char *unit, size_t size, double *ret_scale);

/* Call @each for every event that the PMUs define ("msr/tsc/"), in alphabetical order. */
void event_terms_list(void (*each)(void *data, const char *name), void *data);

#endif
