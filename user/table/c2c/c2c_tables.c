// SPDX-License-Identifier: GPL-2.0
/* Providers of the tables of cache lines (table/tables.def), without a command line. */
#include "record/header.h"
#include "table/c2c/cache_line_text.h"
#include "table/print/table_provider.h"

struct c2c_maker {
	struct table_maker maker;
	const struct event_list *events;
	struct cache_lines *lines;
};

typedef void (*c2c_add_fn)(const struct cache_line_text *text, const struct table_output *output,
			   struct strbuf *out);

enum c2c_table_kind { C2C_TOTALS, C2C_LINES, C2C_ACCESSES };

static struct error *c2c_maker_check(const struct table_provider *provider,
				     const struct event_list *events)
{
	return cache_lines_check(events);
}

static struct error *c2c_maker_add(struct table_maker *maker, const struct table_output *output,
				   struct strbuf *out)
{
	static const c2c_add_fn adds[] = {
		[C2C_TOTALS] = access_totals_add, [C2C_LINES] = cache_lines_add,
		[C2C_ACCESSES] = line_accesses_add,
	};
	struct c2c_maker *m = container_of(maker, struct c2c_maker, maker);
	const struct cache_line_text text = { .lines = m->lines, .events = m->events };
	struct error *err = cache_lines_sort(m->lines);

	if (!err)
		adds[maker->provider->key](&text, output, out);
	return err;
}

static void c2c_maker_deinit(struct table_maker *maker)
{
	struct c2c_maker *m = container_of(maker, struct c2c_maker, maker);

	cache_lines_destroy(m->lines);
}

static struct error *c2c_maker_init(struct table_maker *maker, const struct table_source *source)
{
	struct c2c_maker *m = container_of(maker, struct c2c_maker, maker);
	struct error *err = cache_lines_create(&cache_line_defaults, source->header, &m->lines);

	m->events = source->events;
	if (!err)
		maker->consumer = &m->lines->consumer;
	return err;
}

#define C2C_TABLE(name, kind) \
	const struct table_provider table_##name = { \
		.needs_machine = true, .key = kind, .size = sizeof(struct c2c_maker), \
		.check = c2c_maker_check, .init = c2c_maker_init, .deinit = c2c_maker_deinit, \
		.add = c2c_maker_add, \
	}

C2C_TABLE(c2c_totals, C2C_TOTALS);
C2C_TABLE(c2c_lines, C2C_LINES);
C2C_TABLE(c2c_accesses, C2C_ACCESSES);
