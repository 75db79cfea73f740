// SPDX-License-Identifier: GPL-2.0
/* A separate file, because print texts use fields, and formats use print texts. */
#include <string.h>

#include "format/event_format.h"

const struct field *event_format_field(const struct event_format *format, const char *name)
{
	for (size_t i = 0; i < format->nr_fields; i++)
		if (!strcmp(format->fields[i].name, name))
			return &format->fields[i];
	return NULL;
}
