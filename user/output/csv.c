// SPDX-License-Identifier: GPL-2.0
/*
 * A line for each sample with its values between commas, as RFC 4180 has it, below a line with the
 * names of the columns.
 */
#include <stdlib.h>
#include <string.h>

#include "lib/csv.h"
#include "lib/number.h"
#include "output/rendering.h"
#include "output/stream.h"
#include "table/samples/sample_rows.h"

struct csv {
	struct rendering rendering;
	struct session_consumer consumer;
	struct rendering_request request;
	struct stream stream;
	struct sample_rows *table;	/* NULL: nothing was written yet */
};

static void add_csv_cell(struct strbuf *out, enum event_value_type type,
			 const struct sample_cell *cell)
{
	if (!cell->has_value)
		return;
	switch (type) {
	case EVENT_VALUE_SIGNED:
		number_add_signed(out, cell->number, 0, ' ');
		break;
	case EVENT_VALUE_UNSIGNED:
		number_add_unsigned(out, cell->number, 0, ' ');
		break;
	case EVENT_VALUE_TEXT:
		csv_add_text(out, cell->bytes, cell->len);
		break;
	case EVENT_VALUE_BYTES:
		for (size_t i = 0; i < cell->len; i++)
			number_add_hex(out, (unsigned char)cell->bytes[i], 2, '0');
	}
}

/* The events of a pipe are known at the first sample. */
static struct error *begin_csv(struct csv *c)
{
	struct strbuf *out = &c->stream.text;
	struct error *err = sample_rows_create(c->request.events, c->request.formats,
						c->request.wanted, &c->table);

	if (err)
		return err;
	for (size_t i = 0; i < c->table->nr; i++) {
		const char *name = c->table->columns[i].name;

		strbuf_addstr(out, i ? "," : "");
		csv_add_text(out, name, strlen(name));
	}
	strbuf_addch(out, '\n');
	return NULL;
}

static struct error *csv_sample(struct session_consumer *consumer, const struct session_record *r)
{
	struct csv *c = container_of(consumer, struct csv, consumer);
	struct strbuf *out = &c->stream.text;
	struct error *err = NULL;

	if (!r->event)
		return NULL;
	if (!c->table)
		err = begin_csv(c);
	if (!err)
		err = sample_rows_read(c->table, r);
	if (err)
		return err;
	for (size_t i = 0; i < c->table->nr; i++) {
		if (i)
			strbuf_addch(out, ',');
		add_csv_cell(out, c->table->columns[i].type, &c->table->cells[i]);
	}
	strbuf_addch(out, '\n');
	return stream_write(&c->stream);
}

static struct error *finish_csv(struct rendering *rendering)
{
	struct csv *c = container_of(rendering, struct csv, rendering);
	struct error *err = c->table ? NULL : begin_csv(c);

	return err ? err : stream_flush(&c->stream);
}

static void destroy_csv(struct rendering *rendering)
{
	struct csv *c = container_of(rendering, struct csv, rendering);

	sample_rows_destroy(c->table);
	strbuf_deinit(&c->stream.text);
	free(c);
}

struct error *output_csv_open(const struct rendering_request *request, struct rendering **ret)
{
	struct csv *c = calloc(1, sizeof(*c));

	if (!c)
		return &error_no_memory;
	c->request = *request;
	c->stream = (struct stream){ .out = request->out, .name = request->name };
	c->consumer = (struct session_consumer){ .sample = csv_sample };
	c->rendering = (struct rendering){
		.consumer = &c->consumer, .finish = finish_csv, .destroy = destroy_csv,
	};
	*ret = &c->rendering;
	return NULL;
}
