/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The metrics of the option -M, computed from the events of a table.
 */
#ifndef KTRACE_COUNTS_STAT_FORMULA_H
#define KTRACE_COUNTS_STAT_FORMULA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/array.h"
#include "lib/cleanup.h"
#include "spec/metric_expr.h"

struct stat_table;
struct event;

/* The operand for a name in an expression. */
struct stat_operand {
	char *name;		/* owned */
	bool is_formula;
	size_t index;		/* of the event, or of an earlier formula */
};

struct stat_formula {
	char *name;		/* owned */
	char *unit;		/* shown with the name: "cs/sec  cs_per_second"; owned */
	bool has_unit;
	double scale;		/* factor for the unit */
	bool shown;		/* false: only the next shown formula needs it */
	size_t home;		/* the event beside which it is shown */
	struct metric_expr *expr;	/* owned */
	ARRAY_OF(struct stat_operand) operands;
};

struct stat_formulas {
	struct stat_formula *items;
	size_t nr, alloc;
	/* The number of events; those from @first_event on are only for formulas. */
	size_t first_event, nr_events;
	bool whole_cpus;	/* the counts cover CPUs, not tasks */
	uint32_t nr_cpus, nr_cpus_online;	/* of a recording's machine; 0: of this machine */
	/* Whether the event that an expression names can be counted, or was recorded. */
	bool (*has_event)(void *data, const char *name);
	void *data;		/* borrowed */
};

void stat_formulas_deinit(struct stat_formulas *formulas);

/* Whether a name is a number that is measured without an event: "duration_time". */
bool stat_formula_is_time(const char *name);

/* Properties of the machine, for struct metric_names with a struct stat_formulas as data. */
double stat_formula_literal(void *formulas, const char *name);
bool stat_formula_has_event(void *formulas, const char *name);

/* The result of a formula in a set. */
struct stat_formula_value {
	double value;			/* in its unit; NAN: unknown */
	const struct event *missing;	/* an event that was not counted, or NULL */
	const struct event *apart[2];	/* two that were counted at different times, or NULL */
};

/*
 * Compute a formula for the events of a table from @first on; @first is not 0 if each event exists
 * once for each cgroup.
 */
void stat_formula_compute(const struct stat_table *table, size_t formula, size_t first, size_t set,
			  struct stat_formula_value *ret);

#endif
