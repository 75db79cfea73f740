/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The resources that a recorder itself uses, for its last line and for the file.
 */
#ifndef KTRACE_RECORDER_OWN_COST_H
#define KTRACE_RECORDER_OWN_COST_H

#include "lib/error.h"
#include "lib/strbuf.h"
#include "perfdata/write/writer.h"
#include "recorder/captures.h"

/*
 * Append "0.24 s CPU, 4.8 MB memory, 16.4 MB of ring buffers": the resources that this process has
 * used so far.  They include the CPU time of processes that have unwound call chains for
 * --call-graph auto.  The memory is the maximum resident size.
 */
void own_cost_add(struct captures *captures, struct strbuf *ret);

/* Note these resources in the header of @writer's file. */
struct error *own_cost_note(struct captures *captures, struct writer *writer);

#endif
