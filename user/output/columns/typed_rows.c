// SPDX-License-Identifier: GPL-2.0
#include "output/columns/typed_rows.h"

#include <stdlib.h>
#include <string.h>

#include "lib/array.h"
#include "lib/utf8.h"
#include "profile/sample_stacks.h"
#include "record/header.h"
#include "table/samples/sample_rows.h"

/* Sizes of pieces: enough rows to compress well, but bounded memory for many columns. */
#define PIECE_ROWS	(128 * 1024)
#define PIECE_ROWS_MIN	1024
#define PIECE_BYTES	(32 * 1024 * 1024)

struct typed_rows_state {
	struct typed_rows rows;
	struct sample_rows *table;
	size_t max_rows;
	size_t item_bytes;	/* of all columns, with the new words of this piece */
	bool keeps_words;
	uint64_t wall_offset;	/* wall clock minus clock of the recording, ns; of _realtime */
	ARRAY_OF(uint32_t) words;	/* by place: the number of its word + 1; 0: none yet */
};

static struct error *init_typed_column(struct typed_rows_state *state, size_t at)
{
	const struct sample_column *from = &state->table->columns[at];
	struct typed_column *column = &state->rows.columns[at];
	_cleanup_(strbuf) struct strbuf name = STRBUF_INIT;

	utf8_add(&name, from->name, strlen(from->name));
	column->name = name.failed ? NULL : strdup(strbuf_str(&name));
	if (!column->name)
		return &error_no_memory;
	column->size = from->size;
	/* Differences of times are signed. */
	column->is_signed = from->type == EVENT_VALUE_SIGNED || at == state->table->time;
	if (from->type == EVENT_VALUE_TEXT) {
		column->kind = at == state->table->chain ? TYPED_WORDS :
			       from->is_long && state->keeps_words ? TYPED_TEXT : TYPED_WORD;
		column->size = column->kind == TYPED_WORD ? sizeof(uint32_t) : 0;
	} else if (from->type == EVENT_VALUE_BYTES) {
		column->kind = TYPED_BYTES;
	}
	if (column->kind == TYPED_WORD || column->kind == TYPED_WORDS)
		return dictionary_create(&column->dictionary);
	return NULL;
}

/* Differences of clocks may be negative; they are added modulo 2^64. */
static struct error *add_realtime_column(struct typed_rows_state *state,
					 const struct header *header)
{
	struct typed_column *column = &state->rows.columns[state->rows.nr];

	if (!header || !header->wall_time || !header->clock_time)
		return NULL;
	state->wall_offset = header->wall_time - header->clock_time;
	*column = (struct typed_column){
		.name = strdup("_realtime"), .size = sizeof(int64_t), .is_signed = true,
		.is_instant = true,
	};
	state->rows.nr++;
	return column->name ? NULL : &error_no_memory;
}

static struct error *alloc_typed_columns(struct typed_rows_state *state)
{
	size_t row_bytes = 0;

	for (size_t i = 0; i < state->rows.nr; i++)
		row_bytes += state->rows.columns[i].size ?: sizeof(int32_t);
	state->max_rows = PIECE_BYTES / row_bytes;
	if (state->max_rows > PIECE_ROWS)
		state->max_rows = PIECE_ROWS;
	if (state->max_rows < PIECE_ROWS_MIN)
		state->max_rows = PIECE_ROWS_MIN;
	for (size_t i = 0; i < state->rows.nr; i++) {
		struct typed_column *column = &state->rows.columns[i];

		column->present = calloc(state->max_rows / 8 + 1, 1);
		if (!column->size)
			column->offsets = calloc(state->max_rows + 1, sizeof(*column->offsets));
		if (!column->present || (!column->size && !column->offsets))
			return &error_no_memory;
	}
	return NULL;
}

struct error *typed_rows_create(const struct rendering_request *request, bool keeps_words,
				struct typed_rows **ret)
{
	struct typed_rows_state *state = calloc(1, sizeof(*state));
	struct error *err;

	if (!state)
		return &error_no_memory;
	state->rows.state = state;
	state->keeps_words = keeps_words;
	err = sample_rows_create(request->events, request->formats, request->wanted, &state->table);
	if (!err) {
		state->table->has_stacks = true;
		state->rows.columns = calloc(state->table->nr + 1, sizeof(*state->rows.columns));
		err = state->rows.columns ? NULL : &error_no_memory;
	}
	for (size_t i = 0; !err && i < state->table->nr; i++) {
		state->rows.nr++;
		err = init_typed_column(state, i);
	}
	if (!err)
		err = add_realtime_column(state, request->header);
	if (!err)
		err = alloc_typed_columns(state);
	if (err) {
		typed_rows_destroy(&state->rows);
		return err;
	}
	*ret = &state->rows;
	return NULL;
}

void typed_rows_destroy(struct typed_rows *rows)
{
	struct typed_rows_state *state = rows ? rows->state : NULL;

	if (!state)
		return;
	for (size_t i = 0; i < rows->nr; i++) {
		struct typed_column *column = &rows->columns[i];

		free(column->name);
		free(column->present);
		free(column->values);
		free(column->offsets);
		strbuf_deinit(&column->items);
		dictionary_destroy(column->dictionary);
	}
	free(rows->columns);
	free(state->words.items);
	sample_rows_destroy(state->table);
	free(state);
}

/* ---- values -------------------------------------------------------------- */

static void store_number(struct typed_column *column, size_t row, uint64_t number)
{
	switch (column->size) {
	case 1:
		((uint8_t *)column->values)[row] = number;
		break;
	case 2:
		((uint16_t *)column->values)[row] = number;
		break;
	case 4:
		((uint32_t *)column->values)[row] = number;
		break;
	default:
		((uint64_t *)column->values)[row] = number;
	}
}

