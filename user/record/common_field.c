// SPDX-License-Identifier: GPL-2.0
#include "record/common_field.h"

#include <string.h>

static const char *const names[COMMON_FIELD_NR] = {
	[COMMON_FIELD_TGID] = "tgid",
	[COMMON_FIELD_COMM] = "comm",
	[COMMON_FIELD_PPID] = "ppid",
	[COMMON_FIELD_START_TIME] = "start_time",
	[COMMON_FIELD_UID] = "uid",
	[COMMON_FIELD_CGROUP] = "cgroup",
	[COMMON_FIELD_CONTEXT] = "context",
	[COMMON_FIELD_SEQ] = "seq",
};

const char *common_field_name(enum common_field field)
{
	return names[field];
}

bool common_field_find(const char *name, enum common_field *ret)
{
	for (int f = 0; f < COMMON_FIELD_NR; f++) {
		if (!strcmp(names[f], name)) {
			*ret = f;
			return true;
		}
	}
	return false;
}

size_t common_field_trailer_size(uint64_t mask)
{
	size_t size = 0;

	for (int f = 0; f < COMMON_FIELD_NR; f++)
		if (mask & (1ULL << f))
			size += COMMON_FIELD_SLOT(f);
	return size;
}

const void *common_field_slot(const struct event *event, const struct sample *sample,
			      enum common_field field)
{
	uint64_t mask = event->common_fields;
	size_t back;

	if (!(mask & (1ULL << field)))
		return NULL;
	if (!sample->raw || common_field_trailer_size(mask) > sample->raw_size)
		return NULL;
	/* The trailer ends where RAW ends: count from there. */
	back = common_field_trailer_size(mask & ~((1ULL << field) - 1));
	return (const char *)sample->raw + sample->raw_size - back;
}

uint32_t common_field_raw_size(const struct event *event, const struct sample *sample)
{
	size_t trailer;

	if (!event->common_fields)
		return sample->raw_size;
	trailer = common_field_trailer_size(event->common_fields);
	return trailer > sample->raw_size ? sample->raw_size : sample->raw_size - trailer;
}
