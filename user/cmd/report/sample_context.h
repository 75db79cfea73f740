/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What a recording tells of the time around one sample, as lines of ktrace script.
 */
#ifndef KTRACE_CMD_REPORT_SAMPLE_CONTEXT_H
#define KTRACE_CMD_REPORT_SAMPLE_CONTEXT_H

#include "cmd/recording.h"
#include "lib/strbuf.h"
#include "profile/histogram/entry_samples.h"

/*
 * Add the lines of the samples that were taken on the CPU of @sample, or of its thread if CPUs
 * were not recorded, from 5 ms before it to 5 ms behind it.  Its own line begins with ">", and is
 * number *ret_line, counted from 0.  The recording is opened once more for this.
 */
struct error *sample_context_add(const struct recording_inputs *inputs,
				 const struct symbol_options *symbols,
				 const struct entry_sample *sample, struct strbuf *ret,
				 size_t *ret_line);

#endif
