/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The tables that are made of recordings, whose rows are in tables.def.
 */
#ifndef KTRACE_TABLE_TABLES_H
#define KTRACE_TABLE_TABLES_H

#include <stddef.h>

#include "lib/error.h"
#include "table/print/table_provider.h"

struct table_row {
	const char *name;
	const char *command;	/* "lock contention", which prints it, too; "": none does */
	const char *help;
	const struct table_provider *provider;
};

/* All of them, up to one without a name. */
extern const struct table_row tables_of_topics[];

/* ENOENT: there is none of that name. */
struct error *table_find(const char *name, const struct table_row **ret);

#endif
