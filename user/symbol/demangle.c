// SPDX-License-Identifier: GPL-2.0
#include "symbol/demangle.h"

#include <libiberty/demangle.h>
#include <stddef.h>
#include <string.h>

/* Names can be as long as a file makes them, and demangling recurses. */
#define LONGEST_NAME	16384

char *demangle(const char *name)
{
	/* All schemes begin so: _Z, _R, __Z, _GLOBAL_ ...; of others, nothing is made. */
	if (*name != '_' || strnlen(name, LONGEST_NAME) == LONGEST_NAME)
		return NULL;
	return cplus_demangle(name, DMGL_NO_OPTS);
}
