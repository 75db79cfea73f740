/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A request to end the current query.  SQLite checks its own request between rows, but reading a
 * recording may take long before there is one.
 */
#ifndef KTRACE_SQL_INTERRUPTION_H
#define KTRACE_SQL_INTERRUPTION_H

#include <signal.h>

#include "lib/error.h"

/* Set by a signal handler, and cleared by the code that begins a query. */
extern volatile sig_atomic_t sql_interrupted;

/* EINTR if it is set; NULL otherwise. */
struct error *sql_interruption(void);

#endif
