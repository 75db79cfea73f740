/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The connection over which a recorder sends its stream to a listener.
 */
#ifndef KTRACE_PERFDATA_CONNECTION_H
#define KTRACE_PERFDATA_CONNECTION_H

#include <stdbool.h>

#include "lib/error.h"

/* Whether an output of this name is a stream, which can be written only once: "-" or an address. */
bool connection_is_stream(const char *path);

/*
 * Connect to the listener at @address, and greet it with @token.  NULL: with the token of the
 * environment, if it has one.  *ret is a socket.
 */
struct error *connection_open(const char *address, const char *token, int *ret);

#endif
