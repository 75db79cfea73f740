// SPDX-License-Identifier: GPL-2.0
/* The toy of "a topic's table": how many samples there are. */
#include <errno.h>

#include "record/event.h"
#include "session/session.h"
#include "table/print/table_provider.h"

struct toy_maker {
	struct table_maker maker;
	struct session_consumer consumer;
	uint64_t samples;
};

static struct error *toy_maker_sample(struct session_consumer *consumer,
				      const struct session_record *r)
{
	container_of(consumer, struct toy_maker, consumer)->samples++;
	return NULL;
}

static struct error *toy_maker_check(const struct table_provider *provider,
				     const struct event_list *events)
{
	return events->nr ? NULL : error_hint(error_new(ENODATA, "The recording has no events"),
					      "'ktrace record' records some");
}

static struct error *toy_maker_init(struct table_maker *maker, const struct table_source *source)
{
	struct toy_maker *m = container_of(maker, struct toy_maker, maker);

	m->consumer.sample = toy_maker_sample;
	maker->consumer = &m->consumer;
	return NULL;
}

static void toy_maker_deinit(struct table_maker *maker)
{
}

static struct error *toy_maker_add(struct table_maker *maker, const struct table_output *output,
				   struct strbuf *out)
{
	static const struct table_column columns[] = {
		{ .name = "samples", .unit = TABLE_COUNT, .type = TABLE_UNSIGNED,
		  TABLE_MEMBER(struct toy_maker, samples), .heading = "Samples", .width = 9 },
	};
	const struct table table = { .name = "toys", .columns = columns, .nr = 1 };
	struct table_printer printer;

	table_begin(&printer, &table, output, out);
	table_add_row(&printer, container_of(maker, struct toy_maker, maker));
	table_end(&printer);
	return NULL;
}

const struct table_provider table_toys = {
	.size = sizeof(struct toy_maker), .check = toy_maker_check, .init = toy_maker_init,
	.deinit = toy_maker_deinit, .add = toy_maker_add,
};