static struct error *add_typed_word(struct typed_rows_state *state, struct typed_column *column,
				    const char *text, size_t len, uint32_t *ret)
{
	size_t before = dictionary_bytes(column->dictionary);
	int32_t number = dictionary_number(column->dictionary, text, len);

	state->item_bytes += dictionary_bytes(column->dictionary) - before;
	*ret = number;
	return number < 0 ? &error_no_memory : NULL;
}

/* The number of the word for the innermost frame of a stack. */
static struct error *find_frame_word(struct typed_rows_state *state, struct typed_column *column,
				     uint32_t stack, uint32_t *ret)
{
	struct sample_stacks *stacks = sample_rows_stacks(state->table);
	uint32_t place = sample_stacks_place(stacks, stack);
	struct stack_frame frame;
	struct error *err;

	if (!array_at(&state->words, place, 0))
		return &error_no_memory;
	if (state->words.items[place]) {
		*ret = state->words.items[place] - 1;
		return NULL;
	}
	sample_stacks_frame(stacks, stack, &frame);
	err = add_typed_word(state, column, frame.name, strlen(frame.name), ret);
	if (!err)
		state->words.items[place] = *ret + 1;
	return err;
}

/* Append the functions of a stack, the outermost first, as the number of its frames grows. */
static struct error *add_frame_words(struct typed_rows_state *state, struct typed_column *column,
				     uint32_t stack)
{
	struct sample_stacks *stacks = sample_rows_stacks(state->table);
	struct error *err = NULL;
	uint32_t nr = 0, word = 0;
	char *end;

	for (uint32_t at = stack; at != SAMPLE_STACK_NONE; at = sample_stacks_caller(stacks, at))
		nr++;
	if (!strbuf_reserve(&column->items, nr * sizeof(word)))
		return &error_no_memory;
	column->items.len += nr * sizeof(word);
	end = column->items.data + column->items.len;
	*end = '\0';
	for (uint32_t at = stack; !err && at != SAMPLE_STACK_NONE;
	     at = sample_stacks_caller(stacks, at)) {
		err = find_frame_word(state, column, at, &word);
		end -= sizeof(word);
		memcpy(end, &word, sizeof(word));
	}
	return err;
}

static struct error *add_typed_items(struct typed_rows_state *state, struct typed_column *column,
				     const struct sample_cell *cell)
{
	size_t before = column->items.len;
	struct error *err = NULL;

	if (column->kind == TYPED_TEXT)
		utf8_add(&column->items, cell->bytes, cell->len);
	else if (column->kind == TYPED_BYTES)
		strbuf_add(&column->items, cell->bytes, cell->len);
	else
		err = add_frame_words(state, column, cell->number);
	state->item_bytes += column->items.len - before;
	return !err && column->items.failed ? &error_no_memory : err;
}

static struct error *add_typed_value(struct typed_rows_state *state, struct typed_column *column,
				     const struct sample_cell *cell)
{
	size_t row = state->rows.rows;
	struct error *err;
	uint32_t word;

	column->present[row / 8] |= 1 << row % 8;
	column->nr_values++;
	if (!column->size)
		return add_typed_items(state, column, cell);
	if (!column->values)
		column->values = calloc(state->max_rows, column->size);
	if (!column->values)
		return &error_no_memory;
	if (column->kind == TYPED_NUMBER) {
		store_number(column, row, cell->number);
		return NULL;
	}
	err = add_typed_word(state, column, cell->bytes, cell->len, &word);
	store_number(column, row, word);
	return err;
}

struct error *typed_rows_add(struct typed_rows *rows, const struct session_record *r)
{
	struct typed_rows_state *state = rows->state;
	struct error *err = sample_rows_read(state->table, r);
	size_t nr = state->table->nr;

	for (size_t i = 0; !err && i < nr; i++) {
		struct typed_column *column = &rows->columns[i];
		const struct sample_cell *cell = &state->table->cells[i];

		if (cell->has_value && (column->kind != TYPED_WORDS || cell->number))
			err = add_typed_value(state, column, cell);
		if (column->offsets)
			column->offsets[rows->rows + 1] = column->kind == TYPED_WORDS ?
				column->items.len / sizeof(uint32_t) : column->items.len;
	}
	if (!err && nr < rows->nr && state->table->cells[state->table->time].has_value) {
		struct sample_cell instant = state->table->cells[state->table->time];

		instant.number += state->wall_offset;
		err = add_typed_value(state, &rows->columns[nr], &instant);
	}
	rows->rows++;
	return err;
}

bool typed_rows_full(const struct typed_rows *rows)
{
	return rows->rows >= rows->state->max_rows || rows->state->item_bytes >= PIECE_BYTES;
}

struct error *typed_rows_clear(struct typed_rows *rows, bool with_words)
{
	struct typed_rows_state *state = rows->state;
	struct error *err = NULL;

	for (size_t i = 0; !err && i < rows->nr; i++) {
		struct typed_column *column = &rows->columns[i];

		memset(column->present, 0, rows->rows / 8 + 1);
		if (column->values && column->nr_values)
			memset(column->values, 0, rows->rows * column->size);
		column->nr_values = 0;
		strbuf_reset(&column->items);
		if (!with_words || !column->dictionary)
			continue;
		dictionary_destroy(column->dictionary);
		column->dictionary = NULL;
		err = dictionary_create(&column->dictionary);
	}
	if (with_words && state->words.nr)
		memset(state->words.items, 0, state->words.nr * sizeof(*state->words.items));
	rows->rows = state->item_bytes = 0;
	return err;
}
