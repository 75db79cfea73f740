/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The source of a table's rows.  A table has a provider, table_NAME, and a row in
 * user/table/tables.def.  The command `ktrace table`, SQL and Python then have the table.
 *
 *	err = provider->check(provider, events);
 *	err = table_maker_create(provider, &source, &maker);
 *	run a session with maker->consumer; set maker->damaged;
 *	err = provider->add(maker, &output, &text);
 *	table_maker_destroy(maker);
 */
#ifndef KTRACE_TABLE_PRINT_TABLE_PROVIDER_H
#define KTRACE_TABLE_PRINT_TABLE_PROVIDER_H

#include <stdbool.h>

#include "lib/cleanup.h"
#include "lib/error.h"
#include "table/print/table_print.h"

struct event_list;
struct formats;
struct header;
struct ledger;
struct machine;
struct session_consumer;

/* The recording of a table; borrowed as long as its maker lives. */
struct table_source {
	const struct event_list *events;
	const struct formats *formats;
	struct machine *machine;	/* NULL: no session runs, or the provider needs none */
	const struct header *header;	/* NULL: no session runs */
	const struct ledger *ledger;	/* complete after the session; NULL: no session runs */
};

/* One table of one recording, as its command prints it without options. */
struct table_maker {
	const struct table_provider *provider;
	struct session_consumer *consumer;	/* reads the records of one session */
	bool damaged;		/* for add(): samples are damaged, or the end is missing */
};

struct table_provider {
	bool needs_machine;	/* the session and the source need a machine, to name addresses */
	int key;		/* for the functions: the number of the table in its topic */
	size_t size;		/* of a structure that begins with its struct table_maker */
	/*
	 * ENODATA: the recording lacks a required event; the hint names the command that records
	 * it.
	 */
	struct error *(*check)(const struct table_provider *provider,
			       const struct event_list *events);
	/* Set the consumer; all else but the provider is zero before. deinit() always follows. */
	struct error *(*init)(struct table_maker *maker, const struct table_source *source);
	void (*deinit)(struct table_maker *maker);
	/*
	 * Append the table when the session has ended, once.  Without a session it has its columns
	 * and no measured values.
	 */
	struct error *(*add)(struct table_maker *maker, const struct table_output *output,
			     struct strbuf *out);
	/*
	 * Append a sentence, the command's, if the numbers of the session are incomplete or need a
	 * note; NULL: there is no such sentence.
	 */
	void (*tell)(const struct table_maker *maker, struct strbuf *out);
};

struct error *table_maker_create(const struct table_provider *provider,
				 const struct table_source *source, struct table_maker **ret);
void table_maker_destroy(struct table_maker *maker);
/* Append the provider's note, if it has one. */
void table_maker_tell(const struct table_maker *maker, struct strbuf *out);
DEFINE_CLEANUP_PTR(table_maker, struct table_maker, table_maker_destroy)

#endif
