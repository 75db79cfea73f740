// SPDX-License-Identifier: GPL-2.0
#include "sql/interruption.h"

#include <errno.h>

volatile sig_atomic_t sql_interrupted;

struct error *sql_interruption(void)
{
	return sql_interrupted ? error_new(EINTR, "interrupted") : NULL;
}
