/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A process that removes probe events when its parent ends, however that ends: a killed recorder
 * leaves no probes behind.  If the guardian is killed, too, the next one removes the probes of
 * both.
 */
#ifndef KTRACE_PROBE_GUARDIAN_H
#define KTRACE_PROBE_GUARDIAN_H

#include "lib/error.h"
#include "probe/event.h"

/* Start the guardian of this process, if it has none yet. */
struct error *guardian_start(void);

/* Register an event that is about to be added. */
struct error *guardian_watch(const struct probe_event *event);

/*
 * Have the events removed, and wait until they are.  No process may record them any more.  This
 * does nothing if there is no guardian.
 */
void guardian_finish(void);

#endif
