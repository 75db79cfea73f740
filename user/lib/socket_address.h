/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A local address in the form that users write: tcp:HOST:PORT, where HOST is localhost or a numeric
 * loopback address (an IPv6 one in brackets), or unix:PATH.
 */
#ifndef KTRACE_LIB_SOCKET_ADDRESS_H
#define KTRACE_LIB_SOCKET_ADDRESS_H

#include <stdbool.h>
#include <sys/socket.h>

#include "lib/error.h"
#include "lib/strbuf.h"

struct socket_address {
	struct sockaddr_storage storage;
	socklen_t size;		/* used bytes of storage */
};

/* Whether @text begins as an address; a file with such a name is written ./tcp:NAME. */
bool socket_address_is_one(const char *text);

/*
 * Parse @text.  EINVAL: it is no address.  EPERM: it is the address of another machine, to which
 * data must not be sent unencrypted.
 */
struct error *socket_address_parse(const char *text, struct socket_address *ret);

/* Append the address in the form that socket_address_parse() reads. */
void socket_address_add(const struct socket_address *address, struct strbuf *out);

/* The path of a Unix socket; NULL: the address is no Unix socket. */
const char *socket_address_path(const struct socket_address *address);

#endif
