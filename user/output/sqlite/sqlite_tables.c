// SPDX-License-Identifier: GPL-2.0
#include "output/sqlite/sqlite.h"

#include <stdlib.h>
#include <string.h>

#include "lib/array.h"
#include "lib/strbuf.h"

static const struct {
	const char *name;
	size_t nr_columns;
	const char *columns;		/* behind the id */
	/* Row 0 stands for unknown objects, so that all ids refer to a row; NULL: none. */
	const char *unknown;
	const char *view;		/* selects the table in readable form; NULL: no view */
} rows[EXPORT_TABLE_NR] = {
	[EXPORT_EVSEL] = {
		"selected_events", 2, "name varchar(80)", "0, 'unknown'", NULL,
	},
	[EXPORT_MACHINE] = {
		"machines", 3, "pid integer, root_dir varchar(4096)", "0, 0, 'unknown'",
		"SELECT id, pid, root_dir, iif(id = 0, 'unknown', iif(pid = -1, 'host', 'guest')) "
		"AS host_or_guest FROM machines",
	},
	[EXPORT_THREAD] = {
		"threads", 5, "machine_id bigint, process_id bigint, pid integer, tid integer",
		"0, 0, 0, -1, -1",
		"SELECT t.id, t.machine_id, m.host_or_guest, t.process_id, t.pid, t.tid "
		"FROM threads t LEFT JOIN machines_view m ON m.id = t.machine_id",
	},
	[EXPORT_COMM] = {
		"comms", 5,
		"comm varchar(16), c_thread_id bigint, c_time bigint, exec_flag boolean",
		"0, 'unknown', 0, 0, 0", NULL,
	},
	[EXPORT_COMM_THREAD] = {
		"comm_threads", 3, "comm_id bigint, thread_id bigint", NULL,
		"SELECT l.comm_id, c.comm AS command, l.thread_id, t.pid, t.tid "
		"FROM comm_threads l LEFT JOIN comms c ON c.id = l.comm_id "
		"LEFT JOIN threads t ON t.id = l.thread_id",
	},
	[EXPORT_DSO] = {
		"dsos", 5, "machine_id bigint, short_name varchar(256), long_name varchar(4096), "
		"build_id varchar(64)", "0, 0, 'unknown', 'unknown', ''",
		"SELECT d.id, d.machine_id, m.host_or_guest, d.short_name, d.long_name, d.build_id "
		"FROM dsos d LEFT JOIN machines_view m ON m.id = d.machine_id",
	},
	[EXPORT_SYMBOL] = {
		"symbols", 6, "dso_id bigint, sym_start bigint, sym_end bigint, binding integer, "
		"name varchar(2048)", "0, 0, 0, 0, 0, 'unknown'",
		"SELECT s.id, s.name, d.short_name AS dso, s.dso_id, s.sym_start, s.sym_end, "
		"iif(s.binding = 0, 'local', iif(s.binding = 1, 'global', 'weak')) AS binding "
		"FROM symbols s LEFT JOIN dsos d ON d.id = s.dso_id",
	},
	[EXPORT_BRANCH_TYPE] = { "branch_types", 2, "name varchar(80)", NULL, NULL },
	[EXPORT_SAMPLE] = {
		"samples", 25,
		"evsel_id bigint, machine_id bigint, thread_id bigint, comm_id bigint, "
		"dso_id bigint, symbol_id bigint, sym_offset bigint, ip bigint, time bigint, "
		"cpu integer, to_dso_id bigint, to_symbol_id bigint, to_sym_offset bigint, "
		"to_ip bigint, period bigint, weight bigint, transaction_ bigint, "
		"data_src bigint, branch_type integer, in_tx boolean, call_path_id bigint, "
		"insn_count bigint, cyc_count bigint, flags integer",
		"0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0",
		"SELECT s.id, s.time, s.cpu, t.pid, t.tid, c.comm AS command, e.name AS event, "
		"printf('%x', s.ip) AS ip_hex, y.name AS symbol, s.sym_offset, "
		"d.short_name AS dso_short_name, printf('%x', s.to_ip) AS to_ip_hex, "
		"ty.name AS to_symbol, s.to_sym_offset, td.short_name AS to_dso_short_name, "
		"b.name AS branch_type_name, s.in_tx, s.insn_count, s.cyc_count, "
		"iif(s.cyc_count = 0, 0.0, round(s.insn_count * 1.0 / s.cyc_count, 2)) AS IPC, "
		"s.flags FROM samples s LEFT JOIN threads t ON t.id = s.thread_id "
		"LEFT JOIN comms c ON c.id = s.comm_id "
		"LEFT JOIN selected_events e ON e.id = s.evsel_id "
		"LEFT JOIN symbols y ON y.id = s.symbol_id LEFT JOIN dsos d ON d.id = s.dso_id "
		"LEFT JOIN symbols ty ON ty.id = s.to_symbol_id "
		"LEFT JOIN dsos td ON td.id = s.to_dso_id "
		"LEFT JOIN branch_types b ON b.id = s.branch_type",
	},
	[EXPORT_CALL_PATH] = {
		"call_paths", 4, "parent_id bigint, symbol_id bigint, ip bigint", "0, 0, 0, 0",
		"SELECT c.id, printf('%x', c.ip) AS ip, c.symbol_id, y.name AS symbol, y.dso_id, "
		"y.dso AS dso_short_name, c.parent_id, printf('%x', p.ip) AS parent_ip, "
		"p.symbol_id AS parent_symbol_id, py.name AS parent_symbol, "
		"py.dso_id AS parent_dso_id, py.dso AS parent_dso_short_name "
		"FROM call_paths c JOIN call_paths p ON p.id = c.parent_id "
		"LEFT JOIN symbols_view y ON y.id = c.symbol_id "
		"LEFT JOIN symbols_view py ON py.id = p.symbol_id",
	},
	[EXPORT_CONTEXT_SWITCH] = {
		"context_switches", 9,
		"machine_id bigint, time bigint, cpu integer, thread_out_id bigint, "
		"comm_out_id bigint, thread_in_id bigint, comm_in_id bigint, flags integer", NULL,
		"SELECT s.id, s.machine_id, s.time, s.cpu, o.pid AS pid_out, o.tid AS tid_out, "
		"oc.comm AS comm_out, i.pid AS pid_in, i.tid AS tid_in, ic.comm AS comm_in, "
		"CASE s.flags WHEN 0 THEN 'in' WHEN 1 THEN 'out' WHEN 3 THEN 'out preempt' "
		"ELSE s.flags END AS flags FROM context_switches s "
		"JOIN threads o ON o.id = s.thread_out_id JOIN threads i ON i.id = s.thread_in_id "
		"JOIN comms oc ON oc.id = s.comm_out_id JOIN comms ic ON ic.id = s.comm_in_id",
	},
};

