/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Where the rows of a table come from.  A table has a provider, table_NAME, and a row in
 * user/table/tables.def; the command `ktrace table`, SQL and Python have it then.
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

/* The recording that a table is made of; borrowed as long as its maker lives. */
struct table_source {
	const struct event_list *events;
	const struct formats *formats;
	struct machine *machine;	/* NULL: nothing is read, or the provider needs none */
	const struct header *header;	/* NULL: nothing is read */
	const struct ledger *ledger;	/* filled when all is read; NULL: nothing is read */
};

/* One table of one recording, as its command prints it without options. */
struct table_maker {
	const struct table_provider *provider;
	struct session_consumer *consumer;	/* gets the records of one session */
	bool damaged;		/* for add(): samples are damaged, or the end is missing */
};

struct table_provider {
	bool needs_machine;	/* the session and the source need one, as addresses get names */
	int key;		/* for the functions: which table of its topic it is */
	size_t size;		/* of a structure that begins with its struct table_maker */
	/* ENODATA: the recording lacks an event that the table needs; the hint records it. */
	struct error *(*check)(const struct table_provider *provider,
			       const struct event_list *events);
	/* Set the consumer; all else but the provider is zero before.  deinit() follows always. */
	struct error *(*init)(struct table_maker *maker, const struct table_source *source);
	void (*deinit)(struct table_maker *maker);
	/*
	 * Append the table when the session has ended, once.  Without a session it has its columns
	 * and nothing that was measured.
	 */
	struct error *(*add)(struct table_maker *maker, const struct table_output *output,
			     struct strbuf *out);
	/*
	 * Append a sentence if the numbers of the session lack or do not mean something, as the
	 * command says it; NULL: there is none.
	 */
	void (*tell)(const struct table_maker *maker, struct strbuf *out);
};

struct error *table_maker_create(const struct table_provider *provider,
				 const struct table_source *source, struct table_maker **ret);
void table_maker_destroy(struct table_maker *maker);
/* Append what the provider tells, if it does. */
void table_maker_tell(const struct table_maker *maker, struct strbuf *out);
DEFINE_CLEANUP_PTR(table_maker, struct table_maker, table_maker_destroy)

#endif
