/* SPDX-License-Identifier: GPL-2.0 */
/* The number of samples of each event of a recording, counted without decoding them. */
#ifndef KTRACE_SQL_SAMPLE_COUNTS_H
#define KTRACE_SQL_SAMPLE_COUNTS_H

#include <stddef.h>
#include <stdint.h>

#include "lib/error.h"
#include "perfdata/reader.h"

/*
 * *ret has a number for each event of @reader, by its index, and is to be freed.  EBADMSG: there
 * are samples of an unknown event.
 */
struct error *sample_counts_read(struct reader *reader, uint64_t **ret);

#endif
