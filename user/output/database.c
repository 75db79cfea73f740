// SPDX-License-Identifier: GPL-2.0
#include "output/database.h"

#include <stdlib.h>

#include "analysis/export.h"
#include "lib/array.h"
#include "output/sqlite.h"
#include "output/sqlite_events.h"
#include "output/sqlite_tables.h"

struct database {
	struct session_consumer consumer;
	struct sqlite *db;
	struct sqlite_tables *tables;
	struct sqlite_events *events;
	struct export *export;
};

static struct error *on_sample(struct session_consumer *consumer, const struct session_record *r)
{
	struct database *database = container_of(consumer, struct database, consumer);
	struct error *err;
	uint64_t id;

	if (!r->event)
		return NULL;
	err = export_sample(database->export, r, &id);
	if (!err && r->event->attr.type == PERF_TYPE_TRACEPOINT)
		err = sqlite_events_add(database->events, id, r);
	return err;
}

static struct error *on_other(struct session_consumer *consumer, const struct session_record *r)
{
	struct database *database = container_of(consumer, struct database, consumer);
	bool taken;

	return export_other(database->export, r, &taken);
}

struct error *database_create(const char *path, const char *name, bool callchains,
			      struct database **ret)
{
	struct database *database = calloc(1, sizeof(*database));
	struct error *err;

	if (!database)
		return &error_no_memory;
	database->consumer = (struct session_consumer){ .sample = on_sample, .other = on_other };
	err = sqlite_open(path, name, &database->db);
	if (!err)
		err = sqlite_tables_create(database->db, callchains, &database->tables);
	if (!err)
		err = sqlite_events_create(database->db, &database->events);
	if (!err)
		err = export_create(sqlite_tables_sink(database->tables), callchains,
				    &database->export);
	if (err) {
		database_destroy(database);
		return err;
	}
	*ret = database;
	return NULL;
}

void database_destroy(struct database *database)
{
	if (!database)
		return;
	export_destroy(database->export);
	sqlite_events_destroy(database->events);
	sqlite_tables_destroy(database->tables);
	sqlite_close(database->db);
	free(database);
}

struct session_consumer *database_consumer(struct database *database)
{
	return &database->consumer;
}

struct error *database_finish(struct database *database)
{
	struct error *err = sqlite_tables_finish(database->tables);

	return err ? err : sqlite_commit(database->db);
}
