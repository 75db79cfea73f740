/* SPDX-License-Identifier: GPL-2.0 */
/*
 * How many samples each event of a recording has, counted without looking into them.
 */
#ifndef KTRACE_SQL_SAMPLE_COUNTS_H
#define KTRACE_SQL_SAMPLE_COUNTS_H

#include <stddef.h>
#include <stdint.h>

#include "lib/error.h"
#include "perfdata/reader.h"

/*
 * *ret has a number for each event of @reader, by its index; to be freed.  EBADMSG: others have
 * samples.
 */
struct error *sample_counts_read(struct reader *reader, uint64_t **ret);

#endif
