// SPDX-License-Identifier: GPL-2.0
#include "counts/stat_formula.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "counts/stat_table.h"
#include "lib/array.h"
#include "lib/cpu_place.h"
#include "lib/file.h"
#include "spec/event_names.h"

static void stat_formula_deinit(struct stat_formula *formula)
{
	array_free_each(&formula->operands, .name);
	free(formula->name);
	free(formula->unit);
	metric_expr_destroy(formula->expr);
}

void stat_formulas_deinit(struct stat_formulas *formulas)
{
	for (size_t i = 0; i < formulas->nr; i++)
		stat_formula_deinit(&formulas->items[i]);
	free(formulas->items);
	*formulas = (struct stat_formulas){ 0 };
}

bool stat_formula_is_time(const char *name)
{
	const struct event_name *event = event_names_find(name);

	return event && event->tool == EVENT_TOOL_DURATION;
}

/* ---- the machine ------------------------------------------------------------- */

enum stat_part { STAT_PART_CORE, STAT_PART_DIE, STAT_PART_SOCKET };

static bool stat_same_part(const struct cpu_place *a, const struct cpu_place *b,
			   enum stat_part part)
{
	return a->socket == b->socket && (part == STAT_PART_SOCKET || a->die == b->die) &&
	       (part != STAT_PART_CORE || a->core == b->core);
}

/* The number of cores, dies or sockets of the machine's CPUs. */
static double stat_count_parts(enum stat_part part)
{
	long nr = sysconf(_SC_NPROCESSORS_CONF);
	struct cpu_place *places = nr > 0 ? calloc(nr, sizeof(*places)) : NULL;
	size_t found = 0;

	for (long cpu = 0; places && cpu < nr; cpu++) {
		struct cpu_place place;
		size_t i;

		cpu_place_read((uint32_t)cpu, &place);
		for (i = 0; i < found && !stat_same_part(&places[i], &place, part); i++)
			;
		places[i] = place;
		found += i == found;
	}
	free(places);
	return found ? found : NAN;
}

static double stat_number_in(const char *path)
{
	_cleanup_free_ char *text = NULL;
	char *end;
	double value;

	error_free(file_read_text(path, &text));
	if (!text || !*text)
		return NAN;
	value = strtoull(text, &end, 0);
	return *end ? NAN : value;
}

static double stat_slots(void)
{
	double value = stat_number_in("/sys/bus/event_source/devices/armv8_pmuv3_0/caps/slots");

	return isnan(value) ? stat_number_in("/sys/bus/event_source/devices/armv8_pmuv3/caps/slots") :
			      value;
}

double stat_formula_literal(void *data, const char *name)
{
	const struct stat_formulas *formulas = data;
	double smt;

	if (!strcmp(name, "#num_cpus"))
		return formulas->nr_cpus ? formulas->nr_cpus : sysconf(_SC_NPROCESSORS_CONF);
	if (!strcmp(name, "#num_cpus_online"))
		return formulas->nr_cpus_online ? formulas->nr_cpus_online :
						  sysconf(_SC_NPROCESSORS_ONLN);
	if (!strcmp(name, "#num_cores"))
		return stat_count_parts(STAT_PART_CORE);
	if (!strcmp(name, "#num_dies"))
		return stat_count_parts(STAT_PART_DIE);
	if (!strcmp(name, "#num_packages"))
		return stat_count_parts(STAT_PART_SOCKET);
	if (!strcmp(name, "#target_cpu"))
		return formulas->whole_cpus;
	if (!strcmp(name, "#slots"))
		return stat_slots();
	if (strcmp(name, "#smt_on") && strcmp(name, "#core_wide"))
		return NAN;
	smt = stat_number_in("/sys/devices/system/cpu/smt/active");
	/* Kernels without SMT have no such file. */
	smt = isnan(smt) ? 0 : smt;
	return name[1] == 's' ? smt : !smt || formulas->whole_cpus;
}

bool stat_formula_has_event(void *data, const char *name)
{
	const struct stat_formulas *formulas = data;

	return formulas->has_event && formulas->has_event(formulas->data, name);
}

/* ---- values ------------------------------------------------------------------ */

struct stat_computation {
	const struct stat_table *table;
	const struct stat_formula *formula;
	size_t first, set;
	struct stat_formula_value *values;	/* of the formulas before this one */
	struct stat_formula_value *ret;
	const struct event *seen;		/* an event whose value was used */
	const struct stat_cell *seen_cell;
};

/*
 * The value of an event as counted: ns for a clock, though its unit is ms.  As in perf, tool events
 * are in seconds.
 */
static double stat_event_value(struct stat_computation *c, size_t index)
{
	const struct stat_table *t = c->table;
	const struct stat_table_event *e = &t->events[c->first + index];
	const struct stat_cell *cell = stat_table_cell(t, c->first + index, c->set);

	if (!stat_cell_counted(cell)) {
		c->ret->missing = e->event;
		return NAN;
	}
	if (!c->seen) {
		c->seen = e->event;
		c->seen_cell = cell;
	} else if (!c->ret->apart[0] &&
		   !stat_counted_together(c->seen, c->seen_cell, e->event, cell)) {
		c->ret->apart[0] = c->seen;
		c->ret->apart[1] = e->event;
	}
	return cell->value.mean / e->scale * (stat_tool(e->event) ? 1e-9 : 1);
}

static double stat_formula_name(void *data, const char *name)
{
	struct stat_computation *c = data;

	if (stat_formula_is_time(name))
		return c->table->elapsed.mean ? c->table->elapsed.mean / 1e9 : NAN;
	for (size_t i = 0; i < c->formula->operands.nr; i++) {
		const struct stat_operand *operand = &c->formula->operands.items[i];
		const struct stat_formula_value *other;

		if (strcmp(operand->name, name))
			continue;
		if (!operand->is_formula)
			return stat_event_value(c, operand->index);
		other = &c->values[operand->index];
		c->ret->missing = other->missing ? other->missing : c->ret->missing;
		if (other->apart[0] && !c->ret->apart[0])
			memcpy(c->ret->apart, other->apart, sizeof(other->apart));
		return other->value;
	}
	return NAN;
}

static double stat_formula_of_machine(void *data, const char *name)
{
	const struct stat_computation *c = data;

	return stat_formula_literal((void *)c->table->formulas, name);
}

static bool stat_formula_machine_has(void *data, const char *name)
{
	const struct stat_computation *c = data;

	return stat_formula_has_event((void *)c->table->formulas, name);
}

void stat_formula_compute(const struct stat_table *t, size_t formula, size_t first, size_t set,
			  struct stat_formula_value *ret)
{
	struct stat_formula_value *values = calloc(formula + 1, sizeof(*values));
	size_t begin = formula;
	struct stat_computation c = { .table = t, .first = first, .set = set, .values = values };
	const struct metric_names names = {
		.value = stat_formula_name, .literal = stat_formula_of_machine,
		.has_event = stat_formula_machine_has, .data = &c,
	};

	*ret = (struct stat_formula_value){ .value = NAN };
	/* The formulas that this one needs directly precede it. */
	while (begin && !t->formulas->items[begin - 1].shown)
		begin--;
	for (size_t i = begin; values && i <= formula; i++) {
		const struct stat_formula *f = &t->formulas->items[i];

		c.formula = f;
		c.ret = &values[i];
		c.seen = NULL;
		values[i].value = metric_expr_value(f->expr, &names);
	}
	if (values)
		*ret = values[formula];
	free(values);
	ret->value *= t->formulas->items[formula].scale;
}
