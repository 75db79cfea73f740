// SPDX-License-Identifier: GPL-2.0
#include "table/lock/lock_types.h"

#include <string.h>

#include "lib/array.h"
#include "table/lock/lock_owners.h"
#include "terminal/word_list.h"

static const struct {
	const char *family, *type;
	uint32_t flags;
} lock_types[] = {
	{ "semaphore", "semaphore", 0 },
	{ "spinlock", "spinlock", LOCK_SPIN },
	{ "rwlock", "rwlock:R", LOCK_SPIN | LOCK_READ },
	{ "rwlock", "rwlock:W", LOCK_SPIN | LOCK_WRITE },
	{ "rwsem", "rwsem:R", LOCK_READ },
	{ "rwsem", "rwsem:W", LOCK_WRITE },
	{ "rtmutex", "rtmutex", LOCK_RT },
	{ "rwlock-rt", "rwlock-rt:R", LOCK_RT | LOCK_READ },
	{ "rwlock-rt", "rwlock-rt:W", LOCK_RT | LOCK_WRITE },
	{ "percpu-rwsem", "pcpu-sem:R", LOCK_PERCPU | LOCK_READ },
	{ "percpu-rwsem", "pcpu-sem:W", LOCK_PERCPU | LOCK_WRITE },
	{ "mutex", "mutex", LOCK_MUTEX },
	{ "mutex", "mutex", LOCK_MUTEX | LOCK_SPIN },
};

const char *lock_type(uint32_t flags, bool family)
{
	for (size_t i = 0; i < ARRAY_SIZE(lock_types); i++)
		if (lock_types[i].flags == (flags & LOCK_TYPES))
			return family ? lock_types[i].family : lock_types[i].type;
	return "unknown";
}

struct error *lock_type_check(void *data, const char *name)
{
	struct error *err;

	for (size_t i = 0; i < ARRAY_SIZE(lock_types); i++)
		if (!strcmp(name, lock_types[i].type) || !strcmp(name, lock_types[i].family))
			return NULL;
	err = word_unknown(WORDS(lock_types), "Locks have no type", name);
	return error_hint(err, "%s; those with readers also as rwsem:R and rwsem:W", err->hint);
}
