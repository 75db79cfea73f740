// SPDX-License-Identifier: GPL-2.0
#include "sql/register.h"

#include "sql/count_table.h"
#include "sql/open_function.h"
#include "sql/sample_table.h"
#include "sql/topic_table.h"

struct error *sql_register(sqlite3 *db, struct sql_recordings *recordings)
{
	struct error *err = sample_table_register(db, recordings);

	if (!err)
		err = count_table_register(db, recordings);
	if (!err)
		err = topic_table_register(db, recordings);
	return err ? err : open_function_register(db, recordings);
}
