// SPDX-License-Identifier: GPL-2.0
/* Provider of the table of threads' counts (table/tables.def), without a command line. */
#include <errno.h>

#include "table/print/table_provider.h"
#include "table/profile/thread_counts_text.h"

struct thread_maker {
	struct table_maker maker;
	struct session_consumer consumer;
	struct thread_counts counts;
};

static struct error *thread_maker_check(const struct table_provider *provider,
					const struct event_list *events)
{
	for (size_t i = 0; i < events->nr; i++)
		if (events->items[i]->attr.inherit_stat)
			return NULL;
	return error_hint(error_new(ENODATA, "The recording has no counts of single threads"),
			  "'ktrace record -s' records them");
}

static struct error *thread_maker_other(struct session_consumer *consumer,
					const struct session_record *r)
{
	return thread_counts_add(&container_of(consumer, struct thread_maker, consumer)->counts, r);
}

static struct error *thread_maker_init(struct table_maker *maker, const struct table_source *source)
{
	struct thread_maker *m = container_of(maker, struct thread_maker, maker);

	m->consumer.other = thread_maker_other;
	maker->consumer = &m->consumer;
	return NULL;
}

static void thread_maker_deinit(struct table_maker *maker)
{
	thread_counts_deinit(&container_of(maker, struct thread_maker, maker)->counts);
}

static struct error *thread_maker_add(struct table_maker *maker, const struct table_output *output,
				      struct strbuf *out)
{
	struct thread_maker *m = container_of(maker, struct thread_maker, maker);

	thread_counts_add_each(&m->counts, output, out);
	return NULL;
}

const struct table_provider table_thread_counts = {
	.size = sizeof(struct thread_maker), .check = thread_maker_check,
	.init = thread_maker_init, .deinit = thread_maker_deinit, .add = thread_maker_add,
};