struct sqlite_tables {
	struct export_sink sink;
	struct sqlite *db;
	bool callchains;
	struct sqlite_rows *rows[EXPORT_TABLE_NR];
	bool any[EXPORT_TABLE_NR];
};

static struct error *insert(struct export_sink *sink, enum export_table table,
			    const struct export_value *values, size_t nr)
{
	struct sqlite_tables *tables = container_of(sink, struct sqlite_tables, sink);
	struct sqlite_rows *to = tables->rows[table];

	for (size_t i = 0; i < nr; i++) {
		if (values[i].type == EXPORT_TEXT)
			sqlite_rows_add_text(to, values[i].text, strlen(values[i].text));
		else
			sqlite_rows_add_number(to, values[i].number);
	}
	tables->any[table] = true;
	return sqlite_rows_end_row(to);
}

static struct error *sqlite_tables_make_table(struct sqlite_tables *tables, enum export_table table)
{
	_cleanup_(strbuf) struct strbuf sql = STRBUF_INIT;
	struct error *err;

	strbuf_addf(&sql, "CREATE TABLE %s (id integer NOT NULL PRIMARY KEY, %s);",
		    rows[table].name, rows[table].columns);
	if (rows[table].unknown)
		strbuf_addf(&sql, "INSERT INTO %s VALUES (%s);", rows[table].name,
			    rows[table].unknown);
	if (rows[table].view)
		strbuf_addf(&sql, "CREATE VIEW %s_view AS %s;", rows[table].name,
			    rows[table].view);
	err = sql.failed ? &error_no_memory : sqlite_exec(tables->db, sql.data);
	return err ? err : sqlite_rows_create(tables->db, rows[table].name,
					      rows[table].nr_columns, &tables->rows[table]);
}

struct error *sqlite_tables_create(struct sqlite *db, bool callchains, struct sqlite_tables **ret)
{
	struct sqlite_tables *tables = calloc(1, sizeof(*tables));
	struct error *err = NULL;

	if (!tables)
		return &error_no_memory;
	tables->sink.row = insert;
	tables->db = db;
	tables->callchains = callchains;
	for (int table = 0; !err && table < EXPORT_TABLE_NR; table++)
		if (callchains || table != EXPORT_CALL_PATH)
			err = sqlite_tables_make_table(tables, table);
	if (err) {
		sqlite_tables_destroy(tables);
		return err;
	}
	*ret = tables;
	return NULL;
}

void sqlite_tables_destroy(struct sqlite_tables *tables)
{
	if (!tables)
		return;
	for (int table = 0; table < EXPORT_TABLE_NR; table++)
		sqlite_rows_destroy(tables->rows[table]);
	free(tables);
}

struct export_sink *sqlite_tables_sink(struct sqlite_tables *tables)
{
	return &tables->sink;
}

struct error *sqlite_tables_finish(struct sqlite_tables *tables)
{
	struct error *err = NULL;

	for (int table = 0; !err && table < EXPORT_TABLE_NR; table++)
		if (tables->rows[table])
			err = sqlite_rows_flush(tables->rows[table]);
	if (err || tables->any[EXPORT_CONTEXT_SWITCH])
		return err;
	return sqlite_exec(tables->db, "DROP VIEW context_switches_view;"
			   "DROP TABLE context_switches");
}
