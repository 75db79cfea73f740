/* SPDX-License-Identifier: GPL-2.0 */
/* The memory for struct ktrace_scratch (probes/ktrace/probe.h). */
#ifndef KTRACE_SCRATCH_H
#define KTRACE_SCRATCH_H

/*
 * Allocates the memory; may be called again.  To be called before the first use.  May sleep.
 * -ENOMEM.
 */
int ktrace_scratch_prepare(void);
/* To be called when nothing can use the memory any more. */
void ktrace_scratch_free(void);

#endif
