// SPDX-License-Identifier: GPL-2.0
#include "table/samples/sample_rows.h"

#include <stdlib.h>
#include <string.h>

#include "lib/array.h"
#include "lib/strbuf.h"
#include "profile/sample_stacks.h"
#include "session/selection.h"

enum { COLUMN_OF_TIME, COLUMN_OF_EVENT, COLUMN_OF_CPU, COLUMN_OF_PID, COLUMN_OF_TID,
       COLUMN_OF_COMM, COLUMN_OF_PERIOD, COLUMN_OF_IP, COLUMN_OF_SYMBOL, COLUMN_OF_DSO,
       COLUMN_OF_CHAIN, SAMPLE_COLUMNS };

static const struct sample_column sample_columns[SAMPLE_COLUMNS] = {
	[COLUMN_OF_TIME] = { "_time", EVENT_VALUE_UNSIGNED, 8, false },
	[COLUMN_OF_EVENT] = { "_event", EVENT_VALUE_TEXT, 0, false },
	[COLUMN_OF_CPU] = { "_cpu", EVENT_VALUE_SIGNED, 4, false },
	[COLUMN_OF_PID] = { "_pid", EVENT_VALUE_SIGNED, 4, false },
	[COLUMN_OF_TID] = { "_tid", EVENT_VALUE_SIGNED, 4, false },
	[COLUMN_OF_COMM] = { "_comm", EVENT_VALUE_TEXT, 0, false },
	[COLUMN_OF_PERIOD] = { "_period", EVENT_VALUE_UNSIGNED, 8, false },
	[COLUMN_OF_IP] = { "_ip", EVENT_VALUE_UNSIGNED, 8, false },
	[COLUMN_OF_SYMBOL] = { "_symbol", EVENT_VALUE_TEXT, 0, false },
	[COLUMN_OF_DSO] = { "_dso", EVENT_VALUE_TEXT, 0, false },
	[COLUMN_OF_CHAIN] = { "_callchain", EVENT_VALUE_TEXT, 0, false },
};

/* The columns of an event's values, in their order. */
struct event_columns {
	size_t *items;
	size_t nr, alloc;
};

struct sample_rows_state {
	struct sample_rows table;
	size_t alloc;			/* of table.columns */
	struct event_columns *events;	/* by index of the event */
	size_t nr_events;
	struct sample_stacks *stacks;
	struct strbuf chain;
};

/* Find or add the column of a field. */
static struct error *find_sample_column(struct sample_rows_state *state,
					const struct sample_column *wanted, bool exact, size_t *ret)
{
	struct sample_rows *table = &state->table;
	ARRAY_OF(struct sample_column) columns = {
		table->columns, table->nr, state->alloc,
	};
	struct sample_column column = *wanted;
	bool good;

	for (size_t i = 0; i < table->nr; i++) {
		struct sample_column *known = &table->columns[i];

		if (strcmp(known->name, wanted->name))
			continue;
		*ret = exact || known->type == wanted->type ? i : SIZE_MAX;
		if (known->type == wanted->type && known->size < wanted->size)
			known->size = wanted->size;
		known->is_long |= wanted->is_long;
		return NULL;
	}
	column.name = strdup(wanted->name);
	good = column.name && array_push(&columns, column);
	table->columns = columns.items;
	state->alloc = columns.alloc;
	if (!good) {
		free(column.name);
		return &error_no_memory;
	}
	*ret = table->nr;
	table->nr = columns.nr;
	return NULL;
}

static struct error *add_row_column(struct sample_rows_state *state, const struct event *event,
				    struct sample_column wanted)
{
	_cleanup_(strbuf) struct strbuf longer = STRBUF_INIT;
	size_t column = SIZE_MAX;
	struct error *err = find_sample_column(state, &wanted, false, &column);

	if (!err && column == SIZE_MAX) {
		strbuf_addf(&longer, "%s.%s", event->name, wanted.name);
		wanted.name = longer.data;
		err = longer.failed ? &error_no_memory :
		      find_sample_column(state, &wanted, true, &column);
	}
	if (err)
		return err;
	return array_push(&state->events[event->index], column) ? NULL : &error_no_memory;
}

static struct error *add_row_columns(struct sample_rows_state *state,
				       const struct event *event,
				       const struct event_format *format)
{
	char name[EVENT_VALUE_NAME];
	struct error *err = NULL;

	for (size_t i = format->nr_common; !err && i < format->nr_fields; i++) {
		const struct field *field = &format->fields[i];
		struct sample_column wanted = {
			.name = (char *)field->name, .type = event_value_type(field),
			.is_long = field->kind != FIELD_STRING,
		};

		if (field->kind == FIELD_INTEGER)
			wanted.size = field_of_data(field)->size;
		err = add_row_column(state, event, wanted);
	}
	for (size_t i = 0; !err && i < event->common.nr; i++) {
		const struct common_slot *slot = &event->common.items[i];
		struct sample_column wanted = { .name = name, .type = EVENT_VALUE_TEXT };

		snprintf(name, sizeof(name), "common_%s", slot->name);
		if (slot->type != COMMON_TEXT) {
			wanted.type = slot->type == COMMON_SIGNED ? EVENT_VALUE_SIGNED :
				      EVENT_VALUE_UNSIGNED;
			wanted.size = sizeof(uint64_t);
		}
		err = add_row_column(state, event, wanted);
	}
	return err;
}

