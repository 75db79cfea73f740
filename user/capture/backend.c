// SPDX-License-Identifier: GPL-2.0
#include "capture/backend.h"

#include <stddef.h>
#include <string.h>

const struct capture_backend *const capture_backends[] = {
#define CAPTURE_BACKEND(name) &backend_##name,
#include "capture/backends.def"
#undef CAPTURE_BACKEND
	NULL,
};

const struct capture_backend *capture_backend_find(const char *name)
{
	for (size_t i = 0; i < CAPTURE_NR_BACKENDS; i++)
		if (!strcmp(capture_backends[i]->name, name))
			return capture_backends[i];
	return NULL;
}

const struct capture_backend *capture_backend_of(const struct event *event)
{
	for (size_t i = 0; i < CAPTURE_NR_BACKENDS; i++)
		if (capture_backend_has(capture_backends[i], event))
			return capture_backends[i];
	return NULL;
}
