/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Prints what a BPF program has sent as perf script does: bytes in hexadecimal, and as text if
 * they are one.
 */
#ifndef KTRACE_OUTPUT_TEXT_BPF_TEXT_H
#define KTRACE_OUTPUT_TEXT_BPF_TEXT_H

#include "lib/strbuf.h"
#include "record/event.h"
#include "record/sample.h"

/* Append lines, of which the first begins with a line feed; nothing for other events. */
void bpf_text_add(struct strbuf *out, const struct event *event, const struct sample *sample);

#endif
