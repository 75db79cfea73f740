// SPDX-License-Identifier: GPL-2.0
#include "output/sqlite/sqlite.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "lib/array.h"
#include "lib/strbuf.h"
#include "lib/utf8.h"
#include "record/common_field.h"

#define KEY "sample_id"
#define TASK_NAME	"_comm"

struct sqlite_events {
	struct sqlite *db;
	ARRAY_OF(struct sqlite_rows *) rows;	/* by event->index; NULL: no table yet */
};

struct names {
	char **items;		/* owned */
	size_t nr, alloc;
};

static void names_deinit(struct names *names)
{
	array_free_each(names);
}
DEFINE_CLEANUP(names, struct names, names_deinit)

/* SQL ignores the case of names. */
static bool is_taken(const struct names *names, const char *name)
{
	return array_any(names, it, !strcasecmp(*it, name));
}

/* Add a name, with underscores appended to make it unique. */
static struct error *sqlite_events_add_name(struct names *names, const char *prefix,
					    const char *name)
{
	_cleanup_(strbuf) struct strbuf text = STRBUF_INIT;
	char *copy;

	strbuf_addstr(&text, prefix);
	utf8_add(&text, name, strlen(name));
	while (!text.failed && is_taken(names, text.data))
		strbuf_addch(&text, '_');
	copy = text.failed ? NULL : strdup(text.data);
	if (!copy || !array_push(names, copy)) {
		free(copy);
		return &error_no_memory;
	}
	return NULL;
}

/*
 * Name the columns: the key, the task's name then, the event's own fields, the synthesized common
 * ones.  perf's tables have only the names that tasks got by exec.
 */
static struct error *name_columns(const struct session_record *r, struct names *names)
{
	struct error *err = sqlite_events_add_name(names, "", KEY);

	if (!err)
		err = sqlite_events_add_name(names, "", TASK_NAME);
	for (size_t i = r->format->nr_common; !err && i < r->format->nr_fields; i++)
		err = sqlite_events_add_name(names, "", r->format->fields[i].name);
	for (size_t i = 0; !err && i < r->event->common.nr; i++)
		err = sqlite_events_add_name(names, "common_", r->event->common.items[i].name);
	return err;
}

/* Append a name in quotes, because names of the kernel's fields may be keywords of SQL. */
static void add_quoted(struct strbuf *sql, const char *name)
{
	strbuf_addch(sql, '"');
	for (; *name; name++) {
		if (*name == '"')
			strbuf_addch(sql, '"');
		strbuf_addch(sql, *name);
	}
	strbuf_addch(sql, '"');
}

/* Add the names from number @from on. */
static void add_names(struct strbuf *sql, const struct names *names, size_t from,
		      const char *table)
{
	for (size_t i = from; i < names->nr; i++) {
		strbuf_addf(sql, ", %s", table);
		add_quoted(sql, names->items[i]);
	}
}

static struct error *sqlite_events_make_table(struct sqlite_events *events,
					      const struct session_record *r,
					      struct sqlite_rows **ret)
{
	_cleanup_(strbuf) struct strbuf sql = STRBUF_INIT, table = STRBUF_INIT, view = STRBUF_INIT;
	_cleanup_(names) struct names names = { 0 };
	struct error *err = name_columns(r, &names);

