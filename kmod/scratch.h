/* SPDX-License-Identifier: GPL-2.0 */
/* The memory of struct ktrace_scratch (probes/ktrace/probe.h). */
#ifndef KTRACE_SCRATCH_H
#define KTRACE_SCRATCH_H

/* Before the first use; may be called again.  May sleep. */
int ktrace_scratch_prepare(void);
/* When nothing can use it any more. */
void ktrace_scratch_free(void);

#endif
