// SPDX-License-Identifier: GPL-2.0
#include "table/lock/lock_types.h"

#include <string.h>

#include "lib/array.h"
#include "table/lock/lock_owners.h"

static const struct {
	uint32_t flags;
	const char *type, *family;
} lock_types[] = {
	{ 0, "semaphore", "semaphore" },
	{ LOCK_SPIN, "spinlock", "spinlock" },
	{ LOCK_SPIN | LOCK_READ, "rwlock:R", "rwlock" },
	{ LOCK_SPIN | LOCK_WRITE, "rwlock:W", "rwlock" },
	{ LOCK_READ, "rwsem:R", "rwsem" },
	{ LOCK_WRITE, "rwsem:W", "rwsem" },
	{ LOCK_RT, "rtmutex", "rtmutex" },
	{ LOCK_RT | LOCK_READ, "rwlock-rt:R", "rwlock-rt" },
	{ LOCK_RT | LOCK_WRITE, "rwlock-rt:W", "rwlock-rt" },
	{ LOCK_PERCPU | LOCK_READ, "pcpu-sem:R", "percpu-rwsem" },
	{ LOCK_PERCPU | LOCK_WRITE, "pcpu-sem:W", "percpu-rwsem" },
	{ LOCK_MUTEX, "mutex", "mutex" },
	{ LOCK_MUTEX | LOCK_SPIN, "mutex", "mutex" },
};

const char *lock_type(uint32_t flags, bool family)
{
	for (size_t i = 0; i < ARRAY_SIZE(lock_types); i++)
		if (lock_types[i].flags == (flags & LOCK_TYPES))
			return family ? lock_types[i].family : lock_types[i].type;
	return "unknown";
}

bool lock_type_is_known(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(lock_types); i++)
		if (!strcmp(name, lock_types[i].type) || !strcmp(name, lock_types[i].family))
			return true;
	return false;
}
