// SPDX-License-Identifier: GPL-2.0
/* Providers of the tables of locks (table/tables.def), without a command line. */
#include "table/lock/lock_text.h"
#include "table/print/table_provider.h"

enum lock_table_kind { LOCK_TABLE_CONTENTION, LOCK_TABLE_REPORT };

struct lock_maker {
	struct table_maker maker;
	struct lock_contention_options options;
	struct lock_contention *locks;
};

static bool lock_is_report(const struct table_maker *maker)
{
	return maker->provider->key == LOCK_TABLE_REPORT;
}

static struct error *lock_maker_check(const struct table_provider *provider,
				      const struct event_list *events)
{
	return lock_contention_check(events);
}

static struct error *lock_maker_add(struct table_maker *maker, const struct table_output *output,
				    struct strbuf *out)
{
	struct lock_maker *m = container_of(maker, struct lock_maker, maker);
	const struct lock_text contention = {
		.locks = m->locks, .by = LOCK_BY_CALLER, .entries = SIZE_MAX, .nr_keys = 4,
		.keys = { LOCK_CONTENDED, LOCK_WAIT_TOTAL, LOCK_WAIT_MAX, LOCK_AVG_WAIT },
	};
	const struct lock_text report = {
		.locks = m->locks, .by = LOCK_BY_ADDRESS, .entries = SIZE_MAX, .nr_keys = LOCK_KEYS,
		.keys = { LOCK_ACQUIRED, LOCK_CONTENDED, LOCK_AVG_WAIT, LOCK_WAIT_TOTAL,
			  LOCK_WAIT_MAX, LOCK_WAIT_MIN },
	};

	if (lock_is_report(maker)) {
		lock_contention_sort(m->locks, LOCK_ACQUIRED);
		lock_report_add(&report, output, out);
	} else {
		lock_contention_sort(m->locks, LOCK_WAIT_TOTAL);
		lock_contention_add(&contention, output, out);
	}
	return NULL;
}

static void lock_maker_tell(const struct table_maker *maker, struct strbuf *out)
{
	const struct lock_maker *m = container_of(maker, struct lock_maker, maker);

	if (m->locks->unended)
		strbuf_addf(out, LOCK_TELLS_UNENDED, (unsigned long long)m->locks->unended);
}

static void lock_maker_deinit(struct table_maker *maker)
{
	struct lock_maker *m = container_of(maker, struct lock_maker, maker);

	lock_contention_destroy(m->locks);
}

static struct error *lock_maker_init(struct table_maker *maker, const struct table_source *source)
{
	struct lock_maker *m = container_of(maker, struct lock_maker, maker);
	struct error *err;

	m->options = (struct lock_contention_options){
		.by = lock_is_report(maker) ? LOCK_BY_ADDRESS : LOCK_BY_CALLER,
		.caller_names = lock_is_report(maker), .depth = LOCK_DEPTH,
	};
	err = lock_contention_create(&m->options, &m->locks);
	if (!err)
		maker->consumer = &m->locks->consumer;
	return err;
}

#define LOCK_TABLE(name, kind) \
	const struct table_provider table_##name = { \
		.needs_machine = true, .key = kind, .size = sizeof(struct lock_maker), \
		.check = lock_maker_check, .init = lock_maker_init, .deinit = lock_maker_deinit, \
		.add = lock_maker_add, .tell = lock_maker_tell, \
	}

LOCK_TABLE(lock_contention, LOCK_TABLE_CONTENTION);
LOCK_TABLE(lock_report, LOCK_TABLE_REPORT);
