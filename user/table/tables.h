/* SPDX-License-Identifier: GPL-2.0 */
/* The tables of recordings; tables.def has their rows. */
#ifndef KTRACE_TABLE_TABLES_H
#define KTRACE_TABLE_TABLES_H

#include <stddef.h>

#include "lib/error.h"
#include "table/print/table_provider.h"

struct table_row {
	const char *name;
	const char *command;	/* "lock contention", which prints it, too; "": no command does */
	const char *help;
	const struct table_provider *provider;
};

/* All of them, up to one without a name. */
extern const struct table_row tables_of_topics[];

/* ENOENT: no table has that name. */
struct error *table_find(const char *name, const struct table_row **ret);

#endif
