// SPDX-License-Identifier: GPL-2.0
/* Provider of the table of wall time (table/tables.def), without a command line. */
#include "calls/chain_nodes.h"
#include "session/callchain.h"
#include "states/wall_time.h"
#include "table/print/table_provider.h"
#include "table/profile/wall_costs_text.h"

struct costs_maker {
	struct table_maker maker;
	struct session_consumer consumer;	/* behind wall_time's */
	struct wall_time *wall_time;
	struct wall_costs *costs;
	struct call_tree *tree;
	struct chain_nodes *chains;
	uint32_t root;
};

static struct error *costs_maker_check(const struct table_provider *provider,
				      const struct event_list *events)
{
	return wall_time_check(events);
}

static struct error *costs_maker_sample(struct session_consumer *consumer,
				       const struct session_record *r)
{
	struct costs_maker *m = container_of(consumer, struct costs_maker, consumer);
	uint32_t node = m->root;
	struct error *err;

	if (!r->task_state)
		return NULL;
	err = chain_nodes_find(m->chains, r, &node);
	return err ? err : wall_costs_add(m->costs, r, node);
}

static struct error *costs_maker_init(struct table_maker *maker, const struct table_source *source)
{
	static const struct chain_options options = { .max_stack = CALLCHAIN_DEPTH };
	struct costs_maker *m = container_of(maker, struct costs_maker, maker);
	struct error *err = call_tree_create(&m->tree);

	m->consumer.sample = costs_maker_sample;
	if (!err)
		err = call_tree_add_root(m->tree, 0, &m->root);
	if (!err)
		err = chain_nodes_create(m->tree, &options, &m->chains);
	if (!err)
		err = wall_costs_create(&m->costs);
	if (!err)
		err = wall_time_create(source->events, &m->consumer, &m->wall_time);
	if (!err)
		maker->consumer = wall_time_consumer(m->wall_time);
	return err;
}

static void costs_maker_deinit(struct table_maker *maker)
{
	struct costs_maker *m = container_of(maker, struct costs_maker, maker);

	wall_time_destroy(m->wall_time);
	wall_costs_destroy(m->costs);
	chain_nodes_destroy(m->chains);
	call_tree_destroy(m->tree);
}

static struct error *costs_maker_add(struct table_maker *maker, const struct table_output *output,
				    struct strbuf *out)
{
	struct costs_maker *m = container_of(maker, struct costs_maker, maker);
	struct wall_summary summary;
	struct error *err = wall_costs_settle(m->costs, m->tree, &summary);

	if (!err)
		wall_costs_add_table(&summary, output, out);
	return err;
}

static void costs_maker_tell(const struct table_maker *maker, struct strbuf *out)
{
	wall_time_add_missing(container_of(maker, struct costs_maker, maker)->wall_time, out);
}

const struct table_provider table_wall_costs = {
	.needs_machine = true, .size = sizeof(struct costs_maker), .check = costs_maker_check,
	.init = costs_maker_init, .deinit = costs_maker_deinit, .add = costs_maker_add,
	.tell = costs_maker_tell,
};
