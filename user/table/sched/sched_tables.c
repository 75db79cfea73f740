// SPDX-License-Identifier: GPL-2.0
/* Providers of the tables of the scheduler (table/tables.def), without a command line. */
#include <errno.h>

#include "states/known_events.h"
#include "table/print/table_provider.h"
#include "table/sched/sched_latency_text.h"
#include "table/sched/sched_stats_text.h"

struct latency_maker {
	struct table_maker maker;
	const struct event_list *events;
	struct sched_latency_options options;
	struct sched_latency *latency;
};

static struct error *latency_maker_check(const struct table_provider *provider,
					 const struct event_list *events)
{
	return needed_events_check(NEEDED_SWITCHES, events);
}

static struct error *latency_maker_add(struct table_maker *maker,
				       const struct table_output *output, struct strbuf *out)
{
	struct latency_maker *m = container_of(maker, struct latency_maker, maker);
	_cleanup_(latency_table) struct latency_table table = { 0 };
	struct delay_step steps[DELAY_STEPS_NR];
	struct error *err;

	if (maker->provider->key) {
		size_t nr = sched_latency_steps(m->latency, DELAY_STEPS_LOG, steps);

		sched_delays_add(steps, nr, output, out);
		return NULL;
	}
	err = sched_latency_table(m->latency, &table);
	if (!err)
		sched_latency_add(&table, output, out);
	return err;
}

static void latency_maker_tell(const struct table_maker *maker, struct strbuf *out)
{
	const struct latency_maker *m = container_of(maker, struct latency_maker, maker);

	if (!maker->provider->key && !event_is_recorded(m->events, "sched", "sched_stat_runtime"))
		strbuf_addstr(out, LATENCY_TELLS_NO_RUNTIME);
}

static void latency_maker_deinit(struct table_maker *maker)
{
	struct latency_maker *m = container_of(maker, struct latency_maker, maker);

	sched_latency_destroy(m->latency);
}

static struct error *latency_maker_init(struct table_maker *maker,
					const struct table_source *source)
{
	struct latency_maker *m = container_of(maker, struct latency_maker, maker);
	struct error *err;

	m->events = source->events;
	m->options = (struct sched_latency_options){
		.keys = { LATENCY_BY_AVG, LATENCY_BY_MAX, LATENCY_BY_SWITCH, LATENCY_BY_RUNTIME },
		.nr_keys = 4,
	};
	err = sched_latency_create(&m->options, &m->latency);
	if (!err)
		maker->consumer = sched_latency_consumer(m->latency);
	return err;
}

/* With a key, the delays by their lengths. */
#define LATENCY_TABLE(name, which) \
	const struct table_provider table_##name = { \
		.key = which, .size = sizeof(struct latency_maker), .check = latency_maker_check, \
		.init = latency_maker_init, .deinit = latency_maker_deinit, \
		.add = latency_maker_add, .tell = latency_maker_tell, \
	}

LATENCY_TABLE(sched_latency, 0);
LATENCY_TABLE(sched_delays, 1);

struct sched_stats_maker {
	struct table_maker maker;
	struct sched_stats stats;
	bool reads;
};

/* They come without any event. */
static struct error *stats_maker_check(const struct table_provider *provider,
				       const struct event_list *events)
{
	if (!events->nr)
		return NULL;
	return error_hint(error_new(ENODATA, "The recording has no readings of /proc/schedstat"),
			  "'ktrace sched stats record' records them");
}

static struct error *stats_maker_add(struct table_maker *maker, const struct table_output *output,
				     struct strbuf *out)
{
	struct sched_stats_maker *m = container_of(maker, struct sched_stats_maker, maker);
	struct error *err = m->reads ? sched_stats_finish(&m->stats) : NULL;

	if (!err)
		sched_stats_add(&m->stats, false, output, out);
	return err;
}

static void stats_maker_deinit(struct table_maker *maker)
{
	struct sched_stats_maker *m = container_of(maker, struct sched_stats_maker, maker);

	sched_stats_deinit(&m->stats);
}

static struct error *stats_maker_init(struct table_maker *maker,
				      const struct table_source *source)
{
	struct sched_stats_maker *m = container_of(maker, struct sched_stats_maker, maker);

	m->reads = source->header;
	sched_stats_init(&m->stats, NULL, source->header);
	maker->consumer = &m->stats.consumer;
	return NULL;
}

const struct table_provider table_sched_stats = {
	.size = sizeof(struct sched_stats_maker), .check = stats_maker_check,
	.init = stats_maker_init, .deinit = stats_maker_deinit, .add = stats_maker_add,
};