	if (err)
		return err;
	/* SQLite reserves names that begin with sqlite_. */
	strbuf_addf(&table, "%s%s__%s", strncasecmp(r->format->system, "sqlite_", 7) ? "" : "_",
		    r->format->system, r->format->name);
	strbuf_addf(&view, "%s_view", strbuf_str(&table));
	strbuf_addstr(&sql, "CREATE TABLE IF NOT EXISTS ");
	add_quoted(&sql, strbuf_str(&table));
	strbuf_addstr(&sql, " (" KEY " integer NOT NULL PRIMARY KEY");
	add_names(&sql, &names, 1, "");
	strbuf_addstr(&sql, "); CREATE VIEW IF NOT EXISTS ");
	add_quoted(&sql, strbuf_str(&view));
	strbuf_addstr(&sql, " AS SELECT e." KEY ", s.time AS _time, s.cpu AS _cpu, t.pid AS _pid, "
		      "t.tid AS _tid, e." TASK_NAME);
	add_names(&sql, &names, 2, "e.");
	strbuf_addstr(&sql, " FROM ");
	add_quoted(&sql, strbuf_str(&table));
	strbuf_addstr(&sql, " e JOIN samples s ON s.id = e." KEY
		      " JOIN threads t ON t.id = s.thread_id");
	if (sql.failed || table.failed || view.failed)
		return &error_no_memory;
	err = sqlite_exec(events->db, sql.data);
	if (err)
		return err;
	strbuf_reset(&sql);
	add_quoted(&sql, table.data);
	return sql.failed ? &error_no_memory :
	       sqlite_rows_create(events->db, sql.data, names.nr, ret);
}

static void add_event_field(struct sqlite_rows *rows, const struct field *field,
			    const void *raw, size_t raw_size)
{
	const void *bytes;
	size_t len;

	if (field->kind == FIELD_INTEGER) {
		sqlite_rows_add_number(rows, field_u64(field, raw, raw_size));
		return;
	}
	bytes = field_bytes(field, raw, raw_size, &len);
	if (field->kind == FIELD_STRING || field->kind == FIELD_DYNAMIC_STRING ||
	    field->kind == FIELD_REL_STRING)
		sqlite_rows_add_text(rows, bytes, bytes ? len : 0);
	else
		sqlite_rows_add_bytes(rows, bytes, len);
}

static void add_event_common(struct sqlite_rows *rows, const struct session_record *r,
			     const struct common_slot *slot)
{
	const char *bytes = common_slot_bytes(r->event, &r->sample, slot);

	if (!bytes)
		sqlite_rows_add_null(rows);
	else if (slot->type == COMMON_TEXT)
		sqlite_rows_add_text(rows, bytes, strnlen(bytes, slot->size));
	else
		sqlite_rows_add_number(rows, common_slot_number(bytes));
}

struct error *sqlite_events_add(struct sqlite_events *events, uint64_t id,
				const struct session_record *r)
{
	struct sqlite_rows *rows;
	struct error *err;
	uint32_t raw_size;

	if (!r->format)
		return NULL;
	if (!array_at(&events->rows, r->event->index, 0))
		return &error_no_memory;
	if (!events->rows.items[r->event->index]) {
		err = sqlite_events_make_table(events, r, &events->rows.items[r->event->index]);
		if (err)
			return err;
	}
	rows = events->rows.items[r->event->index];
	raw_size = common_field_raw_size(r->event, &r->sample);
	sqlite_rows_add_number(rows, id);
	sqlite_rows_add_text(rows, r->comm, strlen(r->comm));
	for (size_t i = r->format->nr_common; i < r->format->nr_fields; i++)
		add_event_field(rows, &r->format->fields[i], r->sample.raw, raw_size);
	for (size_t i = 0; i < r->event->common.nr; i++)
		add_event_common(rows, r, &r->event->common.items[i]);
	return sqlite_rows_end_row(rows);
}

struct error *sqlite_events_finish(struct sqlite_events *events)
{
	struct error *err = NULL;

	for (size_t i = 0; !err && i < events->rows.nr; i++)
		if (events->rows.items[i])
			err = sqlite_rows_flush(events->rows.items[i]);
	return err;
}

struct error *sqlite_events_create(struct sqlite *db, struct sqlite_events **ret)
{
	struct sqlite_events *events = calloc(1, sizeof(*events));

	if (!events)
		return &error_no_memory;
	events->db = db;
	*ret = events;
	return NULL;
}

void sqlite_events_destroy(struct sqlite_events *events)
{
	if (!events)
		return;
	for (size_t i = 0; i < events->rows.nr; i++)
		sqlite_rows_destroy(events->rows.items[i]);
	free(events->rows.items);
	free(events);
}
