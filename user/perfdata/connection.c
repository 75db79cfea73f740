// SPDX-License-Identifier: GPL-2.0
#include "perfdata/connection.h"

#include <errno.h>
#include <string.h>

#include "lib/cleanup.h"
#include "lib/socket_address.h"
#include "perfdata/greeting.h"

bool connection_is_stream(const char *path)
{
	return !strcmp(path, "-") || socket_address_is_one(path);
}

struct error *connection_open(const char *address, const char *token, int *ret)
{
	_cleanup_free_ char *own_token = NULL;
	_cleanup_close_ int fd = -1;
	struct socket_address to;
	struct error *err;

	err = socket_address_parse(address, &to);
	if (!err && !token)
		err = token_read(NULL, &own_token);
	if (err)
		return err;
	fd = socket(to.storage.ss_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return error_errno(errno, "Cannot create a socket for %s", address);
	if (connect(fd, (const struct sockaddr *)&to.storage, to.size)) {
		err = error_errno(errno, "Cannot connect to %s, and nothing was recorded", address);
		if (errno == ECONNREFUSED || errno == ENOENT)
			error_hint(err, "'ktrace script --listen %s' waits there for one recorder",
				   address);
		return err;
	}
	err = greeting_send(fd, address, token ? token : own_token);
	if (!err)
		*ret = take_fd(fd);
	return err;
}
