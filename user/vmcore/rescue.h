/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Makes a recording of what the rings of a session held when its kernel died.
 */
#ifndef KTRACE_VMCORE_RESCUE_H
#define KTRACE_VMCORE_RESCUE_H

#include <stdint.h>

#include "lib/error.h"
#include "vmcore/session_table.h"

struct description;

struct rescue {
	uint64_t samples;	/* that were recovered */
	uint64_t taken;		/* that the recorder had taken out of the rings before */
	uint64_t overwritten;	/* that newer ones had overwritten */
	uint64_t lost;		/* that the module had no room for, as far as the recording says */
	uint64_t damaged_rings;	/* of which not all could be read */
};

/*
 * Write to @path what the rings hold, with the ledger of what is missing.  The session must have a
 * description; @like, another recording of the same kernel, says of that what it does not know
 * (NULL: it knows all).
 */
struct error *rescue_session(const struct vmcore_session *session, const struct description *like,
			     const char *path, struct rescue *ret);

#endif
