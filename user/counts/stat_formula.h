/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The metrics that the user asked for (-M), computed of the events of a table.
 */
#ifndef KTRACE_COUNTS_STAT_FORMULA_H
#define KTRACE_COUNTS_STAT_FORMULA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/cleanup.h"
#include "spec/metric_expr.h"

struct stat_table;
struct event;

/* What a name in an expression stands for. */
struct stat_operand {
	char *name;		/* owned */
	bool is_formula;
	size_t index;		/* of the event, or of a formula before this one */
};

struct stat_formula {
	char *name;		/* owned */
	char *unit;		/* as it is shown, with the name: "cs/sec  cs_per_second"; owned */
	bool has_unit;
	double scale;		/* what the value is multiplied by for the unit */
	bool shown;		/* or only the next one that is shown needs it */
	size_t home;		/* the event beside which it is shown */
	struct metric_expr *expr;	/* owned */
	struct {
		struct stat_operand *items;
		size_t nr, alloc;
	} operands;
};

struct stat_formulas {
	struct stat_formula *items;
	size_t nr, alloc;
	/* The events of which those from @first_event on are for formulas alone. */
	size_t first_event, nr_events;
	bool whole_cpus;	/* what is counted is what CPUs do, not tasks */
	uint32_t nr_cpus, nr_cpus_online;	/* of a recording's machine; 0: those of this one */
	/* Whether the event that an expression names can be counted, or was recorded. */
	bool (*has_event)(void *data, const char *name);
	void *data;		/* borrowed */
};

void stat_formulas_deinit(struct stat_formulas *formulas);

/* Whether a name is a number that is measured without an event: "duration_time". */
bool stat_formula_is_time(const char *name);

/* For struct metric_names, with a struct stat_formulas as its data: what the machine is. */
double stat_formula_literal(void *formulas, const char *name);
bool stat_formula_has_event(void *formulas, const char *name);

/* What became of a formula in a set. */
struct stat_formula_value {
	double value;			/* in its unit; NAN: not known */
	const struct event *missing;	/* an event that was not counted, or NULL */
	const struct event *apart[2];	/* two that were counted at different times, or NULL */
};

/*
 * Compute a formula for the events of a table that begin at @first, which is not 0 where each event
 * is there once for each cgroup.
 */
void stat_formula_compute(const struct stat_table *table, size_t formula, size_t first, size_t set,
			  struct stat_formula_value *ret);

#endif
