// SPDX-License-Identifier: GPL-2.0
#include "output/sqlite/sqlite.h"

#include <stdlib.h>

#include "lib/array.h"
#include "output/rendering.h"
#include "table/samples/export.h"

/* A recording as a database: all samples, and a table for each tracepoint. */
struct database {
	struct rendering rendering;
	struct session_consumer consumer;
	struct sqlite *db;
	struct sqlite_tables *tables;
	struct sqlite_events *events;
	struct export *export;
};

static struct error *add_database_sample(struct session_consumer *consumer,
					 const struct session_record *r)
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

static struct error *add_database_other(struct session_consumer *consumer,
					const struct session_record *r)
{
	struct database *database = container_of(consumer, struct database, consumer);
	bool taken;

	return export_other(database->export, r, &taken);
}

static void destroy_database(struct rendering *rendering)
{
	struct database *database = container_of(rendering, struct database, rendering);

	export_destroy(database->export);
	sqlite_events_destroy(database->events);
	sqlite_tables_destroy(database->tables);
	sqlite_close(database->db);
	free(database);
}

static struct error *finish_database(struct rendering *rendering)
{
	struct database *database = container_of(rendering, struct database, rendering);
	struct error *err = sqlite_tables_finish(database->tables);

	if (!err)
		err = sqlite_events_finish(database->events);
	return err ? err : sqlite_commit(database->db);
}

struct error *output_sqlite_open(const struct rendering_request *request, struct rendering **ret)
{
	bool callchains = event_list_has(request->events, PERF_SAMPLE_CALLCHAIN);
	struct database *database = calloc(1, sizeof(*database));
	struct error *err;

	if (!database)
		return &error_no_memory;
	database->consumer = (struct session_consumer){
		.sample = add_database_sample, .other = add_database_other,
	};
	database->rendering = (struct rendering){
		.consumer = &database->consumer, .finish = finish_database,
		.destroy = destroy_database,
	};
	err = sqlite_open(request->path, request->name, &database->db);
	if (!err)
		err = sqlite_tables_create(database->db, callchains, &database->tables);
	if (!err)
		err = sqlite_events_create(database->db, &database->events);
	if (!err)
		err = export_create(sqlite_tables_sink(database->tables), callchains,
				    &database->export);
	if (err) {
		destroy_database(&database->rendering);
		return err;
	}
	*ret = &database->rendering;
	return NULL;
}
