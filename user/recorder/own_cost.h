/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What a recorder itself takes, for its last line and for the file.
 */
#ifndef KTRACE_RECORDER_OWN_COST_H
#define KTRACE_RECORDER_OWN_COST_H

#include "lib/error.h"
#include "lib/strbuf.h"
#include "perfdata/write/writer.h"
#include "recorder/captures.h"

/*
 * Append "0.24 s CPU, 4.8 MB memory, 16.4 MB of ring buffers": what this process has taken until
 * now, with the CPU time of those that have unwound call chains for --call-graph auto.  The memory
 * is the most that it ever had resident.
 */
void own_cost_add(struct captures *captures, struct strbuf *ret);

/* Note that in the header of what @writer writes. */
struct error *own_cost_note(struct captures *captures, struct writer *writer);

#endif
