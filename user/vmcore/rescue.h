/* SPDX-License-Identifier: GPL-2.0 */
/* Writes a recording of the contents of a session's rings when its kernel died. */
#ifndef KTRACE_VMCORE_RESCUE_H
#define KTRACE_VMCORE_RESCUE_H

#include <stdint.h>

#include "lib/error.h"
#include "vmcore/session_table.h"

struct description;

struct rescue {
	uint64_t samples;	/* recovered samples */
	uint64_t taken;		/* read from the rings by the recorder before */
	uint64_t overwritten;	/* overwritten by newer ones */
	uint64_t lost;		/* that did not fit into the rings, if known */
	uint64_t damaged_rings;	/* that could not be read completely */
};

/*
 * Write the contents of the rings to @path, with the ledger of the missing records.  The session
 * must have a description.  @like, another recording of the same kernel, completes that description
 * (NULL: it is complete).
 */
struct error *rescue_session(const struct vmcore_session *session, const struct description *like,
			     const char *path, struct rescue *ret);

#endif
