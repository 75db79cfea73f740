/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Writes the records of a kept session of the device to a file: until a request to stop, or only
 * the current contents of the rings.  Records leave the rings only after they are stored.
 */
#ifndef KTRACE_RECORDER_KEPT_READER_H
#define KTRACE_RECORDER_KEPT_READER_H

#include <stdbool.h>
#include <stdint.h>

#include "capture/ktrace/kept.h"
#include "lib/cleanup.h"
#include "lib/error.h"
#include "perfdata/write/description.h"
#include "record/ledger.h"
#include "recorder/captures.h"
#include "recorder/loop.h"
#include "recorder/perf_file.h"
#include "recorder/workload.h"

struct kept_reader {
	struct kept_session session;
	struct description description;
	struct captures captures;
	struct workload no_command;
	struct perf_file file;
	struct loop_consumer consumer;	/* the file's; it also releases stored records */
	struct ledger ledger;	/* of the file */
	struct ledger totals;	/* since the session began */
	bool ends;
};

#define KEPT_READER_INIT { .session = KEPT_SESSION_INIT }

/*
 * Open the session of this name.  If it @ends, it is stopped and removed after reading.  Signals
 * are blocked as by interrupt_block() from then on.  Set @ret to KEPT_READER_INIT before; it must
 * not move, and has to be released also on error.
 */
struct error *kept_reader_open(const char *name, bool ends, struct kept_reader *ret);

/*
 * Write the records of the session to @path until a signal comes (lib/interrupt.h).  If @once is
 * set, if the session ends or is stopped, or if its rings overwrite, only the current records are
 * written.  Afterwards the ledgers are set.
 */
struct error *kept_reader_write(struct kept_reader *reader, const char *path, bool once);

void kept_reader_close(struct kept_reader *reader);
DEFINE_CLEANUP(kept_reader, struct kept_reader, kept_reader_close)

#endif
