/* SPDX-License-Identifier: GPL-2.0 */
/* Creates one machine per recorded host of a reader, which may read several recordings as one. */
#ifndef KTRACE_TABLE_SAMPLES_READER_MACHINE_H
#define KTRACE_TABLE_SAMPLES_READER_MACHINE_H

#include "lib/error.h"
#include "perfdata/reader.h"
#include "session/machine.h"

/*
 * The machine also resolves the kernel addresses in the text of events, so it must be destroyed
 * before @reader is closed.  @options are borrowed.  *ret is to be destroyed after an error, too.
 */
struct error *reader_machine_create(struct reader *reader, const struct symbol_options *options,
				    struct machine **ret);

#endif
