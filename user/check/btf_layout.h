/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Formats held against BTF: struct trace_event_raw_CLASS is what the kernel was
 * compiled with, and what eBPF programs read an event by.
 */
#ifndef KTRACE_CHECK_BTF_LAYOUT_H
#define KTRACE_CHECK_BTF_LAYOUT_H

#include <stddef.h>

#include "check/subject.h"
#include "lib/cleanup.h"
#include "lib/error.h"

struct btf_layout;

/*
 * @path: a file with BTF, vmlinux or raw; NULL: that of this kernel and its
 * modules.  ENOENT: this kernel has none.
 */
struct error *btf_layout_open(const char *path, struct btf_layout **ret);
void btf_layout_close(struct btf_layout *layout);
DEFINE_CLEANUP_PTR(btf_layout, struct btf_layout, btf_layout_close)

/*
 * Compare the fields of @subject; differences are findings.  A format does not
 * tell its class: one with the same fields at the same places is taken for it,
 * else that of the event's name.  results->compared counts the events that
 * have either.
 */
void btf_layout_check(const struct btf_layout *layout, struct subject *subject);

#endif