struct error *sample_rows_create(const struct event_list *events, const struct formats *formats,
				  const char *globs, struct sample_rows **ret)
{
	struct sample_rows_state *state = calloc(1, sizeof(*state));
	struct error *err = NULL;
	size_t column;

	if (!state)
		return &error_no_memory;
	state->table.state = state;
	state->table.time = COLUMN_OF_TIME;
	state->table.chain = COLUMN_OF_CHAIN;
	state->nr_events = events->nr;
	state->events = calloc(events->nr + 1, sizeof(*state->events));
	if (!state->events)
		err = &error_no_memory;
	for (size_t i = 0; !err && i < SAMPLE_COLUMNS; i++)
		err = find_sample_column(state, &sample_columns[i], true, &column);
	for (size_t i = 0; !err && i < events->nr; i++) {
		const struct event *event = events->items[i];
		const struct event_format *format =
			event->attr.type == PERF_TYPE_TRACEPOINT ?
			formats_find(formats, event->attr.config) : NULL;

		if (format && (!globs || selection_names_event(globs, event)))
			err = add_row_columns(state, event, format);
	}
	if (!err)
		err = sample_stacks_create(&state->stacks);
	state->table.cells = calloc(state->table.nr + 1, sizeof(*state->table.cells));
	if (!state->table.cells && !err)
		err = &error_no_memory;
	if (err) {
		sample_rows_destroy(&state->table);
		return err;
	}
	*ret = &state->table;
	return NULL;
}

void sample_rows_destroy(struct sample_rows *table)
{
	struct sample_rows_state *state = table ? table->state : NULL;

	if (!state)
		return;
	for (size_t i = 0; i < table->nr; i++)
		free(table->columns[i].name);
	for (size_t i = 0; state->events && i < state->nr_events; i++)
		free(state->events[i].items);
	free(state->events);
	free(table->columns);
	free(table->cells);
	sample_stacks_destroy(state->stacks);
	strbuf_deinit(&state->chain);
	free(state);
}

static void set_row_number(struct sample_rows *table, size_t column, uint64_t number, bool known)
{
	table->cells[column] = (struct sample_cell){ .has_value = known, .number = number };
}

static void set_row_text(struct sample_rows *table, size_t column, const char *text)
{
	table->cells[column] = (struct sample_cell){
		.has_value = text, .bytes = text, .len = text ? strlen(text) : 0,
	};
}

/* Append the functions of a stack, the outermost first. */
static void add_stack_text(struct sample_rows_state *state, uint32_t stack)
{
	uint32_t caller = sample_stacks_caller(state->stacks, stack);
	struct stack_frame frame;

	if (caller != SAMPLE_STACK_NONE) {
		add_stack_text(state, caller);
		strbuf_addch(&state->chain, ';');
	}
	sample_stacks_frame(state->stacks, stack, &frame);
	for (const char *c = frame.name; *c; c++)
		strbuf_addch(&state->chain, *c == ';' ? '_' : *c);
}

static struct error *read_place(struct sample_rows_state *state, const struct session_record *r)
{
	struct sample_rows *table = &state->table;
	uint32_t stack;
	struct error *err = sample_stacks_find(state->stacks, r, &stack);
	struct stack_frame frame;

	if (err || stack == SAMPLE_STACK_NONE)
		return err;
	sample_stacks_frame(state->stacks, stack, &frame);
	if (!frame.unknown)
		set_row_text(table, COLUMN_OF_SYMBOL, frame.name);
	if (frame.dso)
		set_row_text(table, COLUMN_OF_DSO, frame.dso->short_name);
	if (!(r->event->attr.sample_type & PERF_SAMPLE_CALLCHAIN))
		return NULL;
	if (table->has_stacks) {
		set_row_number(table, COLUMN_OF_CHAIN, stack, true);
		return NULL;
	}
	strbuf_reset(&state->chain);
	add_stack_text(state, stack);
	set_row_text(table, COLUMN_OF_CHAIN, strbuf_str(&state->chain));
	return state->chain.failed ? &error_no_memory : NULL;
}

struct sample_stacks *sample_rows_stacks(struct sample_rows *table)
{
	return table->state->stacks;
}

struct error *sample_rows_read(struct sample_rows *table, const struct session_record *r)
{
	struct sample_rows_state *state = table->state;
	uint64_t type = event_sampled(r->event);
	struct event_values values;
	struct event_value value;
	size_t at = 0;

	memset(table->cells, 0, table->nr * sizeof(*table->cells));
	set_row_number(table, COLUMN_OF_TIME, r->sample.time, type & PERF_SAMPLE_TIME);
	set_row_text(table, COLUMN_OF_EVENT, r->event->name);
	set_row_number(table, COLUMN_OF_CPU, r->sample.cpu, type & PERF_SAMPLE_CPU);
	set_row_number(table, COLUMN_OF_PID, r->sample.pid, type & PERF_SAMPLE_TID);
	set_row_number(table, COLUMN_OF_TID, r->sample.tid, type & PERF_SAMPLE_TID);
	set_row_text(table, COLUMN_OF_COMM, r->comm);
	set_row_number(table, COLUMN_OF_PERIOD, r->sample.period, event_has_period(r->event));
	set_row_number(table, COLUMN_OF_IP, r->sample.ip, type & PERF_SAMPLE_IP);
	event_values_begin(&values, r);
	while (r->event->index < state->nr_events && event_values_next(&values, &value)) {
		const struct event_columns *columns = &state->events[r->event->index];

		if (at >= columns->nr)
			break;
		table->cells[columns->items[at++]] = (struct sample_cell){
			true, value.number, value.bytes, value.len,
		};
	}
	return read_place(state, r);
}
