/* SPDX-License-Identifier: GPL-2.0 */
/*
 * An address inside of this machine, as users write it: tcp:HOST:PORT, where HOST is localhost or
 * a numeric loopback address (an IPv6 one in brackets), or unix:PATH.
 */
#ifndef KTRACE_LIB_SOCKET_ADDRESS_H
#define KTRACE_LIB_SOCKET_ADDRESS_H

#include <stdbool.h>
#include <sys/socket.h>

#include "lib/error.h"
#include "lib/strbuf.h"

struct socket_address {
	struct sockaddr_storage storage;
	socklen_t size;		/* bytes of it that are used */
};

/* Whether @text begins as an address; files of such names are written ./tcp:NAME. */
bool socket_address_is_one(const char *text);

/*
 * Parse @text.  EINVAL: it is no address; EPERM: it leads out of this machine, where what goes
 * over it would have to be encrypted.
 */
struct error *socket_address_parse(const char *text, struct socket_address *ret);

/* Append the address as socket_address_parse() takes it. */
void socket_address_add(const struct socket_address *address, struct strbuf *out);

/* The path of a Unix socket; NULL: it is not one. */
const char *socket_address_path(const struct socket_address *address);

#endif
