// SPDX-License-Identifier: GPL-2.0
#include <errno.h>

#include "symbol/debuginfod.h"

#include <elfutils/debuginfod.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int advance(debuginfod_client *client, long done, long total)
{
	const struct debuginfod_request *request = debuginfod_get_user_data(client);

	return request->advance(done, total);
}

static int find(debuginfod_client *client, struct debuginfod_request *request)
{
	const struct build_id *id = request->id;

	switch (request->kind) {
	case DEBUGINFOD_DEBUG:
		return debuginfod_find_debuginfo(client, id->bytes, id->size, &request->path);
	case DEBUGINFOD_BINARY:
		return debuginfod_find_executable(client, id->bytes, id->size, &request->path);
	case DEBUGINFOD_SOURCE:
		return debuginfod_find_source(client, id->bytes, id->size, request->source,
					      &request->path);
	}
	return -EINVAL;
}

int debuginfod_request(struct debuginfod_request *request)
{
	/* It keeps connections open, so one client serves all requests. */
	static debuginfod_client *client;
	const char *url;
	int fd;

	request->path = request->url = NULL;
	if (!client)
		client = debuginfod_begin();
	if (!client)
		return -ENOMEM;
	debuginfod_set_user_data(client, request);
	debuginfod_set_progressfn(client, advance);
	fd = find(client, request);
	if (fd < 0)
		return fd;
	close(fd);
	url = debuginfod_get_url(client);
	request->url = url ? strdup(url) : NULL;
	return request->path ? 0 : -ENOMEM;
}
