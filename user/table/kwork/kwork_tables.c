// SPDX-License-Identifier: GPL-2.0
/* Providers of the tables of works (table/tables.def), without a command line. */
#include "states/known_events.h"
#include "table/kwork/cpu_shares.h"
#include "table/kwork/kwork_text.h"
#include "table/print/table_provider.h"

struct kwork_maker {
	struct table_maker maker;
	struct kernel_works_options options;
	struct kernel_works *works;
};

static struct kernel_works_options kwork_maker_options(const struct table_provider *provider)
{
	return (struct kernel_works_options){
		.measure = provider->key, .nr_classes = WORK_CLASSES,
		.classes = { WORK_IRQ, WORK_SOFTIRQ, WORK_QUEUED },
	};
}

static struct error *kwork_maker_check(const struct table_provider *provider,
				       const struct event_list *events)
{
	struct kernel_works_options options = kwork_maker_options(provider);

	return kernel_works_check(&options, NULL, events);
}

static struct error *kwork_maker_add(struct table_maker *maker, const struct table_output *output,
				     struct strbuf *out)
{
	struct kwork_maker *m = container_of(maker, struct kwork_maker, maker);
	const enum work_key keys[] = {
		m->options.measure == WORK_RUNTIME ? WORK_TOTAL : WORK_AVG, WORK_MAX, WORK_COUNT,
	};

	kernel_works_sort(m->works, keys, sizeof(keys) / sizeof(*keys));
	kwork_table_add(m->works, false, output, out);
	return NULL;
}

static void kwork_maker_deinit(struct table_maker *maker)
{
	struct kwork_maker *m = container_of(maker, struct kwork_maker, maker);

	kernel_works_destroy(m->works);
}

static struct error *kwork_maker_init(struct table_maker *maker,
					const struct table_source *source)
{
	struct kwork_maker *m = container_of(maker, struct kwork_maker, maker);
	struct error *err;

	m->options = kwork_maker_options(maker->provider);
	err = kernel_works_create(&m->options, &m->works);
	if (!err)
		maker->consumer = &m->works->consumer;
	return err;
}

#define KWORK_TABLE(name, measure) \
	const struct table_provider table_##name = { \
		.needs_machine = true, .key = measure, .size = sizeof(struct kwork_maker), \
		.check = kwork_maker_check, .init = kwork_maker_init, \
		.deinit = kwork_maker_deinit, .add = kwork_maker_add, \
	}

KWORK_TABLE(kwork_report, WORK_RUNTIME);
KWORK_TABLE(kwork_latency, WORK_LATENCY);

struct kwork_share_maker {
	struct table_maker maker;
	const struct event_list *events;
	struct cpu_shares *shares;
};

static struct error *kwork_share_check(const struct table_provider *provider,
				       const struct event_list *events)
{
	return needed_events_check(NEEDED_CPU_SHARES, events);
}

static struct error *kwork_share_add(struct table_maker *maker, const struct table_output *output,
				     struct strbuf *out)
{
	static const enum cpu_share_key keys[] = { CPU_SHARE_RATE, CPU_SHARE_RUNTIME };
	struct kwork_share_maker *m = container_of(maker, struct kwork_share_maker, maker);
	_cleanup_(cpu_share_table) struct cpu_share_table table = { 0 };
	struct error *err = cpu_shares_make(m->shares, NULL, keys, sizeof(keys) / sizeof(*keys),
					    &table);

	if (!err)
		cpu_shares_add(&table, output, out);
	return err;
}

static void kwork_share_tell(const struct table_maker *maker, struct strbuf *out)
{
	const struct kwork_share_maker *m = container_of(maker, struct kwork_share_maker, maker);

	if (!cpu_shares_have_interrupts(m->events))
		strbuf_addstr(out, CPU_SHARES_TELL_NO_INTERRUPTS);
}

static void kwork_share_deinit(struct table_maker *maker)
{
	struct kwork_share_maker *m = container_of(maker, struct kwork_share_maker, maker);

	cpu_shares_destroy(m->shares);
}

static struct error *kwork_share_init(struct table_maker *maker,
				      const struct table_source *source)
{
	struct kwork_share_maker *m = container_of(maker, struct kwork_share_maker, maker);
	struct error *err = cpu_shares_create(&m->shares);

	m->events = source->events;
	if (!err)
		maker->consumer = cpu_shares_consumer(m->shares);
	return err;
}

const struct table_provider table_kwork_top = {
	.size = sizeof(struct kwork_share_maker), .check = kwork_share_check,
	.init = kwork_share_init, .deinit = kwork_share_deinit, .add = kwork_share_add,
	.tell = kwork_share_tell,
};
