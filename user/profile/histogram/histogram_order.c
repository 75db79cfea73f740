// SPDX-License-Identifier: GPL-2.0
#include "profile/histogram/histogram_order.h"

#include <string.h>

#include "lib/array.h"

bool histogram_callers_first(const struct histogram_options *options)
{
	return options->graph.order == CALL_GRAPH_CALLER ||
	       (!options->graph.order && options->children);
}

int histogram_compare_depths(const struct histogram_options *options,
			     const struct histogram_entry *a, const struct histogram_entry *b)
{
	int result;

	if (!options->graph.mode || a->first_tid != b->first_tid)
		return 0;
	result = array_descending(a->depth, b->depth);
	return histogram_callers_first(options) ? result : -result;
}

/* Smaller values come first; texts with equal numbers are compared as strings. */
static int compare_values(const struct histogram_value *a, const struct histogram_value *b)
{
	int64_t x = a->number, y = b->number;

	if (x != y)
		return x < y ? -1 : 1;
	if (a->text && b->text)
		return strcmp(a->text, b->text);
	return !!a->text - !!b->text;
}

/* As in perf, greater values of some keys come first. */
static bool is_descending_key(enum histogram_key key)
{
	return key == KEY_WEIGHT || key == KEY_LOCAL_WEIGHT || key == KEY_INS_LAT ||
	       key == KEY_LOCAL_INS_LAT || key == KEY_TRANSACTION || key == KEY_CYCLES ||
	       key == KEY_DSO_FROM || key == KEY_DSO_TO || key == KEY_DSO_DADDR;
}

/* As in perf, the bytes of fields are compared, the greatest first. */
static int compare_field_values(const struct histogram_value *a, const struct histogram_value *b)
{
	int result = array_descending(a->number, b->number);

	return result ? result : -compare_values(a, b);
}

int histogram_compare_keys(const struct histogram_options *options, size_t position,
			   const struct histogram_entry *a, const struct histogram_entry *b)
{
	switch (options->keys[position]) {
	case KEY_COMM:
		return strcmp(a->comm, b->comm);
	case KEY_DSO:
		return a->dso && b->dso ? histogram_compare_dsos(a, b) : !a->dso - !b->dso;
	case KEY_SYMBOL:
		return a->symbol && b->symbol ? strcmp(a->symbol->name, b->symbol->name) :
						!a->symbol - !b->symbol;
	case KEY_PID:
		return a->tid < b->tid ? -1 : a->tid > b->tid;
	case KEY_CPU:
		return a->cpu < b->cpu ? -1 : a->cpu > b->cpu;
	case KEY_FIELD:
		return a->extra && b->extra ? compare_field_values(&a->extra[position],
								   &b->extra[position]) : 0;
	default:
		if (!a->extra || !b->extra)
			return 0;
		return is_descending_key(options->keys[position]) ?
			       compare_values(&b->extra[position], &a->extra[position]) :
			       compare_values(&a->extra[position], &b->extra[position]);
	}
}

static int compare_column_values(const struct histogram_options *options, uint8_t column,
				 const struct histogram_entry *a, const struct histogram_entry *b)
{
	size_t position;

	if (histogram_column_is_key(column, &position))
		return histogram_compare_keys(options, position, a, b);
	switch (column) {
	case METRIC_CHILDREN:
		return array_descending(a->children, b->children);
	case METRIC_SYS:
		return array_descending(a->system, b->system);
	case METRIC_USER:
		return array_descending(a->user, b->user);
	case METRIC_SAMPLES:
		return array_descending(a->samples, b->samples);
	case METRIC_LATENCY:
		return array_descending(a->latency, b->latency);
	default:
		return array_descending(a->period, b->period);
	}
}

int histogram_compare_keys_and_rest(const struct histogram_options *options,
				    const struct histogram_entry *a,
				    const struct histogram_entry *b)
{
	int result = 0;

	for (size_t i = 0; options->keys[i] && !result; i++)
		result = histogram_compare_keys(options, i, a, b);
	if (!result)
		result = array_descending(b->address, a->address);
	return result ? result : array_descending(b->order, a->order);
}

int histogram_compare_entries(const void *x, const void *y, void *context)
{
	const struct histogram_options *options = context;
	const struct histogram_entry *a = *(struct histogram_entry *const *)x;
	const struct histogram_entry *b = *(struct histogram_entry *const *)y;
	int result = 0;

	for (const uint8_t *column = options->order; *column && !result; column++)
		result = compare_column_values(options, *column, a, b);
	if (!result && options->children)
		result = array_descending(a->children, b->children);
	if (!result && options->children)
		result = histogram_compare_depths(options, a, b);
	if (!result)
		result = array_descending(a->period, b->period);
	return result ? result : histogram_compare_keys_and_rest(options, a, b);
}
