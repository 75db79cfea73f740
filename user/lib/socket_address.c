// SPDX-License-Identifier: GPL-2.0
#include "lib/socket_address.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/un.h>

#include "lib/cleanup.h"
#include "lib/number.h"

#define TCP	"tcp:"
#define UNIX	"unix:"

static bool socket_address_begins(const char *text, const char *with)
{
	return !strncmp(text, with, strlen(with));
}

bool socket_address_is_one(const char *text)
{
	return socket_address_begins(text, TCP) || socket_address_begins(text, UNIX);
}

static struct error *parse_unix(const char *path, struct socket_address *ret)
{
	struct sockaddr_un *unix_address = (void *)&ret->storage;
	size_t len = strlen(path);

	if (!len || len >= sizeof(unix_address->sun_path))
		return error_hint(error_new(EINVAL, "A socket's path has 1 to %zu bytes, not %zu",
					    sizeof(unix_address->sun_path) - 1, len),
				  "As in unix:/run/user/1000/ktrace");
	unix_address->sun_family = AF_UNIX;
	memcpy(unix_address->sun_path, path, len + 1);
	ret->size = offsetof(struct sockaddr_un, sun_path) + len + 1;
	return NULL;
}

static struct error *socket_address_refuse(const char *text)
{
	return error_hint(error_new(EPERM, "%s is not an address of this machine's loopback device, "
				    "and a recording does not go over a network unencrypted", text),
			  "'ssh -R 7000:127.0.0.1:7000 MACHINE ktrace record -o "
			  "tcp:127.0.0.1:7000' forwards a recording of another machine to port "
			  "7000 here");
}

/* @host is without brackets. */
static struct error *parse_host(const char *text, const char *host, bool is_v6, in_port_t port,
				struct socket_address *ret)
{
	struct sockaddr_in *v4 = (void *)&ret->storage;
	struct sockaddr_in6 *v6 = (void *)&ret->storage;

	if (is_v6) {
		v6->sin6_family = AF_INET6;
		v6->sin6_port = htons(port);
		ret->size = sizeof(*v6);
		return inet_pton(AF_INET6, host, &v6->sin6_addr) == 1 &&
		       IN6_IS_ADDR_LOOPBACK(&v6->sin6_addr) ? NULL : socket_address_refuse(text);
	}
	v4->sin_family = AF_INET;
	v4->sin_port = htons(port);
	ret->size = sizeof(*v4);
	if (!strcmp(host, "localhost"))
		host = "127.0.0.1";
	return inet_pton(AF_INET, host, &v4->sin_addr) == 1 &&
	       ntohl(v4->sin_addr.s_addr) >> 24 == IN_LOOPBACKNET ? NULL :
								    socket_address_refuse(text);
}

static struct error *parse_tcp(const char *text, struct socket_address *ret)
{
	_cleanup_free_ char *host = strdup(text + strlen(TCP));
	char *colon = host ? strrchr(host, ':') : NULL, *name = host;
	unsigned long long port;
	size_t len;
	bool is_v6;

	if (!host)
		return &error_no_memory;
	if (!colon || colon == host || !parse_u64(colon + 1, &port) || port > UINT16_MAX)
		return error_hint(error_new(EINVAL, "'%s' has no port from 0 to 65535",
					    text), "As in tcp:127.0.0.1:7000");
	*colon = '\0';
	len = strlen(name);
	is_v6 = len > 2 && name[0] == '[' && name[len - 1] == ']';
	if (is_v6) {
		name[len - 1] = '\0';
		name++;
	}
	return parse_host(text, name, is_v6, port, ret);
}

struct error *socket_address_parse(const char *text, struct socket_address *ret)
{
	memset(ret, 0, sizeof(*ret));
	if (socket_address_begins(text, TCP))
		return parse_tcp(text, ret);
	if (socket_address_begins(text, UNIX))
		return parse_unix(text + strlen(UNIX), ret);
	return error_hint(error_new(EINVAL, "'%s' is not an address", text),
			  "An address is tcp:127.0.0.1:PORT or unix:PATH");
}

void socket_address_add(const struct socket_address *address, struct strbuf *out)
{
	const struct sockaddr_in *v4 = (const void *)&address->storage;
	const struct sockaddr_in6 *v6 = (const void *)&address->storage;
	char host[INET6_ADDRSTRLEN] = "";

	switch (address->storage.ss_family) {
	case AF_INET:
		inet_ntop(AF_INET, &v4->sin_addr, host, sizeof(host));
		strbuf_addf(out, TCP "%s:%u", host, ntohs(v4->sin_port));
		break;
	case AF_INET6:
		inet_ntop(AF_INET6, &v6->sin6_addr, host, sizeof(host));
		strbuf_addf(out, TCP "[%s]:%u", host, ntohs(v6->sin6_port));
		break;
	default:
		strbuf_addf(out, UNIX "%s", socket_address_path(address));
	}
}

const char *socket_address_path(const struct socket_address *address)
{
	return address->storage.ss_family == AF_UNIX ?
	       ((const struct sockaddr_un *)&address->storage)->sun_path : NULL;
}
