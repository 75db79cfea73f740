// SPDX-License-Identifier: GPL-2.0
/* Providers of the tables of monitors (table/tables.def), without a command line. */
#include "table/check/monitor_text.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lib/own_path.h"
#include "machine/model.h"
#include "record/header.h"
#include "table/print/table_provider.h"

enum { MONITOR_TABLE_COUNTS, MONITOR_TABLE_VIOLATIONS };

struct monitor_maker {
	struct table_maker maker;
	struct models models;
	struct judges judges;		/* of the models that the recording can run */
	struct table_source source;
	struct strbuf told;
};

static struct error *monitor_maker_read(struct models *ret)
{
	_cleanup_(strbuf) struct strbuf folder = STRBUF_INIT;

	strbuf_addf(&folder, "%s/scripts/monitors", own_path());
	return folder.failed ? &error_no_memory : models_read(folder.data, ret);
}

static bool monitor_maker_has_event(const struct binding_event *e, const struct event_list *events)
{
	size_t len = strlen(e->system);

	for (size_t i = 0; i < events->nr; i++) {
		const char *name = events->items[i]->name;

		if (!strncmp(name, e->system, len) && name[len] == ':' &&
		    !strcmp(name + len + 1, e->event))
			return true;
	}
	return false;
}

/* Whether a recording has all tracepoints of a model. */
static bool monitor_maker_has_events(const struct model *model, const struct event_list *events)
{
	for (size_t i = 0; i < model->binding->events.nr; i++)
		if (!monitor_maker_has_event(&model->binding->events.items[i], events))
			return false;
	return model->automaton && !model->binding->lacks.nr;
}

static struct error *monitor_maker_check(const struct table_provider *provider,
					 const struct event_list *events)
{
	_cleanup_(models) struct models models = { 0 };
	struct error *err = monitor_maker_read(&models);

	(void)provider;
	for (size_t i = 0; !err && i < models.nr; i++)
		if (monitor_maker_has_events(&models.items[i], events))
			return NULL;
	return err ? err : error_hint(error_new(ENODATA, "The recording has the events of no model"),
				      "'ktrace check --monitor list' says which events each model needs; "
				      "'ktrace record -a -e sched:sched_switch,sched:sched_wakeup' is "
				      "enough for some");
}

/* A model that cannot judge this recording has no row, and a sentence has the reason. */
static struct error *monitor_maker_add(struct monitor_maker *m, const struct model *model)
{
	const struct judges_source source = {
		m->source.events, m->source.formats, m->source.header->nr_cpus_online,
	};
	struct error *err = judges_add(&m->judges, model->name, model->automaton, model->binding,
				       &source);

	if (!err || err->code != EINVAL)
		return err;
	strbuf_addf(&m->told, "%s%s judged nothing: %s", m->told.len ? ". " : "", model->name,
		    err->message);
	error_free(err);
	return NULL;
}

static struct error *monitor_maker_init(struct table_maker *maker,
					const struct table_source *source)
{
	struct monitor_maker *m = container_of(maker, struct monitor_maker, maker);
	struct error *err;

	judges_init(&m->judges);
	maker->consumer = &m->judges.consumer;
	m->source = *source;
	/* The columns alone need no models, which a library may have been installed without. */
	if (!source->header)
		return NULL;
	err = monitor_maker_read(&m->models);
	for (size_t i = 0; !err && i < m->models.nr; i++)
		if (monitor_maker_has_events(&m->models.items[i], source->events))
			err = monitor_maker_add(m, &m->models.items[i]);
	return err;
}

static void monitor_maker_deinit(struct table_maker *maker)
{
	struct monitor_maker *m = container_of(maker, struct monitor_maker, maker);

	judges_deinit(&m->judges);
	models_deinit(&m->models);
	strbuf_deinit(&m->told);
}

static struct error *monitor_maker_add_violations(struct monitor_maker *m,
						  const struct table_output *output,
						  struct strbuf *out)
{
	_cleanup_free_ struct judges_violation *rows = NULL;
	size_t nr;
	struct error *err = judges_violations(&m->judges, &rows, &nr);

	if (!err)
		monitor_violations_add(rows, nr, output, out);
	return err;
}

static struct error *monitor_maker_add_counts(struct monitor_maker *m,
					      const struct table_output *output, struct strbuf *out)
{
	_cleanup_free_ struct monitor_counts *rows = calloc(m->judges.list.nr + 1, sizeof(*rows));

	if (!rows)
		return &error_no_memory;
	for (size_t i = 0; i < m->judges.list.nr; i++) {
		rows[i].name = m->judges.list.items[i].monitor->name;
		key_table_count(judge_keys(m->judges.list.items[i].judge), &rows[i].counts);
	}
	monitor_counts_add(rows, m->judges.list.nr, output, out);
	return NULL;
}

static struct error *monitor_maker_add_table(struct table_maker *maker,
					     const struct table_output *output, struct strbuf *out)
{
	struct monitor_maker *m = container_of(maker, struct monitor_maker, maker);
	struct error *err = judges_distrust(&m->judges, maker->damaged, m->source.ledger, &m->told);

	if (err)
		return err;
	if (maker->provider->key == MONITOR_TABLE_COUNTS)
		return monitor_maker_add_counts(m, output, out);
	return monitor_maker_add_violations(m, output, out);
}

static void monitor_maker_tell(const struct table_maker *maker, struct strbuf *out)
{
	const struct monitor_maker *m = container_of(maker, struct monitor_maker, maker);

	strbuf_add(out, m->told.data, m->told.len);
}

#define MONITOR_TABLE(name, which) \
	const struct table_provider table_##name = { \
		.key = which, .size = sizeof(struct monitor_maker), .check = monitor_maker_check, \
		.init = monitor_maker_init, .deinit = monitor_maker_deinit, \
		.add = monitor_maker_add_table, .tell = monitor_maker_tell, \
	}

MONITOR_TABLE(monitor_counts, MONITOR_TABLE_COUNTS);
MONITOR_TABLE(monitor_violations, MONITOR_TABLE_VIOLATIONS);
