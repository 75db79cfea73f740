// SPDX-License-Identifier: GPL-2.0
#include "lib/hash.h"

#include <string.h>
#include <sys/auxv.h>

uint64_t hash_secret;

/* The kernel gives each process 16 random bytes. */
__attribute__((constructor))
static void choose_secret(void)
{
	const void *bytes = (const void *)getauxval(AT_RANDOM);

	if (bytes)
		memcpy(&hash_secret, bytes, sizeof(hash_secret));
}
